/* Picking elements by indices on the CPU: index.Tensor, index_put, gather, index_select, embedding.
 * Raw kernels: outputs have the sizes of sdk/ops/rules/index.c. Indices out of range are errors.
 * PyTorch: aten/src/ATen/native/cpu/IndexKernel.cpp, ScatterGatherKernel.cpp. */
#include <string.h>

#include "core/tensor/copy.h"
#include "cpu/walk/arithmetic.h"
#include "cpu/walk/cursor.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/rules/index_shape.h"

static int wrapped(int64_t dim, int rank)
{
    return (int)(dim < 0 ? dim + (rank ? rank : 1) : dim);
}

/* gather(self, dim, index): out[i, j] = self[index[i, j], j] */
static ob_status gather(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *index = frame->args[2].u.tensor;
    const ob_tensor *out = frame->results[0].u.tensor;
    const int rank = ob_tensor_rank(index), dim = wrapped(frame->args[1].u.i, rank);
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(self));
    int64_t strides[OB_MAX_RANK] = { 0 };
    for (int d = 0; d < rank && d < ob_tensor_rank(self); d++)
        strides[d] = d == dim ? 0 : ob_tensor_strides(self)[d];
    const int64_t extent = ob_tensor_rank(self) ? ob_tensor_sizes(self)[dim] : 1;
    const int64_t step = ob_tensor_rank(self) ? ob_tensor_strides(self)[dim] : 0;
    OB_TRY(ob_index_check("gather", index, extent, dim));
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(index), rank);
    const int from = ob_cursor_add(&c, strides), to = ob_cursor_add_broadcast(&c, out);
    const int by = ob_cursor_add_broadcast(&c, index);
    for (; !c.done; ob_cursor_next(&c)) {
        const int64_t i = ob_element_index(index, c.at[by]);
        memcpy(ob_element(out, c.at[to]), ob_element(self, c.at[from] + i * step), width);
    }
    return OB_OK;
}

/* index_select(self, dim, index): out's slice i is self's slice index[i] */
static ob_status index_select(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *index = frame->args[2].u.tensor;
    const ob_tensor *out = frame->results[0].u.tensor;
    const int rank = ob_tensor_rank(self), dim = wrapped(frame->args[1].u.i, rank);
    const int64_t extent = rank ? ob_tensor_sizes(self)[dim] : 1;
    int64_t sizes[OB_MAX_RANK];
    memcpy(sizes, ob_tensor_sizes(out), (size_t)rank * sizeof(int64_t));
    if (rank) sizes[dim] = 1;
    OB_TRY(ob_index_check("index_select", index, extent, dim));
    for (int64_t k = 0; k < ob_tensor_numel(index); k++) {
        const int64_t i =
            ob_element_index(index, ob_tensor_rank(index) ? k * ob_tensor_strides(index)[0] : 0);
        const int64_t from = rank ? i * ob_tensor_strides(self)[dim] : 0;
        const int64_t to = rank ? k * ob_tensor_strides(out)[dim] : 0;
        ob_copy_strided(
            (ob_span){ ob_element(out, to), ob_tensor_strides(out), ob_tensor_dtype(out) },
            (ob_span){ ob_element(self, from), ob_tensor_strides(self), ob_tensor_dtype(self) },
            sizes, rank);
    }
    return OB_OK;
}

/* embedding(weight, indices): rows of weight */
static ob_status embedding(ob_frame *frame)
{
    const ob_tensor *weight = frame->args[0].u.tensor, *index = frame->args[1].u.tensor;
    const ob_tensor *out = frame->results[0].u.tensor;
    const int rank = ob_tensor_rank(index);
    const ob_dtype dtype = ob_tensor_dtype(weight);
    OB_TRY(ob_index_check("embedding", index, ob_tensor_sizes(weight)[0], 0));
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(index), rank);
    const int by = ob_cursor_add_broadcast(&c, index);
    const int to = ob_cursor_add(&c, ob_tensor_strides(out));
    for (; !c.done; ob_cursor_next(&c)) {
        const int64_t i = ob_element_index(index, c.at[by]);
        ob_copy_strided(
            (ob_span){ ob_element(out, c.at[to]), ob_tensor_strides(out) + rank, dtype },
            (ob_span){ ob_element(weight, i * ob_tensor_strides(weight)[0]),
                       ob_tensor_strides(weight) + 1, dtype },
            ob_tensor_sizes(weight) + 1, 1);
    }
    return OB_OK;
}

/* Where x[i, :, j] lies in `self`, and where in the result `picked`, walked index by index. */
typedef struct picks {
    const char *op;
    const ob_tensor *self;
    ob_tensors indices;
    ob_index_shape shape;
    int64_t rest_sizes[OB_MAX_RANK];   /* dims that no index takes */
    int64_t self_strides[OB_MAX_RANK]; /* of those in self */
} picks;

