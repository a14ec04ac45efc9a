/* The null package: a device that has memory and copies, and no kernel. What a vendor copies first.
 *
 * Its memory is host memory behind an opaque buffer with an address space of its own: offset 0 of a
 * buffer is not where its bytes lie, so that host code which takes a buffer for a pointer reads
 * rubbish that is easy to tell. Every access is checked against the buffer. On this device every op
 * runs by composites and by the boxed CPU fallback. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ob/backend.h"

enum { RED_ZONE_BYTES = 64, RED_ZONE = 0xFD, FRESH = 0xFF, GONE = 0xDD };

#define MAGIC UINT64_C(0x6e756c6c20627566) /* "null buf" */

/* A buffer: this head, a red zone, the bytes, a red zone. Bytes start out as 0xFF: NaN in every
 * float type. */
struct ob_buffer {
    uint64_t magic;
    size_t bytes;
    unsigned char *memory; /* the first byte, behind the red zone */
};

static atomic_uint_fast64_t in_use, in_use_peak, n_allocs, n_frees;

static int32_t device_count(void *self)
{
    (void)self;
    return 1;
}

static ob_status expect(int32_t index)
{
    if (index == 0) return OB_OK;
    return OB_FAIL(OB_ERR_NOT_FOUND, "null: device %" PRId32 ": there is one, null:0", index);
}

static ob_status device_info(void *self, int32_t index, ob_device_info *out)
{
    (void)self;
    OB_TRY(expect(index));
    *out = (ob_device_info){
        .struct_size = out->struct_size,
        .compute_units = 1,
        .name = "null",
        .vendor = "Outboard",
        .driver = "none: memory and copies only",
        .memory_bytes = (uint64_t)1 << 32,
        .max_alloc_bytes = (uint64_t)1 << 32,
        .dtypes = OB_DTYPES_ALL,
    };
    return OB_OK;
}

static void count_alloc(size_t bytes)
{
    const uint64_t now = atomic_fetch_add(&in_use, bytes) + bytes;
    uint64_t peak = atomic_load(&in_use_peak);
    while (now > peak && !atomic_compare_exchange_weak(&in_use_peak, &peak, now))
        ;
    atomic_fetch_add(&n_allocs, 1);
}

static ob_status buffer_alloc(void *self, int32_t index, size_t bytes, ob_buffer **out)
{
    (void)self;
    *out = NULL;
    OB_TRY(expect(index));
    ob_buffer *b = malloc(sizeof *b);
    unsigned char *whole =
        bytes < SIZE_MAX - 2 * RED_ZONE_BYTES ? malloc(bytes + 2 * RED_ZONE_BYTES) : NULL;
    if (!b || !whole) {
        free(b);
        free(whole);
        return OB_FAIL(OB_ERR_OOM, "null: no room for %zu bytes", bytes);
    }
    memset(whole, RED_ZONE, RED_ZONE_BYTES);
    memset(whole + RED_ZONE_BYTES, FRESH, bytes);
    memset(whole + RED_ZONE_BYTES + bytes, RED_ZONE, RED_ZONE_BYTES);
    *b = (ob_buffer){ MAGIC, bytes, whole + RED_ZONE_BYTES };
    count_alloc(bytes);
    *out = b;
    return OB_OK;
}

static void buffer_free(void *self, ob_buffer *b)
{
    (void)self;
    if (!b) return;
    atomic_fetch_sub(&in_use, b->bytes);
    atomic_fetch_add(&n_frees, 1);
    memset(b->memory, GONE, b->bytes);
    free(b->memory - RED_ZONE_BYTES);
    b->magic = 0;
    free(b);
}

static bool zone_is_whole(const unsigned char *zone)
{
    for (int i = 0; i < RED_ZONE_BYTES; i++)
        if (zone[i] != RED_ZONE) return false;
    return true;
}

