/* See index_shape.h. */
#include "ops/rules/index_shape.h"

#include "core/tensor/shape.h"

bool ob_index_has_mask(ob_tensors indices)
{
    for (int64_t i = 0; i < indices.n; i++) {
        if (!indices.data[i]) continue;
        const ob_dtype dtype = ob_tensor_dtype(indices.data[i]);
        if (dtype == OB_BOOL || dtype == OB_U8) return true;
    }
    return false;
}

/* Broadcast all indices; *first and *last are the first and last dim of self that has one. */
static ob_status broadcast_all(const char *op, ob_tensors indices, int64_t *sizes, int *rank,
                               int64_t *first, int64_t *last)
{
    *rank = 0;
    *first = -1;
    *last = -1;
    for (int64_t i = 0; i < indices.n; i++) {
        const ob_tensor *index = indices.data[i];
        if (!index) continue;
        if (ob_tensor_dtype(index) != OB_I64 && ob_tensor_dtype(index) != OB_I32)
            return OB_FAIL(OB_ERR_DTYPE, "%s: index %lld is %s; indices are int64, int32 or bool",
                           op, (long long)i, ob_dtype_name(ob_tensor_dtype(index)));
        OB_TRY(ob_shape_broadcast(op, sizes, rank, ob_tensor_sizes(index), ob_tensor_rank(index)));
        if (*first < 0) *first = i;
        *last = i;
    }
    return OB_OK;
}

static ob_status append(const char *op, ob_index_shape *out, int64_t size)
{
    if (out->rank == OB_MAX_RANK)
        return OB_FAIL(OB_ERR_SHAPE, "%s: the result has more than %d dims", op, OB_MAX_RANK);
    out->sizes[out->rank++] = size;
    return OB_OK;
}

ob_status ob_index_shape_of(const char *op, const ob_tensor *self, ob_tensors indices,
                            ob_index_shape *out)
{
    int64_t sizes[OB_MAX_RANK], first = 0, last = 0, n = 0;
    const int rank = ob_tensor_rank(self);
    *out = (ob_index_shape){ 0 };
    if (indices.n > rank)
        return OB_FAIL(OB_ERR_SHAPE, "%s: %lld indices for a tensor of %d dims", op,
                       (long long)indices.n, rank);
    OB_TRY(broadcast_all(op, indices, sizes, &out->index_rank, &first, &last));
    for (int64_t i = 0; i < indices.n; i++)
        n += indices.data[i] != NULL;
    const bool in_front = n != last - first + 1;
    for (int d = 0; d <= rank; d++) {
        const bool here = n > 0 && (in_front ? d == 0 : d == first);
        if (here) {
            out->index_at = out->rank;
            for (int k = 0; k < out->index_rank; k++)
                OB_TRY(append(op, out, sizes[k]));
        }
        if (d == rank || (d < indices.n && indices.data[d])) continue;
        out->rest[out->n_rest] = d;
        out->rest_at[out->n_rest++] = out->rank;
        OB_TRY(append(op, out, ob_tensor_sizes(self)[d]));
    }
    return OB_OK;
}
