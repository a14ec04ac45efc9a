/* Arithmetic on single elements of any dtype, for kernels that combine elements in memory. Integers
 * wrap; float16 and bfloat16 are computed in float and rounded once per step. */
#ifndef OB_CPU_ARITHMETIC_H
#define OB_CPU_ARITHMETIC_H

#include "ob/tensor.h"

/* X(enumerator, name in ATen's `reduce` arguments) */
#define OB_ACCUMULATE_LIST(X) \
    X(SUM, "sum")             \
    X(PROD, "prod")           \
    X(AMAX, "amax") X(AMIN, "amin") X(MEAN, "mean") X(ADD, "add") X(MULTIPLY, "multiply")

typedef enum ob_accumulation {
#define OB_X(name, text) OB_ACCUMULATE_##name,
    OB_ACCUMULATE_LIST(OB_X)
#undef OB_X
        OB_ACCUMULATE_LIMIT
} ob_accumulation;

/* Find by name; OB_ERR_ARG lists the names. */
ob_status ob_accumulation_parse(const char *op, const char *name, ob_accumulation *out) OB_MUST_USE;
/* *acc = *acc (how) *value; MEAN adds. NaN wins AMAX and AMIN. */
void ob_accumulate(ob_accumulation how, ob_dtype dtype, void *acc, const void *value);
/* The element that changes nothing: 0, 1, the least or the greatest value. */
void ob_accumulate_identity(ob_accumulation how, ob_dtype dtype, void *acc);
/* *acc = *acc / n, toward minus infinity for integers. */
void ob_divide_count(ob_dtype dtype, void *acc, int64_t n);
/* Make `out` equal to `self` unless it is the same memory: how kernels begin that change a few
 * elements of self. */
void ob_start_from(const ob_tensor *out, const ob_tensor *self);

#endif
