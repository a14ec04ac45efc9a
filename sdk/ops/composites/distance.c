/* Norms, distances, and spreads. PyTorch: aten/src/ATen/native/Distance.cpp, LinearAlgebra.cpp,
 * ReduceOps.cpp. */
#include <math.h>

#include "ops/composites/look.h"

/* (sum |x|^p)^(1/p) over dims; p = inf the largest, -inf the smallest, 0 the number of non-zeros */
ob_tensor *composite_linalg_vector_norm(ob_scope *s, ob_tensor *self, ob_scalar ord,
                                        ob_opt_ints dim, bool keepdim, ob_dtype dtype)
{
    const double p = ob_scalar_double(ord);
    const ob_dtype out = dtype != OB_DTYPE_NONE ? dtype : dtype_of(self);
    ob_tensor *x = ob_abs(s, widened(s, as_dtype(s, self, dtype)));
    const ob_ints dims = wrapped_dims(s, x, (ob_ints){ dim.data, dim.has ? dim.n : 0 });
    const ob_opt_ints over = { dims.data, dims.n, true };
    ob_tensor *y = NULL;
    if (self && numel_of(self) == 0 && (isinf(p) || p < 0)) {
        int64_t n = 1;
        for (int64_t i = 0; i < dims.n; i++)
            n *= extent(self, dims.data[i]);
        if (n == 0)
            return ob_scope_fail(s,
                                 OB_FAIL(OB_ERR_SHAPE,
                                         "linalg.vector_norm: the norm of order %g of no elements "
                                         "is not defined",
                                         p));
    }
    if (isinf(p))
        y = p > 0 ? ob_amax(s, x, dims, keepdim) : ob_amin(s, x, dims, keepdim);
    else if (p == 0)
        y = ob_sum_dim(s, ob_ne_scalar(s, x, ob_int(0)), over, keepdim, dtype_of(x));
    else if (p == 1)
        y = ob_sum_dim(s, x, over, keepdim);
    else if (p == 2)
        y = ob_sqrt(s, ob_sum_dim(s, ob_mul(s, x, x), over, keepdim));
    else
        y = ob_pow_tensor_scalar(s, ob_sum_dim(s, ob_pow_tensor_scalar(s, x, ord), over, keepdim),
                                 ob_double(1 / p));
    return as_dtype(s, y, out == OB_C64 ? OB_F32 : out);
}

static ob_scalar or_two(ob_scalar p)
{
    return p.tag == OB_SCALAR_NONE ? ob_int(2) : p;
}

ob_tensor *composite_norm_scalar(ob_scope *s, ob_tensor *self, ob_scalar p)
{
    return ob_linalg_vector_norm(s, self, p);
}

ob_tensor *composite_norm_scalaropt_dtype(ob_scope *s, ob_tensor *self, ob_scalar p, ob_dtype dtype)
{
    return ob_linalg_vector_norm(s, self, or_two(p), .dtype = dtype);
}

ob_tensor *composite_norm_scalaropt_dim(ob_scope *s, ob_tensor *self, ob_scalar p, ob_ints dim,
                                        bool keepdim)
{
    return ob_linalg_vector_norm(s, self, or_two(p), (ob_opt_ints){ dim.data, dim.n, true },
                                 keepdim);
}

ob_tensor *composite_norm_scalaropt_dim_dtype(ob_scope *s, ob_tensor *self, ob_scalar p,
                                              ob_ints dim, bool keepdim, ob_dtype dtype)
{
    return ob_linalg_vector_norm(s, self, or_two(p), (ob_opt_ints){ dim.data, dim.n, true },
                                 keepdim, dtype);
}

ob_tensor *composite_frobenius_norm(ob_scope *s, ob_tensor *self, ob_ints dim, bool keepdim)
{
    return ob_linalg_vector_norm(s, self, ob_int(2), (ob_opt_ints){ dim.data, dim.n, true },
                                 keepdim);
}

/* A vector norm: of all elements without dim, along dim with one. Matrix norms other than Frobenius
 * need singular values or sums per row, which are not served. */
ob_tensor *composite_linalg_norm(ob_scope *s, ob_tensor *self, ob_scalar ord, ob_opt_ints dim,
                                 bool keepdim, ob_dtype dtype)
{
    const bool given = ord.tag != OB_SCALAR_NONE;
    const int64_t n = dim.has ? dim.n : given ? rank_of(self) : 1;
    if (given && n != 1)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_UNSUPPORTED, "linalg_norm: the order of a matrix norm must be None"));
    return ob_linalg_vector_norm(s, self, or_two(ord), dim, keepdim, dtype);
}

