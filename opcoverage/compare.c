/* Elementwise comparison in double (int64 exactly); NaN equals NaN, infinities by sign (see
 * compare.h). */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An element as an exact int or a pair of doubles. */
typedef struct element {
    bool is_int;
    int64_t i;
    double re, im;
} element;

static element load(const uint8_t *p, ob_dtype dtype)
{
    element e = { 0 };
    uint16_t half;
    ob_complex64 z;
    float f;
    switch (dtype) {
    case OB_BOOL:
        e.is_int = true;
        e.i = *p != 0;
        break;
    case OB_U8:
        e.is_int = true;
        e.i = *p;
        break;
    case OB_I8:
        e.is_int = true;
        e.i = (int8_t)*p;
        break;
    case OB_I16: {
        int16_t v;
        memcpy(&v, p, 2);
        e.is_int = true;
        e.i = v;
        break;
    }
    case OB_I32: {
        int32_t v;
        memcpy(&v, p, 4);
        e.is_int = true;
        e.i = v;
        break;
    }
    case OB_I64:
        memcpy(&e.i, p, 8);
        e.is_int = true;
        break;
    case OB_F16:
        memcpy(&half, p, 2);
        e.re = (double)ob_f16_to_float(half);
        break;
    case OB_BF16:
        memcpy(&half, p, 2);
        e.re = (double)ob_bf16_to_float(half);
        break;
    case OB_F32:
        memcpy(&f, p, 4);
        e.re = (double)f;
        break;
    case OB_F64:
        memcpy(&e.re, p, 8);
        break;
    case OB_C64:
        memcpy(&z, p, 8);
        e.re = (double)z.re;
        e.im = (double)z.im;
        break;
    case OB_F8E4M3:
        e.re = (double)ob_f8e4m3_to_float(*p);
        break;
    default:
        break;
    }
    return e;
}

static bool same_part(double a, double b, ob_tolerance t, double *difference, double *allowed)
{
    *allowed = t.atol + t.rtol * fabs(b);
    *difference = 0;
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (a == b) return true;
    if (isinf(a) || isinf(b)) return false;
    *difference = fabs(a - b);
    return *difference <= *allowed;
}

static bool same_element(element a, element b, ob_tolerance t, double *difference, double *allowed)
{
    if (a.is_int) {
        *difference = fabs((double)a.i - (double)b.i);
        *allowed = 0;
        return a.i == b.i;
    }
    const double far = hypot(a.re - b.re, a.im - b.im), size = hypot(b.re, b.im);
    if (isfinite(far) && isfinite(size)) { /* complex numbers by their distance */
        *difference = far;
        *allowed = t.atol + t.rtol * size;
        return far <= *allowed;
    }
    double other, other_allowed;
    const bool re = same_part(a.re, b.re, t, difference, allowed),
               im = same_part(a.im, b.im, t, &other, &other_allowed);
    if (other > *difference) *difference = other;
    return re && im;
}

/* Offset of the next element of a strided window, row-major; `index` counts up. */
static void step(int64_t *index, const ob_golden_tensor *t)
{
    for (int d = t->rank - 1; d >= 0; d--) {
        if (++index[d] < t->sizes[d]) return;
        index[d] = 0;
    }
}

static int64_t place(const int64_t *index, const ob_golden_tensor *t)
{
    int64_t at = t->offset;
    for (int d = 0; d < t->rank; d++)
        at += index[d] * t->strides[d];
    return at;
}

static void compare_elements(const uint8_t *got, const uint8_t *storage, size_t storage_bytes,
                             const ob_golden_tensor *want, int64_t numel, ob_tolerance tolerance,
                             ob_judgement *out)
{
    int64_t index[OB_MAX_RANK] = { 0 };
    const size_t size = ob_dtype_bytes(want->dtype);
    for (int64_t i = 0; i < numel; i++, step(index, want)) {
        const int64_t at = place(index, want);
        if (at < 0 || (size_t)at * size + size > storage_bytes) {
            out->ok = false;
            snprintf(out->message, sizeof out->message,
                     "the corpus has element %lld outside its storage", (long long)at);
            return;
        }
        const element a = load(got + (size_t)i * size, want->dtype),
                      b = load(storage + (size_t)at * size, want->dtype);
        double difference, allowed;
        const bool same = same_element(a, b, tolerance, &difference, &allowed);
        if (difference > out->worst || (!same && out->ok)) {
            out->worst = difference;
            out->allowed = allowed;
        }
        if (!same && out->ok) {
            out->ok = false;
            snprintf(out->message, sizeof out->message, "element %lld is %.9g, should be %.9g",
                     (long long)i, a.is_int ? (double)a.i : a.re, b.is_int ? (double)b.i : b.re);
        }
    }
}

/* A dim whose stride differs and is used, else -1. */
static int odd_stride(const ob_tensor *got, const ob_golden_tensor *want)
{
    if (ob_tensor_numel(got) == 0) return -1;
    for (int d = 0; d < want->rank; d++)
        if (want->sizes[d] > 1 && ob_tensor_strides(got)[d] != want->strides[d]) return d;
    return -1;
}

