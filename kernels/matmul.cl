/* Matrix multiply: out = beta * self + alpha * (a @ b), batched.
 *
 * Follows prelude.cl (OB_S, OB_T, OB_SAME, OB_LOAD, OB_STORE) in the program. For every dtype
 * whose OB_T has vectors and whose elements load as vectors: integers, float16, bfloat16, float32,
 * float64. Before it the host may define the tuning constants (it does by the width of vectors):
 *   OB_VW    lanes of a vector of OB_T: 4, 8 or 16                     default 8
 *   OB_NRV   vectors in a row of the register tile: 1 to 4             default 2
 *   OB_MR    rows of the register tile: 4, 8 or 12                     default 4
 *   OB_PREFETCH(p, write, near)   asks for the cache line at p, into the first-level cache (3) or
 *                    the second (2)                                    default clang's builtin
 *   OB_SHARES        shares of a tile's steps in front of which lines are asked for   default 4
 * OB_MR * OB_NRV + OB_NRV + 1 should not pass the number of vector registers (16 with AVX2, 32
 * with AVX-512 and NEON). The constants of the plan (m_block, k_block) are members of ob_gemm.
 *
 * Kernels, all with a work-group of one work-item, since a CPU device runs one on one core:
 *   matmul_pack_b    b -> panels of OB_NR columns, the layout that the inner loop reads
 *   matmul_tiled     the product by register tiles; b packed before or strip by strip here
 * matmul_few.cl (few rows) follows this text in the same program; matmul_any.cl is for the dtypes
 * that have no vectors of OB_T (complex).
 *
 * Inputs are addressed by strides; a transposed view is packed as it is read, never copied first.
 * Nothing is read or written outside the matrices. */

#ifndef OB_S
#define OB_S float
#endif
#ifndef OB_T
#define OB_T float
#endif
#ifndef OB_SAME
#define OB_SAME 1
#endif
#ifndef OB_LOAD
#define OB_LOAD(p, i) ((p)[i])
#endif
#ifndef OB_STORE
#define OB_STORE(p, i, v) ((p)[i] = (v))
#endif
#ifndef OB_VW
#define OB_VW 8
#endif
#ifndef OB_NRV
#define OB_NRV 2
#endif
#ifndef OB_MR
#define OB_MR 4
#endif

#define OB_JOIN_(a, b) a##b
#define OB_JOIN(a, b)  OB_JOIN_(a, b)
#define OB_VEC         OB_JOIN(OB_T, OB_VW)
#define OB_VEC4        OB_JOIN(OB_T, 4)
#define OB_VEC8        OB_JOIN(OB_T, 8)
#define OB_VLOAD       OB_JOIN(vload, OB_VW)
#define OB_NR          (OB_NRV * OB_VW)
/* OB_VW, and eight, elements of p from i on, as a vector of OB_T. */
#if OB_SAME
#define OB_LOADV(p, i) OB_VLOAD(0, (p) + (i))
#define OB_LOAD8(p, i) vload8(0, (p) + (i))
#elif OB_DTYPE == OB_F16
#define OB_LOADV(p, i) OB_JOIN(vload_half, OB_VW)(0, (global const half *)(p) + (i))
#define OB_LOAD8(p, i) vload_half8(0, (global const half *)(p) + (i))
#elif OB_DTYPE == OB_BF16
#define OB_WIDE(n, v)  OB_JOIN(as_float, n)(OB_JOIN(convert_uint, n)(v) << 16)
#define OB_LOADV(p, i) OB_WIDE(OB_VW, OB_VLOAD(0, (p) + (i)))
#define OB_LOAD8(p, i) OB_WIDE(8, vload8(0, (p) + (i)))
#endif
#ifndef OB_PREFETCH
#ifdef __clang__
#define OB_PREFETCH(p, write, near) __builtin_prefetch((const void *)(size_t)(p), write, near)
#else
#define OB_PREFETCH(p, write, near)
#endif
#endif
#ifndef OB_SHARES
#define OB_SHARES 4
#endif
/* For a vector store in one piece: PoCL's vstore16 is four stores. */
typedef OB_VEC loose_vec __attribute__((aligned(sizeof(OB_T))));
typedef OB_VEC4 loose_vec4 __attribute__((aligned(sizeof(OB_T))));
#ifndef OB_KERNEL
#define OB_KERNEL(name) __attribute__((reqd_work_group_size(1, 1, 1))) kernel void name
#endif

/* The bits of a scalar as the compute type. */
static OB_T scalar_value(const ob_number s)
{
    union {
        ob_number bits;
        OB_T value;
    } u;
    u.bits = s;
    return u.value;
}

/* Four lanes by eight steps: to[k * width + lane] = from[lane * lane_stride + k]. Two rounds of
 * shuffles, each within 128 bits, which is what vector units do fastest. */
