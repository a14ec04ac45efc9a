/* Window functions that compute strides: view, expand, as_strided, diagonal, unfold. Rows of
 * views.inc. Contract: view.h. */
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"
#include "ops/views/view.h"

enum { TEXT_BYTES = 256 };

ob_status ob_view_view(const char *op, const ob_value *args, ob_window *window)
{
    const ob_window self = *window;
    char a[TEXT_BYTES], b[TEXT_BYTES];
    if (args[1].count > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_ARG, "%s: %u dims asked for, at most %d can be", op, args[1].count,
                       OB_MAX_RANK);
    window->rank = (int)args[1].count;
    for (int d = 0; d < window->rank; d++)
        window->sizes[d] = args[1].u.ints[d];
    OB_TRY(ob_shape_infer(op, window->sizes, window->rank, ob_tensor_numel(args[0].u.tensor)));
    if (!ob_shape_view_strides(self.sizes, self.strides, self.rank, window->sizes, window->rank,
                               window->strides))
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: the strides of self, which is %s, do not allow a view "
                       "of %s; use reshape",
                       op, ob_sizes_format(self.sizes, self.rank, a, sizeof a),
                       ob_sizes_format(window->sizes, window->rank, b, sizeof b));
    return OB_OK;
}

ob_status ob_view_expand(const char *op, const ob_value *args, ob_window *window)
{
    const ob_window self = *window;
    const int rank = (int)args[1].count, lead = rank - self.rank;
    char a[TEXT_BYTES], b[TEXT_BYTES];
    if (lead < 0 || args[1].count > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_SHAPE, "%s: self has %d dims, so the size needs %d to %d, not %u", op,
                       self.rank, self.rank, OB_MAX_RANK, args[1].count);
    window->rank = rank;
    for (int d = 0; d < rank; d++) {
        const int64_t old = d < lead ? 1 : self.sizes[d - lead], asked = args[1].u.ints[d];
        const int64_t size = asked == -1 && d >= lead ? old : asked;
        if (size < 0 || (old != 1 && old != size))
            return OB_FAIL(OB_ERR_SHAPE, "%s: self is %s and cannot become %s: dim %d", op,
                           ob_sizes_format(self.sizes, self.rank, a, sizeof a),
                           ob_sizes_format(args[1].u.ints, rank, b, sizeof b), d);
        window->sizes[d] = size;
        window->strides[d] = d >= lead && old == size ? self.strides[d - lead] : 0;
    }
    /* A new leading dim of extent 1 has the stride that a dense tensor would give it. */
    for (int d = lead - 1; d >= 0; d--)
        if (window->sizes[d] == 1 && d + 1 < rank)
            window->strides[d] = window->sizes[d + 1] * window->strides[d + 1];
    return OB_OK;
}

ob_status ob_view_reshape_alias(const char *op, const ob_value *args, ob_window *window)
{
    const int rank = (int)args[1].count;
    if (args[1].count != args[2].count || args[1].count > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_ARG, "%s: %u sizes and %u strides, there must be as many, at most %d",
                       op, args[1].count, args[2].count, OB_MAX_RANK);
    window->rank = rank;
    for (int d = 0; d < rank; d++) {
        window->sizes[d] = args[1].u.ints[d];
        window->strides[d] = args[2].u.ints[d];
        if (window->sizes[d] < 0 || window->strides[d] < 0)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: dim %d has size %lld and stride %lld; neither may be "
                           "negative",
                           op, d, (long long)window->sizes[d], (long long)window->strides[d]);
    }
    return OB_OK;
}

ob_status ob_view_as_strided(const char *op, const ob_value *args, ob_window *window)
{
    OB_TRY(ob_view_reshape_alias(op, args, window));
    if (args[3].tag != OB_VALUE_NONE) window->offset = args[3].u.i;
    return OB_OK;
}

ob_status ob_view_diagonal(const char *op, const ob_value *args, ob_window *window)
{
    int a = 0, b = 0;
    const int64_t shift = args[1].u.i;
    OB_TRY(ob_shape_wrap_dim(op, args[2].u.i, window->rank, &a));
    OB_TRY(ob_shape_wrap_dim(op, args[3].u.i, window->rank, &b));
    if (a == b)
        return OB_FAIL(OB_ERR_ARG, "%s: dim1 and dim2 are both %d; they must differ", op, a);
    const int64_t rows = window->sizes[a], columns = window->sizes[b];
    const int64_t down =
        shift < 0 ? -(shift + 1) : 0; /* rows skipped, less one: -shift may overflow */
    int64_t n = 0;
    if (shift >= 0 && shift < columns) n = columns - shift < rows ? columns - shift : rows;
    if (shift < 0 && down < rows) n = rows - down - 1 < columns ? rows - down - 1 : columns;
    if (n > 0)
        window->offset += shift >= 0 ? shift * window->strides[b] : (down + 1) * window->strides[a];
    const int64_t stride = window->strides[a] + window->strides[b];
    ob_window_remove(window, a > b ? a : b);
    ob_window_remove(window, a > b ? b : a);
    return ob_window_insert(op, window, window->rank, n, stride);
}

ob_status ob_view_unfold(const char *op, const ob_value *args, ob_window *window)
{
    int d = 0;
    const int64_t size = args[2].u.i, step = args[3].u.i;
    OB_TRY(ob_shape_wrap_dim(op, args[1].u.i, window->rank, &d));
    const int64_t extent = window->rank ? window->sizes[d] : 1;
    if (size < 0 || size > extent || step <= 0)
        return OB_FAIL(OB_ERR_ARG,
                       "%s: size %lld and step %lld do not fit dim %d, whose extent is "
                       "%lld; 0 <= size <= extent, step > 0",
                       op, (long long)size, (long long)step, d, (long long)extent);
    const int64_t stride = window->rank ? window->strides[d] : 1;
    if (window->rank > 0) {
        window->sizes[d] = (extent - size) / step + 1;
        window->strides[d] = ob_stride_times(stride, step);
    }
    return ob_window_insert(op, window, window->rank, size, stride);
}
