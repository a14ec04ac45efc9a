/* Gradients of views and of picks: the gradient is put where its elements came from, the rest is
 * zero. PyTorch: aten/src/ATen/native/TensorShape.cpp, UnfoldBackward.cpp, Embedding.cpp. */
#include "ops/composites/look.h"

ob_tensor *composite_select_backward(ob_scope *s, ob_tensor *grad_output, ob_ints input_sizes,
                                     int64_t dim, int64_t index)
{
    ob_tensor *grad = ob_new_zeros(s, grad_output, input_sizes);
    (void)ob_copy_(s, ob_select(s, grad, dim, index), grad_output);
    return grad;
}

ob_tensor *composite_slice_backward(ob_scope *s, ob_tensor *grad_output, ob_ints input_sizes,
                                    int64_t dim, int64_t start, int64_t end, int64_t step)
{
    ob_tensor *grad = ob_new_zeros(s, grad_output, input_sizes);
    (void)ob_copy_(s, ob_slice(s, grad, dim, OB_SOME_INT(start), OB_SOME_INT(end), step),
                   grad_output);
    return grad;
}

ob_tensor *composite_diagonal_backward(ob_scope *s, ob_tensor *grad_output, ob_ints input_sizes,
                                       int64_t offset, int64_t dim1, int64_t dim2)
{
    ob_tensor *grad = ob_new_zeros(s, grad_output, input_sizes);
    (void)ob_copy_(s, ob_diagonal(s, grad, offset, dim1, dim2), grad_output);
    return grad;
}

/* Windows overlap: each of their elements in turn is added to a strided slice. */
ob_tensor *composite_unfold_backward(ob_scope *s, ob_tensor *grad_in, ob_ints input_sizes,
                                     int64_t dim, int64_t size, int64_t step)
{
    ob_tensor *grad = ob_new_zeros(s, grad_in, input_sizes);
    const int64_t at = wrapped(grad, dim), windows = extent(grad_in, at);
    for (int64_t k = 0; grad && grad_in && k < size && windows > 0; k++) {
        ob_tensor *part =
            ob_slice(s, grad, at, OB_SOME_INT(k), OB_SOME_INT(k + (windows - 1) * step + 1), step);
        (void)ob_add_(s, part, ob_select(s, grad_in, -1, k));
    }
    return grad;
}

ob_tensor *composite_trace_backward(ob_scope *s, ob_tensor *grad, ob_ints sizes)
{
    if (sizes.n != 2)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "trace_backward: %lld sizes, must be 2", (long long)sizes.n));
    ob_tensor *made = ob_new_zeros(s, grad, sizes);
    (void)ob_copy_(s, ob_diagonal(s, made, 0, 0, 1), grad);
    return made;
}

ob_tensor *composite_index_select_backward(ob_scope *s, ob_tensor *grad, ob_ints self_sizes,
                                           int64_t dim, ob_tensor *index)
{
    return ob_index_add(s, ob_new_zeros(s, grad, self_sizes), dim, index, grad);
}

ob_tensor *composite_gather_backward(ob_scope *s, ob_tensor *grad, ob_tensor *self, int64_t dim,
                                     ob_tensor *index, bool sparse_grad)
{
    (void)sparse_grad; /* there are no sparse tensors here */
    return ob_scatter_add(s, ob_new_zeros(s, grad, sizes_of(self)), dim, index, grad);
}

ob_tensor *composite_value_selecting_reduction_backward(ob_scope *s, ob_tensor *grad, int64_t dim,
                                                        ob_tensor *indices, ob_ints sizes,
                                                        bool keepdim)
{
    if (!keepdim && sizes.n > 0) {
        grad = ob_unsqueeze(s, grad, dim);
        indices = ob_unsqueeze(s, indices, dim);
    }
    return ob_scatter(s, ob_new_zeros(s, grad, sizes), dim, indices, grad);
}

ob_tensor *composite_masked_select_backward(ob_scope *s, ob_tensor *grad, ob_tensor *input,
                                            ob_tensor *mask)
{
    ob_tensor *zeros = ob_mul_scalar(s, ob_zeros_like(s, input), ob_int(0));
    return ob_masked_scatter(s, zeros, mask, grad);
}

/* grad: [..., E], indices: [...]; a row of the result is the sum over the indices that name it,
 * divided by how many they are when scale_grad_by_freq. */
ob_tensor *composite_embedding_dense_backward(ob_scope *s, ob_tensor *grad_output,
                                              ob_tensor *indices, int64_t num_weights,
                                              int64_t padding_idx, bool scale_grad_by_freq)
{
    const int64_t width = extent(grad_output, -1);
    ob_tensor *rows = ob_reshape(s, grad_output, OB_INTS(-1, width));
    ob_tensor *which = ob_reshape(s, indices, OB_INTS(-1));
    if (rows && numel_of(grad_output) == 0)
        return ob_new_zeros(s, grad_output, OB_INTS(num_weights, width));
    if (scale_grad_by_freq) {
        ob_tensor *counts = ob_index_add(s, ob_new_zeros(s, rows, OB_INTS(num_weights)), 0, which,
                                         ob_new_ones(s, rows, OB_INTS(numel_of(which))));
        rows = ob_div(s, rows, ob_unsqueeze(s, ob_index_select(s, counts, 0, which), 1));
    }
    if (padding_idx >= 0 || padding_idx < -1) {
        ob_tensor *padding = ob_eq_scalar(s, which, ob_int(padding_idx));
        rows = ob_masked_fill_scalar(s, rows, ob_unsqueeze(s, padding, 1), ob_int(0));
    }
    return ob_index_add(s, ob_new_zeros(s, rows, OB_INTS(num_weights, width)), 0, which, rows);
}

ob_tensor *composite_embedding_backward(ob_scope *s, ob_tensor *grad, ob_tensor *indices,
                                        int64_t num_weights, int64_t padding_idx,
                                        bool scale_grad_by_freq, bool sparse)
{
    if (sparse)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_UNSUPPORTED, "embedding_backward: there are no sparse gradients"));
    return ob_embedding_dense_backward(s, grad, indices, num_weights, padding_idx,
                                       scale_grad_by_freq);
}

/* ---- a copy of self with a window of it replaced */

ob_tensor *composite_select_scatter(ob_scope *s, ob_tensor *self, ob_tensor *src, int64_t dim,
                                    int64_t index)
{
    ob_tensor *made = ob_clone(s, self);
    (void)ob_copy_(s, ob_select(s, made, dim, index), src);
    return made;
}

ob_tensor *composite_slice_scatter(ob_scope *s, ob_tensor *self, ob_tensor *src, int64_t dim,
                                   ob_opt_int start, ob_opt_int end, int64_t step)
{
    ob_tensor *made = ob_clone(s, self);
    (void)ob_copy_(s, ob_slice(s, made, dim, start, end, step), src);
    return made;
}

ob_tensor *composite_diagonal_scatter(ob_scope *s, ob_tensor *self, ob_tensor *src, int64_t offset,
                                      int64_t dim1, int64_t dim2)
{
    ob_tensor *made = ob_clone(s, self);
    (void)ob_copy_(s, ob_diagonal(s, made, offset, dim1, dim2), src);
    return made;
}

ob_tensor *composite_as_strided_scatter(ob_scope *s, ob_tensor *self, ob_tensor *src, ob_ints size,
                                        ob_ints stride, ob_opt_int storage_offset)
{
    ob_tensor *made = ob_clone(s, self);
    (void)ob_copy_(s, ob_as_strided(s, made, size, stride, storage_offset), src);
    return made;
}
