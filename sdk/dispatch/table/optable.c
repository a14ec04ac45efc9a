/* The table of operators: interning, kernel stacks, snapshots (see optable.h). PyTorch:
 * ATen/core/dispatch/Dispatcher.cpp, OperatorEntry.cpp. */
#include "dispatch/table/optable.h"

#include <pthread.h>
#include <string.h>

#include "core/alloc.h"
#include "dispatch/table/compute.h"
#include "ob/schema.h"

enum { BUCKETS = 8192 };

static _Atomic(ob_op *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ob_record *fallback_stacks[OB_TABLE_SLOTS]; /* under the lock */

bool ob_registry_enter(void)
{
    if (ob_thread_now.registering) return false;
    (void)pthread_mutex_lock(&lock);
    ob_thread_now.registering = true;
    return true;
}

void ob_registry_leave(bool entered)
{
    if (!entered) return;
    ob_reclaim();
    ob_thread_now.registering = false;
    (void)pthread_mutex_unlock(&lock);
}

ob_status ob_registry_begin(const char *what)
{
    if (!ob_registry_enter())
        return OB_FAIL(OB_ERR_STATE, "%s: called from a listener, which must not register", what);
    return OB_OK;
}

const ob_table ob_no_table = { .only_tensor_arg = OB_NOT_ONE };

/* ---- names ---- */

static uint32_t bucket_of(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return (h ^ h >> 16) % BUCKETS;
}

ob_op *ob_op_lookup(const char *name)
{
    ob_op *op = atomic_load_explicit(&buckets[bucket_of(name)], memory_order_acquire);
    while (op && strcmp(op->name, name) != 0)
        op = op->chain;
    return op;
}

static void publish_name(ob_op *op)
{
    _Atomic(ob_op *) *head = &buckets[bucket_of(op->name)];
    op->chain = atomic_load_explicit(head, memory_order_relaxed);
    atomic_store_explicit(head, op, memory_order_release);
}

ob_op *ob_op_intern(const char *name)
{
    ob_op *op = ob_op_lookup(name);
    if (op) return op;
    op = ob_alloc(1, sizeof *op);
    char *copy = op ? ob_strdup(name) : NULL;
    if (!copy) {
        ob_free(op);
        return NULL;
    }
    op->name = copy;
    atomic_init(&op->table, &ob_no_table);
    publish_name(op);
    return op;
}

bool ob_op_exists(const ob_op *op)
{
    ob_op *o = (ob_op *)op;
    return atomic_load_explicit(&o->defined, memory_order_acquire) ||
           atomic_load_explicit(&o->n_kernels, memory_order_acquire) > 0;
}

void ob_optable_each(void (*each)(void *user, ob_op *op), void *user)
{
    for (int i = 0; i < BUCKETS; i++) {
        ob_op *op = atomic_load_explicit(&buckets[i], memory_order_acquire);
        for (; op; op = op->chain) {
            if (ob_op_exists(op)) each(user, op);
        }
    }
}

ob_status ob_optable_define_all(const ob_builtin *rows, size_t n, ob_op **ops)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += strcspn(rows[i].schema, "(") + 1;
    ob_op *made = ob_alloc(n, sizeof *made);
    char *names = made ? ob_alloc(bytes, 1) : NULL;
    ob_status st = names ? ob_registry_begin("define") : OB_FAIL(OB_ERR_OOM, "define %zu ops", n);
    for (size_t i = 0; st == OB_OK && i < n; i++) {
        const size_t length = strcspn(rows[i].schema, "(");
        memcpy(names, rows[i].schema, length);
        made[i].name = names;
        names += length + 1;
        made[i].text = rows[i].schema;
        atomic_init(&made[i].table, &ob_no_table);
        atomic_init(&made[i].tags, rows[i].tags);
        atomic_init(&made[i].defined, true);
        ops[i] = &made[i];
    }
    if (st != OB_OK) {
        ob_free(names);
        ob_free(made);
        return st;
    }
    for (size_t i = 0; i < n; i++)
        publish_name(&made[i]);
    ob_registry_leave(true);
    return OB_OK;
}

/* ---- schemas ---- */

/* Tell a table which arguments a call looks at for keys, and the counts for its frames. */
static void describe_args(ob_table *table, const ob_schema *schema)
{
    table->n_args = (uint32_t)schema->n_args;
    table->n_results = (uint32_t)schema->n_returns;
    for (int i = 0; i < schema->n_args && i < OB_MAX_ARGS; i++) {
        const ob_type *t = schema->args[i].type;
        if (t->kind == OB_TYPE_LIST) t = t->inner[0];
        if (t->kind == OB_TYPE_OPTIONAL) t = t->inner[0];
        if (t->kind != OB_TYPE_TENSOR) continue;
        table->tensor_args[table->n_tensor_args++] = (uint16_t)((size_t)i * sizeof(ob_value));
    }
    if (table->n_tensor_args == 1) table->only_tensor_arg = table->tensor_args[0];
}

ob_status ob_op_parsed_schema(ob_op *op, const ob_schema **out)
{
    *out = atomic_load_explicit(&op->schema, memory_order_acquire);
    if (*out || !op->text) return OB_OK;
    ob_schema *parsed = NULL;
    OB_TRY(ob_schema_parse(op->text, 0, &parsed));
    atomic_store_explicit(&op->schema, parsed, memory_order_release);
    *out = parsed;
    return OB_OK;
}

