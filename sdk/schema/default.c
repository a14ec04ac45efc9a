/* Default values. PyTorch: parseDefaultValue in torch/csrc/jit/frontend/function_schema_parser.cpp.
 *
 * Note [Defaults are not checked]: except for lists, a constant is kept as it is written, whatever
 * the argument's type: `int x="1"` holds a string. Words stand for numbers: a dtype for its
 * ScalarType number, where the argument's real type is ScalarType. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "schema/parser.h"

/* clang-format off */
/* Words of PyTorch's dtypes: X(word, number). The spare words of a number follow its name. */
#define OB_DTYPE_WORDS(X)                                                                                  \
    X(uint8, 0) X(int8, 1) X(int16, 2) X(short, 2) X(int32, 3) X(int, 3) X(int64, 4) X(long, 4)            \
    X(float16, 5) X(half, 5) X(float32, 6) X(float, 6) X(float64, 7) X(double, 7) X(complex32, 8)          \
    X(chalf, 8) X(complex64, 9) X(cfloat, 9) X(complex, 9) X(complex128, 10) X(cdouble, 10) X(bool, 11)    \
    X(qint8, 12) X(quint8, 13) X(qint32, 14) X(bfloat16, 15) X(quint4x2, 16) X(quint2x4, 17)               \
    X(bits1x8, 18) X(bits2x4, 19) X(bits4x2, 20) X(bits8, 21) X(bits16, 22) X(float8_e5m2, 23)             \
    X(float8_e4m3fn, 24) X(float8_e5m2fnuz, 25) X(float8_e4m3fnuz, 26) X(uint16, 27) X(uint32, 28)         \
    X(uint64, 29) X(bit, 30) X(uint1, 30) X(uint2, 31) X(uint3, 32) X(uint4, 33) X(uint5, 34) X(uint6, 35) \
    X(uint7, 36) X(int1, 37) X(int2, 38) X(int3, 39) X(int4, 40) X(int5, 41) X(int6, 42) X(int7, 43)       \
    X(float8_e8m0fnu, 44) X(float4_e2m1fn_x2, 45)
/* Words that any argument may have. */
#define OB_CONSTANT_WORDS(X) \
    X(float, 6) X(complex, 9) X(long, 4) X(strided, 0) X(Mean, 1) X(contiguous_format, 0)
/* clang-format on */

typedef struct word_value {
    const char *word;
    int64_t value;
} word_value;

#define OB_X(word, value) { #word, value },
static const word_value dtype_words[] = { OB_DTYPE_WORDS(OB_X) };
static const word_value constant_words[] = { OB_CONSTANT_WORDS(OB_X) };
#undef OB_X

static bool find_word(const word_value *rows, size_t n, ob_token token, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(rows[i].word) == token.length &&
            memcmp(rows[i].word, token.text, token.length) == 0) {
            *out = rows[i].value;
            return true;
        }
    return false;
}

static const ob_type *without_optional(const ob_type *type)
{
    return type->kind == OB_TYPE_OPTIONAL ? type->inner[0] : type;
}

static ob_status parse_word(ob_schema_parser *p, const ob_type *real_type, ob_value *out)
{
    const ob_token word = p->lex.token;
    const bool dtype = without_optional(real_type)->kind == OB_TYPE_DTYPE;
    int64_t value = 0;
    if (!find_word(constant_words, OB_COUNT(constant_words), word, &value) &&
        !(dtype && find_word(dtype_words, OB_COUNT(dtype_words), word, &value)))
        return ob_lexer_fail(&p->lex, dtype ? "the default names no dtype"
                                            : "the default is no constant: a bare word");
    ob_lexer_next(&p->lex);
    *out = ob_value_int(value);
    return OB_OK;
}

