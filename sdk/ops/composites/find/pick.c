/* Reading and writing elements by position, mask or slice. PyTorch:
 * aten/src/ATen/native/TensorAdvancedIndexing.cpp, Normalization.cpp (renorm). */
#include "ops/composites/look.h"

/* The elements of source, in turn, where the mask is set. */
ob_tensor *composite_masked_scatter(ob_scope *s, ob_tensor *self, ob_tensor *mask,
                                    ob_tensor *source)
{
    if (!self || !mask || !source) return NULL;
    if (dtype_of(self) != dtype_of(source) || dtype_of(mask) != OB_BOOL)
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_DTYPE,
                                     "masked_scatter: self is %s, source %s, mask %s; the first "
                                     "two must be of one dtype, the mask bool",
                                     ob_dtype_name(dtype_of(self)), ob_dtype_name(dtype_of(source)),
                                     ob_dtype_name(dtype_of(mask))));
    ob_tensor *set = ob_logical_or(s, mask, ob_zeros_like(s, self, .dtype = OB_BOOL));
    ob_tensor *rank = ob_cumsum(s, ob_flatten(s, set), 0);
    const int64_t n = numel_of(rank), have = numel_of(source);
    if (n == 0) return ob_clone(s, self);
    const int64_t needed = ob_scalar_int(ob_item(s, ob_select(s, rank, 0, n - 1)));
    if (needed > have)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "masked_scatter: source has %lld elements, the mask asks "
                                        "for %lld",
                                        (long long)have, (long long)needed));
    if (needed == 0) return ob_clone(s, ob_expand(s, self, sizes_of(set)));
    ob_tensor *at = ob_clamp(s, ob_sub_scalar(s, rank, ob_int(1)), ob_int(0), ob_int(have - 1));
    ob_tensor *values = ob_index_select(s, ob_flatten(s, source), 0, at);
    return ob_where(s, set, ob_reshape(s, values, sizes_of(set)), self);
}

static bool check_index(ob_scope *s, const char *op, const ob_tensor *index)
{
    if (!index || dtype_of(index) == OB_I64) return index != NULL;
    ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "%s: the index is %s, must be int64", op,
                             ob_dtype_name(dtype_of(index))));
    return false;
}

/* Elements of the flat self; the result has the index' sizes. */
ob_tensor *composite_take(ob_scope *s, ob_tensor *self, ob_tensor *index)
{
    if (!check_index(s, "take", index)) return NULL;
    return ob_index(s, ob_reshape(s, self, OB_INTS(-1)), OB_TENSORS(index));
}

ob_tensor *composite_put(ob_scope *s, ob_tensor *self, ob_tensor *index, ob_tensor *source,
                         bool accumulate)
{
    if (!check_index(s, "put", index) || !self || !source) return NULL;
    if (dtype_of(self) != dtype_of(source) || numel_of(index) != numel_of(source))
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_ARG,
                                     "put: %lld elements of %s at %lld places of %s; there must "
                                     "be as many, of one dtype",
                                     (long long)numel_of(source), ob_dtype_name(dtype_of(source)),
                                     (long long)numel_of(index), ob_dtype_name(dtype_of(self))));
    ob_tensor *flat = ob_reshape(s, self, OB_INTS(-1));
    ob_tensor *put =
        ob_index_put(s, flat, OB_TENSORS(ob_flatten(s, index)), ob_flatten(s, source), accumulate);
    return ob_reshape(s, put, sizes_of(self));
}

/* The slices of self that index names are set to a number. */
ob_tensor *composite_index_fill_scalar(ob_scope *s, ob_tensor *self, int64_t dim, ob_tensor *index,
                                       ob_scalar value)
{
    ob_tensor *list[OB_MAX_RANK] = { NULL };
    const int64_t at = wrapped(self, dim);
    if (!check_index(s, "index_fill", index) || !self) return NULL;
    if (rank_of(index) > 1 || at < 0 || at >= (rank_of(self) > 0 ? rank_of(self) : 1))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "index_fill: dim %lld of a tensor of %d dims, an index of "
                                        "%d dims; it must have one",
                                        (long long)dim, rank_of(self), rank_of(index)));
    ob_tensor *flat = rank_of(self) == 0 ? ob_reshape(s, self, OB_INTS(1)) : self;
    list[at] = index;
    ob_tensor *number =
        ob_scalar_tensor(s, value, .dtype = dtype_of(self), .device = device_of(self));
    ob_tensor *filled = ob_index_put(s, flat, (ob_tensors){ list, at + 1 }, number);
    return rank_of(self) == 0 ? ob_reshape(s, filled, sizes_of(self)) : filled;
}

ob_tensor *composite_index_fill(ob_scope *s, ob_tensor *self, int64_t dim, ob_tensor *index,
                                ob_tensor *value)
{
    if (rank_of(value) != 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "index_fill: the value has %d dims, must have none",
                                        rank_of(value)));
    return ob_index_fill_scalar(s, self, dim, index, ob_item(s, value));
}

/* scatter_reduce with one index per slice */
ob_tensor *composite_index_reduce(ob_scope *s, ob_tensor *self, int64_t dim, ob_tensor *index,
                                  ob_tensor *source, const char *reduce, bool include_self)
{
    int64_t sizes[OB_MAX_RANK];
    if (!self || !index || !source) return NULL;
    for (int d = 0; d < rank_of(source); d++)
        sizes[d] = d == wrapped(source, dim) ? -1 : 1;
    ob_tensor *line =
        ob_reshape(s, ob_to_dtype(s, index, OB_I64), (ob_ints){ sizes, rank_of(source) });
    return ob_scatter_reduce(s, self, dim, ob_expand(s, line, sizes_of(source)), source, reduce,
                             include_self);
}

/* Slices along dim whose norm is over maxnorm are scaled down to it. */
ob_tensor *composite_renorm(ob_scope *s, ob_tensor *self, ob_scalar p, int64_t dim,
                            ob_scalar maxnorm)
{
    int64_t dims[OB_MAX_RANK], n = 0;
    const int64_t at = wrapped(self, dim);
    const double most = ob_scalar_double(maxnorm);
    if (rank_of(self) < 2)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "renorm: self has %d dims, must have two or "
                                        "more",
                                        rank_of(self)));
    for (int d = 0; d < rank_of(self); d++)
        if (d != at) dims[n++] = d;
    ob_tensor *norm =
        ob_linalg_vector_norm(s, widened(s, self), p, (ob_opt_ints){ dims, n, true }, true);
    ob_tensor *scale = ob_mul_scalar(s, ob_reciprocal(s, ob_add_scalar(s, norm, ob_double(1e-7))),
                                     ob_double(most));
    scale = ob_where_scalarother(s, ob_gt_scalar(s, norm, ob_double(most)), scale, ob_int(1));
    return ob_mul(s, self, as_dtype(s, scale, dtype_of(self)));
}
