/* Calls with checked arguments: number, tags, defaults. Values that PyTorch converts are converted:
 * an int where a float or complex is wanted, one int where int[N] is, a number where a tensor is.
 * PyTorch: FunctionSchema's checkAndNormalizeInputs(). */
#include "core/tensor/tensor.h"
#include "core/text.h"
#include "dispatch/call/call.h"
#include "ob/schema.h"

enum { MAX_ARGS = 64, MAX_REPEATS = 64, MAX_NUMBERS = 8 };

/* The arguments of a call as they are made to fit. */
typedef struct checked {
    ob_value args[MAX_ARGS];
    int64_t repeats[MAX_REPEATS]; /* memory of int[N] made from one int */
    int n_repeats;
    ob_tensor *numbers[MAX_NUMBERS]; /* owned: 0-d tensors made from numbers */
    int n_numbers;
} checked;

/* The tag of a plain type's value; ABSENT for types that are opaque to the dispatcher. */
static ob_value_tag plain_tag(ob_type_kind kind)
{
    static const ob_value_tag tags[OB_TYPE_LIMIT] = {
        [OB_TYPE_TENSOR] = OB_VALUE_TENSOR, [OB_TYPE_GENERATOR] = OB_VALUE_GENERATOR,
        [OB_TYPE_DTYPE] = OB_VALUE_DTYPE,   [OB_TYPE_LAYOUT] = OB_VALUE_LAYOUT,
        [OB_TYPE_DEVICE] = OB_VALUE_DEVICE, [OB_TYPE_MEMORY_FORMAT] = OB_VALUE_MEMORY_FORMAT,
        [OB_TYPE_STRING] = OB_VALUE_STRING, [OB_TYPE_FLOAT] = OB_VALUE_DOUBLE,
        [OB_TYPE_INT] = OB_VALUE_INT,       [OB_TYPE_COMPLEX] = OB_VALUE_COMPLEX,
        [OB_TYPE_BOOL] = OB_VALUE_BOOL,     [OB_TYPE_SYM_INT] = OB_VALUE_INT,
        [OB_TYPE_NONE] = OB_VALUE_NONE,     [OB_TYPE_SYM_BOOL] = OB_VALUE_BOOL,
        [OB_TYPE_TUPLE] = OB_VALUE_LIST,
    };
    return tags[kind];
}

static ob_value_tag list_tag(const ob_type *element)
{
    if (element->kind == OB_TYPE_OPTIONAL) {
        const bool tensors = element->inner[0]->kind == OB_TYPE_TENSOR;
        return tensors ? OB_VALUE_TENSORS : OB_VALUE_LIST;
    }
    switch (plain_tag(element->kind)) {
    case OB_VALUE_TENSOR:
        return OB_VALUE_TENSORS;
    case OB_VALUE_INT:
        return OB_VALUE_INTS;
    case OB_VALUE_DOUBLE:
        return OB_VALUE_DOUBLES;
    case OB_VALUE_BOOL:
        return OB_VALUE_BOOLS;
    default:
        return OB_VALUE_LIST;
    }
}

static bool is_number(uint32_t tag)
{
    return tag == OB_VALUE_INT || tag == OB_VALUE_DOUBLE || tag == OB_VALUE_BOOL ||
           tag == OB_VALUE_COMPLEX;
}

/* Enumerations are plain ints in the defaults of schemas. */
static bool is_enumeration(ob_value_tag tag)
{
    return tag == OB_VALUE_DTYPE || tag == OB_VALUE_LAYOUT || tag == OB_VALUE_MEMORY_FORMAT;
}

/* Convert a plain value to the wanted tag where PyTorch does; false when it does not. */
static bool convert(ob_value *v, ob_value_tag wanted, bool is_default)
{
    if (v->tag == (uint32_t)wanted) return true;
    if (is_default && v->tag == OB_VALUE_INT && is_enumeration(wanted)) {
        v->tag = (uint32_t)wanted;
        return true;
    }
    const bool from_int = v->tag == OB_VALUE_INT, from_double = v->tag == OB_VALUE_DOUBLE;
    if (wanted == OB_VALUE_DOUBLE && from_int) {
        *v = ob_value_double((double)v->u.i);
        return true;
    }
    if (wanted == OB_VALUE_COMPLEX && (from_int || from_double)) {
        const double re = from_int ? (double)v->u.i : v->u.d;
        *v = ob_value_scalar(ob_complex(re, 0));
        return true;
    }
    return false;
}

/* No holes where the type has none. */
static bool tensors_fit(const ob_value *v, const ob_type *element)
{
    if (element->kind == OB_TYPE_OPTIONAL) return true;
    for (uint32_t i = 0; i < v->count; i++) {
        if (!v->u.tensors[i]) return false;
    }
    return true;
}

