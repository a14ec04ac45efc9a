/* Matrix multiply with at most 8 rows of a: each element of b is read once, from memory.
 *
 * out = beta * self + alpha * (a @ b), out: [batch, m, n], m <= 8. These products are bound by the
 * traffic of b, so b is neither packed nor read twice. Follows matmul.cl in the same program and
 * uses its macros and its conditions on the dtype.
 *
 *   matmul_few    b.col is 1: rows of b are added up, times a scalar of a
 *   matmul_few_t  b.row and a.col are 1 (Linear weights, a matrix by a vector): dot products
 *
 * A product with at most 8 columns is one of these on the transposed views: out^T = b^T @ a^T.
 *
 * OB_FEW_SUMS  elements of OB_T that a work-item of matmul_few keeps as sums; they should fill at
 *              most half of the first-level cache. Default 4096, any power of 2 from 512 on.
 * OB_FEW_K     elements of k that matmul_few_t does for one group of rows before the next group;
 *              4 rows of b this long should stay in the first-level cache. Default 1024, any
 *              multiple of OB_VW. */

#ifndef OB_FEW_SUMS
#define OB_FEW_SUMS 4096
#endif
#ifndef OB_FEW_K
#define OB_FEW_K 1024
#endif
#define OB_FEW_ROWS 8

/* out[i][j] from a finished sum. */
static void few_store(global OB_S *out, global const OB_S *self, const ob_gemm *g, ob_i64 i,
                      ob_i64 j, OB_T sum)
{
    OB_T x = scalar_value(g->alpha) * sum;
    if (g->has_self) x += scalar_value(g->beta) * OB_LOAD(self, i * g->self.row + j * g->self.col);
    OB_STORE(out, i * g->out.row + j * g->out.col, x);
}

/* sums[i][0..cols) += sum over `steps` rows of b of a[i][step] * b[step][0..cols).
 * rows and steps are literals at each call, so that the loops unroll; a: [rows][steps],
 * sums: [rows][pitch]. */
static void few_add(const int rows, const int steps, const OB_T *a, global const OB_S *b,
                    ob_i64 b_row, OB_T *sums, int pitch, int cols)
{
    int j = 0;
    for (; j + OB_VW <= cols; j += OB_VW) {
        OB_VEC c[OB_FEW_ROWS];
#pragma unroll
        for (int i = 0; i < rows; i++)
            c[i] = OB_VLOAD(0, sums + i * pitch + j);
#pragma unroll
        for (int s = 0; s < steps; s++) {
            const OB_VEC bv = OB_LOADV(b, s * b_row + j);
#pragma unroll
            for (int i = 0; i < rows; i++)
                c[i] += (OB_VEC)(a[i * steps + s]) * bv;
        }
#pragma unroll
        for (int i = 0; i < rows; i++)
            *(loose_vec *)(sums + i * pitch + j) = c[i];
    }
    for (; j < cols; j++)
        for (int s = 0; s < steps; s++)
            for (int i = 0; i < rows; i++)
                sums[i * pitch + j] += a[i * steps + s] * OB_LOAD(b, s * b_row + j);
}

/* The whole depth for one span of columns; `steps` rows of b are read side by side, because more
 * streams at once fetch faster. Rows past g->m repeat the last one and are not stored. */
static void few_span(const int rows, const int steps, global const OB_S *a, global const OB_S *b,
                     const ob_gemm *g, OB_T *sums, int pitch, int cols)
{
    OB_T x[OB_FEW_ROWS * 8];
    for (int i = 0; i < rows * pitch; i++)
        sums[i] = (OB_T)0;
    ob_i64 k = 0;
    for (; k + steps <= g->k; k += steps) {
        for (int i = 0; i < rows; i++)
            for (int s = 0; s < steps; s++)
                x[i * steps + s] =
                    OB_LOAD(a, min((ob_i64)i, g->m - 1) * g->a.row + (k + s) * g->a.col);
        few_add(rows, steps, x, b + k * g->b.row, g->b.row, sums, pitch, cols);
    }
    for (; k < g->k; k++) {
        for (int i = 0; i < rows; i++)
            x[i] = OB_LOAD(a, min((ob_i64)i, g->m - 1) * g->a.row + k * g->a.col);
        few_add(rows, 1, x, b + k * g->b.row, g->b.row, sums, pitch, cols);
    }
}

/* b.col is 1. Work-item (x, 0, z): columns from x * n_item of batch z; n_item is at most
 * OB_FEW_SUMS for m 1, OB_FEW_SUMS / 4 for m to 4, OB_FEW_SUMS / 8 above. */
