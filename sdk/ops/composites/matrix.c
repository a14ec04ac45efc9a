/* Diagonals, triangles and products of matrices that are made of other ops. PyTorch:
 * aten/src/ATen/native/TensorShape.cpp, ReduceOps.cpp (trace), LinearAlgebra.cpp,
 * TensorFactories.cpp.
 */
#include "ops/composites/look.h"

/* The last dim becomes a diagonal of the dims dim1 and dim2 of the result. */
ob_tensor *composite_diag_embed(ob_scope *s, ob_tensor *self, int64_t offset, int64_t dim1,
                                int64_t dim2)
{
    int64_t sizes[OB_MAX_RANK + 1] = { 0 };
    const int64_t rank = rank_of(self) + 1, n = extent(self, -1) + (offset < 0 ? -offset : offset);
    const int64_t a = dim1 < 0 ? dim1 + rank : dim1, b = dim2 < 0 ? dim2 + rank : dim2;
    if (self && (rank_of(self) == 0 || rank > OB_MAX_RANK || a < 0 || b < 0 || a >= rank ||
                 b >= rank || a == b))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "diag_embed: dims %lld and %lld of a result of %lld dims; "
                                        "they must be two of them",
                                        (long long)dim1, (long long)dim2, (long long)rank));
    for (int64_t d = 0, from = 0; d < rank; d++)
        sizes[d] = d == a || d == b ? n : extent(self, from++);
    ob_tensor *made = ob_new_zeros(s, self, (ob_ints){ sizes, rank });
    (void)ob_copy_(s, ob_diagonal(s, made, offset, a, b), self);
    return made;
}

/* A vector to a matrix, or the other way. */
ob_tensor *composite_diag(ob_scope *s, ob_tensor *self, int64_t diagonal)
{
    if (rank_of(self) == 1) return ob_diag_embed(s, self, diagonal);
    if (self && rank_of(self) != 2)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "diag: self has %d dims, must have 1 or 2", rank_of(self)));
    return ob_clone(s, ob_diagonal(s, self, diagonal, 0, 1));
}

ob_tensor *composite_diagflat(ob_scope *s, ob_tensor *self, int64_t offset)
{
    return ob_diag_embed(s, ob_reshape(s, self, OB_INTS(-1)), offset);
}

ob_tensor *composite_linalg_diagonal(ob_scope *s, ob_tensor *A, int64_t offset, int64_t dim1,
                                     int64_t dim2)
{
    return ob_diagonal(s, A, offset, dim1, dim2);
}

ob_tensor *composite_trace(ob_scope *s, ob_tensor *self)
{
    if (self && rank_of(self) != 2)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "trace: self has %d dims, must have 2", rank_of(self)));
    return ob_sum(s, ob_diagonal(s, self, 0, 0, 1));
}

/* wrap: in a tall matrix the diagonal starts again after a free row. */
ob_tensor *composite_fill_diagonal_(ob_scope *s, ob_tensor *self, ob_scalar fill_value, bool wrap)
{
    int64_t step = 0, least = INT64_MAX;
    if (!self) return NULL;
    if (rank_of(self) < 2)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "fill_diagonal_: self has %d dims, must have 2 or more",
                                        rank_of(self)));
    for (int d = 0; d < rank_of(self); d++) {
        step += ob_tensor_strides(self)[d];
        least = extent(self, d) < least ? extent(self, d) : least;
        if (rank_of(self) > 2 && extent(self, d) != extent(self, 0))
            return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE, "fill_diagonal_: all dims of a tensor of "
                                                          "more than 2 must be of one size"));
    }
    const ob_opt_int from = OB_SOME_INT(ob_tensor_offset(self));
    (void)ob_fill_scalar_(s, ob_as_strided(s, self, OB_INTS(least), OB_INTS(step), from),
                          fill_value);
    const int64_t rows = extent(self, 0), columns = extent(self, 1);
    for (int64_t row = columns + 1; wrap && rank_of(self) == 2 && row < rows; row += columns + 1) {
        ob_tensor *rest = ob_narrow(s, self, 0, row, rows - row);
        (void)ob_fill_scalar_(s, ob_diagonal(s, rest, 0, 0, 1), fill_value);
    }
    return self;
}

