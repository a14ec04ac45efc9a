/* Arguments of recorded calls: each is read as the op's schema types it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cases.h"

/* An argument to be read. */
typedef struct place {
    replay_case *c;
    const char *name; /* of the argument, for its storage */
    const ob_argument *arg;
} place;

static ob_status read_value(const place *p, const ob_type *type, const json_t *json, ob_value *out);

/* {"scalar": x} and {"dtype_arg": x} say x. */
static const json_t *unwrap(const json_t *json)
{
    const char *name;
    json_t *value;
    if (json_object_size(json) != 1) return json;
    json_object_foreach((json_t *)json, name, value) return value;
    return json;
}

static ob_status misread(const place *p, const json_t *json)
{
    char *text = json_dumps(json, JSON_ENCODE_ANY);
    const ob_status st =
        OB_FAIL(OB_ERR_PARSE, "argument '%s' cannot be %.80s", p->name, text ? text : "read");
    free(text);
    return st;
}

/* ---- names ---- */

#define OB_X(name, number) { #name, number },
static const struct word {
    const char *name;
    int number;
} layouts[] = { OB_LAYOUT_LIST(OB_X) }, memory_formats[] = { OB_MEMORY_FORMAT_LIST(OB_X) };
#undef OB_X

/* The number that a word of PyTorch stands for: "torch.channels_last", "contiguous_format". */
static bool find_word(const struct word *words, size_t n, const char *text, int64_t *out)
{
    if (strncmp(text, "torch.", 6) == 0) text += 6;
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(words[i].name);
        if (strncasecmp(words[i].name, text, length) != 0) continue;
        if (text[length] && strcmp(text + length, "_format") != 0) continue;
        *out = words[i].number;
        return true;
    }
    return false;
}

static ob_status read_enum(const place *p, ob_type_kind kind, const json_t *json, ob_value *out)
{
    const char *text = json_string_value(json);
    ob_dtype dtype = OB_DTYPE_NONE;
    bool known = true;
    out->u.i = json_integer_value(json);
    if (kind == OB_TYPE_DTYPE) {
        if (text) OB_TRY(ob_dtype_parse(text, &dtype));
        out->u.i = text ? dtype : out->u.i;
        out->tag = OB_VALUE_DTYPE;
    } else if (kind == OB_TYPE_LAYOUT) {
        known = !text || find_word(layouts, OB_COUNT(layouts), text, &out->u.i);
        out->tag = OB_VALUE_LAYOUT;
    } else {
        known = !text || find_word(memory_formats, OB_COUNT(memory_formats), text, &out->u.i);
        out->tag = OB_VALUE_MEMORY_FORMAT;
    }
    return known && (text || json_is_integer(json)) ? OB_OK : misread(p, json);
}

/* The reference ran on its CPU: "cpu" is where the tensors of the case live. */
static ob_status read_device(const place *p, const json_t *json, ob_value *out)
{
    const char *text = json_string_value(json);
    ob_device device = p->c->device;
    if (!text) return misread(p, json);
    if (strncmp(text, "cpu", 3) != 0) OB_TRY(ob_device_parse(text, &device));
    *out = ob_value_device(device);
    return OB_OK;
}

/* ---- numbers ---- */

static ob_status read_scalar(const place *p, const json_t *json, ob_value *out)
{
    element e;
    if (!element_parse(json, &e)) return misread(p, json);
    ob_scalar s = ob_double(e.re);
    if (json_is_boolean(json))
        s = ob_bool(e.i != 0);
    else if (e.whole)
        s = ob_int(e.i);
    else if (json_is_array(json))
        s = ob_complex(e.re, e.im);
    *out = ob_value_scalar(s);
    return OB_OK;
}

static ob_status read_number(const place *p, ob_type_kind kind, const json_t *json, ob_value *out)
{
    element e;
    if (!element_parse(json, &e)) return misread(p, json);
    if (kind == OB_TYPE_FLOAT)
        *out = ob_value_double(e.re);
    else if (kind == OB_TYPE_BOOL || kind == OB_TYPE_SYM_BOOL)
        *out = ob_value_bool(e.i != 0);
    else if (e.whole)
        *out = ob_value_int(e.i);
    else
        return misread(p, json);
    return OB_OK;
}

/* A tensor, or a number in its place. */
static ob_status read_tensor(const place *p, const json_t *json, ob_value *out)
{
    ob_tensor *t = NULL;
    if (json_is_object(json)) {
        OB_TRY(case_make_tensor(p->c, json, p->name, &t));
    } else {
        OB_TRY(read_scalar(p, json, out));
        t = ob_scalar_of(p->c->scope, ob_value_as_scalar(out));
    }
    *out = ob_value_tensor(t);
    return ob_scope_status(p->c->scope);
}

/* ---- lists ---- */

