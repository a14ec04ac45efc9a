/* Arguments of nodes: from the archive's unions to operands. The schema's type decides between an
 * int and a float list. */
#include <string.h>

#include "core/alloc.h"
#include "program/graph.h"

typedef ob_status (*read_fn)(ob_program *p, const ob_reader *r, const json_t *v,
                             const ob_type *type, ob_operand *out);

void ob_operand_reset(ob_operand *operand)
{
    for (int i = 0; i < operand->n_items; i++)
        ob_operand_reset(&operand->items[i]);
    ob_free(operand->items);
    ob_free(operand->scratch);
    ob_value_reset(&operand->value);
    *operand = (ob_operand){ 0 };
}

/* ---- single values
 * --------------------------------------------------------------------------------------------- */

static ob_status constant(ob_operand *out, ob_value value)
{
    out->kind = OB_OPERAND_CONST;
    out->value = value;
    return OB_OK;
}

static ob_status reference(const ob_program *p, const ob_reader *r, const char *name,
                           ob_operand *out)
{
    out->kind = OB_OPERAND_REF;
    out->ref = ob_program_value(p, name);
    if (out->ref >= 0) return OB_OK;
    return ob_reader_fail(r, OB_ERR_PARSE, "value '%s' is used before it is defined", name);
}

static ob_status read_none(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                           ob_operand *out)
{
    (void)p, (void)r, (void)v, (void)type;
    return constant(out, ob_value_none());
}

static ob_status read_name(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                           ob_operand *out)
{
    const char *name = NULL;
    (void)type;
    OB_TRY(ob_json_string(r, v, "name", &name));
    return reference(p, r, name, out);
}

static ob_status read_int(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                          ob_operand *out)
{
    int64_t i = 0;
    (void)p, (void)type;
    OB_TRY(ob_json_to_int(r, v, &i));
    return constant(out, ob_value_int(i));
}

static ob_status read_float(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                            ob_operand *out)
{
    double d = 0;
    (void)p, (void)type;
    OB_TRY(ob_json_to_double(r, v, &d));
    return constant(out, ob_value_double(d));
}

static ob_status read_bool(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                           ob_operand *out)
{
    bool b = false;
    (void)p, (void)type;
    OB_TRY(ob_json_to_bool(r, v, &b));
    return constant(out, ob_value_bool(b));
}

static ob_status read_complex(ob_program *p, const ob_reader *r, const json_t *v,
                              const ob_type *type, ob_operand *out)
{
    double re = 0, im = 0;
    (void)p, (void)type;
    OB_TRY(ob_json_to_double(r, json_object_get(v, "real"), &re));
    OB_TRY(ob_json_to_double(r, json_object_get(v, "imag"), &im));
    return constant(out, ob_value_scalar(ob_complex(re, im)));
}

static ob_status read_string(ob_program *p, const ob_reader *r, const json_t *v,
                             const ob_type *type, ob_operand *out)
{
    (void)p, (void)type;
    if (!json_is_string(v)) return ob_reader_fail(r, OB_ERR_PARSE, "as_string holds no string");
    const ob_value borrowed = ob_value_string(json_string_value(v));
    out->kind = OB_OPERAND_CONST;
    return ob_value_copy(&borrowed, &out->value);
}

static ob_status read_dtype(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                            ob_operand *out)
{
    int64_t number = 0;
    ob_dtype dtype;
    (void)p, (void)type;
    OB_TRY(ob_json_to_int(r, v, &number));
    OB_TRY(ob_json_dtype(r, number, &dtype));
    return constant(out, ob_value_dtype(dtype));
}

static ob_status read_memory_format(ob_program *p, const ob_reader *r, const json_t *v,
                                    const ob_type *type, ob_operand *out)
{
    int64_t number = 0;
    ob_memory_format format;
    (void)p, (void)type;
    OB_TRY(ob_json_to_int(r, v, &number));
    OB_TRY(ob_json_memory_format(r, number, &format));
    ob_value value = ob_value_int(format);
    value.tag = OB_VALUE_MEMORY_FORMAT;
    return constant(out, value);
}

