/* Linear maps as formulas. PyTorch: aten/src/ATen/native/Linear.cpp, LinearAlgebra.cpp. */
#include "ops/composites/look.h"

/* x: [..., K] as a matrix [M, K]; y: [M, N] back to [..., N]. */
static ob_tensor *as_matrix(ob_scope *s, ob_tensor *x)
{
    return ob_reshape(s, x,
                      OB_INTS(numel_of(x) / (extent(x, -1) ? extent(x, -1) : 1), extent(x, -1)));
}

static ob_tensor *unfolded(ob_scope *s, ob_tensor *y, const ob_tensor *x)
{
    int64_t *sizes = sizes_copy(s, x, 0);
    if (sizes && rank_of(x) > 0) sizes[rank_of(x) - 1] = extent(y, -1);
    return ob_unsafe_view(s, y, (ob_ints){ sizes, rank_of(x) });
}

/* linear(x) = x W^T + b. x: [..., I]   W: [O, I]   b: [O]   result: [..., O] */
ob_tensor *composite_linear(ob_scope *s, ob_tensor *input, ob_tensor *weight, ob_tensor *bias)
{
    const int rank = rank_of(input);
    const bool folds = rank > 2 && rank_of(weight) == 2 && extent(input, -1) > 0;
    if (folds && bias && rank_of(bias) == 1)
        return unfolded(s, ob_addmm(s, bias, as_matrix(s, input), ob_t(s, weight)), input);
    if (rank == 2 && bias && rank_of(weight) == 2) return ob_addmm(s, bias, input, ob_t(s, weight));
    ob_tensor *y = ob_matmul(s, input, ob_t(s, weight));
    return bias ? ob_add(s, y, bias) : y;
}

/* Sizes of a and b without their last `keep` dims, broadcast, then `last` sizes. */
static ob_ints batch_sizes(ob_scope *s, const ob_tensor *a, const ob_tensor *b, int64_t rows,
                           int64_t columns)
{
    const int ra = rank_of(a) - 2, rb = rank_of(b) - 2, rank = ra > rb ? ra : rb;
    int64_t *sizes = ob_scope_alloc(s, (size_t)(rank + 2) * sizeof *sizes);
    if (!sizes) return (ob_ints){ NULL, 0 };
    for (int i = 0; i < rank; i++) {
        const int ia = i - (rank - ra), ib = i - (rank - rb);
        const int64_t na = ia >= 0 ? extent(a, ia) : 1, nb = ib >= 0 ? extent(b, ib) : 1;
        if (na != nb && na != 1 && nb != 1)
            ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                     "matmul: batch extents %lld and %lld do not broadcast",
                                     (long long)na, (long long)nb));
        sizes[i] = na == 1 ? nb : na;
    }
    sizes[rank] = rows;
    sizes[rank + 1] = columns;
    return (ob_ints){ sizes, rank + 2 };
}

/* x expanded to the batch and seen as [batch, rows, columns]. */
static ob_tensor *as_batch(ob_scope *s, ob_tensor *x, ob_ints sizes)
{
    int64_t n = 1;
    for (int64_t i = 0; i + 2 < sizes.n; i++)
        n *= sizes.data[i];
    if (sizes.n < 2) return NULL;
    return ob_reshape(s, ob_expand(s, x, sizes),
                      OB_INTS(n, sizes.data[sizes.n - 2], sizes.data[sizes.n - 1]));
}

/* a: [.., M, K]   b: [.., K, N]   result: [.., M, N] */
static ob_tensor *batched(ob_scope *s, ob_tensor *a, ob_tensor *b)
{
    const int64_t m = extent(a, -2), k = extent(a, -1), n = extent(b, -1);
    const ob_ints out = batch_sizes(s, a, b, m, n);
    ob_tensor *x = as_batch(s, a, batch_sizes(s, a, b, m, k));
    ob_tensor *y = as_batch(s, b, batch_sizes(s, a, b, extent(b, -2), n));
    return ob_unsafe_view(s, ob_bmm(s, x, y), out);
}

/* matmul: dot, matrix-vector, matrix-matrix or batched, by the ranks; a vector is a row on the left
 * and a column on the right, and that dim is dropped again. */
