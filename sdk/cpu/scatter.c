/* Placing elements by indices on the CPU: scatter.*, scatter_add, scatter_reduce,
 * index_add, index_copy. PyTorch:
 * aten/src/ATen/native/cpu/ScatterGatherKernel.cpp. */
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "cpu/walk/arithmetic.h"
#include "cpu/walk/cursor.h"
#include "dispatch/table/optable.h"
#include "ob/schema.h"
#include "ops/batch.h"

/* One scatter: out[.., index, ..] (how)= src[..]. */
typedef struct scatter {
    const char *op;
    const ob_tensor *out, *index, *src; /* src NULL: `value` */
    unsigned char value[16];
    int dim;
    bool assign; /* no accumulation */
    ob_accumulation how;
} scatter;

/* What is done at each place. */
typedef void (*visit_fn)(const scatter *s, int64_t to, const void *value, void *user);

static ob_status visit(const scatter *s, visit_fn each, void *user)
{
    int64_t strides[OB_MAX_RANK] = { 0 };
    const int rank = ob_tensor_rank(s->index), out_rank = ob_tensor_rank(s->out);
    for (int d = 0; d < rank && d < out_rank; d++)
        strides[d] = d == s->dim ? 0 : ob_tensor_strides(s->out)[d];
    const int64_t extent = out_rank ? ob_tensor_sizes(s->out)[s->dim] : 1;
    const int64_t step = out_rank ? ob_tensor_strides(s->out)[s->dim] : 0;
    OB_TRY(ob_index_check(s->op, s->index, extent, s->dim));
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(s->index), rank);
    const int to = ob_cursor_add(&c, strides), by = ob_cursor_add_broadcast(&c, s->index);
    const int from = s->src && ob_tensor_rank(s->src) == rank
                         ? ob_cursor_add(&c, ob_tensor_strides(s->src))
                         : -1;
    for (; !c.done; ob_cursor_next(&c)) {
        const int64_t i = ob_element_index(s->index, c.at[by]);
        const void *value = s->src ? ob_element(s->src, from < 0 ? 0 : c.at[from]) : s->value;
        each(s, c.at[to] + i * step, value, user);
    }
    return OB_OK;
}

static void place(const scatter *s, int64_t to, const void *value, void *user)
{
    const ob_dtype dtype = ob_tensor_dtype(s->out);
    (void)user;
    if (s->assign)
        memcpy(ob_element(s->out, to), value, ob_dtype_bytes(dtype));
    else
        ob_accumulate(s->how, dtype, ob_element(s->out, to), value);
}

static void forget(const scatter *s, int64_t to, const void *value, void *user)
{
    (void)value, (void)user;
    ob_accumulate_identity(s->how, ob_tensor_dtype(s->out), ob_element(s->out, to));
}

/* `user`: counts, one per element of out's memory from its first. */
static void count(const scatter *s, int64_t to, const void *value, void *user)
{
    (void)s, (void)value;
    ((int64_t *)user)[to]++;
}

/* Divide each element by how many values it was made of. */
static ob_status divide(const scatter *s, bool include_self)
{
    int64_t reach = 1;
    for (int d = 0; d < ob_tensor_rank(s->out); d++)
        reach += (ob_tensor_sizes(s->out)[d] - 1) * ob_tensor_strides(s->out)[d];
    int64_t *counts = ob_alloc((size_t)reach, sizeof *counts);
    if (!counts)
        return OB_FAIL(OB_ERR_OOM, "%s: no memory for %lld counts", s->op, (long long)reach);
    const ob_status st = visit(s, count, counts);
    for (int64_t i = 0; st == OB_OK && i < reach; i++)
        if (counts[i] > 0)
            ob_divide_count(ob_tensor_dtype(s->out), ob_element(s->out, i),
                            counts[i] + (include_self ? 1 : 0));
    ob_free(counts);
    return st;
}

static ob_status begin(ob_frame *frame, const char *op, scatter *s)
{
    const ob_value *args = frame->args;
    const int rank = ob_tensor_rank(args[0].u.tensor);
    *s = (scatter){ .op = op,
                    .out = frame->results[0].u.tensor,
                    .index = args[2].u.tensor,
                    .dim = (int)(args[1].u.i < 0 ? args[1].u.i + (rank ? rank : 1) : args[1].u.i) };
    if (args[3].tag == OB_VALUE_TENSOR) {
        s->src = args[3].u.tensor;
    } else {
        const ob_scalar value = ob_value_as_scalar(&args[3]);
        const int64_t one = 1;
        ob_fill_strided((ob_span){ s->value, &one, ob_tensor_dtype(s->out) }, &one, 1, value);
    }
    ob_start_from(s->out, args[0].u.tensor);
    return OB_OK;
}

