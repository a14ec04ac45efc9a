/* A device package over host memory, for tests. PACKAGE_* says what is wrong with it. */
#include <stdlib.h>
#include <string.h>

#include "ob/backend.h"

static int32_t device_count(void *self)
{
    (void)self;
    return 1;
}

static ob_status device_info(void *self, int32_t index, ob_device_info *out)
{
    (void)self;
    (void)index;
    out->name = "host memory";
    return OB_OK;
}

static ob_status allocate(void *self, int32_t index, size_t bytes, ob_buffer **out)
{
    (void)self;
    (void)index;
    *out = calloc(1, bytes);
    return *out ? OB_OK : OB_FAIL(OB_ERR_OOM, "test package: no memory");
}

static void release(void *self, ob_buffer *buffer)
{
    (void)self;
    free(buffer);
}

static ob_status write_to(void *self, ob_buffer *buffer, size_t offset, const void *host,
                          size_t bytes)
{
    (void)self;
    memcpy((char *)buffer + offset, host, bytes);
    return OB_OK;
}

static ob_status read_from(void *self, ob_buffer *buffer, size_t offset, void *host, size_t bytes)
{
    (void)self;
    memcpy(host, (char *)buffer + offset, bytes);
    return OB_OK;
}

static ob_status copy(void *self, ob_buffer *dst, size_t dst_offset, ob_buffer *src,
                      size_t src_offset, size_t bytes)
{
    (void)self;
    memmove((char *)dst + dst_offset, (char *)src + src_offset, bytes);
    return OB_OK;
}

static ob_status synchronize(void *self, int32_t index)
{
    (void)self;
    (void)index;
    return OB_OK;
}

static const ob_backend_api backend = { .struct_size = sizeof backend,
                                        .device_count = device_count,
                                        .device_info = device_info,
                                        .alloc = allocate,
                                        .free = release,
                                        .write = write_to,
                                        .read = read_from,
                                        .copy = copy,
                                        .synchronize = synchronize };

static ob_status register_kernels(void *self, ob_library *lib)
{
    (void)self;
    (void)lib;
#if defined(PACKAGE_REFUSES)
    return OB_FAIL(OB_ERR_DEVICE, "the device is on fire");
#elif defined(PACKAGE_NESTS)
    return ob_package_load("/", NULL);
#else
    return OB_OK;
#endif
}

#if defined(PACKAGE_NO_SYMBOL)
#define ob_package_open ob_package_opens
#endif
OB_API ob_status ob_package_open(const ob_host_info *host, ob_package *out);

ob_status ob_package_open(const ob_host_info *host, ob_package *out)
{
    (void)host;
    out->abi_major = OB_ABI_MAJOR;
    out->abi_minor = OB_ABI_MINOR;
#if defined(PACKAGE_WRONG_ABI)
    out->abi_minor = OB_ABI_MINOR + 1;
#endif
    out->name = "testdev";
    out->version = "1.2";
    out->backend = &backend;
    out->register_kernels = register_kernels;
    return OB_OK;
}
