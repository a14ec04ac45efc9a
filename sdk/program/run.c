/* Running a program: bind inputs and symbols, call each node's op, drop values after their last
 * reader, write back. Views alias for real, so programs that still hold in-place ops run as they
 * were written. */
#include <string.h>

#include "core/alloc.h"
#include "program/graph.h"

/* ---- inputs
 * ----------------------------------------------------------------------------------------------------
 */

static ob_status check_input(const ob_input *in, const ob_tensor *t)
{
    const ob_program_slot *slot = &in->slot;
    char sizes[256];
    if (ob_tensor_dtype(t) != slot->dtype)
        return OB_FAIL(OB_ERR_DTYPE, "input '%s' has dtype %s, should have %s", slot->name,
                       ob_dtype_name(ob_tensor_dtype(t)), ob_dtype_name(slot->dtype));
    ob_sizes_format(ob_tensor_sizes(t), ob_tensor_rank(t), sizes, sizeof sizes);
    if (ob_tensor_rank(t) != slot->rank)
        return OB_FAIL(OB_ERR_SHAPE, "input '%s' has sizes %s, should have %d dims", slot->name,
                       sizes, slot->rank);
    for (int i = 0; i < slot->rank; i++)
        if (slot->sizes[i] >= 0 && slot->sizes[i] != ob_tensor_sizes(t)[i])
            return OB_FAIL(OB_ERR_SHAPE, "input '%s' has sizes %s, dim %d should be %lld",
                           slot->name, sizes, i, (long long)slot->sizes[i]);
    return OB_OK;
}

static ob_status bind_tensor(ob_program *p, const ob_input *in, const ob_value *given)
{
    if (given->tag != OB_VALUE_TENSOR)
        return OB_FAIL(OB_ERR_ARG, "input '%s' is %s, should be a tensor", in->slot.name,
                       ob_value_tag_name(given->tag));
    ob_tensor *t = given->u.tensor, *moved = NULL;
    OB_TRY(check_input(in, t));
    const ob_device have = ob_tensor_device(t);
    if (have.backend != p->device.backend) OB_TRY(ob_tensor_to_device(t, p->device, &moved));
    p->env[in->value] = ob_value_tensor(moved ? moved : ob_tensor_retain(t));
    for (int i = 0; i < in->meta.rank; i++) {
        const int s = ob_expr_symbol(in->meta.sizes[i]);
        if (s < 0 || p->symbols.bound[s]) continue;
        p->symbols.bound[s] = true;
        p->symbols.values[s] = ob_tensor_sizes(t)[i];
    }
    return OB_OK;
}

static bool same_constant(const ob_value *a, const ob_value *b)
{
    if (a->tag != b->tag) return false;
    if (a->tag == OB_VALUE_STRING)
        return a->count == b->count && !memcmp(a->u.string, b->u.string, a->count);
    const ob_scalar x = ob_value_as_scalar(a), y = ob_value_as_scalar(b);
    return x.tag == OB_SCALAR_NONE || ob_scalar_double(x) == ob_scalar_double(y);
}

static ob_status bind_input(ob_program *p, const ob_input *in, const ob_value *given)
{
    char frozen[128];
    if (in->kind == OB_INPUT_CONSTANT) {
        if (given->tag == OB_VALUE_ABSENT || same_constant(given, &in->constant)) return OB_OK;
        return OB_FAIL(OB_ERR_ARG, "input '%s' was frozen to %s when the program was exported",
                       in->slot.name, ob_value_format(&in->constant, frozen, sizeof frozen));
    }
    if (in->slot.is_tensor) return bind_tensor(p, in, given);
    if (ob_value_as_scalar(given).tag == OB_SCALAR_NONE)
        return OB_FAIL(OB_ERR_ARG, "input '%s' is %s, should be a number", in->slot.name,
                       ob_value_tag_name(given->tag));
    p->env[in->value] = *given;
    return OB_OK;
}

/* Every size of every input must be what its expression says: solve derived dims first, then
 * compare. */
static ob_status check_sizes(ob_program *p, const ob_input *in)
{
    const ob_value *v = &p->env[in->value];
    for (int i = 0; in->slot.is_tensor && i < in->meta.rank; i++) {
        const int64_t have = ob_tensor_sizes(v->u.tensor)[i];
        int64_t want = 0;
        (void)ob_expr_solve(in->meta.sizes[i], &p->symbols, have);
        OB_TRY(ob_expr_eval(in->meta.sizes[i], &p->symbols, &want));
        if (want != have)
            return OB_FAIL(OB_ERR_SHAPE,
                           "input '%s' has size %lld at dim %d, the other inputs make it %lld",
                           in->slot.name, (long long)have, i, (long long)want);
    }
    return OB_OK;
}

