/* Types and accessors of one dtype, for every other kernel file.
 *
 * Before this text the host puts `#define OB_F32 6` ... for all dtypes, `#define OB_DTYPE <number>` and
 * ob_layout.h. After it:
 *   OB_S               storage type of an element of OB_DTYPE
 *   OB_T               type that values are computed in, a token (float, double, int, float2 ...)
 *   OB_SAME            1 when OB_S is OB_T, so that vloadn/vstoren of OB_T may be used on buffers
 *   OB_IS_FLOAT, OB_IS_COMPLEX, OB_IS_INT, OB_IS_BOOL   kind of the dtype, 0 or 1
 *   OB_LOAD(p, i)      element i of p as OB_T
 *   OB_STORE(p, i, v)  v rounded to OB_DTYPE into element i of p
 *   OB_OF_BITS(bits)   the OB_T that 64 bits from the host stand for
 *   ob_load_<brief>, ob_store_<brief>   the same for any dtype (f16, bf16, f8e4m3, bool ...)
 * float16 needs no extension: vload_half and vstore_half are in every OpenCL. */

#define OB_ONE_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define OB_PASTE_(a, b) a##b
#define OB_PASTE(a, b) OB_PASTE_(a, b)

/* A program has one kernel, because the time to build it, to load it and to save it grows with what
 * is in it; the host puts `#define OB_WANT_<kernel> 1` in front. Kernels out of a table's row stand in
 * OB_WANTED(OB_WANT_<kernel>)(text), which is the text when the kernel is wanted, else nothing; others
 * begin with OB_KERNEL(<kernel>), which makes the others unused functions, that compilers drop. */
#define OB_TAKEN_1 0,
#define OB_SECOND(ignored, value, ...) value
#define OB_IS_ONE_OF(taken) OB_SECOND(taken 1, 0, 0)
#define OB_IS_ONE(word) OB_IS_ONE_OF(OB_PASTE(OB_TAKEN_, word))
#define OB_WANTED(word) OB_PASTE(OB_WANTED_, OB_IS_ONE(word))
#define OB_WANTED_1(...) __VA_ARGS__
#define OB_WANTED_0(...)
#define OB_KERNEL(name) OB_PASTE(OB_KERNEL_, OB_IS_ONE(OB_WANT_##name)) void name
#define OB_KERNEL_1 OB_ONE_ITEM kernel
#define OB_KERNEL_0 static

