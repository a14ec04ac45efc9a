/* Registering: def, impl, fallback. Every function is one transaction under the registration lock:
 * it checks, links, and either refreshes the tables or takes everything back. PyTorch:
 * Library::_def, _impl, _fallback; Dispatcher::registerDef, registerImpl, registerFallback. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "dispatch/call/call.h"
#include "dispatch/library/library.h"
#include "dispatch/table/compute.h"
#include "ob/schema.h"

/* A new item at the head of the library's list; NULL when memory is out. */
static ob_item *add_item(ob_library *lib, ob_item_kind kind, ob_op *op)
{
    ob_item *item = ob_alloc(1, sizeof *item);
    if (!item) return NULL;
    *item = (ob_item){ .next = lib->items, .kind = kind, .op = op };
    lib->items = item;
    return item;
}

static ob_status no_memory(const char *name)
{
    return OB_FAIL(OB_ERR_OOM, "%s: no memory to register it", name);
}

/* ---- kernels ---- */

static ob_status parse_signature(ob_record *record, const char *name)
{
    const char *signature = record->own_signature;
    const size_t bytes = strlen(signature) + 2;
    char *text = ob_alloc(bytes, 1);
    if (!text) return no_memory(name);
    (void)snprintf(text, bytes, "k%s", signature);
    ob_status st = ob_schema_parse(text, 0, &record->signature);
    if (st != OB_OK) st = ob_error_prefix(st, "%s: signature of its kernel: ", name);
    ob_free(text);
    return st;
}

/* What a call enters for this kernel: the op's wrapper, a gate on dtypes, or the kernel itself. */
static void choose_entry(ob_record *record)
{
    const ob_kernel *k = &record->kernel;
    const bool wrapped = record->op && record->op->wrapper && ob_key_is_backend(record->key) &&
                         (k->flags & OB_KERNEL_GENERATED) == 0;
    record->entry = k->fn;
    record->user = k->user;
    if (k->flags & OB_KERNEL_FALLTHROUGH)
        record->entry = ob_run_fallthrough;
    else if (wrapped)
        record->entry = record->op->wrapper;
    else if (k->dtypes)
        record->entry = ob_run_gated;
    if (record->entry != k->fn) record->user = record;
}

/* A record for a kernel, not linked yet. */
static ob_status make_record(const ob_library *lib, ob_op *op, ob_key key, const ob_kernel *kernel,
                             ob_record **out)
{
    const char *name = op ? op->name : ob_key_name(key);
    *out = NULL;
    if (!kernel || (!kernel->fn && (kernel->flags & OB_KERNEL_FALLTHROUGH) == 0))
        return OB_FAIL(OB_ERR_ARG, "%s: a kernel needs a function, unless it is a fallthrough",
                       name);
    ob_record *record = ob_alloc(1, sizeof *record);
    if (!record) return no_memory(name);
    record->kernel = *kernel;
    record->key = key;
    record->op = op;
    if (kernel->debug) record->own_debug = ob_strdup(kernel->debug);
    if (kernel->signature) record->own_signature = ob_strdup(kernel->signature);
    record->kernel.debug = kernel->debug ? record->own_debug : lib->debug;
    record->kernel.signature = record->own_signature;
    ob_status st = OB_OK;
    if ((kernel->debug && !record->own_debug) || (kernel->signature && !record->own_signature))
        st = no_memory(name);
    if (st == OB_OK && record->own_signature) st = parse_signature(record, name);
    choose_entry(record);
    if (st == OB_OK)
        *out = record;
    else
        ob_record_free(&record->retired);
    return st;
}

static ob_status check_duplicate(const char *name, const ob_record *old, const ob_record *fresh)
{
    if (!old || fresh->kernel.flags & OB_KERNEL_OVERRIDE) return OB_OK;
    return OB_FAIL(OB_ERR_DUPLICATE,
                   "%s: a kernel for %s is there already, %s; the second was %s; give it "
                   "OB_KERNEL_OVERRIDE to stand on top of the first",
                   name, ob_key_name(fresh->key), old->kernel.debug, fresh->kernel.debug);
}

