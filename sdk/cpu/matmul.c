/* Matrix products on the CPU: out = beta self + alpha a b, for a batch of matrices. A vector is a
 * matrix of one row or column.
 *
 * float32, float64 and complex64 go to CBLAS, which takes any matrix whose rows or columns are
 * dense; others are copied. Every other dtype is computed here in int64 (which wraps) or in double.
 * beta == 0 ignores self, NaN included. */
#include <limits.h>

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "core/tensor/shape.h"
#include "cpu/blas.h"
#include "dispatch/table/optable.h"
#include "ob/schema.h"
#include "ops/batch.h"

/* A batch of matrices; strides in elements. */
typedef struct matrix {
    const ob_tensor *tensor;
    char *data;
    int64_t batch_stride, row_stride, col_stride, rows, cols;
    void *copy; /* [owned] memory behind `data` when it is not the tensor's; else NULL */
} matrix;

typedef struct product {
    ob_tensor *out;        /* row-major */
    const ob_tensor *self; /* NULL: nothing is added */
    ob_scalar beta, alpha;
    matrix a, b;
    int64_t batch, n, m, k;
} product;

/* ---- operands ---- */

/* `column`: a tensor of one dim is a column, else a row. */
static matrix matrix_of(const ob_tensor *t, bool column)
{
    const int rank = ob_tensor_rank(t);
    const int64_t *n = ob_tensor_sizes(t), *s = ob_tensor_strides(t);
    matrix x = { .tensor = t, .data = ob_tensor_data(t), .rows = 1, .cols = 1 };
    if (rank == 1 && column) {
        x.rows = n[0];
        x.row_stride = s[0];
    } else {
        x.cols = n[rank - 1];
        x.col_stride = s[rank - 1];
    }
    if (rank > 1) {
        x.rows = n[rank - 2];
        x.row_stride = s[rank - 2];
    }
    if (rank > 2) x.batch_stride = s[0];
    return x;
}

/* Make x a row-major copy in `dtype`. */
static ob_status copy_matrix(matrix *x, ob_dtype dtype)
{
    const ob_tensor *t = x->tensor;
    int64_t strides[OB_MAX_RANK];
    const size_t bytes = (size_t)ob_tensor_numel(t) * ob_dtype_bytes(dtype);
    x->copy = ob_alloc_aligned(bytes);
    if (!x->copy) return OB_FAIL(OB_ERR_OOM, "matmul: no memory for %zu bytes", bytes);
    ob_shape_dense_strides(ob_tensor_sizes(t), ob_tensor_rank(t), strides);
    const ob_span from = { x->data, ob_tensor_strides(t), ob_tensor_dtype(t) };
    ob_copy_strided((ob_span){ x->copy, strides, dtype }, from, ob_tensor_sizes(t),
                    ob_tensor_rank(t));
    x->data = x->copy;
    x->col_stride = 1;
    x->row_stride = x->cols;
    x->batch_stride = x->rows * x->cols;
    return OB_OK;
}

/* out = self, broadcast. */
static void start_with_self(const product *p)
{
    int64_t strides[OB_MAX_RANK] = { 0 };
    const int rank = ob_tensor_rank(p->out), own = ob_tensor_rank(p->self);
    for (int d = 0; d < own; d++)
        if (ob_tensor_sizes(p->self)[d] != 1)
            strides[rank - own + d] = ob_tensor_strides(p->self)[d];
    const ob_span to = { ob_tensor_data(p->out), ob_tensor_strides(p->out),
                         ob_tensor_dtype(p->out) };
    const ob_span from = { ob_tensor_data(p->self), strides, ob_tensor_dtype(p->self) };
    ob_copy_strided(to, from, ob_tensor_sizes(p->out), rank);
}

static bool is_zero(ob_scalar s)
{
    return ob_scalar_double(s) == 0 && (s.tag != OB_SCALAR_COMPLEX || s.u.c[1] == 0);
}

/* ---- CBLAS ---- */

/* How CBLAS sees a matrix: `ld` elements from one dense line to the next; 0 when it cannot. */
static int64_t blas_lines(const matrix *x, CBLAS_TRANSPOSE *transpose)
{
    const int64_t rows = x->rows, cols = x->cols;
    const int64_t by_row = rows <= 1 ? cols : x->row_stride;
    const int64_t by_col = cols <= 1 ? rows : x->col_stride;
    *transpose = CblasNoTrans;
    if ((cols <= 1 || x->col_stride == 1) && by_row >= cols) return by_row > 1 ? by_row : 1;
    *transpose = CblasTrans;
    if ((rows <= 1 || x->row_stride == 1) && by_col >= rows) return by_col > 1 ? by_col : 1;
    return 0;
}

