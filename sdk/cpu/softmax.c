/* Softmax, its logarithm, and their backwards, in double, one line along `dim` at a time. */
#include <math.h>

#include "cpu/walk/dense.h"
#include "dispatch/table/optable.h"
#include "ob/schema.h"
#include "ops/batch.h"

/* A line of n elements, `stride` apart, of both inputs and the result. */
typedef void (*line_fn)(const double *x, const double *y, double *out, int64_t n, int64_t stride);

static double largest(const double *x, int64_t n, int64_t stride)
{
    double max = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (x[i * stride] > max || isnan(x[i * stride])) max = x[i * stride]; /* NaN stays NaN */
    return max;
}

/* sum_i exp(x_i - max) */
static double sum_of_exp(const double *x, int64_t n, int64_t stride, double max)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i * stride] - max);
    return sum;
}

/* softmax(x)_i = exp(x_i - max) / sum_j exp(x_j - max) */
static void softmax_line(const double *x, const double *unused, double *out, int64_t n,
                         int64_t stride)
{
    (void)unused;
    const double max = largest(x, n, stride), sum = sum_of_exp(x, n, stride, max);
    for (int64_t i = 0; i < n; i++)
        out[i * stride] = exp(x[i * stride] - max) / sum;
}

/* log_softmax(x)_i = x_i - max - log(sum_j exp(x_j - max)) */
static void log_softmax_line(const double *x, const double *unused, double *out, int64_t n,
                             int64_t stride)
{
    (void)unused;
    const double max = largest(x, n, stride), log_sum = log(sum_of_exp(x, n, stride, max));
    for (int64_t i = 0; i < n; i++)
        out[i * stride] = x[i * stride] - max - log_sum;
}

/* y (g - sum_j g_j y_j), y = softmax(x) */
static void softmax_backward_line(const double *g, const double *y, double *out, int64_t n,
                                  int64_t stride)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += g[i * stride] * y[i * stride];
    for (int64_t i = 0; i < n; i++)
        out[i * stride] = y[i * stride] * (g[i * stride] - sum);
}

/* g - exp(y) sum_j g_j, y = log_softmax(x) */
static void log_softmax_backward_line(const double *g, const double *y, double *out, int64_t n,
                                      int64_t stride)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += g[i * stride];
    for (int64_t i = 0; i < n; i++)
        out[i * stride] = g[i * stride] - exp(y[i * stride]) * sum;
}

/* All lines along `dim` of dense x and y (NULL: none) with out's sizes. */
static void all_lines(const ob_tensor *out, int64_t dim, line_fn line, const double *x,
                      const double *y, double *result)
{
    const int64_t n = ob_tensor_size(out, dim);
    int64_t inner = 1;
    const int rank = ob_tensor_rank(out);
    for (int64_t d = (dim < 0 ? dim + rank : dim) + 1; d < rank; d++)
        inner *= ob_tensor_sizes(out)[d];
    for (int64_t at = 0; at < ob_tensor_numel(out); at += n * inner)
        for (int64_t i = at; i < at + inner; i++)
            line(x + i, y ? y + i : NULL, result + i, n, inner);
}

static ob_status run(ob_frame *frame, const ob_tensor *second, int64_t dim, line_fn line)
{
    ob_tensor *out = frame->results[0].u.tensor;
    double *x = NULL, *y = NULL, *result = NULL;
    if (ob_dtype_kind(ob_tensor_dtype(out)) != OB_KIND_FLOAT)
        return OB_FAIL(OB_ERR_DTYPE, "softmax: %s has no softmax; convert it to a float dtype",
                       ob_dtype_name(ob_tensor_dtype(out)));
    ob_status st = ob_dense_read(frame->args[0].u.tensor, &x);
    if (st == OB_OK && second) st = ob_dense_read(second, &y);
    if (st == OB_OK) st = ob_dense_zeros(ob_tensor_numel(out), &result);
    if (st == OB_OK) {
        all_lines(out, dim, line, x, y, result);
        ob_dense_write(out, result);
    }
    ob_free(x);
    ob_free(y);
    ob_free(result);
    return st;
}

static ob_status softmax(ob_frame *frame)
{
    return run(frame, NULL, frame->args[1].u.i, softmax_line);
}

static ob_status log_softmax(ob_frame *frame)
{
    return run(frame, NULL, frame->args[1].u.i, log_softmax_line);
}

static ob_status softmax_backward(ob_frame *frame)
{
    return run(frame, frame->args[1].u.tensor, frame->args[2].u.i, softmax_backward_line);
}

static ob_status log_softmax_backward(ob_frame *frame)
{
    return run(frame, frame->args[1].u.tensor, frame->args[2].u.i, log_softmax_backward_line);
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "_softmax.out", softmax, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_log_softmax.out", log_softmax, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_softmax_backward_data.out", softmax_backward, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_log_softmax_backward_data.out", log_softmax_backward, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
