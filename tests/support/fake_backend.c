#include "support/fake_backend.h"

#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"

struct ob_buffer {
    size_t bytes;
    char *data;
};

struct fake_counts fake_counts;

static ob_status fail_if(int fail)
{
    return fail ? OB_FAIL(OB_ERR_DEVICE, "fake: told to fail") : OB_OK;
}

static ob_status fake_alloc(void *self, int32_t index, size_t bytes, ob_buffer **out)
{
    (void)self, (void)index;
    fake_counts.allocs++;
    OB_TRY(fail_if(fake_counts.fail_allocs));
    *out = malloc(sizeof **out);
    (*out)->bytes = bytes;
    (*out)->data = malloc(bytes);
    return OB_OK;
}

static void fake_free(void *self, ob_buffer *buffer)
{
    (void)self;
    fake_counts.frees++;
    free(buffer->data);
    free(buffer);
}

static ob_status fake_write(void *self, ob_buffer *buffer, size_t offset, const void *host,
                            size_t bytes)
{
    (void)self;
    fake_counts.writes++;
    OB_TRY(fail_if(fake_counts.fail_writes || offset + bytes > buffer->bytes));
    memcpy(buffer->data + offset, host, bytes);
    return OB_OK;
}

static ob_status fake_read(void *self, ob_buffer *buffer, size_t offset, void *host, size_t bytes)
{
    (void)self;
    fake_counts.reads++;
    OB_TRY(fail_if(fake_counts.fail_reads || offset + bytes > buffer->bytes));
    memcpy(host, buffer->data + offset, bytes);
    return OB_OK;
}

static ob_status fake_copy(void *self, ob_buffer *dst, size_t dst_offset, ob_buffer *src,
                           size_t src_offset, size_t bytes)
{
    (void)self;
    fake_counts.copies++;
    OB_TRY(fail_if(fake_counts.fail_copies || dst_offset + bytes > dst->bytes ||
                   src_offset + bytes > src->bytes));
    memcpy(dst->data + dst_offset, src->data + src_offset, bytes);
    return OB_OK;
}

static const ob_backend_api api = { .struct_size = sizeof api,
                                    .alloc = fake_alloc,
                                    .free = fake_free,
                                    .write = fake_write,
                                    .read = fake_read,
                                    .copy = fake_copy };

static ob_status find(ob_device device, const ob_backend_api **out, void **self)
{
    (void)device;
    *out = &api;
    *self = NULL;
    return OB_OK;
}

void fake_backend_install(void)
{
    fake_counts = (struct fake_counts){ 0 };
    ob_core_set_backend_finder(find);
}
