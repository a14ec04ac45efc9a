/* Calls. The way without locks or allocations: union of the arguments' keys, thread-local sets,
 * fallthrough mask, slot, kernel. Budget: 60 instructions for an op with one tensor, kernel stub
 * included. PyTorch: Dispatcher.h (call, redispatch), DispatchKeyExtractor.h. */
#include "dispatch/call.h"

#include "core/tensor.h"
#include "dispatch/compute.h"
#include "ob/schema.h"

enum { MAX_DEPTH = 1000 };

static ob_keyset keys_of_list(const ob_value *v)
{
    ob_keyset keys = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->u.tensors[i]) keys |= v->u.tensors[i]->keys;
    }
    return keys;
}

static inline ob_keyset argument_keys(const ob_table *table, const ob_value *args)
{
    ob_keyset keys = 0;
    for (uint64_t left = table->tensor_args; left; left &= left - 1) {
        const ob_value *v = &args[OB_CTZ64(left)];
        if (OB_LIKELY(v->tag == OB_VALUE_TENSOR))
            keys |= v->u.tensor->keys;
        else if (v->tag == OB_VALUE_TENSORS)
            keys |= keys_of_list(v);
    }
    return keys;
}

/* The thread-local sets and the fallthrough mask applied to the arguments' keys. */
static inline ob_keyset call_keys(const ob_thread *t, const ob_table *table, ob_keyset keys)
{
    keys |= t->included ^ OB_DEFAULT_INCLUDED;
    keys &= ~(t->excluded ^ OB_DEFAULT_EXCLUDED) | OB_BACKEND_BITS;
    return keys & table->masks[ob_backend_index(keys)];
}

static void reset_results(const ob_frame *frame)
{
    for (uint32_t i = 0; i < frame->n_results; i++)
        ob_value_reset(&frame->results[i]);
}

static ob_status run_record(ob_frame *frame, const ob_record *r)
{
    frame->user = r->user;
    return r->entry(frame);
}

/* Ask who comes after `declined`: the composites that may serve the slot, then its fallback. */
static ob_status run_next_best(const ob_table *table, uint32_t slot, ob_frame *frame,
                               const ob_record *declined)
{
    static const ob_key order[OB_ALTERNATIVES] = { OB_KEY_CompositeExplicitAutogradNonFunctional,
                                                   OB_KEY_CompositeExplicitAutograd,
                                                   OB_KEY_CompositeImplicitAutograd };
    atomic_fetch_add_explicit(&((ob_op *)frame->op)->declines, 1, memory_order_relaxed);
    for (int i = 0; i <= OB_ALTERNATIVES; i++) {
        const bool last = i == OB_ALTERNATIVES;
        const ob_record *r = last ? table->fallbacks[slot] : table->alternatives[i];
        if (!r || r == declined || r->kernel.flags & OB_KERNEL_FALLTHROUGH) continue;
        if (!last && !ob_alias_has_slot(order[i], (int)slot)) continue;
        reset_results(frame);
        const ob_status st = run_record(frame, r);
        if (st != OB_ERR_DECLINED) return st;
    }
    return ob_fail_declined(frame, declined);
}

/* What is left to do when a kernel failed. */
static ob_status run_failed(const ob_table *table, uint32_t slot, ob_frame *frame, ob_status st)
{
    if (st == OB_ERR_DECLINED) st = run_next_best(table, slot, frame, table->slots[slot]);
    if (st != OB_OK) reset_results(frame);
    return st;
}

/* Whether a watcher is told of a slot: one that computes, not a layer above. */
static bool is_watched(const ob_table *table, uint32_t slot)
{
    const ob_provenance how = (ob_provenance)table->provenance[slot];
    if (how == OB_PROVENANCE_MISSING || how == OB_PROVENANCE_AMBIGUOUS) return false;
    if (how == OB_PROVENANCE_MATH) return true;
    return slot == 0 || ob_key_is_backend(ob_key_at_slot((int)slot));
}

static ob_status run_watched(const ob_call_watcher *w, const ob_table *table, uint32_t slot,
                             ob_frame *frame)
{
    const ob_key key = ob_key_at_slot((int)slot);
    const bool told = is_watched(table, slot);
    if (told && w->enter) {
        const ob_entry entry = ob_entry_of(table->slots[slot], table->provenance[slot]);
        w->enter(w->user, frame->op, key, &entry);
    }
    ob_status st = run_record(frame, table->slots[slot]);
    if (OB_UNLIKELY(st != OB_OK)) st = run_failed(table, slot, frame, st);
    if (told && w->leave) w->leave(w->user, frame->op, key, st);
    return st;
}

static inline ob_status run_slot(const ob_thread *t, const ob_table *table, uint32_t slot,
                                 ob_frame *frame)
{
    const ob_record *r = table->slots[slot];
    if (OB_UNLIKELY(t->watcher != NULL)) return run_watched(t->watcher, table, slot, frame);
    frame->user = r->user;
    const ob_status st = r->entry(frame);
    return OB_LIKELY(st == OB_OK) ? st : run_failed(table, slot, frame, st);
}

/* Begin a call of this thread: its table, which stays until end_call(). NULL and an error when
 * there is none, or calls nest too deep; then end_call() is not due. */
