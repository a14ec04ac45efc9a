/* Copies, casts and fills over strided operands: operand 0 of the walk is dst, operand 1 is src.
 *
 *   copy_same          dst = src, element for element; for each width one integer dtype serves all others
 *   copy_from_<brief>  dst = src converted from that dtype, with PyTorch's conversions: float to int cuts, to bool is
 *                      != 0, complex to real drops the imaginary part
 *   fill               dst = the low bytes of `bits`
 *   arange             dst[i] = start + i * step
 *
 * Work-item x of n takes the x-th part of the walk. It goes in runs along dim 0, which are plain loops over two strides,
 * so that the compiler makes vectors of the ones with stride 1. */

/* Runs of a part: n elements, the first at index i of the walk. */
#define FOR_RUNS(w) \
    for (ob_i64 i = begin, n; i < end && (n = min((w).size[0] - i % (w).size[0], end - i)); i += n)

#define COPY_RUNS(w, dst, src, ASSIGN)                                                    \
    OB_PART_OF((w).numel)                                                                    \
    FOR_RUNS(w)                                                                           \
    {                                                                                     \
        const ob_i64 to = ob_walk_at(&(w), 0, i), from = ob_walk_at(&(w), 1, i);          \
        const ob_i64 ds = (w).stride[0][0], ss = (w).stride[1][0];                        \
        if (ds == 1 && ss == 1)                                                           \
            for (ob_i64 j = 0; j < n; j++) ASSIGN(dst + to, j, src + from, j);            \
        else if (ds == 1)                                                                 \
            for (ob_i64 j = 0; j < n; j++) ASSIGN(dst + to, j, src + from, j * ss);       \
        else                                                                              \
            for (ob_i64 j = 0; j < n; j++) ASSIGN(dst + to, j * ds, src + from, j * ss);  \
    }

#define MOVE(dst, at, src, from) ((dst)[at] = (src)[from])

OB_KERNEL(copy_same)(global OB_S *restrict dst, global const OB_S *restrict src,
                     const ob_walk w)
{
    COPY_RUNS(w, dst, src, MOVE)
}

OB_KERNEL(fill)(global OB_S *dst, const ob_i64 bits, const ob_walk w)
{
    union {
        ob_i64 bits;
        OB_S value;
    } u;
    u.bits = bits;
    const OB_S value = u.value;
    OB_PART_OF(w.numel)
    FOR_RUNS(w)
    {
        global OB_S *to = dst + ob_walk_at(&w, 0, i);
        const ob_i64 ds = w.stride[0][0];
        if (ds == 1)
            for (ob_i64 j = 0; j < n; j++) to[j] = value;
        else
            for (ob_i64 j = 0; j < n; j++) to[j * ds] = value;
    }
}

/* ---- conversions: from a value of the source's kind to OB_T of the destination ---- */

#if OB_IS_COMPLEX
#define FROM_BOOL(v) ((float2)((float)(v), 0.0f))
#define FROM_INT(v) ((float2)((float)(v), 0.0f))
#define FROM_FLOAT(v) ((float2)((float)(v), 0.0f))
#define FROM_COMPLEX(v) (v)
#elif OB_IS_BOOL
#define FROM_BOOL(v) ((uchar)((v) != 0))
#define FROM_INT(v) ((uchar)((v) != 0))
#define FROM_FLOAT(v) ((uchar)((v) != 0))
#define FROM_COMPLEX(v) ((uchar)((v).x != 0 || (v).y != 0))
#elif OB_IS_INT
/* float to a narrow int goes through int, to uint8 through long, as PyTorch's code compiles on x86 */
#if OB_DTYPE == OB_I64 || OB_DTYPE == OB_U8
#define CUT(v) ((OB_T)(long)(v))
#else
#define CUT(v) ((OB_T)(int)(v))
#endif
#define FROM_BOOL(v) ((OB_T)((v) != 0))
#define FROM_INT(v) ((OB_T)(v))
#define FROM_FLOAT(v) CUT(v)
#define FROM_COMPLEX(v) CUT((v).x)
#else
#define FROM_BOOL(v) ((OB_T)((v) != 0))
#define FROM_INT(v) ((OB_T)(v))
#define FROM_FLOAT(v) ((OB_T)(v))
#define FROM_COMPLEX(v) ((OB_T)(v).x)
#endif

#define COPY_FROM(brief, stype)                                                                     \
    OB_KERNEL(copy_from_##brief)(global OB_S *restrict dst, global const stype *restrict src,       \
                                 const ob_walk w)                                                   \
    {                                                                                               \
        COPY_RUNS(w, dst, src, CAST_##brief)                                                        \
    }

#define CAST_u8(dst, at, src, from) OB_STORE(dst, at, FROM_INT(ob_load_u8(src, from)))
#define CAST_i8(dst, at, src, from) OB_STORE(dst, at, FROM_INT(ob_load_i8(src, from)))
#define CAST_i16(dst, at, src, from) OB_STORE(dst, at, FROM_INT(ob_load_i16(src, from)))
#define CAST_i32(dst, at, src, from) OB_STORE(dst, at, FROM_INT(ob_load_i32(src, from)))
#define CAST_i64(dst, at, src, from) OB_STORE(dst, at, FROM_INT(ob_load_i64(src, from)))
#define CAST_f16(dst, at, src, from) OB_STORE(dst, at, FROM_FLOAT(ob_load_f16(src, from)))
#define CAST_f32(dst, at, src, from) OB_STORE(dst, at, FROM_FLOAT(ob_load_f32(src, from)))
#define CAST_f64(dst, at, src, from) OB_STORE(dst, at, FROM_FLOAT(ob_load_f64(src, from)))
#define CAST_bf16(dst, at, src, from) OB_STORE(dst, at, FROM_FLOAT(ob_load_bf16(src, from)))
#define CAST_f8e4m3(dst, at, src, from) OB_STORE(dst, at, FROM_FLOAT(ob_load_f8e4m3(src, from)))
#define CAST_bool_(dst, at, src, from) OB_STORE(dst, at, FROM_BOOL(ob_load_bool_(src, from)))
#define CAST_c64(dst, at, src, from) OB_STORE(dst, at, FROM_COMPLEX(ob_load_c64(src, from)))

COPY_FROM(u8, uchar)
COPY_FROM(i8, char)
COPY_FROM(i16, short)
COPY_FROM(i32, int)
COPY_FROM(i64, long)
COPY_FROM(f16, ushort)
COPY_FROM(f32, float)
#ifdef cl_khr_fp64
COPY_FROM(f64, double)
#endif
COPY_FROM(c64, float2)
COPY_FROM(bool_, uchar)
COPY_FROM(bf16, ushort)
COPY_FROM(f8e4m3, uchar)

#ifdef cl_khr_fp64
OB_KERNEL(arange)(global OB_S *dst, const ob_arange row)
{
    OB_PART_OF(row.numel)
    for (ob_i64 i = begin; i < end; i++)
        if (row.whole)
            OB_STORE(dst, row.offset + i * row.stride, FROM_INT(row.int_start + i * row.int_step));
        else
            OB_STORE(dst, row.offset + i * row.stride, FROM_FLOAT(row.start + (double)i * row.step));
}
#endif