OB_KERNEL(matmul_few)(global OB_S *out, global const OB_S *self, global const OB_S *a,
                      global const OB_S *b, const ob_gemm g)
{
    const ob_i64 z = get_global_id(2), n0 = get_global_id(0) * g.n_item;
    const int cols = (int)min(g.n_item, g.n - n0);
    if (cols <= 0) return;
    a += g.a.offset + z * g.a.batch;
    b += g.b.offset + z * g.b.batch + n0;
    out += g.out.offset + z * g.out.batch + n0 * g.out.col;
    self += g.self.offset + z * g.self.batch + n0 * g.self.col;

    OB_T sums[OB_FEW_SUMS];
    const int pitch = (int)g.n_item;
    if (g.m == 1)
        few_span(1, 8, a, b, &g, sums, pitch, cols);
    else if (g.m <= 4)
        few_span(4, 4, a, b, &g, sums, pitch, cols);
    else
        few_span(8, 4, a, b, &g, sums, pitch, cols);
    for (int i = 0; i < g.m; i++)
        for (int j = 0; j < cols; j++)
            few_store(out, self, &g, i, j, sums[i * pitch + j]);
}

static OB_T lane_sum(OB_VEC v)
{
    OB_T t[OB_VW];
    *(loose_vec *)t = v;
    for (int n = OB_VW / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            t[i] += t[i + n];
    return t[0];
}

/* sums[i][j] += a[i] . b[j] over kc elements, for `rows` rows of a (a literal at each call) and
 * four rows of b. a_at and b_at: offsets of those rows. */
static void few_dots(const int rows, global const OB_S *a, const ob_i64 *a_at, global const OB_S *b,
                     const ob_i64 *b_at, ob_i64 kc, OB_T *sums)
{
    OB_VEC c[4][4];
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            c[i][j] = (OB_VEC)(0);
    ob_i64 k = 0;
    for (; k + OB_VW <= kc; k += OB_VW) {
        OB_VEC bv[4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            bv[j] = OB_LOADV(b, b_at[j] + k);
#pragma unroll
        for (int i = 0; i < rows; i++) {
            const OB_VEC av = OB_LOADV(a, a_at[i] + k);
#pragma unroll
            for (int j = 0; j < 4; j++)
                c[i][j] += av * bv[j];
        }
    }
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            OB_T rest = lane_sum(c[i][j]);
            for (ob_i64 s = k; s < kc; s++)
                rest += OB_LOAD(a, a_at[i] + s) * OB_LOAD(b, b_at[j] + s);
            sums[i * 4 + j] += rest;
        }
}

/* b.row and a.col are 1. Work-item (x, 0, z): columns from x * n_item of batch z, four at a time.
 * Rows past the end repeat the last one and are not stored. */
OB_KERNEL(matmul_few_t)(global OB_S *out, global const OB_S *self,
                        global const OB_S *a, global const OB_S *b, const ob_gemm g)
{
    const ob_i64 z = get_global_id(2), n0 = get_global_id(0) * g.n_item;
    const ob_i64 n1 = min(n0 + g.n_item, g.n);
    a += g.a.offset + z * g.a.batch;
    b += g.b.offset + z * g.b.batch;
    out += g.out.offset + z * g.out.batch;
    self += g.self.offset + z * g.self.batch;

    for (ob_i64 n = n0; n < n1; n += 4) {
        OB_T sums[OB_FEW_ROWS * 4];
        for (int i = 0; i < OB_FEW_ROWS * 4; i++)
            sums[i] = (OB_T)0;
        const ob_i64 block = g.m > 4 ? OB_FEW_K : g.k;
        for (ob_i64 k0 = 0; k0 < g.k; k0 += block)
            for (int i0 = 0; i0 < g.m; i0 += 4) {
                ob_i64 a_at[4], b_at[4];
                for (int i = 0; i < 4; i++) {
                    a_at[i] = min((ob_i64)(i0 + i), g.m - 1) * g.a.row + k0;
                    b_at[i] = min(n + i, n1 - 1) * g.b.col + k0;
                }
                if (g.m == 1)
                    few_dots(1, a, a_at, b, b_at, min(block, g.k - k0), sums);
                else
                    few_dots(4, a, a_at, b, b_at, min(block, g.k - k0), sums + i0 * 4);
            }
        for (int i = 0; i < g.m; i++)
            for (int j = 0; j < 4 && n + j < n1; j++)
                few_store(out, self, &g, i, n + j, sums[i * 4 + j]);
    }
}
