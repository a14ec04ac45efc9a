/* Loading and unloading device packages. A package is known by its file (device and inode), so a
 * link to it is the same package and a copy of it is a double definition. One lock guards loading
 * and unloading; calls and device functions never take it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "dispatch/package/package.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "dispatch/call/fallbacks.h"
#include "dispatch/library/library.h"
#include "ob/schema.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool holds_lock;

/* OB_ERR_STATE where this thread has the lock: a package came back while it was being loaded. */
static ob_status begin_change(void)
{
    if (holds_lock)
        return OB_FAIL(OB_ERR_STATE, "package: no package can be loaded or unloaded by another one "
                                     "while that is being loaded");
    (void)pthread_mutex_lock(&lock);
    holds_lock = true;
    return OB_OK;
}

static void end_change(void)
{
    holds_lock = false;
    (void)pthread_mutex_unlock(&lock);
}

bool ob_package_is_changing(void)
{
    return holds_lock;
}

static ob_key dense_key(const ob_loaded_package *p)
{
    return ob_key_of(OB_KEY_Dense, ob_package_backend(p));
}

/* ---- loading ---- */

static ob_loaded_package *find_file(const struct stat *file)
{
    for (int i = 0; i < OB_PACKAGES; i++) {
        ob_loaded_package *p = &ob_packages[i];
        if (p->path && p->dev == file->st_dev && p->ino == file->st_ino) return p;
    }
    return NULL;
}

static ob_status find_free(const char *path, ob_loaded_package **out)
{
    for (int i = 0; i < OB_PACKAGES; i++) {
        if (ob_packages[i].path) continue;
        *out = &ob_packages[i];
        return OB_OK;
    }
    return OB_FAIL(OB_ERR_STATE,
                   "package %s: %d packages are loaded already (%s, %s, %s); unload one", path,
                   OB_PACKAGES, ob_packages[0].name, ob_packages[1].name, ob_packages[2].name);
}

static ob_status check_name(const ob_loaded_package *self, const char *name, const char *path)
{
    ob_device taken;
    for (int i = 0; i < OB_PACKAGES; i++) {
        const ob_loaded_package *p = &ob_packages[i];
        if (p != self && p->path && strcmp(p->name, name) == 0)
            return OB_FAIL(OB_ERR_DUPLICATE,
                           "package %s: its name is \"%s\", which %s has; they are "
                           "two files",
                           path, name, p->path);
    }
    if (ob_device_parse(name, &taken) == OB_OK)
        return OB_FAIL(OB_ERR_DUPLICATE, "package %s: its name \"%s\" is that of a built-in device",
                       path, name);
    ob_error_clear();
    return OB_OK;
}

/* Map the code and call its entry. */
static ob_status open_code(ob_loaded_package *p, const char *path)
{
    ob_package_open_fn open_package = NULL;
    ob_library_set_owner(p);
    p->code = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ob_library_set_owner(NULL);
    if (!p->code) return OB_FAIL(OB_ERR_IO, "package %s: cannot be loaded: %s", path, dlerror());
    *(void **)&open_package = dlsym(p->code, OB_PACKAGE_SYMBOL);
    if (!open_package)
        return OB_FAIL(OB_ERR_IO,
                       "package %s: is no package: it does not export " OB_PACKAGE_SYMBOL "()",
                       path);
    const ob_host_info host = { .struct_size = sizeof host,
                                .abi_major = OB_ABI_MAJOR,
                                .abi_minor = OB_ABI_MINOR,
                                .version = OB_VERSION,
                                .key = dense_key(p),
                                .backend = (int32_t)ob_package_backend(p) };
    p->info = (ob_package){ .struct_size = sizeof p->info };
    const ob_status st = open_package(&host, &p->info);
    if (st != OB_OK) p->info = (ob_package){ 0 };
    return st == OB_OK ? st : ob_error_prefix(st, "package %s", path);
}

/* What every package's device gets: the CPU fallback, and a way past autograd where PyTorch has no
 * stock fallback for it. */
static ob_status register_fallbacks(ob_loaded_package *p)
{
    const ob_kernel on_cpu = { .fn = ob_run_on_cpu, .flags = OB_KERNEL_OVERRIDE };
    const ob_kernel below = { .fn = ob_run_below_autograd };
    const ob_key autograd = ob_key_of(OB_KEY_AutogradFunctionality, ob_package_backend(p));
    OB_TRY(ob_library_open(OB_LIBRARY_KIND_IMPL, "_", OB_KEY_Undefined, __FILE__, __LINE__,
                           &p->fallbacks));
    OB_TRY(ob_library_fallback(p->fallbacks, dense_key(p), &on_cpu));
    if (autograd == OB_KEY_AutogradPrivateUse1) return OB_OK;
    return ob_library_fallback(p->fallbacks, autograd, &below);
}

static ob_status register_kernels(ob_loaded_package *p)
{
    OB_TRY(ob_library_open(OB_LIBRARY_KIND_IMPL, "aten", dense_key(p), __FILE__, __LINE__,
                           &p->kernels));
    const ob_status st = p->info.register_kernels(p->info.self, p->kernels);
    return st == OB_OK ? st : ob_error_prefix(st, "package %s", p->path);
}

