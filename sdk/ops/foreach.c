/* Ops on lists of tensors: _foreach_<op> calls <op> for every element. Lists are taken apart, other
 * arguments are passed on; which overload is called is the table below, which argument is which
 * follows from the names in the schemas. PyTorch: aten/src/ATen/native/ForeachOpsKernels.cpp. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "dispatch/table/optable.h"
#include "ops/aten.h"
#include "ops/batch.h"

enum { MAX_ARGS = 8, NAME_BYTES = 80 };

/* clang-format off */
/* Overloads of an op, and the ones that serve them; a row of "*" is for the ops that have none. */
static const struct overload {
    const char *base, *overload, *target, *functional, *in_place;
} overloads[] = {
    { "addcdiv", "*",               "addcdiv",            "",              "" },
    { "addcmul", "*",               "addcmul",            "",              "" },
    { "clamp_max", "List",          "clamp_max",          "Tensor",        "Tensor" },
    { "clamp_max", "*",             "clamp_max",          "",              "" },
    { "clamp_min", "List",          "clamp_min",          "Tensor",        "Tensor" },
    { "clamp_min", "*",             "clamp_min",          "",              "" },
    { "maximum", "List",            "clamp_min",          "Tensor",        "Tensor" },
    { "maximum", "*",               "clamp_min",          "",              "" },
    { "minimum", "List",            "clamp_max",          "Tensor",        "Tensor" },
    { "minimum", "*",               "clamp_max",          "",              "" },
    { "norm", "*",                  "linalg_vector_norm", "",              NULL },
    { "pow", "List",                "pow",                "Tensor_Tensor", "Tensor" },
    { "pow", "ScalarAndTensor",     "pow",                "Scalar",        NULL },
    { "pow", "*",                   "pow",                "Tensor_Scalar", "Scalar" },
    { "*", "List",                  NULL,                 "Tensor",        "Tensor" },
    { "*", "Scalar",                NULL,                 "Scalar",        "Scalar" },
    { "*", "ScalarList",            NULL,                 "Scalar",        "Scalar" },
    { "*", "Tensor",                NULL,                 "Tensor",        "Tensor" },
    { "*", "",                      NULL,                 "",              "" },
};
/* clang-format on */

/* A call, and for every argument its place in the target's schema. */
typedef struct foreach_call {
    ob_frame *frame;
    const ob_op *target;
    const ob_schema *schema; /* of the target */
    int place[MAX_ARGS];
    int64_t n;
} foreach_call;

static bool is_list(const ob_value *v)
{
    return v->tag == OB_VALUE_TENSORS || v->tag == OB_VALUE_LIST;
}

/* All lists are of one length, and there is one. */
static ob_status count(foreach_call *c)
{
    c->n = -1;
    for (uint32_t i = 0; i < c->frame->n_args; i++) {
        const ob_value *v = &c->frame->args[i];
        if (!is_list(v)) continue;
        if (c->n >= 0 && v->count != c->n)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: one list has %lld elements, another has %u; they must "
                           "be of one length",
                           ob_op_name(c->frame->op), (long long)c->n, v->count);
        c->n = v->count;
    }
    if (c->n > 0) return OB_OK;
    return OB_FAIL(OB_ERR_ARG, "%s: the list is empty, there must be a tensor in it",
                   ob_op_name(c->frame->op));
}

/* By name where the target has that, else after the argument before. */
static ob_status find_places(foreach_call *c)
{
    const ob_schema *own = ob_op_schema(c->frame->op);
    int next = 0;
    for (uint32_t i = 0; i < c->frame->n_args; i++) {
        const int named = ob_schema_arg(c->schema, own->args[i].name);
        const int place = named >= 0 ? named : next;
        next = place + 1;
        if (i < MAX_ARGS) c->place[i] = place;
        if (i >= MAX_ARGS || place >= c->schema->n_args)
            return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: %s does not take its argument %s",
                           ob_op_name(c->frame->op), ob_op_name(c->target), own->args[i].name);
    }
    return OB_OK;
}