static ob_status read_layout(ob_program *p, const ob_reader *r, const json_t *v,
                             const ob_type *type, ob_operand *out)
{
    int64_t number = 0;
    ob_layout layout;
    (void)p, (void)type;
    OB_TRY(ob_json_to_int(r, v, &number));
    OB_TRY(ob_json_layout(r, number, &layout));
    ob_value value = ob_value_int(layout);
    value.tag = OB_VALUE_LAYOUT;
    return constant(out, value);
}

/* Whatever device the exporter used, the program runs on its own. */
static ob_status read_device(ob_program *p, const ob_reader *r, const json_t *v,
                             const ob_type *type, ob_operand *out)
{
    (void)r, (void)v, (void)type;
    return constant(out, ob_value_device(p->device));
}

static ob_status read_union(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type,
                            ob_operand *out)
{
    return ob_operand_read(p, r, v, type, out);
}

/* ---- lists
 * -----------------------------------------------------------------------------------------------------
 */

static uint32_t list_tag(const ob_type *type, uint32_t otherwise)
{
    if (type && type->kind == OB_TYPE_OPTIONAL) type = type->inner[0];
    if (!type || type->kind != OB_TYPE_LIST) return otherwise;
    switch (type->inner[0]->kind) {
    case OB_TYPE_INT:
    case OB_TYPE_SYM_INT:
        return OB_VALUE_INTS;
    case OB_TYPE_FLOAT:
        return OB_VALUE_DOUBLES;
    case OB_TYPE_BOOL:
        return OB_VALUE_BOOLS;
    case OB_TYPE_SCALAR:
        return OB_VALUE_LIST;
    default:
        return otherwise;
    }
}

static ob_status read_items(ob_program *p, const ob_reader *r, const json_t *v, read_fn read,
                            uint32_t tag, ob_operand *out)
{
    if (!json_is_array(v)) return ob_reader_fail(r, OB_ERR_PARSE, "a list argument holds no array");
    const size_t n = json_array_size(v);
    out->kind = OB_OPERAND_LIST;
    out->value.tag = tag;
    if (n > 1u << 20) return ob_reader_fail(r, OB_ERR_PARSE, "a list argument has %zu elements", n);
    out->items = ob_alloc(n, sizeof *out->items);
    out->scratch = ob_alloc(n, sizeof(ob_value));
    if (n > 0 && (!out->items || !out->scratch))
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for %zu elements", n);
    for (size_t i = 0; i < n; i++) {
        out->n_items = (int)i + 1;
        OB_TRY(read(p, r, json_array_get(v, i), NULL, &out->items[i]));
    }
    return OB_OK;
}

#define READ_LIST(name, element, tag)                                                              \
    static ob_status name(ob_program *p, const ob_reader *r, const json_t *v, const ob_type *type, \
                          ob_operand *out)                                                         \
    {                                                                                              \
        return read_items(p, r, v, element, list_tag(type, tag), out);                             \
    }
READ_LIST(read_tensors, read_name, OB_VALUE_TENSORS)
READ_LIST(read_optional_tensors, read_union, OB_VALUE_TENSORS)
READ_LIST(read_ints, read_int, OB_VALUE_INTS)
READ_LIST(read_floats, read_float, OB_VALUE_DOUBLES)
READ_LIST(read_bools, read_bool, OB_VALUE_BOOLS)
READ_LIST(read_strings, read_string, OB_VALUE_LIST)
READ_LIST(read_sym_ints, read_union, OB_VALUE_INTS)
READ_LIST(read_sym_floats, read_union, OB_VALUE_DOUBLES)
READ_LIST(read_sym_bools, read_union, OB_VALUE_BOOLS)
READ_LIST(read_int_lists, read_ints, OB_VALUE_LIST)
READ_LIST(read_float_lists, read_floats, OB_VALUE_LIST)
READ_LIST(read_nested_tensors, read_tensors, OB_VALUE_LIST)
#undef READ_LIST

static ob_status read_as_name(ob_program *p, const ob_reader *r, const json_t *v,
                              const ob_type *type, ob_operand *out)
{
    (void)type;
    if (!json_is_string(v)) return ob_reader_fail(r, OB_ERR_PARSE, "as_name holds no string");
    return reference(p, r, json_string_value(v), out);
}

