/* Means, distances, integrals and quantiles as formulas. PyTorch:
 * aten/src/ATen/native/ReduceOps.cpp, Distance.cpp, Integration.cpp, Sorting.cpp. */
#include "ops/composites/look.h"

/* The sum without NaN over how many there are. */
ob_tensor *composite_nanmean(ob_scope *s, ob_tensor *self, ob_opt_ints dim, bool keepdim,
                             ob_dtype dtype)
{
    if (self && kind_of(self) < OB_KIND_FLOAT)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE,
                                        "nanmean: self is %s, must be floating point or complex",
                                        ob_dtype_name(dtype_of(self))));
    ob_tensor *numbers = ob_sum_dim(s, ob_eq(s, self, self), dim, keepdim);
    return ob_div(s, ob_nansum(s, self, dim, keepdim, .dtype = dtype), numbers);
}

struct ob_std_mean_result composite_std_mean(ob_scope *s, ob_tensor *self, bool unbiased)
{
    const struct ob_std_mean_correction_result r =
        ob_std_mean_correction(s, self, .correction = ob_int(unbiased));
    return (struct ob_std_mean_result){ r.out0, r.out1 };
}

struct ob_std_mean_dim_result composite_std_mean_dim(ob_scope *s, ob_tensor *self, ob_opt_ints dim,
                                                     bool unbiased, bool keepdim)
{
    const struct ob_std_mean_correction_result r =
        ob_std_mean_correction(s, self, dim, .correction = ob_int(unbiased), .keepdim = keepdim);
    return (struct ob_std_mean_dim_result){ r.out0, r.out1 };
}

struct ob_var_mean_result composite_var_mean(ob_scope *s, ob_tensor *self, bool unbiased)
{
    const struct ob_var_mean_correction_result r =
        ob_var_mean_correction(s, self, .correction = ob_int(unbiased));
    return (struct ob_var_mean_result){ r.out0, r.out1 };
}

struct ob_var_mean_dim_result composite_var_mean_dim(ob_scope *s, ob_tensor *self, ob_opt_ints dim,
                                                     bool unbiased, bool keepdim)
{
    const struct ob_var_mean_correction_result r =
        ob_var_mean_correction(s, self, dim, .correction = ob_int(unbiased), .keepdim = keepdim);
    return (struct ob_var_mean_dim_result){ r.out0, r.out1 };
}

/* ---- quantiles */

/* Between the two sorted elements next to q (n - 1), by a rule; n counts what is not NaN. */
static ob_tensor *between(ob_scope *s, ob_tensor *sorted, ob_tensor *at, const char *rule)
{
    ob_tensor *low = ob_to_dtype(s, ob_floor(s, at), OB_I64);
    ob_tensor *high = ob_to_dtype(s, ob_ceil(s, at), OB_I64);
    if (strcmp(rule, "lower") == 0) return ob_gather(s, sorted, -1, low);
    if (strcmp(rule, "higher") == 0) return ob_gather(s, sorted, -1, high);
    if (strcmp(rule, "nearest") == 0)
        return ob_gather(s, sorted, -1, ob_to_dtype(s, ob_round(s, at), OB_I64));
    ob_tensor *a = ob_gather(s, sorted, -1, low), *b = ob_gather(s, sorted, -1, high);
    ob_tensor *share = ob_sub(s, at, ob_to_dtype(s, low, dtype_of(at)));
    if (strcmp(rule, "midpoint") == 0) return ob_lerp_scalar(s, a, b, ob_double(0.5));
    return ob_lerp(s, a, b, share);
}

static bool check_quantile(ob_scope *s, ob_tensor *self, ob_tensor *q, const char *rule)
{
    static const char *const rules[] = { "linear", "lower", "higher", "midpoint", "nearest" };
    bool known = false;
    for (size_t i = 0; i < OB_COUNT(rules); i++)
        known = known || strcmp(rules[i], rule) == 0;
    if (!self || !q) return false;
    if (numel_of(self) == 0 || kind_of(self) != OB_KIND_FLOAT || dtype_of(q) != dtype_of(self) ||
        rank_of(q) > 1 || !known) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                 "quantile: self is %s of %lld elements, q is %s of %d dims, "
                                 "interpolation \"%s\"; self must be floating point and not empty, "
                                 "q a number or a list of the same dtype",
                                 ob_dtype_name(dtype_of(self)), (long long)numel_of(self),
                                 ob_dtype_name(dtype_of(q)), rank_of(q), rule));
        return false;
    }
    const struct ob_aminmax_result r = ob_aminmax(s, q);
    const double low = ob_scalar_double(ob_item(s, r.min)),
                 high = ob_scalar_double(ob_item(s, r.max));
    if (low >= 0 && high <= 1) return true;
    ob_scope_fail(
        s, OB_FAIL(OB_ERR_ARG, "quantile: q goes from %g to %g, must be in [0, 1]", low, high));
    return false;
}

