/* Contract: overlap.h. Called for the outputs of ops with a shape rule, and by copy_. */
#include "ops/structured/overlap.h"

#include "core/tensor/shape.h"

static bool same_dims(const int64_t *a, const int64_t *b, int n)
{
    for (int d = 0; d < n; d++)
        if (a[d] != b[d]) return false;
    return true;
}

ob_overlap ob_overlap_of(const ob_tensor *a, const ob_tensor *b)
{
    if (ob_tensor_storage(a) != ob_tensor_storage(b)) return OB_OVERLAP_NONE;
    if (a == b) return OB_OVERLAP_FULL;
    if (ob_tensor_numel(a) == 0 || ob_tensor_numel(b) == 0) return OB_OVERLAP_NONE;
    if (!ob_tensor_is_dense(a) || !ob_tensor_is_dense(b)) return OB_OVERLAP_UNKNOWN;
    const int64_t a_width = (int64_t)ob_dtype_bytes(ob_tensor_dtype(a));
    const int64_t b_width = (int64_t)ob_dtype_bytes(ob_tensor_dtype(b));
    const int64_t a_from = ob_tensor_offset(a) * a_width, b_from = ob_tensor_offset(b) * b_width;
    const int64_t a_to = a_from + ob_tensor_numel(a) * a_width;
    const int64_t b_to = b_from + ob_tensor_numel(b) * b_width;
    if (a_from >= b_to || b_from >= a_to) return OB_OVERLAP_NONE;
    const int rank = ob_tensor_rank(a);
    const bool same = a_from == b_from && a_to == b_to && rank == ob_tensor_rank(b) &&
                      same_dims(ob_tensor_strides(a), ob_tensor_strides(b), rank);
    return same ? OB_OVERLAP_FULL : OB_OVERLAP_PARTIAL;
}

ob_status ob_overlap_check_internal(const char *op, const ob_tensor *written)
{
    if (!ob_shape_may_overlap(ob_tensor_sizes(written), ob_tensor_strides(written),
                              ob_tensor_rank(written)))
        return OB_OK;
    return OB_FAIL(OB_ERR_ARG,
                   "%s: several elements of the output share one place in memory "
                   "(an expanded tensor?); clone() it first",
                   op);
}

ob_status ob_overlap_check_partial(const char *op, const ob_tensor *written, const ob_tensor *read)
{
    if (ob_overlap_of(written, read) != OB_OVERLAP_PARTIAL) return OB_OK;
    return OB_FAIL(OB_ERR_ARG,
                   "%s: the output shares part of its memory with an input; clone() the input "
                   "first",
                   op);
}