/* sum x y / (max(|x|, eps) max(|y|, eps)) along dim */
ob_tensor *composite_cosine_similarity(ob_scope *s, ob_tensor *x1, ob_tensor *x2, int64_t dim,
                                       double eps)
{
    const ob_opt_ints over = OB_SOME_INTS(dim);
    ob_tensor *n1 =
        ob_clamp_min(s, ob_linalg_vector_norm(s, x1, ob_int(2), over, true), ob_double(eps));
    ob_tensor *n2 =
        ob_clamp_min(s, ob_linalg_vector_norm(s, x2, ob_int(2), over, true), ob_double(eps));
    return ob_sum_dim(s, ob_mul(s, ob_div(s, x1, n1), ob_div(s, x2, n2)), over);
}

/* |x - y + eps|_p along the last dim */
ob_tensor *composite_pairwise_distance(ob_scope *s, ob_tensor *x1, ob_tensor *x2, double p,
                                       double eps, bool keepdim)
{
    ob_tensor *d = ob_add_scalar(s, ob_sub(s, x1, x2), ob_double(eps));
    return ob_linalg_vector_norm(s, d, ob_double(p), OB_SOME_INTS(-1), keepdim);
}

/* sum |x - mean|^2 / max(0, n - correction) over dims, and the mean */
struct ob_var_mean_correction_result composite_var_mean_correction(ob_scope *s, ob_tensor *self,
                                                                   ob_opt_ints dim,
                                                                   ob_scalar correction,
                                                                   bool keepdim)
{
    ob_tensor *x = widened(s, self);
    const ob_ints dims = wrapped_dims(s, x, (ob_ints){ dim.data, dim.has ? dim.n : 0 });
    const ob_opt_ints over = { dims.data, dims.n, true };
    double n = 1;
    for (int64_t i = 0; i < dims.n; i++)
        n *= (double)extent(x, dims.data[i]);
    const double left = n - (correction.tag == OB_SCALAR_NONE ? 1 : ob_scalar_double(correction));
    ob_tensor *mean = ob_mean_dim(s, x, over, true), *d = ob_sub(s, x, mean);
    if (kind_of(x) == OB_KIND_COMPLEX) d = ob_abs(s, d);
    ob_tensor *var = ob_div_scalar(s, ob_sum_dim(s, ob_mul(s, d, d), over, keepdim),
                                   ob_double(left > 0 ? left : 0));
    if (!keepdim) mean = ob_mean_dim(s, x, over, false);
    return (struct ob_var_mean_correction_result){
        as_dtype(s, var, ob_dtype_to_real(dtype_of(self))), as_dtype(s, mean, dtype_of(self))
    };
}

ob_tensor *composite_var_correction(ob_scope *s, ob_tensor *self, ob_opt_ints dim,
                                    ob_scalar correction, bool keepdim)
{
    return ob_var_mean_correction(s, self, dim, .correction = correction, .keepdim = keepdim).out0;
}

ob_tensor *composite_std_correction(ob_scope *s, ob_tensor *self, ob_opt_ints dim,
                                    ob_scalar correction, bool keepdim)
{
    return ob_sqrt(s,
                   ob_var_correction(s, self, dim, .correction = correction, .keepdim = keepdim));
}

static ob_scalar correction_of(bool unbiased)
{
    return ob_int(unbiased ? 1 : 0);
}

ob_tensor *composite_var(ob_scope *s, ob_tensor *self, bool unbiased)
{
    return ob_var_correction(s, self, .correction = correction_of(unbiased));
}
ob_tensor *composite_var_dim(ob_scope *s, ob_tensor *self, ob_opt_ints dim, bool unbiased,
                             bool keepdim)
{
    return ob_var_correction(s, self, dim, .correction = correction_of(unbiased),
                             .keepdim = keepdim);
}
ob_tensor *composite_std(ob_scope *s, ob_tensor *self, bool unbiased)
{
    return ob_std_correction(s, self, .correction = correction_of(unbiased));
}
ob_tensor *composite_std_dim(ob_scope *s, ob_tensor *self, ob_opt_ints dim, bool unbiased,
                             bool keepdim)
{
    return ob_std_correction(s, self, dim, .correction = correction_of(unbiased),
                             .keepdim = keepdim);
}

/* log sum exp(x) over dims, with the largest (real part) taken out; a row of -inf gives -inf */
ob_tensor *composite_logsumexp(ob_scope *s, ob_tensor *self, ob_ints dim, bool keepdim)
{
    const ob_ints dims = wrapped_dims(s, self, dim);
    const ob_opt_ints over = { dims.data, dims.n, true };
    ob_tensor *x = kind_of(self) < OB_KIND_FLOAT ? as_dtype(s, self, OB_F32) : self;
    ob_tensor *top = ob_amax(s, kind_of(x) == OB_KIND_COMPLEX ? ob_real(s, x) : x, dims, true);
    top = ob_masked_fill_scalar(s, top, ob_eq_scalar(s, ob_abs(s, top), ob_double(INFINITY)),
                                ob_int(0));
    ob_tensor *y = ob_log(s, ob_sum_dim(s, ob_exp(s, ob_sub(s, x, top)), over, true));
    y = ob_add(s, y, top);
    return keepdim || !self ? y : ob_squeeze_dims(s, y, dims);
}