/* The number's text with its sign, in a form that strtod() reads under any locale. */
static ob_status number_text(ob_schema_parser *p, bool negative, ob_token number, char buf[72])
{
    const char *point = localeconv()->decimal_point;
    if (number.length > 64) return ob_lexer_fail(&p->lex, "a number has more than 64 characters");
    size_t n = 0;
    if (negative) buf[n++] = '-';
    for (size_t i = 0; i < number.length; i++)
        buf[n++] = number.text[i] == '.' ? *point : number.text[i];
    buf[n] = '\0';
    return OB_OK;
}

static ob_status read_double(ob_schema_parser *p, char *text, double *out)
{
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    if (end == text) return ob_lexer_fail(&p->lex, "a complex default must end in j");
    if (errno == ERANGE) return ob_lexer_fail(&p->lex, "a number does not fit a double");
    return OB_OK;
}

/* '-'? number. A complex is its imaginary part: the last character is cut, j or not (PyTorch's
 * quirk). */
static ob_status parse_number(ob_schema_parser *p, const ob_type *real_type, ob_value *out)
{
    ob_token number;
    char text[72];
    const bool negative = ob_lexer_next_if(&p->lex, '-');
    OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_NUMBER, &number));
    OB_TRY(number_text(p, negative, number, text));
    const bool point = memchr(number.text, '.', number.length) || strchr(text, 'e');
    if (real_type->kind == OB_TYPE_COMPLEX || strchr(text, 'j')) {
        *out = (ob_value){ OB_VALUE_COMPLEX, 0, { 0 } };
        text[strlen(text) - 1] = '\0';
        out->u.c[0] = 0;
        return read_double(p, text, &out->u.c[1]);
    }
    if (real_type->kind == OB_TYPE_FLOAT || point) {
        *out = ob_value_double(0);
        return read_double(p, text, &out->u.d);
    }
    errno = 0;
    *out = ob_value_int(strtoll(text, NULL, 10));
    if (errno == ERANGE) return ob_lexer_fail(&p->lex, "a number does not fit 64 bits");
    return OB_OK;
}

/* Value of the three octal digits at `s`, -1 when they are not that. */
static int octal(const char *s, const char *end)
{
    if (end - s <= 3) return -1; /* never the last characters: PyTorch's quirk */
    int value = 0;
    for (int i = 0; i < 3; i++) {
        if (s[i] < '0' || s[i] > '7') return -1;
        value = 8 * value + (s[i] - '0');
    }
    return value < 256 ? value : -1;
}

/* Undo the escape after the backslash at *s, which moves past it. */
static ob_status unescape(ob_schema_parser *p, const char **s, const char *end, char *out)
{
    static const char from[] = "\\'\"\nabfnvt", to[] = "\\'\"\n\a\b\f\n\v\t";
    const char *known = (*s)[1] ? strchr(from, (*s)[1]) : NULL;
    const int value = octal(*s + 1, end);
    if (known) {
        *out = to[known - from];
        *s += 2;
    } else if (value >= 0) {
        *out = (char)value;
        *s += 4;
    } else {
        return ob_lexer_fail(&p->lex,
                             "a backslash starts no known escape: \\n, \\123 and such are");
    }
    return OB_OK;
}

static ob_status parse_string(ob_schema_parser *p, ob_value *out)
{
    const ob_token t = p->lex.token;
    const char quote = t.text[0];
    const size_t quotes = t.length >= 6 && t.text[1] == quote && t.text[2] == quote ? 3 : 1;
    const char *s = t.text + quotes, *end = t.text + t.length - quotes;
    char *text = ob_schema_alloc(p, (size_t)(end - s) + 1);
    if (!text) return OB_ERR_OOM;
    uint32_t n = 0;
    while (s < end) {
        if (*s == '\\')
            OB_TRY(unescape(p, &s, end, &text[n++]));
        else
            text[n++] = *s++;
    }
    *out = (ob_value){ OB_VALUE_STRING, n, { 0 } };
    out->u.string = text;
    ob_lexer_next(&p->lex);
    return OB_OK;
}