/* q's dim comes first in the result. */
static ob_tensor *quantile_of(ob_scope *s, ob_tensor *self, ob_tensor *q, ob_opt_int dim,
                              bool keepdim, const char *rule, bool ignore_nan)
{
    if (!check_quantile(s, self, q, rule)) return NULL;
    ob_tensor *x = dim.has
                       ? ob_transpose(s, ob_unsqueeze(s, self, -1), wrapped(self, dim.value), -1)
                       : ob_reshape(s, self, OB_INTS(-1));
    x = ob_sort(s, x, -1).values;
    ob_tensor *real = ob_sum_dim(s, ob_eq(s, x, x), OB_SOME_INTS(-1), true);
    ob_tensor *last = ob_clamp_min(s, ob_sub_scalar(s, real, ob_int(1)), ob_int(0));
    ob_tensor *at = ob_mul(s, as_dtype(s, last, dtype_of(self)), ob_reshape(s, q, OB_INTS(-1)));
    if (!ignore_nan) {
        ob_tensor *end = ob_full_like(s, at, ob_int(extent(x, -1) - 1));
        at = ob_where(s, ob_lt_scalar(s, real, ob_int(extent(x, -1))), end, at);
    }
    ob_tensor *y = ob_movedim(s, between(s, x, at, rule), -1, 0);
    if (!dim.has && keepdim) {
        int64_t ones[OB_MAX_RANK + 1];
        for (int d = 0; d <= rank_of(self); d++)
            ones[d] = d == 0 ? -1 : 1;
        y = ob_reshape(s, y, (ob_ints){ ones, rank_of(self) + 1 });
    }
    if (dim.has && !keepdim) y = ob_squeeze_dim(s, y, wrapped(self, dim.value) + 1);
    return rank_of(q) == 0 ? ob_squeeze_dim(s, y, 0) : y;
}

ob_tensor *composite_quantile(ob_scope *s, ob_tensor *self, ob_tensor *q, ob_opt_int dim,
                              bool keepdim, const char *interpolation)
{
    return quantile_of(s, self, q, dim, keepdim, interpolation, false);
}

ob_tensor *composite_nanquantile(ob_scope *s, ob_tensor *self, ob_tensor *q, ob_opt_int dim,
                                 bool keepdim, const char *interpolation)
{
    return quantile_of(s, self, q, dim, keepdim, interpolation, true);
}

static ob_tensor *as_quantile(ob_scope *s, const ob_tensor *self, double q)
{
    return ob_scalar_tensor(s, ob_double(q), .dtype = dtype_of(self), .device = device_of(self));
}

ob_tensor *composite_quantile_scalar(ob_scope *s, ob_tensor *self, double q, ob_opt_int dim,
                                     bool keepdim, const char *interpolation)
{
    return composite_quantile(s, self, as_quantile(s, self, q), dim, keepdim, interpolation);
}

ob_tensor *composite_nanquantile_scalar(ob_scope *s, ob_tensor *self, double q, ob_opt_int dim,
                                        bool keepdim, const char *interpolation)
{
    return composite_nanquantile(s, self, as_quantile(s, self, q), dim, keepdim, interpolation);
}

/* ---- distances */

ob_tensor *composite_dist(ob_scope *s, ob_tensor *self, ob_tensor *other, ob_scalar p)
{
    return ob_linalg_vector_norm(s, ob_sub(s, self, other), p);
}

/* Of every row of x1 to every row of x2: [.., P, M] and [.., R, M] to [.., P, R] */
ob_tensor *composite_cdist_forward(ob_scope *s, ob_tensor *x1, ob_tensor *x2, double p,
                                   ob_opt_int compute_mode)
{
    (void)compute_mode; /* of products or of differences: always the latter, which is exact */
    if (x1 && x2 &&
        (rank_of(x1) < 2 || rank_of(x2) < 2 || extent(x1, -1) != extent(x2, -1) || p < 0))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "cdist: rows of %lld and %lld elements in %d and %d dims, "
                                        "p %g; rows must be of one size, p 0 or more",
                                        (long long)extent(x1, -1), (long long)extent(x2, -1),
                                        rank_of(x1), rank_of(x2), p));
    ob_tensor *d = ob_sub(s, ob_unsqueeze(s, x1, -2), ob_unsqueeze(s, x2, -3));
    return ob_linalg_vector_norm(s, d, ob_double(p), OB_SOME_INTS(-1));
}

ob_tensor *composite_cdist(ob_scope *s, ob_tensor *x1, ob_tensor *x2, double p,
                           ob_opt_int compute_mode)
{
    return ob_cdist_forward(s, x1, x2, p, compute_mode);
}

/* Of each pair of rows once, in order. */
ob_tensor *composite_pdist_forward(ob_scope *s, ob_tensor *self, double p)
{
    const int64_t n = extent(self, 0);
    if (self && rank_of(self) != 2)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "pdist: self has %d dims, must have 2", rank_of(self)));
    ob_tensor *pairs = ob_triu_indices(s, n, n, 1, .device = device_of(self));
    ob_tensor *a = ob_index_select(s, self, 0, ob_select(s, pairs, 0, 0));
    ob_tensor *b = ob_index_select(s, self, 0, ob_select(s, pairs, 0, 1));
    return ob_linalg_vector_norm(s, ob_sub(s, a, b), ob_double(p), OB_SOME_INTS(1));
}