/* Rows and columns of the elements of a triangle, [2, n] */
static ob_tensor *triangle_indices(ob_scope *s, int64_t row, int64_t col,
                                   ob_tensor *(*keep)(ob_scope *s, ob_tensor *ones, int64_t offset),
                                   int64_t offset, ob_dtype dtype, ob_device device)
{
    if (row < 0 || col < 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "tril_indices: %lld rows, %lld columns, must "
                                        "be 0 or more",
                                        (long long)row, (long long)col));
    ob_tensor *ones = ob_ones(s, OB_INTS(row, col), .device = device);
    ob_tensor *places =
        ob_contiguous(s, ob_transpose(s, ob_nonzero(s, keep(s, ones, offset)), 0, 1));
    return as_dtype(s, places, dtype == OB_DTYPE_NONE ? OB_I64 : dtype);
}

static ob_tensor *lower(ob_scope *s, ob_tensor *ones, int64_t offset)
{
    return ob_tril(s, ones, offset);
}

static ob_tensor *upper(ob_scope *s, ob_tensor *ones, int64_t offset)
{
    return ob_triu(s, ones, offset);
}

ob_tensor *composite_tril_indices(ob_scope *s, int64_t row, int64_t col, int64_t offset,
                                  ob_dtype dtype, ob_layout layout, ob_device device,
                                  ob_opt_bool pin_memory)
{
    (void)layout, (void)pin_memory;
    return triangle_indices(s, row, col, lower, offset, dtype, device);
}

ob_tensor *composite_triu_indices(ob_scope *s, int64_t row, int64_t col, int64_t offset,
                                  ob_dtype dtype, ob_layout layout, ob_device device,
                                  ob_opt_bool pin_memory)
{
    (void)layout, (void)pin_memory;
    return triangle_indices(s, row, col, upper, offset, dtype, device);
}

/* A quarter turn k times, from the first dim towards the second. */
ob_tensor *composite_rot90(ob_scope *s, ob_tensor *self, int64_t k, ob_ints dims)
{
    const int64_t turns = ((k % 4) + 4) % 4;
    if (self && (dims.n != 2 || rank_of(self) < 2 ||
                 wrapped(self, dims.data[0]) == wrapped(self, dims.data[1])))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "rot90: %lld dims of a tensor of %d; two different ones "
                                        "are needed",
                                        (long long)dims.n, rank_of(self)));
    if (turns == 0) return ob_clone(s, self, .memory_format = OB_MEMORY_FORMAT_CONTIGUOUS);
    if (turns == 2) return ob_flip(s, self, dims);
    ob_tensor *flipped = ob_flip(s, self, OB_INTS(dims.data[turns == 1 ? 1 : 0]));
    return ob_transpose(s, flipped, dims.data[0], dims.data[1]);
}

/* Every element of self times other: [.., a b] of a and b in each dim */
ob_tensor *composite_kron(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    int64_t a[2 * OB_MAX_RANK], b[2 * OB_MAX_RANK], sizes[OB_MAX_RANK];
    const int rank = rank_of(self) > rank_of(other) ? rank_of(self) : rank_of(other);
    for (int d = 0; d < rank; d++) {
        const int in_a = d - rank + rank_of(self), in_b = d - rank + rank_of(other);
        a[2 * d] = in_a >= 0 ? extent(self, in_a) : 1;
        b[2 * d + 1] = in_b >= 0 ? extent(other, in_b) : 1;
        a[2 * d + 1] = b[2 * d] = 1;
        sizes[d] = a[2 * d] * b[2 * d + 1];
    }
    ob_tensor *products = ob_mul(s, ob_reshape(s, self, (ob_ints){ a, 2 * rank }),
                                 ob_reshape(s, other, (ob_ints){ b, 2 * rank }));
    return ob_reshape(s, products, (ob_ints){ sizes, rank });
}

/* Element i of a cross b is a[i+1] b[i+2] - a[i+2] b[i+1], along a dim of 3 */
ob_tensor *composite_linalg_cross(ob_scope *s, ob_tensor *self, ob_tensor *other, int64_t dim)
{
    if (!self || !other || !has_dim(s, "linalg.cross", self, dim)) return NULL;
    if (extent(self, dim) != 3 || extent(other, dim) != 3 || rank_of(self) != rank_of(other))
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_SHAPE,
                                     "linalg.cross: dim %lld has %lld and %lld elements, must "
                                     "have 3 in inputs of as many dims (%d and %d)",
                                     (long long)dim, (long long)extent(self, dim),
                                     (long long)extent(other, dim), rank_of(self), rank_of(other)));
    ob_tensor *left = ob_mul(s, ob_roll(s, self, OB_INTS(-1), OB_INTS(dim)),
                             ob_roll(s, other, OB_INTS(-2), OB_INTS(dim)));
    ob_tensor *right = ob_mul(s, ob_roll(s, self, OB_INTS(-2), OB_INTS(dim)),
                              ob_roll(s, other, OB_INTS(-1), OB_INTS(dim)));
    return ob_sub(s, left, right);
}

