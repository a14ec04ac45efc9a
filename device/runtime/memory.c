/* The caching allocator. One lock; nothing in it calls back. */
#include "device/runtime/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "device/runtime/cl_error.h"
#include "device/runtime/context.h"
#include "device/runtime/guard.h"
#include "device/runtime/queue.h"

enum { SMALLEST_SHIFT = 7 }; /* smallest block: 128 bytes */

static struct {
    pthread_mutex_t lock; /* over the rest and over every stream's blocks */
    uint64_t serial;
    ob_memory_stats stats;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Class of a size, and the bytes of its blocks: (4 + quarter) << shift. */
static int class_of(size_t bytes, size_t *block_bytes)
{
    if (bytes <= (size_t)1 << SMALLEST_SHIFT) {
        *block_bytes = (size_t)1 << SMALLEST_SHIFT;
        return 0;
    }
    const int top = 63 - OB_CLZ64((uint64_t)(bytes - 1)); /* 2^top < bytes <= 2^(top + 1) */
    const int shift = top - 2;
    const size_t quarters = ((bytes - 1) >> shift) + 1; /* 5 to 8 */
    *block_bytes = quarters << shift;
    return 4 * (top - SMALLEST_SHIFT) + (int)quarters - 4;
}

static void count_in_use(int64_t bytes)
{
    all.stats.in_use_bytes += (uint64_t)bytes;
    if (all.stats.in_use_bytes > all.stats.in_use_peak_bytes)
        all.stats.in_use_peak_bytes = all.stats.in_use_bytes;
}

static void count_held(int64_t bytes)
{
    all.stats.held_bytes += (uint64_t)bytes;
    if (all.stats.held_bytes > all.stats.held_peak_bytes)
        all.stats.held_peak_bytes = all.stats.held_bytes;
}

/* Give a block back to OpenCL. With the lock held. */
static void block_release(ob_buffer *b)
{
    clReleaseMemObject(b->mem);
    if (b->whole) clReleaseMemObject(b->whole);
    count_held(-(int64_t)b->block_bytes);
    free(b);
}

static void blocks_release(ob_cl_blocks *blocks)
{
    for (int c = 0; c < OB_CL_SIZE_CLASSES; c++) {
        for (ob_buffer *b = blocks->free[c]; b;) {
            ob_buffer *next = b->next;
            block_release(b);
            b = next;
        }
        blocks->free[c] = NULL;
    }
}

static ob_status stream_trim(ob_stream *stream, void *user)
{
    (void)user;
    pthread_mutex_lock(&all.lock);
    blocks_release(&stream->blocks);
    pthread_mutex_unlock(&all.lock);
    return OB_OK;
}

void ob_cl_memory_trim(void)
{
    (void)ob_cl_streams_visit(stream_trim, NULL);
    pthread_mutex_lock(&all.lock);
    all.stats.n_trims++;
    pthread_mutex_unlock(&all.lock);
}

void ob_cl_memory_forget_stream(ob_stream *stream)
{
    (void)stream_trim(stream, NULL);
}

/* A cached block of the stream, or NULL. */
static ob_buffer *block_reuse(ob_stream *stream, int size_class, size_t bytes)
{
    pthread_mutex_lock(&all.lock);
    ob_buffer *b = stream->blocks.free[size_class];
    if (b) {
        stream->blocks.free[size_class] = b->next;
        all.stats.n_allocs++;
        count_in_use((int64_t)bytes);
    }
    pthread_mutex_unlock(&all.lock);
    return b;
}

static bool fits(size_t bytes)
{
    pthread_mutex_lock(&all.lock);
    const bool yes = all.stats.held_bytes + bytes <= ob_cl_device_get()->memory_bytes;
    pthread_mutex_unlock(&all.lock);
    return yes;
}

static cl_int block_create(ob_buffer *b)
{
    const ob_cl_device *d = ob_cl_device_get();
    cl_int code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (!fits(b->block_bytes)) return code;
    if (d->debug) return ob_cl_guard_create(b);
    b->mem = clCreateBuffer(d->context, CL_MEM_READ_WRITE, b->block_bytes, NULL, &code);
    return code;
}

/* A new block; when memory is out, once more without the cached ones. */
static ob_status block_new(ob_stream *stream, int size_class, size_t block_bytes, ob_buffer **out)
{
    const ob_cl_device *d = ob_cl_device_get();
    ob_buffer *b = calloc(1, sizeof *b);
    if (!b) return OB_FAIL(OB_ERR_OOM, "opencl: no host memory for a buffer's record");
    b->block_bytes = block_bytes < d->max_alloc_bytes ? block_bytes : (size_t)d->max_alloc_bytes;
    b->size_class = size_class;
    b->stream = stream;
    cl_int code = block_create(b);
    if (code != CL_SUCCESS) {
        ob_cl_memory_trim();
        code = block_create(b);
    }
    if (code != CL_SUCCESS) {
        free(b);
        return OB_FAIL(OB_ERR_OOM,
                       "opencl: no room for %zu bytes: %s (%d); %" PRIu64 " of %" PRIu64
                       " bytes are held, free some tensors",
                       block_bytes, ob_cl_code_name(code), code, all.stats.held_bytes,
                       d->memory_bytes);
    }
    pthread_mutex_lock(&all.lock);
    b->serial = ++all.serial;
    all.stats.n_allocs++;
    all.stats.n_device_allocs++;
    count_held((int64_t)b->block_bytes);
    pthread_mutex_unlock(&all.lock);
    *out = b;
    return OB_OK;
}

ob_status ob_cl_alloc(size_t bytes, ob_buffer **out)
{
    *out = NULL;
    ob_stream *stream;
    OB_TRY(ob_cl_stream_current(&stream));
    const ob_cl_device *d = ob_cl_device_get();
    if (bytes > d->max_alloc_bytes)
        return OB_FAIL(OB_ERR_OOM, "opencl: %zu bytes in one buffer, the device takes %" PRIu64,
                       bytes, d->max_alloc_bytes);
    size_t block_bytes;
    const int size_class = class_of(bytes, &block_bytes);
    ob_buffer *b = block_reuse(stream, size_class, bytes);
    if (!b) {
        OB_TRY(block_new(stream, size_class, block_bytes, &b));
        pthread_mutex_lock(&all.lock);
        count_in_use((int64_t)bytes);
        pthread_mutex_unlock(&all.lock);
    }
    b->bytes = bytes;
    b->next = NULL;
    if (d->debug) ob_cl_guard_begin(b);
    *out = b;
    return OB_OK;
}

void ob_cl_free(ob_buffer *buffer)
{
    if (!buffer) return;
    if (buffer->whole) ob_cl_guard_end(buffer);
    pthread_mutex_lock(&all.lock);
    all.stats.n_frees++;
    count_in_use(-(int64_t)buffer->bytes);
    if (buffer->stream->dead || atomic_load_explicit(&buffer->shared, memory_order_relaxed)) {
        block_release(buffer);
    } else {
        buffer->next = buffer->stream->blocks.free[buffer->size_class];
        buffer->stream->blocks.free[buffer->size_class] = buffer;
    }
    pthread_mutex_unlock(&all.lock);
}

void ob_cl_memory_stats(ob_memory_stats *out)
{
    const uint32_t size = out->struct_size;
    pthread_mutex_lock(&all.lock);
    *out = all.stats;
    pthread_mutex_unlock(&all.lock);
    out->struct_size = size;
}
