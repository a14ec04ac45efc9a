/* Normalisations as formulas: (x - E[x]) / sqrt(Var[x] + eps), then weight and bias; they differ in
 * what the mean goes over. PyTorch: aten/src/ATen/native/layer_norm.cpp, group_norm.cpp,
 * Normalization.cpp. */
#include "ops/composites/look.h"

/* Mean and 1 / sqrt(var + eps) over dims, kept as 1; x is float32 or float64. */
typedef struct moments {
    ob_tensor *mean, *rstd;
} moments;

static moments moments_of(ob_scope *s, ob_tensor *x, ob_ints dims, double eps)
{
    const ob_opt_ints over = { dims.data, dims.n, true };
    const struct ob_var_mean_correction_result r =
        ob_var_mean_correction(s, x, over, ob_int(0), true);
    return (moments){ r.out1, ob_rsqrt(s, ob_add_scalar(s, r.out0, ob_double(eps))) };
}

/* A mean or rstd in the dtype of its result: the parameters', or the input's without any. */
static ob_tensor *as_statistic(ob_scope *s, ob_tensor *t, ob_tensor *input, ob_tensor *w,
                               ob_tensor *b)
{
    return as_dtype(s, t, dtype_of(w ? w : b ? b : input));
}

/* x w + b, where w and b may be missing */
static ob_tensor *affine(ob_scope *s, ob_tensor *x, ob_tensor *w, ob_tensor *b)
{
    if (w) x = ob_mul(s, x, w);
    return b ? ob_add(s, x, b) : x;
}

/* y = w (x - mean) rstd + b over the dims of normalized_shape; mean, rstd: [..., 1, 1] */
struct ob_native_layer_norm_result composite_native_layer_norm(ob_scope *s, ob_tensor *input,
                                                               ob_ints normalized_shape,
                                                               ob_tensor *weight, ob_tensor *bias,
                                                               double eps)
{
    const ob_dtype dtype = dtype_of(input);
    ob_tensor *x = widened(s, input);
    const moments m =
        moments_of(s, x, dims_from(s, input, rank_of(input) - normalized_shape.n), eps);
    ob_tensor *y = ob_mul(s, ob_sub(s, x, m.mean), m.rstd);
    y = affine(s, y, weight ? widened(s, weight) : NULL, bias ? widened(s, bias) : NULL);
    return (struct ob_native_layer_norm_result){ as_dtype(s, y, dtype),
                                                 as_statistic(s, m.mean, input, weight, bias),
                                                 as_statistic(s, m.rstd, input, weight, bias) };
}

ob_tensor *composite_layer_norm(ob_scope *s, ob_tensor *input, ob_ints normalized_shape,
                                ob_tensor *weight, ob_tensor *bias, double eps, bool cudnn_enable)
{
    (void)cudnn_enable;
    const int64_t from = rank_of(input) - normalized_shape.n;
    for (int64_t i = 0; i < normalized_shape.n; i++)
        if (from < 0 || extent(input, from + i) != normalized_shape.data[i])
            return ob_scope_fail(s,
                                 OB_FAIL(OB_ERR_SHAPE,
                                         "layer_norm: normalized_shape[%lld] is %lld, must be the "
                                         "extent of that last dim, which is %lld",
                                         (long long)i, (long long)normalized_shape.data[i],
                                         (long long)(from < 0 ? 0 : extent(input, from + i))));
    return ob_native_layer_norm(s, input, normalized_shape, weight, bias, eps).out0;
}

/* x / sqrt(E[x^2] + eps) w over the last dims; eps is the dtype's epsilon when it is not given */
ob_tensor *composite_rms_norm(ob_scope *s, ob_tensor *input, ob_ints normalized_shape,
                              ob_tensor *weight, ob_opt_double eps)
{
    const int64_t outer = input ? rank_of(input) - normalized_shape.n : 0;
    for (int64_t i = 0; input && i < normalized_shape.n; i++)
        if (outer < 0 || extent(input, (int)(outer + i)) != normalized_shape.data[i])
            return ob_scope_fail(
                s, OB_FAIL(OB_ERR_SHAPE,
                           "rms_norm: the last sizes of input differ from normalized_shape, %lld "
                           "at %lld",
                           (long long)normalized_shape.data[i], (long long)i));
    ob_tensor *x = widened(s, input);
    const double epsilon = dtype_of(x) == OB_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    const ob_ints dims = dims_from(s, x, rank_of(x) - normalized_shape.n);
    ob_tensor *square =
        ob_mean_dim(s, ob_mul(s, x, x), (ob_opt_ints){ dims.data, dims.n, true }, true);
    ob_tensor *y = ob_mul(
        s, x, ob_rsqrt(s, ob_add_scalar(s, square, ob_double(eps.has ? eps.value : epsilon))));
    return as_dtype(s, weight ? ob_mul(s, y, weight) : y, dtype_of(input));
}

