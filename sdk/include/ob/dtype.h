/* Element types, and PyTorch's type promotion.
 *
 * Values are PyTorch's ScalarType numbers (c10/core/ScalarType.h), which schema defaults use as
 * plain ints. float16 and bfloat16 are stored as 16 bits and computed in float; float8_e4m3fn is
 * stored as 8 bits and only copied and cast. */
#ifndef OB_DTYPE_H
#define OB_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ob/attributes.h"
#include "ob/status.h"

OB_BEGIN_DECLS

/* clang-format off */
/* X(enumerator, PyTorch's number, PyTorch's name, short name, bytes, kind, C type of storage) */
#define OB_DTYPE_LIST(X)                                                            \
    X(U8,      0, "uint8",         "u8",      1, OB_KIND_INT,     uint8_t)          \
    X(I8,      1, "int8",          "i8",      1, OB_KIND_INT,     int8_t)           \
    X(I16,     2, "int16",         "i16",     2, OB_KIND_INT,     int16_t)          \
    X(I32,     3, "int32",         "i32",     4, OB_KIND_INT,     int32_t)          \
    X(I64,     4, "int64",         "i64",     8, OB_KIND_INT,     int64_t)          \
    X(F16,     5, "float16",       "f16",     2, OB_KIND_FLOAT,   uint16_t)         \
    X(F32,     6, "float32",       "f32",     4, OB_KIND_FLOAT,   float)            \
    X(F64,     7, "float64",       "f64",     8, OB_KIND_FLOAT,   double)           \
    X(C64,     9, "complex64",     "c64",     8, OB_KIND_COMPLEX, ob_complex64)     \
    X(BOOL,   11, "bool",          "bool",    1, OB_KIND_BOOL,    uint8_t)          \
    X(BF16,   15, "bfloat16",      "bf16",    2, OB_KIND_FLOAT,   uint16_t)         \
    X(F8E4M3, 24, "float8_e4m3fn", "f8e4m3",  1, OB_KIND_FLOAT,   uint8_t)
/* clang-format on */

/** Promotion category: a higher one wins whatever its size. */
typedef enum ob_kind { OB_KIND_BOOL, OB_KIND_INT, OB_KIND_FLOAT, OB_KIND_COMPLEX } ob_kind;

typedef enum ob_dtype {
    OB_DTYPE_NONE = -1, /* an absent `ScalarType?` */
#define OB_X(id, number, name, brief, bytes, kind, ctype) OB_##id = number,
    OB_DTYPE_LIST(OB_X)
#undef OB_X
        OB_DTYPE_LIMIT = 48 /* one above every ScalarType number of PyTorch 2.13 */
} ob_dtype;

/** A complex64 element as it lies in memory. */
typedef struct ob_complex64 {
    float re, im;
} ob_complex64;

/** Set of dtypes: bit n is ScalarType n. */
typedef uint64_t ob_dtypes;
#define OB_DTYPES(dtype) (UINT64_C(1) << (dtype))
#define OB_DTYPES_ALL    (~UINT64_C(0))

/** True for the dtypes of OB_DTYPE_LIST. */
OB_API bool ob_dtype_is_known(int dtype);
/** PyTorch's name without "torch.", e.g. "float32"; "none" or "dtype 8" for others [borrowed,
 * static]. */
OB_API const char *ob_dtype_name(ob_dtype dtype);
/** Short name, e.g. "f32" (the golden corpus uses it) [borrowed, static]. */
OB_API const char *ob_dtype_brief(ob_dtype dtype);
/** Bytes of an element; 0 for an unknown dtype. */
OB_API size_t ob_dtype_bytes(ob_dtype dtype);
OB_API ob_kind ob_dtype_kind(ob_dtype dtype);
OB_API bool ob_dtype_is_signed(ob_dtype dtype);
/** Find a dtype by PyTorch's name, with or without "torch.", by alias ("half") or short name;
 * OB_ERR_NOT_FOUND. */
OB_API ob_status ob_dtype_parse(const char *text, ob_dtype *out) OB_MUST_USE;
/** The dtype both arguments convert to (torch.promote_types): u8+i8 = i16, f16+bf16 = f32, i64+f16
 * = f16. OB_DTYPE_NONE where PyTorch's answer is complex128 (c64+f64) or an error (float8 with
 * another). */
OB_API ob_dtype ob_dtype_promote(ob_dtype a, ob_dtype b);
/** torch.can_cast: false only when the category falls (float to int, int to bool, complex to
 * float). */
OB_API bool ob_dtype_can_cast(ob_dtype from, ob_dtype to);
/** The dtype a float-valued op computes an integer or bool input in: itself for float and complex,
 * else f32. */
OB_API ob_dtype ob_dtype_to_float(ob_dtype dtype);
/** The real dtype of a complex dtype's parts; any other dtype itself. */
OB_API ob_dtype ob_dtype_to_real(ob_dtype dtype);

/* Conversions of single elements, for host code: round to nearest even, NaN kept; what is too large
 * for float8, infinity too, becomes +-448. */
OB_API float ob_f16_to_float(uint16_t bits);
OB_API uint16_t ob_f16_from_float(float value);
OB_API float ob_bf16_to_float(uint16_t bits);
OB_API uint16_t ob_bf16_from_float(float value);
OB_API float ob_f8e4m3_to_float(uint8_t bits);
OB_API uint8_t ob_f8e4m3_from_float(float value);

OB_END_DECLS
#endif