static void pack_4x8(global const OB_S *from, ob_i64 lane_stride, global OB_T *to, ob_i64 width)
{
    const OB_VEC8 r0 = OB_LOAD8(from, 0), r1 = OB_LOAD8(from, lane_stride);
    const OB_VEC8 r2 = OB_LOAD8(from, 2 * lane_stride), r3 = OB_LOAD8(from, 3 * lane_stride);
    const OB_VEC8 lo01 = { r0.s0, r1.s0, r0.s1, r1.s1, r0.s4, r1.s4, r0.s5, r1.s5 };
    const OB_VEC8 hi01 = { r0.s2, r1.s2, r0.s3, r1.s3, r0.s6, r1.s6, r0.s7, r1.s7 };
    const OB_VEC8 lo23 = { r2.s0, r3.s0, r2.s1, r3.s1, r2.s4, r3.s4, r2.s5, r3.s5 };
    const OB_VEC8 hi23 = { r2.s2, r3.s2, r2.s3, r3.s3, r2.s6, r3.s6, r2.s7, r3.s7 };
    *(global loose_vec4 *)(to) = (OB_VEC4)(lo01.s01, lo23.s01);
    *(global loose_vec4 *)(to + width) = (OB_VEC4)(lo01.s23, lo23.s23);
    *(global loose_vec4 *)(to + 2 * width) = (OB_VEC4)(hi01.s01, hi23.s01);
    *(global loose_vec4 *)(to + 3 * width) = (OB_VEC4)(hi01.s23, hi23.s23);
    *(global loose_vec4 *)(to + 4 * width) = (OB_VEC4)(lo01.s45, lo23.s45);
    *(global loose_vec4 *)(to + 5 * width) = (OB_VEC4)(lo01.s67, lo23.s67);
    *(global loose_vec4 *)(to + 6 * width) = (OB_VEC4)(hi01.s45, hi23.s45);
    *(global loose_vec4 *)(to + 7 * width) = (OB_VEC4)(hi01.s67, hi23.s67);
}

/* One strip of `width` lanes (rows of a, columns of b), depth kc, to [k][width].
 * `lanes` of them exist; the rest become 0, so the inner loop needs no edge. All lanes are read
 * side by side, so that their cache misses overlap. */
static void pack_strip(global const OB_S *from, ob_i64 lane_stride, ob_i64 k_stride, int lanes,
                       int width, ob_i64 kc, global OB_T *to)
{
    ob_i64 k = 0;
    if (lanes == width && k_stride == 1) {
        k = kc / 8 * 8;
        for (ob_i64 s = 0; s < k; s += 8)
            for (int i = 0; i < width; i += 4)
                pack_4x8(from + i * lane_stride + s, lane_stride, to + s * width + i, width);
    }
    if (lanes == width && lane_stride == 1)
        for (; k < kc; k++)
            for (int i = 0; i < width; i++)
                to[k * width + i] = OB_LOAD(from, k * k_stride + i);
    for (; k < kc; k++) {
        for (int i = 0; i < lanes; i++)
            to[k * width + i] = OB_LOAD(from, i * lane_stride + k * k_stride);
        for (int i = lanes; i < width; i++)
            to[k * width + i] = (OB_T)0;
    }
}

/* panel: [batch][k block][strip of OB_NR columns][k][OB_NR], columns past n are 0.
 * Work-item (x, y, z): n_item columns (a multiple of OB_NR) of k block y of batch z. Rows of b
 * are read across several strips at once, so that each is one long run for the prefetcher. */
OB_KERNEL(matmul_pack_b)(global const OB_S *b, global OB_T *panel, const ob_gemm g)
{
    const ob_i64 strips = (g.n + OB_NR - 1) / OB_NR;
    const ob_i64 k0 = get_global_id(1) * g.k_block, kc = min(g.k_block, g.k - k0);
    const ob_i64 n0 = get_global_id(0) * g.n_item, n1 = min(n0 + g.n_item, g.n);
    if (kc <= 0 || n0 >= n1) return;
    b += g.b.offset + get_global_id(2) * g.b.batch + k0 * g.b.row;
    panel += get_global_id(2) * g.panel_batch + k0 * strips * OB_NR;

    ob_i64 n = n0;
    if (g.b.col == 1) {
        n = n0 + (n1 - n0) / OB_NR * OB_NR;
        for (ob_i64 k = 0; k < kc; k++) {
            global const OB_S *from = b + k * g.b.row;
            global OB_T *to = panel + k * OB_NR;
            for (ob_i64 t = n0; t < n; t += OB_NR)
#pragma unroll
                for (int v = 0; v < OB_NRV; v++)
                    *(global loose_vec *)(to + t * kc + v * OB_VW) = OB_LOADV(from, t + v * OB_VW);
        }
    }
    for (; n < n1; n += OB_NR)
        pack_strip(b + n * g.b.col, g.b.col, g.b.row, (int)min((ob_i64)OB_NR, g.n - n), OB_NR, kc,
                   panel + n * kc);
}

