/* Choosing and filling. PyTorch: aten/src/ATen/native/TensorCompare.cpp, Embedding.cpp, Onehot.cpp.
 */
#include <math.h>

#include "ops/composites/look.h"

/* where with numbers, which promote as numbers */
ob_tensor *composite_where_scalar(ob_scope *s, ob_tensor *condition, ob_scalar self,
                                  ob_scalar other)
{
    return ob_where(s, condition, ob_scalar_of(s, self), ob_scalar_of(s, other));
}
ob_tensor *composite_where_scalarself(ob_scope *s, ob_tensor *condition, ob_scalar self,
                                      ob_tensor *other)
{
    return ob_where(s, condition, ob_scalar_of(s, self), other);
}
ob_tensor *composite_where_scalarother(ob_scope *s, ob_tensor *condition, ob_tensor *self,
                                       ob_scalar other)
{
    return ob_where(s, condition, self, ob_scalar_of(s, other));
}

/* masked_fill keeps the dtype of self */
ob_tensor *composite_masked_fill_scalar(ob_scope *s, ob_tensor *self, ob_tensor *mask,
                                        ob_scalar value)
{
    return ob_where(s, mask,
                    ob_scalar_tensor(s, value, .dtype = dtype_of(self), .device = device_of(self)),
                    self);
}

ob_tensor *composite_masked_fill(ob_scope *s, ob_tensor *self, ob_tensor *mask, ob_tensor *value)
{
    if (rank_of(value) != 0)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "masked_fill: value has rank %d, must be 0", rank_of(value)));
    return ob_where(s, mask, as_dtype(s, value, dtype_of(self)), self);
}

/* embedding: rows of weight. indices: [...]   weight: [V, E]   result: [..., E] */
ob_tensor *composite_embedding(ob_scope *s, ob_tensor *weight, ob_tensor *indices,
                               int64_t padding_idx, bool scale_grad_by_freq, bool sparse)
{
    (void)padding_idx, (void)scale_grad_by_freq, (void)sparse; /* of use to gradients only */
    int64_t *sizes = sizes_copy(s, indices, 1);
    if (weight && rank_of(weight) != 2)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "embedding: weight has rank %d, must be 2", rank_of(weight)));
    if (rank_of(indices) == 1) return ob_index_select(s, weight, 0, indices);
    if (sizes) sizes[rank_of(indices)] = extent(weight, 1);
    ob_tensor *rows = ob_index_select(s, weight, 0, ob_reshape(s, indices, OB_INTS(-1)));
    return ob_view(s, rows, (ob_ints){ sizes, rank_of(indices) + 1 });
}

/* one_hot: [...] to [..., classes], which are one more than the largest when not given */
ob_tensor *composite_one_hot(ob_scope *s, ob_tensor *self, int64_t num_classes)
{
    if (self && dtype_of(self) != OB_I64)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "one_hot: self is %s, should be int64",
                                        ob_dtype_name(dtype_of(self))));
    if (num_classes < 0 && self) num_classes = ob_scalar_int(ob_item(s, ob_max(s, self))) + 1;
    ob_tensor *classes =
        ob_arange(s, ob_int(num_classes), .dtype = OB_I64, .device = device_of(self));
    return ob_to_dtype(s, ob_eq(s, ob_unsqueeze(s, self, -1), classes), OB_I64);
}

/* isfinite: |x| is neither inf nor NaN */
ob_tensor *composite_isfinite(ob_scope *s, ob_tensor *self)
{
    if (kind_of(self) < OB_KIND_FLOAT) return ob_ones_like(s, self, .dtype = OB_BOOL);
    ob_tensor *number = ob_eq(s, self, self);
    return ob_logical_and(s, number, ob_ne_scalar(s, ob_abs(s, self), ob_double(INFINITY)));
}

/* The number next to self on the way to other, of 16-bit floats by their bits: within one sign
 * these count in the order of absolute values. */
ob_tensor *composite_nextafter(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    ob_tensor *sum = ob_add(s, self, other);
    const ob_dtype dtype = sum ? dtype_of(sum) : OB_DTYPE_NONE;
    if (sum && ob_dtype_bytes(dtype) != 2)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DECLINED,
                                        "nextafter: the composite is for 16-bit floats, not for %s",
                                        ob_dtype_name(dtype)));
    ob_tensor *x = ob_contiguous(s, ob_expand(s, as_dtype(s, self, dtype), sizes_of(sum)));
    ob_tensor *bits = ob_view_dtype(s, x, OB_I16);
    ob_tensor *grows = ob_eq(s, ob_gt(s, other, self), ob_gt_scalar(s, self, ob_double(0)));
    ob_tensor *next =
        ob_where(s, grows, ob_add_scalar(s, bits, ob_int(1)), ob_sub_scalar(s, bits, ob_int(1)));
    ob_tensor *least =
        ob_where_scalar(s, ob_gt_scalar(s, other, ob_double(0)), ob_int(1), ob_int(INT16_MIN + 1));
    next = ob_where(s, ob_eq_scalar(s, x, ob_double(0)), as_dtype(s, least, OB_I16), next);
    ob_tensor *nan = ob_logical_or(s, ob_ne(s, self, self), ob_ne(s, other, other));
    ob_tensor *y = ob_where(s, nan, sum, ob_view_dtype(s, next, dtype));
    return as_dtype(s, ob_where(s, ob_eq(s, self, other), other, y), dtype);
}

