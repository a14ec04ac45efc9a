/* cumsum and cumprod: running sums along one dim, in the dtype of the result. Kernel:
 * kernels/scan.cl. PyTorch: native/cpu/ReduceOpsKernel.cpp. */
#include "device/ops/index/scan.h"

#include "device/launch.h"
#include "device/native.h"
#include "device/walk.h"

enum { CHUNK = 4096 }; /* elements that are worth a work-item */

const ob_cl_program ob_cl_scan_program = {
    "scan", { "prelude.cl", "index.cl", "scan.cl" }, "#define INDEX_ARITHMETIC\n", NULL
};

static ob_cl_site scan_site = OB_CL_SITE(&ob_cl_scan_program, "scan");

/* scan(self, dim, dtype) */
static ob_status scan(ob_frame *frame, bool product)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const int rank = ob_tensor_rank(out);
    const int64_t given = frame->args[1].u.i;
    const int dim = (int)(given < 0 ? given + rank : given);
    int64_t sizes[OB_MAX_RANK];
    ob_scan s = { .n = 1, .product = product };
    ob_cl_kernel *k;
    ob_cl_walk walk;
    for (int d = 0; d < rank; d++)
        sizes[d] = d == dim ? 1 : ob_tensor_sizes(out)[d];
    if (ob_tensor_numel(out) == 0) return OB_OK;
    if (rank > 0) {
        s.n = ob_tensor_sizes(out)[dim];
        s.out_step = ob_tensor_strides(out)[dim];
        s.in_step = ob_tensor_strides(self)[dim];
    }
    OB_TRY(ob_cl_kernel_get(&scan_site, ob_tensor_dtype(out), &k));
    ob_cl_walk_begin(&walk, sizes, rank);
    ob_cl_walk_add_strided(&walk, ob_tensor_strides(out), ob_tensor_offset(out));
    ob_cl_walk_add_strided(&walk, ob_tensor_strides(self), ob_tensor_offset(self));
    for (const ob_walk *w; (w = ob_cl_walk_next(&walk)) != NULL;) {
        s.w = *w;
        OB_TRY(OB_LAUNCH(k, ob_cl_range_chunks(w->numel, CHUNK / s.n + 1), BUF(out), BUF(self),
                         VAL(s)));
    }
    return OB_OK;
}

ob_status ob_cl_op_cumsum(ob_frame *frame)
{
    return scan(frame, false);
}

ob_status ob_cl_op_cumprod(ob_frame *frame)
{
    return scan(frame, true);
}