/* Get `x` ready for CBLAS. */
static ob_status blas_operand(matrix *x, CBLAS_TRANSPOSE *transpose, int *ld)
{
    int64_t lines = blas_lines(x, transpose);
    if (lines == 0 || lines > INT_MAX) {
        OB_TRY(copy_matrix(x, ob_tensor_dtype(x->tensor)));
        lines = blas_lines(x, transpose);
    }
    if (lines > INT_MAX || x->rows > INT_MAX || x->cols > INT_MAX)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "matmul: an extent of [%lld, %lld] is over 2^31",
                       (long long)x->rows, (long long)x->cols);
    *ld = (int)lines;
    return OB_OK;
}

static ob_complex64 to_complex(ob_scalar s)
{
    const double im = s.tag == OB_SCALAR_COMPLEX ? s.u.c[1] : 0;
    return (ob_complex64){ (float)ob_scalar_double(s), (float)im };
}

static ob_status by_blas(product *p)
{
    const ob_dtype dtype = ob_tensor_dtype(p->out);
    const int64_t width = (int64_t)ob_dtype_bytes(dtype);
    const bool adds = p->self && !is_zero(p->beta);
    const ob_scalar beta = adds ? p->beta : ob_int(0);
    const ob_complex64 ca = to_complex(p->alpha), cb = to_complex(beta);
    CBLAS_TRANSPOSE ta, tb;
    int lda = 0, ldb = 0;
    const ob_blas *blas = NULL;
    OB_TRY(ob_blas_get(&blas));
    OB_TRY(blas_operand(&p->a, &ta, &lda));
    OB_TRY(blas_operand(&p->b, &tb, &ldb));
    if (adds) start_with_self(p);
    const int n = (int)p->n, m = (int)p->m, k = (int)p->k, ldc = m > 1 ? m : 1;
    for (int64_t i = 0; i < p->batch; i++) {
        const void *a = p->a.data + i * p->a.batch_stride * width;
        const void *b = p->b.data + i * p->b.batch_stride * width;
        void *c = (char *)ob_tensor_data(p->out) + i * p->n * p->m * width;
        if (dtype == OB_F32)
            blas->sgemm(CblasRowMajor, ta, tb, n, m, k, (float)ob_scalar_double(p->alpha), a, lda,
                        b, ldb, (float)ob_scalar_double(beta), c, ldc);
        else if (dtype == OB_F64)
            blas->dgemm(CblasRowMajor, ta, tb, n, m, k, ob_scalar_double(p->alpha), a, lda, b, ldb,
                        ob_scalar_double(beta), c, ldc);
        else
            blas->cgemm(CblasRowMajor, ta, tb, n, m, k, &ca, a, lda, b, ldb, &cb, c, ldc);
    }
    return OB_OK;
}

/* ---- every other dtype ---- */

/* c[n, m] = alpha a b + beta c, in unsigned arithmetic: wraps as PyTorch's ints do. */
static void multiply_ints(const product *p, const uint64_t *a, const uint64_t *b, uint64_t *c)
{
    const uint64_t alpha = (uint64_t)ob_scalar_int(p->alpha);
    const uint64_t beta = p->self ? (uint64_t)ob_scalar_int(p->beta) : 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->m; j++) {
            uint64_t sum = 0;
            for (int64_t l = 0; l < p->k; l++)
                sum += a[i * p->k + l] * b[l * p->m + j];
            c[i * p->m + j] = alpha * sum + beta * c[i * p->m + j];
        }
}

/* The same in double; c is 0 where it is not added. */
static void multiply_doubles(const product *p, const double *a, const double *b, double *c)
{
    const double alpha = ob_scalar_double(p->alpha);
    const double beta = p->self ? ob_scalar_double(p->beta) : 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->m; j++) {
            double sum = 0;
            for (int64_t l = 0; l < p->k; l++)
                sum += a[i * p->k + l] * b[l * p->m + j];
            c[i * p->m + j] = alpha * sum + beta * c[i * p->m + j];
        }
}