ob_tensor *composite_pdist(ob_scope *s, ob_tensor *self, double p)
{
    return ob_pdist_forward(s, self, p);
}

/* ---- integrals by trapezoids */

/* (y[1:] + y[:-1]) times the widths, halved */
static ob_tensor *trapezoids(ob_scope *s, ob_tensor *y, ob_tensor *x, ob_scalar dx, int64_t dim)
{
    const int64_t n = extent(y, dim) > 0 ? extent(y, dim) - 1 : 0;
    if (!y || !has_dim(s, "trapezoid", y, dim)) return NULL;
    ob_tensor *sums =
        ob_add(s, ob_narrow(s, y, dim, extent(y, dim) - n, n), ob_narrow(s, y, dim, 0, n));
    if (!x) return ob_mul_scalar(s, ob_mul_scalar(s, sums, dx), ob_double(0.5));
    ob_tensor *widths = ob_diff(s, x, 1, rank_of(x) == 1 ? 0 : dim);
    if (rank_of(x) == 1) {
        int64_t sizes[OB_MAX_RANK];
        for (int d = 0; d < rank_of(y); d++)
            sizes[d] = d == wrapped(y, dim) ? -1 : 1;
        widths = ob_reshape(s, widths, (ob_ints){ sizes, rank_of(y) });
    }
    return ob_mul_scalar(s, ob_mul(s, widths, sums), ob_double(0.5));
}

ob_tensor *composite_trapezoid_dx(ob_scope *s, ob_tensor *y, ob_scalar dx, int64_t dim)
{
    return ob_sum_dim(s, trapezoids(s, y, NULL, dx, dim), OB_SOME_INTS(dim));
}

ob_tensor *composite_trapezoid_x(ob_scope *s, ob_tensor *y, ob_tensor *x, int64_t dim)
{
    return ob_sum_dim(s, trapezoids(s, y, x, ob_int(1), dim), OB_SOME_INTS(dim));
}

ob_tensor *composite_trapz_dx(ob_scope *s, ob_tensor *y, double dx, int64_t dim)
{
    return ob_trapezoid_dx(s, y, .dx = ob_double(dx), .dim = dim);
}

ob_tensor *composite_trapz_x(ob_scope *s, ob_tensor *y, ob_tensor *x, int64_t dim)
{
    return ob_trapezoid_x(s, y, x, .dim = dim);
}

ob_tensor *composite_cumulative_trapezoid_dx(ob_scope *s, ob_tensor *y, ob_scalar dx, int64_t dim)
{
    return ob_cumsum(s, trapezoids(s, y, NULL, dx, dim), dim);
}

ob_tensor *composite_cumulative_trapezoid_x(ob_scope *s, ob_tensor *y, ob_tensor *x, int64_t dim)
{
    return ob_cumsum(s, trapezoids(s, y, x, ob_int(1), dim), dim);
}

/* ---- powers in double */

ob_tensor *composite_float_power(ob_scope *s, ob_tensor *self, ob_tensor *exponent)
{
    return ob_pow(s, as_dtype(s, self, OB_F64), as_dtype(s, exponent, OB_F64));
}

ob_tensor *composite_float_power_scalar(ob_scope *s, ob_scalar self, ob_tensor *exponent)
{
    return ob_pow_scalar(s, ob_double(ob_scalar_double(self)), as_dtype(s, exponent, OB_F64));
}

ob_tensor *composite_float_power_tensor_scalar(ob_scope *s, ob_tensor *self, ob_scalar exponent)
{
    return ob_pow_tensor_scalar(s, as_dtype(s, self, OB_F64),
                                ob_double(ob_scalar_double(exponent)));
}

/* x 2^e */
ob_tensor *composite_ldexp(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    return ob_mul(s, self, ob_pow_scalar(s, ob_double(2), other));
}

/* Sums over the dims that were broadcast from size. */
ob_tensor *composite_sum_to_size(ob_scope *s, ob_tensor *self, ob_ints size)
{
    int64_t dims[OB_MAX_RANK], n = 0;
    const int64_t lead = rank_of(self) - size.n;
    bool fits = lead >= 0;
    for (int64_t d = 0; fits && d < rank_of(self); d++) {
        const int64_t wanted = d < lead ? 1 : size.data[d - lead];
        fits = d < lead || wanted == 1 || wanted == extent(self, d);
        if (d < lead || (wanted == 1 && extent(self, d) != 1)) dims[n++] = d;
    }
    char a[256], b[256];
    if (self && !fits)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "sum_to_size: %s does not broadcast to self, which is %s",
                       ob_sizes_format(size.data, (int)size.n, a, sizeof a),
                       ob_sizes_format(sizes_of(self).data, rank_of(self), b, sizeof b)));
    if (n == 0) return self;
    return ob_reshape(s, ob_sum_dim(s, self, (ob_opt_ints){ dims, n, true }, true), size);
}
