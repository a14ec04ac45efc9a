/* The shape rule of the pointwise ops, from their rows: broadcasting, promotion, result dtype,
 * result strides. Called by the structured machinery and as Meta kernel. PyTorch:
 * aten/src/ATen/TensorIterator.cpp (compute_types, reorder_dimensions, allocate_or_resize). */
#include <string.h>

#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ob/inspect.h"
#include "ops/rules/pointwise_table.h"
#include "ops/rules/promote.h"
#include "ops/structured/structured.h"

typedef struct call {
    ob_rule *rule;
    const ob_pointwise_op *op;
    int index; /* of op */
    ob_pointwise_args args;
    ob_dtype common;
} call;

static const ob_tensor *tensor_of(const ob_value *v)
{
    return v && v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
}

static ob_status check_same_dtype(const call *c)
{
    const ob_tensor *first = NULL;
    if (!(c->op->flags & OB_PW_SAME_DTYPE)) return OB_OK;
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_tensor *t = tensor_of(c->args.operand[i]);
        if (!t) continue;
        if (!first) first = t;
        if (ob_tensor_dtype(t) != ob_tensor_dtype(first))
            return OB_FAIL(OB_ERR_DTYPE, "%s: operands are %s and %s, should be of one dtype",
                           c->rule->op, ob_dtype_name(ob_tensor_dtype(first)),
                           ob_dtype_name(ob_tensor_dtype(t)));
    }
    return OB_OK;
}

/* a scales a term of the sum: for bools and ints it may not be of a higher category. */
static ob_status check_alpha(const call *c, ob_dtype compute)
{
    if (!(c->op->flags & OB_PW_ALPHA) || !c->args.param[0]) return OB_OK;
    const ob_scalar a = ob_pointwise_param(c->args.param[0]);
    const ob_kind kind = ob_dtype_kind(compute);
    if (a.tag == OB_SCALAR_BOOL && kind != OB_KIND_BOOL)
        return OB_FAIL(OB_ERR_DTYPE, "%s: alpha is a bool, the result is %s; give a number",
                       c->rule->op, ob_dtype_name(compute));
    if ((a.tag == OB_SCALAR_DOUBLE && kind < OB_KIND_FLOAT) ||
        (a.tag == OB_SCALAR_COMPLEX && kind < OB_KIND_COMPLEX))
        return OB_FAIL(OB_ERR_DTYPE, "%s: alpha is %s, the result is %s; give an integer",
                       c->rule->op, a.tag == OB_SCALAR_DOUBLE ? "a float" : "complex",
                       ob_dtype_name(compute));
    return OB_OK;
}

static ob_status check_bools(const call *c)
{
    if (!(c->op->flags & OB_PW_NO_BOOL)) return OB_OK;
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_value *v = c->args.operand[i];
        if (v && (tensor_of(v) ? ob_tensor_dtype(v->u.tensor) == OB_BOOL : v->tag == OB_VALUE_BOOL))
            return OB_FAIL(OB_ERR_DTYPE, "%s: an operand is bool; use logical_xor or bitwise_not",
                           c->rule->op);
    }
    return OB_OK;
}

/* PyTorch lets a negative number wrap in uint8, if its size fits. */
static ob_status check_fits_one(const call *c, ob_dtype dtype, ob_scalar s)
{
    const int bits = 8 * (int)ob_dtype_bytes(dtype) - ob_dtype_is_signed(dtype);
    if (s.tag == OB_SCALAR_NONE || bits > 62) return OB_OK;
    const double value = ob_scalar_double(s), most = (double)((INT64_C(1) << bits) - 1);
    const double least = ob_dtype_is_signed(dtype) ? -most - 1 : -most;
    if (value < least || value > most)
        return OB_FAIL(OB_ERR_ARG, "%s: %g does not fit %s, which ends at %g", c->rule->op, value,
                       ob_dtype_name(dtype), value < 0 ? least : most);
    return OB_OK;
}

static ob_status check_fits(const call *c, ob_dtype compute)
{
    if (ob_dtype_kind(compute) != OB_KIND_INT) return OB_OK;
    for (int i = 0; i < OB_PW_PARAMS; i++)
        if (c->args.param[i])
            OB_TRY(check_fits_one(c, compute, ob_pointwise_param(c->args.param[i])));
    for (int i = 0; i < OB_PW_OPERANDS && c->op->flags & OB_PW_FITS; i++)
        if (c->args.operand[i])
            OB_TRY(check_fits_one(c, compute, ob_value_as_scalar(c->args.operand[i])));
    return OB_OK;
}

static ob_status check_power(const call *c, ob_dtype compute)
{
    if (!(c->op->flags & OB_PW_INT_POW) || ob_dtype_kind(compute) != OB_KIND_INT) return OB_OK;
    const ob_scalar y = ob_value_as_scalar(c->args.operand[1]);
    if (ob_scalar_double(y) < 0)
        return OB_FAIL(OB_ERR_ARG, "%s: exponent is %lld, integers have no negative powers",
                       c->rule->op, (long long)ob_scalar_int(y));
    return OB_OK;
}

