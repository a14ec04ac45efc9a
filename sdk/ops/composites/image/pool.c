/* Pooling over the 2-d and 3-d pooling ops. PyTorch: aten/src/ATen/native/Pooling.cpp,
 * AdaptiveAveragePooling.cpp. x: [N, C, *space] or [C, *space] */
#include "ops/composites/look.h"

ob_tensor *composite_max_pool2d(ob_scope *s, ob_tensor *self, ob_ints kernel_size, ob_ints stride,
                                ob_ints padding, ob_ints dilation, bool ceil_mode)
{
    return ob_max_pool2d_with_indices(s, self, kernel_size, stride, padding, dilation, ceil_mode)
        .out0;
}

ob_tensor *composite_max_pool3d(ob_scope *s, ob_tensor *self, ob_ints kernel_size, ob_ints stride,
                                ob_ints padding, ob_ints dilation, bool ceil_mode)
{
    return ob_max_pool3d_with_indices(s, self, kernel_size, stride, padding, dilation, ceil_mode)
        .out0;
}

/* `first`, then the list's element; an empty list stays empty. A vector as an image of one row. */
static ob_ints row_of(ob_scope *s, int64_t first, ob_ints list)
{
    int64_t *pair = ob_scope_alloc(s, 2 * sizeof *pair);
    if (!pair || list.n == 0) return (ob_ints){ NULL, 0 };
    pair[0] = first;
    pair[1] = list.data[0];
    return (ob_ints){ pair, 2 };
}

/* [..., L] as [..., 1, L]; max_pool2d over the one row */
struct ob_max_pool1d_with_indices_result
composite_max_pool1d_with_indices(ob_scope *s, ob_tensor *self, ob_ints kernel_size, ob_ints stride,
                                  ob_ints padding, ob_ints dilation, bool ceil_mode)
{
    const struct ob_max_pool2d_with_indices_result r = ob_max_pool2d_with_indices(
        s, ob_unsqueeze(s, self, -2), row_of(s, 1, kernel_size), row_of(s, 1, stride),
        row_of(s, 0, padding), row_of(s, 1, dilation), ceil_mode);
    return (struct ob_max_pool1d_with_indices_result){ ob_squeeze_dim(s, r.out0, -2),
                                                       ob_squeeze_dim(s, r.out1, -2) };
}

ob_tensor *composite_max_pool1d(ob_scope *s, ob_tensor *self, ob_ints kernel_size, ob_ints stride,
                                ob_ints padding, ob_ints dilation, bool ceil_mode)
{
    return ob_max_pool1d_with_indices(s, self, kernel_size, stride, padding, dilation, ceil_mode)
        .out0;
}

ob_tensor *composite_avg_pool1d(ob_scope *s, ob_tensor *self, ob_ints kernel_size, ob_ints stride,
                                ob_ints padding, bool ceil_mode, bool count_include_pad)
{
    ob_tensor *y =
        ob_avg_pool2d(s, ob_unsqueeze(s, self, -2), row_of(s, 1, kernel_size), row_of(s, 1, stride),
                      row_of(s, 0, padding), ceil_mode, count_include_pad);
    return ob_squeeze_dim(s, y, -2);
}

static bool all_ones(ob_ints list)
{
    for (int64_t i = 0; i < list.n; i++)
        if (list.data[i] != 1) return false;
    return true;
}

/* To one cell: the mean over the space. */
ob_tensor *composite_adaptive_avg_pool2d(ob_scope *s, ob_tensor *self, ob_ints output_size)
{
    const ob_ints size = spread(s, output_size, 2);
    if (all_ones(size)) return ob_mean_dim(s, self, OB_SOME_INTS(-1, -2), true);
    return ob_priv_adaptive_avg_pool2d(s, self, size);
}

ob_tensor *composite_adaptive_avg_pool3d(ob_scope *s, ob_tensor *self, ob_ints output_size)
{
    const ob_ints size = spread(s, output_size, 3);
    if (all_ones(size)) return ob_mean_dim(s, self, OB_SOME_INTS(-1, -2, -3), true);
    return ob_priv_adaptive_avg_pool3d(s, self, size);
}

ob_tensor *composite_adaptive_avg_pool1d(ob_scope *s, ob_tensor *self, ob_ints output_size)
{
    return ob_squeeze_dim(
        s, ob_adaptive_avg_pool2d(s, ob_unsqueeze(s, self, -2), row_of(s, 1, output_size)), -2);
}

struct ob_adaptive_max_pool1d_result composite_adaptive_max_pool1d(ob_scope *s, ob_tensor *self,
                                                                   ob_ints output_size)
{
    const struct ob_adaptive_max_pool2d_result r =
        ob_adaptive_max_pool2d(s, ob_unsqueeze(s, self, -2), row_of(s, 1, output_size));
    return (struct ob_adaptive_max_pool1d_result){ ob_squeeze_dim(s, r.out0, -2),
                                                   ob_squeeze_dim(s, r.out1, -2) };
}
