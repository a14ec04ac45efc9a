/* The shape rule of the reductions, from their rows: dims, keepdim, result dtype. PyTorch:
 * aten/src/ATen/native/ReduceOpsUtils.h. */
#include <math.h>
#include <string.h>

#include "dispatch/table/optable.h"
#include "ob/inspect.h"
#include "ops/rules/reduce_table.h"
#include "ops/structured/structured.h"

/* The dtype that the input is reduced in. */
static ob_dtype compute_dtype(const ob_reduce_op *base, const ob_reduce_call *call)
{
    const ob_dtype own = ob_tensor_dtype(call->x);
    if (call->asked != OB_DTYPE_NONE) return call->asked;
    if (base->result == OB_RED_SUM && ob_dtype_kind(own) <= OB_KIND_INT) return OB_I64;
    if (base->result == OB_RED_FLOAT) return ob_dtype_to_float(own);
    return own;
}

static ob_dtype result_dtype(const ob_reduce_op *base, ob_dtype compute)
{
    switch (base->result) {
    case OB_RED_BOOL:
        return compute == OB_U8 ? OB_U8 : OB_BOOL;
    case OB_RED_COUNT:
        return OB_I64;
    case OB_RED_REAL:
        return ob_dtype_to_real(compute);
    default:
        return compute;
    }
}

static ob_status check_dtype(const ob_rule *rule, const ob_reduce_op *base, ob_dtype compute)
{
    const bool own = base->result == OB_RED_REAL; /* a norm of ints is refused whatever is asked */
    const ob_kind kind = ob_dtype_kind(own ? ob_tensor_dtype(rule->args[0].u.tensor) : compute);
    if (base->kinds >> kind & 1 && compute != OB_F8E4M3) return OB_OK;
    if (kind <= OB_KIND_INT && !(base->kinds & 3))
        return OB_FAIL(
            OB_ERR_DTYPE,
            "%s: the input is %s, should be a floating point or complex dtype; give dtype=",
            rule->op, ob_dtype_name(compute));
    return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: not implemented for %s", rule->op,
                   ob_dtype_name(compute));
}

/* What has no value without elements: a choice, and a norm of infinite or negative order. */
static bool needs_elements(const ob_reduce_op *base, const ob_reduce_call *call)
{
    const bool norm = base->flags & OB_RED_ORDER && (isinf(call->a) || call->a < 0);
    return norm || base->flags & OB_RED_NOT_EMPTY;
}

static ob_status check_not_empty(const ob_rule *rule, const ob_reduce_op *base,
                                 const ob_reduce_call *call)
{
    if (!needs_elements(base, call)) return OB_OK;
    for (int d = 0; d < ob_tensor_rank(call->x); d++)
        if (call->reduced[d] && ob_tensor_sizes(call->x)[d] == 0)
            return OB_FAIL(OB_ERR_SHAPE,
                           "%s: dim %d has 0 elements, there is nothing to choose from", rule->op,
                           d);
    return OB_OK;
}

static int result_sizes(const ob_reduce_call *call, int64_t *sizes)
{
    int rank = 0;
    for (int d = 0; d < ob_tensor_rank(call->x); d++)
        if (!call->reduced[d] || call->keepdim)
            sizes[rank++] = call->reduced[d] ? 1 : ob_tensor_sizes(call->x)[d];
    return rank;
}

/* Sums, means and deviations are cast to an out=; chosen elements, indices and norms are not. */
static bool casts_outs(const ob_reduce_op *base)
{
    const bool deviation = base->flags & OB_RED_CENTERED && !(base->flags & OB_RED_MEAN_TOO);
    return base->result == OB_RED_SUM || base->result == OB_RED_MEAN ||
           base->result == OB_RED_FLOAT || deviation;
}

static ob_status rule_reduce(ob_rule *rule, int index)
{
    const ob_reduce_op *op = &ob_reduce_ops[index], *base = &ob_reduce_ops[op->of];
    ob_reduce_call call;
    int64_t sizes[OB_MAX_RANK];
    OB_TRY(ob_reduce_read(rule->op, op, rule->args, &call));
    const ob_dtype compute = compute_dtype(base, &call);
    OB_TRY(check_dtype(rule, base, compute));
    OB_TRY(check_not_empty(rule, base, &call));
    rule->compute = compute;
    rule->cast = 1;
    rule->cast_outs = casts_outs(base);
    const int rank = result_sizes(&call, sizes);
    const ob_dtype result = result_dtype(base, compute);
    ob_rule_out(rule, 0, result, sizes, rank);
    if (base->flags & OB_RED_VALUE) ob_rule_out(rule, 1, OB_I64, sizes, rank);
    if (base->flags & OB_RED_MEAN_TOO) ob_rule_out(rule, 1, compute, sizes, rank);
    return OB_OK;
}

#define OB_FORM(name, args, of)                  \
    static ob_status rule_##name(ob_rule *rule)  \
    {                                            \
        return rule_reduce(rule, OB_RED_##name); \
    }
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) \
    OB_FORM(name, args, name)
#include "ops/reduce.inc"
#undef OB_REDUCE
#undef OB_FORM

static ob_status install(void)
{
    static const ob_rule_fn rules[OB_RED_OPS] = {
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) rule_##name,
#define OB_FORM(name, args, of)                                                rule_##name,
#include "ops/reduce.inc"
#undef OB_REDUCE
#undef OB_FORM
    };
    ob_structured_row rows[OB_RED_OPS];
    for (int i = 0; i < OB_RED_OPS; i++)
        rows[i] =
            (ob_structured_row){ ob_op_name(ob_aten_op(ob_reduce_ops[i].aten)) + strlen("aten::"),
                                 rules[i], 0 };
    return ob_structured_install(rows, OB_RED_OPS);
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
