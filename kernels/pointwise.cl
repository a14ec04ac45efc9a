/* Second reading of pointwise.inc: one kernel pw_<op> per row that has a value for OB_DTYPE's kind.
 *
 * The host defines OB_OPERANDS: how many of x, y, z the op has.
 *
 * out[i] = value of x[i], y[i], z[i] over a walk: operand 0 is out, 1 to 3 are x, y, z. Work-item k
 * of n takes the k-th part of the walk, in runs along dim 0. Runs are loops with the strides
 * written out where that lets the compiler make vectors: everything dense, or all but one operand
 * dense and that one the same for the run (a broadcast, or a constant that never was in memory).
 * The buffer of a constant operand may be any valid one: it is not read. */
#undef OB_POINTWISE
#undef OB_VALUE

#if OB_IS_FLOAT
#define OB_IF_NOW OB_IF_F
#elif OB_IS_INT
#define OB_IF_NOW OB_IF_I
#elif OB_IS_BOOL
#define OB_IF_NOW OB_IF_B
#else
#define OB_IF_NOW OB_IF_C
#endif

#define OB_X(result, i)                                      \
    (result == OB_PW_MASK ? (T)(((global const uchar *)xs)[i]) \
                          : (T)OB_LOAD((global const OB_S *)xs, i))
#define OB_YZ(operand, i) ((T)OB_LOAD((global const OB_S *)operand, i))

/* What an operand is when it is one value for the whole run. */
#define OB_ONE(k, load) (p.fixed >> (k)&1 ? (T)OB_OF_BITS(p.operand[k]) : (load))

/* Store a value. Of a complex row, be it of a truth or a size, the product with 1 is complex. */
#if OB_IS_COMPLEX
#define OB_PUT(result, at, ...)                                        \
    {                                                                  \
        const T value = (__VA_ARGS__) * (T)(1);                        \
        if (result == OB_PW_BOOL)                                      \
            ((global uchar *)out)[at] = (uchar)(value.x != 0);         \
        else if (result == OB_PW_REAL || result == OB_PW_FLOAT_REAL)   \
            ((global float *)out)[at] = value.x;                       \
        else                                                           \
            OB_STORE((global OB_S *)out, at, value);                   \
    }
#else
#define OB_PUT(result, at, ...)                                    \
    if (result == OB_PW_BOOL)                                      \
        ((global uchar *)out)[at] = (uchar)((__VA_ARGS__) != 0);   \
    else                                                           \
        OB_STORE((global OB_S *)out, at, (T)(__VA_ARGS__));
#endif

/* The runs' loop for operands x_, y_, z_. */
#define OB_LOOP(result, stride, x_, y_, z_, ...)            \
    for (ob_i64 j = 0; j < n; j++) {                        \
        const T x = x_, y = y_, z = z_;                     \
        OB_PUT(result, at_out + j * (stride), __VA_ARGS__)  \
    }

/* Text for ops that have a y, and a z. */
#if OB_OPERANDS > 1
#define OB_WITH_Y(...) __VA_ARGS__
#else
#define OB_WITH_Y(...)
#endif
#if OB_OPERANDS > 2
#define OB_WITH_Z(...) __VA_ARGS__
#else
#define OB_WITH_Z(...)
#endif