/* The tags of an Argument, and of the unions inside it. */
static const struct {
    const char *tag;
    read_fn read;
} tags[] = {
    { "as_none", read_none },
    { "as_tensor", read_name },
    { "as_tensors", read_tensors },
    { "as_int", read_int },
    { "as_ints", read_ints },
    { "as_float", read_float },
    { "as_floats", read_floats },
    { "as_string", read_string },
    { "as_strings", read_strings },
    { "as_bool", read_bool },
    { "as_bools", read_bools },
    { "as_name", read_as_name },
    { "as_sym_int", read_union },
    { "as_sym_ints", read_sym_ints },
    { "as_sym_bool", read_union },
    { "as_sym_bools", read_sym_bools },
    { "as_sym_float", read_union },
    { "as_sym_floats", read_sym_floats },
    { "as_scalar_type", read_dtype },
    { "as_memory_format", read_memory_format },
    { "as_layout", read_layout },
    { "as_device", read_device },
    { "as_optional_tensor", read_union },
    { "as_optional_tensors", read_optional_tensors },
    { "as_complex", read_complex },
    { "as_int_lists", read_int_lists },
    { "as_float_lists", read_float_lists },
    { "as_nested_tensors", read_nested_tensors },
};

ob_status ob_operand_read(ob_program *p, const ob_reader *r, const json_t *argument,
                          const ob_type *type, ob_operand *out)
{
    const char *tag = NULL;
    json_t *value = NULL;
    OB_TRY(ob_json_union(r, argument, &tag, &value));
    for (size_t i = 0; i < OB_COUNT(tags); i++)
        if (!strcmp(tags[i].tag, tag)) return tags[i].read(p, r, value, type, out);
    if (p->scan_only) return constant(out, ob_value_none());
    return ob_reader_fail(r, OB_ERR_UNSUPPORTED, "an argument is %s, which Outboard does not read",
                          tag);
}

/* ---- shapes
 * ----------------------------------------------------------------------------------------------------
 */

ob_status ob_symint_read(ob_program *p, const ob_reader *r, const json_t *symint, ob_expr **out)
{
    const char *tag = NULL, *text = NULL;
    json_t *value = NULL;
    char digits[32];
    *out = NULL;
    OB_TRY(ob_json_union(r, symint, &tag, &value));
    if (!strcmp(tag, "as_expr"))
        OB_TRY(ob_json_string(r, value, "expr_str", &text));
    else if (!strcmp(tag, "as_int")) {
        int64_t i = 0;
        OB_TRY(ob_json_to_int(r, value, &i));
        snprintf(digits, sizeof digits, "%lld", (long long)i);
        text = digits;
    } else
        return ob_reader_fail(r, OB_ERR_PARSE, "a size is %s, should be as_int or as_expr", tag);
    const ob_status st = ob_expr_parse(text, &p->symbols, out);
    return st == OB_OK ? OB_OK : ob_error_prefix(st, "%s: %s", r->path, r->where);
}

ob_status ob_meta_read(ob_program *p, const ob_reader *r, const json_t *meta, ob_meta *out)
{
    int64_t dtype = 0;
    json_t *sizes = NULL;
    *out = (ob_meta){ 0 };
    OB_TRY(ob_json_int(r, meta, "dtype", &dtype));
    OB_TRY(ob_json_dtype(r, dtype, &out->dtype));
    OB_TRY(ob_json_array(r, meta, "sizes", &sizes));
    const size_t n = json_array_size(sizes);
    if (n > OB_MAX_RANK)
        return ob_reader_fail(r, OB_ERR_PARSE, "rank %zu, at most %d", n, OB_MAX_RANK);
    out->sizes = ob_alloc(n ? n : 1, sizeof *out->sizes);
    if (!out->sizes) return ob_reader_fail(r, OB_ERR_OOM, "no memory for %zu sizes", n);
    for (size_t i = 0; i < n; i++) {
        OB_TRY(ob_symint_read(p, r, json_array_get(sizes, i), &out->sizes[i]));
        out->rank = (int)i + 1;
    }
    return OB_OK;
}

void ob_meta_reset(ob_meta *meta)
{
    for (int i = 0; i < meta->rank; i++)
        ob_expr_free(meta->sizes[i]);
    ob_free(meta->sizes);
    *meta = (ob_meta){ 0 };
}
