/* mm, bmm, addmm, baddbmm, addmv, dot: tensors as batches of matrices for gemm.c. PyTorch:
 * native/LinearAlgebra.cpp. */
#include "device/native.h"
#include "device/ops/element.h"
#include "device/ops/matrix/gemm.h"

static bool is_zero(ob_scalar s)
{
    if (s.tag == OB_SCALAR_COMPLEX) return s.u.c[0] == 0 && s.u.c[1] == 0;
    return ob_scalar_double(s) == 0;
}

/* Stride of dim `d` from the end when `t` is broadcast to `extent`; a dim of one element may have
 * any stride, 1 is the one that kernels like. */
static int64_t stride_from_end(const ob_tensor *t, int d, int64_t extent)
{
    const int at = ob_tensor_rank(t) - 1 - d;
    if (at < 0) return 0;
    const int64_t size = ob_tensor_sizes(t)[at];
    if (size == 1) return extent == 1 && d == 0 ? 1 : 0;
    return ob_tensor_strides(t)[at];
}

/* A tensor [batch, rows, cols] or one that broadcasts to it. */
static ob_matrix matrix_of(const ob_tensor *t, int64_t batch, int64_t rows, int64_t cols)
{
    return (ob_matrix){ ob_tensor_offset(t), stride_from_end(t, 1, rows),
                        stride_from_end(t, 0, cols), stride_from_end(t, 2, batch) };
}

/* A product of the last two dims; `self` may be NULL. */
static ob_status product(ob_tensor *out, ob_tensor *self, ob_tensor *a, ob_tensor *b,
                         ob_scalar beta, ob_scalar alpha)
{
    const ob_dtype dtype = ob_tensor_dtype(out);
    ob_cl_gemm call = { .dtype = dtype,
                        .out = ob_tensor_buffer(out),
                        .a = ob_tensor_buffer(a),
                        .b = ob_tensor_buffer(b),
                        .batch = ob_tensor_size(out, -3) };
    ob_gemm *g = &call.g;
    if (ob_tensor_rank(out) < 3) call.batch = 1;
    g->m = ob_tensor_size(a, -2);
    g->k = ob_tensor_size(a, -1);
    g->n = ob_tensor_size(b, -1);
    g->out = matrix_of(out, call.batch, g->m, g->n);
    g->a = matrix_of(a, call.batch, g->m, g->k);
    g->b = matrix_of(b, call.batch, g->k, g->n);
    g->self = g->out;
    g->alpha = ob_cl_number(alpha, dtype);
    g->beta = ob_cl_number(beta, dtype);
    if (self && !is_zero(beta)) {
        call.self = ob_tensor_buffer(self);
        g->self = matrix_of(self, call.batch, g->m, g->n);
        g->has_self = 1;
    }
    return ob_cl_gemm_run(&call);
}

/* mm(self, mat2), bmm(self, mat2) */
ob_status ob_cl_op_mm(ob_frame *frame)
{
    const ob_value *v = frame->args;
    return product(frame->results[0].u.tensor, NULL, v[0].u.tensor, v[1].u.tensor, ob_int(0),
                   ob_int(1));
}

/* addmm(self, mat1, mat2, beta, alpha), baddbmm(self, batch1, batch2, beta, alpha) */
ob_status ob_cl_op_addmm(ob_frame *frame)
{
    const ob_value *v = frame->args;
    return product(frame->results[0].u.tensor, v[0].u.tensor, v[1].u.tensor, v[2].u.tensor,
                   ob_value_as_scalar(&v[3]), ob_value_as_scalar(&v[4]));
}

/* Element i of a vector, as a column. */
static ob_matrix column_of(const ob_tensor *t)
{
    return (ob_matrix){ ob_tensor_offset(t), ob_tensor_rank(t) ? ob_tensor_strides(t)[0] : 0, 1,
                        0 };
}

/* addmv(self, mat, vec, beta, alpha) */
ob_status ob_cl_op_addmv(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor, *self = frame->args[0].u.tensor;
    ob_tensor *mat = frame->args[1].u.tensor, *vec = frame->args[2].u.tensor;
    const ob_scalar beta = ob_value_as_scalar(&frame->args[3]);
    const ob_dtype dtype = ob_tensor_dtype(out);
    ob_cl_gemm call = { .dtype = dtype,
                        .out = ob_tensor_buffer(out),
                        .a = ob_tensor_buffer(mat),
                        .b = ob_tensor_buffer(vec),
                        .batch = 1 };
    ob_gemm *g = &call.g;
    g->m = ob_tensor_size(mat, 0);
    g->k = ob_tensor_size(mat, 1);
    g->n = 1;
    g->out = g->self = column_of(out);
    g->a = matrix_of(mat, 1, g->m, g->k);
    g->b = column_of(vec);
    g->alpha = ob_cl_number(ob_value_as_scalar(&frame->args[4]), dtype);
    g->beta = ob_cl_number(beta, dtype);
    if (!is_zero(beta)) {
        call.self = ob_tensor_buffer(self);
        g->self = column_of(self);
        if (ob_tensor_numel(self) == 1) g->self.row = 0;
        g->has_self = 1;
    }
    return ob_cl_gemm_run(&call);
}

/* dot(self, tensor) */
ob_status ob_cl_op_dot(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    const ob_tensor *a = frame->args[0].u.tensor, *b = frame->args[1].u.tensor;
    ob_cl_gemm call = { .dtype = ob_tensor_dtype(out),
                        .out = ob_tensor_buffer(out),
                        .a = ob_tensor_buffer(a),
                        .b = ob_tensor_buffer(b),
                        .batch = 1 };
    ob_gemm *g = &call.g;
    g->m = g->n = 1;
    g->k = ob_tensor_numel(a);
    g->out = g->self = (ob_matrix){ ob_tensor_offset(out), 1, 1, 0 };
    g->a = (ob_matrix){ ob_tensor_offset(a), 0, ob_tensor_strides(a)[0], 0 };
    g->b = column_of(b);
    g->alpha = ob_cl_number(ob_int(1), call.dtype);
    return ob_cl_gemm_run(&call);
}
