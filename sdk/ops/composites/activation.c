/* Softmax and activations as formulas. PyTorch: aten/src/ATen/native/Activation.cpp, SoftMax.cpp,
 * Dropout.cpp. */
#include <math.h>

#include "ops/composites/look.h"

/* Half inputs with dtype=float32 are converted within the kernel, others before it. */
static bool converts_inside(const ob_tensor *x, ob_dtype dtype)
{
    return x && dtype == OB_F32 && dtype_of(x) == OB_F16;
}

/* The input of a softmax in the dtype that is asked for. */
static ob_tensor *converted(ob_scope *s, ob_tensor *x, ob_dtype dtype)
{
    return converts_inside(x, dtype) ? x : as_dtype(s, x, dtype);
}

/* softmax(x)_i = exp(x_i) / sum_j exp(x_j) along dim */
ob_tensor *composite_softmax(ob_scope *s, ob_tensor *self, int64_t dim, ob_dtype dtype)
{
    return ob_priv_softmax(s, converted(s, self, dtype), dim, false);
}

/* log_softmax(x) = log(softmax(x)) along dim */
ob_tensor *composite_log_softmax(ob_scope *s, ob_tensor *self, int64_t dim, ob_dtype dtype)
{
    return ob_priv_log_softmax(s, converted(s, self, dtype), dim, false);
}

/* softmax, but a row that is all -inf gives zeros instead of NaN. */
ob_tensor *composite_safe_softmax(ob_scope *s, ob_tensor *self, int64_t dim, ob_dtype dtype)
{
    ob_tensor *y = ob_softmax(s, self, dim, dtype);
    ob_tensor *masked = ob_eq_scalar(s, self, ob_double(-INFINITY));
    ob_tensor *rows = ob_all_dim(s, masked, dim, true);
    return ob_where(s, rows, ob_zeros_like(s, y), y);
}

/* relu6(x) = min(max(x, 0), 6) */
ob_tensor *composite_relu6(ob_scope *s, ob_tensor *self)
{
    return ob_hardtanh(s, self, ob_int(0), ob_int(6));
}

/* selu(x) = scale * (max(0, x) + min(0, alpha * (exp(x) - 1))); constants of the paper,
 * arXiv:1706.02515 */
ob_tensor *composite_selu(ob_scope *s, ob_tensor *self)
{
    return ob_elu(s, self, ob_double(1.6732632423543772), ob_double(1.0507009873554805));
}

/* glu(x) = a * sigmoid(b), where a and b are the halves of x along dim */
ob_tensor *composite_glu(ob_scope *s, ob_tensor *self, int64_t dim)
{
    const int64_t n = extent(self, dim);
    if (n % 2 != 0)
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_SHAPE, "glu: dim %lld has %lld elements, must be even",
                                     (long long)dim, (long long)n));
    ob_tensor *a = ob_narrow(s, self, dim, 0, n / 2);
    ob_tensor *b = ob_narrow(s, self, dim, n / 2, n / 2);
    return ob_mul(s, a, ob_sigmoid(s, b));
}

/* prelu(x) = x > 0 ? x : w * x, one w for all or one per channel (dim 1) */
ob_tensor *composite_prelu(ob_scope *s, ob_tensor *self, ob_tensor *weight)
{
    const int rank = rank_of(self);
    const int64_t channels = rank > 1 ? extent(self, 1) : 1, n = numel_of(weight);
    if (self && weight && n != 1 && n != channels)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "prelu: weight has %lld elements, must have 1 or %lld",
                                        (long long)n, (long long)channels));
    if (weight && rank_of(weight) != rank) {
        int64_t sizes[OB_MAX_RANK];
        for (int i = 0; i < rank; i++)
            sizes[i] = i == 1 ? n : 1;
        weight = ob_reshape(s, weight, (ob_ints){ sizes, rank });
    }
    return ob_prelu_kernel(s, self, weight);
}

/* log_sigmoid(x) = min(x, 0) - log(1 + exp(-|x|)); the buffer is of use to CPU gradients only */
struct ob_log_sigmoid_forward_result composite_log_sigmoid_forward(ob_scope *s, ob_tensor *self)
{
    if (self && kind_of(self) != OB_KIND_FLOAT) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "log_sigmoid: not implemented for %s",
                                 ob_dtype_name(dtype_of(self))));
        return (struct ob_log_sigmoid_forward_result){ NULL, NULL };
    }
    ob_tensor *low = ob_clamp_max(s, self, ob_int(0));
    ob_tensor *buffer = ob_exp(s, ob_neg(s, ob_abs(s, self)));
    return (struct ob_log_sigmoid_forward_result){ ob_sub(s, low, ob_log1p(s, buffer)), buffer };
}

ob_tensor *composite_log_sigmoid(ob_scope *s, ob_tensor *self)
{
    return ob_log_sigmoid_forward(s, self).output;
}

/* square(x) = x^2 */
ob_tensor *composite_square(ob_scope *s, ob_tensor *self)
{
    return ob_pow_tensor_scalar(s, self, ob_int(2));
}

/* dropout(x) = x * mask / (1 - p) in training, x otherwise */
ob_tensor *composite_dropout(ob_scope *s, ob_tensor *input, double p, bool train)
{
    if (!train || p == 0 || numel_of(input) == 0) return input;
    if (p == 1) return ob_mul(s, input, ob_zeros_like(s, input));
    ob_tensor *mask = ob_bernoulli_p(s, ob_empty_like(s, input), 1 - p);
    return ob_mul(s, input, ob_div_scalar(s, mask, ob_double(1 - p)));
}

/* feature and alpha dropout have an effect in training only, which is not served here. */
ob_tensor *composite_alpha_dropout(ob_scope *s, ob_tensor *input, double p, bool train)
{
    if (!train || p == 0) return input;
    return ob_scope_fail(s, OB_FAIL(OB_ERR_UNSUPPORTED, "alpha_dropout: training is not served"));
}

ob_tensor *composite_feature_dropout(ob_scope *s, ob_tensor *input, double p, bool train)
{
    if (!train || p == 0) return input;
    return ob_scope_fail(s, OB_FAIL(OB_ERR_UNSUPPORTED, "feature_dropout: training is not served"));
}
