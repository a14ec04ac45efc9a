/* Distinct values: runs of equal neighbours, after sorting. PyTorch:
 * aten/src/ATen/native/Unique.cpp. */
#include "ops/composites/look.h"

/* What the ops of this file give: values, where each input went, how many went there. */
typedef struct distinct {
    ob_tensor *values, *inverse, *counts;
} distinct;

/* Which of the three are asked for; PyTorch gives empty tensors for the others. */
typedef struct wanted {
    bool inverse, counts;
} wanted;

/* Runs of x: [n] values or [n, m] slices. order: [n], where x's elements stood, or NULL: there. */
static distinct runs(ob_scope *s, ob_tensor *x, ob_tensor *order, wanted want)
{
    const int64_t n = extent(x, 0);
    ob_tensor *none = ob_new_empty(s, x, OB_INTS(0), .dtype = OB_I64);
    ob_tensor *starts = ob_new_ones(s, x, OB_INTS(n), .dtype = OB_BOOL);
    if (n > 1) {
        ob_tensor *differs = ob_ne(s, ob_narrow(s, x, 0, 1, n - 1), ob_narrow(s, x, 0, 0, n - 1));
        if (rank_of(x) > 1) differs = ob_any_dim(s, ob_flatten(s, differs, 1, -1), -1);
        (void)ob_copy_(s, ob_narrow(s, starts, 0, 1, n - 1), differs);
    }
    ob_tensor *first = ob_reshape(s, ob_nonzero(s, starts), OB_INTS(-1));
    ob_tensor *run = ob_sub_scalar(s, ob_cumsum(s, starts, 0), ob_int(1));
    distinct r = { ob_index_select(s, x, 0, first), none, none };
    if (want.inverse) r.inverse = order ? ob_scatter(s, ob_zeros_like(s, run), 0, order, run) : run;
    if (want.counts)
        r.counts = ob_index_add(s, ob_new_zeros(s, x, OB_INTS(numel_of(first)), .dtype = OB_I64), 0,
                                run, ob_ones_like(s, run));
    return r;
}

static distinct unique_values(ob_scope *s, ob_tensor *self, wanted want)
{
    const struct ob_sort_stable_result sorted =
        ob_sort_stable(s, ob_flatten(s, self), .stable = OB_SOME_BOOL(true), .dim = 0);
    distinct r = runs(s, sorted.values, sorted.indices, want);
    if (want.inverse) r.inverse = ob_reshape(s, r.inverse, sizes_of(self));
    return r;
}

struct ob_unique2_result composite_unique2(ob_scope *s, ob_tensor *self, bool sorted,
                                           bool return_inverse, bool return_counts)
{
    (void)sorted; /* they come sorted in any case */
    const distinct r = unique_values(s, self, (wanted){ return_inverse, return_counts });
    return (struct ob_unique2_result){ r.values, r.inverse, r.counts };
}

struct ob_unique_result composite_unique(ob_scope *s, ob_tensor *self, bool sorted,
                                         bool return_inverse)
{
    (void)sorted;
    const distinct r = unique_values(s, self, (wanted){ return_inverse, false });
    return (struct ob_unique_result){ r.values, r.inverse };
}

/* Slices along dim, as rows. */
static ob_tensor *rows_of(ob_scope *s, ob_tensor *self, int64_t dim)
{
    return ob_transpose(s, self, wrapped(self, dim), 0);
}

/* Rows in lexicographic order: sorted by the last element first. */
static ob_tensor *sorted_order(ob_scope *s, ob_tensor *rows)
{
    ob_tensor *flat = ob_reshape(s, rows, OB_INTS(extent(rows, 0), -1));
    ob_tensor *order =
        ob_arange(s, ob_int(extent(rows, 0)), .dtype = OB_I64, .device = device_of(rows));
    for (int64_t k = rank_of(flat) == 2 ? extent(flat, 1) : 0; k-- > 0;) {
        ob_tensor *key = ob_index_select(s, ob_select(s, flat, 1, k), 0, order);
        order = ob_index_select(s, order, 0, ob_argsort_stable(s, key, .stable = true, .dim = 0));
    }
    return order;
}

static bool check_slices(ob_scope *s, const char *op, const ob_tensor *self, int64_t dim)
{
    if (!self) return false;
    if (numel_of(self) > 0) return true;
    ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE, "%s: self has no elements to compare along dim %lld", op,
                             (long long)dim));
    return false;
}

static distinct unique_slices(ob_scope *s, ob_tensor *self, int64_t dim, bool sort, wanted want)
{
    ob_tensor *rows = rows_of(s, self, dim), *order = sort ? sorted_order(s, rows) : NULL;
    distinct r =
        runs(s, order ? ob_index_select(s, rows, 0, order) : ob_contiguous(s, rows), order, want);
    r.values = ob_transpose(s, r.values, wrapped(self, dim), 0);
    return r;
}

struct ob_unique_dim_result composite_unique_dim(ob_scope *s, ob_tensor *self, int64_t dim,
                                                 bool sorted, bool return_inverse,
                                                 bool return_counts)
{
    (void)sorted;
    if (!check_slices(s, "unique_dim", self, dim))
        return (struct ob_unique_dim_result){ NULL, NULL, NULL };
    const distinct r = unique_slices(s, self, dim, true, (wanted){ return_inverse, return_counts });
    return (struct ob_unique_dim_result){ r.values, r.inverse, r.counts };
}

struct ob_unique_dim_consecutive_result
composite_unique_dim_consecutive(ob_scope *s, ob_tensor *self, int64_t dim, bool return_inverse,
                                 bool return_counts)
{
    if (!check_slices(s, "unique_dim_consecutive", self, dim))
        return (struct ob_unique_dim_consecutive_result){ NULL, NULL, NULL };
    const distinct r =
        unique_slices(s, self, dim, false, (wanted){ return_inverse, return_counts });
    return (struct ob_unique_dim_consecutive_result){ r.values, r.inverse, r.counts };
}

struct ob_unique_consecutive_result composite_unique_consecutive(ob_scope *s, ob_tensor *self,
                                                                 bool return_inverse,
                                                                 bool return_counts, ob_opt_int dim)
{
    const wanted want = { return_inverse, return_counts };
    distinct r = dim.has ? unique_slices(s, self, dim.value, false, want)
                         : runs(s, ob_flatten(s, self), NULL, want);
    if (!dim.has && return_inverse) r.inverse = ob_reshape(s, r.inverse, sizes_of(self));
    return (struct ob_unique_consecutive_result){ r.values, r.inverse, r.counts };
}
