/* Conversions between float and the 16- and 8-bit formats, bit by bit.
 *
 * Rounding is to nearest, ties to even. A mantissa is rounded by adding half of the last place kept
 * (less one when that place is even) before the shift; a carry runs into the exponent, which is
 * right. Subnormal results are rounded by the float unit: adding a power of two whose last place is
 * the format's smallest step. */
#include <string.h>

#include "ob/dtype.h"

/* float32: 8 bits of exponent (bias 127), 23 of mantissa */
enum { F32_INF = 0x7f800000, F32_SIGN_SHIFT = 31 };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Round `bits` to a multiple of 2^shift, ties to even; the low bits are left as they fall. */
static uint32_t round_even(uint32_t bits, int shift)
{
    return bits + ((UINT32_C(1) << (shift - 1)) - 1) + ((bits >> shift) & 1);
}

/* float16: 5 bits of exponent (bias 15), 10 of mantissa */
float ob_f16_to_float(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits >> 15) << F32_SIGN_SHIFT;
    const uint32_t magnitude = bits & 0x7fffU;
    if (magnitude >= 0x7c00) return float_of(sign | F32_INF | (magnitude & 0x3ff) << 13);
    if (magnitude < 0x0400) {
        const float value = (float)magnitude * 0x1p-24f;
        return sign ? -value : value;
    }
    return float_of(sign | ((magnitude << 13) + ((127U - 15U) << 23)));
}

uint16_t ob_f16_from_float(float value)
{
    const uint32_t all = bits_of(value), magnitude = all & 0x7fffffffU;
    const uint16_t sign = (uint16_t)(all >> 16 & 0x8000U);
    if (magnitude > F32_INF) return (uint16_t)(sign | 0x7e00U); /* NaN stays NaN */
    if (magnitude >= bits_of(65536.0f)) return (uint16_t)(sign | 0x7c00U);
    if (magnitude < bits_of(0x1p-14f))
        return (uint16_t)(sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)));
    return (uint16_t)(sign | (round_even(magnitude, 13) - ((127U - 15U) << 23)) >> 13);
}

/* bfloat16: the upper half of a float32 */
float ob_bf16_to_float(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

uint16_t ob_bf16_from_float(float value)
{
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffffU) > F32_INF) return 0x7fc0; /* NaN stays NaN; PyTorch drops its sign */
    return (uint16_t)(round_even(bits, 16) >> 16);
}

/* float8_e4m3fn: 4 bits of exponent (bias 7), 3 of mantissa, no infinity, 0x7f is the NaN. What is
 * too large, infinity included, becomes the largest number, 448, as in PyTorch 2.13. */
float ob_f8e4m3_to_float(uint8_t bits)
{
    const uint32_t sign = (uint32_t)(bits >> 7) << F32_SIGN_SHIFT;
    const uint32_t magnitude = bits & 0x7fU;
    if (magnitude == 0x7f) return float_of(sign | 0x7ff00000U);
    if (magnitude < 0x08) {
        const float value = (float)magnitude * 0x1p-9f;
        return sign ? -value : value;
    }
    return float_of(sign | ((magnitude << 20) + ((127U - 7U) << 23)));
}

uint8_t ob_f8e4m3_from_float(float value)
{
    const uint32_t all = bits_of(value), magnitude = all & 0x7fffffffU;
    const uint8_t sign = (uint8_t)(all >> 24 & 0x80U);
    if (magnitude > F32_INF) return (uint8_t)(sign | 0x7fU); /* NaN stays NaN */
    if (magnitude >= bits_of(448.0f)) return (uint8_t)(sign | 0x7eU);
    if (magnitude < bits_of(0x1p-6f))
        return (uint8_t)(sign | (bits_of(float_of(magnitude) + 0x1p14f) - bits_of(0x1p14f)));
    return (uint8_t)(sign | (round_even(magnitude, 20) - ((127U - 7U) << 23)) >> 20);
}