ob_tensor *composite_matmul(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    const int ra = rank_of(self), rb = rank_of(other);
    if (!self || !other || ra == 0 || rb == 0)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE,
                       "matmul: self has rank %d and other %d, both must be 1 or more", ra, rb));
    if (ra == 1 && rb == 1) return ob_dot(s, self, other);
    if (ra == 2 && rb == 1) return ob_mv(s, self, other);
    if (ra == 2 && rb == 2) return ob_mm(s, self, other);
    if (ra == 1) return ob_squeeze_dim(s, ob_matmul(s, ob_unsqueeze(s, self, 0), other), -2);
    if (rb == 1) return ob_squeeze_dim(s, ob_matmul(s, self, ob_unsqueeze(s, other, 1)), -1);
    if (rb == 2 && extent(self, -1) > 0)
        return unfolded(s, ob_mm(s, as_matrix(s, self), other), self);
    return batched(s, self, other);
}

/* mv(A, x) = A x */
ob_tensor *composite_mv(ob_scope *s, ob_tensor *self, ob_tensor *vec)
{
    return ob_squeeze_dim(s, ob_mm(s, self, ob_unsqueeze(s, vec, 1)), 1);
}

/* dot(x, y) = sum_i x_i y_i */
ob_tensor *composite_dot(ob_scope *s, ob_tensor *self, ob_tensor *tensor)
{
    if (self && tensor &&
        (rank_of(self) != 1 || rank_of(tensor) != 1 || numel_of(self) != numel_of(tensor)))
        return ob_scope_fail(
            s,
            OB_FAIL(OB_ERR_SHAPE, "dot: %lld and %lld elements, both must be vectors of one length",
                    (long long)numel_of(self), (long long)numel_of(tensor)));
    return ob_sum(s, ob_mul(s, self, tensor), .dtype = dtype_of(self));
}

/* outer(x, y)_ij = x_i y_j */
ob_tensor *composite_outer(ob_scope *s, ob_tensor *self, ob_tensor *vec2)
{
    if (self && vec2 && (rank_of(self) != 1 || rank_of(vec2) != 1))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "outer: the vectors have %d and %d dims, should have 1",
                                        rank_of(self), rank_of(vec2)));
    return ob_mul(s, ob_unsqueeze(s, self, 1), vec2);
}

/* addr of bools: products are and, sums are or */
static ob_tensor *addr_of_bools(ob_scope *s, ob_tensor *self, ob_tensor *product, bool beta,
                                bool alpha)
{
    ob_tensor *term = alpha ? product : ob_zeros_like(s, product);
    return beta ? ob_logical_or(s, self, term) : term;
}

/* addr = beta * self + alpha * outer(vec1, vec2) */
ob_tensor *composite_addr(ob_scope *s, ob_tensor *self, ob_tensor *vec1, ob_tensor *vec2,
                          ob_scalar beta, ob_scalar alpha)
{
    ob_tensor *product = ob_outer(s, vec1, vec2);
    if (!product || !self) return NULL;
    ob_tensor *whole = ob_expand(s, self, sizes_of(product));
    if (dtype_of(self) == OB_BOOL && dtype_of(product) == OB_BOOL)
        return addr_of_bools(s, whole, product, ob_scalar_double(beta) != 0,
                             ob_scalar_double(alpha) != 0);
    product = ob_mul_scalar(s, product, alpha);
    if (ob_scalar_double(beta) == 0) return product;
    return ob_add(s, ob_mul_scalar(s, whole, beta), product);
}

/* inner(x, y) = sum over the last dims */
ob_tensor *composite_inner(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    if (rank_of(self) == 0 || rank_of(other) == 0) return ob_mul(s, self, other);
    int64_t *sizes = sizes_copy(s, self, rank_of(other));
    const int64_t n = rank_of(self) + rank_of(other) - 2;
    for (int i = 0; sizes && i + 1 < rank_of(other); i++)
        sizes[rank_of(self) - 1 + i] = extent(other, i);
    ob_tensor *product = ob_mm(s, as_matrix(s, self), ob_t(s, as_matrix(s, other)));
    return ob_reshape(s, product, (ob_ints){ sizes, n });
}

/* vecdot(x, y) = sum conj(x) y along dim */
ob_tensor *composite_linalg_vecdot(ob_scope *s, ob_tensor *x, ob_tensor *y, int64_t dim)
{
    if (x && kind_of(x) < OB_KIND_FLOAT)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "linalg_vecdot: x is %s, should be a float",
                                        ob_dtype_name(dtype_of(x))));
    return ob_sum_dim(s, ob_mul(s, ob_conj(s, x), y), OB_SOME_INTS(dim));
}
