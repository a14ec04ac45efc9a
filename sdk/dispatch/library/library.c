/* Libraries: blocks of registrations that are undone together. register.c does the registering.
 * PyTorch: torch/library.h, ATen/core/library.cpp. */
#include "dispatch/library/library.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "ob/schema.h"

/* Under the registration lock. */
static ob_library *libraries;
static char **load_errors;
static size_t n_load_errors;

static _Thread_local const void *current_owner;

static void free_library(ob_retired *retired)
{
    ob_library *lib = (ob_library *)retired;
    ob_free(lib->ns);
    ob_free(lib->debug);
    ob_free(lib);
}

static const char *kind_name(ob_library_kind kind)
{
    static const char *const names[] = { "DEF", "FRAGMENT", "IMPL" };
    return names[kind];
}

static ob_status check_open(ob_library_kind kind, const char *ns, ob_key key)
{
    if (!ns || kind > OB_LIBRARY_KIND_IMPL)
        return OB_FAIL(OB_ERR_ARG, "library: needs a namespace and a kind");
    if (kind == OB_LIBRARY_KIND_IMPL) {
        if (key == OB_KEY_Undefined || ob_key_slot(key) > 0 || ob_key_is_alias(key)) return OB_OK;
        return OB_FAIL(OB_ERR_ARG, "library: kernels cannot be registered for %s",
                       ob_key_name(key));
    }
    if (key != OB_KEY_Undefined)
        return OB_FAIL(OB_ERR_ARG, "library: a %s block has no key, got %s; use an IMPL block",
                       kind_name(kind), ob_key_name(key));
    if (strcmp(ns, "_") == 0)
        return OB_FAIL(OB_ERR_ARG,
                       "library: namespace _ is for backend fallbacks in IMPL blocks; "
                       "a %s block needs a real one",
                       kind_name(kind));
    return OB_OK;
}

static ob_status make_library(const char *ns, const char *file, int line, ob_library **out)
{
    ob_library *lib = ob_alloc(1, sizeof *lib);
    const size_t bytes = strlen(file) + 40;
    if (lib) {
        lib->ns = ob_strdup(ns);
        lib->debug = ob_alloc(bytes, 1);
    }
    if (!lib || !lib->ns || !lib->debug) {
        if (lib) free_library(&lib->retired);
        return OB_FAIL(OB_ERR_OOM, "library %s: no memory", ns);
    }
    (void)snprintf(lib->debug, bytes, "registered at %s:%d", file, line);
    lib->file = file;
    lib->line = line;
    *out = lib;
    return OB_OK;
}

static const ob_library *other_definer(const char *ns)
{
    const ob_library *l = libraries;
    while (l && (l->kind != OB_LIBRARY_KIND_DEF || strcmp(l->ns, ns) != 0))
        l = l->next;
    return l;
}

ob_status ob_library_open(ob_library_kind kind, const char *ns, ob_key key, const char *file,
                          int line, ob_library **out)
{
    *out = NULL;
    OB_TRY(ob_dispatch_init());
    OB_TRY(check_open(kind, ns, key));
    ob_library *lib = NULL;
    OB_TRY(make_library(ns, file ? file : "?", line, &lib));
    lib->kind = kind;
    lib->key = key;
    ob_status st = ob_registry_begin("library");
    if (st == OB_OK) {
        const ob_library *other = kind == OB_LIBRARY_KIND_DEF ? other_definer(ns) : NULL;
        if (other)
            st = OB_FAIL(OB_ERR_DUPLICATE,
                         "library: namespace %s is defined at %s:%d already, and again at %s:%d; "
                         "make the second a FRAGMENT",
                         ns, other->file, other->line, lib->file, lib->line);
        else {
            lib->next = libraries;
            libraries = lib;
            *out = lib;
        }
        ob_registry_leave(true);
    }
    if (st != OB_OK) free_library(&lib->retired);
    return st;
}

/* ---- undoing ---- */

static void unlink_item(ob_item *item)
{
    ob_op *op = item->op;
    switch (item->kind) {
    case OB_ITEM_DEF:
        ob_listeners_tell(op, false);
        atomic_store_explicit(&op->defined, false, memory_order_release);
        atomic_store_explicit(&op->schema, NULL, memory_order_release);
        atomic_store_explicit(&op->tags, 0, memory_order_relaxed);
        op->def = NULL;
        break;
    case OB_ITEM_KERNEL:
        ob_op_remove(op, item->record);
        break;
    case OB_ITEM_FALLBACK:
        ob_fallback_remove(item->slot, item->record);
        break;
    }
}