static void tile_clear(OB_VEC c[OB_MR][OB_NRV])
{
#pragma unroll
    for (int i = 0; i < OB_MR; i++)
#pragma unroll
        for (int v = 0; v < OB_NRV; v++)
            c[i][v] = (OB_VEC)(0);
}

/* c += the product of a packed strip of a and a packed strip of b: the only hot loop.
 * a: [kc][OB_MR], b: [kc][OB_NR]. */
static void tile_product(global const OB_T *a, global const OB_T *b, ob_i64 kc,
                         OB_VEC c[OB_MR][OB_NRV])
{
#pragma unroll 4
    for (ob_i64 k = 0; k < kc; k++) {
        OB_VEC bv[OB_NRV];
#pragma unroll
        for (int v = 0; v < OB_NRV; v++)
            bv[v] = OB_VLOAD(v, b);
#pragma unroll
        for (int i = 0; i < OB_MR; i++) {
            const OB_VEC av = (OB_VEC)(a[i]);
#pragma unroll
            for (int v = 0; v < OB_NRV; v++)
                c[i][v] += av * bv[v];
        }
        a += OB_MR;
        b += OB_NR;
    }
}

/* Where a register tile goes: pointers at its first element, and how much of it exists. */
typedef struct tile_target {
    global OB_S *out;
    global const OB_S *self;
    global OB_T *partial;
    int rows, cols;
    int first, last; /* is this the first, the last k block? */
} tile_target;

/* Lines of the tile come to the first-level cache while its product is computed: those of one
 * share of its rows, since a core waits once it has asked for more than 10 to 16 lines. */
static void tile_prefetch(const tile_target t, ob_i64 row, int share)
{
    const int end = min(t.rows, (share + 1) * OB_MR / OB_SHARES);
    for (int i = share * OB_MR / OB_SHARES; i < end; i++) {
        OB_PREFETCH(t.partial + i * row, 1, 3);
        OB_PREFETCH(t.partial + i * row + t.cols - 1, 1, 3);
    }
}

/* The strip at `next` comes to the second-level cache while the tiles of the one before are
 * computed: the share of its `elements` that the tile at row m of `rows` asks for. */
static void strip_prefetch(global const OB_T *next, ob_i64 elements, ob_i64 m, ob_i64 rows)
{
    const ob_i64 line = 64 / sizeof(OB_T), lines = elements / line;
    const ob_i64 end = min(lines * (m + OB_MR) / rows, lines);
    for (ob_i64 i = lines * m / rows; i < end; i++)
        OB_PREFETCH(next + i * line, 0, 2);
}

/* A tile at an edge of out, or one to convert: element by element. */
static void tile_store_any(OB_VEC c[OB_MR][OB_NRV], const tile_target t, const ob_gemm *g)
{
    const OB_T alpha = scalar_value(g->alpha), beta = scalar_value(g->beta);
    OB_T flat[OB_MR * OB_NR];
#pragma unroll
    for (int i = 0; i < OB_MR; i++)
#pragma unroll
        for (int v = 0; v < OB_NRV; v++)
            *(loose_vec *)(flat + i * OB_NR + v * OB_VW) = c[i][v];
    for (int i = 0; i < t.rows; i++)
        for (int j = 0; j < t.cols; j++) {
            OB_T x = alpha * flat[i * OB_NR + j];
            if (!t.first)
                x += t.partial[i * g->partial.row + j];
            else if (g->has_self)
                x += beta * OB_LOAD(t.self, i * g->self.row + j * g->self.col);
            if (t.last)
                OB_STORE(t.out, i * g->out.row + j, x);
            else
                t.partial[i * g->partial.row + j] = x;
        }
}

/* partial += alpha * c, starting from beta * self; the last k block makes out of it.
 * alpha and beta enter in the first block, so that out may be the memory of self. */