static ob_status picks_begin(picks *p, const char *op, const ob_tensor *self, const ob_value *list)
{
    p->op = op;
    p->self = self;
    p->indices = (ob_tensors){ list->u.tensors, list->count };
    OB_TRY(ob_index_shape_of(op, self, p->indices, &p->shape));
    for (int i = 0; i < p->shape.n_rest; i++) {
        p->rest_sizes[i] = ob_tensor_sizes(self)[p->shape.rest[i]];
        p->self_strides[i] = ob_tensor_strides(self)[p->shape.rest[i]];
    }
    return OB_OK;
}

/* Offset in self of the slice that index position `at` of the indices' shape picks. */
static ob_status picks_offset(const picks *p, const int64_t *at, int64_t *out)
{
    *out = 0;
    for (int64_t k = 0; k < p->indices.n; k++) {
        const ob_tensor *index = p->indices.data[k];
        if (!index) continue;
        const int lead = p->shape.index_rank - ob_tensor_rank(index);
        int64_t offset = 0;
        for (int d = 0; d < ob_tensor_rank(index); d++)
            if (ob_tensor_sizes(index)[d] != 1)
                offset += at[lead + d] * ob_tensor_strides(index)[d];
        int64_t i = ob_element_index(index, offset);
        OB_TRY(ob_index_wrap(p->op, &i, ob_tensor_sizes(p->self)[k], (int)k));
        *out += i * ob_tensor_strides(p->self)[k];
    }
    return OB_OK;
}

/* Strides of `t`, which broadcasts to the result, along the indices' dims and along the rest. */
static void result_strides(const picks *p, const ob_tensor *t, int64_t *index, int64_t *rest)
{
    ob_cursor c; /* only for its broadcasting */
    ob_cursor_begin(&c, p->shape.sizes, p->shape.rank);
    (void)ob_cursor_add_broadcast(&c, t);
    for (int d = 0; d < p->shape.index_rank; d++)
        index[d] = c.strides[0][p->shape.index_at + d];
    for (int d = 0; d < p->shape.n_rest; d++)
        rest[d] = c.strides[0][p->shape.rest_at[d]];
}

/* index.Tensor(self, indices) */
static ob_status index_tensor(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(self);
    int64_t out_index[OB_MAX_RANK], out_rest[OB_MAX_RANK], from = 0;
    picks p;
    OB_TRY(picks_begin(&p, "index", self, &frame->args[1]));
    result_strides(&p, out, out_index, out_rest);
    ob_cursor c;
    ob_cursor_begin(&c, p.shape.sizes + p.shape.index_at, p.shape.index_rank);
    const int to = ob_cursor_add(&c, out_index);
    if (ob_tensor_numel(out) == 0) return OB_OK;
    for (; !c.done; ob_cursor_next(&c)) {
        OB_TRY(picks_offset(&p, c.index, &from));
        ob_copy_strided((ob_span){ ob_element(out, c.at[to]), out_rest, dtype },
                        (ob_span){ ob_element(self, from), p.self_strides, dtype }, p.rest_sizes,
                        p.shape.n_rest);
    }
    return OB_OK;
}

/* Add one slice of values to one of out. */
static void add_slice(const picks *p, ob_span dst, ob_span src)
{
    const int64_t width = (int64_t)ob_dtype_bytes(dst.dtype);
    ob_cursor c;
    ob_cursor_begin(&c, p->rest_sizes, p->shape.n_rest);
    const int to = ob_cursor_add(&c, dst.strides), from = ob_cursor_add(&c, src.strides);
    for (; !c.done; ob_cursor_next(&c)) {
        unsigned char *at = (unsigned char *)dst.data + c.at[to] * width;
        ob_accumulate(OB_ACCUMULATE_SUM, dst.dtype, at,
                      (unsigned char *)src.data + c.at[from] * width);
    }
}

/* _index_put_impl_(self, indices, values, accumulate, unsafe) */
static ob_status index_put(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *values = frame->args[2].u.tensor;
    const ob_tensor *out = frame->results[0].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(out);
    int64_t value_index[OB_MAX_RANK], value_rest[OB_MAX_RANK], to = 0;
    picks p;
    ob_start_from(out, self);
    OB_TRY(picks_begin(&p, "index_put_", out, &frame->args[1]));
    result_strides(&p, values, value_index, value_rest);
    ob_cursor c;
    ob_cursor_begin(&c, p.shape.sizes + p.shape.index_at, p.shape.index_rank);
    const int from = ob_cursor_add(&c, value_index);
    if (ob_tensor_numel(values) == 0) return OB_OK;
    for (; !c.done; ob_cursor_next(&c)) {
        OB_TRY(picks_offset(&p, c.index, &to));
        const ob_span dst = { ob_element(out, to), p.self_strides, dtype };
        const ob_span src = { ob_element(values, c.at[from]), value_rest, dtype };
        if (frame->args[3].u.b)
            add_slice(&p, dst, src);
        else
            ob_copy_strided(dst, src, p.rest_sizes, p.shape.n_rest);
    }
    return OB_OK;
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "gather.out", gather, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "index_select", index_select, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "embedding", embedding, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "index.Tensor_out", index_tensor, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_index_put_impl_", index_put, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