static ob_status parse_constant(ob_schema_parser *p, const ob_type *real_type, ob_value *out)
{
    switch (p->lex.token.kind) {
    case OB_TOKEN_TRUE:
    case OB_TOKEN_FALSE:
        *out = ob_value_bool(p->lex.token.kind == OB_TOKEN_TRUE);
        break;
    case OB_TOKEN_NONE:
        *out = ob_value_none();
        break;
    case OB_TOKEN_STRING:
        return parse_string(p, out);
    case OB_TOKEN_IDENT:
        return parse_word(p, real_type, out);
    default:
        return parse_number(p, real_type, out);
    }
    ob_lexer_next(&p->lex);
    return OB_OK;
}

/* A string that names a device of ours, with an index of 0 to 127 if it has one. */
static ob_status parse_device(ob_schema_parser *p, ob_value *out)
{
    static const char *const names[] = {
#define OB_X(name, device) device,
        OB_BACKEND_LIST(OB_X)
#undef OB_X
    };
    const ob_lexer place = p->lex;
    if (p->lex.token.kind != OB_TOKEN_STRING)
        return ob_lexer_expect(&p->lex, OB_TOKEN_STRING, NULL);
    OB_TRY(parse_string(p, out));
    const char *text = out->u.string, *colon = strchr(text, ':');
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    ob_device device = { OB_BACKEND_NONE, -1 };
    for (size_t i = 0; i < OB_COUNT(names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], text, n) == 0)
            device.backend = (int32_t)i + OB_BACKEND_CPU;
    if (colon) {
        device.index = 0;
        for (const char *d = colon + 1; *d >= '0' && *d <= '9' && device.index < 128; d++)
            device.index = 10 * device.index + (*d - '0');
        const size_t digits = strlen(colon + 1);
        const bool plain = digits >= 1 && strspn(colon + 1, "0123456789") == digits &&
                           (digits == 1 || colon[1] != '0');
        if (!plain || device.index > 127) device.backend = OB_BACKEND_NONE;
    }
    if (device.backend == OB_BACKEND_NONE)
        return ob_lexer_fail(&place, "the default names no device, such as \"cpu\" or \"cuda:1\"");
    *out = ob_value_device(device);
    return OB_OK;
}

/* Elements of a list default as they are read. */
typedef struct constants {
    ob_value first[32];
    ob_value *values; /* first, or the schema's memory */
    int64_t n, limit;
} constants;

static ob_status add_constant(ob_schema_parser *p, constants *list, ob_value value)
{
    if (list->n == OB_SCHEMA_LIST_LIMIT)
        return ob_lexer_fail(&p->lex, "a default has more than 4096 elements");
    if (list->n == list->limit) {
        ob_value *more = ob_schema_alloc(p, (size_t)list->limit * 2 * sizeof *more);
        if (!more) return OB_ERR_OOM;
        memcpy(more, list->values, (size_t)list->n * sizeof *more);
        list->values = more;
        list->limit *= 2;
    }
    list->values[list->n++] = value;
    return OB_OK;
}