static bool fit_list(checked *c, ob_value *v, const ob_argument *arg, const ob_type *element)
{
    const ob_value_tag wanted = list_tag(element);
    if (v->tag == (uint32_t)wanted) return wanted != OB_VALUE_TENSORS || tensors_fit(v, element);
    if (wanted != OB_VALUE_INTS || v->tag != OB_VALUE_INT || !arg->has_size) return false;
    if (arg->size > MAX_REPEATS - c->n_repeats) return false;
    int64_t *memory = &c->repeats[c->n_repeats];
    for (int64_t i = 0; i < arg->size; i++)
        memory[i] = v->u.i;
    c->n_repeats += (int)arg->size;
    *v = ob_value_ints((ob_ints){ memory, arg->size });
    return true;
}

/* A Python number where a tensor is wanted becomes a wrapped number. */
static bool fit_number(checked *c, ob_value *v)
{
    if (c->n_numbers == MAX_NUMBERS) return false;
    ob_tensor **t = &c->numbers[c->n_numbers];
    if (ob_tensor_wrap_number(ob_value_as_scalar(v), t) != OB_OK) return false;
    c->n_numbers++;
    *v = ob_value_tensor(*t);
    return true;
}

static bool fit(checked *c, ob_value *v, const ob_argument *arg, bool is_default)
{
    const ob_type *type = arg->real_type;
    if (type->kind == OB_TYPE_OPTIONAL) {
        if (v->tag == OB_VALUE_NONE) return true;
        type = type->inner[0];
    }
    if (type->kind == OB_TYPE_SCALAR) return is_number(v->tag);
    if (type->kind == OB_TYPE_LIST) return fit_list(c, v, arg, type->inner[0]);
    const ob_value_tag wanted = plain_tag(type->kind);
    if (wanted == OB_VALUE_TENSOR && is_number(v->tag) && !ob_argument_is_write(arg))
        return fit_number(c, v);
    return wanted == OB_VALUE_ABSENT || convert(v, wanted, is_default);
}

/* "declaration" of a schema, for messages, in `buf`. */
static const char *declaration(const ob_schema *schema, char *buf, size_t bytes)
{
    char *text = ob_schema_format(schema);
    ob_line line = ob_line_in(buf, bytes);
    ob_line_add(&line, "%s", text ? text : "?");
    ob_free(text);
    return buf;
}

static ob_status fail_argument(const ob_op *op, const ob_schema *schema, int i, const ob_value *v)
{
    const ob_argument *arg = &schema->args[i];
    char type[96], value[160], text[1024];
    if (v->tag == OB_VALUE_ABSENT)
        return OB_FAIL(OB_ERR_ARG,
                       "%s: argument '%s' (position %d, %s) is missing; declaration: %s", op->name,
                       arg->name, i, ob_type_format(arg->real_type, type, sizeof type),
                       declaration(schema, text, sizeof text));
    return OB_FAIL(OB_ERR_ARG,
                   "%s: argument '%s' (position %d) must be %s, got %s %s; declaration: %s",
                   op->name, arg->name, i, ob_type_format(arg->real_type, type, sizeof type),
                   ob_value_tag_name(v->tag), ob_value_format(v, value, sizeof value),
                   declaration(schema, text, sizeof text));
}

static ob_status check_counts(const ob_op *op, const ob_schema *schema, uint32_t n_args,
                              uint32_t n_results)
{
    char text[1024];
    if (n_args > (uint32_t)schema->n_args)
        return OB_FAIL(OB_ERR_ARG, "%s: takes at most %d arguments, got %u; declaration: %s",
                       op->name, schema->n_args, n_args, declaration(schema, text, sizeof text));
    if (n_results != (uint32_t)schema->n_returns)
        return OB_FAIL(OB_ERR_ARG, "%s: returns %d values, room is given for %u", op->name,
                       schema->n_returns, n_results);
    return OB_OK;
}

static ob_status fit_arguments(checked *c, const ob_op *op, const ob_schema *schema,
                               const ob_value *args, uint32_t n_args)
{
    for (int i = 0; i < schema->n_args; i++) {
        const ob_argument *arg = &schema->args[i];
        ob_value *v = &c->args[i];
        *v = (uint32_t)i < n_args ? args[i] : (ob_value){ .tag = OB_VALUE_ABSENT };
        const bool is_default = v->tag == OB_VALUE_ABSENT && arg->has_default;
        if (is_default) *v = arg->value;
        if (v->tag == OB_VALUE_ABSENT || !fit(c, v, arg, is_default))
            return fail_argument(op, schema, i, v);
    }
    return OB_OK;
}

ob_status ob_call(const ob_op *op, const ob_value *args, uint32_t n_args, ob_value *results,
                  uint32_t n_results)
{
    for (uint32_t i = 0; i < n_results; i++)
        results[i] = (ob_value){ .tag = OB_VALUE_ABSENT };
    const ob_schema *schema = ob_op_schema(op);
    if (!schema)
        return OB_FAIL(OB_ERR_NOT_FOUND,
                       "%s: has no definition that could be had, so it cannot be "
                       "called",
                       op->name);
    OB_TRY(check_counts(op, schema, n_args, n_results));
    checked c;
    c.n_repeats = c.n_numbers = 0;
    ob_status st = fit_arguments(&c, op, schema, args, n_args);
    if (st == OB_OK) st = ob_call_unchecked(op, c.args, results);
    for (int i = 0; i < c.n_numbers; i++)
        ob_tensor_release(c.numbers[i]);
    return st;
}
