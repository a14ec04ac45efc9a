/* Questions about a tensor's metadata, and ops that change its window: size, stride, numel ...,
 * resize_, set_. For all backends. PyTorch: aten/src/ATen/native/TensorProperties.cpp, Resize.cpp.
 */
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/call.h"
#include "ops/create/copy.h"

static ob_tensor *self_of(const ob_frame *frame)
{
    return frame->args[0].u.tensor;
}

/* Extent or stride of the dim in args[1]. */
static ob_status of_dim(ob_frame *frame, const char *op, const int64_t *values)
{
    int d = 0;
    const int rank = ob_tensor_rank(self_of(frame));
    if (rank == 0) return OB_FAIL(OB_ERR_ARG, "%s: self has no dims", op);
    OB_TRY(ob_shape_wrap_dim(op, frame->args[1].u.i, rank, &d));
    frame->results[0] = ob_value_int(values[d]);
    return OB_OK;
}

static ob_status size(ob_frame *frame)
{
    return of_dim(frame, "size", ob_tensor_sizes(self_of(frame)));
}

static ob_status stride(ob_frame *frame)
{
    return of_dim(frame, "stride", ob_tensor_strides(self_of(frame)));
}

static ob_status numel(ob_frame *frame)
{
    frame->results[0] = ob_value_int(ob_tensor_numel(self_of(frame)));
    return OB_OK;
}

static ob_status dim(ob_frame *frame)
{
    frame->results[0] = ob_value_int(ob_tensor_rank(self_of(frame)));
    return OB_OK;
}

static ob_status storage_offset(ob_frame *frame)
{
    frame->results[0] = ob_value_int(ob_tensor_offset(self_of(frame)));
    return OB_OK;
}

static ob_status version(ob_frame *frame)
{
    frame->results[0] = ob_value_int((int64_t)ob_tensor_version(self_of(frame)));
    return OB_OK;
}

/* is_contiguous(self), with a memory format or without */
static ob_status is_contiguous(ob_frame *frame)
{
    const ob_memory_format format =
        frame->n_args > 1 ? (ob_memory_format)frame->args[1].u.i : OB_MEMORY_FORMAT_CONTIGUOUS;
    frame->results[0] = ob_value_bool(ob_format_fits(self_of(frame), format));
    return OB_OK;
}

static ob_status is_floating_point(ob_frame *frame)
{
    frame->results[0] =
        ob_value_bool(ob_dtype_kind(ob_tensor_dtype(self_of(frame))) == OB_KIND_FLOAT);
    return OB_OK;
}

static ob_status is_complex(ob_frame *frame)
{
    frame->results[0] =
        ob_value_bool(ob_dtype_kind(ob_tensor_dtype(self_of(frame))) == OB_KIND_COMPLEX);
    return OB_OK;
}

static ob_status is_signed(ob_frame *frame)
{
    frame->results[0] = ob_value_bool(ob_dtype_is_signed(ob_tensor_dtype(self_of(frame))));
    return OB_OK;
}

static ob_status is_inference(ob_frame *frame)
{
    const ob_keyset keys = ob_tensor_keys(self_of(frame));
    frame->results[0] = ob_value_bool(!ob_keyset_has(keys, OB_KEY_ADInplaceOrView));
    return OB_OK;
}

static bool has_sizes(const ob_tensor *t, ob_ints sizes)
{
    bool same = ob_tensor_rank(t) == sizes.n;
    for (int d = 0; same && d < sizes.n; d++)
        same = ob_tensor_sizes(t)[d] == sizes.data[d];
    return same;
}

static ob_status is_same_size(ob_frame *frame)
{
    const ob_tensor *a = self_of(frame), *b = frame->args[1].u.tensor;
    const ob_ints sizes = { ob_tensor_sizes(b), ob_tensor_rank(b) };
    frame->results[0] = ob_value_bool(has_sizes(a, sizes));
    return OB_OK;
}

/* There are no lazy conjugates, negatives or zero tensors, and no pinned memory. */
static ob_status is_never(ob_frame *frame)
{
    frame->results[0] = ob_value_bool(false);
    return OB_OK;
}

static ob_status itself(ob_frame *frame)
{
    frame->results[0] = ob_value_tensor(ob_tensor_retain(self_of(frame)));
    return OB_OK;
}

/* Resize self to n sizes, and give it back. Without a memory format a tensor of these sizes keeps
 * its strides. */
static ob_status resize_to(ob_frame *frame, ob_ints sizes, const ob_value *format)
{
    int64_t strides[OB_MAX_RANK];
    ob_tensor *self = self_of(frame);
    if (sizes.n > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_ARG, "resize_: %lld dims asked for, at most %d can be",
                       (long long)sizes.n, OB_MAX_RANK);
    if (format->tag == OB_VALUE_NONE && has_sizes(self, sizes)) return itself(frame);
    const ob_memory_format wanted =
        format->tag == OB_VALUE_NONE ? OB_MEMORY_FORMAT_CONTIGUOUS : (ob_memory_format)format->u.i;
    int64_t numel_wanted = 0;
    OB_TRY(ob_shape_numel(sizes.data, (int)sizes.n, &numel_wanted));
    OB_TRY(ob_format_strides(wanted, sizes.data, (int)sizes.n, strides));
    OB_TRY(ob_tensor_set_window(self, sizes, (ob_ints){ strides, sizes.n }, ob_tensor_offset(self),
                                true));
    return itself(frame);
}

