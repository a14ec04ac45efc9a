/* copy_ on the CPU: a strided conversion. Called by sdk/ops/create/copy.c with self and src of the
 * same sizes (src expanded) and results[0] = self. */
#include "core/tensor/copy.h"

#include "dispatch/table/optable.h"
#include "ops/batch.h"

static ob_span span_of(const ob_tensor *t)
{
    return (ob_span){ ob_tensor_data(t), ob_tensor_strides(t), ob_tensor_dtype(t) };
}

static ob_status copy_(ob_frame *frame)
{
    const ob_tensor *src = frame->args[1].u.tensor, *dst = frame->results[0].u.tensor;
    ob_copy_strided(span_of(dst), span_of(src), ob_tensor_sizes(dst), ob_tensor_rank(dst));
    return OB_OK;
}

/* fill_.Scalar(self, value), zero_(self) */
static ob_status fill_(ob_frame *frame)
{
    const ob_tensor *out = frame->results[0].u.tensor;
    const ob_scalar value = frame->n_args > 1 ? ob_value_as_scalar(&frame->args[1]) : ob_int(0);
    if (ob_tensor_numel(out) > 0)
        ob_fill_strided(span_of(out), ob_tensor_sizes(out), ob_tensor_rank(out), value);
    return OB_OK;
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "copy_", copy_, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "fill_.Scalar", fill_, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "zero_", fill_, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
