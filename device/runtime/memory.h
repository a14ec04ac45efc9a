/* The caching allocator: buffers, their size classes, statistics, and the debug allocator.
 *
 * A block that is freed goes to the list of its stream and size class and is handed out again
 * there: a later command of an in-order queue cannot overtake the work that still uses it. A block
 * that other streams have used goes back to OpenCL, which keeps it until that work is done. Classes
 * are four to each power of two, so at most a fifth of a block is unused. When memory runs out, all
 * cached blocks are released and the allocation is tried again.
 *
 * With OB_OPENCL_DEBUG=1 every block has guard words on both sides, checked when it is freed and at
 * every synchronize, and starts as 0xFF bytes: NaN in every float type, -1 in integers. */
#ifndef OB_DEVICE_MEMORY_H
#define OB_DEVICE_MEMORY_H

#include <stdatomic.h>

#include <CL/cl.h>

#include "ob/backend.h"

enum { OB_CL_SIZE_CLASSES = 4 * 48 };

struct ob_buffer {
    cl_mem mem;   /* what kernels get */
    cl_mem whole; /* debug: the memory with its guards, of which `mem` is the middle; else NULL */
    size_t bytes; /* as asked for */
    size_t block_bytes; /* bytes of its class */
    int size_class;
    atomic_bool shared;       /* used by another stream than `stream` */
    struct ob_stream *stream; /* on whose list it goes back */
    struct ob_buffer *next;   /* in a free list */
    uint64_t serial;          /* names it in messages */
    _Atomic(const char *)
        toucher; /* debug: the last kernel that had it as an argument; NULL: none */
};

/* A stream's cached blocks. */
typedef struct ob_cl_blocks {
    ob_buffer *free[OB_CL_SIZE_CLASSES];
} ob_cl_blocks;

/* Callbacks of ob_backend_api, without `self`. */
ob_status ob_cl_alloc(size_t bytes, ob_buffer **out) OB_MUST_USE;
void ob_cl_free(ob_buffer *buffer);
void ob_cl_memory_stats(ob_memory_stats *out);
/* Release all cached blocks. */
void ob_cl_memory_trim(void);

/* Note that `stream` uses the buffer. NULL buffers are fine. */
static inline void ob_cl_buffer_use(ob_buffer *buffer, struct ob_stream *stream)
{
    if (buffer && buffer->stream != stream)
        atomic_store_explicit(&buffer->shared, true, memory_order_relaxed);
}

/* Release the cached blocks of a stream that ends, and let its live blocks go elsewhere. */
void ob_cl_memory_forget_stream(struct ob_stream *stream);

#endif