/* Items of a list as values; one number fills a list of fixed size. */
static ob_status read_items(const place *p, const ob_type *type, const json_t *json, uint32_t n,
                            ob_value *items)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s[%u]", p->name, i);
        const place item = { p->c, name, p->arg };
        const json_t *from = json_is_array(json) ? json_array_get(json, i) : json;
        OB_TRY(read_value(&item, type, from, &items[i]));
    }
    return OB_OK;
}

/* The packed form of a list of `kind`; `data` has room for n elements of 8 bytes. */
static void pack(ob_type_kind kind, uint32_t n, const ob_value *items, void *data, ob_value *out)
{
    *out = (ob_value){ .tag = OB_VALUE_LIST, .count = n };
    out->u.list = items;
    for (uint32_t i = 0; i < n; i++) {
        if (kind == OB_TYPE_TENSOR)
            ((ob_tensor **)data)[i] = items[i].tag == OB_VALUE_TENSOR ? items[i].u.tensor : NULL;
        else if (kind == OB_TYPE_FLOAT)
            ((double *)data)[i] = items[i].u.d;
        else if (kind == OB_TYPE_BOOL)
            ((uint8_t *)data)[i] = items[i].u.b;
        else if (kind == OB_TYPE_INT || kind == OB_TYPE_SYM_INT)
            ((int64_t *)data)[i] = items[i].u.i;
    }
    if (kind == OB_TYPE_TENSOR)
        out->tag = OB_VALUE_TENSORS, out->u.tensors = data;
    else if (kind == OB_TYPE_FLOAT)
        out->tag = OB_VALUE_DOUBLES, out->u.doubles = data;
    else if (kind == OB_TYPE_BOOL)
        out->tag = OB_VALUE_BOOLS, out->u.bools = data;
    else if (kind == OB_TYPE_INT || kind == OB_TYPE_SYM_INT)
        out->tag = OB_VALUE_INTS, out->u.ints = data;
}

static ob_status read_list(const place *p, const ob_type *type, const json_t *json, ob_value *out)
{
    const bool many = json_is_array(json);
    if (!many && !p->arg->has_size) return misread(p, json);
    const uint32_t n = (uint32_t)(many ? (int64_t)json_array_size(json) : p->arg->size);
    const ob_type_kind kind = type->kind == OB_TYPE_OPTIONAL ? type->inner[0]->kind : type->kind;
    ob_value *items = ob_scope_alloc(p->c->scope, (n + 1) * sizeof *items);
    void *data = ob_scope_alloc(p->c->scope, (n + 1) * sizeof(int64_t));
    if (!items || !data) return ob_scope_status(p->c->scope);
    OB_TRY(read_items(p, type, json, n, items));
    pack(kind, n, items, data, out);
    return OB_OK;
}

/* ---- values ---- */

static ob_status read_value(const place *p, const ob_type *type, const json_t *json, ob_value *out)
{
    json = unwrap(json);
    if (json_is_null(json)) {
        *out = ob_value_none();
        return OB_OK;
    }
    switch (type->kind) {
    case OB_TYPE_OPTIONAL:
        return read_value(p, type->inner[0], json, out);
    case OB_TYPE_LIST:
        return read_list(p, type->inner[0], json, out);
    case OB_TYPE_TENSOR:
        return read_tensor(p, json, out);
    case OB_TYPE_SCALAR:
        return read_scalar(p, json, out);
    case OB_TYPE_DTYPE:
    case OB_TYPE_LAYOUT:
    case OB_TYPE_MEMORY_FORMAT:
        return read_enum(p, type->kind, json, out);
    case OB_TYPE_DEVICE:
        return read_device(p, json, out);
    case OB_TYPE_STRING:
        if (!json_is_string(json)) return misread(p, json);
        *out = ob_value_string(json_string_value(json));
        return OB_OK;
    default:
        return read_number(p, type->kind, json, out);
    }
}

static ob_status read_argument(replay_case *c, int i, const json_t *json)
{
    if (i < 0 || i >= c->schema->n_args)
        return OB_FAIL(OB_ERR_PARSE, "the case has an argument that %s lacks", ob_op_name(c->op));
    const ob_argument *arg = &c->schema->args[i];
    const place p = { c, arg->name, arg };
    return read_value(&p, arg->real_type, json, &c->args[i]);
}

/* An op without tensor arguments makes its tensors where the case's tensors live. */
static void place_factory(replay_case *c)
{
    const int i = ob_schema_arg(c->schema, "device");
    if (i >= 0 && c->args[i].tag == OB_VALUE_ABSENT && c->n_stores == 0)
        c->args[i] = ob_value_device(c->device);
}

ob_status case_make_arguments(replay_case *c)
{
    json_t *args = json_object_get(c->line, "args"), *kwargs = json_object_get(c->line, "kwargs");
    const char *name;
    json_t *json;
    size_t i;
    OB_TRY(case_make_storages(c));
    json_array_foreach(args, i, json) OB_TRY(read_argument(c, (int)i, json));
    json_object_foreach(kwargs, name, json)
        OB_TRY(read_argument(c, ob_schema_arg(c->schema, name), json));
    place_factory(c);
    return OB_OK;
}
