/* Orders, merges and splits the dims of a walk. PyTorch: TensorIterator's reorder_dimensions,
 * coalesce_dimensions and can_use_32bit_indexing. */
#include "device/walk.h"

#include <stdlib.h>
#include <string.h>

#define REACH_LIMIT INT64_C(0x7fffffff)

enum { PIECE = 1 << 28 }; /* elements of a step when not even one dim fits */

void ob_cl_walk_begin(ob_cl_walk *w, const int64_t *sizes, int rank)
{
    w->n = 0;
    w->rank = rank;
    w->inner = 0;
    w->prepared = w->done = false;
    for (int d = 0; d < rank; d++) {
        w->size[d] = sizes[rank - 1 - d];
        w->index[d] = 0;
    }
}

void ob_cl_walk_add_strided(ob_cl_walk *w, const int64_t *strides, int64_t offset)
{
    for (int d = 0; d < w->rank; d++)
        w->stride[w->n][d] = w->size[d] == 1 ? 0 : strides[w->rank - 1 - d];
    w->offset[w->n++] = offset;
}

void ob_cl_walk_add(ob_cl_walk *w, const ob_tensor *t)
{
    const int rank = ob_tensor_rank(t);
    const int64_t *sizes = ob_tensor_sizes(t), *strides = ob_tensor_strides(t);
    for (int d = 0; d < w->rank; d++) {
        const bool spread = d >= rank || sizes[rank - 1 - d] == 1;
        w->stride[w->n][d] = spread ? 0 : strides[rank - 1 - d];
    }
    w->offset[w->n++] = ob_tensor_offset(t);
}

static void dim_move(ob_cl_walk *w, int to, int from)
{
    w->size[to] = w->size[from];
    for (int p = 0; p < w->n; p++)
        w->stride[p][to] = w->stride[p][from];
}

static void dims_swap(ob_cl_walk *w, int a, int b)
{
    const int64_t size = w->size[a];
    w->size[a] = w->size[b];
    w->size[b] = size;
    for (int p = 0; p < w->n; p++) {
        const int64_t stride = w->stride[p][a];
        w->stride[p][a] = w->stride[p][b];
        w->stride[p][b] = stride;
    }
}

/* True when dim `a` should lie further inside than dim `b`: the first operand that tells decides.
 */
static bool is_inner(const ob_cl_walk *w, int a, int b)
{
    for (int p = 0; p < w->n; p++) {
        const int64_t sa = llabs(w->stride[p][a]), sb = llabs(w->stride[p][b]);
        if (sa && sb && sa != sb) return sa < sb;
    }
    return false;
}

static bool mergeable(const ob_cl_walk *w, int d)
{
    for (int p = 0; p < w->n; p++)
        if (w->stride[p][d + 1] != w->stride[p][d] * w->size[d]) return false;
    return true;
}

static void order(ob_cl_walk *w)
{
    int kept = 0;
    for (int d = 0; d < w->rank; d++)
        if (w->size[d] != 1) dim_move(w, kept++, d);
    w->rank = kept;
    for (int d = 1; d < kept; d++)
        for (int e = d; e > 0 && is_inner(w, e, e - 1); e--)
            dims_swap(w, e, e - 1);
}

static void merge(ob_cl_walk *w)
{
    for (int d = 0; d + 1 < w->rank;) {
        if (!mergeable(w, d)) {
            d++;
            continue;
        }
        w->size[d] *= w->size[d + 1];
        for (int e = d + 1; e + 1 < w->rank; e++)
            dim_move(w, e, e + 1);
        w->rank--;
    }
}

/* How many dims fit one step: few enough, and everything within 32 bits. */
static int inner_dims(const ob_cl_walk *w)
{
    int64_t numel = 1, reach[OB_WALK_OPERANDS] = { 0 };
    for (int d = 0; d < w->rank; d++) {
        if (d == OB_WALK_DIMS || w->size[d] > REACH_LIMIT / numel) return d;
        numel *= w->size[d];
        for (int p = 0; p < w->n; p++) {
            const int64_t stride = llabs(w->stride[p][d]), last = w->size[d] - 1;
            if (last > 0 && stride > (REACH_LIMIT - reach[p]) / last) return d;
            reach[p] += stride * last;
        }
    }
    return w->rank;
}

/* Elements of dim 0 that one step takes when a whole dim does not fit. */
static int64_t piece_of(const ob_cl_walk *w)
{
    int64_t piece = PIECE;
    for (int p = 0; p < w->n; p++)
        while (piece > 1 && llabs(w->stride[p][0]) > REACH_LIMIT / piece)
            piece /= 2;
    return piece;
}

static void prepare(ob_cl_walk *w)
{
    w->prepared = true;
    for (int d = 0; d < w->rank; d++)
        if (w->size[d] == 0) w->done = true;
    if (w->done) return;
    order(w);
    merge(w);
    w->inner = inner_dims(w);
    memset(&w->now, 0, sizeof w->now);
}

/* Fill in the step at `index`. */
static void step_fill(ob_cl_walk *w)
{
    ob_walk *k = &w->now;
    const bool piece = w->inner == 0 && w->rank > 0;
    k->rank = w->inner > 0 ? w->inner : 1;
    k->numel = 1;
    for (int d = 0; d < k->rank; d++) {
        int64_t size = d < w->rank ? w->size[d] : 1;
        if (piece && size - w->index[0] > piece_of(w))
            size = piece_of(w);
        else if (piece)
            size -= w->index[0];
        k->size[d] = (ob_i32)size;
        k->numel *= size;
        for (int p = 0; p < w->n; p++)
            k->stride[p][d] = d < w->rank && size > 1 ? (ob_i32)w->stride[p][d] : 0;
    }
    k->dense = k->rank == 1;
    for (int p = 0; p < w->n; p++) {
        k->offset[p] = w->offset[p];
        for (int d = piece ? 0 : w->inner; d < w->rank; d++)
            k->offset[p] += w->index[d] * w->stride[p][d];
        if (k->size[0] > 1 && k->stride[p][0] != 1 && k->stride[p][0] != 0) k->dense = 0;
    }
}

/* Go to the next step; done after the last. */
static void step_advance(ob_cl_walk *w)
{
    int d = w->inner;
    if (d == 0 && w->rank > 0) {
        w->index[0] += w->now.size[0];
        if (w->index[0] < w->size[0]) return;
        w->index[0] = 0;
        d = 1;
    }
    for (; d < w->rank; d++) {
        if (++w->index[d] < w->size[d]) return;
        w->index[d] = 0;
    }
    w->done = true;
}

const ob_walk *ob_cl_walk_next(ob_cl_walk *w)
{
    if (!w->prepared) prepare(w);
    if (w->done) return NULL;
    step_fill(w);
    step_advance(w);
    return &w->now;
}
