/* What a user reads when no kernel serves a call: op, key, the argument that chose the key, what is
 * registered, the computed table, and what would make it work. PyTorch:
 * OperatorEntry::reportError(). */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/tensor.h"
#include "core/text.h"
#include "dispatch/call/call.h"
#include "dispatch/table/compute.h"
#include "ob/schema.h"

/* The first tensor of an argument that has all bits of `wanted`. */
static const ob_tensor *tensor_with(const ob_value *v, ob_keyset wanted)
{
    const uint32_t n = v->tag == OB_VALUE_TENSORS ? v->count : 1;
    for (uint32_t i = 0; i < n; i++) {
        const ob_tensor *t = v->tag == OB_VALUE_TENSORS  ? v->u.tensors[i]
                             : v->tag == OB_VALUE_TENSOR ? v->u.tensor
                                                         : NULL;
        if (t && (t->keys & wanted) == wanted) return t;
    }
    return NULL;
}

/* Say which argument brought the key into the call. */
static void add_culprit(ob_text *text, const ob_frame *frame, ob_key key)
{
    const ob_schema *schema = ob_op_schema(frame->op);
    const ob_keyset wanted = ob_keyset_of(key);
    for (uint32_t i = 0; wanted && i < frame->n_args; i++) {
        const ob_tensor *t = tensor_with(&frame->args[i], wanted);
        if (!t) continue;
        char device[64];
        (void)ob_device_format(ob_tensor_device(t), device, sizeof device);
        ob_text_add(text, " Argument %u '%s', a tensor on %s, chose this key.", i,
                    schema ? schema->args[i].name : "", device);
        return;
    }
    if (key == OB_KEY_Undefined)
        ob_text_add(text, " There were no tensor arguments to choose a key by (or only empty lists "
                          "of them), and there is no kernel for that case.");
    else if (ob_keyset_has(ob_dispatch_state_get().included, key))
        ob_text_add(text, " The thread's included keys chose this key.");
    else
        ob_text_add(text, " It is the highest key that was left of the call's set.");
}

/* List the keys that have a kernel of the op's own. */
static void add_registered(ob_text *text, const ob_op *op)
{
    const char *between = " Registered for: ";
    for (int key = 0; key < OB_KEY_LIMIT; key++) {
        const ob_record *r = ob_op_newest(op, (ob_key)key);
        if (!r) continue;
        ob_text_add(text, "%s%s", between, ob_key_name((ob_key)key));
        between = ", ";
    }
    ob_text_add(text, op->kernels ? "." : " Nothing is registered for it at all.");
}

/* Say what the reader can do. */
static void add_remedy(ob_text *text, const ob_op *op, ob_key key)
{
    const char *dot = strstr(op->name, "::");
    const int length = dot ? (int)(dot - op->name) : 0;
    if (key == OB_KEY_Undefined) {
        ob_text_add(text, " To make it work: pass at least one tensor, or register a "
                          "CompositeExplicitAutograd or BackendSelect kernel.");
        return;
    }
    ob_text_add(text,
                " To make it work: register one, OB_LIBRARY_IMPL(%.*s, %s, m), or a "
                "CompositeExplicitAutograd kernel that serves every backend",
                length, op->name, ob_key_name(key));
    ob_text_add(text, ob_key_is_backend(key) ? "; or move the tensors to a device that has one.\n"
                                             : "; or take the key out of the call's set.\n");
}

static ob_status fail_with(ob_text *text, ob_status st)
{
    char *words = ob_text_take(text);
    (void)OB_FAIL(st, "%s", words ? words : "no memory for the message");
    ob_free(words);
    return st;
}

/* A key as text: with the device name of the package that holds it, if any. */
static void add_key(ob_text *text, ob_key key)
{
    char device[64];
    const ob_backend backend = ob_key_backend(key);
    ob_text_add(text, "'%s'", ob_key_name(key));
    if (backend < OB_BACKEND_PrivateUse1 || backend > OB_BACKEND_PrivateUse3) return;
    (void)ob_device_format((ob_device){ (int32_t)backend, -1 }, device, sizeof device);
    ob_text_add(text, " (%s)", device);
}

static ob_status fail_missing(ob_frame *frame)
{
    const ob_key key = ob_key_at_slot((int)ob_slot_of(frame->keys));
    ob_text text = { 0 };
    ob_text_add(&text, "%s: no kernel for key ", frame->op->name);
    add_key(&text, key);
    ob_text_add(&text, ".");
    add_culprit(&text, frame, key);
    const bool entered = ob_registry_enter();
    add_registered(&text, frame->op);
    add_remedy(&text, frame->op, key);
    ob_text_add(&text, "Computed table:\n");
    ob_dump_table(frame->op, &text);
    ob_registry_leave(entered);
    return fail_with(&text, OB_ERR_NO_KERNEL);
}

static ob_status fail_ambiguous(ob_frame *frame)
{
    ob_text text = { 0 };
    ob_text_add(&text,
                "%s: ambiguous kernel for key 'AutogradOther': the op has a "
                "CompositeImplicitAutograd kernel and one for a backend without an autograd "
                "key of its own.",
                frame->op->name);
    const bool entered = ob_registry_enter();
    add_registered(&text, frame->op);
    ob_registry_leave(entered);
    ob_text_add(&text, " To make it work: register a kernel for AutogradOther, give the backend an "
                       "autograd key, or run in inference mode.");
    return fail_with(&text, OB_ERR_AMBIGUOUS);
}

static ob_status fail_not_defined(ob_frame *frame)
{
    return OB_FAIL(OB_ERR_NOT_FOUND,
                   "%s: an implementation was found but no definition; did you forget "
                   "ob_library_def()?",
                   frame->op->name);
}

ob_status ob_run_fallthrough(ob_frame *frame)
{
    char keys[256];
    return OB_FAIL(OB_ERR_STATE,
                   "%s: a fallthrough kernel was reached with %s: nothing is left to fall through "
                   "to; register a kernel for a lower key",
                   frame->op->name, ob_keyset_format(frame->keys, keys, sizeof keys));
}

/* List the dtypes a kernel is limited to. */
static void add_dtypes(ob_text *text, ob_dtypes dtypes)
{
    const char *between = ", which serves ";
    for (int d = 0; d < OB_DTYPE_LIMIT; d++) {
        if ((dtypes & OB_DTYPES(d)) == 0 || !ob_dtype_is_known(d)) continue;
        ob_text_add(text, "%s%s", between, ob_dtype_name((ob_dtype)d));
        between = ", ";
    }
}

ob_status ob_fail_declined(const ob_frame *frame, const ob_record *declined)
{
    const ob_key key = ob_key_at_slot((int)ob_slot_of(frame->keys));
    ob_text text = { 0 };
    ob_text_add(&text, "%s: no kernel for key ", frame->op->name);
    add_key(&text, key);
    ob_text_add(&text, " takes this call: the one %s",
                declined->kernel.debug ? declined->kernel.debug : "?");
    add_dtypes(&text, declined->kernel.dtypes);
    ob_text_add(&text, " declined it, and no composite kernel or backend fallback takes it.");
    return fail_with(&text, OB_ERR_NO_KERNEL);
}

const ob_record ob_missing = { .entry = fail_missing, .kernel = { .debug = "" } };
const ob_record ob_ambiguous = { .entry = fail_ambiguous,
                                 .kernel = { .debug = "ambiguous_autogradother" } };
const ob_record ob_not_defined = { .entry = fail_not_defined, .kernel = { .debug = "" } };
