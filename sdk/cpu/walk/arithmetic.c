/* See arithmetic.h. */
#include "cpu/walk/arithmetic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/tensor/copy.h"

ob_status ob_accumulation_parse(const char *op, const char *name, ob_accumulation *out)
{
    static const char *const names[] = {
#define OB_X(id, text) text,
        OB_ACCUMULATE_LIST(OB_X)
#undef OB_X
    };
    for (int i = 0; i < OB_ACCUMULATE_LIMIT; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *out = (ob_accumulation)i;
        return OB_OK;
    }
    return OB_FAIL(OB_ERR_ARG,
                   "%s: reduce is '%s'; it must be sum, prod, mean, amax, amin, add or "
                   "multiply",
                   op, name);
}

static double combine_real(ob_accumulation how, double a, double b)
{
    switch (how) {
    case OB_ACCUMULATE_PROD:
    case OB_ACCUMULATE_MULTIPLY:
        return a * b;
    case OB_ACCUMULATE_AMAX:
        return isnan(a) || a > b ? a : b;
    case OB_ACCUMULATE_AMIN:
        return isnan(a) || a < b ? a : b;
    default:
        return a + b;
    }
}

static int64_t combine_whole(ob_accumulation how, int64_t a, int64_t b)
{
    switch (how) {
    case OB_ACCUMULATE_PROD:
    case OB_ACCUMULATE_MULTIPLY:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case OB_ACCUMULATE_AMAX:
        return a > b ? a : b;
    case OB_ACCUMULATE_AMIN:
        return a < b ? a : b;
    default:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

static void combine_complex(ob_accumulation how, void *acc, const void *value)
{
    ob_complex64 a, b;
    memcpy(&a, acc, sizeof a);
    memcpy(&b, value, sizeof b);
    const bool product = how == OB_ACCUMULATE_PROD || how == OB_ACCUMULATE_MULTIPLY;
    const ob_complex64 sum = { a.re + b.re, a.im + b.im };
    const ob_complex64 times = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
    memcpy(acc, product ? &times : &sum, sizeof sum);
}

void ob_accumulate(ob_accumulation how, ob_dtype dtype, void *acc, const void *value)
{
    if (dtype == OB_C64) {
        combine_complex(how, acc, value);
    } else if (ob_dtype_kind(dtype) == OB_KIND_FLOAT) {
        double a = 0, b = 0;
        ob_convert_element(&a, OB_F64, acc, dtype);
        ob_convert_element(&b, OB_F64, value, dtype);
        a = combine_real(how, a, b);
        ob_convert_element(acc, dtype, &a, OB_F64);
    } else {
        int64_t a = 0, b = 0;
        ob_convert_element(&a, OB_I64, acc, dtype);
        ob_convert_element(&b, OB_I64, value, dtype);
        a = combine_whole(how, a, b);
        ob_convert_element(acc, dtype, &a, OB_I64);
    }
}

/* Greatest value of an integer dtype. */
static int64_t greatest(ob_dtype dtype)
{
    if (dtype == OB_BOOL) return 1;
    const int bits = (int)(8 * ob_dtype_bytes(dtype)) - (ob_dtype_is_signed(dtype) ? 1 : 0);
    return (int64_t)((UINT64_C(1) << bits) - 1);
}

void ob_accumulate_identity(ob_accumulation how, ob_dtype dtype, void *acc)
{
    const bool product = how == OB_ACCUMULATE_PROD || how == OB_ACCUMULATE_MULTIPLY;
    const bool least = how == OB_ACCUMULATE_AMAX, most = how == OB_ACCUMULATE_AMIN;
    if (ob_dtype_kind(dtype) >= OB_KIND_FLOAT) {
        const double value = product ? 1 : least ? -INFINITY : most ? INFINITY : 0;
        ob_convert_element(acc, dtype, &value, OB_F64);
        return;
    }
    int64_t value = product ? 1 : 0;
    if (most) value = greatest(dtype);
    if (least) value = ob_dtype_is_signed(dtype) ? -greatest(dtype) - 1 : 0;
    ob_convert_element(acc, dtype, &value, OB_I64);
}

void ob_divide_count(ob_dtype dtype, void *acc, int64_t n)
{
    if (dtype == OB_C64) {
        ob_complex64 a;
        memcpy(&a, acc, sizeof a);
        a = (ob_complex64){ a.re / (float)n, a.im / (float)n };
        memcpy(acc, &a, sizeof a);
    } else if (ob_dtype_kind(dtype) == OB_KIND_FLOAT) {
        double a = 0;
        ob_convert_element(&a, OB_F64, acc, dtype);
        a /= (double)n;
        ob_convert_element(acc, dtype, &a, OB_F64);
    } else {
        int64_t a = 0;
        ob_convert_element(&a, OB_I64, acc, dtype);
        a = a / n - (a % n < 0);
        ob_convert_element(acc, dtype, &a, OB_I64);
    }
}

void ob_start_from(const ob_tensor *out, const ob_tensor *self)
{
    if (ob_tensor_data(out) == ob_tensor_data(self) || ob_tensor_numel(out) == 0) return;
    ob_copy_strided(
        (ob_span){ ob_tensor_data(out), ob_tensor_strides(out), ob_tensor_dtype(out) },
        (ob_span){ ob_tensor_data(self), ob_tensor_strides(self), ob_tensor_dtype(self) },
        ob_tensor_sizes(out), ob_tensor_rank(out));
}
