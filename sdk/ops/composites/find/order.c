/* Ops that rest on an order: running extremes, medians, modes. PyTorch:
 * aten/src/ATen/native/ReduceOps.cpp, Sorting.cpp. */
#include <math.h>

#include "ops/composites/look.h"

/* log(sum of exp) of everything up to each element: neighbours at distance 1, 2, 4, ... are
 * joined. */
ob_tensor *composite_logcumsumexp(ob_scope *s, ob_tensor *self, int64_t dim)
{
    const int64_t n = extent(self, dim);
    if (!has_dim(s, "logcumsumexp", self, dim)) return NULL;
    if (rank_of(self) == 0) return ob_clone(s, self);
    ob_tensor *x = widened(s, self);
    for (int64_t k = 1; k < n; k *= 2) {
        ob_tensor *joined =
            ob_logaddexp(s, ob_narrow(s, x, dim, k, n - k), ob_narrow(s, x, dim, 0, n - k));
        x = ob_cat(s, OB_TENSORS(ob_narrow(s, x, dim, 0, k), joined), dim);
    }
    return x == self ? ob_clone(s, self) : as_dtype(s, x, dtype_of(self));
}

typedef struct picked {
    ob_tensor *values, *indices;
} picked;

/* The positions along dim, of self's sizes. */
static ob_tensor *positions_along(ob_scope *s, ob_tensor *self, int64_t dim)
{
    int64_t sizes[OB_MAX_RANK];
    for (int d = 0; d < rank_of(self); d++)
        sizes[d] = d == wrapped(self, dim) ? -1 : 1;
    ob_tensor *line =
        ob_arange(s, ob_int(extent(self, dim)), .dtype = OB_I64, .device = device_of(self));
    return ob_contiguous(
        s, ob_expand(s, ob_reshape(s, line, (ob_ints){ sizes, rank_of(self) }), sizes_of(self)));
}

/* Of two neighbours the later one stays when it is not worse, or NaN. */
static picked running(ob_scope *s, ob_tensor *self, int64_t dim, bool largest)
{
    const int64_t n = extent(self, dim);
    picked r = { ob_clone(s, self), NULL };
    if (!has_dim(s, largest ? "cummax" : "cummin", self, dim)) return r;
    if (rank_of(self) == 0) {
        r.indices = ob_zeros_like(s, self, .dtype = OB_I64);
        return r;
    }
    r.indices = positions_along(s, self, dim);
    for (int64_t k = 1; k < n; k *= 2) {
        ob_tensor *late = ob_narrow(s, r.values, dim, k, n - k);
        ob_tensor *early = ob_narrow(s, r.values, dim, 0, n - k);
        ob_tensor *take = largest ? ob_ge(s, late, early) : ob_le(s, late, early);
        take = ob_logical_or(s, take, ob_ne(s, late, late));
        ob_tensor *values = ob_where(s, take, late, early);
        ob_tensor *indices = ob_where(s, take, ob_narrow(s, r.indices, dim, k, n - k),
                                      ob_narrow(s, r.indices, dim, 0, n - k));
        r.values = ob_cat(s, OB_TENSORS(ob_narrow(s, r.values, dim, 0, k), values), dim);
        r.indices = ob_cat(s, OB_TENSORS(ob_narrow(s, r.indices, dim, 0, k), indices), dim);
    }
    return r;
}

struct ob_cummax_result composite_cummax(ob_scope *s, ob_tensor *self, int64_t dim)
{
    const picked r = running(s, self, dim, true);
    return (struct ob_cummax_result){ r.values, r.indices };
}

struct ob_cummin_result composite_cummin(ob_scope *s, ob_tensor *self, int64_t dim)
{
    const picked r = running(s, self, dim, false);
    return (struct ob_cummin_result){ r.values, r.indices };
}

/* ---- one of the sorted values along a dim */

/* A dim that can be picked from; the scope fails for one without elements. */
static bool has_elements(ob_scope *s, const char *op, const ob_tensor *self, int64_t dim)
{
    if (!has_dim(s, op, self, dim)) return false;
    if (extent(self, dim) > 0 || rank_of(self) == 0) return true;
    ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "%s: dim %lld has no elements", op, (long long)dim));
    return false;
}

static picked at_position(ob_scope *s, struct ob_sort_stable_result sorted, ob_tensor *at,
                          int64_t dim, bool keepdim)
{
    picked r = { ob_gather(s, sorted.values, dim, at), ob_gather(s, sorted.indices, dim, at) };
    if (keepdim) return r;
    return (picked){ ob_squeeze_dim(s, r.values, dim), ob_squeeze_dim(s, r.indices, dim) };
}

static struct ob_sort_stable_result sorted_along(ob_scope *s, ob_tensor *self, int64_t dim)
{
    return ob_sort_stable(s, self, .stable = OB_SOME_BOOL(true), .dim = dim);
}

/* The lower of the two middles. A NaN, which sorts last, is the median; unless they are ignored and
 * there are others. */
