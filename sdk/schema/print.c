/* Printing schemas and types as PyTorch's str() does. A text is made twice: once to learn its
 * length, once into memory of that length. */
#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "ob/schema.h"

/* Where a text goes: `buf` has room for `limit` bytes and a NUL; `n` counts on past it. */
typedef struct sink {
    char *buf;
    size_t limit, n;
} sink;

static void put_char(sink *s, char c)
{
    if (s->n < s->limit) s->buf[s->n] = c;
    s->n++;
}

static void put(sink *s, const char *text)
{
    for (; *text; text++)
        put_char(s, *text);
}

static void put_int(sink *s, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put(s, text);
}

static const char *type_name(ob_type_kind kind)
{
    static const char *const names[] = {
#define OB_X(name, text) text,
        OB_TYPE_LIST(OB_X)
#undef OB_X
    };
    return names[kind];
}

static void put_type(sink *s, const ob_type *type)
{
    if (type->name) {
        put(s, type->name);
        return;
    }
    if (type->kind == OB_TYPE_LIST || type->kind == OB_TYPE_OPTIONAL) {
        put_type(s, type->inner[0]);
        put(s, type_name(type->kind));
        return;
    }
    if (type->kind != OB_TYPE_TUPLE) put(s, type_name(type->kind));
    if (type->n_inner == 0 && type->kind != OB_TYPE_TUPLE) return;
    put_char(s, '(');
    for (int32_t i = 0; i < type->n_inner; i++) {
        if (i > 0) put(s, ", ");
        put_type(s, type->inner[i]);
    }
    put_char(s, ')');
}

char *ob_type_format(const ob_type *type, char *buf, size_t bytes)
{
    if (bytes == 0) return buf;
    sink s = { buf, bytes - 1, 0 };
    put_type(&s, type);
    buf[s.n < s.limit ? s.n : s.limit] = '\0';
    return buf;
}

static void put_set(sink *s, const char *const *names, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (i > 0) put_char(s, '|');
        put(s, names[i]);
    }
}

/* True when the set after differs from the set before, so that it must be printed. */
static bool moves(const ob_alias *alias)
{
    if (alias->n_before != alias->n_after) return true;
    for (int32_t i = 0; i < alias->n_before; i++)
        if (strcmp(alias->before[i], alias->after[i]) != 0) return true;
    return false;
}

static void put_alias(sink *s, const ob_alias *alias)
{
    put_char(s, '(');
    put_set(s, alias->before, alias->n_before);
    if (alias->write) put_char(s, '!');
    if (moves(alias)) {
        put(s, " -> ");
        put_set(s, alias->after, alias->n_after);
    }
    put_char(s, ')');
}

/* Whole numbers below 1e10 as "1.", others with 17 digits. */
static void put_double(sink *s, double value)
{
    char text[40];
    if (fabs(value) < 1e10 && trunc(value) == value) {
        put_int(s, (int64_t)value);
        put_char(s, '.');
        return;
    }
    snprintf(text, sizeof text, "%.17g", value);
    char *point = strstr(text, localeconv()->decimal_point);
    if (point) *point = '.';
    put(s, text);
}

static void put_quoted(sink *s, const char *text, uint32_t n)
{
    static const char from[] = "\\'\"\a\b\f\n\v\t", to[] = "\\'\"abfnvt";
    put_char(s, '"');
    for (uint32_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char *escape = c ? strchr(from, c) : NULL;
        if (escape) {
            put_char(s, '\\');
            put_char(s, to[escape - from]);
        } else if (c >= ' ' && c < 127) {
            put_char(s, (char)c);
        } else {
            char octal[8];
            snprintf(octal, sizeof octal, "\\%03o", c);
            put(s, octal);
        }
    }
    put_char(s, '"');
}

static void put_complex(sink *s, const double c[2])
{
    put_double(s, c[0]);
    put_char(s, c[1] >= 0 ? '+' : '-');
    put_double(s, fabs(c[1]));
    put_char(s, 'j');
}

static void put_element(sink *s, const ob_value *v, uint32_t i)
{
    if (v->tag == OB_VALUE_INTS) put_int(s, v->u.ints[i]);
    if (v->tag == OB_VALUE_DOUBLES) put_double(s, v->u.doubles[i]);
    if (v->tag == OB_VALUE_BOOLS) put(s, v->u.bools[i] ? "True" : "False");
    if (v->tag == OB_VALUE_LIST) put_complex(s, v->u.list[i].u.c);
}

