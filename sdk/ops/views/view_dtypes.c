/* Views that read the same bytes as another dtype: view.dtype, view_as_real, view_as_complex, for
 * all backends. PyTorch: aten/src/ATen/native/TensorConversions.cpp, ComplexHelper.h. */
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/copy.h"
#include "ops/views/view.h"

/* Turn the window, in elements of `from`, into one in elements of `to` bytes wide. */
static ob_status rescale(const char *op, ob_window *w, int64_t from, int64_t to)
{
    const int last = w->rank - 1;
    if (from == to) return OB_OK;
    if (w->rank == 0 || w->strides[last] != 1)
        return OB_FAIL(OB_ERR_ARG,
                       "%s: elements of %lld bytes become ones of %lld, so the last dim "
                       "must exist and have stride 1",
                       op, (long long)from, (long long)to);
    if (from > to) {
        const int64_t ratio = from / to;
        w->sizes[last] *= ratio;
        w->offset *= ratio;
        for (int d = 0; d < last; d++)
            w->strides[d] *= ratio;
        return OB_OK;
    }
    const int64_t ratio = to / from;
    bool fits = w->sizes[last] % ratio == 0 && w->offset % ratio == 0;
    for (int d = 0; d < last; d++)
        fits = fits && (w->strides[d] % ratio == 0 || w->sizes[d] == 1);
    if (!fits)
        return OB_FAIL(OB_ERR_ARG,
                       "%s: the last extent (%lld), the offset (%lld) and the other "
                       "strides must be multiples of %lld",
                       op, (long long)w->sizes[last], (long long)w->offset, (long long)ratio);
    w->sizes[last] /= ratio;
    w->offset /= ratio;
    for (int d = 0; d < last; d++)
        w->strides[d] /= ratio;
    return OB_OK;
}

/* Store the view; a copy when the frame's `user` says so. */
static ob_status finish(ob_frame *frame, ob_dtype dtype, const ob_window *w)
{
    ob_tensor *view = NULL, *made = NULL;
    OB_TRY(ob_tensor_view_dtype(frame->args[0].u.tensor, dtype, (ob_ints){ w->sizes, w->rank },
                                (ob_ints){ w->strides, w->rank }, w->offset, &view));
    if (!frame->user) {
        frame->results[0] = ob_value_tensor(view);
        return OB_OK;
    }
    const ob_copy_to to = { dtype, ob_tensor_device(view), OB_MEMORY_FORMAT_CONTIGUOUS };
    const ob_status st = ob_copy_of(view, to, &made);
    ob_tensor_release(view);
    frame->results[0] = ob_value_tensor(made);
    return st;
}

static ob_status view_dtype(ob_frame *frame)
{
    ob_window w;
    const ob_tensor *self = frame->args[0].u.tensor;
    const ob_dtype dtype = (ob_dtype)frame->args[1].u.i;
    if (!ob_dtype_is_known(dtype))
        return OB_FAIL(OB_ERR_DTYPE, "view: %s is not a dtype of Outboard", ob_dtype_name(dtype));
    ob_window_of(self, &w);
    OB_TRY(rescale("view", &w, (int64_t)ob_dtype_bytes(ob_tensor_dtype(self)),
                   (int64_t)ob_dtype_bytes(dtype)));
    return finish(frame, dtype, &w);
}

static ob_status view_as_real(ob_frame *frame)
{
    ob_window w;
    const ob_tensor *self = frame->args[0].u.tensor;
    if (ob_tensor_dtype(self) != OB_C64)
        return OB_FAIL(OB_ERR_DTYPE, "view_as_real: self is %s, it must be complex64",
                       ob_dtype_name(ob_tensor_dtype(self)));
    ob_window_of(self, &w);
    w.offset *= 2;
    for (int d = 0; d < w.rank; d++)
        w.strides[d] *= 2;
    OB_TRY(ob_window_insert("view_as_real", &w, w.rank, 2, 1));
    return finish(frame, OB_F32, &w);
}

static ob_status view_as_complex(ob_frame *frame)
{
    ob_window w;
    const ob_tensor *self = frame->args[0].u.tensor;
    ob_window_of(self, &w);
    const int last = w.rank - 1;
    bool fits = ob_tensor_dtype(self) == OB_F32 && w.rank > 0 && w.sizes[last] == 2 &&
                w.strides[last] == 1 && w.offset % 2 == 0;
    for (int d = 0; d < last && fits; d++)
        fits = w.strides[d] % 2 == 0;
    if (!fits)
        return OB_FAIL(OB_ERR_ARG,
                       "view_as_complex: self must be float32 with a last dim of extent "
                       "2 and stride 1, and even strides and offset before it");
    ob_window_remove(&w, last);
    w.offset /= 2;
    for (int d = 0; d < w.rank; d++)
        w.strides[d] /= 2;
    return finish(frame, OB_C64, &w);
}

/* Rows: each has a view op and a _copy op. */
static const struct {
    const char *view, *copy;
    ob_kernel_fn fn;
} rows[] = {
    { "view.dtype", "view_copy.dtype", view_dtype },
    { "view_as_real", "view_as_real_copy", view_as_real },
    { "view_as_complex", "view_as_complex_copy", view_as_complex },
};

static ob_status install(void)
{
    static char copies; /* address: `user` of kernels that copy their view */
    for (size_t i = 0; i < OB_COUNT(rows); i++) {
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, rows[i].view, rows[i].fn, NULL);
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutogradNonFunctional, rows[i].copy, rows[i].fn,
                        &copies);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