static const char *where_defined(const ob_op *op)
{
    return op->def ? op->def->debug : "built into libob";
}

/* Link one kernel. Lock held; the op's table is the caller's to refresh. */
static ob_status link_kernel(ob_library *lib, ob_op *op, ob_key key, const ob_kernel *kernel)
{
    ob_record *record;
    OB_TRY(make_record(lib, op, key, kernel, &record));
    ob_status st = check_duplicate(op->name, ob_op_newest(op, key), record);
    const ob_schema *schema = NULL;
    if (st == OB_OK && record->signature) st = ob_op_parsed_schema(op, &schema);
    if (st == OB_OK && schema) st = ob_signature_check(op, schema, where_defined(op), record);
    ob_item *item = st == OB_OK ? add_item(lib, OB_ITEM_KERNEL, op) : NULL;
    if (st == OB_OK && !item) st = no_memory(op->name);
    if (st != OB_OK) {
        ob_record_free(&record->retired);
        return st;
    }
    item->record = record;
    ob_op_push(op, record);
    return OB_OK;
}

/* The key a kernel goes to: its own, the library's, or `otherwise`. */
static ob_status choose_key(const ob_library *lib, const char *name, ob_key key, ob_key otherwise,
                            ob_key *out)
{
    if (key != OB_KEY_Undefined && lib->key != OB_KEY_Undefined && key != lib->key)
        return OB_FAIL(OB_ERR_ARG, "%s: registered for %s in a library for %s (%s)", name,
                       ob_key_name(key), ob_key_name(lib->key), lib->debug);
    *out = key != OB_KEY_Undefined ? key : lib->key != OB_KEY_Undefined ? lib->key : otherwise;
    if (ob_key_slot(*out) > 0 || ob_key_is_alias(*out)) return OB_OK;
    if (*out == OB_KEY_Undefined) return OB_FAIL(OB_ERR_ARG, "%s: a key is needed", name);
    return OB_FAIL(OB_ERR_ARG, "%s: kernels cannot be registered for %s", name, ob_key_name(*out));
}

ob_status ob_library_impl(ob_library *lib, const char *name, ob_key key, const ob_kernel *kernel)
{
    char *full;
    OB_TRY(ob_library_qualify(lib, name, &full));
    ob_status st = choose_key(lib, full, key, OB_KEY_CompositeImplicitAutograd, &key);
    if (st == OB_OK) st = ob_registry_begin("impl");
    if (st == OB_OK) {
        ob_op *op = ob_op_intern(full);
        st = op ? link_kernel(lib, op, key, kernel) : no_memory(full);
        if (st == OB_OK) ob_op_refresh(op);
        ob_registry_leave(true);
    }
    ob_free(full);
    return st;
}

/* Link the kernel of one row, whose op must be defined. */
static ob_status link_row(ob_library *lib, const ob_kernel_row *row, ob_key key)
{
    char *full;
    OB_TRY(ob_library_qualify(lib, row->op, &full));
    ob_op *op = ob_op_lookup(full);
    ob_status st;
    if (op && atomic_load_explicit(&op->defined, memory_order_acquire))
        st = link_kernel(lib, op, key, &row->kernel);
    else
        st = OB_FAIL(OB_ERR_NOT_FOUND,
                     "%s: no such op is defined, so it cannot be implemented for "
                     "%s (%s)",
                     full, ob_key_name(key), lib->debug);
    ob_free(full);
    return st;
}