/* Take the kernels away and wait for calls in them; then nothing of the package runs. */
static void withdraw(ob_loaded_package *p)
{
    atomic_store(&p->state, OB_PACKAGE_CLOSING);
    ob_library_release(p->kernels);
    ob_library_release(p->fallbacks);
    ob_library_release_owned(p);
    p->kernels = p->fallbacks = NULL;
}

/* Give back what open_code() and the copies hold, and free the slot. */
static void close_code(ob_loaded_package *p)
{
    const ob_status quiet = ob_dispatch_quiesce();
    if (p->info.close) p->info.close(p->info.self);
    if (p->code && quiet == OB_OK) (void)dlclose(p->code);
    ob_free(p->path);
    ob_free(p->version);
    p->path = p->version = NULL;
    p->code = NULL;
    p->info = (ob_package){ 0 };
    atomic_store(&p->state, OB_PACKAGE_FREE);
}

static ob_status fill_slot(ob_loaded_package *p)
{
    OB_TRY(open_code(p, p->path));
    OB_TRY(ob_package_check(&p->info, p->path));
    OB_TRY(check_name(p, p->info.name, p->path));
    p->version = ob_strdup(p->info.version ? p->info.version : "");
    if (!p->version) return OB_FAIL(OB_ERR_OOM, "package %s: no memory", p->path);
    (void)snprintf(p->name, sizeof p->name, "%s", p->info.name);
    ob_package_count_memory(p, p->info.backend);
    atomic_store(&p->state, OB_PACKAGE_LIVE);
    OB_TRY(register_fallbacks(p));
    return register_kernels(p);
}

static ob_status load_file(const char *canonical, const struct stat *file, ob_loaded_package **out)
{
    ob_loaded_package *p = NULL;
    OB_TRY(find_free(canonical, &p));
    p->path = ob_strdup(canonical);
    if (!p->path) return OB_FAIL(OB_ERR_OOM, "package %s: no memory", canonical);
    p->dev = file->st_dev;
    p->ino = file->st_ino;
    const ob_status st = fill_slot(p);
    if (st == OB_OK) {
        *out = p;
        return OB_OK;
    }
    const ob_error first = *ob_error_last();
    withdraw(p);
    close_code(p);
    return ob_error_restore(&first);
}

ob_status ob_package_load(const char *path, ob_loaded_package **out)
{
    struct stat file;
    if (out) *out = NULL;
    if (!path) return OB_FAIL(OB_ERR_ARG, "package: the path is NULL");
    OB_TRY(ob_dispatch_init());
    char *canonical = realpath(path, NULL);
    if (!canonical || stat(canonical, &file) != 0) {
        free(canonical);
        return OB_FAIL(OB_ERR_IO, "package %s: cannot be read: %s", path,
                       errno == ENOENT ? "no such file" : "not accessible");
    }
    ob_loaded_package *p = NULL;
    ob_status st = begin_change();
    if (st == OB_OK) {
        p = find_file(&file);
        if (!p) st = load_file(canonical, &file, &p);
        end_change();
    }
    free(canonical);
    if (st == OB_OK && out) *out = p;
    return st;
}

/* ---- unloading ---- */

/* Stop new users and memory; OB_ERR_STATE, and all as before, while memory is handed out. */
static ob_status stop_users(ob_loaded_package *p)
{
    atomic_store(&p->state, OB_PACKAGE_CLOSING);
    while (atomic_load(&p->users) > 0)
        (void)nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    const unsigned long long n = atomic_load(&p->storages);
    if (n == 0) return OB_OK;
    atomic_store(&p->state, OB_PACKAGE_LIVE);
    return OB_FAIL(OB_ERR_STATE,
                   "package %s: %llu of its tensors' storages live; release them before "
                   "unloading it",
                   p->name, n);
}

ob_status ob_package_unload(ob_loaded_package *package)
{
    if (!package) return OB_OK;
    OB_TRY(ob_dispatch_quiesce());
    OB_TRY(begin_change());
    ob_status st = OB_OK;
    if (atomic_load(&package->state) != OB_PACKAGE_LIVE)
        st = OB_FAIL(OB_ERR_STATE, "package: it is not loaded");
    if (st == OB_OK) st = stop_users(package);
    if (st == OB_OK) {
        withdraw(package);
        close_code(package);
    }
    end_change();
    return st;
}

/* ---- asking ---- */

ob_loaded_package *ob_package_at(int i)
{
    for (int slot = 0; slot < OB_PACKAGES; slot++) {
        if (atomic_load(&ob_packages[slot].state) == OB_PACKAGE_LIVE && i-- == 0)
            return &ob_packages[slot];
    }
    return NULL;
}

const char *ob_package_name(const ob_loaded_package *package)
{
    return package->name;
}

const char *ob_package_path(const ob_loaded_package *package)
{
    return package->path;
}

const char *ob_package_version(const ob_loaded_package *package)
{
    return package->version;
}

ob_key ob_package_key(const ob_loaded_package *package)
{
    return dense_key(package);
}
