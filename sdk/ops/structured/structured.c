/* Runs families with a shape rule: rule, inputs, outputs, raw kernel, write back. Entered from the
 * dispatcher through three kernels: `wrapper` in front of every backend kernel of a primary,
 * `sibling` for the other forms, `meta` for the primary on meta tensors. Contract: structured.h.
 * PyTorch: torchgen's structured kernel wrappers, at::TensorIterator. */
#include "ops/structured/structured.h"

#include "core/alloc.h"
#include "ops/aten.h"
#include "ops/batch.h"
#include "ops/native.h"
#include "ops/structured/served.h"
#include "ops/structured/structured_call.h"

/* A form of a family: `user` of its kernels. */
typedef struct form {
    ob_family *family;
    int form;
} form;

/* Families by their primary op: open addressing, filled at install, read without a lock. */
enum { TABLE_SIZE = 4096 };
static ob_family *families[TABLE_SIZE];
static size_t n_families;

static size_t home_of(const ob_op *op)
{
    return ((uintptr_t)op >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 52;
}

static ob_family *family_of(const ob_op *primary)
{
    for (size_t i = home_of(primary);; i = (i + 1) % TABLE_SIZE) {
        ob_family *f = families[i];
        if (!f || f->primary == primary) return f;
    }
}

const ob_family *ob_structured_family(const ob_op *op)
{
    for (size_t i = 0; i < TABLE_SIZE; i++)
        for (int k = 0; families[i] && k < OB_FORMS; k++)
            if (families[i]->ops[k] == op) return families[i];
    return NULL;
}

static ob_status remember(ob_family *family)
{
    if (++n_families > TABLE_SIZE / 2)
        return OB_FAIL(OB_ERR_STATE, "more than %d families: raise TABLE_SIZE", TABLE_SIZE / 2);
    size_t i = home_of(family->primary);
    while (families[i])
        i = (i + 1) % TABLE_SIZE;
    families[i] = family;
    return OB_OK;
}

/* The dtype that a kernel's mask is asked about: the compute dtype, else the first tensor's, else
 * the output's. */
static ob_dtype kernel_dtype(const ob_rule *rule, uint32_t n_args)
{
    if (rule->compute != OB_DTYPE_NONE) return rule->compute;
    for (uint32_t i = 0; i < n_args; i++)
        if (rule->args[i].tag == OB_VALUE_TENSOR) return ob_tensor_dtype(rule->args[i].u.tensor);
    return rule->outs[0].dtype;
}

static ob_status run_rule(ob_call_state *call)
{
    ob_rule *rule = &call->rule;
    rule->op = call->family->name;
    rule->schema = ob_op_schema(call->family->ops[OB_FORM_FUNCTIONAL]);
    rule->args = call->frame->args;
    rule->compute = OB_DTYPE_NONE;
    rule->cast = 0;
    rule->cast_outs = false;
    rule->strict_inplace = false;
    rule->n_outs = 0;
    return call->family->rule(rule);
}

static ob_status run_kernel(ob_call_state *call, const ob_kernel *kernel)
{
    if (call->backend == OB_BACKEND_Meta) return OB_OK;
    ob_frame raw = { .op = call->family->primary,
                     .user = kernel->user,
                     .keys = call->frame->keys,
                     .args = call->args,
                     .results = call->values,
                     .n_args = call->family->n_args,
                     .n_results = (uint32_t)call->rule.n_outs };
    return kernel->fn(&raw);
}

/* `kernel` is NULL only on meta. */
static ob_status run(ob_call_state *call, const ob_kernel *kernel)
{
    ob_status st = run_rule(call);
    if (st != OB_OK) return st;
    if (kernel) {
        const ob_dtypes serves = kernel->dtypes;
        const ob_dtype dtype = serves ? kernel_dtype(&call->rule, call->family->n_args) : OB_F32;
        if (serves && !(serves & OB_DTYPES(dtype))) return OB_ERR_DECLINED;
        call->kernel_flags = kernel->flags;
    }
    st = ob_call_inputs(call);
    if (st == OB_OK) st = ob_call_outputs(call);
    if (st == OB_OK) st = run_kernel(call, kernel);
    if (st == OB_OK) st = ob_call_finish(call);
    ob_call_outputs_reset(call);
    if (call->n_temps) ob_call_inputs_reset(call);
    return st;
}

static void begin(ob_call_state *call, const ob_family *family, int which, ob_frame *frame)
{
    call->family = family;
    call->form = which;
    call->frame = frame;
    call->backend = ob_keyset_highest_backend(frame->keys);
    call->kernel_flags = 0;
    call->args = frame->args;
    call->n_temps = 0;
    call->n_outs_ready = 0;
}

/* Stands in front of every backend kernel of a primary op; frame->user is the kernel's record. */
static ob_status wrapper(ob_frame *frame)
{
    const ob_family *family = family_of(frame->op);
    if (!family) return OB_FAIL(OB_ERR_STATE, "%s has no shape rule", ob_op_name(frame->op));
    ob_call_state call;
    begin(&call, family, ob_family_primary(family), frame);
    return run(&call, ob_record_kernel(frame->user));
}

/* An in-place or out form, by the composite of the functional one; declines when there is none. */
static ob_status by_composite(const form *f, ob_frame *frame)
{
    ob_op *functional = f->family->ops[OB_FORM_FUNCTIONAL];
    if (f->form == OB_FORM_FUNCTIONAL || !ob_has_composite(functional)) return OB_ERR_DECLINED;
    const bool is_out = f->form == OB_FORM_OUT;
    return ob_derived_write(frame, functional, is_out ? f->family->n_args : 0, is_out);
}

/* The other forms: runs the primary's kernel of the call's backend, or a composite, or declines. */
static ob_status sibling(ob_frame *frame)
{
    const form *user = frame->user;
    ob_call_state call;
    begin(&call, user->family, user->form, frame);
    if (call.backend == OB_BACKEND_Meta) return run(&call, NULL);
    const ob_backend backend = call.backend == OB_BACKEND_NONE ? OB_BACKEND_CPU : call.backend;
    call.backend = backend;
    const ob_kernel *kernel = ob_native_kernel(user->family->primary, backend);
    const ob_status st = kernel ? run(&call, kernel) : OB_ERR_DECLINED;
    return st == OB_ERR_DECLINED ? by_composite(user, frame) : st;
}

static ob_status meta(ob_frame *frame)
{
    const form *user = frame->user;
    ob_call_state call;
    begin(&call, user->family, user->form, frame);
    call.backend = OB_BACKEND_Meta;
    return run(&call, NULL);
}

/* Where PyTorch's own wrapper of a form sits: below autograd for all backends. */
static ob_key sibling_key(ob_aten_class klass)
{
    return klass == OB_ATEN_DELEGATE || klass == OB_ATEN_STRUCTURED
               ? OB_KEY_CompositeExplicitAutogradNonFunctional
               : OB_KEY_CompositeExplicitAutograd;
}

static ob_status install(const ob_structured_row *row)
{
    const int index = ob_aten_index(row->functional);
    if (index < 0)
        return OB_FAIL(OB_ERR_NOT_FOUND, "rules table: aten has no op %s", row->functional);
    /* Lives as long as the process, like the ops it names. */
    struct {
        ob_family family;
        form forms[OB_FORMS];
    } *made = ob_alloc(1, sizeof *made);
    if (!made) return OB_FAIL(OB_ERR_OOM, "%s: no memory for its family", row->functional);
    ob_family *f = &made->family;
    ob_family_find(index, f);
    f->rule = row->rule;
    f->flags = row->flags;
    const int primary = ob_family_primary(f);
    f->primary = f->ops[primary];
    OB_TRY(remember(f));
    OB_TRY(ob_op_set_wrapper(f->primary, wrapper));
    for (int i = 0; i < OB_FORMS; i++) {
        if (!f->ops[i]) continue;
        made->forms[i] = (form){ f, i };
        const ob_kernel kernel = { .fn = i == primary ? meta : sibling,
                                   .user = &made->forms[i],
                                   .flags = OB_KERNEL_GENERATED };
        const ob_key key =
            i == primary ? OB_KEY_Meta : sibling_key(ob_aten_row_at(f->rows[i])->klass);
        ob_batch_add(key, ob_op_name(f->ops[i]), &kernel);
    }
    return OB_OK;
}

ob_status ob_structured_install(const ob_structured_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        OB_TRY(install(&rows[i]));
    return ob_batch_commit();
}

void ob_rule_out(ob_rule *rule, int i, ob_dtype dtype, const int64_t *sizes, int rank)
{
    ob_out_spec *out = &rule->outs[i];
    out->dtype = dtype;
    out->undefined = false;
    out->has_strides = false;
    out->rank = rank;
    for (int d = 0; d < rank; d++)
        out->sizes[d] = sizes[d];
    if (i >= rule->n_outs) rule->n_outs = i + 1;
}