static void tile_store(OB_VEC c[OB_MR][OB_NRV], const tile_target t, const ob_gemm *g)
{
    const int from_self = t.first && g->has_self;
    if (t.rows < OB_MR || t.cols < OB_NR || (!OB_SAME && t.last) ||
        (from_self && g->self.col > 1)) {
        tile_store_any(c, t, g);
        return;
    }
    const OB_VEC alpha = (OB_VEC)(scalar_value(g->alpha));
    const OB_VEC beta = (OB_VEC)(scalar_value(g->beta));
#pragma unroll
    for (int i = 0; i < OB_MR; i++) {
        global OB_T *to = t.partial + i * g->partial.row;
        OB_VEC base[OB_NRV];
#pragma unroll
        for (int v = 0; v < OB_NRV; v++)
            base[v] = (OB_VEC)(0);
        if (!t.first)
#pragma unroll
            for (int v = 0; v < OB_NRV; v++)
                base[v] = OB_VLOAD(v, to);
        else if (from_self && g->self.col == 0)
#pragma unroll
            for (int v = 0; v < OB_NRV; v++)
                base[v] = (OB_VEC)(OB_LOAD(t.self, i * g->self.row)) * beta;
        else if (from_self)
#pragma unroll
            for (int v = 0; v < OB_NRV; v++)
                base[v] = OB_LOADV(t.self, i * g->self.row + v * OB_VW) * beta;
#pragma unroll
        for (int v = 0; v < OB_NRV; v++)
            *(global loose_vec *)(to + v * OB_VW) = c[i][v] * alpha + base[v];
    }
}

/* Work-item (x, y, z): rows from y * m_item and columns from x * n_item of batch z.
 *
 * For each k block and each m_block rows it packs a into its part of `scratch`
 * ([strip of OB_MR rows][k][OB_MR], stays in the second-level cache) and walks the strips of b
 * ([k][OB_NR], stays in the first-level cache) over it. With b_packed the strips come from
 * `panel`, otherwise it packs each behind its block of a; that costs once per m_block rows, so
 * it suits matrices for which m_item is at most m_block.
 *
 * partial: sums between k blocks. With OB_SAME it is out itself (same buffer, same ob_matrix);
 * else [batch, m, n] of OB_T, unused when k_block reaches k. out.col must be 1.
 * scratch: scratch_item elements a work-item:
 *   k_block * (m_block + (b_packed ? 0 : OB_NR)), a multiple of 16 for alignment. */
OB_KERNEL(matmul_tiles)(global OB_S *out, global const OB_S *self,
                        global const OB_S *a, global const OB_S *b,
                        global const OB_T *panel, global OB_T *partial,
                        global OB_T *scratch, const ob_gemm g)
{
    const ob_i64 x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const ob_i64 m0 = y * g.m_item, m1 = min(m0 + g.m_item, g.m);
    const ob_i64 n0 = x * g.n_item, n1 = min(n0 + g.n_item, g.n);
    const ob_i64 width = (g.n + OB_NR - 1) / OB_NR * OB_NR;
    a += g.a.offset + z * g.a.batch;
    b += g.b.offset + z * g.b.batch;
    panel += z * g.panel_batch;
    scratch += ((z * get_global_size(1) + y) * get_global_size(0) + x) * g.scratch_item;
    global OB_T *strip = scratch + g.m_block * g.k_block;

    ob_i64 k0 = 0;
    do { /* once even when k is 0: the product is then 0 */
        const ob_i64 kc = min(g.k_block, g.k - k0);
        for (ob_i64 mb = m0; mb < m1; mb += g.m_block) {
            const ob_i64 me = min(mb + g.m_block, m1);
            for (ob_i64 m = mb; m < me; m += OB_MR)
                pack_strip(a + m * g.a.row + k0 * g.a.col, g.a.row, g.a.col,
                           (int)min((ob_i64)OB_MR, me - m), OB_MR, kc, scratch + (m - mb) * kc);
            for (ob_i64 n = n0; n < n1; n += OB_NR) {
                const int cols = (int)min((ob_i64)OB_NR, n1 - n);
                if (!g.b_packed)
                    pack_strip(b + n * g.b.col + k0 * g.b.row, g.b.col, g.b.row, cols, OB_NR, kc,
                               strip);
                global const OB_T *bp = g.b_packed ? panel + k0 * width + n * kc : strip;
                for (ob_i64 m = mb; m < me; m += OB_MR) {
                    const tile_target t = {
                        out + g.out.offset + z * g.out.batch + m * g.out.row + n,
                        self + g.self.offset + z * g.self.batch + m * g.self.row + n * g.self.col,
                        partial + g.partial.offset + z * g.partial.batch + m * g.partial.row + n,
                        (int)min((ob_i64)OB_MR, me - m),
                        cols,
                        k0 == 0,
                        k0 + kc >= g.k,
                    };
                    OB_VEC c[OB_MR][OB_NRV];
                    if (g.b_packed)
                        strip_prefetch(bp + kc * OB_NR, kc * OB_NR, m - mb, me - mb);
                    tile_clear(c);
                    for (int share = 0; share < OB_SHARES; share++) {
                        const ob_i64 k = kc * share / OB_SHARES;
                        tile_prefetch(t, g.partial.row, share);
                        tile_product(scratch + (m - mb) * kc + k * OB_MR, bp + k * OB_NR,
                                     kc * (share + 1) / OB_SHARES - k, c);
                    }
                    tile_store(c, t, &g);
                }
            }
        }
        k0 += g.k_block;
    } while (k0 < g.k);
}
