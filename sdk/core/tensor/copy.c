/* Strided copies, conversions and fills on the host.
 *
 * Elements of equal dtype are moved as bytes. Others pass, a block at a time, through a lane wide
 * enough to lose nothing: int64 for bool and ints, double for floats, two doubles for complex. So
 * there is one load and one store per dtype (table `codecs`) instead of one loop per pair. PyTorch:
 * c10/util/TypeCast.h. */
#include "core/tensor/copy.h"

#include <string.h>

enum { BLOCK = 128 }; /* elements that pass through the lanes at once: 2 KB */

typedef enum lane_kind { LANE_INT, LANE_DOUBLE, LANE_COMPLEX } lane_kind;

typedef union lane {
    int64_t i;
    double d;
    struct {
        double re, im;
    } c;
} lane;

typedef struct codec {
    lane_kind kind; /* lane that load() fills and that store() takes without loss */
    void (*load)(lane *to, const void *from, int64_t stride, int64_t n);
    void (*store)(void *to, int64_t stride, const lane *from, lane_kind kind, int64_t n);
} codec;

/* Float to int as x86 has it, which is what PyTorch's results are there: what does not fit gives
 * the lowest number, then the low bits are kept. */
static int64_t cut64(double d)
{
    return d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN;
}
static int32_t cut32(double d)
{
    return d > -0x1p31 - 1 && d < 0x1p31 ? (int32_t)d : INT32_MIN;
}

/* clang-format off */
/* X(dtype, C type of storage, load x: to lane, store i: from int, store d: from double) */
#define CODECS(X)                                                                                     \
    X(U8,     uint8_t,  INT,    x,                     (uint8_t)i,                   (uint8_t)cut64(d))   \
    X(I8,     int8_t,   INT,    x,                     (int8_t)i,                    (int8_t)cut32(d))    \
    X(I16,    int16_t,  INT,    x,                     (int16_t)i,                   (int16_t)cut32(d))   \
    X(I32,    int32_t,  INT,    x,                     (int32_t)i,                   cut32(d))            \
    X(I64,    int64_t,  INT,    x,                     i,                            cut64(d))            \
    X(BOOL,   uint8_t,  INT,    x != 0,                i != 0,                       d != 0)              \
    X(F32,    float,    DOUBLE, (double)x,             (float)i,                     (float)d)            \
    X(F64,    double,   DOUBLE, x,                     (double)i,                    d)                   \
    X(F16,    uint16_t, DOUBLE, (double)ob_f16_to_float(x),    ob_f16_from_float((float)i),    ob_f16_from_float((float)d))    \
    X(BF16,   uint16_t, DOUBLE, (double)ob_bf16_to_float(x),   ob_bf16_from_float((float)i),   ob_bf16_from_float((float)d))   \
    X(F8E4M3, uint8_t,  DOUBLE, (double)ob_f8e4m3_to_float(x), ob_f8e4m3_from_float((float)i), ob_f8e4m3_from_float((float)d))
/* clang-format on */

#define LANE_MEMBER_INT(l)    (l).i
#define LANE_MEMBER_DOUBLE(l) (l).d

#define OB_X(id, ctype, kind, load_x, store_i, store_d)                                         \
    static void load_##id(lane *to, const void *from, int64_t stride, int64_t n)                \
    {                                                                                           \
        const ctype *p = from;                                                                  \
        for (int64_t k = 0; k < n; k++) {                                                       \
            const ctype x = p[k * stride];                                                      \
            LANE_MEMBER_##kind(to[k]) = (load_x);                                               \
        }                                                                                       \
    }                                                                                           \
    static void store_##id(void *to, int64_t stride, const lane *from, lane_kind lk, int64_t n) \
    {                                                                                           \
        ctype *p = to;                                                                          \
        if (lk == LANE_INT) {                                                                   \
            for (int64_t k = 0; k < n; k++) {                                                   \
                const int64_t i = from[k].i;                                                    \
                p[k * stride] = (ctype)(store_i);                                               \
            }                                                                                   \
            return;                                                                             \
        }                                                                                       \
        for (int64_t k = 0; k < n; k++) {                                                       \
            const double d = from[k].d;                                                         \
            p[k * stride] = (ctype)(store_d);                                                   \
        }                                                                                       \
    }
