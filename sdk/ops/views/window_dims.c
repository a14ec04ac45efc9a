/* Window functions that drop, add, reorder or narrow dims: rows of views.inc. Contract: view.h. */
#include <string.h>

#include "core/tensor/shape.h"
#include "ops/views/view.h"

ob_status ob_view_same(const char *op, const ob_value *args, ob_window *window)
{
    (void)op, (void)args, (void)window;
    return OB_OK;
}

void ob_window_remove(ob_window *window, int dim)
{
    const size_t bytes = (size_t)(window->rank - 1 - dim) * sizeof(int64_t);
    memmove(window->sizes + dim, window->sizes + dim + 1, bytes);
    memmove(window->strides + dim, window->strides + dim + 1, bytes);
    window->rank--;
}

ob_status ob_window_insert(const char *op, ob_window *window, int dim, int64_t size, int64_t stride)
{
    if (window->rank == OB_MAX_RANK)
        return OB_FAIL(OB_ERR_ARG, "%s: self has %d dims already, the most there are", op,
                       OB_MAX_RANK);
    const size_t bytes = (size_t)(window->rank - dim) * sizeof(int64_t);
    memmove(window->sizes + dim + 1, window->sizes + dim, bytes);
    memmove(window->strides + dim + 1, window->strides + dim, bytes);
    window->sizes[dim] = size;
    window->strides[dim] = stride;
    window->rank++;
    return OB_OK;
}

int64_t ob_stride_times(int64_t stride, int64_t step)
{
    return stride > 0 && step > INT64_MAX / stride ? stride : stride * step;
}

static void swap_dims(ob_window *window, int a, int b)
{
    const int64_t size = window->sizes[a], stride = window->strides[a];
    window->sizes[a] = window->sizes[b];
    window->strides[a] = window->strides[b];
    window->sizes[b] = size;
    window->strides[b] = stride;
}

/* Reorder dims: new dim i is old dim dims[i]. */
ob_status ob_view_permute(const char *op, const ob_value *args, ob_window *window)
{
    const ob_window self = *window;
    uint64_t seen = 0;
    if (args[1].count != (uint32_t)self.rank)
        return OB_FAIL(OB_ERR_ARG, "%s: self has %d dims, but %u are given", op, self.rank,
                       args[1].count);
    for (int i = 0; i < self.rank; i++) {
        int d = 0;
        OB_TRY(ob_shape_wrap_dim(op, args[1].u.ints[i], self.rank, &d));
        if (seen >> d & 1) return OB_FAIL(OB_ERR_ARG, "%s: dim %d is given twice", op, d);
        seen |= UINT64_C(1) << d;
        window->sizes[i] = self.sizes[d];
        window->strides[i] = self.strides[d];
    }
    return OB_OK;
}

ob_status ob_view_transpose(const char *op, const ob_value *args, ob_window *window)
{
    int a = 0, b = 0;
    OB_TRY(ob_shape_wrap_dim(op, args[1].u.i, window->rank, &a));
    OB_TRY(ob_shape_wrap_dim(op, args[2].u.i, window->rank, &b));
    if (window->rank > 0) swap_dims(window, a, b);
    return OB_OK;
}

ob_status ob_view_t(const char *op, const ob_value *args, ob_window *window)
{
    (void)args;
    if (window->rank > 2)
        return OB_FAIL(OB_ERR_SHAPE, "%s: self has %d dims, at most 2 can be; use transpose", op,
                       window->rank);
    if (window->rank == 2) swap_dims(window, 0, 1);
    return OB_OK;
}

ob_status ob_view_squeeze(const char *op, const ob_value *args, ob_window *window)
{
    (void)op, (void)args;
    for (int d = window->rank - 1; d >= 0; d--)
        if (window->sizes[d] == 1) ob_window_remove(window, d);
    return OB_OK;
}

ob_status ob_view_squeeze_dim(const char *op, const ob_value *args, ob_window *window)
{
    int d = 0;
    OB_TRY(ob_shape_wrap_dim(op, args[1].u.i, window->rank, &d));
    if (window->rank > 0 && window->sizes[d] == 1) ob_window_remove(window, d);
    return OB_OK;
}

ob_status ob_view_squeeze_dims(const char *op, const ob_value *args, ob_window *window)
{
    uint64_t drop = 0;
    for (uint32_t i = 0; i < args[1].count; i++) {
        int d = 0;
        OB_TRY(ob_shape_wrap_dim(op, args[1].u.ints[i], window->rank, &d));
        if (drop >> d & 1) return OB_FAIL(OB_ERR_ARG, "%s: dim %d is given twice", op, d);
        drop |= UINT64_C(1) << d;
    }
    for (int d = window->rank - 1; d >= 0; d--)
        if (drop >> d & 1 && window->sizes[d] == 1) ob_window_remove(window, d);
    return OB_OK;
}

ob_status ob_view_unsqueeze(const char *op, const ob_value *args, ob_window *window)
{
    int d = 0;
    OB_TRY(ob_shape_wrap_dim(op, args[1].u.i, window->rank + 1, &d));
    const int64_t stride = d < window->rank ? window->sizes[d] * window->strides[d] : 1;
    return ob_window_insert(op, window, d, 1, stride);
}

ob_status ob_view_select(const char *op, const ob_value *args, ob_window *window)
{
    int d = 0;
    if (window->rank == 0)
        return OB_FAIL(OB_ERR_ARG, "%s: self has no dims, so there is nothing to select from", op);
    OB_TRY(ob_shape_wrap_dim(op, args[1].u.i, window->rank, &d));
    const int64_t extent = window->sizes[d], index = args[2].u.i;
    if (index < -extent || index >= extent)
        return OB_FAIL(OB_ERR_ARG, "%s: index %lld is not within dim %d, whose extent is %lld", op,
                       (long long)index, d, (long long)extent);
    window->offset += (index < 0 ? index + extent : index) * window->strides[d];
    ob_window_remove(window, d);
    return OB_OK;
}

/* A bound of a slice, as Python cuts it: counted from the end when negative, then kept in range. */
static int64_t slice_bound(const ob_value *v, int64_t absent, int64_t extent)
{
    if (v->tag == OB_VALUE_NONE) return absent;
    int64_t at = v->u.i < 0 ? v->u.i + extent : v->u.i;
    if (at < 0) at = 0;
    return at > extent ? extent : at;
}

ob_status ob_view_slice(const char *op, const ob_value *args, ob_window *window)
{
    int d = 0;
    const int64_t step = args[4].u.i;
    if (window->rank == 0)
        return OB_FAIL(OB_ERR_ARG, "%s: self has no dims, so there is nothing to slice", op);
    OB_TRY(ob_shape_wrap_dim(op, args[1].u.i, window->rank, &d));
    if (step <= 0)
        return OB_FAIL(OB_ERR_ARG, "%s: step is %lld, it must be positive", op, (long long)step);
    const int64_t extent = window->sizes[d];
    const int64_t start = slice_bound(&args[2], 0, extent);
    int64_t end = slice_bound(&args[3], extent, extent);
    if (end < start) end = start;
    window->offset += start * window->strides[d];
    window->sizes[d] = (end - start) / step + ((end - start) % step != 0);
    window->strides[d] = ob_stride_times(window->strides[d], step);
    return OB_OK;
}