static ob_status compare_tensor(const ob_corpus *c, const ob_golden *g, ob_tensor *got,
                                const char *token, ob_tolerance tolerance, ob_judgement *out)
{
    ob_golden_tensor want;
    ob_golden_values storages;
    char have[256], need[256];
    size_t blob_bytes = 0;
    OB_TRY(ob_golden_tensor_token(token, &want));
    OB_TRY(ob_golden_storages(c, g, OB_DEVICE_CPU, &storages));
    const int rank = ob_tensor_rank(got);
    if (ob_tensor_dtype(got) != want.dtype || rank != want.rank ||
        (rank > 0 &&
         memcmp(ob_tensor_sizes(got), want.sizes, (size_t)rank * sizeof(int64_t)) != 0)) {
        out->ok = false;
        snprintf(out->message, sizeof out->message, "is %s %s, should be %s %s",
                 ob_dtype_name(ob_tensor_dtype(got)),
                 ob_sizes_format(ob_tensor_sizes(got), rank, have, sizeof have),
                 ob_dtype_name(want.dtype),
                 ob_sizes_format(want.sizes, want.rank, need, sizeof need));
        return OB_OK;
    }
    const int d = tolerance.strides ? odd_stride(got, &want) : -1;
    if (d >= 0) {
        out->ok = false;
        snprintf(out->message, sizeof out->message, "stride %d is %lld, should be %lld", d,
                 (long long)ob_tensor_strides(got)[d], (long long)want.strides[d]);
        return OB_OK;
    }
    const size_t bytes = (size_t)ob_tensor_numel(got) * ob_dtype_bytes(want.dtype);
    if (want.storage < 0 || want.storage >= storages.n_storages)
        return OB_FAIL(OB_ERR_PARSE, "case %s: no such storage", g->id);
    if (!tolerance.values || bytes == 0) return OB_OK;
    uint8_t *host = malloc(bytes);
    ob_status st = host ? ob_tensor_read(got, host, bytes)
                        : OB_FAIL(OB_ERR_OOM, "no memory for %zu bytes", bytes);
    if (st == OB_OK)
        compare_elements(host, ob_corpus_blob(c, &blob_bytes) + storages.offsets[want.storage],
                         storages.lengths[want.storage], &want, ob_tensor_numel(got), tolerance,
                         out);
    free(host);
    return st;
}

static void compare_scalar(const ob_value *got, const ob_value *want, ob_tolerance tolerance,
                           ob_judgement *out)
{
    char have[64], need[64];
    const ob_scalar a = ob_value_as_scalar(got), b = ob_value_as_scalar(want);
    double difference = 0, allowed = 0;
    const bool number = a.tag != OB_SCALAR_NONE && b.tag != OB_SCALAR_NONE;
    if (number
            ? same_part(ob_scalar_double(a), ob_scalar_double(b), tolerance, &difference, &allowed)
            : got->tag == want->tag)
        return;
    out->ok = !tolerance.values;
    snprintf(out->message, sizeof out->message, "is %s, should be %s",
             ob_value_format(got, have, sizeof have), ob_value_format(want, need, sizeof need));
}

ob_status ob_compare_value(const ob_corpus *c, const ob_golden *g, const ob_value *got,
                           const char **want, ob_tolerance tolerance, ob_judgement *out)
{
    while (**want == ' ')
        ++*want;
    if (**want == '[') {
        for (++*want; **want == ' ';)
            ++*want;
        uint32_t n = 0;
        for (; **want && **want != ']'; n++) {
            ob_value item = ob_value_none();
            if (n >= got->count)
                item = ob_value_none();
            else if (got->tag == OB_VALUE_TENSORS)
                item = ob_value_tensor(got->u.tensors[n]);
            else if (got->tag == OB_VALUE_INTS)
                item = ob_value_int(got->u.ints[n]);
            else if (got->tag == OB_VALUE_LIST)
                item = got->u.list[n];
            OB_TRY(ob_compare_value(c, g, &item, want, tolerance, out));
            while (**want == ' ')
                ++*want;
        }
        if (**want) ++*want;
        if (n == got->count) return OB_OK;
        out->ok = false;
        snprintf(out->message, sizeof out->message, "has %u elements, should have %u", got->count,
                 n);
        return OB_OK;
    }
    if (**want == 'T' && got->tag == OB_VALUE_TENSOR) {
        const char *token = *want;
        *want += strcspn(token, " ");
        return compare_tensor(c, g, got->u.tensor, token, tolerance, out);
    }
    if (**want == 'T') {
        *want += strcspn(*want, " ");
        out->ok = false;
        snprintf(out->message, sizeof out->message, "is %s, should be a tensor",
                 ob_value_tag_name(got->tag));
        return OB_OK;
    }
    ob_golden_values scratch = { .device = OB_DEVICE_CPU };
    ob_value value;
    const ob_status st = ob_golden_value(c, &scratch, want, NULL, &value);
    if (st == OB_OK) compare_scalar(got, &value, tolerance, out);
    ob_golden_values_reset(&scratch);
    return st;
}