CODECS(OB_X)
#undef OB_X

static void load_C64(lane *to, const void *from, int64_t stride, int64_t n)
{
    const ob_complex64 *p = from;
    for (int64_t k = 0; k < n; k++) {
        to[k].c.re = (double)p[k * stride].re;
        to[k].c.im = (double)p[k * stride].im;
    }
}

static void store_C64(void *to, int64_t stride, const lane *from, lane_kind kind, int64_t n)
{
    ob_complex64 *p = to;
    for (int64_t k = 0; k < n; k++) {
        const float re = kind == LANE_INT ? (float)from[k].i : (float)from[k].d;
        const float im = kind == LANE_COMPLEX ? (float)from[k].c.im : 0.0F;
        p[k * stride] = (ob_complex64){ re, im };
    }
}

static const codec codecs[OB_DTYPE_LIMIT] = {
#define OB_X(id, ctype, kind, load_x, store_i, store_d) \
    [OB_##id] = { LANE_##kind, load_##id, store_##id },
    CODECS(OB_X)
#undef OB_X
        [OB_C64] = { LANE_COMPLEX, load_C64, store_C64 },
};

/* Complex to real keeps the real part, which lies where `d` does; to bool asks both parts. */
static void complex_to_bool(lane *lanes, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        lanes[k].d = lanes[k].c.re != 0 || lanes[k].c.im != 0 ? 1.0 : 0.0;
}

/* One row: n elements of either side, strides in elements. */
static void convert_row(ob_span dst, int64_t dst_stride, ob_span src, int64_t src_stride, int64_t n)
{
    const codec *from = &codecs[src.dtype], *to = &codecs[dst.dtype];
    const int64_t src_step = src_stride * (int64_t)ob_dtype_bytes(src.dtype);
    const int64_t dst_step = dst_stride * (int64_t)ob_dtype_bytes(dst.dtype);
    const char *s = src.data;
    char *d = dst.data;
    for (int64_t done = 0; done < n; done += BLOCK) {
        lane lanes[BLOCK];
        const int64_t m = n - done < BLOCK ? n - done : BLOCK;
        from->load(lanes, s + done * src_step, src_stride, m);
        if (from->kind == LANE_COMPLEX && dst.dtype == OB_BOOL) complex_to_bool(lanes, m);
        to->store(d + done * dst_step, dst_stride, lanes, from->kind, m);
    }
}

#define OB_MOVE(width)                                                                      \
    static void move_##width(char *to, int64_t to_stride, const char *from, int64_t stride, \
                             int64_t n)                                                     \
    {                                                                                       \
        for (int64_t k = 0; k < n; k++)                                                     \
            memcpy(to + k * to_stride * (width), from + k * stride * (width), (width));     \
    }
OB_MOVE(1)
OB_MOVE(2)
OB_MOVE(4)
OB_MOVE(8)
#undef OB_MOVE

/* Movers by element bytes. */
static void (*const movers[9])(char *, int64_t, const char *, int64_t, int64_t) = {
    [1] = move_1, [2] = move_2, [4] = move_4, [8] = move_8
};

static void copy_row(ob_span dst, int64_t dst_stride, ob_span src, int64_t src_stride, int64_t n)
{
    if (dst.dtype != src.dtype) {
        convert_row(dst, dst_stride, src, src_stride, n);
        return;
    }
    const size_t bytes = ob_dtype_bytes(dst.dtype);
    if (dst_stride == 1 && src_stride == 1)
        memmove(dst.data, src.data, (size_t)n * bytes);
    else
        movers[bytes](dst.data, dst_stride, src.data, src_stride, n);
}