static ob_status by_hand(product *p)
{
    const bool ints = ob_dtype_kind(ob_tensor_dtype(p->out)) == OB_KIND_INT;
    const ob_dtype wide = ints ? OB_I64 : OB_F64;
    matrix c = { .tensor = p->out, .data = ob_tensor_data(p->out), .rows = p->n, .cols = p->m };
    OB_TRY(copy_matrix(&p->a, wide));
    OB_TRY(copy_matrix(&p->b, wide));
    if (p->self && !is_zero(p->beta))
        start_with_self(p);
    else /* what was in memory must not be read as numbers */
        ob_fill_strided((ob_span){ c.data, ob_tensor_strides(p->out), ob_tensor_dtype(p->out) },
                        ob_tensor_sizes(p->out), ob_tensor_rank(p->out), ob_int(0));
    OB_TRY(copy_matrix(&c, wide));
    for (int64_t i = 0; i < p->batch; i++) {
        char *at = c.data + i * p->n * p->m * 8;
        const char *a = p->a.data + i * p->n * p->k * 8, *b = p->b.data + i * p->k * p->m * 8;
        if (ints)
            multiply_ints(p, (const void *)a, (const void *)b, (void *)at);
        else
            multiply_doubles(p, (const void *)a, (const void *)b, (void *)at);
    }
    const int64_t *strides = ob_tensor_strides(p->out); /* row-major, as the copy is */
    ob_copy_strided((ob_span){ ob_tensor_data(p->out), strides, ob_tensor_dtype(p->out) },
                    (ob_span){ c.copy, strides, wide }, ob_tensor_sizes(p->out),
                    ob_tensor_rank(p->out));
    ob_free(c.copy);
    return OB_OK;
}

/* ---- kernels ---- */

static ob_status run(product *p, const ob_tensor *a, const ob_tensor *b)
{
    const ob_dtype dtype = ob_tensor_dtype(p->out);
    const bool blas = dtype == OB_F32 || dtype == OB_F64 || dtype == OB_C64;
    if (dtype == OB_BOOL || dtype == OB_F8E4M3)
        return OB_FAIL(OB_ERR_DTYPE, "matmul: %s has no products; convert it first",
                       ob_dtype_name(dtype));
    if (ob_tensor_numel(p->out) == 0) return OB_OK;
    p->a = matrix_of(a, false);
    p->b = matrix_of(b, true);
    p->batch = ob_tensor_rank(a) > 2 ? ob_tensor_size(a, 0) : 1;
    p->n = p->a.rows;
    p->k = p->a.cols;
    p->m = p->b.cols;
    const ob_status st = blas ? by_blas(p) : by_hand(p);
    ob_free(p->a.copy);
    ob_free(p->b.copy);
    return st;
}

/* mm, bmm, mv, dot: (self, other) */
static ob_status plain(ob_frame *frame)
{
    product p = { .out = frame->results[0].u.tensor, .alpha = ob_int(1), .beta = ob_int(0) };
    return run(&p, frame->args[0].u.tensor, frame->args[1].u.tensor);
}

/* addmm, baddbmm, addmv: (self, a, b, beta, alpha) */
static ob_status added(ob_frame *frame)
{
    product p = { .out = frame->results[0].u.tensor,
                  .self = frame->args[0].u.tensor,
                  .beta = ob_value_as_scalar(&frame->args[3]),
                  .alpha = ob_value_as_scalar(&frame->args[4]) };
    return run(&p, frame->args[1].u.tensor, frame->args[2].u.tensor);
}

static ob_status install(void)
{
    static const ob_kernel_row rows[] = {
        { "mm.out", { .fn = plain, .flags = OB_KERNEL_DENSE_OUTS } },
        { "bmm.out", { .fn = plain, .flags = OB_KERNEL_DENSE_OUTS } },
        { "mv", { .fn = plain, .flags = OB_KERNEL_DENSE_OUTS } },
        { "dot", { .fn = plain, .flags = OB_KERNEL_DENSE_OUTS } },
        { "addmm.out", { .fn = added, .flags = OB_KERNEL_DENSE_OUTS } },
        { "baddbmm.out", { .fn = added, .flags = OB_KERNEL_DENSE_OUTS } },
        { "addmv.out", { .fn = added, .flags = OB_KERNEL_DENSE_OUTS } },
    };
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        ob_batch_add(OB_KEY_CPU, rows[i].op, &rows[i].kernel);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
