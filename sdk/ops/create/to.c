/* Conversions that give self back when there is nothing to do: to, contiguous, type_as. Composite
 * implicit: they call _to_copy and clone. PyTorch: aten/src/ATen/native/TensorConversions.cpp. */
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/call.h"
#include "ops/create/copy.h"

/* What a `to` asks for; NONE values keep what self has. */
typedef struct wish {
    ob_value dtype, layout, device, pin_memory, format;
    bool non_blocking, copy;
} wish;

static bool is_there(ob_device here, const ob_value *v)
{
    const ob_device asked = v->u.device;
    if (v->tag == OB_VALUE_NONE) return true;
    return asked.backend == here.backend && (asked.index < 0 || asked.index == here.index);
}

/* True when self is what is wished for already. */
static bool is_fulfilled(const ob_tensor *self, const wish *w)
{
    if (w->copy || !is_there(ob_tensor_device(self), &w->device)) return false;
    if (w->dtype.tag != OB_VALUE_NONE && w->dtype.u.i != (int64_t)ob_tensor_dtype(self))
        return false;
    if (w->layout.tag != OB_VALUE_NONE && w->layout.u.i != OB_LAYOUT_STRIDED) return false;
    return w->format.tag == OB_VALUE_NONE || w->format.u.i == OB_MEMORY_FORMAT_PRESERVE ||
           w->format.u.i == (int64_t)ob_format_of(self);
}

static ob_status fulfil(ob_frame *frame, const wish *w)
{
    ob_tensor *self = frame->args[0].u.tensor;
    if (is_fulfilled(self, w)) {
        frame->results[0] = ob_value_tensor(ob_tensor_retain(self));
        return OB_OK;
    }
    const ob_value args[] = { frame->args[0], w->dtype,      w->layout,
                              w->device,      w->pin_memory, ob_value_bool(w->non_blocking),
                              w->format };
    return ob_row_call(OB_ROW_to_copy, args, frame->results);
}

/* to.dtype(self, dtype, non_blocking, copy, memory_format) */
static ob_status to_dtype(ob_frame *frame)
{
    const ob_value *a = frame->args, none = ob_value_none();
    return fulfil(frame, &(wish){ a[1], none, none, none, a[4], a[2].u.b, a[3].u.b });
}

/* to.device(self, device, dtype, non_blocking, copy, memory_format) */
static ob_status to_device(ob_frame *frame)
{
    const ob_value *a = frame->args, none = ob_value_none();
    return fulfil(frame, &(wish){ a[2], none, a[1], none, a[5], a[3].u.b, a[4].u.b });
}

/* to.dtype_layout(self, *, dtype, layout, device, pin_memory, non_blocking, copy, memory_format) */
static ob_status to_dtype_layout(ob_frame *frame)
{
    const ob_value *a = frame->args;
    return fulfil(frame, &(wish){ a[1], a[2], a[3], a[4], a[7], a[5].u.b, a[6].u.b });
}

/* to.other(self, other, non_blocking, copy, memory_format) */
static ob_status to_other(ob_frame *frame)
{
    const ob_value *a = frame->args, none = ob_value_none();
    const ob_tensor *other = a[1].u.tensor;
    return fulfil(frame, &(wish){ ob_value_dtype(ob_tensor_dtype(other)), none,
                                  ob_value_device(ob_tensor_device(other)), none, a[4], a[2].u.b,
                                  a[3].u.b });
}

/* type_as(self, other) */
static ob_status type_as(ob_frame *frame)
{
    const ob_tensor *other = frame->args[1].u.tensor;
    const ob_value none = ob_value_none();
    return fulfil(frame,
                  &(wish){ ob_value_dtype(ob_tensor_dtype(other)), none,
                           ob_value_device(ob_tensor_device(other)), none, none, false, false });
}

/* contiguous(self, *, memory_format) */
static ob_status contiguous(ob_frame *frame)
{
    ob_tensor *self = frame->args[0].u.tensor;
    const ob_memory_format format = (ob_memory_format)frame->args[1].u.i;
    if (format == OB_MEMORY_FORMAT_PRESERVE)
        return OB_FAIL(OB_ERR_ARG, "contiguous: the memory format must be a layout, not preserve");
    if (!ob_format_fits(self, format))
        return ob_row_call(OB_ROW_clone, (const ob_value[]){ frame->args[0], frame->args[1] },
                           frame->results);
    frame->results[0] = ob_value_tensor(ob_tensor_retain(self));
    return OB_OK;
}

static const struct {
    const char *name;
    ob_kernel_fn fn;
} rows[] = {
    { "to.dtype", to_dtype }, { "to.device", to_device }, { "to.dtype_layout", to_dtype_layout },
    { "to.other", to_other }, { "type_as", type_as },     { "contiguous", contiguous },
};

static ob_status install(void)
{
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        ob_batch_add_fn(OB_KEY_CompositeImplicitAutograd, rows[i].name, rows[i].fn, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