/* Number i of a tensor of numbers. */
static ob_status number_at(const ob_tensor *t, int64_t i, ob_value *out)
{
    ob_value one = { 0 };
    const ob_value at[] = { ob_value_tensor((ob_tensor *)(uintptr_t)t), ob_value_int(0),
                            ob_value_int(i) };
    OB_TRY(ob_call_unchecked(ob_aten_op(OB_ROW_select), at, &one));
    const ob_status st = ob_call_unchecked(ob_aten_op(OB_ROW_local_scalar_dense), &one, out);
    ob_value_reset(&one);
    return st;
}

/* What element i of the lists passes for an argument. */
static ob_status element(const foreach_call *c, const ob_value *v, int place, int64_t i,
                         ob_value *out)
{
    const ob_type_kind wanted = c->schema->args[place].type->kind;
    *out = *v;
    if (v->tag == OB_VALUE_TENSORS)
        *out = ob_value_tensor(v->u.tensors[i]);
    else if (v->tag == OB_VALUE_LIST)
        *out = v->u.list[i];
    else if (v->tag == OB_VALUE_TENSOR && wanted == OB_TYPE_SCALAR)
        OB_TRY(number_at(v->u.tensor, i, out));
    return OB_OK;
}

static ob_status call_element(const foreach_call *c, int64_t i, ob_value *result)
{
    ob_value args[2 * MAX_ARGS] = { { 0 } };
    for (uint32_t k = 0; k < c->frame->n_args; k++)
        OB_TRY(element(c, &c->frame->args[k], c->place[k], i, &args[c->place[k]]));
    return ob_call(c->target, args, (uint32_t)c->schema->n_args, result, 1);
}

static ob_status for_each(ob_frame *frame)
{
    foreach_call c = { .frame = frame, .target = ob_aten_op((int)(intptr_t)frame->user) };
    c.schema = ob_op_schema(c.target);
    OB_TRY(count(&c));
    OB_TRY(find_places(&c));
    ob_tensor **made = ob_alloc((size_t)c.n, sizeof *made);
    if (!made) return OB_FAIL(OB_ERR_OOM, "%s: no memory for a list", ob_op_name(frame->op));
    ob_value list = ob_value_tensors((ob_tensors){ made, c.n });
    ob_status st = OB_OK;
    for (int64_t i = 0; i < c.n && st == OB_OK; i++) {
        ob_value result = { 0 };
        st = call_element(&c, i, &result);
        made[i] = st == OB_OK ? result.u.tensor : NULL;
    }
    if (st == OB_OK && frame->n_results > 0)
        frame->results[0] = list;
    else
        ob_value_reset(&list);
    return st;
}

/* The row that serves "<base>" or, in place, "<base>_" with an overload; -1. */
static int target_of(const char *base, const char *overload, bool in_place)
{
    char name[2 * NAME_BYTES];
    for (size_t i = 0; i < OB_COUNT(overloads); i++) {
        const struct overload *o = &overloads[i];
        const bool any = strcmp(o->overload, "*") == 0;
        if (strcmp(o->base, "*") != 0 && strcmp(o->base, base) != 0) continue;
        if (!any && strcmp(o->overload, overload) != 0) continue;
        const char *form = in_place ? o->in_place : o->functional;
        if (!form) return -1;
        (void)snprintf(name, sizeof name, "%s%s%s%s", o->target ? o->target : base,
                       in_place ? "_" : "", *form ? "." : "", form);
        return ob_aten_index(name);
    }
    return -1;
}

static ob_status install(void)
{
    static const char prefix[] = "_foreach_";
    for (int row = 0; row < OB_ROW_COUNT; row++) {
        char base[NAME_BYTES];
        const ob_schema *schema = ob_op_schema(ob_aten_op(row));
        const char *name = schema->name + strlen("aten::");
        const size_t n = strlen(schema->overload);
        const bool out = n >= 3 && strcmp(schema->overload + n - 3, "out") == 0;
        if (strncmp(name, prefix, strlen(prefix)) != 0 || out) continue;
        const bool in_place = schema->n_returns == 0;
        (void)snprintf(base, sizeof base, "%s", name + strlen(prefix));
        if (in_place) base[strlen(base) - 1] = '\0';
        const int target = target_of(base, schema->overload, in_place);
        if (target >= 0)
            ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, ob_op_name(ob_aten_op(row)), for_each,
                            (void *)(intptr_t)target);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
