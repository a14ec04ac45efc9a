/* Questions about the dispatcher's state (see ob/inspect.h). Answers are computed from the
 * registrations, not read from live tables, so they hold for ops that were never called too. */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "dispatch/call/call.h"
#include "dispatch/table/compute.h"

ob_entry ob_entry_of(const ob_record *record, uint8_t provenance)
{
    return (ob_entry){ .provenance = (ob_provenance)provenance,
                       .source = record->key,
                       .flags = record->kernel.flags & OB_KERNEL_FLAGS_PUBLIC,
                       .dtypes = record->kernel.dtypes,
                       .debug = record->kernel.debug,
                       .generated = (record->kernel.flags & OB_KERNEL_GENERATED) != 0 };
}

ob_status ob_inspect_entry(const ob_op *op, ob_key key, ob_entry *out)
{
    *out = (ob_entry){ .debug = "" };
    const int slot = ob_key_slot(key);
    if (slot < 0)
        return OB_FAIL(OB_ERR_ARG, "%s: %s is not a runtime key, so no table has an entry for it",
                       op->name, ob_key_name(key));
    const bool entered = ob_registry_enter();
    ob_inputs inputs;
    ob_inputs_collect(op, &inputs);
    ob_provenance provenance;
    const ob_record *r = ob_compute_slot(&inputs, slot, &provenance);
    *out = ob_entry_of(r, (uint8_t)provenance);
    ob_registry_leave(entered);
    return OB_OK;
}

int ob_inspect_registrations(const ob_op *op, ob_registration *out, int limit)
{
    const bool entered = ob_registry_enter();
    int n = 0;
    for (int key = 0; key < OB_KEY_LIMIT; key++) {
        const ob_record *newest = ob_op_newest(op, (ob_key)key);
        for (const ob_record *r = newest; r; r = r->next) {
            if ((int)r->key != key) continue;
            if (n < limit)
                out[n] = (ob_registration){ .key = r->key,
                                            .active = r == newest,
                                            .flags = r->kernel.flags & OB_KERNEL_FLAGS_PUBLIC,
                                            .debug = r->kernel.debug,
                                            .signature = r->kernel.signature };
            n++;
        }
    }
    ob_registry_leave(entered);
    return n;
}

bool ob_inspect_has_kernel_for_key(const ob_op *op, ob_key key)
{
    const bool entered = ob_registry_enter();
    const bool has = ob_op_newest(op, key) != NULL;
    ob_registry_leave(entered);
    return has;
}

ob_status ob_inspect_has_computed_kernel(const ob_op *op, ob_key key, bool *out)
{
    ob_entry entry;
    *out = false;
    OB_TRY(ob_inspect_entry(op, key, &entry));
    *out = entry.provenance != OB_PROVENANCE_MISSING;
    return OB_OK;
}

ob_status ob_inspect_is_fallthrough(const ob_op *op, ob_key key, bool *out)
{
    *out = false;
    const bool entered = ob_registry_enter();
    const ob_record *r = ob_op_newest(op, key);
    if (r) *out = (r->kernel.flags & OB_KERNEL_FALLTHROUGH) != 0;
    ob_registry_leave(entered);
    if (r) return OB_OK;
    return OB_FAIL(OB_ERR_NOT_FOUND, "%s: no kernel is registered for %s", op->name,
                   ob_key_name(key));
}

/* ---- lists of ops ---- */

typedef struct op_list {
    const ob_op **data;
    size_t n, capacity;
} op_list;

static void count_op(void *user, ob_op *op)
{
    (void)op;
    ((op_list *)user)->capacity++;
}

static void collect_op(void *user, ob_op *op)
{
    op_list *list = user;
    if (list->n < list->capacity) list->data[list->n++] = op;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(ob_op *const *)a)->name, (*(ob_op *const *)b)->name);
}

/* Every op that exists, sorted; empty when memory is out. `data` is owned. */
static op_list sorted_ops(void)
{
    op_list list = { 0 };
    if (ob_dispatch_init() != OB_OK) return list;
    const bool entered = ob_registry_enter();
    ob_optable_each(count_op, &list);
    list.data = ob_alloc(list.capacity, sizeof *list.data);
    if (list.data) ob_optable_each(collect_op, &list);
    ob_registry_leave(entered);
    if (list.n > 0) qsort(list.data, list.n, sizeof *list.data, by_name);
    return list;
}

void ob_inspect_each_op(void (*each)(void *user, const ob_op *op), void *user)
{
    op_list list = sorted_ops();
    for (size_t i = 0; i < list.n; i++)
        each(user, list.data[i]);
    ob_free(list.data);
}

void ob_inspect_each_dangling(void (*each)(void *user, const ob_op *op), void *user)
{
    op_list list = sorted_ops();
    for (size_t i = 0; i < list.n; i++) {
        const bool defined =
            atomic_load_explicit(&((ob_op *)list.data[i])->defined, memory_order_acquire);
        if (!defined) each(user, list.data[i]);
    }
    ob_free(list.data);
}

/* ---- invariants ---- */

static bool same_tables(const ob_table *a, const ob_table *b)
{
    return memcmp(a->slots, b->slots, sizeof a->slots) == 0 &&
           memcmp(a->provenance, b->provenance, sizeof a->provenance) == 0 &&
           memcmp(a->masks, b->masks, sizeof a->masks) == 0 &&
           memcmp(a->alternatives, b->alternatives, sizeof a->alternatives) == 0 &&
           memcmp(a->fallbacks, b->fallbacks, sizeof a->fallbacks) == 0;
}

static void check_op(void *user, ob_op *op)
{
    const ob_op **wrong = user;
    const ob_table *live = atomic_load_explicit(&op->table, memory_order_acquire);
    if (*wrong || live == &ob_no_table || !atomic_load_explicit(&op->defined, memory_order_acquire))
        return;
    ob_inputs inputs;
    ob_table fresh = { .n_args = 0 };
    ob_inputs_collect(op, &inputs);
    ob_compute_table(&inputs, &fresh);
    if (!same_tables(live, &fresh)) *wrong = op;
}

ob_status ob_inspect_check_invariants(void)
{
    OB_TRY(ob_dispatch_init());
    const ob_op *wrong = NULL;
    const bool entered = ob_registry_enter();
    ob_optable_each(check_op, &wrong);
    ob_registry_leave(entered);
    if (!wrong) return OB_OK;
    return OB_FAIL(OB_ERR_STATE, "%s: its live table differs from its registrations", wrong->name);
}

/* ---- counters and watchers ---- */

ob_op_counts ob_inspect_counts(const ob_op *op)
{
    ob_op *o = (ob_op *)op;
    return (ob_op_counts){ .fallbacks = atomic_load_explicit(&o->fallbacks, memory_order_relaxed),
                           .declines = atomic_load_explicit(&o->declines, memory_order_relaxed) };
}

static void reset_counts(void *user, ob_op *op)
{
    (void)user;
    atomic_store_explicit(&op->fallbacks, 0, memory_order_relaxed);
    atomic_store_explicit(&op->declines, 0, memory_order_relaxed);
}

void ob_inspect_reset_counts(void)
{
    ob_optable_each(reset_counts, NULL);
}

void ob_inspect_watch(const ob_call_watcher *watcher)
{
    ob_thread *t = &ob_thread_now;
    t->watcher = watcher;
    if (t->reader == &ob_no_reader) return;
    atomic_store_explicit(&t->reader->watched, watcher != NULL, memory_order_relaxed);
    ob_reader_set_limit(t->reader);
}