#define OB_ROW(kernel_name, result, ...)                                                           \
    OB_ONE_ITEM kernel void kernel_name(global void *restrict out,                                 \
                                        global const void *restrict xs,                            \
                                        OB_WITH_Y(global const void *restrict ys, )                \
                                        OB_WITH_Z(global const void *restrict zs, )                \
                                        const ob_pointwise p)                                      \
    {                                                                                              \
        const T a = OB_OF_BITS(p.param[0]), b = OB_OF_BITS(p.param[1]);                            \
        const T c = OB_OF_BITS(p.param[2]), d = OB_OF_BITS(p.param[3]);                            \
        const T big = OB_OF_BITS(p.big);                                                           \
        const int has_y = p.has >> 1 & 1, has_z = p.has >> 2 & 1, has_a = p.has >> 3 & 1;          \
        const int has_b = p.has >> 4 & 1, has_c = p.has >> 5 & 1;                                  \
        const ob_i64 part = (p.walk.numel + get_global_size(0) - 1) / get_global_size(0);          \
        const ob_i64 begin = get_global_id(0) * part, end = min(begin + part, p.walk.numel);       \
        const ob_i64 so = p.walk.stride[0][0], sx = p.walk.stride[1][0];                           \
        OB_WITH_Y(const ob_i64 sy = p.walk.stride[2][0];)                                          \
        OB_WITH_Z(const ob_i64 sz = p.walk.stride[3][0];)                                          \
        for (ob_i64 i = begin, n; i < end; i += n) {                                               \
            n = min(p.walk.size[0] - i % p.walk.size[0], end - i);                                 \
            const ob_i64 at_out = ob_walk_at(&p.walk, 0, i), at_x = ob_walk_at(&p.walk, 1, i);     \
            const T x0 = OB_ONE(0, OB_X(result, at_x));                                            \
            OB_WITH_Y(const ob_i64 at_y = ob_walk_at(&p.walk, 2, i);                               \
                      const T y0 = OB_ONE(1, OB_YZ(ys, at_y));)                                    \
            OB_WITH_Z(const ob_i64 at_z = ob_walk_at(&p.walk, 3, i);                               \
                      const T z0 = OB_ONE(2, OB_YZ(zs, at_z));)                                    \
            OB_RUN(result, __VA_ARGS__)                                                            \
        }                                                                                          \
    }

#if OB_OPERANDS == 1
#define OB_RUN(result, ...)                                         \
    if (so == 1 && sx == 1)                                         \
        OB_DENSE(result, OB_X(result, at_x + j), 0, 0, __VA_ARGS__) \
    else                                                            \
        OB_LOOP(result, so, sx ? OB_X(result, at_x + j * sx) : x0, 0, 0, __VA_ARGS__)
#elif OB_OPERANDS == 2
#define OB_RUN(result, ...)                                                           \
    if (so == 1 && sx == 1 && sy == 1)                                                \
        OB_DENSE(result, OB_X(result, at_x + j), OB_YZ(ys, at_y + j), 0, __VA_ARGS__) \
    else if (so == 1 && sx == 1 && sy == 0)                                           \
        OB_DENSE(result, OB_X(result, at_x + j), y0, 0, __VA_ARGS__)                  \
    else if (so == 1 && sx == 0 && sy == 1)                                           \
        OB_DENSE(result, x0, OB_YZ(ys, at_y + j), 0, __VA_ARGS__)                     \
    else                                                                              \
        OB_LOOP(result, so, sx ? OB_X(result, at_x + j * sx) : x0,                    \
                sy ? OB_YZ(ys, at_y + j * sy) : y0, 0, __VA_ARGS__)
#else
#define OB_RUN(result, ...)                                                                \
    if (so == 1 && sx == 1 && sy == 1 && sz == 1)                                          \
        OB_DENSE(result, OB_X(result, at_x + j), OB_YZ(ys, at_y + j), OB_YZ(zs, at_z + j), \
                 __VA_ARGS__)                                                              \
    else if (so == 1 && sx == 1 && sy == 1 && sz == 0)                                     \
        OB_DENSE(result, OB_X(result, at_x + j), OB_YZ(ys, at_y + j), z0, __VA_ARGS__)     \
    else if (so == 1 && sx == 1 && sy == 0 && sz == 0)                                     \
        OB_DENSE(result, OB_X(result, at_x + j), y0, z0, __VA_ARGS__)                      \
    else                                                                                   \
        OB_LOOP(result, so, sx ? OB_X(result, at_x + j * sx) : x0,                         \
                sy ? OB_YZ(ys, at_y + j * sy) : y0, sz ? OB_YZ(zs, at_z + j * sz) : z0,    \
                __VA_ARGS__)
#endif
#define OB_DENSE(result, x_, y_, z_, ...) OB_LOOP(result, 1, x_, y_, z_, __VA_ARGS__)

/* Names are pasted here and not handed on: OpenCL's builtins may be macros of the same names. */
#define OB_POINTWISE(name, args, result, flags, kinds, ...) \
    OB_WANTED(OB_WANT_pw_##name)                            \
    (OB_KINDS_##kinds(OB_IF_NOW)(OB_ROW(pw_##name, OB_RESULT_##name, __VA_ARGS__)))
#define OB_VALUE(name, kinds, ...)                         \
    OB_WANTED(OB_WANT_pw_##name)                           \
    (OB_KINDS_##kinds(OB_IF_NOW)(OB_ROW(pw_##name, OB_RESULT_##name, __VA_ARGS__)))
