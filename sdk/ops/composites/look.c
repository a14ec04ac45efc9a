/* Lists and conversions that formulas share; see look.h. */
#include "ops/composites/look.h"

bool has_dim(ob_scope *s, const char *op, const ob_tensor *t, int64_t dim)
{
    const int64_t rank = rank_of(t) > 0 ? rank_of(t) : 1;
    if (!t || (dim >= -rank && dim < rank)) return t != NULL;
    ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "%s: dim %lld is out of range, it must be in [%lld, %lld]",
                             op, (long long)dim, (long long)-rank, (long long)rank - 1));
    return false;
}

ob_ints repeated(ob_scope *s, int64_t value, int64_t n)
{
    int64_t *list = ob_scope_alloc(s, (size_t)(n > 0 ? n : 1) * sizeof *list);
    for (int64_t i = 0; list && i < n; i++)
        list[i] = value;
    return (ob_ints){ list, list ? n : 0 };
}

ob_ints spread(ob_scope *s, ob_ints list, int64_t n)
{
    return list.n == 1 && n > 1 ? repeated(s, list.data[0], n) : list;
}

ob_ints dims_from(ob_scope *s, const ob_tensor *t, int64_t from)
{
    const int64_t n = rank_of(t) > from ? rank_of(t) - from : 0;
    int64_t *dims = ob_scope_alloc(s, (size_t)(n + 1) * sizeof *dims);
    for (int64_t i = 0; dims && i < n; i++)
        dims[i] = from + i;
    return (ob_ints){ dims, dims ? n : 0 };
}

int64_t *sizes_copy(ob_scope *s, const ob_tensor *t, int64_t more)
{
    const ob_ints sizes = sizes_of(t);
    int64_t *copy = ob_scope_alloc(s, (size_t)(sizes.n + more + 1) * sizeof *copy);
    for (int64_t i = 0; copy && i < sizes.n; i++)
        copy[i] = sizes.data[i];
    return copy;
}

ob_ints wrapped_dims(ob_scope *s, const ob_tensor *t, ob_ints dims)
{
    if (dims.n == 0) return dims_from(s, t, 0);
    int64_t *list = ob_scope_alloc(s, (size_t)dims.n * sizeof *list);
    for (int64_t i = 0; list && i < dims.n; i++)
        list[i] = wrapped(t, dims.data[i]);
    return (ob_ints){ list, list ? dims.n : 0 };
}

ob_tensor *as_dtype(ob_scope *s, ob_tensor *t, ob_dtype dtype)
{
    return dtype == OB_DTYPE_NONE || dtype_of(t) == dtype ? t : ob_to_dtype(s, t, dtype);
}

ob_tensor *widened(ob_scope *s, ob_tensor *t)
{
    const bool half = t && (dtype_of(t) == OB_F16 || dtype_of(t) == OB_BF16);
    return half ? ob_to_dtype(s, t, OB_F32) : t;
}
