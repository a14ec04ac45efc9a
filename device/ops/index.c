/* gather, index_select, embedding. Kernels: kernels/index.cl. PyTorch:
 * native/TensorAdvancedIndexing.cpp, Embedding.cpp. */
#include <pthread.h>
#include <string.h>

#include "device/launch.h"
#include "device/native.h"
#include "device/walk.h"

enum { INDEX_CHUNK = 4096 }; /* elements that are worth a work-item */

static const ob_cl_program index_program = { "index", { "prelude.cl", "index.cl" }, NULL, NULL };
static ob_cl_site pick_i64 = OB_CL_SITE(&index_program, "pick_i64");
static ob_cl_site pick_i32 = OB_CL_SITE(&index_program, "pick_i32");

/* The word that kernels set when an index is out of range; lives until the process ends or the
 * device closes. */
static struct {
    pthread_mutex_t lock;
    ob_buffer *word;
} fault = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Read the word after the work that may have set it, and clear it. */
static ob_status fault_check(void)
{
    const int32_t clear = 0;
    int32_t hit = 0;
    pthread_mutex_lock(&fault.lock);
    ob_buffer *word = fault.word;
    fault.word = NULL;
    ob_status st = word ? ob_cl_read(word, 0, &hit, sizeof hit) : OB_OK;
    if (st == OB_OK && hit) st = ob_cl_write(word, 0, &clear, sizeof clear);
    ob_cl_scratch_free(word);
    pthread_mutex_unlock(&fault.lock);
    if (st == OB_OK && hit)
        return OB_FAIL(OB_ERR_ARG,
                       "an index of an earlier gather, index_select or embedding is out of range");
    return st;
}

/* The word, made and cleared when there is none; a check is noted. */
static ob_status fault_word(ob_buffer **out)
{
    const int32_t clear = 0;
    ob_status st = OB_OK;
    pthread_mutex_lock(&fault.lock);
    if (!fault.word) {
        st = ob_cl_scratch(sizeof clear, &fault.word);
        if (st == OB_OK) st = ob_cl_write(fault.word, 0, &clear, sizeof clear);
    }
    *out = fault.word;
    pthread_mutex_unlock(&fault.lock);
    if (st == OB_OK) ob_cl_check_later(fault_check);
    return st;
}

/* What to pick from, by which index. */
typedef struct pick {
    ob_tensor *out;
    const ob_tensor *self, *index;
    int64_t self_strides[OB_MAX_RANK], index_strides[OB_MAX_RANK]; /* by dims of out */
    int64_t extent, step; /* of the dim that is picked from */
    int wraps;            /* 1: indices count from the end too */
} pick;

static ob_dtype mover_of(ob_dtype dtype)
{
    static const ob_dtype movers[] = { [1] = OB_U8, [2] = OB_I16, [4] = OB_I32, [8] = OB_I64 };
    return movers[ob_dtype_bytes(dtype)];
}

static ob_status pick_run(const pick *p)
{
    ob_cl_site *site = ob_tensor_dtype(p->index) == OB_I32 ? &pick_i32 : &pick_i64;
    const ob_i64 extent = p->extent, step = p->step;
    const ob_i32 wraps = p->wraps;
    ob_buffer *word;
    ob_cl_kernel *k;
    ob_cl_walk walk;
    if (ob_tensor_numel(p->out) == 0) return OB_OK;
    OB_TRY(fault_word(&word));
    OB_TRY(ob_cl_kernel_get(site, mover_of(ob_tensor_dtype(p->out)), &k));
    ob_cl_walk_begin(&walk, ob_tensor_sizes(p->out), ob_tensor_rank(p->out));
    ob_cl_walk_add(&walk, p->out);
    ob_cl_walk_add_strided(&walk, p->self_strides, ob_tensor_offset(p->self));
    ob_cl_walk_add_strided(&walk, p->index_strides, ob_tensor_offset(p->index));
    for (const ob_walk *w; (w = ob_cl_walk_next(&walk)) != NULL;)
        OB_TRY(OB_LAUNCH(k, ob_cl_range_chunks(w->numel, INDEX_CHUNK), BUF(p->out), BUF(p->self),
                         BUF(p->index), MEM(word), VAL(*w), VAL(extent), VAL(step), VAL(wraps)));
    return OB_OK;
}

/* out, self and index by dims of self, with the picked dim left out of self's strides. */
static pick pick_along(const ob_frame *frame)
{
    pick p = { .out = frame->results[0].u.tensor,
               .self = frame->args[0].u.tensor,
               .index = frame->args[2].u.tensor,
               .extent = 1,
               .wraps = 1 };
    const int rank = ob_tensor_rank(p.self);
    const int64_t dim = frame->args[1].u.i < 0 ? frame->args[1].u.i + rank : frame->args[1].u.i;
    if (rank == 0) return p;
    memcpy(p.self_strides, ob_tensor_strides(p.self), (size_t)rank * sizeof(int64_t));
    p.extent = ob_tensor_sizes(p.self)[dim];
    p.step = p.self_strides[dim];
    p.self_strides[dim] = 0;
    return p;
}

/* gather(self, dim, index, sparse_grad) */
ob_status ob_cl_op_gather(ob_frame *frame)
{
    pick p = pick_along(frame);
    const int rank = ob_tensor_rank(p.index);
    if (rank != ob_tensor_rank(p.self)) return OB_ERR_DECLINED;
    memcpy(p.index_strides, ob_tensor_strides(p.index), (size_t)rank * sizeof(int64_t));
    return pick_run(&p);
}

/* index_select(self, dim, index) */
ob_status ob_cl_op_index_select(ob_frame *frame)
{
    pick p = pick_along(frame);
    const int rank = ob_tensor_rank(p.self);
    if (rank == 0) return OB_ERR_DECLINED;
    const int64_t dim = frame->args[1].u.i < 0 ? frame->args[1].u.i + rank : frame->args[1].u.i;
    p.index_strides[dim] = ob_tensor_rank(p.index) ? ob_tensor_strides(p.index)[0] : 0;
    return pick_run(&p);
}

/* embedding(weight, indices, ...): out is [..., width] */
ob_status ob_cl_op_embedding(ob_frame *frame)
{
    pick p = { .out = frame->results[0].u.tensor,
               .self = frame->args[0].u.tensor,
               .index = frame->args[1].u.tensor };
    const int rank = ob_tensor_rank(p.index);
    p.self_strides[rank] = ob_tensor_strides(p.self)[1];
    memcpy(p.index_strides, ob_tensor_strides(p.index), (size_t)rank * sizeof(int64_t));
    p.extent = ob_tensor_sizes(p.self)[0];
    p.step = ob_tensor_strides(p.self)[0];
    return pick_run(&p);
}
