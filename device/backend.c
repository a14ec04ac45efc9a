/* The package: the only exported symbol, and the table of callbacks that libob gets. */
#include "ob/backend.h"

#include "device/kernel.h"
#include "device/launch.h"
#include "device/native.h"
#include "device/runtime/context.h"
#include "device/runtime/event.h"
#include "device/runtime/memory.h"
#include "device/runtime/queue.h"

#define DTYPES_WITHOUT_F64 (OB_DTYPES_ALL & ~OB_DTYPES(OB_F64))

static int32_t device_count(void *self)
{
    (void)self;
    return ob_cl_device_get()->usable ? 1 : 0;
}

static ob_status device_info(void *self, int32_t index, ob_device_info *out)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    const ob_cl_device *d = ob_cl_device_get();
    ob_dtypes known = 0;
#define OB_X(id, ...) known |= OB_DTYPES(OB_##id);
    OB_DTYPE_LIST(OB_X)
#undef OB_X
    *out = (ob_device_info){
        .struct_size = out->struct_size,
        .compute_units = d->units,
        .name = d->name,
        .vendor = d->vendor,
        .driver = d->driver,
        .memory_bytes = d->memory_bytes,
        .max_alloc_bytes = d->max_alloc_bytes,
        .dtypes = d->has_f64 ? known : known & DTYPES_WITHOUT_F64,
    };
    return OB_OK;
}

static ob_status buffer_alloc(void *self, int32_t index, size_t bytes, ob_buffer **out)
{
    (void)self;
    *out = NULL;
    OB_TRY(ob_cl_device_expect(index));
    return ob_cl_alloc(bytes, out);
}

static void buffer_free(void *self, ob_buffer *buffer)
{
    (void)self;
    ob_cl_free(buffer);
}

static ob_status buffer_write(void *self, ob_buffer *buffer, size_t offset, const void *host,
                              size_t bytes)
{
    (void)self;
    return ob_cl_write(buffer, offset, host, bytes);
}

static ob_status buffer_read(void *self, ob_buffer *buffer, size_t offset, void *host, size_t bytes)
{
    (void)self;
    OB_TRY(ob_cl_read(buffer, offset, host, bytes));
    ob_cl_programs_save();
    return OB_OK;
}

static ob_status buffer_copy(void *self, ob_buffer *dst, size_t dst_offset, ob_buffer *src,
                             size_t src_offset, size_t bytes)
{
    (void)self;
    return ob_cl_copy(dst, dst_offset, src, src_offset, bytes);
}

static ob_status synchronize(void *self, int32_t index)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    OB_TRY(ob_cl_finish_all());
    ob_cl_programs_save();
    return OB_OK;
}

static ob_status stream_create(void *self, int32_t index, ob_stream **out)
{
    (void)self;
    *out = NULL;
    OB_TRY(ob_cl_device_expect(index));
    return ob_cl_stream_create(out);
}

static void stream_destroy(void *self, ob_stream *stream)
{
    (void)self;
    ob_cl_stream_destroy(stream);
}

static ob_status stream_set(void *self, int32_t index, ob_stream *stream, ob_stream **previous)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    return ob_cl_stream_set(stream, previous);
}

static ob_status stream_synchronize(void *self, ob_stream *stream)
{
    (void)self;
    OB_TRY(ob_cl_stream_finish(stream));
    ob_cl_programs_save();
    return OB_OK;
}

static ob_status event_record(void *self, int32_t index, ob_event **out)
{
    (void)self;
    *out = NULL;
    OB_TRY(ob_cl_device_expect(index));
    return ob_cl_event_record(out);
}

static ob_status event_wait(void *self, ob_event *event)
{
    (void)self;
    return ob_cl_event_wait(event);
}

static ob_status event_block(void *self, ob_stream *stream, ob_event *event)
{
    (void)self;
    return ob_cl_event_block(stream, event);
}

static ob_status event_query(void *self, ob_event *event, int32_t *done)
{
    (void)self;
    return ob_cl_event_query(event, done);
}

static ob_status event_elapsed(void *self, ob_event *from, ob_event *to, uint64_t *ns)
{
    (void)self;
    return ob_cl_event_elapsed(from, to, ns);
}

static void event_destroy(void *self, ob_event *event)
{
    (void)self;
    ob_cl_event_destroy(event);
}

static ob_status memory_stats(void *self, int32_t index, ob_memory_stats *out)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    ob_cl_memory_stats(out);
    return OB_OK;
}

static ob_status memory_trim(void *self, int32_t index)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    ob_cl_memory_trim();
    return OB_OK;
}

static ob_status profile_start(void *self, int32_t index)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    return ob_cl_profile_start();
}

static ob_status profile_stop(void *self, int32_t index,
                              void (*row)(void *user, const char *kernel, uint64_t start_ns,
                                          uint64_t end_ns),
                              void *user)
{
    (void)self;
    OB_TRY(ob_cl_device_expect(index));
    return ob_cl_profile_stop(row, user);
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
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_set = stream_set,
    .stream_synchronize = stream_synchronize,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_block = event_block,
    .event_query = event_query,
    .event_elapsed = event_elapsed,
    .event_destroy = event_destroy,
    .memory_stats = memory_stats,
    .memory_trim = memory_trim,
    .profile_start = profile_start,
    .profile_stop = profile_stop,
};

static ob_status register_kernels(void *self, ob_library *lib)
{
    (void)self;
    return ob_native_register(lib);
}

static void package_close(void *self)
{
    (void)self;
    ob_cl_programs_close();
    ob_cl_memory_trim();
    ob_cl_queues_close();
    ob_cl_device_close();
}

OB_API ob_status ob_package_open(const ob_host_info *host, ob_package *out);

ob_status ob_package_open(const ob_host_info *host, ob_package *out)
{
    if (host->abi_major != OB_ABI_MAJOR || host->abi_minor != OB_ABI_MINOR)
        return OB_FAIL(OB_ERR_ABI, "opencl: made for interface %d.%d, the host has %u.%u",
                       OB_ABI_MAJOR, OB_ABI_MINOR, host->abi_major, host->abi_minor);
    OB_TRY(ob_cl_device_open());
    const uint32_t known = (uint32_t)sizeof(ob_package);
    *out = (ob_package){
        .struct_size = out->struct_size < known ? out->struct_size : known,
        .abi_major = OB_ABI_MAJOR,
        .abi_minor = OB_ABI_MINOR,
        .name = "opencl",
        .version = OB_PACKAGE_VERSION,
        .backend = &api,
        .register_kernels = register_kernels,
        .close = package_close,
    };
    return OB_OK;
}