/* scatter.src, scatter.value, and with a `reduce` */
static ob_status scatter_any(ob_frame *frame)
{
    scatter s;
    OB_TRY(begin(frame, "scatter", &s));
    s.assign = frame->n_args < 5;
    if (!s.assign) OB_TRY(ob_accumulation_parse(s.op, frame->args[4].u.string, &s.how));
    return visit(&s, place, NULL);
}

static ob_status scatter_add(ob_frame *frame)
{
    scatter s;
    OB_TRY(begin(frame, "scatter_add", &s));
    s.how = OB_ACCUMULATE_SUM;
    return visit(&s, place, NULL);
}

/* scatter_reduce.two(self, dim, index, src, reduce, include_self) */
static ob_status scatter_reduce(ob_frame *frame)
{
    scatter s;
    OB_TRY(begin(frame, "scatter_reduce", &s));
    OB_TRY(ob_accumulation_parse(s.op, frame->args[4].u.string, &s.how));
    const bool include_self = frame->args[5].u.b;
    if (!include_self) OB_TRY(visit(&s, forget, NULL));
    OB_TRY(visit(&s, place, NULL));
    return s.how == OB_ACCUMULATE_MEAN && ob_tensor_numel(s.out) > 0 ? divide(&s, include_self)
                                                                     : OB_OK;
}

/* *value = *value * alpha */
static void scale(ob_dtype dtype, void *value, ob_scalar alpha)
{
    unsigned char factor[16];
    const int64_t one = 1;
    ob_fill_strided((ob_span){ factor, &one, dtype }, &one, 1, alpha);
    ob_accumulate(OB_ACCUMULATE_PROD, dtype, value, factor);
}

/* index_add(self, dim, index, source, alpha), index_copy(self, dim, index, source): slice i of
 * source goes to slice index[i] of out */
static ob_status index_slices(ob_frame *frame)
{
    scatter s;
    const ob_tensor *source = frame->args[3].u.tensor;
    OB_TRY(begin(frame, frame->n_args > 4 ? "index_add" : "index_copy", &s));
    const int rank = ob_tensor_rank(source);
    const ob_dtype dtype = ob_tensor_dtype(source);
    const int64_t step = ob_tensor_rank(s.out) ? ob_tensor_strides(s.out)[s.dim] : 0;
    const int64_t by = ob_tensor_rank(s.index) ? ob_tensor_strides(s.index)[0] : 0;
    const int64_t extent = ob_tensor_rank(s.out) ? ob_tensor_sizes(s.out)[s.dim] : 1;
    unsigned char value[16];
    OB_TRY(ob_index_check(s.op, s.index, extent, s.dim));
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(source), rank);
    const int from = ob_cursor_add(&c, ob_tensor_strides(source));
    const int to = ob_cursor_add_broadcast(&c, s.out);
    for (; !c.done; ob_cursor_next(&c)) {
        const int64_t k = rank ? c.index[s.dim] : 0;
        const int64_t i = ob_element_index(s.index, k * by);
        const int64_t along = rank ? c.strides[to][s.dim] * k : 0;
        void *at = ob_element(s.out, c.at[to] - along + i * step);
        memcpy(value, ob_element(source, c.at[from]), ob_dtype_bytes(dtype));
        if (frame->n_args > 4) {
            scale(dtype, value, ob_value_as_scalar(&frame->args[4]));
            ob_accumulate(OB_ACCUMULATE_SUM, dtype, at, value);
        } else {
            memcpy(at, value, ob_dtype_bytes(dtype));
        }
    }
    return OB_OK;
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "index_add.out", index_slices, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "index_copy.out", index_slices, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "scatter.src_out", scatter_any, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "scatter.value_out", scatter_any, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "scatter.reduce_out", scatter_any, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "scatter.value_reduce_out", scatter_any, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "scatter_add.out", scatter_add, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "scatter_reduce.two_out", scatter_reduce, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
