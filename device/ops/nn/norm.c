/* native_layer_norm, and batch norm with given statistics. Kernels: kernels/norm.cl. PyTorch:
 * native/layer_norm.cpp, Normalization.cpp. */
#include "device/launch.h"
#include "device/native.h"
#include "device/ops/matrix/gemm.h"
#include "ob/schema.h"

enum { NORM_CHUNK = 4096 }; /* elements that are worth a work-item */

static const ob_cl_program program = { "norm", { "prelude.cl", "norm.cl" }, NULL, NULL };
static ob_cl_site layer_norm = OB_CL_SITE(&program, "layer_norm");
static ob_cl_site batch_norm = OB_CL_SITE(&program, "batch_norm");

static const ob_tensor *optional(const ob_value *v)
{
    return v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
}

/* Parameters of another dtype than the input are for other kernels. */
static bool fits(const ob_tensor *t, ob_dtype dtype)
{
    return !t || ob_tensor_dtype(t) == dtype;
}

static int64_t offset_of(const ob_tensor *t)
{
    return t ? ob_tensor_offset(t) : 0;
}

static ob_rows rows_of(const ob_frame *frame, const ob_tensor *weight, const ob_tensor *bias,
                       double eps)
{
    const ob_tensor *out = frame->results[0].u.tensor, *in = frame->args[0].u.tensor;
    return (ob_rows){ .inners = 1,
                      .in_offset = ob_tensor_offset(in),
                      .out_offset = ob_tensor_offset(out),
                      .weight_offset = offset_of(weight),
                      .bias_offset = offset_of(bias),
                      .has_weight = weight != NULL,
                      .has_bias = bias != NULL,
                      .channels = 1,
                      .eps = ob_cl_number(ob_double(eps), ob_tensor_dtype(in)) };
}

static ob_cl_range range_of(const ob_rows *r)
{
    return ob_cl_range_chunks(r->rows, r->length < NORM_CHUNK ? NORM_CHUNK / r->length : 1);
}

/* (input, normalized_shape, weight, bias, eps) */
ob_status ob_cl_op_layer_norm(ob_frame *frame)
{
    const ob_tensor *in = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const ob_tensor *weight = optional(&frame->args[2]), *bias = optional(&frame->args[3]);
    const ob_tensor *means = frame->results[1].u.tensor, *rstds = frame->results[2].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(in);
    ob_rows r = rows_of(frame, weight, bias, frame->args[4].u.d);
    ob_cl_kernel *k;
    if (!fits(weight, dtype) || !fits(bias, dtype) || !fits(means, dtype)) return OB_ERR_DECLINED;
    if (ob_tensor_numel(in) == 0) return OB_ERR_DECLINED;
    r.rows = ob_tensor_numel(means);
    r.length = ob_tensor_numel(in) / r.rows;
    r.outer = ob_tensor_offset(means);
    r.inner = ob_tensor_offset(rstds);
    OB_TRY(ob_cl_kernel_get(&layer_norm, dtype, &k));
    return OB_LAUNCH(k, range_of(&r), BUF(out), BUF(means), BUF(rstds), BUF(in),
                     BUF(weight ? weight : in), BUF(bias ? bias : in), VAL(r));
}

/* input, weight, bias, running_mean and running_var are the first arguments of every form. */
static ob_status evaluate(ob_frame *frame, double eps)
{
    const ob_tensor *in = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const ob_tensor *weight = optional(&frame->args[1]), *bias = optional(&frame->args[2]);
    const ob_tensor *mean = optional(&frame->args[3]), *variance = optional(&frame->args[4]);
    const ob_dtype dtype = ob_tensor_dtype(in);
    ob_rows r = rows_of(frame, weight, bias, eps);
    ob_cl_kernel *k;
    if (!fits(weight, dtype) || !fits(bias, dtype) || !fits(mean, dtype) || !fits(variance, dtype))
        return OB_ERR_DECLINED;
    if (ob_tensor_numel(in) == 0) return OB_OK;
    r.channels = ob_tensor_size(in, 1);
    r.rows = ob_tensor_size(in, 0) * r.channels;
    r.length = ob_tensor_numel(in) / r.rows;
    r.outer = ob_tensor_offset(mean);
    r.inner = ob_tensor_offset(variance);
    OB_TRY(ob_cl_kernel_get(&batch_norm, dtype, &k));
    return OB_LAUNCH(k, range_of(&r), BUF(out), BUF(in), BUF(weight ? weight : in),
                     BUF(bias ? bias : in), BUF(mean), BUF(variance), VAL(r));
}

/* (input, weight, bias, running_mean, running_var, training, momentum, eps) */
ob_status ob_cl_op_batch_norm(ob_frame *frame)
{
    if (frame->args[5].u.b) return OB_ERR_DECLINED;
    return evaluate(frame, frame->args[7].u.d);
}

/* (input, weight, bias, running_mean, running_var, momentum, eps) */
ob_status ob_cl_op_batch_norm_no_training(ob_frame *frame)
{
    return evaluate(frame, frame->args[6].u.d);
}
