/* View ops that return several views, or a view of another dtype, for all backends. PyTorch:
 * aten/src/ATen/native/TensorShape.cpp, TensorConversions.cpp. */
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/copy.h"
#include "ops/views/view.h"

/* Pieces of `self` along `dim`, one per length; remove: each is one index, and the dim goes. */
typedef struct pieces {
    const char *op;
    int dim;
    bool remove;
    int64_t n;
    int64_t step;           /* length of each but the last, when `lengths` is NULL */
    const int64_t *lengths; /* n of them, or NULL */
} pieces;

static ob_status make_piece(ob_tensor *self, const pieces *p, int64_t at, int64_t length,
                            ob_tensor **out)
{
    ob_window window;
    ob_window_of(self, &window);
    window.offset += at * window.strides[p->dim];
    window.sizes[p->dim] = length;
    if (p->remove) ob_window_remove(&window, p->dim);
    return ob_window_view(self, &window, out);
}

/* Store the views as the op's result; each a copy when the frame's `user` says so. */
static ob_status make_pieces(ob_frame *frame, const pieces *p)
{
    ob_tensor *self = frame->args[0].u.tensor;
    const int64_t extent = ob_tensor_sizes(self)[p->dim];
    ob_tensor **list = ob_alloc((size_t)p->n ? (size_t)p->n : 1, sizeof(ob_tensor *));
    if (!list) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %lld views", p->op, (long long)p->n);
    /* The list belongs to the result from here on, so the dispatcher releases it on failure. */
    frame->results[0] = ob_value_tensors((ob_tensors){ list, p->n });
    int64_t at = 0;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t length = p->lengths ? p->lengths[i] : p->step;
        if (!p->lengths && length > extent - at) length = extent - at;
        OB_TRY(make_piece(self, p, at, length, &list[i]));
        at += length;
        if (!frame->user) continue;
        ob_tensor *window = list[i];
        const ob_copy_to to = { ob_tensor_dtype(window), ob_tensor_device(window),
                                OB_MEMORY_FORMAT_CONTIGUOUS };
        const ob_status st = ob_copy_of(window, to, &list[i]);
        ob_tensor_release(window);
        if (st != OB_OK) return st;
    }
    return OB_OK;
}

/* Find the dim of a call that cuts self; self must have one. */
static ob_status cut_dim(const char *op, const ob_frame *frame, const ob_value *dim, int *out)
{
    const int rank = ob_tensor_rank(frame->args[0].u.tensor);
    if (rank == 0) return OB_FAIL(OB_ERR_ARG, "%s: self has no dims, so it cannot be cut", op);
    return ob_shape_wrap_dim(op, dim->u.i, rank, out);
}

static ob_status split(ob_frame *frame)
{
    pieces p = { .op = "split", .step = frame->args[1].u.i };
    OB_TRY(cut_dim(p.op, frame, &frame->args[2], &p.dim));
    const int64_t extent = ob_tensor_sizes(frame->args[0].u.tensor)[p.dim];
    if (p.step < 0 || (p.step == 0 && extent > 0))
        return OB_FAIL(OB_ERR_ARG,
                       "%s: the split size is %lld, for an extent of %lld it must be "
                       "positive",
                       p.op, (long long)p.step, (long long)extent);
    p.n = extent == 0 ? 1 : extent / p.step + (extent % p.step != 0);
    return make_pieces(frame, &p);
}

static ob_status split_with_sizes(ob_frame *frame)
{
    const ob_value *sizes = &frame->args[1];
    pieces p = { .op = "split_with_sizes", .n = sizes->count, .lengths = sizes->u.ints };
    OB_TRY(cut_dim(p.op, frame, &frame->args[2], &p.dim));
    const int64_t extent = ob_tensor_sizes(frame->args[0].u.tensor)[p.dim];
    int64_t left = extent;
    for (int64_t i = 0; i < p.n; i++) {
        if (p.lengths[i] < 0 || p.lengths[i] > left)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: size %lld of piece %lld does not fit: %lld of the "
                           "extent %lld are left",
                           p.op, (long long)p.lengths[i], (long long)i, (long long)left,
                           (long long)extent);
        left -= p.lengths[i];
    }
    if (left != 0)
        return OB_FAIL(OB_ERR_ARG, "%s: the sizes add up to %lld, the extent of dim %d is %lld",
                       p.op, (long long)(extent - left), p.dim, (long long)extent);
    return make_pieces(frame, &p);
}

static ob_status unbind(ob_frame *frame)
{
    pieces p = { .op = "unbind", .remove = true, .step = 1 };
    OB_TRY(cut_dim(p.op, frame, &frame->args[1], &p.dim));
    p.n = ob_tensor_sizes(frame->args[0].u.tensor)[p.dim];
    return make_pieces(frame, &p);
}

/* Rows: each has a view op and a _copy op. */
static const struct {
    const char *view, *copy;
    ob_kernel_fn fn;
} rows[] = {
    { "split.Tensor", "split_copy.Tensor", split },
    { "split_with_sizes", "split_with_sizes_copy", split_with_sizes },
    { "unbind.int", "unbind_copy.int", unbind },
};

static ob_status install(void)
{
    static char copies; /* address: `user` of kernels that copy their pieces */
    for (size_t i = 0; i < OB_COUNT(rows); i++) {
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, rows[i].view, rows[i].fn, NULL);
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutogradNonFunctional, rows[i].copy, rows[i].fn,
                        &copies);
    }
    ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, "unsafe_split.Tensor", split, NULL);
    ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, "unsafe_split_with_sizes", split_with_sizes,
                    NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