static picked middle(ob_scope *s, ob_tensor *self, int64_t dim, bool keepdim, bool ignore_nan)
{
    const struct ob_sort_stable_result sorted = sorted_along(s, self, dim);
    const int64_t last = rank_of(self) > 0 ? extent(self, dim) - 1 : 0;
    ob_tensor *numbers = ob_sum_dim(s, ob_eq(s, self, self), OB_SOME_INTS(dim), true);
    ob_tensor *at = ob_clamp_min(s, ob_sub_scalar(s, numbers, ob_int(1)), ob_int(0));
    at = ob_div_scalar_mode(s, at, ob_int(2), "floor");
    if (!ignore_nan) /* the first of several NaN */
        at = ob_where(s, ob_le_scalar(s, numbers, ob_int(last)), numbers, at);
    return at_position(s, sorted, at, dim, keepdim);
}

struct ob_median_dim_result composite_median_dim(ob_scope *s, ob_tensor *self, int64_t dim,
                                                 bool keepdim)
{
    if (!has_elements(s, "median", self, dim)) return (struct ob_median_dim_result){ NULL, NULL };
    const picked r = middle(s, self, dim, keepdim, false);
    return (struct ob_median_dim_result){ r.values, r.indices };
}

struct ob_nanmedian_dim_result composite_nanmedian_dim(ob_scope *s, ob_tensor *self, int64_t dim,
                                                       bool keepdim)
{
    if (!has_elements(s, "nanmedian", self, dim))
        return (struct ob_nanmedian_dim_result){ NULL, NULL };
    const picked r = middle(s, self, dim, keepdim, true);
    return (struct ob_nanmedian_dim_result){ r.values, r.indices };
}

static ob_tensor *middle_of_all(ob_scope *s, ob_tensor *self, bool ignore_nan)
{
    if (self && numel_of(self) == 0)
        return ob_full(s, (ob_ints){ NULL, 0 }, ob_double(NAN), .dtype = dtype_of(self),
                       .device = device_of(self));
    return middle(s, ob_flatten(s, self), 0, false, ignore_nan).values;
}

ob_tensor *composite_median(ob_scope *s, ob_tensor *self)
{
    return middle_of_all(s, self, false);
}

ob_tensor *composite_nanmedian(ob_scope *s, ob_tensor *self)
{
    return middle_of_all(s, self, true);
}

struct ob_kthvalue_result composite_kthvalue(ob_scope *s, ob_tensor *self, int64_t k, int64_t dim,
                                             bool keepdim)
{
    const int64_t n = rank_of(self) > 0 ? extent(self, dim) : 1;
    if (!has_dim(s, "kthvalue", self, dim)) return (struct ob_kthvalue_result){ NULL, NULL };
    if (k < 1 || k > n) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "kthvalue: k is %lld, dim %lld has %lld elements",
                                 (long long)k, (long long)dim, (long long)n));
        return (struct ob_kthvalue_result){ NULL, NULL };
    }
    const struct ob_sort_stable_result sorted = sorted_along(s, self, dim);
    picked r = { sorted.values, sorted.indices };
    if (rank_of(self) > 0) {
        r.values = ob_narrow(s, r.values, dim, k - 1, 1);
        r.indices = ob_narrow(s, r.indices, dim, k - 1, 1);
        if (!keepdim)
            r = (picked){ ob_squeeze_dim(s, r.values, dim), ob_squeeze_dim(s, r.indices, dim) };
    }
    return (struct ob_kthvalue_result){ ob_clone(s, r.values), ob_clone(s, r.indices) };
}

/* The value of the longest run, the smallest of several; its last position. */
struct ob_mode_result composite_mode(ob_scope *s, ob_tensor *self, int64_t dim, bool keepdim)
{
    if (!has_elements(s, "mode", self, dim)) return (struct ob_mode_result){ NULL, NULL };
    if (rank_of(self) == 0)
        return (struct ob_mode_result){ ob_clone(s, self),
                                        ob_zeros_like(s, self, .dtype = OB_I64) };
    const struct ob_sort_stable_result sorted = sorted_along(s, self, dim);
    ob_tensor *line = ob_transpose(s, sorted.values, dim, -1);
    ob_tensor *same = ob_eq(s, ob_unsqueeze(s, line, -1), ob_unsqueeze(s, line, -2));
    ob_tensor *length = ob_sum_dim(s, same, OB_SOME_INTS(-1));
    ob_tensor *first = ob_argmax(s, length, OB_SOME_INT(-1), true);
    ob_tensor *run = ob_clamp_min(s, ob_gather(s, length, -1, first), ob_int(1));
    ob_tensor *at = ob_sub_scalar(s, ob_add(s, first, run), ob_int(1));
    const picked r = at_position(s, sorted, ob_transpose(s, at, dim, -1), dim, keepdim);
    return (struct ob_mode_result){ r.values, r.indices };
}
