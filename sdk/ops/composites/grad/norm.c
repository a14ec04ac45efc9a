/* Gradients of normalisations. With d = (x - mean) rstd and g the gradient of d, the gradient of x
 * is rstd (g - E[g] - d E[g d]), means over what was normalised. PyTorch:
 * aten/src/ATen/native/layer_norm.cpp, group_norm.cpp, Normalization.cpp. */
#include "ops/composites/look.h"

/* x and its gradient, and what they were normalised with: all float32 or float64. */
typedef struct normed {
    ob_tensor *grad, *d; /* of y; (x - mean) rstd */
    ob_tensor *rstd;
} normed;

static normed normed_of(ob_scope *s, ob_tensor *grad, ob_tensor *x, ob_tensor *mean,
                        ob_tensor *rstd)
{
    ob_tensor *wide = widened(s, x), *m = as_dtype(s, mean, dtype_of(wide));
    const normed n = { widened(s, grad), NULL, as_dtype(s, rstd, dtype_of(wide)) };
    return (normed){ n.grad, ob_mul(s, ob_sub(s, wide, m), n.rstd), n.rstd };
}

/* rstd (g - E[g] - d E[g d]), means over `dims` */
static ob_tensor *grad_of_x(ob_scope *s, const normed *n, ob_tensor *g, ob_ints dims)
{
    const ob_opt_ints over = { dims.data, dims.n, true };
    ob_tensor *mean = ob_mean_dim(s, g, over, true);
    ob_tensor *along = ob_mul(s, n->d, ob_mean_dim(s, ob_mul(s, g, n->d), over, true));
    return ob_mul(s, n->rstd, ob_sub(s, ob_sub(s, g, mean), along));
}

/* The sum over dims, in a size and a dtype. */
static ob_tensor *summed(ob_scope *s, ob_tensor *x, ob_ints dims, ob_ints sizes, ob_dtype dtype)
{
    ob_tensor *sum = dims.n > 0 ? ob_sum_dim(s, x, (ob_opt_ints){ dims.data, dims.n, true }) : x;
    return as_dtype(s, ob_reshape(s, sum, sizes), dtype);
}

struct ob_native_layer_norm_backward_result
composite_native_layer_norm_backward(ob_scope *s, ob_tensor *grad_out, ob_tensor *input,
                                     ob_ints normalized_shape, ob_tensor *mean, ob_tensor *rstd,
                                     ob_tensor *weight, ob_tensor *bias, ob_bools output_mask)
{
    const int64_t outer = rank_of(input) - normalized_shape.n;
    const normed n = normed_of(s, grad_out, input, mean, rstd);
    const ob_ints rows = { dims_from(s, input, 0).data, outer };
    struct ob_native_layer_norm_backward_result r = { NULL, NULL, NULL };
    if (output_mask.data[0]) {
        ob_tensor *g = weight ? ob_mul(s, n.grad, widened(s, weight)) : n.grad;
        r.out0 = as_dtype(s, grad_of_x(s, &n, g, dims_from(s, input, outer)), dtype_of(input));
    }
    if (output_mask.data[1] && weight)
        r.out1 = summed(s, ob_mul(s, n.grad, n.d), rows, normalized_shape, dtype_of(weight));
    if (output_mask.data[2] && bias)
        r.out2 = summed(s, n.grad, rows, normalized_shape, dtype_of(bias));
    return r;
}

/* A vector per channel seen as [1, C, 1, ...]. */
static ob_tensor *per_channel(ob_scope *s, ob_tensor *v, const ob_tensor *x)
{
    int64_t sizes[OB_MAX_RANK];
    for (int i = 0; i < rank_of(x); i++)
        sizes[i] = i == 1 ? numel_of(v) : 1;
    return ob_reshape(s, widened(s, v), (ob_ints){ sizes, rank_of(x) });
}

static ob_ints but_channels(ob_scope *s, const ob_tensor *x)
{
    int64_t *dims = ob_scope_alloc(s, (size_t)(rank_of(x) + 1) * sizeof *dims);
    int64_t n = 0;
    for (int i = 0; dims && i < rank_of(x); i++)
        if (i != 1) dims[n++] = i;
    return (ob_ints){ dims, n };
}

/* Not in training the moments are constants, and the gradient of x is w rstd grad. */
struct ob_native_batch_norm_backward_result composite_native_batch_norm_backward(
    ob_scope *s, ob_tensor *grad_out, ob_tensor *input, ob_tensor *weight, ob_tensor *running_mean,
    ob_tensor *running_var, ob_tensor *save_mean, ob_tensor *save_invstd, bool train, double eps,
    ob_bools output_mask)
{
    ob_tensor *mean = train ? save_mean : running_mean;
    ob_tensor *rstd = train
                          ? save_invstd
                          : ob_rsqrt(s, ob_add_scalar(s, widened(s, running_var), ob_double(eps)));
    const normed n =
        normed_of(s, grad_out, input, per_channel(s, mean, input), per_channel(s, rstd, input));
    const ob_ints dims = but_channels(s, input);
    const ob_dtype dtype = weight ? dtype_of(weight) : dtype_of(n.d);
    struct ob_native_batch_norm_backward_result r = { NULL, NULL, NULL };
    if (output_mask.data[0]) {
        ob_tensor *g = weight ? ob_mul(s, n.grad, per_channel(s, weight, input)) : n.grad;
        g = train ? grad_of_x(s, &n, g, dims) : ob_mul(s, g, n.rstd);
        r.out0 = as_dtype(s, g, dtype_of(input));
    }
    if (output_mask.data[1])
        r.out1 = summed(s, ob_mul(s, n.grad, n.d), dims, OB_INTS(extent(input, 1)), dtype);
    if (output_mask.data[2]) r.out2 = summed(s, n.grad, dims, OB_INTS(extent(input, 1)), dtype);
    return r;
}

/* input: [N, C, HxW]; mean, rstd: [N, group] */
struct ob_native_group_norm_backward_result
composite_native_group_norm_backward(ob_scope *s, ob_tensor *grad_out, ob_tensor *input,
                                     ob_tensor *mean, ob_tensor *rstd, ob_tensor *weight, int64_t N,
                                     int64_t C, int64_t HxW, int64_t group, ob_bools output_mask)
{
    const ob_ints grouped = OB_INTS(N, group, group > 0 ? C / group : 0, HxW);
    const ob_ints one = OB_INTS(N, group, 1, 1);
    ob_tensor *grad = ob_reshape(s, grad_out, grouped);
    const normed n = normed_of(s, grad, ob_reshape(s, input, grouped), ob_reshape(s, mean, one),
                               ob_reshape(s, rstd, one));
    const ob_ints rows = OB_INTS(0, 3);
    const ob_dtype dtype = weight ? dtype_of(weight) : dtype_of(input);
    struct ob_native_group_norm_backward_result r = { NULL, NULL, NULL };
    if (output_mask.data[0]) {
        ob_tensor *w = weight ? ob_reshape(s, widened(s, weight),
                                           OB_INTS(1, group, group > 0 ? C / group : 0, 1))
                              : NULL;
        ob_tensor *g = grad_of_x(s, &n, w ? ob_mul(s, n.grad, w) : n.grad, OB_INTS(2, 3));
        r.out0 = as_dtype(s, ob_reshape(s, g, sizes_of(input)), dtype_of(input));
    }
    if (output_mask.data[1]) r.out1 = summed(s, ob_mul(s, n.grad, n.d), rows, OB_INTS(C), dtype);
    if (output_mask.data[2]) r.out2 = summed(s, n.grad, rows, OB_INTS(C), dtype);
    return r;
}
