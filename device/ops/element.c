/* Elements on the host: scalar to bytes and back. */
#include "device/ops/element.h"

#include <string.h>

#define STORE(type, value)                     \
    do {                                       \
        const type stored = (value);           \
        memcpy(&bits, &stored, sizeof stored); \
    } while (0)

static bool is_true(ob_scalar s)
{
    if (s.tag == OB_SCALAR_COMPLEX) return s.u.c[0] != 0 || s.u.c[1] != 0;
    return s.tag == OB_SCALAR_DOUBLE ? s.u.d != 0 : ob_scalar_int(s) != 0;
}

int64_t ob_cl_element_bits(ob_scalar s, ob_dtype dtype)
{
    int64_t bits = 0;
    const ob_kind kind = ob_dtype_kind(dtype);
    const double d = kind == OB_KIND_INT || kind == OB_KIND_BOOL ? 0 : ob_scalar_double(s);
    const double im = s.tag == OB_SCALAR_COMPLEX ? s.u.c[1] : 0;
    if (dtype == OB_F32) STORE(float, (float)d);
    if (dtype == OB_F64) STORE(double, d);
    if (dtype == OB_F16) STORE(uint16_t, ob_f16_from_float((float)d));
    if (dtype == OB_BF16) STORE(uint16_t, ob_bf16_from_float((float)d));
    if (dtype == OB_F8E4M3) STORE(uint8_t, ob_f8e4m3_from_float((float)d));
    if (dtype == OB_C64) STORE(ob_complex64, ((ob_complex64){ (float)d, (float)im }));
    if (dtype == OB_BOOL) STORE(uint8_t, is_true(s));
    if (kind != OB_KIND_INT) return bits;
    const uint64_t all = (uint64_t)ob_scalar_int(s);
    const size_t bytes = ob_dtype_bytes(dtype);
    return (int64_t)(bytes < 8 ? all & ((UINT64_C(1) << 8 * bytes) - 1) : all);
}

/* The low `bytes` of an integer, with its sign. */
static int64_t sign_extend(int64_t bits, size_t bytes)
{
    const int shift = (int)(64 - 8 * bytes);
    const uint64_t up = (uint64_t)bits << shift;
    return (int64_t)up >> shift;
}

ob_scalar ob_cl_element_value(int64_t bits, ob_dtype dtype)
{
    float f;
    double d;
    ob_complex64 c;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    memcpy(&c, &bits, sizeof c);
    if (dtype == OB_F32) return ob_double((double)f);
    if (dtype == OB_F64) return ob_double(d);
    if (dtype == OB_F16) return ob_double((double)ob_f16_to_float((uint16_t)bits));
    if (dtype == OB_BF16) return ob_double((double)ob_bf16_to_float((uint16_t)bits));
    if (dtype == OB_F8E4M3) return ob_double((double)ob_f8e4m3_to_float((uint8_t)bits));
    if (dtype == OB_C64) return ob_complex((double)c.re, (double)c.im);
    if (dtype == OB_BOOL) return ob_bool((bits & 0xff) != 0);
    if (dtype == OB_U8) return ob_int(bits & 0xff);
    return ob_int(sign_extend(bits, ob_dtype_bytes(dtype)));
}

ob_status ob_cl_return_self(ob_frame *frame)
{
    if (frame->results[0].tag == OB_VALUE_ABSENT)
        frame->results[0] = ob_value_tensor(ob_tensor_retain(frame->args[0].u.tensor));
    return OB_OK;
}
