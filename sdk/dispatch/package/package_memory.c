/* The way from a device to its package: counted memory, and the device functions of ob/backend.h.
 * libob hands out a copy of a package's function table whose alloc and free count, so that a
 * package with living storages is never unloaded. */
#include "core/device.h"
#include "core/tensor/tensor.h"
#include "dispatch/package/package.h"

ob_loaded_package ob_packages[OB_PACKAGES];

ob_backend ob_package_backend(const ob_loaded_package *package)
{
    return (ob_backend)(OB_BACKEND_PrivateUse1 + (int)(package - ob_packages));
}

bool ob_package_enter(ob_loaded_package *package)
{
    atomic_fetch_add(&package->users, 1);
    if (atomic_load(&package->state) == OB_PACKAGE_LIVE) return true;
    atomic_fetch_sub(&package->users, 1);
    return false;
}

void ob_package_leave(ob_loaded_package *package)
{
    atomic_fetch_sub(&package->users, 1);
}

static ob_status not_loaded(ob_device device)
{
    char text[64];
    return OB_FAIL(OB_ERR_NOT_FOUND,
                   "device %s: no package that serves it is loaded; load one with "
                   "ob_package_load() or ob_package_discover()",
                   ob_device_format(device, text, sizeof text));
}

static ob_status counted_alloc(int slot, int32_t index, size_t bytes, ob_buffer **out)
{
    ob_loaded_package *p = &ob_packages[slot];
    *out = NULL;
    if (!ob_package_enter(p))
        return not_loaded((ob_device){ (int32_t)ob_package_backend(p), index });
    const ob_status st = p->info.backend->alloc(p->info.self, index, bytes, out);
    if (st == OB_OK) atomic_fetch_add(&p->storages, 1);
    ob_package_leave(p);
    return st;
}

static void counted_free(int slot, ob_buffer *buffer)
{
    ob_loaded_package *p = &ob_packages[slot];
    atomic_fetch_add(&p->users, 1);
    p->info.backend->free(p->info.self, buffer);
    atomic_fetch_sub(&p->storages, 1);
    ob_package_leave(p);
}

/* The callbacks get the package's `self`, which may be anything: each slot has its own pair. */
#define OB_X(slot)                                                                          \
    static ob_status alloc_##slot(void *self, int32_t index, size_t bytes, ob_buffer **out) \
    {                                                                                       \
        (void)self;                                                                         \
        return counted_alloc(slot, index, bytes, out);                                      \
    }                                                                                       \
    static void free_##slot(void *self, ob_buffer *buffer)                                  \
    {                                                                                       \
        (void)self;                                                                         \
        counted_free(slot, buffer);                                                         \
    }
OB_X(0)
OB_X(1)
OB_X(2)
#undef OB_X

static ob_status (*const allocs[OB_PACKAGES])(void *, int32_t, size_t,
                                              ob_buffer **) = { alloc_0, alloc_1, alloc_2 };
static void (*const frees[OB_PACKAGES])(void *, ob_buffer *) = { free_0, free_1, free_2 };

void ob_package_count_memory(ob_loaded_package *package, const ob_backend_api *api)
{
    const size_t known = sizeof package->api;
    const size_t bytes = api->struct_size < known ? api->struct_size : known;
    const size_t slot = (size_t)(package - ob_packages);
    package->api = (ob_backend_api){ 0 };
    for (size_t i = 0; i < bytes; i++)
        ((char *)&package->api)[i] = ((const char *)api)[i];
    package->api.struct_size = (uint32_t)bytes;
    package->api.alloc = allocs[slot];
    package->api.free = frees[slot];
}

static ob_loaded_package *package_of(int32_t backend)
{
    const int slot = backend - OB_BACKEND_PrivateUse1;
    return slot >= 0 && slot < OB_PACKAGES ? &ob_packages[slot] : NULL;
}

ob_status ob_backend_of(ob_device device, const ob_backend_api **api, void **self)
{
    ob_loaded_package *p = package_of(device.backend);
    *api = NULL;
    *self = NULL;
    if (!p || atomic_load(&p->state) != OB_PACKAGE_LIVE) return not_loaded(device);
    *api = &p->api;
    *self = p->info.self;
    return OB_OK;
}

int32_t ob_device_count(ob_backend backend)
{
    if (backend == OB_BACKEND_CPU || backend == OB_BACKEND_Meta) return 1;
    ob_loaded_package *p = package_of((int32_t)backend);
    if (!p || !ob_package_enter(p)) return 0;
    const int32_t n = p->api.device_count(p->info.self);
    ob_package_leave(p);
    return n;
}

ob_status ob_device_get_info(ob_device device, ob_device_info *out)
{
    ob_loaded_package *p = package_of(device.backend);
    if (!p || !ob_package_enter(p)) return not_loaded(device);
    *out = (ob_device_info){ .struct_size = sizeof *out };
    const int32_t index = device.index < 0 ? 0 : device.index;
    const ob_status st = p->api.device_info(p->info.self, index, out);
    ob_package_leave(p);
    return st;
}

ob_status ob_device_synchronize(ob_device device)
{
    if (ob_device_is_builtin(device)) return OB_OK;
    ob_loaded_package *p = package_of(device.backend);
    if (!p || !ob_package_enter(p)) return not_loaded(device);
    const ob_status st = p->api.synchronize(p->info.self, device.index < 0 ? 0 : device.index);
    ob_package_leave(p);
    return st;
}

static const char *device_name(ob_backend backend)
{
    ob_loaded_package *p = package_of((int32_t)backend);
    return p && atomic_load(&p->state) == OB_PACKAGE_LIVE ? p->name : NULL;
}

OB_CONSTRUCTOR static void tell_core(void)
{
    ob_core_set_backend_finder(ob_backend_of);
    ob_core_set_device_namer(device_name);
}