/* The loop nest of a copy: dims of extent 1 dropped, neighbours that are one run merged. */
typedef struct nest {
    int rank;
    int64_t sizes[OB_MAX_RANK], dst[OB_MAX_RANK], src[OB_MAX_RANK];
} nest;

/* False when there is no element. */
static bool make_nest(nest *loops, const int64_t *sizes, int rank, const int64_t *dst,
                      const int64_t *src)
{
    loops->rank = 0;
    for (int d = 0; d < rank; d++) {
        const int64_t n = sizes[d];
        const int last = loops->rank - 1;
        if (n == 0) return false;
        if (n == 1) continue;
        if (last >= 0 && loops->dst[last] == dst[d] * n && loops->src[last] == src[d] * n) {
            loops->sizes[last] *= n;
            loops->dst[last] = dst[d];
            loops->src[last] = src[d];
            continue;
        }
        loops->sizes[loops->rank] = n;
        loops->dst[loops->rank] = dst[d];
        loops->src[loops->rank] = src[d];
        loops->rank++;
    }
    return true;
}

static void *at(ob_span span, int64_t element)
{
    return (char *)span.data + element * (int64_t)ob_dtype_bytes(span.dtype);
}

void ob_copy_strided(ob_span dst, ob_span src, const int64_t *sizes, int rank)
{
    nest loops;
    if (!make_nest(&loops, sizes, rank, dst.strides, src.strides)) return;
    const int inner = loops.rank - 1;
    const int64_t n = inner < 0 ? 1 : loops.sizes[inner];
    const int64_t dst_stride = inner < 0 ? 1 : loops.dst[inner];
    const int64_t src_stride = inner < 0 ? 1 : loops.src[inner];
    int64_t index[OB_MAX_RANK] = { 0 };
    int64_t to = 0, from = 0;
    for (;;) {
        const ob_span d = { at(dst, to), NULL, dst.dtype }, s = { at(src, from), NULL, src.dtype };
        copy_row(d, dst_stride, s, src_stride, n);
        int dim = inner - 1;
        for (; dim >= 0; dim--) {
            to += loops.dst[dim];
            from += loops.src[dim];
            if (++index[dim] < loops.sizes[dim]) break;
            to -= loops.dst[dim] * loops.sizes[dim];
            from -= loops.src[dim] * loops.sizes[dim];
            index[dim] = 0;
        }
        if (dim < 0) return;
    }
}

void ob_convert_element(void *dst, ob_dtype dst_dtype, const void *src, ob_dtype src_dtype)
{
    const ob_span d = { dst, NULL, dst_dtype }, s = { (void *)(uintptr_t)src, NULL, src_dtype };
    copy_row(d, 1, s, 1, 1);
}

void ob_fill_strided(ob_span dst, const int64_t *sizes, int rank, ob_scalar value)
{
    static const lane_kind kinds[] = { [OB_SCALAR_NONE] = LANE_INT,
                                       [OB_SCALAR_BOOL] = LANE_INT,
                                       [OB_SCALAR_INT] = LANE_INT,
                                       [OB_SCALAR_DOUBLE] = LANE_DOUBLE,
                                       [OB_SCALAR_COMPLEX] = LANE_COMPLEX };
    static const int64_t still[OB_MAX_RANK]; /* zero strides: one element feeds all */
    lane wide = { .c = { 0, 0 } };
    if (value.tag == OB_SCALAR_COMPLEX) {
        wide.c.re = value.u.c[0];
        wide.c.im = value.u.c[1];
    } else if (value.tag == OB_SCALAR_DOUBLE) {
        wide.d = value.u.d;
    } else {
        wide.i = ob_scalar_int(value);
    }
    if (value.tag == OB_SCALAR_COMPLEX && dst.dtype == OB_BOOL) complex_to_bool(&wide, 1);
    uint64_t element = 0;
    codecs[dst.dtype].store(&element, 1, &wide, kinds[value.tag], 1);
    ob_copy_strided(dst, (ob_span){ &element, still, dst.dtype }, sizes, rank);
}
