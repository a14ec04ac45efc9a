/* Calls. The way without locks or allocations: union of the arguments' keys, thread-local sets,
 * fallthrough mask, slot, kernel; about 60 instructions for an op with one tensor. What it keeps
 * for the end of the call lives in memory, not in registers that would have to be saved. PyTorch:
 * Dispatcher.h (call, redispatch), DispatchKeyExtractor.h. */
#include "dispatch/call/call.h"

#include "core/tensor/tensor.h"
#include "dispatch/table/compute.h"
#include "ob/schema.h"

/* A call on its way. The kernel sees its frame. */
typedef struct running {
    ob_reader *reader;
    uint32_t depth; /* of the reader, before the call */
    ob_frame frame;
    const ob_table *table; /* the slow way only */
} running;

static inline ob_keyset keys_of_list(const ob_value *v)
{
    ob_keyset keys = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->u.tensors[i]) keys |= v->u.tensors[i]->keys;
    }
    return keys;
}

/* Keys of the argument `at` bytes from the first. */
static inline ob_keyset keys_of_arg(const ob_value *args, size_t at)
{
    const char *address = (const char *)args + at;
    const ob_value *v = (const ob_value *)address;
    if (OB_LIKELY(v->tag == OB_VALUE_TENSOR)) return v->u.tensor->keys;
    return v->tag == OB_VALUE_TENSORS ? keys_of_list(v) : 0;
}

/* The arguments' keys and the thread-local sets, before the fallthrough mask. */
static inline ob_keyset unmasked_keys(const ob_thread *t, const ob_table *table,
                                      const ob_value *args)
{
    ob_keyset keys = 0;
    for (size_t n = table->n_tensor_args; n > 0;)
        keys |= keys_of_arg(args, table->tensor_args[--n]);
    return (keys | t->included) & t->kept;
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
    atomic_fetch_add_explicit(&((ob_op *)frame->op)->declines, 1, memory_order_relaxed);
    for (int i = 0; i <= OB_ALTERNATIVES; i++) {
        const bool last = i == OB_ALTERNATIVES;
        const ob_record *r = last ? table->fallbacks[slot] : table->alternatives[i];
        if (!r || r == declined || r->kernel.flags & OB_KERNEL_FALLTHROUGH) continue;
        if (!last && !ob_alias_has_slot(ob_alternative_keys[i], (int)slot)) continue;
        reset_results(frame);
        const ob_status st = run_record(frame, r);
        if (st != OB_ERR_DECLINED) return st;
    }
    return ob_fail_declined(frame, declined);
}

/* What is left to do when the kernel of a slot failed. */
static ob_status fail_slot(const ob_table *table, uint32_t slot, ob_frame *frame, ob_status st)
{
    if (st == OB_ERR_DECLINED) st = run_next_best(table, slot, frame, table->slots[slot]);
    if (st != OB_OK) reset_results(frame);
    return st;
}

/* As fail_slot() for the fast way, which keeps neither table nor slot: both follow from the op and
 * the keys, and a table that was published meanwhile is as good. Takes no pointer to the frame,
 * which would cost every call a register. */
static OB_COLD ob_status fail_fast(const ob_op *op, ob_keyset keys, const ob_value *args,
                                   ob_value *results, ob_status st)
{
    const ob_table *table;
    OB_TRY(ob_op_table((ob_op *)op, &table));
    ob_frame frame = { .op = op,
                       .keys = keys,
                       .args = args,
                       .results = results,
                       .n_args = table->n_args,
                       .n_results = table->n_results };
    return fail_slot(table, ob_slot_of(keys), &frame, st);
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
    if (OB_UNLIKELY(st != OB_OK)) st = fail_slot(table, slot, frame, st);
    if (told && w->leave) w->leave(w->user, frame->op, key, st);
    return st;
}

static ob_status run_slot(const ob_thread *t, running *c)
{
    const uint32_t slot = ob_slot_of(c->frame.keys);
    if (t->watcher) return run_watched(t->watcher, c->table, slot, &c->frame);
    const ob_status st = run_record(&c->frame, c->table->slots[slot]);
    return OB_LIKELY(st == OB_OK) ? st : fail_slot(c->table, slot, &c->frame, st);
}

/* Begin a call with all that may be in its way: a thread's first call, an op's first call, too many
 * calls within one another. end_slow() is due when it succeeds. */
static ob_status begin_slow(ob_thread *t, running *c, const ob_op *op)
{
    if (t->reader == &ob_no_reader) OB_TRY(ob_reader_attach(t));
    c->reader = t->reader;
    c->depth = ob_reader_depth(c->reader);
    if (c->depth >= OB_MAX_DEPTH)
        return OB_FAIL(OB_ERR_STATE,
                       "%s: calls nest deeper than %d; a kernel calls itself without stripping its "
                       "own key",
                       op->name, OB_MAX_DEPTH);
    if (c->depth == 0) {
        atomic_fetch_add_explicit(&c->reader->outermost, 1, memory_order_release);
        ob_reader_set_limit(c->reader);
    }
    ob_reader_enter(c->reader, c->depth);
    const ob_status st = ob_op_table((ob_op *)op, &c->table);
    if (st != OB_OK) ob_reader_leave(c->reader, c->depth);
    return st;
}

static void end_slow(const running *c)
{
    ob_reader_leave(c->reader, c->depth);
}