static ob_status check_ranges(const ob_program *p)
{
    for (int k = 0; k < p->n_ranges; k++) {
        int64_t v = 0;
        const int s = ob_expr_symbol(p->ranges[k].expr);
        if (s >= 0 && !p->symbols.bound[s])
            continue; /* a size that only the run will know, or none at all */
        if (ob_expr_eval(p->ranges[k].expr, &p->symbols, &v) != OB_OK) continue;
        if (v < p->ranges[k].min || v > p->ranges[k].max)
            return OB_FAIL(OB_ERR_SHAPE,
                           "a free size is %lld, the program was exported for %lld to %lld",
                           (long long)v, (long long)p->ranges[k].min, (long long)p->ranges[k].max);
    }
    return OB_OK;
}

static ob_status bind_inputs(ob_program *p, const ob_value *inputs, int n)
{
    if (n != p->n_inputs)
        return OB_FAIL(OB_ERR_ARG, "%s: %d inputs given, should be %d", p->path, n, p->n_inputs);
    ob_symbols_unbind(&p->symbols);
    for (int i = 0; i < n; i++)
        OB_TRY(bind_input(p, &p->inputs[i], &inputs[i]));
    for (int i = 0; i < n; i++)
        if (p->inputs[i].value >= 0) OB_TRY(check_sizes(p, &p->inputs[i]));
    return check_ranges(p);
}

/* ---- nodes
 * -----------------------------------------------------------------------------------------------------
 */

static ob_status gather(ob_program *p, ob_operand *o, ob_value *out);

/* A list from its items, in the operand's scratch memory. */
static ob_status gather_list(ob_program *p, ob_operand *o, ob_value *out)
{
    *out = o->value;
    out->count = (uint32_t)o->n_items;
    out->u.object = o->scratch;
    for (int i = 0; i < o->n_items; i++) {
        ob_value v;
        OB_TRY(gather(p, &o->items[i], &v));
        const ob_scalar s = ob_value_as_scalar(&v);
        switch (out->tag) {
        case OB_VALUE_TENSORS:
            ((ob_tensor **)o->scratch)[i] = v.tag == OB_VALUE_TENSOR ? v.u.tensor : NULL;
            break;
        case OB_VALUE_INTS:
            ((int64_t *)o->scratch)[i] = ob_scalar_int(s);
            break;
        case OB_VALUE_DOUBLES:
            ((double *)o->scratch)[i] = ob_scalar_double(s);
            break;
        case OB_VALUE_BOOLS:
            ((uint8_t *)o->scratch)[i] = ob_scalar_double(s) != 0;
            break;
        default:
            ((ob_value *)o->scratch)[i] = v;
            break;
        }
    }
    return OB_OK;
}

static ob_status gather(ob_program *p, ob_operand *o, ob_value *out)
{
    if (o->kind == OB_OPERAND_LIST) return gather_list(p, o, out);
    *out = o->kind == OB_OPERAND_REF ? p->env[o->ref] : o->value;
    if (o->kind == OB_OPERAND_REF && out->tag == OB_VALUE_ABSENT) *out = ob_value_none();
    return OB_OK;
}

/* Move an owned result to the values that the node binds. */
static ob_status bind_result(ob_program *p, const ob_binding *b, ob_value *result)
{
    if (!b->is_list) {
        if (b->ids[0] < 0) return OB_OK;
        p->env[b->ids[0]] = *result;
        *result = (ob_value){ 0 };
        return OB_OK;
    }
    if (result->tag != OB_VALUE_TENSORS || (int)result->count != b->n)
        return OB_FAIL(OB_ERR_SHAPE, "returned %u tensors, the program expects %d", result->count,
                       b->n);
    for (int i = 0; i < b->n; i++)
        if (b->ids[i] >= 0)
            p->env[b->ids[i]] = ob_value_tensor(ob_tensor_retain(result->u.tensors[i]));
    return OB_OK;
}

enum { MAX_RESULTS = 64 };

static ob_status call_op(ob_program *p, const ob_node *n, const ob_value *args)
{
    ob_value results[MAX_RESULTS] = { 0 };
    const ob_schema *schema = ob_op_schema(n->op);
    const int n_returns = schema ? schema->n_returns : 0;
    if (n_returns > MAX_RESULTS || n_returns < n->n_results)
        return OB_FAIL(OB_ERR_STATE, "returns %d results, the program was loaded for %d", n_returns,
                       n->n_results);
    ob_status st = ob_call(n->op, args, (uint32_t)n->n_args, results, (uint32_t)n_returns);
    for (int i = 0; i < n->n_results && st == OB_OK; i++)
        st = bind_result(p, &n->results[i], &results[i]);
    for (int i = 0; i < n_returns; i++)
        ob_value_reset(&results[i]);
    return st;
}