const ob_schema *ob_op_schema(const ob_op *op)
{
    ob_op *o = (ob_op *)op;
    const ob_schema *schema = atomic_load_explicit(&o->schema, memory_order_acquire);
    if (schema || !o->text) return schema;
    const bool entered = ob_registry_enter();
    const ob_status st = ob_op_parsed_schema(o, &schema);
    ob_registry_leave(entered);
    return st == OB_OK ? schema : NULL;
}

const char *ob_op_name(const ob_op *op)
{
    return op->name;
}

uint64_t ob_op_tags(const ob_op *op)
{
    return atomic_load_explicit(&((ob_op *)op)->tags, memory_order_relaxed);
}

/* ---- kernels and tables ---- */

static void push(ob_record **stack, ob_record *record)
{
    record->next = *stack;
    *stack = record;
}

static void take(ob_record **stack, const ob_record *record)
{
    while (*stack && *stack != record)
        stack = &(*stack)->next;
    if (*stack) *stack = record->next;
}

void ob_op_push(ob_op *op, ob_record *record)
{
    push(&op->kernels, record);
    atomic_fetch_add_explicit(&op->n_kernels, 1, memory_order_release);
}

void ob_op_remove(ob_op *op, ob_record *record)
{
    take(&op->kernels, record);
    atomic_fetch_sub_explicit(&op->n_kernels, 1, memory_order_release);
}

const ob_record *ob_op_newest(const ob_op *op, ob_key key)
{
    const ob_record *r = op->kernels;
    while (r && r->key != key)
        r = r->next;
    return r;
}

static void free_table(ob_retired *table)
{
    ob_free(table);
}

/* A table of what is registered now; NULL and an error when the schema cannot be had or memory is
 * out. */
static ob_table *make_table(ob_op *op)
{
    const ob_schema *schema;
    if (ob_op_parsed_schema(op, &schema) != OB_OK) return NULL;
    ob_table *table = ob_alloc(1, sizeof *table);
    if (!table) {
        (void)OB_FAIL(OB_ERR_OOM, "%s: no memory for its dispatch table", op->name);
        return NULL;
    }
    ob_inputs inputs;
    table->only_tensor_arg = OB_NOT_ONE;
    ob_inputs_collect(op, &inputs);
    ob_compute_table(&inputs, table);
    if (schema) {
        describe_args(table, schema);
    } else {
        for (int i = 0; i < OB_TABLE_SLOTS; i++)
            table->slots[i] = &ob_not_defined;
    }
    return table;
}

static bool has_table(const ob_op *op)
{
    return atomic_load_explicit(&op->table, memory_order_relaxed) != &ob_no_table;
}

/* NULL: none from now on. */
static void publish_table(ob_op *op, ob_table *table)
{
    ob_table *old =
        has_table(op) ? (ob_table *)atomic_load_explicit(&op->table, memory_order_relaxed) : NULL;
    atomic_store_explicit(&op->table, table ? table : &ob_no_table, memory_order_release);
    if (old) ob_retire(&old->retired, free_table);
}

void ob_op_refresh(ob_op *op)
{
    if (has_table(op)) publish_table(op, make_table(op));
}

static void refresh_one(void *user, ob_op *op)
{
    (void)user;
    ob_op_refresh(op);
}

void ob_optable_refresh_all(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        ob_op *op = atomic_load_explicit(&buckets[i], memory_order_acquire);
        for (; op; op = op->chain)
            refresh_one(NULL, op);
    }
}

ob_status ob_op_resolve(ob_op *op, const ob_table **out)
{
    const bool entered = ob_registry_enter();
    *out = atomic_load_explicit(&op->table, memory_order_acquire);
    if (*out == &ob_no_table) {
        ob_table *table = make_table(op);
        if (table) publish_table(op, table);
        *out = table;
    }
    ob_registry_leave(entered);
    return *out ? OB_OK : ob_error_via(ob_error_last()->status, __FILE__, __LINE__);
}

void ob_record_free(ob_retired *retired)
{
    ob_record *record = (ob_record *)retired;
    ob_schema_free(record->signature);
    ob_free(record->own_signature);
    ob_free(record->own_debug);
    ob_free(record);
}

void ob_def_free(ob_retired *retired)
{
    ob_def *def = (ob_def *)retired;
    ob_schema_free(def->schema);
    ob_free(def);
}

ob_status ob_op_set_wrapper(ob_op *op, ob_kernel_fn wrapper)
{
    OB_TRY(ob_registry_begin("set wrapper"));
    const ob_record *r = op->kernels;
    while (r && (!ob_key_is_backend(r->key) || r->kernel.flags & OB_KERNEL_GENERATED))
        r = r->next;
    if (!r) op->wrapper = wrapper;
    ob_registry_leave(true);
    if (!r) return OB_OK;
    return OB_FAIL(OB_ERR_STATE, "%s: its shape rule must be installed before its %s kernel (%s)",
                   op->name, ob_key_name(r->key), r->kernel.debug);
}

const ob_kernel *ob_record_kernel(const void *record)
{
    return &((const ob_record *)record)->kernel;
}

/* ---- backend fallbacks ---- */

const ob_record *ob_fallback_newest(int slot)
{
    return fallback_stacks[slot];
}

void ob_fallback_push(int slot, ob_record *record)
{
    push(&fallback_stacks[slot], record);
}

void ob_fallback_remove(int slot, ob_record *record)
{
    take(&fallback_stacks[slot], record);
}