/* Make the list a value of the element kind; every element must have exactly that kind. */
static ob_status make_list(ob_schema_parser *p, ob_type_kind kind, const constants *list,
                           ob_value *out)
{
    static const struct {
        ob_type_kind kind;
        uint32_t element, list;
        size_t bytes;
    } rows[] = { { OB_TYPE_INT, OB_VALUE_INT, OB_VALUE_INTS, sizeof(int64_t) },
                 { OB_TYPE_FLOAT, OB_VALUE_DOUBLE, OB_VALUE_DOUBLES, sizeof(double) },
                 { OB_TYPE_BOOL, OB_VALUE_BOOL, OB_VALUE_BOOLS, 1 },
                 { OB_TYPE_COMPLEX, OB_VALUE_COMPLEX, OB_VALUE_LIST, sizeof(ob_value) } };
    size_t row = 0;
    while (row < OB_COUNT(rows) && rows[row].kind != kind)
        row++;
    if (row == OB_COUNT(rows))
        return ob_lexer_fail(&p->lex, "only lists of int, float, bool and complex have defaults");
    char *data = ob_schema_alloc(p, (size_t)(list->n ? list->n : 1) * rows[row].bytes);
    if (!data) return OB_ERR_OOM;
    for (int64_t i = 0; i < list->n; i++) {
        const ob_value *v = &list->values[i];
        if (v->tag != rows[row].element)
            return ob_lexer_fail(&p->lex, "an element of the default has not the list's type");
        const void *from = v->tag == OB_VALUE_COMPLEX ? (const void *)v : (const void *)&v->u;
        memcpy(data + (size_t)i * rows[row].bytes, from, rows[row].bytes);
    }
    *out = (ob_value){ rows[row].list, (uint32_t)list->n, { 0 } };
    out->u.list = (void *)data;
    return OB_OK;
}

/* '[' constants ']', or, for a sized list, one constant that is repeated. */
static ob_status parse_list(ob_schema_parser *p, ob_argument *arg)
{
    const ob_type *real = arg->real_type->inner[0];
    constants list = { .values = NULL, .n = 0, .limit = 32 };
    list.values = list.first;
    ob_value value;
    if (p->lex.token.kind == OB_TOKEN_IDENT) return ob_lexer_expect(&p->lex, OB_TOKEN_NONE, NULL);
    if (arg->has_size && p->lex.token.kind != '[') {
        OB_TRY(parse_constant(p, real, &value));
        for (int64_t i = 0; i < arg->size; i++)
            OB_TRY(add_constant(p, &list, value));
    } else {
        OB_TRY(ob_lexer_expect(&p->lex, '[', NULL));
        if (p->lex.token.kind != ']') do {
                OB_TRY(parse_constant(p, real, &value));
                OB_TRY(add_constant(p, &list, value));
            } while (ob_lexer_next_if(&p->lex, ','));
        OB_TRY(ob_lexer_expect(&p->lex, ']', NULL));
    }
    return make_list(p, arg->type->inner[0]->kind, &list, &arg->value);
}

/* An int that stands for a dtype, layout or memory format gets the tag that calls use for these. */
static void tag_enumeration(ob_argument *arg)
{
    if (arg->value.tag != OB_VALUE_INT) return;
    const ob_type_kind kind = without_optional(arg->real_type)->kind;
    if (kind == OB_TYPE_DTYPE) arg->value.tag = OB_VALUE_DTYPE;
    if (kind == OB_TYPE_LAYOUT) arg->value.tag = OB_VALUE_LAYOUT;
    if (kind == OB_TYPE_MEMORY_FORMAT) arg->value.tag = OB_VALUE_MEMORY_FORMAT;
}

ob_status ob_schema_parse_default(ob_schema_parser *p, ob_argument *arg)
{
    switch (arg->type->kind) {
    case OB_TYPE_TENSOR:
    case OB_TYPE_GENERATOR:
    case OB_TYPE_QUANTIZER:
        arg->value = ob_value_none();
        return ob_lexer_expect(&p->lex, OB_TOKEN_NONE, NULL);
    case OB_TYPE_STRING:
    case OB_TYPE_OPTIONAL:
    case OB_TYPE_SCALAR:
    case OB_TYPE_INT:
    case OB_TYPE_BOOL:
    case OB_TYPE_FLOAT:
    case OB_TYPE_COMPLEX:
        OB_TRY(parse_constant(p, arg->real_type, &arg->value));
        tag_enumeration(arg);
        return OB_OK;
    case OB_TYPE_DEVICE:
        return parse_device(p, &arg->value);
    case OB_TYPE_LIST:
        return parse_list(p, arg);
    default:
        return ob_lexer_fail(&p->lex, "an argument of this type can have no default");
    }
}
