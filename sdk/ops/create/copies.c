/* Ops that copy: copy_, clone, _to_copy, _copy_from, and reading one element, for all backends.
 * A backend that registers copy_ is asked by ob_copy_into() for same-device copies only. PyTorch:
 * aten/src/ATen/native/Copy.cpp, TensorConversions.cpp, Scalar.cpp. */
#include "core/tensor/copy.h"

#include <string.h>

#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/call.h"
#include "ops/create/copy.h"
#include "ops/structured/overlap.h"

static ob_status give_back(ob_frame *frame, ob_tensor *t)
{
    frame->results[0] = ob_value_tensor(ob_tensor_retain(t));
    return OB_OK;
}

/* Copy into `dst`, which the user gave, and make it the result. */
static ob_status write_to(ob_frame *frame, ob_tensor *dst, ob_tensor *src)
{
    OB_TRY(ob_overlap_check_internal("copy_", dst));
    OB_TRY(ob_overlap_check_partial("copy_", dst, src));
    OB_TRY(ob_copy_into(dst, src));
    ob_tensor_bump_version(dst);
    return give_back(frame, dst);
}

/* copy_(self, src, non_blocking); also what runs in front of every backend's own copy_. */
static ob_status copy_(ob_frame *frame)
{
    return write_to(frame, frame->args[0].u.tensor, frame->args[1].u.tensor);
}

/* _copy_from(self, dst, non_blocking) */
static ob_status copy_from(ob_frame *frame)
{
    return write_to(frame, frame->args[1].u.tensor, frame->args[0].u.tensor);
}

/* _copy_from_and_resize(self, dst) */
static ob_status copy_from_and_resize(ob_frame *frame)
{
    ob_tensor *self = frame->args[0].u.tensor, *dst = frame->args[1].u.tensor;
    const int rank = ob_tensor_rank(self);
    bool same = rank == ob_tensor_rank(dst);
    for (int d = 0; d < rank && same; d++)
        same = ob_tensor_sizes(self)[d] == ob_tensor_sizes(dst)[d];
    if (!same) {
        int64_t strides[OB_MAX_RANK];
        ob_shape_dense_strides(ob_tensor_sizes(self), rank, strides);
        OB_TRY(ob_tensor_set_window(dst, (ob_ints){ ob_tensor_sizes(self), rank },
                                    (ob_ints){ strides, rank }, ob_tensor_offset(dst), true));
    }
    return write_to(frame, dst, self);
}

/* A new tensor like args[0]; `to.format` NONE means PRESERVE. */
static ob_status make_copy(ob_frame *frame, ob_copy_to to)
{
    ob_tensor *made = NULL;
    if (to.format == OB_MEMORY_FORMAT_NONE) to.format = OB_MEMORY_FORMAT_PRESERVE;
    OB_TRY(ob_copy_of(frame->args[0].u.tensor, to, &made));
    frame->results[0] = ob_value_tensor(made);
    return OB_OK;
}

static ob_memory_format format_of(const ob_value *v)
{
    return v->tag == OB_VALUE_NONE ? OB_MEMORY_FORMAT_NONE : (ob_memory_format)v->u.i;
}

/* clone(self, memory_format) */
static ob_status clone(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    return make_copy(frame, (ob_copy_to){ ob_tensor_dtype(self), ob_tensor_device(self),
                                          format_of(&frame->args[1]) });
}

/* _to_copy(self, dtype, layout, device, pin_memory, non_blocking, memory_format) */
static ob_status to_copy(ob_frame *frame)
{
    const ob_value *args = frame->args;
    const ob_tensor *self = args[0].u.tensor;
    ob_copy_to to = { ob_tensor_dtype(self), ob_tensor_device(self), format_of(&args[6]) };
    if (args[1].tag != OB_VALUE_NONE) to.dtype = (ob_dtype)args[1].u.i;
    if (args[3].tag != OB_VALUE_NONE) to.device = args[3].u.device;
    if (!ob_dtype_is_known(to.dtype))
        return OB_FAIL(OB_ERR_DTYPE, "_to_copy: %s is not a dtype of Outboard",
                       ob_dtype_name(to.dtype));
    if (args[2].tag != OB_VALUE_NONE && args[2].u.i != OB_LAYOUT_STRIDED)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "_to_copy: layout %lld; only strided tensors exist here",
                       (long long)args[2].u.i);
    return make_copy(frame, to);
}

/* lift(self), lift_fresh: the tensor itself */
static ob_status lift(ob_frame *frame)
{
    return give_back(frame, frame->args[0].u.tensor);
}

/* The element of a tensor that has one, as a number. */
static ob_status read_scalar(const ob_tensor *t, ob_value *out)
{
    unsigned char bytes[16];
    const ob_dtype dtype = ob_tensor_dtype(t);
    OB_TRY(ob_tensor_read(t, bytes, ob_dtype_bytes(dtype)));
    if (dtype == OB_C64) {
        ob_complex64 c;
        memcpy(&c, bytes, sizeof c);
        *out = ob_value_scalar(ob_complex((double)c.re, (double)c.im));
    } else if (ob_dtype_kind(dtype) == OB_KIND_FLOAT) {
        double d = 0;
        ob_convert_element(&d, OB_F64, bytes, dtype);
        *out = ob_value_double(d);
    } else {
        int64_t i = 0;
        ob_convert_element(&i, OB_I64, bytes, dtype);
        *out = dtype == OB_BOOL ? ob_value_bool(i != 0) : ob_value_int(i);
    }
    return OB_OK;
}

/* _local_scalar_dense(self) */
static ob_status local_scalar_dense(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    if (ob_tensor_numel(self) != 1)
        return OB_FAIL(OB_ERR_ARG,
                       "item: self has %lld elements; only a tensor of one element has "
                       "an item",
                       (long long)ob_tensor_numel(self));
    if (ob_tensor_is_meta(self))
        return OB_FAIL(OB_ERR_ARG, "item: self is a meta tensor and has no values");
    return read_scalar(self, &frame->results[0]);
}

/* item(self) */
static ob_status item(ob_frame *frame)
{
    return ob_row_call(OB_ROW_local_scalar_dense, frame->args, frame->results);
}

/* fill_.Tensor(self, value) */
static ob_status fill_tensor(ob_frame *frame)
{
    ob_value args[] = { frame->args[0], ob_value_none() };
    if (ob_tensor_rank(frame->args[1].u.tensor) > 0)
        return OB_FAIL(OB_ERR_ARG, "fill_: the value has %d dims, it must have none",
                       ob_tensor_rank(frame->args[1].u.tensor));
    OB_TRY(ob_row_call(OB_ROW_local_scalar_dense, &frame->args[1], &args[1]));
    return ob_row_call(OB_ROW_fill_scalar_, args, frame->results);
}

static const struct {
    const char *name;
    ob_kernel_fn fn;
} rows[] = {
    { "copy_", copy_ },
    { "fill_.Tensor", fill_tensor },
    { "_copy_from", copy_from },
    { "_copy_from_and_resize", copy_from_and_resize },
    { "clone", clone },
    { "_to_copy", to_copy },
    { "lift", lift },
    { "_local_scalar_dense", local_scalar_dense },
};

static ob_status install(void)
{
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, rows[i].name, rows[i].fn, NULL);
    ob_batch_add_fn(OB_KEY_CompositeImplicitAutograd, "item", item, NULL);
    return ob_batch_commit();
}

static ob_status wrap(void)
{
    return ob_op_set_wrapper(ob_aten_op(OB_ROW_copy_), copy_);
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, wrap);
    ob_init_hook(OB_INIT_KERNELS, install);
}
