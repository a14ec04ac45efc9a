/* Streams of the device and the faults of queued work. Called by launch.c, transfer.c, event.c and
 * backend.c. */
#include "device/runtime/queue.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/launch.h"
#include "device/runtime/cl_error.h"
#include "device/runtime/context.h"
#include "device/runtime/guard.h"

enum { TRACKED_LIMIT = 4096 }; /* launches with events after which a debugged stream is looked at */

static struct {
    pthread_mutex_t lock;       /* over the list and `epoch` */
    _Atomic(ob_stream *) first; /* the default stream, then newer ones behind it */
    atomic_uint epoch;          /* raised at close: streams of threads from before are gone */
    atomic_bool tracking;       /* launches get events */
    bool profiling;             /* guarded by `lock` */
    pthread_mutex_t fault_lock;
    bool has_fault;
    ob_error fault;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .fault_lock = PTHREAD_MUTEX_INITIALIZER };

/* The stream a thread has set; void when the epoch is another. */
static _Thread_local struct {
    ob_stream *stream;
    unsigned epoch;
} mine;

void ob_cl_stream_lock(ob_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
}

void ob_cl_stream_unlock(ob_stream *stream)
{
    pthread_mutex_unlock(&stream->lock);
}

static ob_status queue_create(bool profiled, cl_command_queue *out)
{
    const ob_cl_device *d = ob_cl_device_get();
    cl_int code = CL_SUCCESS;
    *out = clCreateCommandQueue(d->context, d->device, profiled ? CL_QUEUE_PROFILING_ENABLE : 0,
                                &code);
    return ob_cl_check(code, "clCreateCommandQueue", __FILE__, __LINE__);
}

