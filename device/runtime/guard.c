/* Guard words and NaN fill. Called by memory.c and queue.c. */
#include "device/runtime/guard.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "device/runtime/cl_error.h"
#include "device/runtime/context.h"
#include "device/runtime/queue.h"

enum {
    TAIL_BYTES = 256, /* guard behind a buffer, starting at the byte after the last one asked for */
    GUARD_BYTE = 0xA5,
    FRESH_BYTE = 0xFF
};

/* Buffers handed out now. */
static struct {
    pthread_mutex_t lock;
    ob_buffer **live; /* owned array of borrowed buffers */
    size_t n, limit;
} watched = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Bytes of the guard in front: a multiple of what sub-buffers ask for. */
static size_t head_bytes(void)
{
    const size_t alignment = ob_cl_device_get()->alignment;
    return (TAIL_BYTES + alignment - 1) / alignment * alignment;
}

cl_int ob_cl_guard_create(ob_buffer *b)
{
    cl_int code = CL_SUCCESS;
    const size_t head = head_bytes();
    b->whole = clCreateBuffer(ob_cl_device_get()->context, CL_MEM_READ_WRITE,
                              head + b->block_bytes + TAIL_BYTES, NULL, &code);
    if (code != CL_SUCCESS) return code;
    const cl_buffer_region middle = { head, b->block_bytes };
    b->mem = clCreateSubBuffer(b->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &middle,
                               &code);
    if (code == CL_SUCCESS) return code;
    clReleaseMemObject(b->whole);
    b->whole = NULL;
    return code;
}

/* Bytes behind the last one asked for that belong to the tail guard. */
static size_t tail_bytes(const ob_buffer *b)
{
    return b->block_bytes - b->bytes + TAIL_BYTES;
}

/* Queue filling `bytes` bytes from `from` on. */
static ob_status fill(const ob_buffer *b, cl_uchar with, size_t from, size_t bytes)
{
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    ob_cl_stream_lock(s);
    const cl_int code =
        clEnqueueFillBuffer(s->queue, b->whole, &with, 1, from, bytes, 0, NULL, NULL);
    ob_cl_stream_unlock(s);
    return ob_cl_check(code, "clEnqueueFillBuffer", __FILE__, __LINE__);
}

static ob_status guards_fill(const ob_buffer *b)
{
    const size_t head = head_bytes();
    OB_TRY(fill(b, GUARD_BYTE, 0, head));
    return fill(b, GUARD_BYTE, head + b->bytes, tail_bytes(b));
}

/* Compare one guard; `what` is "before" or "behind". */
static ob_status guard_compare(const ob_buffer *b, const char *what, size_t from, size_t bytes)
{
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    unsigned char *host = malloc(bytes);
    if (!host) return OB_FAIL(OB_ERR_OOM, "opencl: no host memory to check a guard");
    ob_cl_stream_lock(s);
    const cl_int code =
        clEnqueueReadBuffer(s->queue, b->whole, CL_TRUE, from, bytes, host, 0, NULL, NULL);
    ob_cl_stream_unlock(s);
    size_t bad = 0;
    while (code == CL_SUCCESS && bad < bytes && host[bad] == GUARD_BYTE)
        bad++;
    free(host);
    OB_TRY(ob_cl_check(code, "clEnqueueReadBuffer", __FILE__, __LINE__));
    if (bad == bytes) return OB_OK;
    const char *toucher = atomic_load(&b->toucher);
    return OB_FAIL(OB_ERR_DEVICE,
                   "opencl: memory %s buffer %" PRIu64 " (%zu bytes) was written, byte %zu of the "
                   "guard; last kernel that had it as an argument: %s",
                   what, b->serial, b->bytes, bad, toucher ? toucher : "none");
}

static ob_status buffer_check(const ob_buffer *b)
{
    const size_t head = head_bytes();
    OB_TRY(guard_compare(b, "before", 0, head));
    return guard_compare(b, "behind", head + b->bytes, tail_bytes(b));
}

/* Keep a buffer in the list of the live ones; one that finds no room is not watched. */
static void watch(ob_buffer *b)
{
    pthread_mutex_lock(&watched.lock);
    if (watched.n == watched.limit) {
        const size_t limit = watched.limit ? 2 * watched.limit : 256;
        ob_buffer **more = realloc(watched.live, limit * sizeof *more);
        if (more) {
            watched.live = more;
            watched.limit = limit;
        }
    }
    if (watched.n < watched.limit) watched.live[watched.n++] = b;
    pthread_mutex_unlock(&watched.lock);
}

void ob_cl_guard_begin(ob_buffer *b)
{
    atomic_store(&b->toucher, NULL);
    if (guards_fill(b) != OB_OK || fill(b, FRESH_BYTE, head_bytes(), b->bytes) != OB_OK)
        ob_cl_fault_keep();
    watch(b);
}

void ob_cl_guard_end(ob_buffer *b)
{
    pthread_mutex_lock(&watched.lock);
    for (size_t i = 0; i < watched.n; i++)
        if (watched.live[i] == b) watched.live[i--] = watched.live[--watched.n];
    pthread_mutex_unlock(&watched.lock);
    if (atomic_load(&b->shared)) {
        ob_stream *s;
        if (ob_cl_stream_current(&s) != OB_OK || ob_cl_finish_others(s) != OB_OK)
            ob_cl_fault_keep();
    }
    if (buffer_check(b) != OB_OK) ob_cl_fault_keep();
}

void ob_cl_guard_check_all(void)
{
    if (!ob_cl_device_get()->debug) return;
    pthread_mutex_lock(&watched.lock);
    for (size_t i = 0; i < watched.n; i++) {
        if (buffer_check(watched.live[i]) == OB_OK) continue;
        ob_cl_fault_keep();
        if (guards_fill(watched.live[i]) != OB_OK) ob_cl_fault_keep();
    }
    pthread_mutex_unlock(&watched.lock);
}
