/* Rules of ops whose output is like self, and their tables: fill, zero. */
#include "dispatch/table/optable.h"
#include "ops/rules/rules.h"

void ob_rule_out_like(ob_rule *rule, int i, const ob_tensor *t, ob_dtype dtype)
{
    const int rank = ob_tensor_rank(t);
    ob_rule_out(rule, i, dtype, ob_tensor_sizes(t), rank);
    if (ob_tensor_is_contiguous(t) || !ob_tensor_is_dense(t)) return;
    ob_out_spec *out = &rule->outs[i];
    out->has_strides = true;
    for (int d = 0; d < rank; d++)
        out->strides[d] = ob_tensor_strides(t)[d];
}

/* One output with the sizes, strides and dtype of the first argument. */
static ob_status like_self(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    ob_rule_out_like(rule, 0, self, ob_tensor_dtype(self));
    return OB_OK;
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "fill.Scalar", like_self, OB_STRUCTURED_ALIAS_OK | OB_STRUCTURED_SPREAD_OK },
        { "zero", like_self, OB_STRUCTURED_ALIAS_OK | OB_STRUCTURED_SPREAD_OK },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
