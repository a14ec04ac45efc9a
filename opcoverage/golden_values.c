/* Values of golden cases: from tokens to ob_values over device tensors (see golden.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

static void *keep(ob_golden_values *v, size_t n, size_t bytes)
{
    if (v->n_arena == (int)OB_COUNT(v->arena)) return NULL;
    void *memory = calloc(n ? n : 1, bytes);
    if (memory) v->arena[v->n_arena++] = memory;
    return memory;
}

void ob_golden_values_reset(ob_golden_values *v)
{
    for (int i = 0; i < v->n_tensors; i++)
        ob_tensor_release(v->tensors[i]);
    for (int i = 0; i < v->n_storages; i++)
        ob_tensor_release(v->bases[i]);
    for (int i = 0; i < v->n_arena; i++)
        free(v->arena[i]);
    memset(v, 0, sizeof *v);
}

ob_status ob_golden_storages(const ob_corpus *c, const ob_golden *g, ob_device device,
                             ob_golden_values *out)
{
    size_t blob_bytes = 0;
    (void)ob_corpus_blob(c, &blob_bytes);
    memset(out, 0, sizeof *out);
    out->device = device;
    if (!strcmp(g->storages, "-")) return OB_OK;
    for (const char *at = g->storages; *at;) {
        char *end = NULL;
        const unsigned long long offset = strtoull(at, &end, 10);
        const unsigned long long length = *end == '+' ? strtoull(end + 1, &end, 10) : 0;
        if (out->n_storages == OB_CASE_STORAGES || offset > blob_bytes ||
            length > blob_bytes - offset)
            return OB_FAIL(OB_ERR_PARSE,
                           "case %s: storage %d lies outside the %zu bytes of blob.bin", g->id,
                           out->n_storages, blob_bytes);
        out->offsets[out->n_storages] = offset;
        out->lengths[out->n_storages++] = length;
        at = *end == ',' ? end + 1 : end + strlen(end);
    }
    return OB_OK;
}

static ob_status parse_list(const char **at, int64_t *out, int *n)
{
    *n = 0;
    if (**at == 'x') {
        ++*at;
        return OB_OK;
    }
    for (;;) {
        char *end = NULL;
        if (*n == OB_MAX_RANK)
            return OB_FAIL(OB_ERR_PARSE, "a tensor of more than %d dims", OB_MAX_RANK);
        out[(*n)++] = strtoll(*at, &end, 10);
        if (end == *at) return OB_FAIL(OB_ERR_PARSE, "a list of numbers at '%.20s'", *at);
        *at = end;
        if (**at != ',') return OB_OK;
        ++*at;
    }
}

ob_status ob_golden_tensor_token(const char *token, ob_golden_tensor *out)
{
    char name[32];
    int rank = 0;
    memset(out, 0, sizeof *out);
    char *end = NULL;
    out->storage = (int)strtol(token + 1, &end, 10);
    if (*end != ':') return OB_FAIL(OB_ERR_PARSE, "tensor token '%.40s'", token);
    const char *at = end + 1;
    const size_t n = strcspn(at, ":");
    snprintf(name, sizeof name, "%.*s", (int)(n < 31 ? n : 31), at);
    OB_TRY(ob_dtype_parse(name, &out->dtype));
    at += n + 1;
    out->offset = strtoll(at, &end, 10);
    if (*end != ':') return OB_FAIL(OB_ERR_PARSE, "tensor token '%.40s'", token);
    at = end + 1;
    OB_TRY(parse_list(&at, out->sizes, &out->rank));
    if (*at != ':') return OB_FAIL(OB_ERR_PARSE, "tensor token '%.40s'", token);
    at++;
    OB_TRY(parse_list(&at, out->strides, &rank));
    return rank == out->rank
               ? OB_OK
               : OB_FAIL(OB_ERR_PARSE, "tensor token '%.40s': sizes and strides differ", token);
}

static ob_status base_of(const ob_corpus *c, ob_golden_values *v, const ob_golden_tensor *t,
                         ob_tensor **out)
{
    size_t blob_bytes = 0;
    const uint8_t *blob = ob_corpus_blob(c, &blob_bytes);
    const size_t step = ob_dtype_bytes(t->dtype);
    if (t->storage < 0 || t->storage >= v->n_storages)
        return OB_FAIL(OB_ERR_PARSE, "a tensor on storage %d, there are %d", t->storage,
                       v->n_storages);
    ob_tensor **base = &v->bases[t->storage];
    if (!*base) {
        const size_t bytes = v->lengths[t->storage] / step * step;
        OB_TRY(ob_tensor_create(OB_INTS((int64_t)(bytes / step)), t->dtype, v->device, base));
        if (bytes > 0) OB_TRY(ob_tensor_write(*base, blob + v->offsets[t->storage], bytes));
    }
    *out = *base;
    return OB_OK;
}

static ob_status make_tensor(const ob_corpus *c, ob_golden_values *v, const char *token,
                             ob_value *out)
{
    ob_golden_tensor t;
    ob_tensor *base = NULL, *view = NULL;
    OB_TRY(ob_golden_tensor_token(token, &t));
    if (v->n_tensors == (int)OB_COUNT(v->tensors))
        return OB_FAIL(OB_ERR_PARSE, "more than %zu tensors", OB_COUNT(v->tensors));
    OB_TRY(base_of(c, v, &t, &base));
    const ob_ints sizes = { t.sizes, t.rank }, strides = { t.strides, t.rank };
    if (ob_tensor_dtype(base) == t.dtype)
        OB_TRY(ob_tensor_view_of(base, sizes, strides, t.offset, &view));
    else
        OB_TRY(ob_tensor_view_dtype(base, t.dtype, sizes, strides, t.offset, &view));
    v->tensors[v->n_tensors++] = view;
    *out = ob_value_tensor(view);
    return OB_OK;
}

static ob_status make_string(ob_golden_values *v, const char *token, size_t n, ob_value *out)
{
    char *text = keep(v, n + 1, 1);
    size_t k = 0;
    if (!text) return OB_FAIL(OB_ERR_OOM, "no memory for a string");
    for (size_t i = 1; i < n; i++) {
        unsigned byte = (unsigned char)token[i];
        if (token[i] == '%' && i + 2 < n && sscanf(token + i + 1, "%2x", &byte) == 1) i += 2;
        text[k++] = (char)byte;
    }
    *out = ob_value_string(text);
    return OB_OK;
}

static ob_value tagged(uint32_t tag, int64_t i)
{
    ob_value v = ob_value_int(i);
    v.tag = tag;
    return v;
}

static ob_status make_word(const char *token, size_t n, ob_value *out)
{
    /* clang-format off */
    static const struct { const char *token; uint32_t tag; int64_t value; } words[] = {
        { "mcontiguous", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_CONTIGUOUS },
        { "mchannels_last", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_CHANNELS_LAST },
        { "mchannels_last_3d", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_CHANNELS_LAST_3D },
        { "mpreserve", OB_VALUE_MEMORY_FORMAT, OB_MEMORY_FORMAT_PRESERVE },
        { "lstrided", OB_VALUE_LAYOUT, OB_LAYOUT_STRIDED },
    };
    /* clang-format on */
    for (size_t i = 0; i < OB_COUNT(words); i++)
        if (strlen(words[i].token) == n && !strncmp(words[i].token, token, n)) {
            *out = tagged(words[i].tag, words[i].value);
            return OB_OK;
        }
    return OB_FAIL(OB_ERR_UNSUPPORTED, "value '%.*s'", (int)n, token);
}