/* Fill in the frame of a call whose table is known. */
static void fill_frame(running *c, const ob_op *op, ob_keyset keys, const ob_value *args,
                       ob_value *results)
{
    c->frame = (ob_frame){ .op = op,
                           .keys = keys,
                           .args = args,
                           .results = results,
                           .n_args = c->table->n_args,
                           .n_results = c->table->n_results };
}

static ob_keyset masked_keys(const ob_thread *t, const ob_table *table, const ob_value *args)
{
    const ob_keyset keys = unmasked_keys(t, table, args);
    return keys & table->masks[ob_backend_index(keys)];
}

static OB_COLD ob_status call_slow(const ob_op *op, const ob_value *args, ob_value *results)
{
    ob_thread *t = &ob_thread_now;
    running c;
    OB_TRY(begin_slow(t, &c, op));
    fill_frame(&c, op, masked_keys(t, c.table, args), args, results);
    const ob_status st = run_slot(t, &c);
    end_slow(&c);
    return st;
}

static OB_COLD ob_status redispatch_slow(const ob_op *op, ob_keyset keys, const ob_value *args,
                                         ob_value *results)
{
    ob_thread *t = &ob_thread_now;
    running c;
    OB_TRY(begin_slow(t, &c, op));
    fill_frame(&c, op, keys, args, results);
    const ob_status st = run_slot(t, &c);
    end_slow(&c);
    return st;
}

/* Run the kernel of a slot and leave: the end of the fast way. */
static inline ob_status run_fast(running *c, const ob_table *table, uint32_t slot)
{
    const ob_record *r = table->slots[slot];
    c->frame.user = r->user;
    c->frame.n_args = table->n_args;
    c->frame.n_results = table->n_results;
    ob_status st = r->entry(&c->frame);
    if (OB_UNLIKELY(st != OB_OK))
        st = fail_fast(c->frame.op, c->frame.keys, c->frame.args, c->frame.results, st);
    ob_reader_leave(c->reader, c->depth);
    return st;
}

/* Begin a call the fast way; false, with nothing entered, when it must go the slow one. Not all
 * that has to is seen here: see is_slow(). */
static inline bool begin_fast(const ob_thread *t, running *c, const ob_op *op,
                              const ob_table **table)
{
    ob_reader *reader = t->reader;
    const uint32_t depth = ob_reader_depth(reader);
    if (OB_UNLIKELY(depth >= atomic_load_explicit(&reader->limit, memory_order_relaxed)))
        return false;
    ob_reader_enter(reader, depth);
    *table = atomic_load_explicit(&((ob_op *)op)->table, memory_order_acquire);
    c->reader = reader;
    c->depth = depth;
    c->frame.op = op;
    return true;
}

/* True when no argument chooses the kernel: a factory, or ob_no_table. Both can afford the slow
 * way, so that one comparison finds the op with one tensor, the op with more, and these. */
static inline bool is_slow(const ob_table *table)
{
    return OB_UNLIKELY(table->n_tensor_args == 0);
}

ob_status ob_call_unchecked(const ob_op *op, const ob_value *args, ob_value *results)
{
    const ob_thread *t = &ob_thread_now;
    running c;
    const ob_table *table;
    ob_keyset keys;
    if (OB_UNLIKELY(!begin_fast(t, &c, op, &table))) return call_slow(op, args, results);
    c.frame.args = args;
    c.frame.results = results;
    const uint32_t only = table->only_tensor_arg;
    if (OB_LIKELY(only != OB_NOT_ONE)) {
        keys = (keys_of_arg(args, only) | t->included) & t->kept;
    } else if (is_slow(table)) {
        ob_reader_leave(c.reader, c.depth);
        return call_slow(op, args, results);
    } else {
        keys = unmasked_keys(t, table, args);
    }
    const uint32_t backend = ob_backend_index(keys);
    c.frame.keys = keys & table->masks[backend];
    return run_fast(&c, table, ob_slot_at(c.frame.keys, backend));
}

ob_status ob_redispatch(const ob_op *op, ob_keyset keys, const ob_value *args, ob_value *results)
{
    running c;
    const ob_table *table;
    if (OB_UNLIKELY(!begin_fast(&ob_thread_now, &c, op, &table)))
        return redispatch_slow(op, keys, args, results);
    if (is_slow(table)) {
        ob_reader_leave(c.reader, c.depth);
        return redispatch_slow(op, keys, args, results);
    }
    c.frame.args = args;
    c.frame.results = results;
    c.frame.keys = keys;
    return run_fast(&c, table, ob_slot_of(keys));
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
    running c;
    OB_TRY(begin_slow(t, &c, op));
    fill_frame(&c, op, masked_keys(t, c.table, args), args, results);
    const ob_record *r = direct_record(c.table, key);
    ob_status st = r ? run_record(&c.frame, r)
                     : OB_FAIL(OB_ERR_NO_KERNEL,
                               "%s: nothing is registered for exactly %s, and it has no backend "
                               "fallback",
                               op->name, ob_key_name(key));
    if (st != OB_OK) reset_results(&c.frame);
    end_slow(&c);
    return st;
}

ob_keyset ob_call_keys(const ob_op *op, const ob_value *args)
{
    ob_thread *t = &ob_thread_now;
    running c;
    if (begin_slow(t, &c, op) != OB_OK) return 0;
    const ob_keyset keys = masked_keys(t, c.table, args);
    end_slow(&c);
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