static ob_status promote_operands(call *c)
{
    ob_promotion p = OB_PROMOTION_NONE;
    const bool fixed = c->op->flags & OB_PW_SAME_DTYPE;
    for (int i = c->op->result == OB_PW_MASK; i < OB_PW_OPERANDS; i++)
        if (c->args.operand[i] && !(fixed && !tensor_of(c->args.operand[i])))
            ob_promotion_value(&p, c->args.operand[i]);
    c->common = ob_promotion_result(&p);
    if (!ob_dtype_is_known(c->common))
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: the operands promote to %s", c->rule->op,
                       ob_dtype_name(c->common));
    return OB_OK;
}

static ob_status choose_compute(call *c, ob_dtype *compute)
{
    const ob_pw_result r = c->op->result;
    const bool divides = r == OB_PW_DIV_MODE && c->args.param[0]->tag == OB_VALUE_NONE;
    const bool to_float = r == OB_PW_FLOAT || r == OB_PW_FLOAT_REAL || divides;
    *compute = to_float ? ob_dtype_to_float(c->common) : c->common;
    const bool half = *compute == OB_F16 || *compute == OB_BF16;
    const bool cut = r == OB_PW_DIV_MODE && !divides; /* complex numbers have no floor */
    if (!ob_pointwise_has_kind(c->index, ob_dtype_kind(*compute)) || *compute == OB_F8E4M3 ||
        (cut && *compute == OB_C64) || (half && c->op->flags & OB_PW_NO_HALF))
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: not implemented for %s", c->rule->op,
                       ob_dtype_name(*compute));
    return OB_OK;
}

static ob_dtype result_dtype(const call *c, ob_dtype compute)
{
    switch (c->op->result) {
    case OB_PW_BOOL:
        return OB_BOOL;
    case OB_PW_REAL:
    case OB_PW_FLOAT_REAL:
        return ob_dtype_to_real(compute);
    default:
        return compute;
    }
}

static ob_status broadcast(call *c, int64_t *sizes, int *rank)
{
    *rank = 0;
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_tensor *t = tensor_of(c->args.operand[i]);
        if (t)
            OB_TRY(ob_shape_broadcast(c->rule->op, sizes, rank, ob_tensor_sizes(t),
                                      ob_tensor_rank(t)));
    }
    return OB_OK;
}

static bool same_sizes(const ob_tensor *t, const ob_out_spec *o)
{
    return ob_tensor_rank(t) == o->rank &&
           memcmp(ob_tensor_sizes(t), o->sizes, (size_t)o->rank * sizeof(int64_t)) == 0;
}

/* Stride of dim d of the result in operand t; 0 where it is broadcast. */
static int64_t stride_in(const ob_tensor *t, const ob_out_spec *o, int d)
{
    const int at = d - (o->rank - ob_tensor_rank(t));
    if (at < 0 || (ob_tensor_sizes(t)[at] == 1 && o->sizes[d] != 1)) return 0;
    return ob_tensor_strides(t)[at];
}

/* 1 when dim a should lie outside dim b, -1 inside, 0 when no operand says. */
static int compare_dims(const call *c, const ob_out_spec *o, int a, int b)
{
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_tensor *t = tensor_of(c->args.operand[i]);
        if (!t) continue;
        const int64_t sa = stride_in(t, o, a), sb = stride_in(t, o, b);
        if (sa == 0 || sb == 0) continue;
        if (sa != sb) return sa < sb ? -1 : 1;
        if (o->sizes[a] > o->sizes[b]) return 1;
    }
    return 0;
}

/* Strides of the result that keep the operands' order of dims: an insertion sort in which dims that
 * no operand orders stay. */
static void order_strides(const call *c, ob_out_spec *o)
{
    int perm[OB_MAX_RANK];
    for (int d = 0; d < o->rank; d++)
        perm[d] = o->rank - 1 - d;
    for (int i = 1; i < o->rank; i++) {
        int here = i;
        for (int j = i - 1; j >= 0; j--) {
            const int order = compare_dims(c, o, perm[j], perm[here]);
            if (order < 0) break;
            if (order == 0) continue;
            const int dim = perm[j];
            perm[j] = perm[here];
            perm[here] = dim;
            here = j;
        }
    }
    int64_t next = 1;
    for (int i = 0; i < o->rank; i++) {
        o->strides[perm[i]] = next;
        next *= o->sizes[perm[i]] > 1 ? o->sizes[perm[i]] : 1;
    }
    o->has_strides = true;
}