/* A vector per channel seen as [1, C, 1, ...]. */
static ob_tensor *per_channel(ob_scope *s, ob_tensor *v, const ob_tensor *x)
{
    if (!v) return NULL;
    int64_t sizes[OB_MAX_RANK];
    for (int i = 0; i < rank_of(x); i++)
        sizes[i] = i == 1 ? numel_of(v) : 1;
    return ob_reshape(s, v, (ob_ints){ sizes, rank_of(x) });
}

/* All dims but that of the channels. */
static ob_ints but_channels(ob_scope *s, const ob_tensor *x)
{
    int64_t *dims = ob_scope_alloc(s, (size_t)(rank_of(x) + 1) * sizeof *dims);
    for (int i = 0, n = 0; dims && i < rank_of(x); i++)
        if (i != 1) dims[n++] = i;
    return (ob_ints){ dims, dims && rank_of(x) > 1 ? rank_of(x) - 1 : rank_of(x) };
}

/* running = (1 - momentum) running + momentum new, in place */
static void update(ob_scope *s, ob_tensor *running, ob_tensor *fresh, double momentum)
{
    if (!running) return;
    ob_tensor *kept = ob_mul_scalar(s, widened(s, running), ob_double(1 - momentum));
    (void)ob_copy_(s, running, ob_add(s, kept, ob_mul_scalar(s, fresh, ob_double(momentum))));
}

/* x: [N, C, ...]. In training the moments are those of the batch, and move the running ones. */
struct ob_native_batch_norm_result
composite_native_batch_norm(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias,
                            ob_tensor *running_mean, ob_tensor *running_var, bool training,
                            double momentum, double eps)
{
    ob_tensor *x = widened(s, input), *mean = NULL, *rstd = NULL;
    if (training) {
        const ob_ints dims = but_channels(s, x);
        const ob_opt_ints over = { dims.data, dims.n, true };
        const double n = (double)numel_of(x) / (double)(extent(x, 1) > 0 ? extent(x, 1) : 1);
        mean = ob_mean_dim(s, x, over);
        ob_tensor *d = ob_sub(s, x, per_channel(s, mean, x));
        ob_tensor *var = ob_mean_dim(s, ob_mul(s, d, d), over);
        rstd = ob_rsqrt(s, ob_add_scalar(s, var, ob_double(eps)));
        update(s, running_mean, mean, momentum);
        update(s, running_var, ob_mul_scalar(s, var, ob_double(n / (n > 1 ? n - 1 : 1))), momentum);
    } else {
        mean = running_mean ? widened(s, running_mean) : NULL;
        rstd = ob_rsqrt(
            s, ob_add_scalar(s, running_var ? widened(s, running_var) : NULL, ob_double(eps)));
    }
    ob_tensor *y = ob_mul(s, ob_sub(s, x, per_channel(s, mean, x)), per_channel(s, rstd, x));
    y = affine(s, y, per_channel(s, weight ? widened(s, weight) : NULL, x),
               per_channel(s, bias ? widened(s, bias) : NULL, x));
    if (!training) mean = rstd = ob_new_empty(s, x, OB_INTS(0));
    return (struct ob_native_batch_norm_result){ as_dtype(s, y, dtype_of(input)),
                                                 as_statistic(s, mean, input, weight, bias),
                                                 as_statistic(s, rstd, input, weight, bias) };
}

struct ob_native_batch_norm_legit_no_training_result
composite_native_batch_norm_legit_no_training(ob_scope *s, ob_tensor *input, ob_tensor *weight,
                                              ob_tensor *bias, ob_tensor *running_mean,
                                              ob_tensor *running_var, double momentum, double eps)
{
    const struct ob_native_batch_norm_result r = ob_native_batch_norm(
        s, input, weight, bias, running_mean, running_var, false, momentum, eps);
    return (struct ob_native_batch_norm_legit_no_training_result){ r.out0, r.out1, r.out2 };
}

struct ob_native_batch_norm_legit_result
composite_native_batch_norm_legit(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias,
                                  ob_tensor *running_mean, ob_tensor *running_var, bool training,
                                  double momentum, double eps)
{
    const struct ob_native_batch_norm_result r = ob_native_batch_norm(
        s, input, weight, bias, running_mean, running_var, training, momentum, eps);
    return (struct ob_native_batch_norm_legit_result){ r.out0, r.out1, r.out2 };
}

struct ob_native_batch_norm_legit_no_stats_result
composite_native_batch_norm_legit_no_stats(ob_scope *s, ob_tensor *input, ob_tensor *weight,
                                           ob_tensor *bias, bool training, double momentum,
                                           double eps)
{
    const struct ob_native_batch_norm_result r =
        ob_native_batch_norm(s, input, weight, bias, NULL, NULL, training, momentum, eps);
    return (struct ob_native_batch_norm_legit_no_stats_result){ r.out0, r.out1, r.out2 };
}