static ob_status make_scalar(ob_golden_values *v, const char *token, size_t n, ob_value *out)
{
    char text[64], *end = NULL;
    ob_dtype dtype;
    snprintf(text, sizeof text, "%.*s", (int)(n - 1 < 63 ? n - 1 : 63), token + 1);
    switch (token[0]) {
    case 'N':
        *out = ob_value_none();
        return OB_OK;
    case 'b':
        *out = ob_value_bool(text[0] == '1');
        return OB_OK;
    case 'i':
        *out = ob_value_int(strtoll(text, NULL, 10));
        return OB_OK;
    case 'f':
        *out = ob_value_double(strtod(text, NULL));
        return OB_OK;
    case 'c': {
        const double re = strtod(text, &end);
        *out = ob_value_scalar(ob_complex(re, *end == ',' ? strtod(end + 1, NULL) : 0));
        return OB_OK;
    }
    case 'd':
        OB_TRY(ob_dtype_parse(text, &dtype));
        *out = ob_value_dtype(dtype);
        return OB_OK;
    case 'v':
        *out = ob_value_device(v->device);
        return OB_OK;
    default:
        return make_word(token, n, out);
    }
}

/* What a list of this type is made of; by the first element when the type does not say. */
static uint32_t list_tag(const ob_type *type, const ob_value *items, int n)
{
    if (type && type->kind == OB_TYPE_OPTIONAL) type = type->inner[0];
    const ob_type_kind element =
        type && type->kind == OB_TYPE_LIST
            ? (type->inner[0]->kind == OB_TYPE_OPTIONAL ? type->inner[0]->inner[0]->kind
                                                        : type->inner[0]->kind)
            : OB_TYPE_LIMIT;
    switch (element) {
    case OB_TYPE_TENSOR:
        return OB_VALUE_TENSORS;
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
        break;
    }
    const uint32_t first = n > 0 ? items[0].tag : OB_VALUE_INT;
    return first == OB_VALUE_TENSOR   ? OB_VALUE_TENSORS
           : first == OB_VALUE_INT    ? OB_VALUE_INTS
           : first == OB_VALUE_DOUBLE ? OB_VALUE_DOUBLES
           : first == OB_VALUE_BOOL   ? OB_VALUE_BOOLS
                                      : OB_VALUE_LIST;
}

