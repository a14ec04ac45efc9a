/* _softmax and _log_softmax along any dim. Kernels: kernels/softmax.cl. PyTorch:
 * native/SoftMax.cpp. */
#include "device/launch.h"
#include "device/native.h"
#include "kernels/ob_layout.h"

enum { CHUNK = 4096 }; /* elements that are worth a work-item */

static const ob_cl_program program = { "softmax", { "prelude.cl", "softmax.cl" }, NULL, NULL };
static ob_cl_site softmax = OB_CL_SITE(&program, "softmax");
static ob_cl_site log_softmax = OB_CL_SITE(&program, "log_softmax");

/* (self, dim, half_to_float); both tensors are dense. */
static ob_status run(ob_frame *frame, ob_cl_site *site)
{
    const ob_tensor *out = frame->results[0].u.tensor, *in = frame->args[0].u.tensor;
    const int rank = ob_tensor_rank(in);
    const int64_t dim = frame->args[1].u.i < 0 ? frame->args[1].u.i + rank : frame->args[1].u.i;
    ob_cl_kernel *k;
    if (ob_tensor_dtype(in) != ob_tensor_dtype(out)) return OB_ERR_DECLINED;
    if (ob_tensor_numel(in) == 0) return OB_OK;
    ob_rows r = { .length = rank ? ob_tensor_size(in, dim) : 1, .inners = 1, .inner = 1 };
    for (int d = (int)dim + 1; d < rank; d++)
        r.inners *= ob_tensor_sizes(in)[d];
    r.rows = ob_tensor_numel(in) / r.length;
    r.outer = r.length * r.inners;
    r.step = r.inners;
    r.in_offset = ob_tensor_offset(in);
    r.out_offset = ob_tensor_offset(out);
    OB_TRY(ob_cl_kernel_get(site, ob_tensor_dtype(in), &k));
    const int64_t least = r.length < CHUNK ? CHUNK / r.length : 1;
    return OB_LAUNCH(k, ob_cl_range_chunks(r.rows, least), BUF(out), BUF(in), VAL(r));
}

ob_status ob_cl_op_softmax(ob_frame *frame)
{
    return run(frame, &softmax);
}

ob_status ob_cl_op_log_softmax(ob_frame *frame)
{
    return run(frame, &log_softmax);
}