static const ob_table *begin_first(ob_thread *t, ob_op *op)
{
    if (t->depth >= MAX_DEPTH) {
        (void)OB_FAIL(OB_ERR_STATE,
                      "%s: calls nest deeper than %d; a kernel calls itself without "
                      "stripping its own key",
                      op->name, MAX_DEPTH);
        return NULL;
    }
    if (!t->reader && ob_reader_attach(t) != OB_OK) return NULL;
    if (t->depth == 0) ob_reader_enter(t->reader);
    const ob_table *table = atomic_load_explicit(&op->table, memory_order_acquire);
    if (!table && ob_op_resolve(op, &table) != OB_OK && t->depth == 0) ob_reader_leave(t->reader);
    if (table) t->depth++;
    return table;
}

static inline const ob_table *begin_call(ob_thread *t, const ob_op *op)
{
    ob_op *o = (ob_op *)op;
    if (OB_UNLIKELY(!t->reader || t->depth >= MAX_DEPTH)) return begin_first(t, o);
    if (t->depth == 0) ob_reader_enter(t->reader);
    const ob_table *table = atomic_load_explicit(&o->table, memory_order_acquire);
    if (OB_UNLIKELY(!table)) {
        if (t->depth == 0) ob_reader_leave(t->reader);
        return begin_first(t, o);
    }
    t->depth++;
    return table;
}

static inline void end_call(ob_thread *t)
{
    if (--t->depth == 0) ob_reader_leave(t->reader);
}

static ob_status begin_failed(void)
{
    return ob_error_via(ob_error_last()->status, __FILE__, __LINE__);
}

ob_status ob_call_unchecked(const ob_op *op, const ob_value *args, ob_value *results)
{
    ob_thread *t = &ob_thread_now;
    const ob_table *table = begin_call(t, op);
    if (OB_UNLIKELY(!table)) return begin_failed();
    ob_frame frame = { .op = op,
                       .keys = call_keys(t, table, argument_keys(table, args)),
                       .args = args,
                       .results = results,
                       .n_args = table->n_args,
                       .n_results = table->n_results };
    const ob_status st = run_slot(t, table, ob_slot_of(frame.keys), &frame);
    end_call(t);
    return st;
}

ob_status ob_redispatch(const ob_op *op, ob_keyset keys, const ob_value *args, ob_value *results)
{
    ob_thread *t = &ob_thread_now;
    const ob_table *table = begin_call(t, op);
    if (OB_UNLIKELY(!table)) return begin_failed();
    ob_frame frame = { .op = op,
                       .keys = keys,
                       .args = args,
                       .results = results,
                       .n_args = table->n_args,
                       .n_results = table->n_results };
    const ob_status st = run_slot(t, table, ob_slot_of(keys), &frame);
    end_call(t);
    return st;
}

/* The record registered to exactly `key`, else the key's fallback; NULL. */
static const ob_record *direct_record(const ob_table *table, ob_key key)
{
    for (int i = 0; i < OB_ALTERNATIVES; i++) {
        if (table->alternatives[i] && table->alternatives[i]->key == key)
            return table->alternatives[i];
    }
    const int slot = ob_key_slot(key);
    if (slot < 0) return NULL;
    if (table->provenance[slot] == OB_PROVENANCE_DIRECT) return table->slots[slot];
    return table->fallbacks[slot];
}

ob_status ob_call_for_key(const ob_op *op, ob_key key, const ob_value *args, ob_value *results)
{
    ob_thread *t = &ob_thread_now;
    const ob_table *table = begin_call(t, op);
    if (!table) return begin_failed();
    ob_frame frame = { .op = op,
                       .keys = call_keys(t, table, argument_keys(table, args)),
                       .args = args,
                       .results = results,
                       .n_args = table->n_args,
                       .n_results = table->n_results };
    const ob_record *r = direct_record(table, key);
    ob_status st = r ? run_record(&frame, r)
                     : OB_FAIL(OB_ERR_NO_KERNEL,
                               "%s: nothing is registered for exactly %s, and it has no backend "
                               "fallback",
                               op->name, ob_key_name(key));
    if (st != OB_OK) reset_results(&frame);
    end_call(t);
    return st;
}

ob_keyset ob_call_keys(const ob_op *op, const ob_value *args)
{
    ob_thread *t = &ob_thread_now;
    const ob_table *table = begin_call(t, op);
    if (!table) return 0;
    const ob_keyset keys = call_keys(t, table, argument_keys(table, args));
    end_call(t);
    return keys;
}

ob_status ob_run_gated(ob_frame *frame)
{
    const ob_record *r = frame->user;
    for (uint32_t i = 0; i < frame->n_args; i++) {
        const ob_value *v = &frame->args[i];
        const ob_tensor *tensor = v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
        if (v->tag == OB_VALUE_TENSORS && v->count > 0) tensor = v->u.tensors[0];
        if (!tensor) continue;
        if ((r->kernel.dtypes & OB_DTYPES(tensor->dtype)) == 0) return OB_ERR_DECLINED;
        break;
    }
    frame->user = r->kernel.user;
    return r->kernel.fn(frame);
}