static void choose_strides(const call *c, ob_out_spec *o)
{
    const ob_tensor *first = NULL;
    bool contiguous = true, same = true;
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_tensor *t = tensor_of(c->args.operand[i]);
        if (!t) continue;
        if (!first) first = t;
        same = same && same_sizes(t, o) &&
               memcmp(ob_tensor_strides(t), ob_tensor_strides(first),
                      (size_t)o->rank * sizeof(int64_t)) == 0;
        contiguous = contiguous && same_sizes(t, o) && ob_tensor_is_contiguous(t);
    }
    if (contiguous || !first || o->rank < 2) return;
    if (same && ob_tensor_is_dense(first)) {
        memcpy(o->strides, ob_tensor_strides(first), (size_t)o->rank * sizeof(int64_t));
        o->has_strides = true;
        return;
    }
    order_strides(c, o);
}

static ob_status check_mask(const call *c)
{
    const ob_tensor *mask = tensor_of(c->args.operand[0]);
    if (c->op->result != OB_PW_MASK) return OB_OK;
    if (!mask || (ob_tensor_dtype(mask) != OB_BOOL && ob_tensor_dtype(mask) != OB_U8))
        return OB_FAIL(OB_ERR_DTYPE, "%s: condition is %s, should be bool", c->rule->op,
                       mask ? ob_dtype_name(ob_tensor_dtype(mask)) : "not a tensor");
    return OB_OK;
}

/* A mode must be a known name: an unknown one would read as absent. Of two optional operands one
 * must be there. */
static ob_status check_params(const call *c)
{
    const ob_value *y = c->args.operand[1], *z = c->args.operand[2];
    if (y && z && y->tag == OB_VALUE_NONE && z->tag == OB_VALUE_NONE)
        return OB_FAIL(OB_ERR_ARG, "%s: neither min nor max is given, one of them must be",
                       c->rule->op);
    for (int i = 0; i < OB_PW_PARAMS; i++) {
        const ob_value *v = c->args.param[i];
        if (v && v->tag == OB_VALUE_STRING && ob_pointwise_param(v).tag == OB_SCALAR_NONE)
            return OB_FAIL(OB_ERR_ARG, "%s: unknown mode \"%s\"", c->rule->op, v->u.string);
    }
    return OB_OK;
}

/* PyTorch's TensorIterator casts to an out=, except where one operand gives its own dtype. */
static bool casts_outs(const call *c)
{
    const ob_pw_result r = c->op->result;
    return r != OB_PW_MASK && (c->args.operand[1] || (r != OB_PW_COMMON && r != OB_PW_REAL));
}

static ob_status rule_pointwise(ob_rule *rule, int index)
{
    const int of = ob_pointwise_ops[index].of;
    call c = { rule, &ob_pointwise_ops[of], of, { { NULL }, { NULL }, { 0 } }, OB_DTYPE_NONE };
    int64_t sizes[OB_MAX_RANK];
    int rank;
    ob_dtype compute;
    c.args = ob_pointwise_sort_args(c.op->args, rule->args);
    OB_TRY(check_mask(&c));
    OB_TRY(check_params(&c));
    OB_TRY(check_bools(&c));
    OB_TRY(check_same_dtype(&c));
    OB_TRY(promote_operands(&c));
    OB_TRY(choose_compute(&c, &compute));
    OB_TRY(check_alpha(&c, compute));
    OB_TRY(check_power(&c, compute));
    OB_TRY(check_fits(&c, compute));
    OB_TRY(broadcast(&c, sizes, &rank));
    rule->compute = compute;
    rule->cast_outs = casts_outs(&c);
    for (int i = c.op->result == OB_PW_MASK; i < OB_PW_OPERANDS; i++)
        if (c.args.operand[i]) rule->cast |= UINT64_C(1) << c.args.position[i];
    ob_rule_out(rule, 0, result_dtype(&c, compute), sizes, rank);
    choose_strides(&c, &rule->outs[0]);
    return OB_OK;
}

#define OB_POINTWISE(name, args, result, flags, kinds, ...) \
    static ob_status rule_##name(ob_rule *rule)             \
    {                                                       \
        return rule_pointwise(rule, OB_PW_##name);          \
    }
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, of) OB_POINTWISE(name, , , , , )
#include "ops/pointwise.inc"
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS

static ob_status install(void)
{
    static const ob_rule_fn rules[OB_PW_COUNT] = {
#define OB_POINTWISE(name, args, result, flags, kinds, ...) rule_##name,
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, of) rule_##name,
#include "ops/pointwise.inc"
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS
    };
    ob_structured_row rows[OB_PW_COUNT];
    for (int i = 0; i < OB_PW_COUNT; i++)
        rows[i] = (ob_structured_row){ ob_op_name(ob_aten_op(ob_pointwise_ops[i].aten)) +
                                           strlen("aten::"),
                                       rules[i], OB_STRUCTURED_ALIAS_OK };
    return ob_structured_install(rows, OB_PW_COUNT);
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