/* bfloat16: the upper half of a float, rounded to nearest even, NaN kept. */
static inline float ob_bf16_value(ushort bits)
{
    return as_float((uint)bits << 16);
}
static inline ushort ob_bf16_bits(float v)
{
    const uint u = as_uint(v);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (ushort)0x7fc0;
    return (ushort)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

/* float8_e4m3fn: sign, 4 bits of exponent (bias 7), 3 of mantissa; no infinity, 0x7f is NaN. */
static inline float ob_f8e4m3_value(uchar bits)
{
    const uint sign = (uint)(bits & 0x80) << 24, low = bits & 0x7f;
    if (low == 0x7f) return as_float(sign | 0x7fc00000u);
    if (low < 8) return as_float(sign | as_uint((float)low * 0x1p-9f));
    return as_float(sign | ((low << 20) + (120u << 23)));
}
static inline uchar ob_f8e4m3_bits(float v)
{
    const uint u = as_uint(v), sign = (u >> 24) & 0x80u, mag = u & 0x7fffffffu;
    if (mag >= 0x43f00000u) return (uchar)(sign | 0x7f); /* 480 and more, inf, NaN */
    if (mag < 0x3c800000u)                               /* below 2^-6: steps of 2^-9 */
        return (uchar)(sign | (as_uint(as_float(mag) + 16384.0f) - 0x46800000u));
    return (uchar)(sign | ((mag - (120u << 23) + 0x7ffffu + ((mag >> 20) & 1u)) >> 20));
}

#define ob_load_u8(p, i) ((p)[i])
#define ob_load_i8(p, i) ((p)[i])
#define ob_load_i16(p, i) ((p)[i])
#define ob_load_i32(p, i) ((p)[i])
#define ob_load_i64(p, i) ((p)[i])
#define ob_load_f16(p, i) vload_half((i), (global const half *)(p))
#define ob_load_f32(p, i) ((p)[i])
#define ob_load_f64(p, i) ((p)[i])
#define ob_load_c64(p, i) ((p)[i])
#define ob_load_bool_(p, i) ((p)[i])
#define ob_load_bf16(p, i) ob_bf16_value((p)[i])
#define ob_load_f8e4m3(p, i) ob_f8e4m3_value((p)[i])

#define ob_store_u8(p, i, v) ((p)[i] = (v))
#define ob_store_i8(p, i, v) ((p)[i] = (v))
#define ob_store_i16(p, i, v) ((p)[i] = (v))
#define ob_store_i32(p, i, v) ((p)[i] = (v))
#define ob_store_i64(p, i, v) ((p)[i] = (v))
#define ob_store_f16(p, i, v) vstore_half((v), (i), (global half *)(p))
#define ob_store_f32(p, i, v) ((p)[i] = (v))
#define ob_store_f64(p, i, v) ((p)[i] = (v))
#define ob_store_c64(p, i, v) ((p)[i] = (v))
#define ob_store_bool_(p, i, v) ((p)[i] = (uchar)((v) != 0))
#define ob_store_bf16(p, i, v) ((p)[i] = ob_bf16_bits(v))
#define ob_store_f8e4m3(p, i, v) ((p)[i] = ob_f8e4m3_bits(v))

#define OB_KIND_BOOL 0
#define OB_KIND_INT 1
#define OB_KIND_FLOAT 2
#define OB_KIND_COMPLEX 3

#if OB_DTYPE == OB_U8
#define OB_BRIEF u8
#define OB_S uchar
#define OB_T uchar
#define OB_KIND OB_KIND_INT
#elif OB_DTYPE == OB_I8
#define OB_BRIEF i8
#define OB_S char
#define OB_T char
#define OB_KIND OB_KIND_INT
#elif OB_DTYPE == OB_I16
#define OB_BRIEF i16
#define OB_S short
#define OB_T short
#define OB_KIND OB_KIND_INT
#elif OB_DTYPE == OB_I32
#define OB_BRIEF i32
#define OB_S int
#define OB_T int
#define OB_KIND OB_KIND_INT
#elif OB_DTYPE == OB_I64
#define OB_BRIEF i64
#define OB_S long
#define OB_T long
#define OB_KIND OB_KIND_INT
#elif OB_DTYPE == OB_F16
#define OB_BRIEF f16
#define OB_S ushort
#define OB_T float
#define OB_KIND OB_KIND_FLOAT
#elif OB_DTYPE == OB_F32
#define OB_BRIEF f32
#define OB_S float
#define OB_T float
#define OB_KIND OB_KIND_FLOAT
#elif OB_DTYPE == OB_F64
#define OB_BRIEF f64
#define OB_S double
#define OB_T double
#define OB_KIND OB_KIND_FLOAT
#elif OB_DTYPE == OB_C64
#define OB_BRIEF c64
#define OB_S float2
#define OB_T float2
#define OB_KIND OB_KIND_COMPLEX
#elif OB_DTYPE == OB_BOOL
#define OB_BRIEF bool_
#define OB_S uchar
#define OB_T uchar
#define OB_KIND OB_KIND_BOOL
#elif OB_DTYPE == OB_BF16
#define OB_BRIEF bf16
#define OB_S ushort
#define OB_T float
#define OB_KIND OB_KIND_FLOAT
#elif OB_DTYPE == OB_F8E4M3
#define OB_BRIEF f8e4m3
#define OB_S uchar
#define OB_T float
#define OB_KIND OB_KIND_FLOAT
#endif

#define OB_IS_BOOL (OB_KIND == OB_KIND_BOOL)
#define OB_IS_INT (OB_KIND == OB_KIND_INT)
#define OB_IS_FLOAT (OB_KIND == OB_KIND_FLOAT)
#define OB_IS_COMPLEX (OB_KIND == OB_KIND_COMPLEX)
#define OB_SAME (OB_DTYPE != OB_F16 && OB_DTYPE != OB_BF16 && OB_DTYPE != OB_F8E4M3 && !OB_IS_BOOL)
#define OB_LOAD OB_PASTE(ob_load_, OB_BRIEF)
#define OB_STORE OB_PASTE(ob_store_, OB_BRIEF)

/* A number of OB_T from the bits the host put it in. */
#if OB_IS_COMPLEX
#define OB_OF_BITS(bits) as_float2(bits)
#elif OB_DTYPE == OB_F64
#define OB_OF_BITS(bits) as_double(bits)
#elif OB_IS_FLOAT
#define OB_OF_BITS(bits) as_float((int)(bits))
#else
#define OB_OF_BITS(bits) ((OB_T)(bits))
#endif

/* Elements of `numel` that this work-item takes when each takes one part: [begin, end). */
#define OB_PART_OF(numel)                                                        \
    const ob_i64 part = ((numel) + get_global_size(0) - 1) / get_global_size(0); \
    const ob_i64 begin = get_global_id(0) * part, end = min(begin + part, (ob_i64)(numel));

/* Position of element i of operand `p` of a walk. */
static inline ob_i64 ob_walk_at(const ob_walk *w, int p, ob_i64 i)
{
    ob_i64 at = w->offset[p];
    for (int d = 0; d + 1 < w->rank; d++) {
        const ob_i64 rest = i / w->size[d];
        at += (i - rest * w->size[d]) * w->stride[p][d];
        i = rest;
    }
    return at + i * w->stride[p][w->rank - 1];
}
