/* The convolutions of users, over aten::convolution. PyTorch: aten/src/ATen/native/Convolution.cpp.
 * input: [N, C, *space] or [C, *space]   weight: [O, C / groups, *space], transposed [C, O /
 * groups, *space] */
#include "ops/composites/look.h"

/* What is not the tensors. */
typedef struct conv {
    ob_ints stride, padding, dilation, output_padding;
    int64_t groups;
    bool transposed;
    int space; /* spatial dims */
} conv;

/* Adds the batch dim where it is missing, and takes it away again. */
static ob_tensor *convolve(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias,
                           const conv *c)
{
    const int n = c->space;
    const bool single = rank_of(input) == n + 1;
    const ob_ints none = repeated(s, 0, n);
    ob_tensor *x = single ? ob_unsqueeze(s, input, 0) : input;
    ob_tensor *y =
        ob_convolution(s, x, weight, bias, spread(s, c->stride, n), spread(s, c->padding, n),
                       spread(s, c->dilation, n), c->transposed,
                       c->transposed ? spread(s, c->output_padding, n) : none, c->groups);
    return single ? ob_squeeze_dim(s, y, 0) : y;
}

#define OB_CONV(name, dims)                                                                        \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias, \
                                ob_ints stride, ob_ints padding, ob_ints dilation, int64_t groups) \
    {                                                                                              \
        const conv c = { stride, padding, dilation, { NULL, 0 }, groups, false, dims };            \
        return convolve(s, input, weight, bias, &c);                                               \
    }
OB_CONV(conv1d, 1)
OB_CONV(conv2d, 2)
OB_CONV(conv3d, 3)
#undef OB_CONV

#define OB_CONV(name, dims)                                                                        \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias, \
                                ob_ints stride, ob_ints padding, ob_ints output_padding,           \
                                int64_t groups, ob_ints dilation)                                  \
    {                                                                                              \
        const conv c = { stride, padding, dilation, output_padding, groups, true, dims };          \
        return convolve(s, input, weight, bias, &c);                                               \
    }
OB_CONV(conv_transpose1d, 1)
OB_CONV(conv_transpose2d, 2)
OB_CONV(conv_transpose3d, 3)
#undef OB_CONV

/* "same": d (k - 1) zeros per dim, the odd one after the end. Returns the input with the odd ones,
 * and in *padding what is left for both ends. */
static ob_tensor *pad_same(ob_scope *s, ob_tensor *input, const ob_tensor *weight, const conv *c,
                           ob_ints *padding)
{
    int64_t *both = ob_scope_alloc(s, 8 * sizeof *both), *odd = ob_scope_alloc(s, 8 * sizeof *odd);
    const ob_ints dilation = spread(s, c->dilation, c->space);
    bool uneven = false;
    if (!both || !odd || dilation.n < c->space) return NULL;
    for (int i = 0; i < c->space; i++) {
        const int64_t total = dilation.data[i] * (extent(weight, i + 2) - 1);
        both[i] = total / 2;
        odd[2 * (c->space - 1 - i) + 1] = total % 2; /* pads go from the last dim to the first */
        uneven |= total % 2 != 0;
    }
    *padding = (ob_ints){ both, c->space };
    return uneven ? ob_constant_pad_nd(s, input, (ob_ints){ odd, 2 * c->space }) : input;
}

static ob_tensor *convolve_mode(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias,
                                const char *mode, conv c)
{
    const bool same = mode && strcmp(mode, "same") == 0;
    if (!same && (!mode || strcmp(mode, "valid") != 0))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "conv: padding is \"%s\", must be \"same\" or \"valid\"",
                                        mode ? mode : ""));
    for (int64_t i = 0; same && i < c.stride.n; i++)
        if (c.stride.data[i] != 1)
            return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                            "conv: padding \"same\" needs stride 1, which is %lld",
                                            (long long)c.stride.data[i]));
    c.padding = repeated(s, 0, c.space);
    if (same) input = pad_same(s, input, weight, &c, &c.padding);
    return convolve(s, input, weight, bias, &c);
}

#define OB_CONV(name, dims)                                                                        \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias, \
                                ob_ints stride, const char *padding, ob_ints dilation,             \
                                int64_t groups)                                                    \
    {                                                                                              \
        const conv c = { stride, { NULL, 0 }, dilation, { NULL, 0 }, groups, false, dims };        \
        return convolve_mode(s, input, weight, bias, padding, c);                                  \
    }
OB_CONV(conv1d_padding, 1)
OB_CONV(conv2d_padding, 2)
OB_CONV(conv3d_padding, 3)
#undef OB_CONV

ob_tensor *composite_convolution_mode(ob_scope *s, ob_tensor *input, ob_tensor *weight,
                                      ob_tensor *bias, ob_ints stride, const char *padding,
                                      ob_ints dilation, int64_t groups)
{
    const conv c = {
        stride, { NULL, 0 }, dilation, { NULL, 0 }, groups, false, rank_of(weight) - 2
    };
    return convolve_mode(s, input, weight, bias, padding, c);
}

/* The last three flags choose among CUDA libraries. */
ob_tensor *composite_priv_convolution(ob_scope *s, ob_tensor *input, ob_tensor *weight,
                                      ob_tensor *bias, ob_ints stride, ob_ints padding,
                                      ob_ints dilation, bool transposed, ob_ints output_padding,
                                      int64_t groups, bool benchmark, bool deterministic,
                                      bool cudnn_enabled, bool allow_tf32)
{
    (void)benchmark, (void)deterministic, (void)cudnn_enabled, (void)allow_tf32;
    return ob_convolution(s, input, weight, bias, stride, padding, dilation, transposed,
                          output_padding, groups);
}
