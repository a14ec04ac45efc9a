/* Gradients of pooling and padding. PyTorch: aten/src/ATen/native/AveragePool2d.cpp,
 * AdaptiveAveragePooling.cpp, DilatedMaxPool2d.cpp, ReflectionPad.cpp, ReplicationPadding.cpp. */
#include "ops/composites/image/taps.h"

/* ---- average */

/* Windows over the last dims: as the forward op's arguments, one number for each dim. */
typedef struct windows {
    int dims;
    ob_ints kernel, stride, padding;
    bool count_include_pad;
    ob_opt_int divisor;
} windows;

/* The taps of a dim, and in counts[i] the elements of window i that the average divides by. */
static taps window_taps(ob_scope *s, const windows *w, int d, int64_t in, int64_t out,
                        double *counts)
{
    const int64_t kernel = w->kernel.data[d], padding = w->padding.data[d];
    taps t = taps_make(s, in, out, kernel, false);
    for (int64_t i = 0; t.list && i < out; i++) {
        const int64_t from = i * w->stride.data[d] - padding;
        const int64_t to = from + kernel < in + padding ? from + kernel : in + padding;
        const int64_t first = from < 0 ? 0 : from, last = to > in ? in : to;
        counts[i] = (double)(w->count_include_pad ? to - from : last - first);
        for (int64_t k = 0; k < to - from; k++)
            taps_add(&t, k, i, from + k, 1);
    }
    return t;
}

static ob_tensor *average_back(ob_scope *s, windows w, ob_tensor *grad, ob_tensor *self)
{
    const int lead = rank_of(self) - w.dims;
    w.kernel = spread(s, w.kernel, w.dims);
    w.stride = w.stride.n > 0 ? spread(s, w.stride, w.dims) : w.kernel;
    w.padding = spread(s, w.padding, w.dims);
    if (!grad || !self) return NULL;
    if (rank_of(grad) != rank_of(self) || lead < 1 || w.kernel.n != w.dims ||
        w.stride.n != w.dims || w.padding.n != w.dims)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "avg_pool_backward: gradient of %d dims, input of %d; "
                                        "windows have %d",
                                        rank_of(grad), rank_of(self), w.dims));
    ob_tensor *g = widened(s, grad);
    for (int d = 0; d < w.dims; d++) {
        const int64_t n = extent(grad, lead + d);
        double *counts = ob_scope_alloc(s, (size_t)(n + 1) * sizeof *counts);
        if (!counts) return NULL;
        const taps t = window_taps(s, &w, d, extent(self, lead + d), n, counts);
        if (!w.divisor.has) g = ob_div(s, g, weights_tensor(s, g, lead + d, counts, n));
        g = taps_read_back(s, g, lead + d, &t);
    }
    if (w.divisor.has) g = ob_div_scalar(s, g, ob_int(w.divisor.value));
    return as_dtype(s, g, dtype_of(grad));
}

#define AVERAGE(name, n)                                                                           \
    ob_tensor *composite_##name(                                                                   \
        ob_scope *s, ob_tensor *grad_output, ob_tensor *self, ob_ints kernel_size, ob_ints stride, \
        ob_ints padding, bool ceil_mode, bool count_include_pad, ob_opt_int divisor_override)      \
    {                                                                                              \
        (void)ceil_mode; /* the gradient's sizes tell */                                           \
        return average_back(                                                                       \
            s, (windows){ n, kernel_size, stride, padding, count_include_pad, divisor_override },  \
            grad_output, self);                                                                    \
    }
AVERAGE(avg_pool2d_backward, 2)
AVERAGE(avg_pool3d_backward, 3)
#undef AVERAGE

/* Windows that divide the input evenly: [i in / out, (i + 1) in / out), rounded outwards. */
static ob_tensor *adaptive_back(ob_scope *s, int dims, ob_tensor *grad, ob_tensor *self)
{
    const int lead = rank_of(self) - dims;
    ob_tensor *g = widened(s, grad);
    for (int d = lead; g && self && d < rank_of(self); d++) {
        const int64_t in = extent(self, d), out = extent(grad, d);
        taps t = taps_make(s, in, out, out > 0 ? in / out + 2 : 0, true);
        for (int64_t i = 0; t.list && i < out; i++) {
            const int64_t from = i * in / out, to = ((i + 1) * in + out - 1) / out;
            for (int64_t k = 0; k < to - from; k++)
                taps_add(&t, k, i, from + k, 1 / (double)(to - from));
        }
        g = taps_read_back(s, g, d, &t);
    }
    return g ? as_dtype(s, g, dtype_of(grad)) : NULL;
}

ob_tensor *composite_adaptive_avg_pool2d_backward(ob_scope *s, ob_tensor *grad_output,
                                                  ob_tensor *self)
{
    return adaptive_back(s, 2, grad_output, self);
}

ob_tensor *composite_priv_adaptive_avg_pool3d_backward(ob_scope *s, ob_tensor *grad_output,
                                                       ob_tensor *self)
{
    return adaptive_back(s, 3, grad_output, self);
}

