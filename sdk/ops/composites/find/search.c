/* Finding values in others, and counting them. PyTorch: aten/src/ATen/native/Bucketization.cpp,
 * TensorCompare.cpp, SummaryOps.cpp, Histogram.cpp. */
#include <math.h>

#include "ops/composites/look.h"

/* Whether each element is among the values to test for: compared with all of them at once. */
ob_tensor *composite_isin(ob_scope *s, ob_tensor *elements, ob_tensor *test_elements,
                          bool assume_unique, bool invert)
{
    (void)assume_unique; /* a hint for ways that sort */
    ob_tensor *each = ob_unsqueeze(s, elements, -1);
    ob_tensor *found = ob_any_dim(s, ob_eq(s, each, ob_flatten(s, test_elements)), -1);
    return invert ? ob_logical_not(s, found) : found;
}

ob_tensor *composite_isin_tensor_scalar(ob_scope *s, ob_tensor *elements, ob_scalar test_element,
                                        bool assume_unique, bool invert)
{
    (void)assume_unique;
    return invert ? ob_ne_scalar(s, elements, test_element)
                  : ob_eq_scalar(s, elements, test_element);
}

ob_tensor *composite_isin_scalar_tensor(ob_scope *s, ob_scalar element, ob_tensor *test_elements,
                                        bool assume_unique, bool invert)
{
    ob_tensor *one = ob_scalar_tensor(s, element, .dtype = dtype_of(test_elements),
                                      .device = device_of(test_elements));
    return ob_isin(s, one, test_elements, assume_unique, invert);
}

/* True when values go after the equal ones of the sequence; the scope fails for sides that
 * disagree. */
static bool goes_right(ob_scope *s, const char *side, bool right)
{
    if (side && right && strcmp(side, "left") == 0)
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "searchsorted: side is left and right is true; they "
                                             "must not disagree"));
    return right || (side && strcmp(side, "right") == 0);
}

static bool check_search(ob_scope *s, const ob_tensor *sequence, const ob_tensor *values)
{
    if (!sequence || !values) return false;
    bool fits = rank_of(sequence) == 1 || rank_of(sequence) == rank_of(values);
    for (int d = 0; rank_of(sequence) > 1 && fits && d < rank_of(sequence) - 1; d++)
        fits = extent(sequence, d) == extent(values, d);
    if (!fits)
        ob_scope_fail(s,
                      OB_FAIL(OB_ERR_SHAPE,
                              "searchsorted: boundaries of %d dims for values of %d: all but the "
                              "last must be of one size, or boundaries have one dim",
                              rank_of(sequence), rank_of(values)));
    return fits;
}

/* Where a value goes is how many of the sequence stand before it; NaN goes to the end.
 * sorted_sequence: [n] or [..., n]   self: [..., m] */
ob_tensor *composite_searchsorted(ob_scope *s, ob_tensor *sorted_sequence, ob_tensor *self,
                                  bool out_int32, bool right, const char *side, ob_tensor *sorter)
{
    const bool after = goes_right(s, side, right);
    ob_tensor *sequence = sorted_sequence;
    if (!check_search(s, sequence, self)) return NULL;
    if (sorter) sequence = ob_gather(s, sequence, -1, sorter);
    if (rank_of(sequence) > 1) sequence = ob_unsqueeze(s, sequence, -2);
    ob_tensor *value = ob_unsqueeze(s, self, -1);
    ob_tensor *not_before = after ? ob_gt(s, sequence, value) : ob_ge(s, sequence, value);
    return ob_sum_dim(s, ob_logical_not(s, not_before), OB_SOME_INTS(-1), false,
                      .dtype = out_int32 ? OB_I32 : OB_I64);
}

ob_tensor *composite_searchsorted_scalar(ob_scope *s, ob_tensor *sorted_sequence, ob_scalar self,
                                         bool out_int32, bool right, const char *side,
                                         ob_tensor *sorter)
{
    ob_tensor *one = ob_scalar_tensor(s, self, .dtype = dtype_of(sorted_sequence),
                                      .device = device_of(sorted_sequence));
    return composite_searchsorted(s, sorted_sequence, one, out_int32, right, side, sorter);
}

