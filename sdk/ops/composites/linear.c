/* Linear maps as formulas. PyTorch: aten/src/ATen/native/Linear.cpp. */
#include "ops/composites_gen.h"

/* linear(x) = x W^T + b. x: [..., I]   W: [O, I]   b: [O]   result: [..., O] */
ob_tensor *composite_linear(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias)
{
    if (input && bias && ob_tensor_rank(input) == 2)
        return ob_addmm(s, bias, input, ob_t(s, weight));
    ob_tensor *y = ob_matmul(s, input, ob_t(s, weight));
    return bias ? ob_add(s, y, bias) : y;
}
