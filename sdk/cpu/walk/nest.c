/* Loop nests over strided operands; see nest.h. */
#include "cpu/walk/nest.h"

#include <string.h>

void ob_nest_begin(ob_nest *nest, const int64_t *sizes, int rank)
{
    nest->rank = rank;
    nest->n = 0;
    nest->started = false;
    for (int d = 0; d < rank; d++)
        nest->sizes[d] = sizes[rank - 1 - d];
}

void ob_nest_add(ob_nest *nest, const ob_tensor *t)
{
    int64_t *strides = nest->strides[nest->n++];
    const int rank = t ? ob_tensor_rank(t) : 0;
    for (int d = 0; d < nest->rank; d++) {
        const int at = rank - 1 - d;
        const bool broadcast = at < 0 || (ob_tensor_sizes(t)[at] == 1 && nest->sizes[d] != 1);
        strides[d] = broadcast ? 0 : ob_tensor_strides(t)[at];
    }
}

static void swap_dims(ob_nest *nest, int a, int b)
{
    const int64_t size = nest->sizes[a];
    nest->sizes[a] = nest->sizes[b];
    nest->sizes[b] = size;
    for (int p = 0; p < nest->n; p++) {
        const int64_t stride = nest->strides[p][a];
        nest->strides[p][a] = nest->strides[p][b];
        nest->strides[p][b] = stride;
    }
}

/* Whether dim a should lie inside dim b: by the first operand whose strides differ. */
static bool is_inside(const ob_nest *nest, int a, int b)
{
    for (int p = 0; p < nest->n; p++) {
        const int64_t sa = nest->strides[p][a], sb = nest->strides[p][b];
        if (sa != sb && sa != 0 && sb != 0) return sa < sb;
    }
    return false;
}

static bool can_merge(const ob_nest *nest, int inner, int outer)
{
    for (int p = 0; p < nest->n; p++)
        if (nest->strides[p][outer] != nest->strides[p][inner] * nest->sizes[inner]) return false;
    return true;
}

static void drop_dim(ob_nest *nest, int dim)
{
    for (int d = dim; d + 1 < nest->rank; d++)
        swap_dims(nest, d, d + 1);
    nest->rank--;
}

void ob_nest_merge(ob_nest *nest)
{
    for (int d = nest->rank - 1; d >= 0; d--)
        if (nest->sizes[d] == 1) drop_dim(nest, d);
    for (int d = 0; d + 1 < nest->rank;) {
        if (can_merge(nest, d, d + 1)) {
            nest->sizes[d] *= nest->sizes[d + 1];
            drop_dim(nest, d + 1);
        } else {
            d++;
        }
    }
    if (nest->rank == 0) {
        nest->rank = 1;
        nest->sizes[0] = 1;
        for (int p = 0; p < nest->n; p++)
            nest->strides[p][0] = 0;
    }
}

void ob_nest_prepare(ob_nest *nest)
{
    for (int i = 1; i < nest->rank; i++)
        for (int j = i; j > 0 && is_inside(nest, j, j - 1); j--)
            swap_dims(nest, j, j - 1);
    ob_nest_merge(nest);
}

bool ob_nest_next(ob_nest *nest)
{
    if (!nest->started) {
        nest->started = true;
        memset(nest->index, 0, sizeof nest->index);
        memset(nest->at, 0, sizeof nest->at);
        for (int d = 0; d < nest->rank; d++)
            if (nest->sizes[d] == 0) return false;
        return true;
    }
    for (int d = 1; d < nest->rank; d++) {
        nest->index[d]++;
        for (int p = 0; p < nest->n; p++)
            nest->at[p] += nest->strides[p][d];
        if (nest->index[d] < nest->sizes[d]) return true;
        nest->index[d] = 0;
        for (int p = 0; p < nest->n; p++)
            nest->at[p] -= nest->strides[p][d] * nest->sizes[d];
    }
    return false;
}