/* The range lies in a live buffer whose surroundings nobody has written to. */
static ob_status range_check(const ob_buffer *b, size_t offset, size_t bytes, const char *what)
{
    if (!b || b->magic != MAGIC)
        return OB_FAIL(OB_ERR_ARG, "null: %s: not a buffer of this device", what);
    if (offset > b->bytes || bytes > b->bytes - offset)
        return OB_FAIL(OB_ERR_ARG, "null: %s of %zu bytes at %zu passes the end of a buffer of %zu",
                       what, bytes, offset, b->bytes);
    if (!zone_is_whole(b->memory - RED_ZONE_BYTES) || !zone_is_whole(b->memory + b->bytes))
        return OB_FAIL(OB_ERR_DEVICE, "null: memory around a buffer of %zu bytes was written",
                       b->bytes);
    return OB_OK;
}

static ob_status buffer_write(void *self, ob_buffer *buffer, size_t offset, const void *host,
                              size_t bytes)
{
    (void)self;
    OB_TRY(range_check(buffer, offset, bytes, "write"));
    if (bytes) memcpy(buffer->memory + offset, host, bytes);
    return OB_OK;
}

static ob_status buffer_read(void *self, ob_buffer *buffer, size_t offset, void *host, size_t bytes)
{
    (void)self;
    OB_TRY(range_check(buffer, offset, bytes, "read"));
    if (bytes) memcpy(host, buffer->memory + offset, bytes);
    return OB_OK;
}

static ob_status buffer_copy(void *self, ob_buffer *dst, size_t dst_offset, ob_buffer *src,
                             size_t src_offset, size_t bytes)
{
    (void)self;
    OB_TRY(range_check(dst, dst_offset, bytes, "copy to"));
    OB_TRY(range_check(src, src_offset, bytes, "copy from"));
    if (bytes) memmove(dst->memory + dst_offset, src->memory + src_offset, bytes);
    return OB_OK;
}

static ob_status synchronize(void *self, int32_t index)
{
    (void)self;
    return expect(index);
}

static ob_status memory_stats(void *self, int32_t index, ob_memory_stats *out)
{
    (void)self;
    OB_TRY(expect(index));
    const uint64_t now = atomic_load(&in_use), peak = atomic_load(&in_use_peak);
    *out = (ob_memory_stats){
        .struct_size = out->struct_size,
        .in_use_bytes = now,
        .in_use_peak_bytes = peak,
        .held_bytes = now,
        .held_peak_bytes = peak,
        .n_allocs = atomic_load(&n_allocs),
        .n_device_allocs = atomic_load(&n_allocs),
        .n_frees = atomic_load(&n_frees),
    };
    return OB_OK;
}

static const ob_backend_api api = {
    .struct_size = sizeof(ob_backend_api),
    .device_count = device_count,
    .device_info = device_info,
    .alloc = buffer_alloc,
    .free = buffer_free,
    .write = buffer_write,
    .read = buffer_read,
    .copy = buffer_copy,
    .synchronize = synchronize,
    .memory_stats = memory_stats,
};

static ob_status register_kernels(void *self, ob_library *lib)
{
    (void)self;
    (void)lib;
    return OB_OK;
}

OB_API ob_status ob_package_open(const ob_host_info *host, ob_package *out);

ob_status ob_package_open(const ob_host_info *host, ob_package *out)
{
    if (host->abi_major != OB_ABI_MAJOR || host->abi_minor != OB_ABI_MINOR)
        return OB_FAIL(OB_ERR_ABI, "null: made for interface %d.%d, the host has %u.%u",
                       OB_ABI_MAJOR, OB_ABI_MINOR, host->abi_major, host->abi_minor);
    const uint32_t known = (uint32_t)sizeof(ob_package);
    *out = (ob_package){
        .struct_size = out->struct_size < known ? out->struct_size : known,
        .abi_major = OB_ABI_MAJOR,
        .abi_minor = OB_ABI_MINOR,
        .name = "null",
        .version = OB_PACKAGE_VERSION,
        .backend = &api,
        .register_kernels = register_kernels,
    };
    return OB_OK;
}
