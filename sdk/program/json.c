/* JSON access with checked types (see json.h). */
#include "program/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ob_reader_at(ob_reader *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->where, sizeof r->where, fmt, args);
    va_end(args);
}

ob_status ob_reader_fail(const ob_reader *r, ob_status st, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return OB_FAIL(st, "%s: %s%s%s: %s", r->path, r->entry, *r->where ? ": " : "", r->where, text);
}

ob_status ob_json_parse(ob_reader *r, const char *text, size_t bytes, json_t **out)
{
    json_error_t error;
    *out = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (*out) return OB_OK;
    return ob_reader_fail(r, OB_ERR_PARSE, "line %d, column %d: %s", error.line, error.column,
                          error.text);
}

static const char *type_name(const json_t *v)
{
    static const char *const names[] = { "an object", "an array", "a string", "an int",
                                         "a float",   "true",     "false",    "null" };
    return v ? names[json_typeof(v)] : "nothing";
}

static ob_status member(const ob_reader *r, const json_t *parent, const char *key, json_type type,
                        const char *wanted, json_t **out)
{
    *out = json_object_get(parent, key);
    if (*out && json_typeof(*out) == type) return OB_OK;
    return ob_reader_fail(r, OB_ERR_PARSE, "'%s' is %s, should be %s", key, type_name(*out),
                          wanted);
}

ob_status ob_json_object(const ob_reader *r, const json_t *parent, const char *key, json_t **out)
{
    return member(r, parent, key, JSON_OBJECT, "an object", out);
}

ob_status ob_json_array(const ob_reader *r, const json_t *parent, const char *key, json_t **out)
{
    return member(r, parent, key, JSON_ARRAY, "an array", out);
}

ob_status ob_json_string(const ob_reader *r, const json_t *parent, const char *key,
                         const char **out)
{
    json_t *v = NULL;
    *out = NULL;
    OB_TRY(member(r, parent, key, JSON_STRING, "a string", &v));
    *out = json_string_value(v);
    return OB_OK;
}

ob_status ob_json_int(const ob_reader *r, const json_t *parent, const char *key, int64_t *out)
{
    json_t *v = NULL;
    *out = 0;
    OB_TRY(member(r, parent, key, JSON_INTEGER, "an int", &v));
    *out = json_integer_value(v);
    return OB_OK;
}

ob_status ob_json_union(const ob_reader *r, const json_t *object, const char **tag, json_t **value)
{
    *tag = NULL;
    *value = NULL;
    if (!json_is_object(object) || json_object_size(object) != 1)
        return ob_reader_fail(r, OB_ERR_PARSE,
                              "a union is %s with %zu keys, should be an object with one",
                              type_name(object), json_object_size(object));
    void *it = json_object_iter((json_t *)(uintptr_t)object);
    *tag = json_object_iter_key(it);
    *value = json_object_iter_value(it);
    return OB_OK;
}

ob_status ob_json_to_int(const ob_reader *r, const json_t *value, int64_t *out)
{
    *out = 0;
    if (!json_is_integer(value))
        return ob_reader_fail(r, OB_ERR_PARSE, "found %s, should be an int", type_name(value));
    *out = json_integer_value(value);
    return OB_OK;
}

ob_status ob_json_to_double(const ob_reader *r, const json_t *value, double *out)
{
    static const struct {
        const char *word;
        double value;
    } words[] = { { "Infinity", INFINITY }, { "-Infinity", -INFINITY }, { "NaN", NAN } };
    *out = 0;
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return OB_OK;
    }
    for (size_t i = 0; json_is_string(value) && i < OB_COUNT(words); i++)
        if (!strcmp(json_string_value(value), words[i].word)) {
            *out = words[i].value;
            return OB_OK;
        }
    return ob_reader_fail(r, OB_ERR_PARSE, "found %s, should be a number", type_name(value));
}

ob_status ob_json_to_bool(const ob_reader *r, const json_t *value, bool *out)
{
    *out = json_is_true(value);
    if (json_is_boolean(value)) return OB_OK;
    return ob_reader_fail(r, OB_ERR_PARSE, "found %s, should be true or false", type_name(value));
}

ob_status ob_json_dtype(const ob_reader *r, int64_t number, ob_dtype *out)
{
    /* clang-format off */
    static const struct { int number; ob_dtype dtype; } rows[] = {
        { 1, OB_U8 },  { 2, OB_I8 },  { 3, OB_I16 },   { 4, OB_I32 },  { 5, OB_I64 },   { 6, OB_F16 },
        { 7, OB_F32 }, { 8, OB_F64 }, { 10, OB_C64 }, { 12, OB_BOOL }, { 13, OB_BF16 }, { 29, OB_F8E4M3 },
    };
    /* clang-format on */
    *out = OB_DTYPE_NONE;
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        if (rows[i].number == number) *out = rows[i].dtype;
    if (*out != OB_DTYPE_NONE) return OB_OK;
    return ob_reader_fail(r, OB_ERR_UNSUPPORTED,
                          "dtype %lld of the export schema is not one that Outboard has",
                          (long long)number);
}

ob_status ob_json_memory_format(const ob_reader *r, int64_t number, ob_memory_format *out)
{
    static const ob_memory_format rows[] = { OB_MEMORY_FORMAT_CONTIGUOUS,
                                             OB_MEMORY_FORMAT_CHANNELS_LAST,
                                             OB_MEMORY_FORMAT_CHANNELS_LAST_3D,
                                             OB_MEMORY_FORMAT_PRESERVE };
    *out = OB_MEMORY_FORMAT_NONE;
    if (number < 1 || number > (int64_t)OB_COUNT(rows))
        return ob_reader_fail(r, OB_ERR_PARSE, "memory format %lld, should be 1 to 4",
                              (long long)number);
    *out = rows[number - 1];
    return OB_OK;
}

ob_status ob_json_layout(const ob_reader *r, int64_t number, ob_layout *out)
{
    *out = OB_LAYOUT_STRIDED;
    if (number == 7) return OB_OK;
    return ob_reader_fail(r, OB_ERR_UNSUPPORTED,
                          "layout %lld of the export schema, only 7 (strided) is supported",
                          (long long)number);
}