static ob_status make_list(const ob_corpus *c, ob_golden_values *v, const char **at,
                           const ob_type *type, ob_value *out)
{
    enum { LIMIT = 256 };
    ob_value *items = keep(v, LIMIT, sizeof *items);
    int n = 0;
    if (!items) return OB_FAIL(OB_ERR_OOM, "no memory for a list");
    for (;;) {
        while (**at == ' ')
            ++*at;
        if (**at == ']') {
            ++*at;
            break;
        }
        if (!**at || n == LIMIT)
            return OB_FAIL(OB_ERR_PARSE, "a list that does not end, or over %d elements", LIMIT);
        OB_TRY(ob_golden_value(c, v, at, NULL, &items[n++]));
    }
    void *data = keep(v, (size_t)n, sizeof(ob_value));
    if (!data) return OB_FAIL(OB_ERR_OOM, "no memory for %d elements", n);
    *out = tagged(list_tag(type, items, n), 0);
    out->count = (uint32_t)n;
    out->u.object = data;
    for (int i = 0; i < n; i++) {
        const ob_scalar s = ob_value_as_scalar(&items[i]);
        switch (out->tag) {
        case OB_VALUE_TENSORS:
            ((ob_tensor **)data)[i] = items[i].tag == OB_VALUE_TENSOR ? items[i].u.tensor : NULL;
            break;
        case OB_VALUE_INTS:
            ((int64_t *)data)[i] = ob_scalar_int(s);
            break;
        case OB_VALUE_DOUBLES:
            ((double *)data)[i] = ob_scalar_double(s);
            break;
        case OB_VALUE_BOOLS:
            ((uint8_t *)data)[i] = ob_scalar_double(s) != 0;
            break;
        default:
            ((ob_value *)data)[i] = items[i];
            break;
        }
    }
    return OB_OK;
}

ob_status ob_golden_value(const ob_corpus *c, ob_golden_values *v, const char **at,
                          const ob_type *type, ob_value *out)
{
    while (**at == ' ')
        ++*at;
    const char *token = *at;
    const size_t n = strcspn(token, " ");
    if (n == 0) return OB_FAIL(OB_ERR_PARSE, "a value is missing");
    *at = token + n;
    if (token[0] == '[' && n == 1) return make_list(c, v, at, type, out);
    if (token[0] == 'T') return make_tensor(c, v, token, out);
    if (token[0] == 's') return make_string(v, token, n, out);
    return make_scalar(v, token, n, out);
}

ob_status ob_golden_args(const ob_corpus *c, const ob_golden *g, const ob_schema *schema,
                         ob_golden_values *v, ob_value *args)
{
    for (int i = 0; i < schema->n_args; i++)
        args[i] = (ob_value){ 0 };
    if (!strcmp(g->args, "-")) return OB_OK;
    for (const char *at = g->args; *at;) {
        char name[80];
        while (*at == ' ')
            at++;
        if (!*at) break;
        const size_t n = strcspn(at, "=");
        snprintf(name, sizeof name, "%.*s", (int)(n < 79 ? n : 79), at);
        const int i = at[n] == '=' ? ob_schema_arg(schema, name) : -1;
        if (i < 0)
            return OB_FAIL(OB_ERR_PARSE, "case %s: argument '%s' is not in the schema", g->id,
                           name);
        at += n + 1;
        OB_TRY(ob_golden_value(c, v, &at, schema->args[i].real_type, &args[i]));
    }
    return OB_OK;
}
