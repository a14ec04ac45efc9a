/* Shape rules of ops that join, pad, reorder or scan elements: cat, constant_pad_nd, flip,
 * roll, tril, triu, cumsum, cumprod, sort, topk. */
#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/rules/rules.h"

/* A 1-d tensor without elements takes part in cat for old times' sake, and adds nothing. */
static bool is_skipped(const ob_tensor *t)
{
    return ob_tensor_rank(t) == 1 && ob_tensor_numel(t) == 0;
}

static ob_status join(const ob_rule *rule, const ob_tensor *t, const ob_tensor *first, int dim,
                      int64_t *extent)
{
    bool fits = ob_tensor_rank(t) == ob_tensor_rank(first);
    for (int d = 0; fits && d < ob_tensor_rank(t); d++)
        fits = d == dim || ob_tensor_sizes(t)[d] == ob_tensor_sizes(first)[d];
    char a[256], b[256];
    if (!fits)
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: one tensor is %s, another %s; they may differ in dim %d "
                       "only",
                       rule->op,
                       ob_sizes_format(ob_tensor_sizes(first), ob_tensor_rank(first), a, sizeof a),
                       ob_sizes_format(ob_tensor_sizes(t), ob_tensor_rank(t), b, sizeof b), dim);
    *extent += ob_tensor_sizes(t)[dim];
    return OB_OK;
}

/* cat(tensors, dim) */
static ob_status cat(ob_rule *rule)
{
    const ob_value *list = &rule->args[0];
    const ob_tensor *first = NULL;
    ob_dtype dtype = OB_DTYPE_NONE;
    int dim = 0;
    int64_t extent = 0;
    if (list->count == 0) return OB_FAIL(OB_ERR_ARG, "%s: the list has no tensors", rule->op);
    for (uint32_t i = 0; i < list->count; i++) {
        const ob_tensor *t = list->u.tensors[i];
        if (!t || ob_tensor_rank(t) == 0)
            return OB_FAIL(OB_ERR_ARG, "%s: tensor %u has no dims; unsqueeze it or use stack",
                           rule->op, i);
        dtype = dtype == OB_DTYPE_NONE ? ob_tensor_dtype(t)
                                       : ob_dtype_promote(dtype, ob_tensor_dtype(t));
        if (!first && !is_skipped(t)) first = t;
    }
    if (!first) first = list->u.tensors[0];
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(first), &dim));
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_skipped(list->u.tensors[i]))
            OB_TRY(join(rule, list->u.tensors[i], first, dim, &extent));
    rule->compute = dtype;
    rule->cast_outs = true;
    rule->cast = 1;
    ob_rule_out(rule, 0, dtype, ob_tensor_sizes(first), ob_tensor_rank(first));
    rule->outs[0].sizes[dim] = extent;
    return OB_OK;
}

/* constant_pad_nd(self, pad, value): pairs from the last dim on; negative ones cut. */
static ob_status constant_pad_nd(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    const ob_value *pad = &rule->args[1];
    const int rank = ob_tensor_rank(self);
    if (pad->count % 2 != 0 || pad->count > 2 * (uint32_t)rank)
        return OB_FAIL(OB_ERR_ARG,
                       "%s: %u pads for a tensor of %d dims; they come in pairs, one "
                       "per dim at most",
                       rule->op, pad->count, rank);
    ob_rule_out(rule, 0, ob_tensor_dtype(self), ob_tensor_sizes(self), rank);
    for (uint32_t i = 0; i < pad->count / 2; i++) {
        const int d = rank - 1 - (int)i;
        const int64_t size = ob_tensor_sizes(self)[d] + pad->u.ints[2 * i] + pad->u.ints[2 * i + 1];
        if (size < 0)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: dim %d has %lld; pads of %lld and %lld leave less than "
                           "nothing",
                           rule->op, d, (long long)ob_tensor_sizes(self)[d],
                           (long long)pad->u.ints[2 * i], (long long)pad->u.ints[2 * i + 1]);
        rule->outs[0].sizes[d] = size;
    }
    return OB_OK;
}

static ob_status like_self(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    ob_rule_out_like(rule, 0, self, ob_tensor_dtype(self));
    return OB_OK;
}

/* flip(self, dims) */
static ob_status flip(ob_rule *rule)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < rule->args[1].count; i++) {
        int d = 0;
        OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.ints[i],
                                 ob_tensor_rank(rule->args[0].u.tensor), &d));
        if (seen >> d & 1) return OB_FAIL(OB_ERR_ARG, "%s: dim %d is given twice", rule->op, d);
        seen |= UINT64_C(1) << d;
    }
    return like_self(rule);
}