ob_status ob_library_impl_all(ob_library *lib, const ob_kernel_row *rows, size_t n)
{
    ob_key key;
    OB_TRY(choose_key(lib, lib->ns, OB_KEY_Undefined, OB_KEY_CompositeImplicitAutograd, &key));
    OB_TRY(ob_registry_begin("impl"));
    const ob_item *before = lib->items;
    ob_status st = OB_OK;
    for (size_t i = 0; st == OB_OK && i < n; i++)
        st = link_row(lib, &rows[i], key);
    if (st != OB_OK) ob_library_undo(lib, before, false);
    for (ob_item *i = lib->items; i != before; i = i->next)
        ob_op_refresh(i->op);
    ob_registry_leave(true);
    return st;
}

/* ---- definitions ---- */

/* The text of a declaration with the library's namespace in front [owned]; `tail` is appended. */
static char *with_namespace(const ob_library *lib, const char *text, const char *tail)
{
    text += strspn(text, " \t\n");
    const char *colons = strstr(text, "::"), *paren = strchr(text, '(');
    const bool has = colons && (!paren || colons < paren);
    const size_t bytes = strlen(lib->ns) + strlen(text) + strlen(tail) + 3;
    char *full = ob_alloc(bytes, 1);
    if (full)
        (void)snprintf(full, bytes, "%s%s%s%s", has ? "" : lib->ns, has ? "" : "::", text, tail);
    return full;
}

/* "ns::name.overload" of a schema that has its namespace [owned]; the library's is checked. */
static ob_status name_of(const ob_library *lib, const ob_schema *schema, char **out)
{
    const size_t bytes = strlen(schema->name) + strlen(schema->overload) + 2;
    char *name = ob_alloc(bytes, 1);
    if (!name) return no_memory(schema->name);
    (void)snprintf(name, bytes, "%s%s%s", schema->name, *schema->overload ? "." : "",
                   schema->overload);
    const ob_status st = ob_library_qualify(lib, name, out);
    ob_free(name);
    return st;
}

static ob_status check_def(const ob_library *lib, ob_op *op, const ob_schema *schema)
{
    if (atomic_load_explicit(&op->defined, memory_order_acquire))
        return OB_FAIL(OB_ERR_DUPLICATE, "%s: defined already, %s; and again, %s", op->name,
                       where_defined(op), lib->debug);
    if (schema->n_args > OB_MAX_ARGS)
        return OB_FAIL(OB_ERR_ARG, "%s: has %d arguments, at most %d are supported", op->name,
                       schema->n_args, OB_MAX_ARGS);
    for (const ob_record *r = op->kernels; r; r = r->next) {
        if (r->signature) OB_TRY(ob_signature_check(op, schema, lib->debug, r));
    }
    return OB_OK;
}

/* Link a definition that takes over `schema`. Lock held. */
static ob_status link_def(ob_library *lib, const char *name, ob_schema *schema, bool inferred)
{
    ob_op *op = ob_op_intern(name);
    if (!op) return no_memory(name);
    OB_TRY(check_def(lib, op, schema));
    ob_def *def = ob_alloc(1, sizeof *def);
    ob_item *item = def ? add_item(lib, OB_ITEM_DEF, op) : NULL;
    if (!item) {
        ob_free(def);
        return no_memory(name);
    }
    *def = (ob_def){ .schema = schema, .debug = lib->debug, .inferred = inferred };
    item->def = def;
    op->def = def;
    return OB_OK;
}

/* Make a linked definition visible to calls. Lock held. */
static void publish_def(ob_op *op, uint64_t tags)
{
    atomic_store_explicit(&op->tags, tags, memory_order_relaxed);
    atomic_store_explicit(&op->schema, op->def->schema, memory_order_release);
    atomic_store_explicit(&op->defined, true, memory_order_release);
    ob_op_refresh(op);
    ob_listeners_tell(op, true);
}

