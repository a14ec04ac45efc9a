/* Second reading of reduce.inc: kernels red_<op> and join_<op> per row that has a formula for
 * OB_DTYPE's kind.
 *
 * The accumulator's type A is float for float16, bfloat16 and float32, double for float64, int for
 * ints up to 32 bits and bools, long for int64; with OB_RED_WIDE, where squares may overflow, it is
 * double for all floats if the device has doubles. A result has OB_LANES accumulators, of blocks of at
 * most OB_RED_BLOCK elements that are then joined: loops over lanes become vectors, and rounding
 * errors of long sums stay small.
 *
 * Work-item (i, s) of red_<op> takes part i of the results and part s of what goes into each. With
 * one part s it writes results; else accumulators, to accs[s * results + result] and, for rows
 * with an index, to indices, which join_<op> makes results of. Lanes are neighbouring results when
 * p.across is 1, else neighbouring elements of one result. */
#undef OB_REDUCE
#undef OB_FORM

#define OB_LANES     16
#define OB_RED_BLOCK 4096
#define OB_SHORT     _Pragma("unroll 1")

#if OB_IS_FLOAT
#define OB_RED_ISINF(v) isinf(v)
#define OB_RED_NAN      NAN
#define OB_IF_NOW       OB_IF_F
#if defined(OB_RED_WIDE) && defined(cl_khr_fp64)
#define A double
#else
#define A OB_T
#endif
#define lowest          (-(A)INFINITY)
#define highest         ((A)INFINITY)
#elif OB_DTYPE == OB_I64
#define OB_RED_ISINF(v) 0
#define OB_RED_NAN      0
#define OB_IF_NOW       OB_IF_I
#define A               long
#define lowest          LONG_MIN
#define highest         LONG_MAX
#else
#define OB_RED_ISINF(v) 0
#define OB_RED_NAN      0
#define A               int
#define lowest          INT_MIN
#define highest         INT_MAX
#if OB_IS_BOOL
#define OB_IF_NOW OB_IF_B
#else
#define OB_IF_NOW OB_IF_I
#endif
#endif

#if OB_DTYPE == OB_F64
#define OB_RED_A(bits) as_double(bits)
#elif OB_IS_FLOAT
#define OB_RED_A(bits) as_float((int)(bits))
#else
#define OB_RED_A(bits) ((A)(bits))
#endif

#if OB_IS_FLOAT
#define OB_RED_NTH const A nth = 1 / n; (void)nth;
#else
#define OB_RED_NTH
#endif

/* What the formulas may name beside acc and x. */
#define OB_RED_NAMES                     \
    const A a = OB_RED_A(p.a);           \
    const A n = (A)p.gone.numel;         \
    OB_RED_NTH                          \
    const ob_i64 results = p.kept.numel; \
    (void)a, (void)n;

/* m of result i, of which an infinite maximum is not taken away. The mean of infinities is NaN, as
 * PyTorch's, which moves from element to element. */
#define OB_RED_M(flags, i)                                    \
    (!((flags) & (OB_RED_CENTERED | OB_RED_SHIFTED)) ? (A)0   \
     : !OB_RED_ISINF(ms[i])                          ? ms[i]  \
     : ((flags)&OB_RED_SHIFTED)                      ? (A)0   \
                                                     : (A)OB_RED_NAN)

/* Lane l takes in the element at `from`, number `at` of its result. */
#define OB_RED_STEP(flags, l, from, at, step) \
    {                                         \
        const A acc = lane[l], m = means[l];  \
        const A x = (A)OB_LOAD(xs, from);     \
        if (!((flags)&OB_RED_INDEX)) {        \
            lane[l] = (A)(step);              \
        } else if (step) {                    \
            lane[l] = x;                      \
            place[l] = (ob_i32)(at);          \
        }                                     \
        (void)m, (void)acc;                   \
    }

/* The accumulator to_acc, to_place takes in another one: of equal elements the first counts. */
#define OB_RED_JOIN(flags, to_acc, to_place, from_acc, from_place, join)                     \
    {                                                                                        \
        const A acc = to_acc, x = from_acc;                                                  \
        const ob_i32 x_place = from_place;                                                   \
        if (!((flags)&OB_RED_INDEX)) {                                                       \
            to_acc = (A)(join);                                                              \
        } else if ((join) || ((x == acc || (x != x && acc != acc)) && x_place < to_place)) { \
            to_acc = x;                                                                      \
            to_place = x_place;                                                              \
        }                                                                                    \
    }

