/* Outputs of a call with a shape rule: made, resized, or replaced by temporaries that are copied
 * back. Called by structured.c around the kernel. PyTorch: at::native::resize_output.
 */
#include "core/tensor/shape.h"
#include "ops/create/copy.h"
#include "ops/structured/overlap.h"
#include "ops/structured/structured_call.h"

#include "ob/library.h"

enum { TEXT_BYTES = 256 };

static bool same_dims(const int64_t *a, const int64_t *b, int n)
{
    for (int d = 0; d < n; d++)
        if (a[d] != b[d]) return false;
    return true;
}

static bool has_sizes(const ob_tensor *t, const ob_out_spec *spec)
{
    return ob_tensor_rank(t) == spec->rank &&
           same_dims(ob_tensor_sizes(t), spec->sizes, spec->rank);
}

/* Whether writing `target` while reading `input` is safe; *hazard: only through a temporary. */
static ob_status check_input(const ob_call_state *call, const ob_tensor *target,
                             const ob_tensor *input, bool *hazard)
{
    OB_TRY(ob_overlap_check_partial(call->family->name, target, input));
    const ob_overlap how = ob_overlap_of(target, input);
    if (how == OB_OVERLAP_UNKNOWN) *hazard = true;
    if (how == OB_OVERLAP_FULL && !(call->family->flags & OB_STRUCTURED_ALIAS_OK)) *hazard = true;
    return OB_OK;
}

/* Looks at what the kernel will read, so that inputs that were copied are no hazard. */
static ob_status check_overlap(const ob_call_state *call, const ob_tensor *target, bool *hazard)
{
    if (!(call->family->flags & OB_STRUCTURED_SPREAD_OK))
        OB_TRY(ob_overlap_check_internal(call->family->name, target));
    for (uint32_t i = 0; i < call->family->n_args; i++) {
        const ob_value *v = &call->args[i];
        if (v->tag == OB_VALUE_TENSOR) OB_TRY(check_input(call, target, v->u.tensor, hazard));
        if (v->tag != OB_VALUE_TENSORS) continue;
        for (uint32_t k = 0; k < v->count; k++)
            if (v->u.tensors[k]) OB_TRY(check_input(call, target, v->u.tensors[k], hazard));
    }
    return OB_OK;
}

static ob_status make(const ob_call_state *call, const ob_out_spec *spec, ob_tensor **out)
{
    const ob_ints sizes = { spec->sizes, spec->rank };
    if (spec->has_strides && !(call->kernel_flags & OB_KERNEL_DENSE_OUTS)) {
        const ob_ints strides = { spec->strides, spec->rank };
        return ob_tensor_create_strided(sizes, strides, spec->dtype, call->device, out);
    }
    return ob_tensor_create(sizes, spec->dtype, call->device, out);
}

static ob_status resize(ob_tensor *t, const ob_out_spec *spec)
{
    int64_t dense[OB_MAX_RANK];
    ob_shape_dense_strides(spec->sizes, spec->rank, dense);
    return ob_tensor_set_window(t, (ob_ints){ spec->sizes, spec->rank },
                                (ob_ints){ spec->has_strides ? spec->strides : dense, spec->rank },
                                ob_tensor_offset(t), true);
}