/* |x - y| <= atol + rtol |y|, and equal infinities */
ob_tensor *composite_isclose(ob_scope *s, ob_tensor *self, ob_tensor *other, double rtol,
                             double atol, bool equal_nan)
{
    if (self && other && dtype_of(self) != dtype_of(other))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "isclose: self is %s, other is %s",
                                        ob_dtype_name(dtype_of(self)),
                                        ob_dtype_name(dtype_of(other))));
    ob_tensor *close = ob_eq(s, self, other);
    if (equal_nan && kind_of(self) >= OB_KIND_FLOAT)
        close = ob_logical_or(s, close,
                              ob_logical_and(s, ob_ne(s, self, self), ob_ne(s, other, other)));
    if ((rtol == 0 && atol == 0) || kind_of(self) == OB_KIND_BOOL) return close;
    ob_tensor *allowed =
        ob_add_scalar(s, ob_abs(s, ob_mul_scalar(s, other, ob_double(rtol))), ob_double(atol));
    ob_tensor *error = ob_abs(s, ob_sub(s, self, other));
    return ob_logical_or(s, close,
                         ob_logical_and(s, ob_isfinite(s, error), ob_le(s, error, allowed)));
}

bool composite_allclose(ob_scope *s, ob_tensor *self, ob_tensor *other, double rtol, double atol,
                        bool equal_nan)
{
    return ob_scalar_int(
               ob_item(s, ob_all(s, ob_isclose(s, self, other, rtol, atol, equal_nan)))) != 0;
}

bool composite_is_nonzero(ob_scope *s, ob_tensor *self)
{
    if (self && numel_of(self) != 1) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE, "is_nonzero: %lld elements, must be 1",
                                 (long long)numel_of(self)));
        return false;
    }
    return ob_scalar_double(ob_item(s, self)) != 0;
}

/* sum and mean of everything */
ob_tensor *composite_sum(ob_scope *s, ob_tensor *self, ob_dtype dtype)
{
    return ob_sum_dim(s, self, .dtype = dtype);
}

ob_tensor *composite_mean(ob_scope *s, ob_tensor *self, ob_dtype dtype)
{
    return ob_mean_dim(s, self, .dtype = dtype);
}

/* diff: n times x[1:] - x[:-1] along dim */
ob_tensor *composite_diff(ob_scope *s, ob_tensor *self, int64_t n, int64_t dim, ob_tensor *prepend,
                          ob_tensor *append)
{
    ob_tensor *x = self;
    if (prepend) x = ob_cat(s, OB_TENSORS(prepend, x), dim);
    if (append) x = ob_cat(s, OB_TENSORS(x, append), dim);
    for (int64_t i = 0; i < n && extent(x, dim) > 0; i++) {
        const int64_t left = extent(x, dim) - 1;
        ob_tensor *high = ob_narrow(s, x, dim, 1, left), *low = ob_narrow(s, x, dim, 0, left);
        x = dtype_of(x) == OB_BOOL ? ob_logical_xor(s, high, low) : ob_sub(s, high, low);
    }
    return x;
}

/* gather of self and indices whose other dims are broadcast */
static ob_tensor *gather_broadcast(ob_scope *s, ob_tensor *self, int64_t dim, ob_tensor *indices)
{
    ob_tensor *pair[2] = { self, indices };
    for (int i = 0; i < 2 && self && indices; i++) {
        const ob_tensor *other = pair[1 - i];
        const int rank = rank_of(pair[i]);
        const int64_t at = dim < 0 ? dim + rank : dim;
        int64_t *sizes = sizes_copy(s, pair[i], 0);
        if (!sizes || rank != rank_of(other)) continue;
        for (int d = 0; d < rank; d++)
            if (d != at && sizes[d] == 1) sizes[d] = extent(other, d);
        pair[i] = ob_expand(s, pair[i], (ob_ints){ sizes, rank });
    }
    return ob_gather(s, pair[0], dim, pair[1]);
}

/* gather with places that may count from the end */
ob_tensor *composite_take_along_dim(ob_scope *s, ob_tensor *self, ob_tensor *indices,
                                    ob_opt_int dim)
{
    ob_tensor *x = dim.has ? self : ob_flatten(s, self);
    ob_tensor *at = dim.has ? indices : ob_flatten(s, indices);
    const int64_t along = dim.has ? dim.value : 0;
    ob_tensor *wrapping = ob_where(s, ob_lt_scalar(s, at, ob_int(0)),
                                   ob_add_scalar(s, at, ob_int(extent(x, along))), at);
    return gather_broadcast(s, x, along, wrapping);
}

ob_tensor *composite_argsort(ob_scope *s, ob_tensor *self, int64_t dim, bool descending)
{
    return ob_sort(s, self, dim, descending).indices;
}

ob_tensor *composite_argsort_stable(ob_scope *s, ob_tensor *self, bool stable, int64_t dim,
                                    bool descending)
{
    return ob_sort_stable(s, self, .stable = OB_SOME_BOOL(stable), .dim = dim,
                          .descending = descending)
        .indices;
}

ob_tensor *composite_msort(ob_scope *s, ob_tensor *self)
{
    return ob_sort(s, self, 0, false).values;
}
