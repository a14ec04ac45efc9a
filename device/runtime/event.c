/* Events: points of a stream that have a time. See ob_backend_api; called by backend.c only.
 *
 * The time of an event is the host clock when OpenCL tells that the stream has come to it, so that
 * ordinary queues, which do not take times, will do. */
#include "device/runtime/event.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "device/runtime/cl_error.h"
#include "device/runtime/queue.h"

struct ob_event {
    cl_event marker;      /* owned */
    pthread_mutex_t lock; /* over the rest */
    pthread_cond_t told;
    bool reached;
    bool abandoned; /* destroyed before it was reached: the callback frees it */
    cl_int state;   /* what OpenCL told: CL_COMPLETE or an error */
    uint64_t ns;
};

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void event_release(ob_event *e)
{
    clReleaseEvent(e->marker);
    pthread_cond_destroy(&e->told);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static void CL_CALLBACK event_reached(cl_event marker, cl_int state, void *user)
{
    (void)marker;
    ob_event *e = user;
    pthread_mutex_lock(&e->lock);
    e->ns = clock_ns();
    e->state = state;
    e->reached = true;
    const bool abandoned = e->abandoned;
    pthread_cond_broadcast(&e->told);
    pthread_mutex_unlock(&e->lock);
    if (abandoned) event_release(e);
}

/* Queue a marker, and start it: nobody may ever wait for it. */
static ob_status marker_enqueue(cl_event *out)
{
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    ob_cl_stream_lock(s);
    cl_int code = clEnqueueMarkerWithWaitList(s->queue, 0, NULL, out);
    if (!code) code = clFlush(s->queue);
    ob_cl_stream_unlock(s);
    return ob_cl_check(code, "clEnqueueMarkerWithWaitList", __FILE__, __LINE__);
}

ob_status ob_cl_event_record(ob_event **out)
{
    *out = NULL;
    cl_event marker = NULL;
    OB_TRY(marker_enqueue(&marker));
    ob_event *e = calloc(1, sizeof *e);
    if (!e) {
        clReleaseEvent(marker);
        return OB_FAIL(OB_ERR_OOM, "opencl: no host memory for an event");
    }
    e->marker = marker;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->told, NULL);
    const cl_int code = clSetEventCallback(marker, CL_COMPLETE, event_reached, e);
    if (code != CL_SUCCESS) {
        event_release(e);
        return ob_cl_check(code, "clSetEventCallback", __FILE__, __LINE__);
    }
    *out = e;
    return OB_OK;
}

ob_status ob_cl_event_wait(ob_event *event)
{
    pthread_mutex_lock(&event->lock);
    while (!event->reached)
        pthread_cond_wait(&event->told, &event->lock);
    const cl_int state = event->state;
    pthread_mutex_unlock(&event->lock);
    if (state < 0)
        return OB_FAIL(OB_ERR_DEVICE, "opencl: work before the event failed: %s (%d)",
                       ob_cl_code_name(state), state);
    return OB_OK;
}

ob_status ob_cl_event_block(ob_stream *stream, ob_event *event)
{
    if (!stream) OB_TRY(ob_cl_stream_default(&stream));
    ob_cl_stream_lock(stream);
    const cl_int code = clEnqueueBarrierWithWaitList(stream->queue, 1, &event->marker, NULL);
    ob_cl_stream_unlock(stream);
    return ob_cl_check(code, "clEnqueueBarrierWithWaitList", __FILE__, __LINE__);
}

ob_status ob_cl_event_query(ob_event *event, int32_t *done)
{
    pthread_mutex_lock(&event->lock);
    *done = event->reached;
    pthread_mutex_unlock(&event->lock);
    return OB_OK;
}

ob_status ob_cl_event_elapsed(ob_event *from, ob_event *to, uint64_t *ns)
{
    OB_TRY(ob_cl_event_wait(from));
    OB_TRY(ob_cl_event_wait(to));
    *ns = to->ns > from->ns ? to->ns - from->ns : 0;
    return OB_OK;
}

void ob_cl_event_destroy(ob_event *event)
{
    if (!event) return;
    pthread_mutex_lock(&event->lock);
    const bool reached = event->reached;
    event->abandoned = true;
    pthread_mutex_unlock(&event->lock);
    if (reached) event_release(event);
}
