/* Rules of _softmax, _log_softmax and their backwards. PyTorch: aten/src/ATen/native/SoftMax.cpp.
 */
#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/rules/rules.h"

static bool is_half(ob_dtype dtype)
{
    return dtype == OB_F16 || dtype == OB_BF16;
}

/* (self, dim, half_to_float) */
static ob_status forward(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(self);
    const bool widens = rule->args[2].u.b;
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(self), &dim));
    if (widens && !is_half(dtype))
        return OB_FAIL(OB_ERR_DTYPE, "%s: half_to_float is for float16 and bfloat16, self is %s",
                       rule->op, ob_dtype_name(dtype));
    ob_rule_out(rule, 0, widens ? OB_F32 : dtype, ob_tensor_sizes(self), ob_tensor_rank(self));
    return OB_OK;
}

/* (grad_output, output, dim, input_dtype) */
static ob_status backward(ob_rule *rule)
{
    const ob_tensor *grad = rule->args[0].u.tensor, *output = rule->args[1].u.tensor;
    const ob_dtype dtype = (ob_dtype)rule->args[3].u.i;
    const int rank = ob_tensor_rank(grad);
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[2].u.i, rank, &dim));
    bool same = ob_tensor_rank(output) == rank;
    for (int d = 0; d < rank && same; d++)
        same = ob_tensor_sizes(grad)[d] == ob_tensor_sizes(output)[d];
    if (!same)
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: grad_output has %lld elements in %d dims, output %lld in "
                       "%d; they should have the same sizes",
                       rule->op, (long long)ob_tensor_numel(grad), rank,
                       (long long)ob_tensor_numel(output), ob_tensor_rank(output));
    if (dtype != ob_tensor_dtype(grad) && !(ob_tensor_dtype(grad) == OB_F32 && is_half(dtype)))
        return OB_FAIL(OB_ERR_DTYPE, "%s: grad_output is %s, input_dtype is %s", rule->op,
                       ob_dtype_name(ob_tensor_dtype(grad)), ob_dtype_name(dtype));
    ob_rule_out(rule, 0, dtype, ob_tensor_sizes(grad), rank);
    return OB_OK;
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "_softmax", forward, 0 },
        { "_log_softmax", forward, 0 },
        { "_softmax_backward_data", backward, 0 },
        { "_log_softmax_backward_data", backward, 0 },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