/* Store the result number i that `acc` and `index` stand for. */
#define OB_RED_WRITE(result, flags, i, finish)                                            \
    {                                                                                     \
        const ob_i64 at = ob_walk_at(&p.kept, 1, i), at_more = ob_walk_at(&p.kept, 2, i); \
        const A value = (A)(finish);                                                      \
        if (p.raw)                                                                        \
            ((global A *)out)[i] = value;                                                 \
        else if (((flags)&OB_RED_INDEX) && !((flags)&OB_RED_VALUE))                       \
            ((global long *)out)[at] = index;                                             \
        else if ((result) == OB_RED_COUNT)                                                \
            ((global long *)out)[at] = (long)value;                                       \
        else if ((result) == OB_RED_BOOL)                                                 \
            ((global uchar *)out)[at] = (uchar)(value != 0);                              \
        else                                                                              \
            OB_STORE((global OB_S *)out, at, (OB_T)value);                                \
        if ((flags)&OB_RED_VALUE) ((global long *)more)[at_more] = index;                 \
        if ((flags)&OB_RED_MEAN_TOO) OB_STORE((global OB_S *)more, at_more, (OB_T)m);     \
        (void)index, (void)m;                                                             \
    }

/* `lanes` lanes take in elements at from + l * t, then at from + s + l * t ..., `rounds` of them;
 * numbers go by dt and ds. Loops that need not be fast are kept short: compiling is what costs. */
#define OB_RED_ROUNDS(flags, step)                                                            \
    if (t == 1 && lanes == OB_LANES) {                                                        \
        OB_SHORT for (ob_i64 e = 0; e < rounds; e++) for (int l = 0; l < OB_LANES; l++)       \
            OB_RED_STEP(flags, l, from + e * s + l, at + e * ds + l * dt, step)               \
    } else {                                                                                  \
        OB_SHORT for (ob_i64 e = 0; e < rounds; e++) OB_SHORT for (int l = 0; l < lanes; l++) \
            OB_RED_STEP(flags, l, from + e * s + l * t, at + e * ds + l * dt, step)           \
    }

#define OB_RED_KERNEL(kernel_name, result, flags, start, step, join, finish)                       \
    OB_ONE_ITEM kernel void kernel_name(global void *out, global void *more,                       \
                                        global const OB_S *restrict xs, global const A *ms,        \
                                        global A *accs, global ob_i32 *indices, const ob_reduce p) \
    {                                                                                              \
        OB_RED_NAMES                                                                               \
        const ob_i64 width = p.across ? OB_LANES : 1;                                              \
        const ob_i64 items = (results + width - 1) / width;                                        \
        const ob_i64 mine = (items + get_global_size(0) - 1) / get_global_size(0) * width;         \
        const ob_i64 first = get_global_id(0) * mine, last = min(first + mine, results);           \
        const ob_i64 share = (p.gone.numel + p.parts - 1) / p.parts;                               \
        const ob_i64 begin = min((ob_i64)get_global_id(1) * share, p.gone.numel);                  \
        const ob_i64 end = min(begin + share, p.gone.numel);                                       \
        const ob_i64 sx = p.gone.stride[1][0], sk = p.kept.stride[0][0];                           \
        ob_i64 used;                                                                               \
        OB_SHORT for (ob_i64 i = first; i < last; i += used)                                       \
        {                                                                                          \
            A lane[OB_LANES], total[OB_LANES], means[OB_LANES];                                    \
            ob_i32 place[OB_LANES], places[OB_LANES];                                              \
            const ob_i64 base = ob_walk_at(&p.kept, 0, i);                                         \
            used = min(width, min(p.kept.size[0] - i % p.kept.size[0], last - i));                 \
            OB_SHORT for (int l = 0; l < OB_LANES; l++)                                            \
            {                                                                                      \
                total[l] = (A)(start);                                                             \
                places[l] = 0;                                                                     \
                means[l] = OB_RED_M(flags, l < used ? i + l : i);                                  \
            }                                                                                      \
            OB_SHORT for (ob_i64 j = begin; j < end;)                                              \
            {                                                                                      \
                const ob_i64 stop = min(j + OB_RED_BLOCK, end);                                    \
                OB_SHORT for (int l = 0; l < OB_LANES; l++)                                        \
                {                                                                                  \
                    lane[l] = (A)(start);                                                          \
                    place[l] = 0;                                                                  \
                }                                                                                  \
                while (j < stop) {                                                                 \
                    const ob_i64 from = base + ob_walk_at(&p.gone, 1, j), at = j;                  \
                    const ob_i64 run = min(p.gone.size[0] - j % p.gone.size[0], stop - j);         \
                    const int lanes = p.across ? (int)used : run < OB_LANES ? 1 : OB_LANES;        \
                    const ob_i64 rounds = p.across ? run : run / lanes;                            \
                    const ob_i64 s = p.across ? sx : lanes * sx, t = p.across ? sk : sx;           \
                    const int ds = p.across ? 1 : lanes, dt = !p.across;                           \
                    OB_RED_ROUNDS(flags, step)                                                     \
                    j += p.across ? rounds : rounds * lanes;                                       \
                }                                                                                  \
                OB_SHORT for (int l = 0; l < OB_LANES; l++)                                        \
                {                                                                                  \
                    const int to = p.across ? l : 0;                                               \
                    OB_RED_JOIN(flags, total[to], places[to], lane[l], place[l], join)             \
                }                                                                                  \
            }                                                                                      \
            OB_SHORT for (int l = 0; l < used; l++)                                                \
            {                                                                                      \
                const A acc = total[l], m = means[l];                                              \
                const ob_i32 index = places[l];                                                    \
                if (p.parts > 1) {                                                                 \
                    const ob_i64 at = get_global_id(1) * results + i + l;                          \
                    accs[at] = acc;                                                                \
                    if ((flags)&OB_RED_INDEX) indices[at] = index;                                 \
                } else                                                                             \
                    OB_RED_WRITE(result, flags, i + l, finish)                                     \
            }                                                                                      \
        }                                                                                          \
    }

