/* Elements of any dtype as the four types that CPU kernels compute in, a block at a time.
 *
 * Ints and bools widen to int64_t, float16, bfloat16 and float32 to float, float64 to double,
 * complex64 to float complex: kernels exist for these four only, and narrowing a result to its
 * dtype gives the bits that arithmetic in the dtype would. */
#ifndef OB_CPU_ELEMENTS_H
#define OB_CPU_ELEMENTS_H

#include "ob/tensor.h"

enum { OB_BLOCK = 512 }; /* elements of a block: a few blocks stay in the first-level cache */

typedef enum ob_wide { OB_WIDE_INT, OB_WIDE_FLOAT, OB_WIDE_DOUBLE, OB_WIDE_COMPLEX } ob_wide;

/* Room for a block of any wide type. */
typedef union ob_wide_block {
    int64_t i[OB_BLOCK];
    float f[OB_BLOCK];
    double d[OB_BLOCK];
    ob_complex64 c[OB_BLOCK];
} ob_wide_block;

/* The type that a dtype is computed in. */
ob_wide ob_wide_of(ob_dtype dtype);
/* Bytes of one. */
size_t ob_wide_bytes(ob_wide wide);
/* True when elements of the dtype are stored as `wide`, so that they need no conversion. */
bool ob_wide_is_stored(ob_wide wide, ob_dtype dtype);

/* dst[0..n) = src[0], src[stride], ...; any dtype to any wide type, values as PyTorch converts. */
void ob_wide_load(ob_wide wide, void *dst, ob_dtype dtype, const void *src, int64_t stride,
                  int64_t n);
/* dst[0], dst[stride], ... = src[0..n), rounded or cut to the dtype; to bool: whether it is not 0.
 */
void ob_wide_store(ob_dtype dtype, void *dst, int64_t stride, ob_wide wide, const void *src,
                   int64_t n);
/* dst[0] = the number, as the dtype holds it if it is an int (300 in uint8 is 44). */
void ob_wide_scalar(ob_wide wide, void *dst, ob_dtype dtype, ob_scalar value);

#endif
