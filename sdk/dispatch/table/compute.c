/* The rules of precedence: from an op's registrations to one table entry. PyTorch:
 * OperatorEntry::computeDispatchTableEntryWithDebug(). All 137 slots are always computed, so a
 * table never lags behind the registrations, whatever their order. */
#include "dispatch/table/compute.h"

const ob_key ob_alternative_keys[OB_ALTERNATIVES] = { OB_KEY_CompositeExplicitAutogradNonFunctional,
                                                      OB_KEY_CompositeExplicitAutograd,
                                                      OB_KEY_CompositeImplicitAutograd };

void ob_inputs_collect(const ob_op *op, ob_inputs *out)
{
    *out = (ob_inputs){ .any_other = false };
    for (const ob_record *r = op->kernels; r; r = r->next) {
        if (!out->newest[r->key]) out->newest[r->key] = r;
        if (ob_autograd_covers(OB_KEY_AutogradOther, r->key)) out->any_other = true;
        if (ob_autograd_covers(OB_KEY_AutogradNestedTensor, r->key)) out->any_nested = true;
    }
}

/* True when a backend of the autograd key `key` has a kernel of its own. */
static bool has_backend_kernel(const ob_inputs *in, ob_key key)
{
    if (key == OB_KEY_AutogradOther) return in->any_other;
    if (key == OB_KEY_AutogradNestedTensor) return in->any_nested;
    if (ob_key_functionality(key) != OB_KEY_AutogradFunctionality) return false;
    const ob_key dense = ob_key_of(OB_KEY_Dense, ob_key_backend(key));
    return in->newest[dense] && ob_autograd_covers(key, dense);
}

/* Newest kernel of `alias` if it can fill `slot`. */
static const ob_record *from_alias(const ob_inputs *in, ob_key alias, int slot)
{
    const ob_record *r = in->newest[alias];
    return r && ob_alias_has_slot(alias, slot) ? r : NULL;
}

static const ob_record *found(const ob_record *r, ob_provenance how, ob_provenance *provenance)
{
    *provenance = how;
    return r;
}

/* The CompositeImplicitAutograd kernel, where backend kernels do not keep it out. */
static const ob_record *from_composite(const ob_inputs *in, int slot, ob_provenance *provenance)
{
    const ob_key key = ob_key_at_slot(slot);
    const ob_record *r = from_alias(in, OB_KEY_CompositeImplicitAutograd, slot);
    if (!r) return NULL;
    if (key == OB_KEY_AutogradOther && in->any_other)
        return found(&ob_ambiguous, OB_PROVENANCE_AMBIGUOUS, provenance);
    if (in->newest[OB_KEY_CompositeExplicitAutograd] || has_backend_kernel(in, key)) return NULL;
    return found(r, OB_PROVENANCE_MATH, provenance);
}

const ob_record *ob_compute_slot(const ob_inputs *in, int slot, ob_provenance *provenance)
{
    static const ob_key defaults[] = { OB_KEY_CompositeExplicitAutogradNonFunctional,
                                       OB_KEY_CompositeExplicitAutograd };
    const ob_record *r = in->newest[ob_key_at_slot(slot)];
    if (r) return found(r, OB_PROVENANCE_DIRECT, provenance);
    for (size_t i = 0; i < OB_COUNT(defaults); i++) {
        r = from_alias(in, defaults[i], slot);
        if (r) return found(r, OB_PROVENANCE_DEFAULT_BACKEND, provenance);
    }
    r = from_alias(in, OB_KEY_CompositeImplicitAutogradNestedTensor, slot);
    if (r) return found(r, OB_PROVENANCE_NESTED, provenance);
    r = from_composite(in, slot, provenance);
    if (r) return r;
    r = from_alias(in, OB_KEY_Autograd, slot);
    if (r) return found(r, OB_PROVENANCE_AUTOGRAD, provenance);
    r = from_alias(in, OB_KEY_FuncTorchBatchedDecomposition, slot);
    if (r) return found(r, OB_PROVENANCE_BATCHED, provenance);
    r = ob_fallback_newest(slot);
    if (r) return found(r, OB_PROVENANCE_FALLBACK, provenance);
    return found(&ob_missing, OB_PROVENANCE_MISSING, provenance);
}

/* Take the functionality of a fallthrough slot out of the masks of the backends it concerns. */
static void mask_fallthrough(ob_table *table, int slot)
{
    const ob_key key = ob_key_at_slot(slot);
    const ob_keyset bit = ob_keyset_of(key) & ~OB_BACKEND_BITS;
    const ob_backend backend = ob_key_backend(key);
    for (int b = 0; b < OB_BACKENDS; b++) {
        if (backend == OB_BACKEND_NONE || (int)backend == b + 1) table->masks[b] &= ~bit;
    }
}

void ob_compute_table(const ob_inputs *in, ob_table *table)
{
    for (int b = 0; b < OB_BACKENDS; b++)
        table->masks[b] = ob_keyset_full();
    for (int slot = 0; slot < OB_TABLE_SLOTS; slot++) {
        ob_provenance provenance;
        table->slots[slot] = ob_compute_slot(in, slot, &provenance);
        table->provenance[slot] = (uint8_t)provenance;
        table->fallbacks[slot] = ob_fallback_newest(slot);
        if (slot > 0 && table->slots[slot]->kernel.flags & OB_KERNEL_FALLTHROUGH)
            mask_fallthrough(table, slot);
    }
    for (int i = 0; i < OB_ALTERNATIVES; i++)
        table->alternatives[i] = in->newest[ob_alternative_keys[i]];
}