/* ---- maximum: indices are positions in a plane of `dims` dims */

static ob_tensor *maximum_back(ob_scope *s, int dims, ob_tensor *grad, ob_tensor *self,
                               ob_tensor *indices)
{
    if (!grad || !self || !indices) return NULL;
    if (rank_of(grad) != rank_of(self) || rank_of(indices) != rank_of(grad) ||
        rank_of(self) <= dims)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "max_pool_backward: input, gradient and indices have %d, "
                                        "%d and %d dims, must have as many",
                                        rank_of(self), rank_of(grad), rank_of(indices)));
    ob_tensor *plane = ob_flatten(
        s, ob_zeros_like(s, self, .memory_format = OB_MEMORY_FORMAT_CONTIGUOUS), -dims, -1);
    ob_tensor *sum = ob_scatter_add(s, plane, -1, ob_flatten(s, indices, -dims, -1),
                                    ob_flatten(s, grad, -dims, -1));
    return ob_reshape(s, sum, sizes_of(self));
}

#define MAXIMUM(name, dims)                                                              \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,    \
                                ob_ints kernel_size, ob_ints stride, ob_ints padding,    \
                                ob_ints dilation, bool ceil_mode, ob_tensor *indices)    \
    {                                                                                    \
        (void)kernel_size, (void)stride, (void)padding, (void)dilation, (void)ceil_mode; \
        return maximum_back(s, dims, grad_output, self, indices);                        \
    }
MAXIMUM(max_pool2d_with_indices_backward, 2)
MAXIMUM(max_pool3d_with_indices_backward, 3)
#undef MAXIMUM

ob_tensor *composite_adaptive_max_pool2d_backward(ob_scope *s, ob_tensor *grad_output,
                                                  ob_tensor *self, ob_tensor *indices)
{
    return maximum_back(s, 2, grad_output, self, indices);
}

ob_tensor *composite_adaptive_max_pool3d_backward(ob_scope *s, ob_tensor *grad_output,
                                                  ob_tensor *self, ob_tensor *indices)
{
    return maximum_back(s, 3, grad_output, self, indices);
}

/* max_unpool: the elements go where the maxima were. */
ob_tensor *composite_max_unpool2d(ob_scope *s, ob_tensor *self, ob_tensor *indices,
                                  ob_ints output_size)
{
    int64_t *sizes = sizes_copy(s, self, 0);
    if (!sizes || !self || !indices) return NULL;
    if (output_size.n != 2 || rank_of(self) < 3 || rank_of(indices) != rank_of(self))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "max_unpool2d: %lld output sizes for a tensor of %d dims, "
                                        "must be two for 3 or 4",
                                        (long long)output_size.n, rank_of(self)));
    for (int d = 0; d < 2; d++)
        sizes[rank_of(self) - 2 + d] = output_size.data[d];
    const ob_ints large = { sizes, rank_of(self) };
    ob_tensor *plane = ob_flatten(s, ob_new_zeros(s, self, large), -2, -1);
    return ob_reshape(
        s, ob_scatter(s, plane, -1, ob_flatten(s, indices, -2, -1), ob_flatten(s, self, -2, -1)),
        large);
}

/* ---- padding: pads go from the last dim to the first */

static ob_tensor *pad_back(ob_scope *s, ob_tensor *grad, ob_tensor *self, ob_ints pads,
                           bool reflect)
{
    ob_tensor *g = grad;
    for (int64_t p = 0; g && self && p < pads.n / 2; p++) {
        const int64_t d = rank_of(self) - 1 - p, n = extent(self, d), left = pads.data[2 * p];
        const int64_t out = n + left + pads.data[2 * p + 1];
        if (extent(grad, d) != out)
            return ob_scope_fail(s,
                                 OB_FAIL(OB_ERR_SHAPE,
                                         "pad_backward: dim %lld of the gradient has %lld "
                                         "elements, must have %lld",
                                         (long long)d, (long long)extent(grad, d), (long long)out));
        /* Elements that come from one place are in taps apart: before, within, after. */
        taps t = taps_make(s, n, out, 3, false);
        for (int64_t i = 0; t.list && i < out; i++) {
            int64_t in = i - left;
            const int64_t part = in < 0 ? 0 : in < n ? 1 : 2;
            if (reflect)
                in = in < 0 ? -in : in >= n ? 2 * (n - 1) - in : in;
            else
                in = in < 0 ? 0 : in >= n ? n - 1 : in;
            taps_add(&t, part, i, in, 1);
        }
        g = taps_read_back(s, g, d, &t);
    }
    return g;
}

#define PAD(name, reflect)                                                            \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *grad_output, ob_tensor *self, \
                                ob_ints padding)                                      \
    {                                                                                 \
        return pad_back(s, grad_output, self, padding, reflect);                      \
    }
PAD(reflection_pad1d_backward, true)
PAD(reflection_pad2d_backward, true)
PAD(reflection_pad3d_backward, true)
PAD(replication_pad1d_backward, false)
PAD(replication_pad2d_backward, false)
PAD(replication_pad3d_backward, false)
#undef PAD
