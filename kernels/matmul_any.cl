/* Matrix multiply for every dtype, with no vectors and no packing: the one to fall back on.
 *
 * out = beta * self + alpha * (a @ b), out: [batch, m, n]; all strides are free.
 * Follows prelude.cl (OB_S, OB_T, OB_LOAD, OB_STORE, OB_IS_COMPLEX) in the program.
 * Work-item (x, y, z): rows from 4 * y, columns from 8 * x of batch z, summed in OB_T registers;
 * the tile saves loads, at the edge its spare rows and columns repeat the last one. Of ob_gemm
 * it does not read partial nor the members of the plan. Any work-group size. */

#ifndef OB_S
#define OB_S float
#endif
#ifndef OB_T
#define OB_T float
#endif
#ifndef OB_LOAD
#define OB_LOAD(p, i) ((p)[i])
#endif
#ifndef OB_STORE
#define OB_STORE(p, i, v) ((p)[i] = (v))
#endif
#ifndef OB_IS_COMPLEX
#define OB_IS_COMPLEX 0
#endif
#define OB_ANY_ROWS 4
#define OB_ANY_COLS 8

/* The product of two OB_T; complex is (re, im). */
static OB_T any_product(OB_T x, OB_T y)
{
#if OB_IS_COMPLEX
    return (OB_T)(x.s0 * y.s0 - x.s1 * y.s1, x.s0 * y.s1 + x.s1 * y.s0);
#else
    return x * y;
#endif
}

static OB_T any_scalar(const ob_number s)
{
    union {
        ob_number bits;
        OB_T value;
    } u;
    u.bits = s;
    return u.value;
}

kernel void matmul_any(global OB_S *out, global const OB_S *self, global const OB_S *a,
                       global const OB_S *b, const ob_gemm g)
{
    const ob_i64 z = get_global_id(2);
    const ob_i64 m0 = get_global_id(1) * OB_ANY_ROWS, n0 = get_global_id(0) * OB_ANY_COLS;
    if (m0 >= g.m || n0 >= g.n) return;
    a += g.a.offset + z * g.a.batch;
    b += g.b.offset + z * g.b.batch;
    out += g.out.offset + z * g.out.batch;
    self += g.self.offset + z * g.self.batch;

    ob_i64 a_at[OB_ANY_ROWS], b_at[OB_ANY_COLS];
    OB_T c[OB_ANY_ROWS][OB_ANY_COLS];
#pragma unroll
    for (int i = 0; i < OB_ANY_ROWS; i++) {
        a_at[i] = min(m0 + i, g.m - 1) * g.a.row;
#pragma unroll
        for (int j = 0; j < OB_ANY_COLS; j++)
            c[i][j] = (OB_T)(0);
    }
#pragma unroll
    for (int j = 0; j < OB_ANY_COLS; j++)
        b_at[j] = min(n0 + j, g.n - 1) * g.b.col;

    for (ob_i64 k = 0; k < g.k; k++) {
        OB_T bv[OB_ANY_COLS];
#pragma unroll
        for (int j = 0; j < OB_ANY_COLS; j++)
            bv[j] = OB_LOAD(b, k * g.b.row + b_at[j]);
#pragma unroll
        for (int i = 0; i < OB_ANY_ROWS; i++) {
            const OB_T av = OB_LOAD(a, a_at[i] + k * g.a.col);
#pragma unroll
            for (int j = 0; j < OB_ANY_COLS; j++)
                c[i][j] += any_product(av, bv[j]);
        }
    }

    const OB_T alpha = any_scalar(g.alpha), beta = any_scalar(g.beta);
    const int rows = (int)min((ob_i64)OB_ANY_ROWS, g.m - m0);
    const int cols = (int)min((ob_i64)OB_ANY_COLS, g.n - n0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            OB_T x = any_product(alpha, c[i][j]);
            const ob_i64 at = (m0 + i) * g.self.row + (n0 + j) * g.self.col;
            if (g.has_self) x += any_product(beta, OB_LOAD(self, at));
            OB_STORE(out, (m0 + i) * g.out.row + (n0 + j) * g.out.col, x);
        }
}
