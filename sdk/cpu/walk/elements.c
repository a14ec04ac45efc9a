/* Conversions between stored elements and the four wide types; see elements.h. */
#include "cpu/walk/elements.h"

#include <string.h>

#define KEEP(v)       (v)
#define TO_U8(v)      ((uint8_t)(int64_t)(v))
#define TO_I8(v)      ((int8_t)(int64_t)(v))
#define TO_I16(v)     ((int16_t)(int64_t)(v))
#define TO_I32(v)     ((int32_t)(int64_t)(v))
#define TO_I64(v)     ((int64_t)(v))
#define TO_BOOL(v)    ((v) != 0)
#define TO_F16(v)     ob_f16_from_float((float)(v))
#define TO_BF16(v)    ob_bf16_from_float((float)(v))
#define TO_F8E4M3(v)  ob_f8e4m3_from_float((float)(v))
#define TO_FLOAT(v)   ((float)(v))
#define TO_DOUBLE(v)  ((double)(v))
#define TO_COMPLEX(v) ((ob_complex64){ (float)(v), 0 })

/* clang-format off */
/* X(dtype, C type of storage, stored to number, number to stored) */
#define REAL_DTYPES(X)                                \
    X(U8,     uint8_t,  KEEP,               TO_U8)    \
    X(I8,     int8_t,   KEEP,               TO_I8)    \
    X(I16,    int16_t,  KEEP,               TO_I16)   \
    X(I32,    int32_t,  KEEP,               TO_I32)   \
    X(I64,    int64_t,  KEEP,               TO_I64)   \
    X(BOOL,   uint8_t,  KEEP,               TO_BOOL)  \
    X(F16,    uint16_t, ob_f16_to_float,    TO_F16)   \
    X(BF16,   uint16_t, ob_bf16_to_float,   TO_BF16)  \
    X(F8E4M3, uint8_t,  ob_f8e4m3_to_float, TO_F8E4M3)\
    X(F32,    float,    KEEP,               TO_FLOAT) \
    X(F64,    double,   KEEP,               TO_DOUBLE)
/* clang-format on */

ob_wide ob_wide_of(ob_dtype dtype)
{
    switch (ob_dtype_kind(dtype)) {
    case OB_KIND_FLOAT:
        return dtype == OB_F64 ? OB_WIDE_DOUBLE : OB_WIDE_FLOAT;
    case OB_KIND_COMPLEX:
        return OB_WIDE_COMPLEX;
    default:
        return OB_WIDE_INT;
    }
}

size_t ob_wide_bytes(ob_wide wide)
{
    return wide == OB_WIDE_FLOAT ? sizeof(float) : 8;
}

bool ob_wide_is_stored(ob_wide wide, ob_dtype dtype)
{
    static const ob_dtype stored[] = { OB_I64, OB_F32, OB_F64, OB_C64 };
    return stored[wide] == dtype;
}

#define WIDEN_CASE(id, ctype, from, to)                            \
    case OB_##id:                                                  \
        for (int64_t i = 0; i < n; i++)                            \
            dst[i] = WIDE(from(((const ctype *)src)[i * stride])); \
        break;
#define NARROW_CASE(id, ctype, from, to)             \
    case OB_##id:                                    \
        for (int64_t i = 0; i < n; i++)              \
            ((ctype *)dst)[i * stride] = to(src[i]); \
        break;

/* Both ways between the real dtypes and one wide type. */
#define REAL_WIDE(name, wide)                                                             \
    static void widen_##name(wide *dst, ob_dtype dtype, const void *src, int64_t stride,  \
                             int64_t n)                                                   \
    {                                                                                     \
        switch (dtype) {                                                                  \
            REAL_DTYPES(WIDEN_CASE)                                                       \
        default:                                                                          \
            break;                                                                        \
        }                                                                                 \
    }                                                                                     \
    static void narrow_##name(ob_dtype dtype, void *dst, int64_t stride, const wide *src, \
                              int64_t n)                                                  \
    {                                                                                     \
        switch (dtype) {                                                                  \
            REAL_DTYPES(NARROW_CASE)                                                      \
        default:                                                                          \
            break;                                                                        \
        }                                                                                 \
    }

#define WIDE TO_I64
REAL_WIDE(int, int64_t)
#undef WIDE
#define WIDE TO_FLOAT
REAL_WIDE(float, float)
#undef WIDE
#define WIDE TO_DOUBLE
REAL_WIDE(double, double)
#undef WIDE

#define WIDE TO_COMPLEX
static void widen_complex(ob_complex64 *dst, ob_dtype dtype, const void *src, int64_t stride,
                          int64_t n)
{
    switch (dtype) {
        REAL_DTYPES(WIDEN_CASE)
    case OB_C64:
        for (int64_t i = 0; i < n; i++)
            dst[i] = ((const ob_complex64 *)src)[i * stride];
        break;
    default:
        break;
    }
}
#undef WIDE

void ob_wide_load(ob_wide wide, void *dst, ob_dtype dtype, const void *src, int64_t stride,
                  int64_t n)
{
    switch (wide) {
    case OB_WIDE_INT:
        widen_int(dst, dtype, src, stride, n);
        break;
    case OB_WIDE_FLOAT:
        widen_float(dst, dtype, src, stride, n);
        break;
    case OB_WIDE_DOUBLE:
        widen_double(dst, dtype, src, stride, n);
        break;
    case OB_WIDE_COMPLEX:
        widen_complex(dst, dtype, src, stride, n);
        break;
    }
}

static void narrow_complex(ob_dtype dtype, void *dst, int64_t stride, const ob_complex64 *src,
                           int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const bool truth = src[i].re != 0 || src[i].im != 0;
        if (dtype == OB_C64) ((ob_complex64 *)dst)[i * stride] = src[i];
        if (dtype == OB_F32) ((float *)dst)[i * stride] = src[i].re;
        if (dtype == OB_I64) ((int64_t *)dst)[i * stride] = (int64_t)src[i].re;
        if (dtype == OB_U8) ((uint8_t *)dst)[i * stride] = truth;
        if (dtype == OB_BOOL) ((uint8_t *)dst)[i * stride] = truth;
    }
}

void ob_wide_store(ob_dtype dtype, void *dst, int64_t stride, ob_wide wide, const void *src,
                   int64_t n)
{
    switch (wide) {
    case OB_WIDE_INT:
        narrow_int(dtype, dst, stride, src, n);
        break;
    case OB_WIDE_FLOAT:
        narrow_float(dtype, dst, stride, src, n);
        break;
    case OB_WIDE_DOUBLE:
        narrow_double(dtype, dst, stride, src, n);
        break;
    case OB_WIDE_COMPLEX:
        narrow_complex(dtype, dst, stride, src, n);
        break;
    }
}

void ob_wide_scalar(ob_wide wide, void *dst, ob_dtype dtype, ob_scalar value)
{
    const int64_t whole = ob_scalar_int(value);
    const double real = ob_scalar_double(value);
    int64_t kept = 0;
    switch (wide) {
    case OB_WIDE_INT:
        ob_wide_store(dtype, &kept, 1, OB_WIDE_INT, &whole, 1);
        ob_wide_load(OB_WIDE_INT, dst, dtype, &kept, 1, 1);
        break;
    case OB_WIDE_FLOAT:
        *(float *)dst = (float)real;
        break;
    case OB_WIDE_DOUBLE:
        *(double *)dst = real;
        break;
    case OB_WIDE_COMPLEX:
        *(ob_complex64 *)dst =
            (ob_complex64){ (float)real, value.tag == OB_SCALAR_COMPLEX ? (float)value.u.c[1] : 0 };
        break;
    }
}
