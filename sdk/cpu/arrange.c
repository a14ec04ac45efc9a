/* Joining, padding and reordering on the CPU: cat, constant_pad_nd, flip, roll,
 * tril, triu. Raw kernels: outputs have the sizes of sdk/ops/rules/arrange.c. PyTorch:
 * aten/src/ATen/native/TensorShape.cpp, PadNd.cpp, TensorTransformations.cpp. */
#include <string.h>

#include "core/tensor/copy.h"
#include "cpu/walk/cursor.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"

static ob_span span_at(const ob_tensor *t, int64_t offset)
{
    return (ob_span){ ob_element(t, offset), ob_tensor_strides(t), ob_tensor_dtype(t) };
}

static int wrapped(int64_t dim, int rank)
{
    return (int)(dim < 0 ? dim + (rank ? rank : 1) : dim);
}

/* cat(tensors, dim): one window of out per tensor */
static ob_status cat(ob_frame *frame)
{
    const ob_tensor *out = frame->results[0].u.tensor;
    const int rank = ob_tensor_rank(out), dim = wrapped(frame->args[1].u.i, rank);
    int64_t at = 0;
    for (uint32_t i = 0; i < frame->args[0].count; i++) {
        const ob_tensor *t = frame->args[0].u.tensors[i];
        if (ob_tensor_numel(t) == 0) continue;
        ob_copy_strided(span_at(out, at * ob_tensor_strides(out)[dim]), span_at(t, 0),
                        ob_tensor_sizes(t), rank);
        at += ob_tensor_sizes(t)[dim];
    }
    return OB_OK;
}

/* constant_pad_nd(self, pad, value): fill, then copy the window that both have */
static ob_status constant_pad_nd(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const ob_value *pad = &frame->args[1];
    const int rank = ob_tensor_rank(out);
    int64_t sizes[OB_MAX_RANK], from = 0, to = 0;
    if (ob_tensor_numel(out) == 0) return OB_OK;
    ob_fill_strided(span_at(out, 0), ob_tensor_sizes(out), rank,
                    ob_value_as_scalar(&frame->args[2]));
    for (int d = 0; d < rank; d++) {
        const uint32_t i = (uint32_t)(rank - 1 - d);
        const int64_t before = 2 * i < pad->count ? pad->u.ints[2 * i] : 0;
        const int64_t after = 2 * i < pad->count ? pad->u.ints[2 * i + 1] : 0;
        sizes[d] = ob_tensor_sizes(self)[d] + (before < 0 ? before : 0) + (after < 0 ? after : 0);
        if (sizes[d] <= 0) return OB_OK;
        if (before < 0)
            from -= before * ob_tensor_strides(self)[d];
        else
            to += before * ob_tensor_strides(out)[d];
    }
    ob_copy_strided(span_at(out, to), span_at(self, from), sizes, rank);
    return OB_OK;
}

/* Copy every element of self to where out has it: at[d] = (index[d] * sign[d] + shift[d]) mod n. */
static void remap(const ob_tensor *out, const ob_tensor *self, const int64_t *sign,
                  const int64_t *shift)
{
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(self));
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(self), ob_tensor_rank(self));
    const int from = ob_cursor_add(&c, ob_tensor_strides(self));
    for (; !c.done; ob_cursor_next(&c)) {
        int64_t to = 0;
        for (int d = 0; d < c.rank; d++) {
            int64_t i = (c.index[d] * sign[d] + shift[d]) % c.sizes[d];
            if (i < 0) i += c.sizes[d];
            to += i * ob_tensor_strides(out)[d];
        }
        memcpy(ob_element(out, to), ob_element(self, c.at[from]), width);
    }
}

/* flip(self, dims) */
static ob_status flip(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    const int rank = ob_tensor_rank(self);
    int64_t sign[OB_MAX_RANK], shift[OB_MAX_RANK] = { 0 };
    for (int d = 0; d < rank; d++)
        sign[d] = 1;
    for (uint32_t i = 0; i < frame->args[1].count; i++) {
        const int d = wrapped(frame->args[1].u.ints[i], rank);
        if (d >= rank) continue;
        sign[d] = -1;
        shift[d] = ob_tensor_sizes(self)[d] - 1;
    }
    remap(frame->results[0].u.tensor, self, sign, shift);
    return OB_OK;
}

/* roll of the flattened tensor */
static void roll_flat(const ob_tensor *out, const ob_tensor *self, int64_t by)
{
    const int64_t n = ob_tensor_numel(self);
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(self));
    ob_cursor to, from;
    ob_cursor_begin(&to, ob_tensor_sizes(out), ob_tensor_rank(out));
    ob_cursor_begin(&from, ob_tensor_sizes(self), ob_tensor_rank(self));
    (void)ob_cursor_add(&to, ob_tensor_strides(out));
    (void)ob_cursor_add(&from, ob_tensor_strides(self));
    for (int64_t i = 0; n > 0 && i < ((by % n) + n) % n; i++)
        ob_cursor_next(&to);
    for (; !from.done; ob_cursor_next(&from), ob_cursor_next(&to)) {
        if (to.done) {
            ob_cursor_begin(&to, ob_tensor_sizes(out), ob_tensor_rank(out));
            (void)ob_cursor_add(&to, ob_tensor_strides(out));
        }
        memcpy(ob_element(out, to.at[0]), ob_element(self, from.at[0]), width);
    }
}

/* roll(self, shifts, dims) */
static ob_status roll(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const ob_value *shifts = &frame->args[1], *dims = &frame->args[2];
    const int rank = ob_tensor_rank(self);
    int64_t sign[OB_MAX_RANK], shift[OB_MAX_RANK] = { 0 };
    if (dims->count == 0) {
        roll_flat(out, self, shifts->u.ints[0]);
        return OB_OK;
    }
    for (int d = 0; d < rank; d++)
        sign[d] = 1;
    for (uint32_t i = 0; i < dims->count && rank > 0; i++) {
        const int d = wrapped(dims->u.ints[i], rank);
        const int64_t n = ob_tensor_sizes(self)[d];
        if (n > 0) shift[d] = (shift[d] + shifts->u.ints[i] % n) % n;
    }
    remap(out, self, sign, shift);
    return OB_OK;
}

/* tril and triu(self, diagonal): `user` is NULL for tril */
static ob_status triangle(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *out = frame->results[0].u.tensor;
    const int64_t diagonal = frame->args[1].u.i;
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(self));
    const int rank = ob_tensor_rank(self);
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(self), rank);
    const int from = ob_cursor_add(&c, ob_tensor_strides(self));
    const int to = ob_cursor_add(&c, ob_tensor_strides(out));
    for (; !c.done; ob_cursor_next(&c)) {
        const int64_t across = c.index[rank - 1] - c.index[rank - 2];
        const bool keep = frame->user ? across >= diagonal : across <= diagonal;
        if (keep)
            memmove(ob_element(out, c.at[to]), ob_element(self, c.at[from]), width);
        else
            memset(ob_element(out, c.at[to]), 0, width);
    }
    return OB_OK;
}

static ob_status install(void)
{
    static char upper; /* address: `user` of triu */
    ob_batch_add_fn(OB_KEY_CPU, "cat.out", cat, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "constant_pad_nd", constant_pad_nd, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "flip", flip, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "roll", roll, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "tril.out", triangle, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "triu.out", triangle, &upper);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
