/* See cursor.h. */
#include "cpu/walk/cursor.h"

#include <string.h>

void ob_cursor_begin(ob_cursor *c, const int64_t *sizes, int rank)
{
    c->rank = rank;
    c->n = 0;
    c->done = false;
    for (int d = 0; d < rank; d++) {
        c->sizes[d] = sizes[d];
        c->index[d] = 0;
        if (sizes[d] == 0) c->done = true;
    }
}

int ob_cursor_add(ob_cursor *c, const int64_t *strides)
{
    c->at[c->n] = 0;
    memcpy(c->strides[c->n], strides, (size_t)c->rank * sizeof(int64_t));
    return c->n++;
}

int ob_cursor_add_broadcast(ob_cursor *c, const ob_tensor *t)
{
    int64_t strides[OB_MAX_RANK];
    const int lead = c->rank - ob_tensor_rank(t);
    for (int d = 0; d < c->rank; d++)
        strides[d] =
            d < lead || ob_tensor_sizes(t)[d - lead] == 1 ? 0 : ob_tensor_strides(t)[d - lead];
    return ob_cursor_add(c, strides);
}

void ob_cursor_next(ob_cursor *c)
{
    for (int d = c->rank - 1; d >= 0; d--) {
        c->index[d]++;
        for (int i = 0; i < c->n; i++)
            c->at[i] += c->strides[i][d];
        if (c->index[d] < c->sizes[d]) return;
        for (int i = 0; i < c->n; i++)
            c->at[i] -= c->strides[i][d] * c->sizes[d];
        c->index[d] = 0;
    }
    c->done = true;
}

unsigned char *ob_element(const ob_tensor *t, int64_t offset)
{
    return (unsigned char *)ob_tensor_data(t) +
           offset * (int64_t)ob_dtype_bytes(ob_tensor_dtype(t));
}

int64_t ob_element_index(const ob_tensor *t, int64_t offset)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (ob_tensor_dtype(t) == OB_I64) {
        memcpy(&wide, ob_element(t, offset), sizeof wide);
        return wide;
    }
    memcpy(&narrow, ob_element(t, offset), sizeof narrow);
    return narrow;
}

ob_status ob_index_wrap(const char *op, int64_t *index, int64_t extent, int dim)
{
    if (*index < -extent || *index >= extent)
        return OB_FAIL(OB_ERR_ARG, "%s: index %lld is not within dim %d, whose extent is %lld", op,
                       (long long)*index, dim, (long long)extent);
    if (*index < 0) *index += extent;
    return OB_OK;
}

ob_status ob_index_check(const char *op, const ob_tensor *index, int64_t extent, int dim)
{
    ob_cursor c;
    ob_cursor_begin(&c, ob_tensor_sizes(index), ob_tensor_rank(index));
    const int at = ob_cursor_add_broadcast(&c, index);
    for (; !c.done; ob_cursor_next(&c)) {
        int64_t i = ob_element_index(index, c.at[at]);
        OB_TRY(ob_index_wrap(op, &i, i < 0 ? -1 : extent, dim));
    }
    return OB_OK;
}