/* Without a dim the first one of 3. */
ob_tensor *composite_cross(ob_scope *s, ob_tensor *self, ob_tensor *other, ob_opt_int dim)
{
    int64_t at = dim.value;
    for (at = dim.has ? at : 0; !dim.has && at < rank_of(self) && extent(self, at) != 3;)
        at++;
    if (self && !dim.has && at == rank_of(self))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE, "cross: no dim of self has 3 elements"));
    return ob_linalg_cross(s, self, other, at);
}

/* beta self + alpha sum_b (batch1[b] @ batch2[b]) */
ob_tensor *composite_addbmm(ob_scope *s, ob_tensor *self, ob_tensor *batch1, ob_tensor *batch2,
                            ob_scalar beta, ob_scalar alpha)
{
    ob_tensor *products = ob_bmm(s, batch1, batch2);
    if (!products || !self) return NULL;
    if (dtype_of(self) != dtype_of(products))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "addbmm: self is %s, the batches are %s",
                                        ob_dtype_name(dtype_of(self)),
                                        ob_dtype_name(dtype_of(products))));
    if (kind_of(self) == OB_KIND_INT) { /* factors are of the tensors' dtype */
        beta = ob_int(ob_scalar_int(beta));
        alpha = ob_int(ob_scalar_int(alpha));
    }
    ob_tensor *product =
        ob_sum_dim(s, products, OB_SOME_INTS(0), .dtype = dtype_of(products)); /* ints stay */
    ob_tensor *whole = ob_expand(s, self, sizes_of(product));
    product = ob_mul_scalar(s, product, alpha);
    if (ob_scalar_double(beta) == 0) return product;
    return ob_add(s, ob_mul_scalar(s, whole, beta), product);
}

/* The order of t's dims that has those of `over` last, or first; their kept sizes are appended. */
static void put_aside(const ob_tensor *t, ob_ints over, bool last, int64_t *order, int64_t *sizes,
                      int *rank)
{
    int kept = last ? 0 : (int)over.n;
    for (int d = 0; d < rank_of(t); d++) {
        bool contracted = false;
        for (int64_t i = 0; i < over.n; i++)
            contracted = contracted || wrapped(t, over.data[i]) == d;
        if (contracted) continue;
        order[kept++] = d;
        sizes[(*rank)++] = extent(t, d);
    }
    for (int64_t i = 0; i < over.n; i++)
        order[(last ? kept : 0) + i] = wrapped(t, over.data[i]);
}

/* Sums over pairs of dims: as one product of matrices. */
ob_tensor *composite_tensordot(ob_scope *s, ob_tensor *self, ob_tensor *other, ob_ints dims_self,
                               ob_ints dims_other)
{
    int64_t left[OB_MAX_RANK], right[OB_MAX_RANK], sizes[2 * OB_MAX_RANK], inner = 1;
    int rank = 0;
    if (!self || !other) return NULL;
    if (dims_self.n != dims_other.n)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "tensordot: %lld dims of self, %lld of other",
                                        (long long)dims_self.n, (long long)dims_other.n));
    for (int64_t i = 0; i < dims_self.n; i++) {
        const int64_t a = extent(self, dims_self.data[i]), b = extent(other, dims_other.data[i]);
        if (a != b)
            return ob_scope_fail(
                s, OB_FAIL(OB_ERR_SHAPE,
                           "tensordot: contracted dims %lld and %lld have %lld and "
                           "%lld elements",
                           (long long)dims_self.data[i], (long long)dims_other.data[i],
                           (long long)a, (long long)b));
        inner *= a;
    }
    put_aside(self, dims_self, true, left, sizes, &rank);
    put_aside(other, dims_other, false, right, sizes, &rank);
    const int64_t n = inner > 0 ? inner : 1;
    ob_tensor *a = ob_permute(s, self, (ob_ints){ left, rank_of(self) });
    ob_tensor *b = ob_permute(s, other, (ob_ints){ right, rank_of(other) });
    a = ob_reshape(s, a, OB_INTS(numel_of(self) / n, inner));
    b = ob_reshape(s, b, OB_INTS(inner, numel_of(other) / n));
    return ob_reshape(s, ob_mm(s, a, b), (ob_ints){ sizes, rank });
}