#define OB_RED_JOIN_KERNEL(kernel_name, result, flags, start, join, finish)                      \
    OB_ONE_ITEM kernel void kernel_name(global void *out, global void *more, global const A *ms, \
                                        global const A *accs, global const ob_i32 *indices,      \
                                        const ob_reduce p)                                       \
    {                                                                                            \
        OB_RED_NAMES                                                                             \
        OB_PART_OF(results)                                                                      \
        OB_SHORT for (ob_i64 i = begin; i < end; i++)                                            \
        {                                                                                        \
            const A m = OB_RED_M(flags, i);                                                      \
            A whole = (A)(start);                                                                \
            ob_i32 index = 0;                                                                    \
            OB_SHORT for (ob_i64 k = i; k < p.parts * results; k += results)                     \
            {                                                                                    \
                const ob_i32 other = ((flags)&OB_RED_INDEX) ? indices[k] : 0;                    \
                OB_RED_JOIN(flags, whole, index, accs[k], other, join)                           \
            }                                                                                    \
            const A acc = whole;                                                                 \
            OB_RED_WRITE(result, flags, i, finish)                                               \
        }                                                                                        \
    }

/* Names are pasted here and not handed on: OpenCL's builtins may be macros of the same names. */
#define OB_FORM(name, args, of)
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) \
    OB_WANTED(OB_WANT_red_##name)(OB_KINDS_##kinds(OB_IF_NOW)(                 \
        OB_RED_KERNEL(red_##name, result, flags, start, step, join, finish)))  \
    OB_WANTED(OB_WANT_join_##name)(OB_KINDS_##kinds(OB_IF_NOW)(                \
        OB_RED_JOIN_KERNEL(join_##name, result, flags, start, join, finish)))

#if OB_IS_FLOAT && defined(OB_RED_WIDE)
/* The m of rows around a mean, of n-th parts, whose sum does not overflow where the mean is a number. */
OB_WANTED(OB_WANT_red_center)(
    OB_RED_KERNEL(red_center, OB_RED_MEAN, 0, 0, acc + x * nth, acc + x, n > 0 ? acc : (A)NAN))
OB_WANTED(OB_WANT_join_center)(
    OB_RED_JOIN_KERNEL(join_center, OB_RED_MEAN, 0, 0, acc + x, n > 0 ? acc : (A)NAN))
#endif
