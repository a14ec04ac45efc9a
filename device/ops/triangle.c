/* tril and triu. Kernel: kernels/index.cl. PyTorch: native/TriangularOps.cpp. */
#include "device/launch.h"
#include "device/native.h"
#include "device/ops/copy.h"
#include "device/ops/index/index.h"

enum { CHUNK = 16384 }; /* elements that are worth a work-item */

static ob_cl_site triangle = OB_CL_SITE(&ob_cl_index_program, "triangle");

/* Row-major. */
static ob_status keep_triangle(ob_frame *frame, bool upper)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    ob_cl_kernel *k;
    if (ob_tensor_numel(out) == 0) return OB_OK;
    const int64_t reach = ob_tensor_size(out, -1) + ob_tensor_size(out, -2);
    const int64_t given = frame->args[1].u.i;
    const ob_triangle t = { .batch = ob_tensor_numel(out) / ob_tensor_size(out, -1) /
                                     ob_tensor_size(out, -2),
                            .rows = ob_tensor_size(out, -2),
                            .cols = ob_tensor_size(out, -1),
                            .out_offset = ob_tensor_offset(out),
                            .in_offset = ob_tensor_offset(self),
                            .diagonal = given < -reach  ? -reach
                                        : given > reach ? reach
                                                        : given,
                            .upper = upper };
    OB_TRY(ob_cl_kernel_get(&triangle, ob_cl_mover_of(ob_tensor_dtype(out)), &k));
    return OB_LAUNCH(k, ob_cl_range_chunks(t.batch * t.rows, CHUNK / t.cols + 1), BUF(out),
                     BUF(self), VAL(t));
}

ob_status ob_cl_op_tril(ob_frame *frame)
{
    return keep_triangle(frame, false);
}

ob_status ob_cl_op_triu(ob_frame *frame)
{
    return keep_triangle(frame, true);
}
