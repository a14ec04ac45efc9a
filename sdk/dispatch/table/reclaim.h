/* Freeing what a call without locks may still be reading.
 *
 * A thread keeps its depth in calls where writers see it. A writer publishes the new state, asks
 * the kernel for a barrier on every running thread (sys_membarrier), and frees the old state when
 * every thread that was inside has left its outermost call: it is seen outside, or it has counted a
 * new outermost call, which a writer makes it do by lowering its limit to zero, so that its next
 * call goes the slow way. Readers pay two plain stores per call. Where the system has no membarrier
 * nothing is freed before the process ends. */
#ifndef OB_DISPATCH_RECLAIM_H
#define OB_DISPATCH_RECLAIM_H

#include <stdatomic.h>

#include "dispatch/keys/thread.h"

/* What one thread shows to writers; kept for reuse when the thread ends. */
typedef struct ob_reader {
    atomic_uint depth;              /* calls the thread is inside of */
    atomic_uint limit;              /* calls this deep go the slow way; 0: all do */
    atomic_uint_fast64_t outermost; /* outermost calls that began the slow way */
    atomic_bool taken;              /* belongs to a living thread */
    atomic_bool watched;            /* its limit stays 0: a watcher sees every call */
    bool awaited;                   /* the batch being freed waits for it ... */
    uint64_t awaited_outermost;     /* ... while this is its count and it is inside */
    struct ob_reader *next;         /* never changes once published */
} ob_reader;

enum { OB_MAX_DEPTH = 1000 };

/* What threads have before their first call: outside, and with limit zero. */
extern ob_reader ob_no_reader;

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

/* Let calls of the thread go the fast way, if nobody watches. */
void ob_reader_set_limit(ob_reader *r);

static inline uint32_t ob_reader_depth(ob_reader *r)
{
    return atomic_load_explicit(&r->depth, memory_order_relaxed);
}

/* Enter a call from `depth`, which ob_reader_leave() gets too. */
static inline void ob_reader_enter(ob_reader *r, uint32_t depth)
{
    atomic_store_explicit(&r->depth, depth + 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void ob_reader_leave(ob_reader *r, uint32_t depth)
{
    atomic_store_explicit(&r->depth, depth, memory_order_release);
}

#endif