static void retire_item(ob_item *item)
{
    if (item->def) ob_retire(&item->def->retired, ob_def_free);
    if (item->record) ob_retire(&item->record->retired, ob_record_free);
    ob_free(item);
}

void ob_library_undo(ob_library *lib, const ob_item *until, bool refresh)
{
    bool any_fallback = false;
    for (ob_item *i = lib->items; i != until; i = i->next) {
        unlink_item(i);
        any_fallback = any_fallback || i->kind == OB_ITEM_FALLBACK;
    }
    for (ob_item *i = lib->items; refresh && i != until; i = i->next) {
        if (i->op) ob_op_refresh(i->op);
    }
    if (refresh && any_fallback) ob_optable_refresh_all();
    while (lib->items != until) {
        ob_item *item = lib->items;
        lib->items = item->next;
        retire_item(item);
    }
}

void ob_library_reset(ob_library *lib)
{
    const bool entered = ob_registry_enter();
    ob_library_undo(lib, NULL, true);
    ob_registry_leave(entered);
}

void ob_library_release(ob_library *lib)
{
    if (!lib) return;
    const bool entered = ob_registry_enter();
    ob_library_undo(lib, NULL, true);
    ob_library **at = &libraries;
    while (*at && *at != lib)
        at = &(*at)->next;
    if (*at) *at = lib->next;
    ob_retire(&lib->retired, free_library);
    ob_registry_leave(entered);
}

/* ---- names ---- */

ob_status ob_library_qualify(const ob_library *lib, const char *name, char **out)
{
    *out = NULL;
    if (!name) return OB_FAIL(OB_ERR_ARG, "library %s: a name is missing", lib->ns);
    const char *colons = strstr(name, "::");
    const size_t n = colons ? (size_t)(colons - name) : 0;
    if (colons && (n != strlen(lib->ns) || strncmp(name, lib->ns, n) != 0))
        return OB_FAIL(OB_ERR_ARG, "%s: the namespace is not that of the library, %s (%s)", name,
                       lib->ns, lib->debug);
    if (colons) name = colons + 2;
    if (!*name || strpbrk(name, "( \t\n"))
        return OB_FAIL(OB_ERR_ARG, "\"%s\" is not a name of an op; expected name or name.overload",
                       name);
    const size_t bytes = strlen(lib->ns) + strlen(name) + 3;
    char *full = ob_alloc(bytes, 1);
    if (!full) return OB_FAIL(OB_ERR_OOM, "%s::%s: no memory", lib->ns, name);
    (void)snprintf(full, bytes, "%s::%s", lib->ns, name);
    *out = full;
    return OB_OK;
}

/* ---- libraries of a .so ---- */

static void keep_load_error(const char *ns, const char *file, int line)
{
    char text[OB_ERROR_MESSAGE_BYTES];
    (void)snprintf(text, sizeof text, "library %s at %s:%d: %.3500s", ns, file, line,
                   ob_error_last()->message);
    const bool entered = ob_registry_enter();
    char **grown = ob_realloc(load_errors, n_load_errors + 1, sizeof *load_errors);
    char *copy = grown ? ob_strdup(text) : NULL;
    if (grown) load_errors = grown;
    if (copy) load_errors[n_load_errors++] = copy;
    ob_registry_leave(entered);
}

void ob_library_static(ob_library_kind kind, const char *ns, ob_key key, const char *file, int line,
                       ob_library_body body, ob_library **slot)
{
    *slot = NULL;
    ob_library *lib = NULL;
    ob_status st = ob_library_open(kind, ns, key, file, line, &lib);
    if (st == OB_OK) st = body(lib);
    if (st == OB_OK) {
        lib->owner = current_owner;
        lib->slot = slot;
        *slot = lib;
        return;
    }
    keep_load_error(ns, file, line);
    ob_library_release(lib);
}

void ob_library_set_owner(const void *owner)
{
    current_owner = owner;
}

void ob_library_release_owned(const void *owner)
{
    const bool entered = ob_registry_enter();
    for (ob_library *lib = libraries, *next; lib; lib = next) {
        next = lib->next;
        if (lib->owner != owner) continue;
        *lib->slot = NULL;
        ob_library_release(lib);
    }
    ob_registry_leave(entered);
}

const char *ob_library_load_error(int i)
{
    const bool entered = ob_registry_enter();
    const char *text = i >= 0 && (size_t)i < n_load_errors ? load_errors[i] : NULL;
    ob_registry_leave(entered);
    return text;
}