/* resize_(self, size, memory_format) */
static ob_status resize_(ob_frame *frame)
{
    const ob_value *size_arg = &frame->args[1];
    return resize_to(frame, (ob_ints){ size_arg->u.ints, size_arg->count }, &frame->args[2]);
}

/* resize_as_(self, the_template, memory_format) */
static ob_status resize_as_(ob_frame *frame)
{
    const ob_tensor *like = frame->args[1].u.tensor;
    ob_value format = frame->args[2];
    if (format.tag != OB_VALUE_NONE && format.u.i == OB_MEMORY_FORMAT_PRESERVE)
        format.u.i = ob_format_of(like);
    return resize_to(frame, (ob_ints){ ob_tensor_sizes(like), ob_tensor_rank(like) }, &format);
}

/* set_.source_Tensor(self, source) */
static ob_status set_source(ob_frame *frame)
{
    OB_TRY(ob_tensor_set_storage(self_of(frame), frame->args[1].u.tensor));
    return itself(frame);
}

/* set_.source_Tensor_storage_offset(self, source, storage_offset, size, stride=[]) */
static ob_status set_source_offset(ob_frame *frame)
{
    const ob_value *a = frame->args;
    int64_t dense[OB_MAX_RANK];
    const ob_ints sizes = { a[3].u.ints, a[3].count };
    ob_ints strides = { a[4].u.ints, a[4].count };
    if (sizes.n > OB_MAX_RANK || (strides.n > 0 && strides.n != sizes.n))
        return OB_FAIL(OB_ERR_ARG, "set_: %lld sizes and %lld strides; as many, at most %d",
                       (long long)sizes.n, (long long)strides.n, OB_MAX_RANK);
    ob_tensor *window = NULL;
    if (strides.n == 0) {
        ob_shape_dense_strides(sizes.data, (int)sizes.n, dense);
        strides = (ob_ints){ dense, sizes.n };
    }
    OB_TRY(ob_tensor_view_of(a[1].u.tensor, sizes, strides, a[2].u.i, &window));
    const ob_status st = ob_tensor_set_storage(a[0].u.tensor, window);
    ob_tensor_release(window);
    return st == OB_OK ? itself(frame) : st;
}

static const struct {
    const char *name;
    ob_key key;
    ob_kernel_fn fn;
} rows[] = {
    { "size.int", OB_KEY_CompositeImplicitAutograd, size },
    { "sym_size.int", OB_KEY_CompositeImplicitAutograd, size },
    { "stride.int", OB_KEY_CompositeImplicitAutograd, stride },
    { "sym_stride.int", OB_KEY_CompositeImplicitAutograd, stride },
    { "numel", OB_KEY_CompositeImplicitAutograd, numel },
    { "sym_numel", OB_KEY_CompositeImplicitAutograd, numel },
    { "dim", OB_KEY_CompositeImplicitAutograd, dim },
    { "storage_offset", OB_KEY_CompositeImplicitAutograd, storage_offset },
    { "sym_storage_offset", OB_KEY_CompositeImplicitAutograd, storage_offset },
    { "_version", OB_KEY_CompositeImplicitAutograd, version },
    { "is_contiguous", OB_KEY_CompositeImplicitAutograd, is_contiguous },
    { "is_contiguous.memory_format", OB_KEY_CompositeImplicitAutograd, is_contiguous },
    { "sym_is_contiguous", OB_KEY_CompositeImplicitAutograd, is_contiguous },
    { "is_floating_point", OB_KEY_CompositeImplicitAutograd, is_floating_point },
    { "is_complex", OB_KEY_CompositeImplicitAutograd, is_complex },
    { "is_signed", OB_KEY_CompositeImplicitAutograd, is_signed },
    { "is_inference", OB_KEY_CompositeImplicitAutograd, is_inference },
    { "is_same_size", OB_KEY_CompositeExplicitAutograd, is_same_size },
    { "is_conj", OB_KEY_CompositeImplicitAutograd, is_never },
    { "is_neg", OB_KEY_CompositeImplicitAutograd, is_never },
    { "_is_zerotensor", OB_KEY_CompositeImplicitAutograd, is_never },
    { "is_pinned", OB_KEY_CompositeExplicitAutograd, is_never },
    { "resolve_conj", OB_KEY_CompositeImplicitAutograd, itself },
    { "resolve_neg", OB_KEY_CompositeImplicitAutograd, itself },
    { "resize_", OB_KEY_CompositeExplicitAutograd, resize_ },
    { "resize_as_", OB_KEY_CompositeExplicitAutograd, resize_as_ },
    { "set_.source_Tensor", OB_KEY_CompositeExplicitAutograd, set_source },
    { "set_.source_Tensor_storage_offset", OB_KEY_CompositeImplicitAutograd, set_source_offset },
};

static ob_status install(void)
{
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        ob_batch_add_fn(rows[i].key, rows[i].name, rows[i].fn, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
