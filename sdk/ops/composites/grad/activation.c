/* Gradients of activations that are no row of the pointwise table. PyTorch:
 * aten/src/ATen/native/Activation.cpp, GatedLinearUnit.cpp. */
#include "ops/composites/look.h"

/* y = a sigmoid(b), a and b the halves of x along dim */
ob_tensor *composite_glu_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self, int64_t dim)
{
    const int64_t half = extent(self, dim) / 2;
    if (self && extent(self, dim) % 2 != 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "glu_backward: dim %lld has %lld elements, must be even",
                                        (long long)dim, (long long)extent(self, dim)));
    ob_tensor *a = ob_narrow(s, self, dim, 0, half);
    ob_tensor *gate = ob_sigmoid(s, ob_narrow(s, self, dim, half, half));
    ob_tensor *by_a = ob_mul(s, gate, grad_output);
    ob_tensor *by_b =
        ob_mul(s, ob_mul(s, ob_mul(s, ob_rsub_scalar(s, gate, ob_int(1)), gate), grad_output), a);
    return ob_cat(s, OB_TENSORS(by_a, by_b), dim);
}

/* y = x tanh(softplus(x)) */
ob_tensor *composite_mish_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self)
{
    ob_tensor *x = widened(s, self), *t = ob_tanh(s, ob_softplus(s, x)), *gate = ob_sigmoid(s, x);
    ob_tensor *slope = ob_mul(s, ob_mul(s, x, gate), ob_rsub_scalar(s, ob_mul(s, t, t), ob_int(1)));
    return as_dtype(s, ob_mul(s, widened(s, grad_output), ob_add(s, t, slope)), dtype_of(self));
}

/* y = log sigmoid(x): 1 - sigmoid(x); z = exp(-|x|) */
ob_tensor *composite_log_sigmoid_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                          ob_tensor *buffer)
{
    (void)buffer; /* z where the forward made it: cheap to have again */
    ob_tensor *negative = ob_lt_scalar(s, self, ob_int(0));
    ob_tensor *z = ob_exp(s, ob_neg(s, ob_abs(s, self)));
    ob_tensor *share = ob_div(s, z, ob_add_scalar(s, z, ob_int(1)));
    ob_tensor *slope = ob_where(s, negative, ob_rsub_scalar(s, share, ob_int(1)), share);
    return ob_mul(s, grad_output, slope);
}

/* y = x > 0 ? x : w x, with w of x's rank */
struct ob_prelu_kernel_backward_result composite_prelu_kernel_backward(ob_scope *s,
                                                                       ob_tensor *grad_output,
                                                                       ob_tensor *self,
                                                                       ob_tensor *weight)
{
    ob_tensor *positive = ob_gt_scalar(s, self, ob_int(0));
    ob_tensor *by_x = ob_where(s, positive, grad_output, ob_mul(s, weight, grad_output));
    ob_tensor *by_w = ob_where_scalarself(s, positive, ob_int(0), ob_mul(s, self, grad_output));
    return (struct ob_prelu_kernel_backward_result){ by_x, by_w };
}

ob_tensor *composite_rrelu_with_noise_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                               ob_tensor *noise, ob_scalar lower, ob_scalar upper,
                                               bool training, bool self_is_result)
{
    const double slope = (ob_scalar_double(lower) + ob_scalar_double(upper)) / 2;
    if (training) return ob_mul(s, noise, grad_output);
    return ob_leaky_relu_backward(s, grad_output, self, ob_double(slope), self_is_result);
}

/* y = softmax(x) along dim: y (g - sum(g y)) */
ob_tensor *composite_softmax_backward_data(ob_scope *s, ob_tensor *grad_output, ob_tensor *output,
                                           int64_t dim, ob_dtype input_dtype)
{
    ob_tensor *g = widened(s, grad_output), *y = widened(s, output);
    ob_tensor *mean = ob_sum_dim(s, ob_mul(s, g, y), (ob_opt_ints){ &dim, 1, true }, true);
    return as_dtype(s, ob_mul(s, y, ob_sub(s, g, mean)), input_dtype);
}

/* y = log softmax(x) along dim: g - exp(y) sum(g) */
ob_tensor *composite_log_softmax_backward_data(ob_scope *s, ob_tensor *grad_output,
                                               ob_tensor *output, int64_t dim, ob_dtype input_dtype)
{
    ob_tensor *g = widened(s, grad_output), *share = ob_exp(s, widened(s, output));
    ob_tensor *sum = ob_sum_dim(s, g, (ob_opt_ints){ &dim, 1, true }, true);
    return as_dtype(s, ob_sub(s, g, ob_mul(s, share, sum)), input_dtype);
}
