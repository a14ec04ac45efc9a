/* Inputs of a call with a shape rule: one device, the compute dtype, row-major where the kernel
 * wants it. Called by structured.c between the rule and the outputs. */
#include "core/alloc.h"
#include "ops/create/copy.h"
#include "ops/structured/structured_call.h"

#include "ob/library.h"

static bool same_device(ob_device a, ob_device b)
{
    return a.backend == b.backend && a.index == b.index;
}

static ob_status mismatch(const ob_call_state *call, const ob_tensor *t)
{
    char here[32], there[32];
    return OB_FAIL(OB_ERR_ARG, "%s: one tensor is on %s, another on %s; move them to one device",
                   call->family->name, ob_device_format(call->device, here, sizeof here),
                   ob_device_format(ob_tensor_device(t), there, sizeof there));
}

/* The call's device is that of its first tensor on the call's backend. */
static void find_device(ob_call_state *call)
{
    const ob_frame *frame = call->frame;
    call->device = (ob_device){ (int32_t)call->backend, 0 };
    for (uint32_t i = 0; i < frame->n_args; i++) {
        const ob_value *v = &frame->args[i];
        ob_tensor *const *list = v->tag == OB_VALUE_TENSOR ? &v->u.tensor : v->u.tensors;
        const uint32_t n = v->tag == OB_VALUE_TENSOR    ? 1
                           : v->tag == OB_VALUE_TENSORS ? v->count
                                                        : 0;
        for (uint32_t k = 0; k < n; k++) {
            if (!list[k] || ob_tensor_device(list[k]).backend != (int32_t)call->backend) continue;
            call->device = ob_tensor_device(list[k]);
            return;
        }
    }
}

/* What the kernel may see of `t`: *out is NULL when t itself will do, else a copy [owned]. */
static ob_status fit(const ob_call_state *call, ob_tensor *t, bool cast, ob_tensor **out)
{
    const bool here = same_device(ob_tensor_device(t), call->device);
    *out = NULL;
    if (!here && (ob_tensor_rank(t) > 0 || ob_tensor_device(t).backend != OB_BACKEND_CPU))
        return mismatch(call, t);
    if (call->backend == OB_BACKEND_Meta) return OB_OK;
    const ob_dtype dtype = cast ? call->rule.compute : ob_tensor_dtype(t);
    const bool dense = call->kernel_flags & OB_KERNEL_DENSE_ARGS;
    if (here && dtype == ob_tensor_dtype(t) && (!dense || ob_tensor_is_contiguous(t))) return OB_OK;
    const ob_memory_format format = dense ? OB_MEMORY_FORMAT_CONTIGUOUS : OB_MEMORY_FORMAT_PRESERVE;
    return ob_copy_of(t, (ob_copy_to){ dtype, call->device, format }, out);
}

/* Replace argument i for the kernel; `temp` is given to the call. */
static void replace(ob_call_state *call, uint32_t i, ob_value temp)
{
    if (call->args != call->changed) {
        for (uint32_t k = 0; k < call->family->n_args; k++)
            call->changed[k] = call->frame->args[k];
        call->args = call->changed;
    }
    call->changed[i] = temp;
    call->temps[call->n_temps++] = temp;
}

/* A list is replaced as a whole: unchanged elements are retained. */
static ob_status fit_list(ob_call_state *call, uint32_t i, bool cast)
{
    const ob_value *v = &call->frame->args[i];
    ob_tensor **list = NULL;
    ob_status st = OB_OK;
    for (uint32_t k = 0; k < v->count && st == OB_OK; k++) {
        ob_tensor *made = NULL;
        if (v->u.tensors[k]) st = fit(call, v->u.tensors[k], cast, &made);
        if (!made) continue;
        if (!list) list = ob_alloc(v->count, sizeof(ob_tensor *));
        if (list)
            list[k] = made;
        else {
            ob_tensor_release(made);
            st = OB_FAIL(OB_ERR_OOM, "%s: no memory for %u inputs", call->family->name, v->count);
        }
    }
    if (!list) return st;
    for (uint32_t k = 0; k < v->count; k++)
        if (!list[k]) list[k] = ob_tensor_retain(v->u.tensors[k]);
    replace(call, i, ob_value_tensors((ob_tensors){ list, v->count }));
    return st;
}

ob_status ob_call_inputs(ob_call_state *call)
{
    find_device(call);
    for (uint32_t i = 0; i < call->family->n_args; i++) {
        const ob_value *v = &call->frame->args[i];
        const bool cast = call->rule.cast >> i & 1;
        if (v->tag == OB_VALUE_TENSOR) {
            ob_tensor *made = NULL;
            OB_TRY(fit(call, v->u.tensor, cast, &made));
            if (made) replace(call, i, ob_value_tensor(made));
        } else if (v->tag == OB_VALUE_TENSORS) {
            OB_TRY(fit_list(call, i, cast));
        }
    }
    return OB_OK;
}

void ob_call_inputs_reset(ob_call_state *call)
{
    for (uint32_t i = 0; i < call->n_temps; i++)
        ob_value_reset(&call->temps[i]);
    call->n_temps = 0;
}