static ob_status define(ob_library *lib, const char *text, const char *tail, uint64_t tags)
{
    if (lib->kind == OB_LIBRARY_KIND_IMPL)
        return OB_FAIL(OB_ERR_ARG,
                       "def of %s: an IMPL block defines nothing; use a DEF or FRAGMENT "
                       "block (%s)",
                       text, lib->debug);
    char *full = with_namespace(lib, text, tail), *name = NULL;
    if (!full) return no_memory(text);
    ob_schema *schema = NULL;
    ob_status st = ob_schema_parse(full, 0, &schema);
    if (st == OB_OK) st = name_of(lib, schema, &name);
    if (st == OB_OK) st = ob_registry_begin("def");
    if (st == OB_OK) {
        st = link_def(lib, name, schema, *tail != '\0');
        if (st == OB_OK) {
            publish_def(lib->items->op, tags);
            schema = NULL;
        }
        ob_registry_leave(true);
    }
    ob_schema_free(schema);
    ob_free(name);
    ob_free(full);
    return st;
}

ob_status ob_library_def(ob_library *lib, const char *schema, uint64_t tags)
{
    if (!schema || !strchr(schema, '('))
        return OB_FAIL(OB_ERR_PARSE, "def of \"%s\": expected a schema, name(arguments) -> results",
                       schema ? schema : "");
    return define(lib, schema, "", tags);
}

/* The name of a declaration without its arguments [owned]. */
static char *declared_name(const char *schema)
{
    schema += strspn(schema, " \t\n");
    return ob_strndup(schema, strcspn(schema, "( \t\n"));
}

ob_status ob_library_def_impl(ob_library *lib, const char *schema, ob_key key,
                              const ob_kernel *kernel)
{
    if (!schema || !kernel) return OB_FAIL(OB_ERR_ARG, "def: needs a schema and a kernel");
    const bool bare = !strchr(schema, '(');
    if (bare && !kernel->signature)
        return OB_FAIL(OB_ERR_ARG,
                       "%s: the kernel has no signature to take the schema from; give "
                       "a schema",
                       schema);
    OB_TRY(define(lib, schema, bare ? kernel->signature : "", 0));
    char *name = declared_name(schema);
    if (!name) return no_memory(schema);
    const ob_status st = ob_library_impl(lib, name, key, kernel);
    ob_free(name);
    return st;
}

/* ---- backend fallbacks ---- */

static ob_status link_fallback(ob_library *lib, ob_key key, const ob_kernel *kernel)
{
    const int slot = ob_key_slot(key);
    ob_record *record;
    OB_TRY(make_record(lib, NULL, key, kernel, &record));
    const ob_status st = check_duplicate("backend fallback", ob_fallback_newest(slot), record);
    ob_item *item = st == OB_OK ? add_item(lib, OB_ITEM_FALLBACK, NULL) : NULL;
    if (!item) {
        ob_record_free(&record->retired);
        return st == OB_OK ? no_memory("backend fallback") : st;
    }
    item->record = record;
    item->slot = slot;
    ob_fallback_push(slot, record);
    return OB_OK;
}

ob_status ob_library_fallback(ob_library *lib, ob_key key, const ob_kernel *kernel)
{
    if (lib->kind != OB_LIBRARY_KIND_IMPL)
        return OB_FAIL(OB_ERR_ARG, "fallback: only an IMPL block can have one (%s)", lib->debug);
    if (strcmp(lib->ns, "_") != 0)
        return OB_FAIL(OB_ERR_ARG,
                       "fallback: serves all namespaces, so it belongs into namespace "
                       "_, not %s (%s)",
                       lib->ns, lib->debug);
    OB_TRY(choose_key(lib, "fallback", key, OB_KEY_Undefined, &key));
    OB_TRY(ob_registry_begin("fallback"));
    const ob_item *before = lib->items;
    ob_status st = OB_OK;
    for (int slot = 1; st == OB_OK && slot < OB_TABLE_SLOTS; slot++) {
        const ob_key member = ob_key_at_slot(slot);
        if (member == key || ob_alias_has_slot(key, slot)) st = link_fallback(lib, member, kernel);
    }
    if (st != OB_OK)
        ob_library_undo(lib, before, false);
    else
        ob_optable_refresh_all();
    ob_registry_leave(true);
    return st;
}
