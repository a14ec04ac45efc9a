/* Gradients of convolution, themselves convolutions: of the input by convolving the other way, of
 * the weight with batch and channels in each other's place. PyTorch:
 * aten/src/ATen/native/Convolution.cpp. */
#include "ops/composites/look.h"

/* The forward's arguments, lists spread over its dims. */
typedef struct conv {
    int dims;
    ob_ints stride, padding, dilation, output_padding;
    bool transposed;
    int64_t groups;
} conv;

/* The input's gradient. A transposed convolution may leave elements at the end without a window:
 * output_padding gives them. */
static ob_tensor *input_grad(ob_scope *s, const conv *c, ob_tensor *grad, const ob_tensor *input,
                             ob_tensor *weight)
{
    int64_t more[OB_MAX_RANK];
    for (int d = 0; d < c->dims; d++) {
        const int64_t least = (extent(grad, d + 2) - 1) * c->stride.data[d] -
                              2 * c->padding.data[d] +
                              c->dilation.data[d] * (extent(weight, d + 2) - 1) + 1;
        more[d] = c->transposed ? 0 : extent(input, d + 2) - least;
    }
    return ob_convolution(s, grad, weight, NULL, c->stride, c->padding, c->dilation, !c->transposed,
                          (ob_ints){ more, c->dims }, c->groups);
}

/* The weight's gradient of one group. The roles of stride and dilation change: window places step
 * by the dilation, and the gradient's elements lie a stride apart. */
static ob_tensor *group_grad(ob_scope *s, const conv *c, ob_tensor *image, ob_tensor *windows,
                             const ob_tensor *weight)
{
    ob_tensor *g =
        ob_convolution(s, ob_transpose(s, image, 0, 1), ob_transpose(s, windows, 0, 1), NULL,
                       c->dilation, c->padding, c->stride, false, repeated(s, 0, c->dims), 1);
    for (int d = 0; d < c->dims; d++)
        g = ob_narrow(s, g, d + 2, 0, extent(weight, d + 2));
    return ob_transpose(s, g, 0, 1);
}

static ob_tensor *weight_grad(ob_scope *s, const conv *c, ob_tensor *grad, ob_tensor *input,
                              const ob_tensor *weight)
{
    ob_tensor *image = c->transposed ? grad : input, *windows = c->transposed ? input : grad;
    const int64_t a = extent(image, 1) / c->groups, b = extent(windows, 1) / c->groups;
    ob_tensor **parts = ob_scope_alloc(s, (size_t)c->groups * sizeof(ob_tensor *));
    for (int64_t g = 0; parts && g < c->groups; g++)
        parts[g] = group_grad(s, c, ob_narrow(s, image, 1, g * a, a),
                              ob_narrow(s, windows, 1, g * b, b), weight);
    if (!parts || ob_scope_status(s) != OB_OK) return NULL;
    return ob_cat(s, (ob_tensors){ parts, c->groups }, 0);
}

struct ob_convolution_backward_result
composite_convolution_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *input,
                               ob_tensor *weight, ob_opt_ints bias_sizes, ob_ints stride,
                               ob_ints padding, ob_ints dilation, bool transposed,
                               ob_ints output_padding, int64_t groups, ob_bools output_mask)
{
    const int dims = rank_of(input) - 2;
    struct ob_convolution_backward_result r = { NULL, NULL, NULL };
    if (!grad_output || !input || !weight) return r;
    if (dims < 1 || rank_of(weight) != dims + 2 || rank_of(grad_output) != dims + 2 || groups < 1) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                 "convolution_backward: input, weight and gradient have %d, %d and "
                                 "%d dims, must have as many, 3 to 5",
                                 rank_of(input), rank_of(weight), rank_of(grad_output)));
        return r;
    }
    const conv c = { dims,
                     spread(s, stride, dims),
                     spread(s, padding, dims),
                     spread(s, dilation, dims),
                     spread(s, output_padding, dims),
                     transposed,
                     groups };
    ob_ints over = dims_from(s, input, 1); /* all dims but the channels */
    if (over.data) ((int64_t *)(uintptr_t)over.data)[0] = 0;
    (void)bias_sizes; /* the gradient's channels */
    if (output_mask.data[0]) r.out0 = input_grad(s, &c, grad_output, input, weight);
    if (output_mask.data[1]) r.out1 = weight_grad(s, &c, grad_output, input, weight);
    if (output_mask.data[2])
        r.out2 = ob_sum_dim(s, grad_output, (ob_opt_ints){ over.data, over.n, true });
    return r;
}
