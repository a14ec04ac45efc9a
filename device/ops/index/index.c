/* Picking elements by indices: gather, index_select, embedding, index.Tensor. Outputs have the
 * sizes of sdk/ops/rules/index.c; an index out of range is reported by the next synchronize or
 * read. Kernels: kernels/index.cl. PyTorch: native/TensorAdvancedIndexing.cpp. */
#include "device/ops/index/index.h"

#include <string.h>

#include "device/native.h"
#include "device/ops/copy.h"
#include "device/ops/index/watch.h"

enum { CHUNK = 4096 }; /* elements that are worth a work-item */

const ob_cl_program ob_cl_index_program = { "index", { "prelude.cl", "index.cl" }, NULL, NULL };

static ob_cl_site pick = OB_CL_SITE(&ob_cl_index_program, "pick");

void ob_cl_picks_begin(ob_cl_picks *c, const char *op, bool wraps)
{
    memset(c, 0, sizeof *c);
    c->p.name = ob_cl_watch_name(op);
    c->p.wraps = wraps;
}

void ob_cl_picks_shape(ob_cl_picks *c, const int64_t *sizes, int rank)
{
    c->rank = rank;
    for (int d = 0; d < rank; d++)
        c->sizes[d] = sizes[d];
}

void ob_cl_picks_strides(const ob_cl_picks *c, const ob_tensor *t, int64_t *strides)
{
    const int lead = c->rank - ob_tensor_rank(t);
    for (int d = 0; d < c->rank; d++) {
        const bool spread = d < lead || ob_tensor_sizes(t)[d - lead] == 1;
        strides[d] = spread ? 0 : ob_tensor_strides(t)[d - lead];
    }
}

int64_t *ob_cl_picks_add(ob_cl_picks *c, const ob_tensor *index, const ob_tensor *self, int dim)
{
    const int64_t k = c->p.n++;
    const bool scalar = ob_tensor_rank(self) == 0;
    c->index[k] = index;
    c->p.step[k] = scalar ? 0 : ob_tensor_strides(self)[dim];
    c->p.extent[k] = scalar ? 1 : ob_tensor_sizes(self)[dim];
    if (ob_tensor_dtype(index) == OB_I64) c->p.wide |= INT64_C(1) << k;
    return c->index_strides[k];
}

static ob_status launch(const ob_cl_picks *c, ob_cl_kernel *k, ob_buffer *watch, bool serial)
{
    const ob_tensor *any = c->index[0] ? c->index[0] : c->written;
    const ob_tensor *read = c->read ? c->read : c->written, *index[OB_PICKS];
    for (int i = 0; i < OB_PICKS; i++)
        index[i] = c->index[i] ? c->index[i] : any;
    const ob_picks p = c->p;
    const ob_cl_range range =
        serial ? ob_cl_range_items(1, 1, 1) : ob_cl_range_chunks(p.w.numel, CHUNK);
    return OB_LAUNCH(k, range, BUF(c->written), BUF(read), BUF(index[0]), BUF(index[1]),
                     BUF(index[2]), BUF(index[3]), MEM(watch), VAL(p));
}

ob_status ob_cl_picks_run(ob_cl_picks *c, ob_cl_site *site, ob_dtype dtype, bool serial)
{
    ob_cl_kernel *k;
    ob_cl_walk walk;
    OB_TRY(ob_cl_kernel_get(site, dtype, &k));
    ob_cl_walk_begin(&walk, c->sizes, c->rank);
    ob_cl_walk_add_strided(&walk, c->written_strides, ob_tensor_offset(c->written));
    ob_cl_walk_add_strided(&walk, c->read_strides, c->read ? ob_tensor_offset(c->read) : 0);
    for (int64_t i = 0; i < c->p.n; i++)
        ob_cl_walk_add_strided(&walk, c->index_strides[i], ob_tensor_offset(c->index[i]));
    for (const ob_walk *w; (w = ob_cl_walk_next(&walk)) != NULL;) {
        ob_buffer *watch;
        c->p.w = *w;
        OB_TRY(ob_cl_watch_get(&watch));
        OB_TRY(launch(c, k, watch, serial));
    }
    return OB_OK;
}

static int wrapped(int64_t dim, int rank)
{
    return (int)(dim < 0 ? dim + (rank ? rank : 1) : dim);
}

static ob_status run_pick(ob_cl_picks *c)
{
    if (ob_tensor_numel(c->written) == 0) return OB_OK;
    return ob_cl_picks_run(c, &pick, ob_cl_mover_of(ob_tensor_dtype(c->written)), false);
}

/* gather(self, dim, index): out[i, j] = self[index[i, j], j] */
ob_status ob_cl_op_gather(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *index = frame->args[2].u.tensor;
    const int rank = ob_tensor_rank(index), dim = wrapped(frame->args[1].u.i, rank);
    ob_cl_picks c;
    ob_cl_picks_begin(&c, "gather", false);
    ob_cl_picks_shape(&c, ob_tensor_sizes(index), rank);
    c.written = frame->results[0].u.tensor;
    c.read = self;
    ob_cl_picks_strides(&c, c.written, c.written_strides);
    ob_cl_picks_strides(&c, index, ob_cl_picks_add(&c, index, self, dim));
    for (int d = 0; d < rank && d < ob_tensor_rank(self); d++)
        c.read_strides[d] = d == dim ? 0 : ob_tensor_strides(self)[d];
    return run_pick(&c);
}

