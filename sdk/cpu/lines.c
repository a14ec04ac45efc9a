/* Ops along one dim on the CPU, a line at a time: cumsum, cumprod, sort, topk; and nonzero.
 * PyTorch: aten/src/ATen/native/cpu/SortingKernel.cpp, ReduceOpsKernel.cpp,
 * TensorAdvancedIndexing.cpp. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "cpu/walk/arithmetic.h"
#include "cpu/walk/cursor.h"
#include "dispatch/table/optable.h"
#include "ob/schema.h"
#include "ops/batch.h"

static int wrapped(int64_t dim, int rank)
{
    return (int)(dim < 0 ? dim + (rank ? rank : 1) : dim);
}

/* A cursor over the lines of `self` along dim: the dim counts as 1. */
static void lines_begin(ob_cursor *c, const ob_tensor *self, int dim)
{
    int64_t sizes[OB_MAX_RANK];
    const int rank = ob_tensor_rank(self);
    memcpy(sizes, ob_tensor_sizes(self), (size_t)rank * sizeof(int64_t));
    if (rank) sizes[dim] = sizes[dim] > 0 ? 1 : 0;
    ob_cursor_begin(c, sizes, rank);
}

static int64_t extent_of(const ob_tensor *t, int dim)
{
    return ob_tensor_rank(t) ? ob_tensor_sizes(t)[dim] : 1;
}

static int64_t stride_of(const ob_tensor *t, int dim)
{
    return ob_tensor_rank(t) ? ob_tensor_strides(t)[dim] : 0;
}

/* Running value of a scan, in the widest type of its kind. */
typedef struct running {
    double real;
    uint64_t whole;
    ob_complex64 complex;
} running;

static void scan_step(running *r, bool product, ob_dtype dtype, const void *in, void *out)
{
    if (dtype == OB_C64) {
        ob_accumulate(product ? OB_ACCUMULATE_PROD : OB_ACCUMULATE_SUM, dtype, &r->complex, in);
        memcpy(out, &r->complex, sizeof r->complex);
    } else if (ob_dtype_kind(dtype) == OB_KIND_FLOAT) {
        double v = 0;
        ob_convert_element(&v, OB_F64, in, dtype);
        r->real = product ? r->real * v : r->real + v;
        ob_convert_element(out, dtype, &r->real, OB_F64);
    } else {
        int64_t v = 0;
        ob_convert_element(&v, OB_I64, in, dtype);
        r->whole = product ? r->whole * (uint64_t)v : r->whole + (uint64_t)v;
        v = (int64_t)r->whole;
        ob_convert_element(out, dtype, &v, OB_I64);
    }
}

/* cumsum(self, dim, dtype), cumprod: `user` is NULL for the first */
static ob_status scan(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const int dim = wrapped(frame->args[1].u.i, ob_tensor_rank(self));
    const bool product = frame->user != NULL;
    ob_cursor c;
    lines_begin(&c, self, dim);
    const int from = ob_cursor_add(&c, ob_tensor_strides(self));
    const int to = ob_cursor_add(&c, ob_tensor_strides(out));
    for (; !c.done; ob_cursor_next(&c)) {
        running r = { product ? 1 : 0, product ? 1 : 0, { product ? 1.0F : 0.0F, 0 } };
        for (int64_t i = 0; i < extent_of(self, dim); i++)
            scan_step(&r, product, ob_tensor_dtype(out),
                      ob_element(self, c.at[from] + i * stride_of(self, dim)),
                      ob_element(out, c.at[to] + i * stride_of(out, dim)));
    }
    return OB_OK;
}

/* An element of a line: floats in `real`, the others in `whole`. */
typedef struct sortable {
    double real;
    int64_t whole, index;
} sortable;