static ob_status call_function(ob_program *p, const ob_node *n, const ob_value *args)
{
    ob_scalar numbers[3] = { 0 }, result;
    for (int i = 0; i < n->n_args; i++) {
        numbers[i] = ob_value_as_scalar(&args[i]);
        if (numbers[i].tag == OB_SCALAR_NONE || numbers[i].tag == OB_SCALAR_COMPLEX)
            return OB_FAIL(OB_ERR_ARG, "argument %d is not a real number", i);
    }
    OB_TRY(n->function->call(numbers, &result));
    if (n->results[0].n == 1 && n->results[0].ids[0] >= 0)
        p->env[n->results[0].ids[0]] = ob_value_scalar(result);
    return OB_OK;
}

enum { MAX_ARGS = 64 };

static ob_status run_node(ob_program *p, const ob_node *n)
{
    ob_value args[MAX_ARGS];
    if (n->n_args > MAX_ARGS)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "has %d arguments, at most %d", n->n_args, MAX_ARGS);
    for (int i = 0; i < n->n_args; i++)
        OB_TRY(gather(p, &n->args[i], &args[i]));
    return n->function ? call_function(p, n, args) : call_op(p, n, args);
}

static ob_status run_nodes(ob_program *p)
{
    for (int i = 0; i < p->n_nodes; i++) {
        const ob_node *n = &p->nodes[i];
        if (p->watch) p->watch(p->watch_user, i, n->target, true);
        const ob_status st = run_node(p, n);
        if (p->watch) p->watch(p->watch_user, i, n->target, false);
        if (st != OB_OK) return ob_error_prefix(st, "node %d (%s)", i, n->target);
        for (int k = 0; k < n->n_dead; k++)
            ob_value_reset(&p->env[n->dead[k]]);
    }
    return OB_OK;
}

/* ---- results
 * ---------------------------------------------------------------------------------------------------
 */

static ob_status copy_into(ob_tensor *dst, ob_tensor *src)
{
    ob_op *copy = NULL;
    ob_value result = { 0 };
    OB_TRY(ob_op_find("aten::copy_", &copy));
    const ob_value args[] = { ob_value_tensor(dst), ob_value_tensor(src), ob_value_bool(false) };
    const ob_status st = ob_call(copy, args, 3, &result, 1);
    ob_value_reset(&result);
    return st;
}

static ob_status store_output(ob_program *p, ob_output *o, const ob_value *inputs, ob_value *out)
{
    ob_value v;
    OB_TRY(gather(p, &o->operand, &v));
    if (o->kind == OB_OUTPUT_USER) return ob_value_copy(&v, out);
    if (o->kind == OB_OUTPUT_IGNORED || v.tag != OB_VALUE_TENSOR) return OB_OK;
    ob_tensor *target =
        o->kind == OB_OUTPUT_INPUT ? inputs[o->target].u.tensor : p->env[o->target].u.tensor;
    return copy_into(target, v.u.tensor);
}

/* Drop everything but the weights. */
static void clear_values(ob_program *p)
{
    for (int i = 0; i < p->n_states; i++)
        p->env[p->states[i].value] = (ob_value){ 0 };
    for (int i = 0; i < p->n_values; i++)
        ob_value_reset(&p->env[i]);
    for (int i = 0; i < p->n_states; i++)
        p->env[p->states[i].value] = ob_value_tensor(p->states[i].tensor);
}

ob_status ob_program_run(ob_program *p, const ob_value *inputs, int n_inputs, ob_value *outputs,
                         int n_outputs)
{
    if ((!outputs && n_outputs > 0) || (!inputs && n_inputs > 0))
        return OB_FAIL(OB_ERR_ARG, "%s: %d inputs and %d outputs, but no memory of theirs is given",
                       p->path, n_inputs, n_outputs);
    for (int i = 0; i < n_outputs; i++)
        outputs[i] = (ob_value){ 0 };
    if (p->scan_only)
        return OB_FAIL(OB_ERR_STATE, "%s: was only scanned, load it to run it", p->path);
    if (n_outputs != p->n_user_outputs)
        return OB_FAIL(OB_ERR_ARG, "%s: room for %d outputs, should be %d", p->path, n_outputs,
                       p->n_user_outputs);
    ob_status st = bind_inputs(p, inputs, n_inputs);
    if (st == OB_OK) st = run_nodes(p);
    for (int i = 0, user = 0; i < p->n_outputs && st == OB_OK; i++) {
        ob_value *out = p->outputs[i].kind == OB_OUTPUT_USER ? &outputs[user++] : NULL;
        st = store_output(p, &p->outputs[i], inputs, out);
    }
    clear_values(p);
    if (st != OB_OK)
        for (int i = 0; i < n_outputs; i++)
            ob_value_reset(&outputs[i]);
    return st;
}