/* roll(self, shifts, dims): without dims the flattened tensor is rolled */
static ob_status roll(ob_rule *rule)
{
    const ob_value *shifts = &rule->args[1], *dims = &rule->args[2];
    const ob_tensor *self = rule->args[0].u.tensor;
    if (shifts->count != (dims->count ? dims->count : 1))
        return OB_FAIL(OB_ERR_ARG, "%s: %u shifts for %u dims; they must be as many", rule->op,
                       shifts->count, dims->count);
    for (uint32_t i = 0; i < dims->count; i++) {
        int d = 0;
        OB_TRY(ob_shape_wrap_dim(rule->op, dims->u.ints[i], ob_tensor_rank(self), &d));
    }
    ob_rule_out(rule, 0, ob_tensor_dtype(self), ob_tensor_sizes(self), ob_tensor_rank(self));
    return OB_OK;
}

/* tril(self, diagonal), triu */
static ob_status triangle(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    if (ob_tensor_rank(self) < 2)
        return OB_FAIL(OB_ERR_SHAPE, "%s: self has %d dims, it must have 2 or more", rule->op,
                       ob_tensor_rank(self));
    return like_self(rule);
}

/* cumsum(self, dim, dtype), cumprod: integers add up to int64 unless a dtype is given */
static ob_status scan(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(self), &dim));
    ob_dtype dtype = ob_tensor_dtype(self);
    if (rule->args[2].tag != OB_VALUE_NONE)
        dtype = (ob_dtype)rule->args[2].u.i;
    else if (ob_dtype_kind(dtype) <= OB_KIND_INT)
        dtype = OB_I64;
    if (!ob_dtype_is_known(dtype))
        return OB_FAIL(OB_ERR_DTYPE, "%s: %s is not a dtype of Outboard", rule->op,
                       ob_dtype_name(dtype));
    rule->compute = dtype;
    rule->cast = 1;
    rule->cast_outs = true;
    rule->strict_inplace = rule->args[2].tag != OB_VALUE_NONE;
    ob_rule_out_like(rule, 0, self, dtype);
    return OB_OK;
}

static ob_status check_sortable(const ob_rule *rule, const ob_value *dim_arg, int *dim)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    if (ob_tensor_dtype(self) == OB_C64)
        return OB_FAIL(OB_ERR_DTYPE, "%s: complex numbers have no order", rule->op);
    return ob_shape_wrap_dim(rule->op, dim_arg->u.i, ob_tensor_rank(self), dim);
}

/* sort.stable(self, stable, dim, descending) */
static ob_status sort(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    int dim = 0;
    OB_TRY(check_sortable(rule, &rule->args[2], &dim));
    ob_rule_out_like(rule, 0, self, ob_tensor_dtype(self));
    ob_rule_out_like(rule, 1, self, OB_I64);
    return OB_OK;
}

/* topk(self, k, dim, largest, sorted) */
static ob_status topk(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    const int64_t k = rule->args[1].u.i;
    const int rank = ob_tensor_rank(self);
    int dim = 0;
    OB_TRY(check_sortable(rule, &rule->args[2], &dim));
    const int64_t extent = rank ? ob_tensor_sizes(self)[dim] : 1;
    if (k < 0 || k > extent)
        return OB_FAIL(OB_ERR_ARG, "%s: k is %lld, dim %d has %lld", rule->op, (long long)k, dim,
                       (long long)extent);
    ob_rule_out(rule, 0, ob_tensor_dtype(self), ob_tensor_sizes(self), rank);
    ob_rule_out(rule, 1, OB_I64, ob_tensor_sizes(self), rank);
    if (rank > 0) rule->outs[0].sizes[dim] = rule->outs[1].sizes[dim] = k;
    return OB_OK;
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "cat", cat, 0 },
        { "constant_pad_nd", constant_pad_nd, 0 },
        { "flip", flip, 0 },
        { "roll", roll, 0 },
        { "tril", triangle, OB_STRUCTURED_ALIAS_OK },
        { "triu", triangle, OB_STRUCTURED_ALIAS_OK },
        { "cumsum", scan, OB_STRUCTURED_ALIAS_OK },
        { "cumprod", scan, OB_STRUCTURED_ALIAS_OK },
        { "sort.stable", sort, 0 },
        { "topk", topk, 0 },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