/* A default; it has one of the tags that the parser makes. */
static void put_value(sink *s, const ob_value *v)
{
    char device[64];
    switch (v->tag) {
    case OB_VALUE_NONE:
        put(s, "None");
        break;
    case OB_VALUE_BOOL:
        put(s, v->u.b ? "True" : "False");
        break;
    case OB_VALUE_DOUBLE:
        put_double(s, v->u.d);
        break;
    case OB_VALUE_COMPLEX:
        put_complex(s, v->u.c);
        break;
    case OB_VALUE_DEVICE:
        put(s, ob_device_format(v->u.device, device, sizeof device));
        break;
    case OB_VALUE_STRING:
        for (uint32_t i = 0; i < v->count; i++)
            put_char(s, v->u.string[i]);
        break;
    case OB_VALUE_INTS:
    case OB_VALUE_DOUBLES:
    case OB_VALUE_BOOLS:
    case OB_VALUE_LIST:
        put_char(s, '[');
        for (uint32_t i = 0; i < v->count; i++) {
            if (i > 0) put(s, ", ");
            put_element(s, v, i);
        }
        put_char(s, ']');
        break;
    default:
        put_int(s, v->u.i);
        break;
    }
}

static bool all_equal(const ob_value *v)
{
    for (uint32_t i = 1; i < v->count; i++)
        if (v->u.ints[i] != v->u.ints[0]) return false;
    return true;
}

static void put_default(sink *s, const ob_argument *arg)
{
    const ob_type *type = arg->real_type;
    const ob_type *bare = type->kind == OB_TYPE_OPTIONAL ? type->inner[0] : type;
    const ob_value *v = &arg->value;
    put_char(s, '=');
    if (bare->kind == OB_TYPE_STRING && v->tag == OB_VALUE_STRING)
        put_quoted(s, v->u.string, v->count);
    else if (type->kind == OB_TYPE_LIST && type->inner[0]->kind == OB_TYPE_INT && arg->has_size &&
             v->count > 1 && all_equal(v))
        put_int(s, v->u.ints[0]); /* int[2] stride=1 */
    else
        put_value(s, v);
}

/* The alias goes before the `?` of an optional; the one of elements before the `[]`. */
static void put_argument(sink *s, const ob_argument *arg)
{
    const bool optional = arg->real_type->kind == OB_TYPE_OPTIONAL;
    const ob_type *bare = optional ? arg->real_type->inner[0] : arg->real_type;
    if (bare->kind == OB_TYPE_LIST) {
        put_type(s, bare->inner[0]);
        if (arg->alias && arg->alias->contained) put_alias(s, arg->alias->contained);
        put_char(s, '[');
        if (arg->has_size) put_int(s, arg->size);
        put_char(s, ']');
    } else {
        put_type(s, bare);
    }
    if (arg->alias && arg->alias->n_before > 0) put_alias(s, arg->alias);
    if (optional) put_char(s, '?');
    if (*arg->name) put_char(s, ' ');
    put(s, arg->name);
    if (arg->has_default) put_default(s, arg);
}

static void put_arguments(sink *s, const ob_schema *schema)
{
    bool keywords = false;
    for (int32_t i = 0; i < schema->n_args; i++) {
        if (i > 0) put(s, ", ");
        if (schema->args[i].kwarg_only && !keywords) put(s, "*, ");
        keywords |= schema->args[i].kwarg_only;
        put_argument(s, &schema->args[i]);
    }
    if (schema->is_vararg) put(s, schema->n_args > 0 ? ", ..." : "...");
}

/* True when the text of a return starts with a bracket, so that it needs those of a list of
 * returns. */
static bool is_bracketed(const ob_argument *ret)
{
    const ob_type *type = ret->real_type;
    while (type->kind == OB_TYPE_LIST || type->kind == OB_TYPE_OPTIONAL)
        type = type->inner[0];
    return type->kind == OB_TYPE_TUPLE;
}

static void put_returns(sink *s, const ob_schema *schema)
{
    const int32_t n = schema->n_returns;
    const bool one = n == 1 && !schema->is_varret;
    const bool brackets = one ? is_bracketed(&schema->returns[0]) : !(n == 0 && schema->is_varret);
    if (brackets) put_char(s, '(');
    for (int32_t i = 0; i < n; i++) {
        if (i > 0) put(s, ", ");
        put_argument(s, &schema->returns[i]);
    }
    if (schema->is_varret) put(s, n > 0 ? ", ..." : "...");
    if (brackets) put_char(s, ')');
}

static void put_schema(sink *s, const ob_schema *schema)
{
    put(s, schema->name);
    if (*schema->overload) put_char(s, '.');
    put(s, schema->overload);
    put_char(s, '(');
    put_arguments(s, schema);
    put(s, ") -> ");
    put_returns(s, schema);
}

char *ob_schema_format(const ob_schema *schema)
{
    sink measure = { NULL, 0, 0 };
    put_schema(&measure, schema);
    char *text = ob_alloc(measure.n + 1, 1);
    if (!text) return NULL;
    sink s = { text, measure.n, 0 };
    put_schema(&s, schema);
    return text;
}