ob_tensor *composite_batch_norm(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias,
                                ob_tensor *running_mean, ob_tensor *running_var, bool training,
                                double momentum, double eps, bool cudnn_enabled)
{
    (void)cudnn_enabled;
    if (input && numel_of(input) == 0) return ob_clone(s, input);
    if (training)
        return ob_native_batch_norm(s, input, weight, bias, running_mean, running_var, true,
                                    momentum, eps)
            .out0;
    return ob_native_batch_norm_legit_no_training(s, input, weight, bias, running_mean, running_var,
                                                  momentum, eps)
        .out0;
}

/* x: [N, C, *space]; the mean goes over C / group channels and the space. mean, rstd: [N, group] */
struct ob_native_group_norm_result composite_native_group_norm(ob_scope *s, ob_tensor *input,
                                                               ob_tensor *weight, ob_tensor *bias,
                                                               int64_t N, int64_t C, int64_t HxW,
                                                               int64_t group, double eps)
{
    ob_tensor *x =
        ob_reshape(s, widened(s, input), OB_INTS(N, group, group > 0 ? C / group * HxW : 0));
    const moments m = moments_of(s, x, OB_INTS(2), eps);
    ob_tensor *y = ob_reshape(s, ob_mul(s, ob_sub(s, x, m.mean), m.rstd), sizes_of(input));
    y = affine(s, y, per_channel(s, weight ? widened(s, weight) : NULL, input),
               per_channel(s, bias ? widened(s, bias) : NULL, input));
    ob_tensor *mean = ob_squeeze_dim(s, m.mean, 2), *rstd = ob_squeeze_dim(s, m.rstd, 2);
    return (struct ob_native_group_norm_result){ as_dtype(s, y, dtype_of(input)),
                                                 as_statistic(s, mean, input, weight, bias),
                                                 as_statistic(s, rstd, input, weight, bias) };
}

ob_tensor *composite_group_norm(ob_scope *s, ob_tensor *input, int64_t num_groups,
                                ob_tensor *weight, ob_tensor *bias, double eps, bool cudnn_enabled)
{
    (void)cudnn_enabled;
    const int64_t n = extent(input, 0), c = extent(input, 1);
    if (input && (rank_of(input) < 2 || num_groups <= 0 || c % num_groups != 0))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "group_norm: %lld channels, must be divisible by %lld groups",
                       (long long)c, (long long)num_groups));
    int64_t space = 1;
    for (int i = 2; i < rank_of(input); i++)
        space *= extent(input, i);
    return ob_native_group_norm(s, input, weight, bias, n, c, space, num_groups, eps).out0;
}

/* Repeated for each sample of a batch of n. */
static ob_tensor *per_sample(ob_scope *s, ob_tensor *v, int64_t n)
{
    return v ? ob_repeat(s, v, OB_INTS(n)) : NULL;
}

/* Move a running moment [C] to the mean over samples of `moved`, [N C]. */
static void average_samples(ob_scope *s, ob_tensor *running, ob_tensor *moved, int64_t n)
{
    if (!running || !moved) return;
    const int64_t sizes[2] = { n, numel_of(running) };
    (void)ob_copy_(s, running,
                   ob_mean_dim(s, ob_reshape(s, moved, (ob_ints){ sizes, 2 }), OB_SOME_INTS(0)));
}

/* x: [N, C, ...]; batch_norm of [1, N C, ...] */
ob_tensor *composite_instance_norm(ob_scope *s, ob_tensor *input, ob_tensor *weight,
                                   ob_tensor *bias, ob_tensor *running_mean, ob_tensor *running_var,
                                   bool use_input_stats, double momentum, double eps,
                                   bool cudnn_enabled)
{
    const int64_t n = extent(input, 0), c = extent(input, 1);
    int64_t *sizes = sizes_copy(s, input, 0);
    if (!sizes || rank_of(input) < 2)
        return ob_native_batch_norm(s, input, weight, bias, NULL, NULL, true, 0, eps).out0;
    sizes[0] = 1;
    sizes[1] = n * c;
    ob_tensor *mean = per_sample(s, running_mean, n), *var = per_sample(s, running_var, n);
    ob_tensor *y = ob_batch_norm(s, ob_reshape(s, input, (ob_ints){ sizes, rank_of(input) }),
                                 per_sample(s, weight, n), per_sample(s, bias, n), mean, var,
                                 use_input_stats, momentum, eps, cudnn_enabled);
    if (use_input_stats) average_samples(s, running_mean, mean, n);
    if (use_input_stats) average_samples(s, running_var, var, n);
    return ob_reshape(s, y, sizes_of(input));
}