ob_tensor *composite_bucketize(ob_scope *s, ob_tensor *self, ob_tensor *boundaries, bool out_int32,
                               bool right)
{
    if (boundaries && rank_of(boundaries) != 1)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "bucketize: boundaries have %d dims, must have one",
                                        rank_of(boundaries)));
    return ob_searchsorted(s, boundaries, self, .out_int32 = out_int32, .right = right);
}

ob_tensor *composite_bucketize_scalar(ob_scope *s, ob_scalar self, ob_tensor *boundaries,
                                      bool out_int32, bool right)
{
    return ob_searchsorted_scalar(s, boundaries, self, .out_int32 = out_int32, .right = right);
}

struct ob_aminmax_result composite_aminmax(ob_scope *s, ob_tensor *self, ob_opt_int dim,
                                           bool keepdim)
{
    if (self && numel_of(self) == 0 && !dim.has) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "aminmax: self has no elements; a dim that has some "
                                             "must be given"));
        return (struct ob_aminmax_result){ NULL, NULL };
    }
    const ob_ints over = { &dim.value, dim.has ? 1 : 0 };
    return (struct ob_aminmax_result){ ob_amin(s, self, over, keepdim),
                                       ob_amax(s, self, over, keepdim) };
}

/* ---- counting */

/* The range of a histogram: as given, or that of the values; never empty. */
static void bin_range(ob_scope *s, ob_tensor *self, double *low, double *high)
{
    if (*low == *high && numel_of(self) > 0) {
        const struct ob_aminmax_result r = ob_aminmax(s, self);
        *low = ob_scalar_double(ob_item(s, r.min));
        *high = ob_scalar_double(ob_item(s, r.max));
    }
    if (*low == *high) {
        *low -= 1;
        *high += 1;
    }
    if (!isfinite(*low) || !isfinite(*high))
        ob_scope_fail(s,
                      OB_FAIL(OB_ERR_ARG, "histc: the range [%g, %g] is not finite", *low, *high));
    else if (*low > *high)
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "histc: max is %g, it must be larger than min, %g",
                                 *high, *low));
}

/* Equal bins over [min, max]; what is outside, and NaN, is not counted. */
ob_tensor *composite_histc(ob_scope *s, ob_tensor *self, int64_t bins, ob_scalar min, ob_scalar max)
{
    double low = ob_scalar_double(min), high = ob_scalar_double(max);
    if (!self) return NULL;
    if (bins <= 0)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG, "histc: %lld bins, must be more than 0", (long long)bins));
    if (kind_of(self) != OB_KIND_FLOAT)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "histc: not implemented for %s",
                                        ob_dtype_name(dtype_of(self))));
    bin_range(s, self, &low, &high);
    ob_tensor *x = ob_flatten(s, self);
    ob_tensor *inside =
        ob_logical_and(s, ob_ge_scalar(s, x, ob_double(low)), ob_le_scalar(s, x, ob_double(high)));
    ob_tensor *share = ob_div_scalar(s, ob_sub_scalar(s, x, ob_double(low)), ob_double(high - low));
    ob_tensor *bin = ob_floor(s, ob_mul_scalar(s, share, ob_int(bins)));
    bin = ob_clamp(s, ob_where_scalarother(s, inside, bin, ob_int(0)), ob_int(0), ob_int(bins - 1));
    return ob_index_add(s, ob_new_zeros(s, x, OB_INTS(bins)), 0, ob_to_dtype(s, bin, OB_I64),
                        ob_to_dtype(s, inside, dtype_of(x)));
}

