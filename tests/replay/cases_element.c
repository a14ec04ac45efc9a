/* Elements of recorded tensors: JSON, memory of any dtype, and how near two of them are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

/* clang-format off */
/* Integer dtypes: X(enumerator, C type of storage) */
#define WHOLE_LIST(X) \
    X(U8, uint8_t) X(I8, int8_t) X(I16, int16_t) X(I32, int32_t) X(I64, int64_t) X(BOOL, uint8_t)
/* Floats of fewer bits than 32: X(enumerator, C type of storage, libob's name for conversions) */
#define SMALL_LIST(X) \
    X(F16, uint16_t, f16) X(BF16, uint16_t, bf16) X(F8E4M3, uint8_t, f8e4m3)
/* clang-format on */

static bool parse_word(const char *word, double *out)
{
    static const struct {
        const char *word;
        double value;
    } words[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };
    for (size_t i = 0; i < OB_COUNT(words); i++) {
        if (strcmp(words[i].word, word) != 0) continue;
        *out = words[i].value;
        return true;
    }
    return false;
}

static bool parse_pair(const json_t *json, element *out)
{
    element re, im;
    if (json_array_size(json) != 2) return false;
    if (!element_parse(json_array_get(json, 0), &re)) return false;
    if (!element_parse(json_array_get(json, 1), &im)) return false;
    *out = (element){ .re = re.re, .im = im.re };
    return true;
}

bool element_parse(const json_t *json, element *out)
{
    *out = (element){ .whole = json_is_integer(json) || json_is_boolean(json) };
    if (json_is_array(json)) return parse_pair(json, out);
    if (json_is_string(json)) return parse_word(json_string_value(json), &out->re);
    if (json_is_boolean(json))
        out->i = json_is_true(json);
    else if (json_is_integer(json))
        out->i = json_integer_value(json);
    out->re = out->whole ? (double)out->i : json_real_value(json);
    if (!out->whole && fabs(out->re) < 0x1p63) out->i = (int64_t)out->re;
    return out->whole || json_is_real(json);
}

element element_load(ob_dtype dtype, const void *at)
{
    element e = { 0 };
    switch (dtype) {
#define OB_X(id, type)            \
    case OB_##id: {               \
        type v;                   \
        memcpy(&v, at, sizeof v); \
        e.whole = true;           \
        e.i = v;                  \
        e.re = (double)e.i;       \
        return e;                 \
    }
        WHOLE_LIST(OB_X)
#undef OB_X
#define OB_X(id, type, name)            \
    case OB_##id: {                     \
        type v;                         \
        memcpy(&v, at, sizeof v);       \
        e.re = ob_##name##_to_float(v); \
        return e;                       \
    }
        SMALL_LIST(OB_X)
#undef OB_X
    case OB_F64:
        memcpy(&e.re, at, sizeof e.re);
        return e;
    default: { /* float32, and complex64: two of them */
        float parts[2] = { 0 };
        memcpy(parts, at, ob_dtype_bytes(dtype));
        e.re = parts[0];
        e.im = parts[1];
        return e;
    }
    }
}

void element_store(ob_dtype dtype, element e, void *at)
{
    switch (dtype) {
#define OB_X(id, type)            \
    case OB_##id: {               \
        const type v = (type)e.i; \
        memcpy(at, &v, sizeof v); \
        return;                   \
    }
        WHOLE_LIST(OB_X)
#undef OB_X
#define OB_X(id, type, name)                                \
    case OB_##id: {                                         \
        const type v = ob_##name##_from_float((float)e.re); \
        memcpy(at, &v, sizeof v);                           \
        return;                                             \
    }
        SMALL_LIST(OB_X)
#undef OB_X
    case OB_F64:
        memcpy(at, &e.re, sizeof e.re);
        return;
    default: {
        const float parts[2] = { (float)e.re, (float)e.im };
        memcpy(at, parts, ob_dtype_bytes(dtype));
    }
    }
}

static bool close_part(double expected, double found, const closeness *c)
{
    if (isnan(expected) || isnan(found)) return isnan(expected) && isnan(found);
    if (isinf(expected) || isinf(found)) return expected == found;
    if (c->signed_zero && expected == 0 && found == 0) return !signbit(expected) == !signbit(found);
    return fabs(expected - found) <= c->atol + c->rtol * fabs(expected);
}

bool element_close(element expected, element found, const closeness *c)
{
    if (found.whole && expected.whole) return expected.i == found.i;
    return close_part(expected.re, found.re, c) && close_part(expected.im, found.im, c);
}

closeness closeness_of(ob_dtype dtype)
{
    static const struct {
        ob_dtype dtype;
        double rtol, atol;
    } rows[] = { { OB_F64, 1e-12, 1e-12 }, { OB_F16, 1e-3, 1e-7 }, { OB_BF16, 8e-3, 1e-7 } };
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        if (rows[i].dtype == dtype) return (closeness){ rows[i].rtol, rows[i].atol, false };
    return (closeness){ 1e-6, 1e-7, false };
}

char *element_format(element e, char *buf, size_t bytes)
{
    if (e.whole)
        snprintf(buf, bytes, "%lld", (long long)e.i);
    else if (e.im != 0)
        snprintf(buf, bytes, "%.9g%+.9gj", e.re, e.im);
    else
        snprintf(buf, bytes, "%.9g", e.re);
    return buf;
}
