/* Storages: counted device memory. PyTorch: c10/core/StorageImpl.h.
 *
 * Who holds the memory:
 *   cpu, small   the storage's own block, after its members: one allocation in all
 *   cpu          aligned host memory
 *   cpu, foreign the caller of ob_tensor_from_memory(), until release(context)
 *   meta         nobody: there is none
 *   others       the backend, through its alloc() and free() */
#include "core/alloc.h"
#include "core/device.h"
#include "core/tensor/tensor.h"

#include <string.h>

#include "ob/schema.h"

enum { ALIGNMENT = 64, SMALL_BYTES = 512 };

/* Where the memory of every empty CPU storage lies, so that `host` tells host memory from other. */
static _Alignas(ALIGNMENT) char nothing[ALIGNMENT];

static ob_backend_finder find_backend;

void ob_core_set_backend_finder(ob_backend_finder find)
{
    find_backend = find;
}

/* The aligned place behind a storage's members. */
static void *small_memory(const ob_storage *s)
{
    const uintptr_t end = (uintptr_t)(s + 1);
    return (void *)((end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* A storage with one reference and no memory, with room for `extra` bytes behind it. */
static ob_storage *make_storage(ob_device device, size_t bytes, size_t extra)
{
    ob_storage *s = ob_alloc_uninitialised(sizeof *s + (extra ? extra + ALIGNMENT : 0));
    if (!s) return NULL;
    *s = (ob_storage){ .device = device, .bytes = bytes };
    atomic_init(&s->refs, 1);
    atomic_init(&s->version, 0);
    return s;
}

static ob_status out_of_memory(ob_device device, size_t bytes)
{
    char name[64];
    return OB_FAIL(OB_ERR_OOM, "storage: no memory for %zu bytes on %s", bytes,
                   ob_device_format(device, name, sizeof name));
}

static ob_status create_cpu(size_t bytes, ob_storage **out)
{
    const bool small = bytes <= SMALL_BYTES;
    ob_storage *s = make_storage(OB_DEVICE_CPU, bytes, small ? bytes : 0);
    if (!s) return out_of_memory(OB_DEVICE_CPU, bytes);
    if (bytes == 0)
        s->host = nothing;
    else
        s->host = small ? small_memory(s) : ob_alloc_aligned(bytes);
    if (!s->host) {
        ob_free(s);
        return out_of_memory(OB_DEVICE_CPU, bytes);
    }
    s->buffer = bytes ? s->host : NULL;
    *out = s;
    return OB_OK;
}

static ob_status create_on_backend(ob_device device, size_t bytes, ob_storage **out)
{
    char name[64];
    const ob_backend_api *api = NULL;
    void *self = NULL;
    if (!find_backend)
        return OB_FAIL(OB_ERR_NOT_FOUND, "storage: no package is loaded for device %s",
                       ob_device_format(device, name, sizeof name));
    OB_TRY(find_backend(device, &api, &self));
    ob_storage *s = make_storage(device, bytes, 0);
    if (!s) return out_of_memory(device, bytes);
    s->api = api;
    s->self = self;
    const ob_status st = bytes ? api->alloc(self, device.index, bytes, &s->buffer) : OB_OK;
    if (st != OB_OK) {
        ob_free(s);
        return ob_error_via(st, __FILE__, __LINE__);
    }
    *out = s;
    return OB_OK;
}

ob_status ob_storage_create(ob_device device, size_t bytes, ob_storage **out)
{
    *out = NULL;
    if (device.backend == OB_BACKEND_NONE) device = OB_DEVICE_CPU;
    if (device.index < 0) device.index = 0;
    if (device.backend == OB_BACKEND_CPU) return create_cpu(bytes, out);
    if (device.backend != OB_BACKEND_Meta) return create_on_backend(device, bytes, out);
    *out = make_storage(device, bytes, 0);
    return *out ? OB_OK : out_of_memory(device, 0);
}

ob_status ob_storage_from_memory(void *data, size_t bytes, void (*release)(void *context),
                                 void *context, ob_storage **out)
{
    *out = make_storage(OB_DEVICE_CPU, bytes, 0);
    if (!*out) return out_of_memory(OB_DEVICE_CPU, 0);
    (*out)->host = data ? data : nothing;
    (*out)->release = release;
    (*out)->context = context;
    return OB_OK;
}

ob_storage *ob_storage_retain(ob_storage *s)
{
    if (s) atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

/* Give back what holds the bytes, but not the storage itself. */
static void release_memory(ob_storage *s)
{
    if (s->release) {
        s->release(s->context);
    } else if (s->api) {
        if (s->buffer) s->api->free(s->self, s->buffer);
    } else if (s->buffer && s->host != small_memory(s)) {
        ob_free(s->host);
    }
}

void ob_storage_release(ob_storage *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    release_memory(s);
    ob_free(s);
}

static ob_status grow_on_backend(ob_storage *s, size_t bytes)
{
    ob_buffer *buffer = NULL;
    OB_TRY(s->api->alloc(s->self, s->device.index, bytes, &buffer));
    if (s->bytes) {
        const ob_status st = s->api->copy(s->self, buffer, 0, s->buffer, 0, s->bytes);
        if (st != OB_OK) {
            s->api->free(s->self, buffer);
            return ob_error_via(st, __FILE__, __LINE__);
        }
    }
    release_memory(s);
    s->buffer = buffer;
    return OB_OK;
}

ob_status ob_storage_grow(ob_storage *s, size_t bytes)
{
    if (bytes <= s->bytes) return OB_OK;
    if (s->api) {
        OB_TRY(grow_on_backend(s, bytes));
    } else if (s->device.backend == OB_BACKEND_CPU) {
        void *host = ob_alloc_aligned(bytes);
        if (!host) return out_of_memory(s->device, bytes);
        memcpy(host, s->host, s->bytes);
        release_memory(s);
        s->host = host;
        s->buffer = host;
        s->release = NULL;
    }
    s->bytes = bytes;
    return OB_OK;
}
