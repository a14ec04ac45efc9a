/* cat, constant_pad_nd, flip: copies between windows of tensors. PyTorch: native/TensorShape.cpp,
 * PadNd.cpp, TensorTransformations.cpp. */
#include <string.h>

#include "device/native.h"
#include "device/ops/copy.h"
#include "device/ops/element.h"

/* cat(tensors, dim): each into its part of out. Tensors [0] are left out, as PyTorch does. */
ob_status ob_cl_op_cat(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    const ob_value *list = &frame->args[0];
    const int rank = ob_tensor_rank(out);
    const int64_t dim = frame->args[1].u.i < 0 ? frame->args[1].u.i + rank : frame->args[1].u.i;
    int64_t at = ob_tensor_offset(out);
    for (uint32_t i = 0; i < list->count; i++) {
        const ob_tensor *t = list->u.tensors[i];
        ob_cl_walk walk;
        if (ob_tensor_numel(t) == 0) continue;
        ob_cl_walk_begin(&walk, ob_tensor_sizes(t), rank);
        ob_cl_walk_add_strided(&walk, ob_tensor_strides(out), at);
        ob_cl_walk_add(&walk, t);
        OB_TRY(ob_cl_copy_walk(out, t, &walk));
        at += ob_tensor_sizes(t)[dim] * ob_tensor_strides(out)[dim];
    }
    return OB_OK;
}

/* constant_pad_nd(self, pad, value): the value, and over it what is left of self. */
ob_status ob_cl_op_constant_pad_nd(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    const ob_tensor *self = frame->args[0].u.tensor;
    const ob_value *pad = &frame->args[1];
    const int rank = ob_tensor_rank(out);
    const ob_scalar value = ob_value_as_scalar(&frame->args[2]);
    int64_t sizes[OB_MAX_RANK], from = ob_tensor_offset(self), to = ob_tensor_offset(out);
    memcpy(sizes, ob_tensor_sizes(self), (size_t)rank * sizeof(int64_t));
    OB_TRY(ob_cl_fill(out, ob_cl_element_bits(value, ob_tensor_dtype(out))));
    for (uint32_t i = 0; i < pad->count; i++) {
        const int d = rank - 1 - (int)(i / 2);
        const int64_t n = pad->u.ints[i];
        const bool before = i % 2 == 0;
        if (n < 0) sizes[d] += n;
        if (before && n > 0) to += n * ob_tensor_strides(out)[d];
        if (before && n < 0) from -= n * ob_tensor_strides(self)[d];
    }
    for (int d = 0; d < rank; d++)
        if (sizes[d] <= 0) return OB_OK;
    ob_cl_walk walk;
    ob_cl_walk_begin(&walk, sizes, rank);
    ob_cl_walk_add_strided(&walk, ob_tensor_strides(out), to);
    ob_cl_walk_add_strided(&walk, ob_tensor_strides(self), from);
    return ob_cl_copy_walk(out, self, &walk);
}

/* flip(self, dims): self walked backwards. */
ob_status ob_cl_op_flip(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    const ob_tensor *self = frame->args[0].u.tensor;
    const int rank = ob_tensor_rank(self);
    int64_t strides[OB_MAX_RANK], from = ob_tensor_offset(self);
    if (ob_tensor_numel(self) == 0) return OB_OK;
    memcpy(strides, ob_tensor_strides(self), (size_t)rank * sizeof(int64_t));
    for (uint32_t i = 0; i < frame->args[1].count; i++) {
        const int64_t dim = frame->args[1].u.ints[i], d = dim < 0 ? dim + rank : dim;
        if (rank == 0) break;
        from += (ob_tensor_sizes(self)[d] - 1) * strides[d];
        strides[d] = -strides[d];
    }
    ob_cl_walk walk;
    ob_cl_walk_begin(&walk, ob_tensor_sizes(self), rank);
    ob_cl_walk_add(&walk, out);
    ob_cl_walk_add_strided(&walk, strides, from);
    return ob_cl_copy_walk(out, self, &walk);
}