/* New stream at the end of the list, with the list's lock held. */
static ob_status stream_append(ob_stream **out)
{
    ob_stream *s = calloc(1, sizeof *s);
    if (!s) return OB_FAIL(OB_ERR_OOM, "opencl: no memory for a stream");
    const ob_status st = queue_create(all.profiling, &s->queue);
    if (st) {
        free(s);
        return st;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->profiled = all.profiling;
    ob_stream *last = atomic_load(&all.first);
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = s;
    else
        atomic_store(&all.first, s);
    *out = s;
    return OB_OK;
}

ob_status ob_cl_stream_default(ob_stream **out)
{
    *out = atomic_load_explicit(&all.first, memory_order_acquire);
    if (*out) return OB_OK;
    OB_TRY(ob_cl_device_expect(0));
    pthread_mutex_lock(&all.lock);
    *out = atomic_load(&all.first);
    const ob_status st = *out ? OB_OK : stream_append(out);
    if (ob_cl_device_get()->debug) atomic_store(&all.tracking, true);
    pthread_mutex_unlock(&all.lock);
    return st;
}

ob_status ob_cl_stream_current(ob_stream **out)
{
    ob_stream *s = mine.stream;
    if (s && mine.epoch == atomic_load_explicit(&all.epoch, memory_order_relaxed) && !s->dead) {
        *out = s;
        return OB_OK;
    }
    return ob_cl_stream_default(out);
}

ob_status ob_cl_stream_create(ob_stream **out)
{
    ob_stream *ignored;
    OB_TRY(ob_cl_stream_default(&ignored));
    pthread_mutex_lock(&all.lock);
    const ob_status st = stream_append(out);
    pthread_mutex_unlock(&all.lock);
    return st;
}

void ob_cl_stream_destroy(ob_stream *stream)
{
    if (!stream) return;
    if (ob_cl_stream_finish(stream) != OB_OK) ob_cl_fault_keep();
    ob_cl_memory_forget_stream(stream);
    ob_cl_stream_lock(stream);
    stream->dead = true;
    clReleaseCommandQueue(stream->queue);
    stream->queue = NULL;
    ob_cl_stream_unlock(stream);
}

ob_status ob_cl_stream_set(ob_stream *stream, ob_stream **previous)
{
    const unsigned epoch = atomic_load(&all.epoch);
    if (stream && stream->dead) return OB_FAIL(OB_ERR_STATE, "opencl: the stream was destroyed");
    if (previous) *previous = mine.epoch == epoch ? mine.stream : NULL;
    mine.stream = stream;
    mine.epoch = epoch;
    return OB_OK;
}

ob_status ob_cl_streams_visit(ob_status (*visit)(ob_stream *stream, void *user), void *user)
{
    ob_status st = OB_OK;
    pthread_mutex_lock(&all.lock);
    for (ob_stream *s = atomic_load(&all.first); s && st == OB_OK; s = s->next)
        if (!s->dead) st = visit(s, user);
    pthread_mutex_unlock(&all.lock);
    return st;
}

/* ---- faults ---- */

void ob_cl_fault_keep(void)
{
    pthread_mutex_lock(&all.fault_lock);
    if (!all.has_fault) all.fault = *ob_error_last();
    all.has_fault = true;
    pthread_mutex_unlock(&all.fault_lock);
}

ob_status ob_cl_fault_raise(void)
{
    ob_status st = OB_OK;
    pthread_mutex_lock(&all.fault_lock);
    if (all.has_fault) st = ob_error_restore(&all.fault);
    all.has_fault = false;
    pthread_mutex_unlock(&all.fault_lock);
    return st;
}

static ob_status (*_Atomic check_next)(void); /* see ob_cl_check_later() */

void ob_cl_check_later(ob_status (*check)(void))
{
    atomic_store(&check_next, check);
}

void ob_cl_checks_run(void)
{
    if (!atomic_load_explicit(&check_next, memory_order_relaxed)) return;
    ob_status (*check)(void) = atomic_exchange(&check_next, NULL);
    if (check && check() != OB_OK) ob_cl_fault_keep();
}

/* Names of the last launches, newest first, for messages. */
static void recent_format(const ob_stream *s, char *buf, size_t bytes)
{
    size_t at = 0;
    buf[0] = '\0';
    for (uint64_t i = 0; i < OB_CL_RECENT && i < s->n_launches; i++) {
        const char *name = s->recent[(s->n_launches - 1 - i) % OB_CL_RECENT];
        const int n = snprintf(buf + at, bytes - at, "%s%s", i ? ", " : "", name);
        if (n < 0 || (size_t)n >= bytes - at) return;
        at += (size_t)n;
    }
}

void ob_cl_stream_look(ob_stream *s)
{
    for (size_t i = 0; i < s->n_tracked; i++) {
        cl_int state = CL_COMPLETE;
        clGetEventInfo(s->tracked[i].event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                       NULL);
        if (state < 0) {
            (void)OB_FAIL(ob_cl_code_status(state), "opencl: launch of kernel %s failed: %s (%d)",
                          s->tracked[i].name, ob_cl_code_name(state), state);
            ob_cl_fault_keep();
        }
    }
    if (s->profiled) return;
    for (size_t i = 0; i < s->n_tracked; i++)
        clReleaseEvent(s->tracked[i].event);
    s->n_tracked = 0;
}

/* clFinish with the lock held; what comes out is kept as the fault. */
static void finish_locked(ob_stream *s)
{
    if (!s->queue) return;
    const cl_int code = clFinish(s->queue);
    ob_cl_stream_look(s);
    if (code != CL_SUCCESS) {
        char recent[1024];
        recent_format(s, recent, sizeof recent);
        (void)OB_FAIL(ob_cl_code_status(code),
                      "opencl: queued work failed: %s (%d); last launches, newest first: %s "
                      "(OB_OPENCL_DEBUG=1 names the one)",
                      ob_cl_code_name(code), code, recent);
        ob_cl_fault_keep();
    }
}

static ob_status finish_one(ob_stream *s, void *except)
{
    if (s == except) return OB_OK;
    ob_cl_stream_lock(s);
    finish_locked(s);
    ob_cl_stream_unlock(s);
    return OB_OK;
}

ob_status ob_cl_stream_finish(ob_stream *stream)
{
    if (!stream) OB_TRY(ob_cl_stream_default(&stream));
    OB_TRY(finish_one(stream, NULL));
    ob_cl_checks_run();
    ob_cl_guard_check_all();
    return ob_cl_fault_raise();
}

ob_status ob_cl_finish_all(void)
{
    OB_TRY(ob_cl_streams_visit(finish_one, NULL));
    ob_cl_checks_run();
    ob_cl_guard_check_all();
    return ob_cl_fault_raise();
}

ob_status ob_cl_finish_others(ob_stream *stream)
{
    const ob_stream *first = atomic_load_explicit(&all.first, memory_order_relaxed);
    if (first == stream && !atomic_load_explicit(&stream->next, memory_order_relaxed)) return OB_OK;
    return ob_cl_streams_visit(finish_one, stream);
}

/* ---- launches ---- */

cl_event *ob_cl_stream_slot(ob_stream *stream, cl_event *space)
{
    (void)stream;
    *space = NULL;
    return atomic_load_explicit(&all.tracking, memory_order_relaxed) ? space : NULL;
}

void ob_cl_stream_note(ob_stream *stream, const char *name, cl_event event)
{
    stream->recent[stream->n_launches++ % OB_CL_RECENT] = name;
    if (!event) return;
    if (stream->n_tracked == stream->tracked_limit) {
        const size_t limit = stream->tracked_limit ? 2 * stream->tracked_limit : 256;
        ob_cl_tracked *more = realloc(stream->tracked, limit * sizeof *more);
        if (!more) {
            clReleaseEvent(event);
            return;
        }
        stream->tracked = more;
        stream->tracked_limit = limit;
    }
    stream->tracked[stream->n_tracked++] = (ob_cl_tracked){ name, event };
    if (stream->n_tracked >= TRACKED_LIMIT && !stream->profiled) finish_locked(stream);
}

/* ---- profiling ---- */

/* Give a stream a queue that takes times, or one that does not. */
static ob_status stream_switch(ob_stream *s, void *on)
{
    const bool profiled = *(const bool *)on;
    cl_command_queue queue = NULL;
    OB_TRY(queue_create(profiled, &queue));
    ob_cl_stream_lock(s);
    finish_locked(s);
    clReleaseCommandQueue(s->queue);
    s->queue = queue;
    s->profiled = profiled;
    ob_cl_stream_unlock(s);
    return OB_OK;
}

static ob_status profile_switch(bool on)
{
    ob_stream *ignored;
    OB_TRY(ob_cl_stream_default(&ignored));
    pthread_mutex_lock(&all.lock);
    all.profiling = on;
    pthread_mutex_unlock(&all.lock);
    atomic_store(&all.tracking, on || ob_cl_device_get()->debug);
    return ob_cl_streams_visit(stream_switch, &on);
}

ob_status ob_cl_profile_start(void)
{
    return profile_switch(true);
}

/* Where rows go. */
typedef struct row_sink {
    void (*row)(void *user, const char *kernel, uint64_t start_ns, uint64_t end_ns);
    void *user;
} row_sink;

static ob_status stream_report(ob_stream *s, void *user)
{
    const row_sink *sink = user;
    ob_cl_stream_lock(s);
    for (size_t i = 0; i < s->n_tracked; i++) {
        cl_ulong start = 0, end = 0;
        cl_event e = s->tracked[i].event;
        const bool timed =
            !clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) &&
            !clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        if (timed && sink->row) sink->row(sink->user, s->tracked[i].name, start, end);
        clReleaseEvent(e);
    }
    s->n_tracked = 0;
    ob_cl_stream_unlock(s);
    return OB_OK;
}

ob_status ob_cl_profile_stop(void (*row)(void *user, const char *kernel, uint64_t start_ns,
                                         uint64_t end_ns),
                             void *user)
{
    row_sink sink = { row, user };
    OB_TRY(ob_cl_streams_visit(finish_one, NULL));
    OB_TRY(ob_cl_streams_visit(stream_report, &sink));
    OB_TRY(profile_switch(false));
    return ob_cl_fault_raise();
}

void ob_cl_queues_close(void)
{
    pthread_mutex_lock(&all.lock);
    ob_stream *s = atomic_exchange(&all.first, NULL);
    while (s) {
        ob_stream *next = s->next;
        finish_one(s, NULL);
        for (size_t i = 0; i < s->n_tracked; i++)
            clReleaseEvent(s->tracked[i].event);
        if (s->queue) clReleaseCommandQueue(s->queue);
        pthread_mutex_destroy(&s->lock);
        free(s->tracked);
        free(s);
        s = next;
    }
    atomic_fetch_add(&all.epoch, 1);
    atomic_store(&all.tracking, false);
    all.profiling = false;
    pthread_mutex_unlock(&all.lock);
}
