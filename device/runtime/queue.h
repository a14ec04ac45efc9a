/* Streams: in-order queues, the one each thread uses, and the faults of work that ran later.
 *
 * There is a default stream; others are made on request. A thread's current stream is the default
 * one until it sets another. Queues are made when first used. Errors of queued work become the
 * device's *fault*, raised once by the next synchronize or read: with OB_OPENCL_DEBUG=1, or while
 * profiling, every launch has an event and the fault names the launch; else the message lists the
 * launches that came last. */
#ifndef OB_DEVICE_QUEUE_H
#define OB_DEVICE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "device/runtime/memory.h"

enum { OB_CL_RECENT = 16 };

/* A launch whose event is kept. */
typedef struct ob_cl_tracked {
    const char *name; /* borrowed, until close */
    cl_event event;   /* owned */
} ob_cl_tracked;

struct ob_stream {
    pthread_mutex_t lock;             /* over everything below */
    cl_command_queue queue;           /* NULL until first used */
    atomic_bool dead;                 /* destroyed: its threads are back on the default stream */
    bool profiled;                    /* the queue takes times */
    _Atomic(struct ob_stream *) next; /* all streams, until close */
    ob_cl_blocks blocks;              /* guarded by the allocator's lock */
    const char *recent[OB_CL_RECENT]; /* names of the last launches, a ring */
    uint64_t n_launches;
    ob_cl_tracked *tracked; /* owned */
    size_t n_tracked, tracked_limit;
};

/* This thread's stream, with a queue [borrowed]. */
ob_status ob_cl_stream_current(ob_stream **out) OB_MUST_USE;
/* The default stream, made now if it is not there yet [borrowed]. */
ob_status ob_cl_stream_default(ob_stream **out) OB_MUST_USE;
/* Its queue may be used between these two; enqueueing threads of one stream take turns. */
void ob_cl_stream_lock(ob_stream *stream);
void ob_cl_stream_unlock(ob_stream *stream);

/* Where clEnqueue* shall put the event of a launch: NULL when nobody asks. With the lock held. */
cl_event *ob_cl_stream_slot(ob_stream *stream, cl_event *space);
/* Note a launch that was enqueued, with what the slot got. With the lock held. */
void ob_cl_stream_note(ob_stream *stream, const char *name, cl_event event);

/* Look at the events of launches, all of which have run: the first that failed becomes the fault.
 * With the lock held. */
void ob_cl_stream_look(ob_stream *stream);

/* Wait for one stream, or all; raises the fault. */
ob_status ob_cl_stream_finish(ob_stream *stream) OB_MUST_USE;
ob_status ob_cl_finish_all(void) OB_MUST_USE;
/* Wait for all streams but one, so that it sees what they wrote. */
ob_status ob_cl_finish_others(ob_stream *stream) OB_MUST_USE;

ob_status ob_cl_stream_create(ob_stream **out) OB_MUST_USE;
void ob_cl_stream_destroy(ob_stream *stream);
ob_status ob_cl_stream_set(ob_stream *stream, ob_stream **previous) OB_MUST_USE;

/* Run the check that ob_cl_check_later() noted, if any; what it fails with becomes the fault. */
void ob_cl_checks_run(void);

/* Keep the current error of this thread as the device's fault, unless there is one. */
void ob_cl_fault_keep(void);
/* Make the fault, if any, this thread's error and forget it. */
ob_status ob_cl_fault_raise(void) OB_MUST_USE;

/* Profiling: see ob_backend_api. */
ob_status ob_cl_profile_start(void) OB_MUST_USE;
ob_status ob_cl_profile_stop(void (*row)(void *user, const char *kernel, uint64_t start_ns,
                                         uint64_t end_ns),
                             void *user) OB_MUST_USE;

/* Call `visit` for every stream, none can come or go meanwhile; stops at the first error. */
ob_status ob_cl_streams_visit(ob_status (*visit)(ob_stream *stream, void *user), void *user);

/* Close: release every stream. */
void ob_cl_queues_close(void);

#endif