/* NaN is the greatest; equal ones keep their order. */
static int compare_up(const void *a, const void *b)
{
    const sortable *x = a, *y = b;
    if (isnan(x->real) != isnan(y->real)) return isnan(x->real) ? 1 : -1;
    if (x->real < y->real || x->real > y->real) return x->real < y->real ? -1 : 1;
    if (x->whole != y->whole) return x->whole < y->whole ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_down(const void *a, const void *b)
{
    const sortable *x = a, *y = b;
    if (isnan(x->real) != isnan(y->real)) return isnan(x->real) ? -1 : 1;
    if (x->real < y->real || x->real > y->real) return x->real < y->real ? 1 : -1;
    if (x->whole != y->whole) return x->whole < y->whole ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void read_line(const ob_tensor *self, int64_t at, int dim, sortable *line)
{
    const ob_dtype dtype = ob_tensor_dtype(self);
    const bool is_float = ob_dtype_kind(dtype) == OB_KIND_FLOAT;
    for (int64_t i = 0; i < extent_of(self, dim); i++) {
        const void *element = ob_element(self, at + i * stride_of(self, dim));
        line[i] = (sortable){ .index = i };
        if (is_float)
            ob_convert_element(&line[i].real, OB_F64, element, dtype);
        else
            ob_convert_element(&line[i].whole, OB_I64, element, dtype);
    }
}

/* Sort each line along dim and store as many values and indices as the results have. */
static ob_status sort_lines(ob_frame *frame, int dim, bool descending)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    const ob_tensor *values = frame->results[0].u.tensor, *indices = frame->results[1].u.tensor;
    const int64_t n = extent_of(self, dim), k = extent_of(values, dim);
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(self));
    sortable *line = ob_alloc(n > 0 ? (size_t)n : 1, sizeof *line);
    if (!line) return OB_FAIL(OB_ERR_OOM, "sort: no memory for %lld elements", (long long)n);
    ob_cursor c;
    lines_begin(&c, self, dim);
    const int from = ob_cursor_add(&c, ob_tensor_strides(self));
    const int to = ob_cursor_add(&c, ob_tensor_strides(values));
    const int by = ob_cursor_add(&c, ob_tensor_strides(indices));
    for (; !c.done; ob_cursor_next(&c)) {
        read_line(self, c.at[from], dim, line);
        qsort(line, (size_t)n, sizeof *line, descending ? compare_down : compare_up);
        for (int64_t i = 0; i < k; i++) {
            memcpy(ob_element(values, c.at[to] + i * stride_of(values, dim)),
                   ob_element(self, c.at[from] + line[i].index * stride_of(self, dim)), width);
            memcpy(ob_element(indices, c.at[by] + i * stride_of(indices, dim)), &line[i].index,
                   sizeof line[i].index);
        }
    }
    ob_free(line);
    return OB_OK;
}

/* sort.stable(self, stable, dim, descending) */
static ob_status sort(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    const int dim = wrapped(frame->args[2].u.i, ob_tensor_rank(self));
    return sort_lines(frame, dim, frame->args[3].u.b);
}

/* topk(self, k, dim, largest, sorted) */
static ob_status topk(ob_frame *frame)
{
    const int dim = wrapped(frame->args[2].u.i, ob_tensor_rank(frame->args[0].u.tensor));
    return sort_lines(frame, dim, frame->args[3].u.b);
}

static bool is_zero(const ob_tensor *t, int64_t offset)
{
    uint8_t on = 0;
    ob_convert_element(&on, OB_BOOL, ob_element(t, offset), ob_tensor_dtype(t));
    return on == 0;
}

/* nonzero(self): makes its own output, whose size depends on the values */
static ob_status nonzero(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    const int rank = ob_tensor_rank(self);
    ob_tensor *out = NULL;
    int64_t n = 0;
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(self), rank);
    for ((void)ob_cursor_add(&c, ob_tensor_strides(self)); !c.done; ob_cursor_next(&c))
        n += !is_zero(self, c.at[0]);
    OB_TRY(ob_tensor_create((ob_ints){ (int64_t[]){ n, rank }, 2 }, OB_I64, OB_DEVICE_CPU, &out));
    frame->results[0] = ob_value_tensor(out);
    int64_t *to = ob_tensor_data(out);
    ob_cursor_begin(&c, ob_tensor_sizes(self), rank);
    for ((void)ob_cursor_add(&c, ob_tensor_strides(self)); !c.done; ob_cursor_next(&c)) {
        if (is_zero(self, c.at[0])) continue;
        for (int d = 0; d < rank; d++)
            *to++ = c.index[d];
    }
    return OB_OK;
}

static ob_status install(void)
{
    static char product; /* address: `user` of cumprod */
    ob_batch_add_fn(OB_KEY_CPU, "cumsum.out", scan, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "cumprod.out", scan, &product);
    ob_batch_add_fn(OB_KEY_CPU, "sort.values_stable", sort, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "topk.values", topk, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "nonzero", nonzero, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
