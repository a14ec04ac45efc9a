/* Freeing what a call without locks may still be reading.
 *
 * A thread counts its outermost calls: odd means inside. A writer publishes the new state, asks the
 * kernel for a barrier on every running thread (sys_membarrier), and frees the old state when every
 * thread that was inside has left. Readers pay two plain stores per outermost call. Where the
 * system has no membarrier nothing is freed before the process ends. */
#ifndef OB_DISPATCH_RECLAIM_H
#define OB_DISPATCH_RECLAIM_H

#include <stdatomic.h>

#include "dispatch/thread.h"

/* One thread's count of calls; kept for reuse when the thread ends. */
typedef struct ob_reader {
    atomic_uint_fast64_t calls; /* odd: inside a call */
    atomic_bool taken;          /* belongs to a living thread */
    uint64_t awaited;           /* count that the batch being freed waits to change; 0: none */
    struct ob_reader *next;     /* never changes once published */
} ob_reader;

/* First member of everything that is freed late. */
typedef struct ob_retired {
    struct ob_retired *next;
    void (*free)(struct ob_retired *self);
} ob_retired;

/* Give the thread its reader: on its first call. OB_ERR_OOM. */
ob_status ob_reader_attach(ob_thread *thread) OB_MUST_USE;

/* Free `item` with free_item(item) once no call can see it. Registration lock held. */
void ob_retire(ob_retired *item, void (*free_item)(ob_retired *self));
/* Free what can be freed now. Registration lock held. */
void ob_reclaim(void);

/* Enter the outermost call of a thread that has a reader. */
static inline void ob_reader_enter(ob_reader *r)
{
    const uint_fast64_t calls = atomic_load_explicit(&r->calls, memory_order_relaxed);
    atomic_store_explicit(&r->calls, calls + 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void ob_reader_leave(ob_reader *r)
{
    const uint_fast64_t calls = atomic_load_explicit(&r->calls, memory_order_relaxed);
    atomic_store_explicit(&r->calls, calls + 1, memory_order_release);
}

#endif