/* index_select(self, dim, index): out's slice i is self's slice index[i] */
ob_status ob_cl_op_index_select(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *index = frame->args[2].u.tensor;
    const int rank = ob_tensor_rank(self), dim = wrapped(frame->args[1].u.i, rank);
    ob_cl_picks c;
    ob_cl_picks_begin(&c, "index_select", false);
    c.written = frame->results[0].u.tensor;
    c.read = self;
    ob_cl_picks_shape(&c, ob_tensor_sizes(c.written), rank);
    ob_cl_picks_strides(&c, c.written, c.written_strides);
    int64_t *strides = ob_cl_picks_add(&c, index, self, dim);
    if (rank > 0 && ob_tensor_rank(index) > 0) strides[dim] = ob_tensor_strides(index)[0];
    for (int d = 0; d < rank; d++)
        c.read_strides[d] = d == dim ? 0 : ob_tensor_strides(self)[d];
    return run_pick(&c);
}

/* embedding(weight, indices): rows of weight */
ob_status ob_cl_op_embedding(ob_frame *frame)
{
    const ob_tensor *weight = frame->args[0].u.tensor, *index = frame->args[1].u.tensor;
    const int rank = ob_tensor_rank(index);
    ob_cl_picks c;
    ob_cl_picks_begin(&c, "embedding", false);
    c.written = frame->results[0].u.tensor;
    c.read = weight;
    ob_cl_picks_shape(&c, ob_tensor_sizes(c.written), rank + 1);
    ob_cl_picks_strides(&c, c.written, c.written_strides);
    int64_t *strides = ob_cl_picks_add(&c, index, weight, 0);
    for (int d = 0; d < rank; d++)
        strides[d] = ob_tensor_strides(index)[d];
    c.read_strides[rank] = ob_tensor_strides(weight)[1];
    return run_pick(&c);
}

/* ---- lists of indices ---- */

/* Broadcast the extents of one index, at the end of `sizes`. */
static void broadcast(const ob_tensor *index, int64_t *sizes, int *rank)
{
    const int n = ob_tensor_rank(index);
    for (; *rank < n; ++*rank)
        for (int d = *rank; d >= 0; d--)
            sizes[d] = d > 0 ? sizes[d - 1] : 1;
    for (int d = 0; d < n; d++)
        if (ob_tensor_sizes(index)[d] != 1) sizes[*rank - n + d] = ob_tensor_sizes(index)[d];
}

/* Where the indices' dims stand in the result: *first, in dims of self; 0 when something lies
 * between two of them. */
static int64_t count_indices(const ob_value *list, int *first)
{
    int64_t n = 0;
    uint32_t last = 0;
    *first = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!list->u.tensors[i]) continue;
        if (n++ == 0) *first = (int)i;
        last = i;
    }
    if (n != (int64_t)last - *first + 1) *first = 0;
    return n;
}

ob_status ob_cl_picks_of_list(ob_cl_picks *c, const ob_tensor *self, const ob_value *list,
                              int64_t *self_strides)
{
    int64_t sizes[OB_MAX_RANK] = { 0 };
    int first, n = 0;
    if (count_indices(list, &first) > OB_PICKS) return OB_ERR_DECLINED;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->u.tensors[i]) broadcast(list->u.tensors[i], sizes, &n);
    c->rank = 0;
    for (int d = 0; d <= ob_tensor_rank(self); d++) {
        if (d == first)
            for (int i = 0; i < n; i++)
                c->sizes[c->rank++] = sizes[i];
        if (d == ob_tensor_rank(self)) break;
        if ((uint32_t)d < list->count && list->u.tensors[d]) continue;
        self_strides[c->rank] = ob_tensor_strides(self)[d];
        c->sizes[c->rank++] = ob_tensor_sizes(self)[d];
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const ob_tensor *index = list->u.tensors[i];
        if (!index) continue;
        int64_t *strides = ob_cl_picks_add(c, index, self, (int)i) + first + n;
        for (int d = 1; d <= ob_tensor_rank(index); d++)
            if (ob_tensor_size(index, -d) != 1)
                *(strides - d) = ob_tensor_strides(index)[ob_tensor_rank(index) - d];
    }
    return OB_OK;
}

/* index.Tensor(self, indices); masks have become indices before. */
ob_status ob_cl_op_index(ob_frame *frame)
{
    ob_cl_picks c;
    ob_cl_picks_begin(&c, "index", true);
    c.read = frame->args[0].u.tensor;
    c.written = frame->results[0].u.tensor;
    OB_TRY(ob_cl_picks_of_list(&c, c.read, &frame->args[1], c.read_strides));
    ob_cl_picks_strides(&c, c.written, c.written_strides);
    return run_pick(&c);
}