ob_tensor *composite_bincount(ob_scope *s, ob_tensor *self, ob_tensor *weights, int64_t minlength)
{
    int64_t n = minlength;
    if (!self) return NULL;
    if (rank_of(self) != 1 || kind_of(self) != OB_KIND_INT || minlength < 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "bincount: self is %s of %d dims, must be "
                                        "integers of one dim; minlength %lld",
                                        ob_dtype_name(dtype_of(self)), rank_of(self),
                                        (long long)minlength));
    if (weights && numel_of(weights) != numel_of(self))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE, "bincount: %lld weights for %lld values",
                                        (long long)numel_of(weights), (long long)numel_of(self)));
    if (numel_of(self) > 0) {
        const struct ob_aminmax_result r = ob_aminmax(s, self);
        const int64_t low = ob_scalar_int(ob_item(s, r.min));
        const int64_t high = ob_scalar_int(ob_item(s, r.max));
        if (low < 0)
            return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                            "bincount: %lld is among the values, they "
                                            "must be 0 or more",
                                            (long long)low));
        n = high + 1 > n ? high + 1 : n;
    }
    const ob_dtype dtype = !weights ? OB_I64 : dtype_of(weights) == OB_F32 ? OB_F32 : OB_F64;
    ob_tensor *counted = weights ? as_dtype(s, weights, dtype)
                                 : ob_new_ones(s, self, sizes_of(self), .dtype = OB_I64);
    return ob_index_add(s, ob_new_zeros(s, self, OB_INTS(n), .dtype = dtype), 0,
                        ob_to_dtype(s, self, OB_I64), counted);
}

ob_tensor *composite_count_nonzero_dim(ob_scope *s, ob_tensor *self, ob_ints dim)
{
    return ob_sum_dim(s, ob_ne_scalar(s, self, ob_int(0)), (ob_opt_ints){ dim.data, dim.n, true });
}

ob_tensor *composite_count_nonzero(ob_scope *s, ob_tensor *self, ob_opt_int dim)
{
    return ob_count_nonzero_dim(s, self, (ob_ints){ &dim.value, dim.has ? 1 : 0 });
}

/* The coordinates of elements that are not 0, a row each: elements are numbered by a running count,
 * and each that counts puts its flat position in the place of its number; the others share a spare
 * one.   result: [count, rank] int64 */
ob_tensor *composite_nonzero(ob_scope *s, ob_tensor *self)
{
    ob_tensor *columns[OB_MAX_RANK];
    const int64_t n = numel_of(self);
    if (!self) return NULL;
    ob_tensor *set = ob_ne_scalar(s, ob_reshape(s, self, OB_INTS(n)), ob_int(0));
    ob_tensor *number = ob_cumsum(s, set, 0);
    const int64_t count = n > 0 ? ob_scalar_int(ob_item(s, ob_select(s, number, 0, n - 1))) : 0;
    if (rank_of(self) == 0 || count == 0)
        return ob_new_empty(s, self, OB_INTS(count, rank_of(self)), .dtype = OB_I64);
    ob_tensor *to =
        ob_where_scalarother(s, set, ob_sub_scalar(s, number, ob_int(1)), ob_int(count));
    ob_tensor *at = ob_scatter(s, ob_new_empty(s, number, OB_INTS(count + 1)), 0, to,
                               ob_arange(s, ob_int(n), .dtype = OB_I64, .device = device_of(self)));
    at = ob_narrow(s, at, 0, 0, count);
    for (int d = rank_of(self) - 1; d >= 0; d--) {
        const ob_scalar size = ob_int(extent(self, d));
        columns[d] = ob_remainder_scalar(s, at, size);
        at = ob_div_scalar_mode(s, at, size, "floor");
    }
    return ob_stack(s, (ob_tensors){ columns, rank_of(self) }, 1);
}

ob_tensor *composite_argwhere(ob_scope *s, ob_tensor *self)
{
    return ob_nonzero(s, self);
}

/* of any dtypes: values are compared as they promote */
bool composite_equal(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    if (!self || !other) return false;
    const size_t bytes = (size_t)rank_of(self) * sizeof(int64_t);
    if (rank_of(self) != rank_of(other) ||
        (bytes > 0 && memcmp(ob_tensor_sizes(self), ob_tensor_sizes(other), bytes) != 0))
        return false;
    return ob_scalar_int(ob_item(s, ob_all(s, ob_eq(s, self, other)))) != 0;
}