static ob_status check_target(const ob_call_state *call, const ob_out_spec *spec,
                              const ob_tensor *target)
{
    char a[TEXT_BYTES], b[TEXT_BYTES];
    const ob_device device = ob_tensor_device(target);
    if (device.backend != call->device.backend || device.index != call->device.index)
        return OB_FAIL(OB_ERR_ARG, "%s: the output is on %s, the inputs are on %s",
                       call->family->name, ob_device_format(device, a, sizeof a),
                       ob_device_format(call->device, b, sizeof b));
    const bool casts = call->form == OB_FORM_OUT
                           ? call->rule.cast_outs &&
                                 !(ob_op_tags(call->family->ops[OB_FORM_OUT]) & OB_TAG_GENERATED)
                           : !call->rule.strict_inplace;
    if (!casts && spec->dtype != ob_tensor_dtype(target))
        return OB_FAIL(OB_ERR_DTYPE, "%s: the output is %s, should be %s", call->family->name,
                       ob_dtype_name(ob_tensor_dtype(target)), ob_dtype_name(spec->dtype));
    if (!ob_dtype_can_cast(spec->dtype, ob_tensor_dtype(target)))
        return OB_FAIL(OB_ERR_DTYPE, "%s: a result of %s can't be cast to an output of %s",
                       call->family->name, ob_dtype_name(spec->dtype),
                       ob_dtype_name(ob_tensor_dtype(target)));
    if (call->form == OB_FORM_INPLACE && !has_sizes(target, spec))
        return OB_FAIL(
            OB_ERR_SHAPE,
            "%s_: self is %s but the result is %s, and an in-place op "
            "does not resize",
            call->family->name,
            ob_sizes_format(ob_tensor_sizes(target), ob_tensor_rank(target), a, sizeof a),
            ob_sizes_format(spec->sizes, spec->rank, b, sizeof b));
    return OB_OK;
}

/* Prepare an output that the caller gave. */
static ob_status prepare(ob_call_state *call, const ob_out_spec *spec, ob_call_out *out)
{
    bool temporary = false;
    ob_tensor *target = out->target;
    OB_TRY(check_target(call, spec, target));
    OB_TRY(check_overlap(call, target, &temporary));
    const bool fits = has_sizes(target, spec);
    if (spec->dtype != ob_tensor_dtype(target)) temporary = true;
    if (call->kernel_flags & OB_KERNEL_DENSE_OUTS && fits && !ob_tensor_is_contiguous(target))
        temporary = true;
    if (call->backend == OB_BACKEND_Meta || (fits && !temporary)) return OB_OK;
    return make(call, spec, &out->made);
}

ob_status ob_call_outputs(ob_call_state *call)
{
    const ob_rule *rule = &call->rule;
    for (int i = 0; i < rule->n_outs; i++) {
        const ob_out_spec *spec = &rule->outs[i];
        ob_call_out *out = &call->outs[i];
        *out = (ob_call_out){ 0 };
        call->n_outs_ready = (uint32_t)i + 1;
        call->values[i] = ob_value_none();
        if (call->form != OB_FORM_FUNCTIONAL) {
            const uint32_t at = call->form == OB_FORM_OUT ? call->family->n_args + (uint32_t)i : 0;
            out->target = call->frame->args[at].u.tensor;
            if (call->frame->args[at].tag != OB_VALUE_TENSOR)
                return OB_FAIL(OB_ERR_ARG, "%s: output %d is not a tensor", call->family->name, i);
        }
        if (spec->undefined) continue;
        OB_TRY(out->target ? prepare(call, spec, out) : make(call, spec, &out->made));
        call->values[i] = ob_value_tensor(out->made ? out->made : out->target);
    }
    return OB_OK;
}

/* Only now that the kernel has succeeded is the target resized, and given what the kernel wrote to
 * a temporary. */
static ob_status write_back(const ob_out_spec *spec, const ob_call_out *out)
{
    if (!has_sizes(out->target, spec)) OB_TRY(resize(out->target, spec));
    return out->made ? ob_copy_into(out->target, out->made) : OB_OK;
}

ob_status ob_call_finish(ob_call_state *call)
{
    for (int i = 0; i < call->rule.n_outs; i++) {
        ob_call_out *out = &call->outs[i];
        if (!out->target || call->rule.outs[i].undefined) continue;
        OB_TRY(write_back(&call->rule.outs[i], out));
        ob_tensor_bump_version(out->target);
    }
    for (int i = 0; i < call->rule.n_outs && (uint32_t)i < call->frame->n_results; i++) {
        ob_call_out *out = &call->outs[i];
        call->frame->results[i] =
            ob_value_tensor(out->target ? ob_tensor_retain(out->target) : out->made);
        if (!out->target) out->made = NULL;
    }
    return OB_OK;
}

void ob_call_outputs_reset(ob_call_state *call)
{
    for (uint32_t i = 0; i < call->n_outs_ready; i++)
        ob_tensor_release(call->outs[i].made);
    call->n_outs_ready = 0;
}
