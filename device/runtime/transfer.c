/* Bytes between host and device, and within the device. Called by backend.c and device/ops. */
#include "device/launch.h"
#include "device/runtime/cl_error.h"
#include "device/runtime/queue.h"

/* The range lies in the buffer. */
static ob_status range_check(const ob_buffer *b, size_t offset, size_t bytes, const char *what)
{
    if (offset <= b->bytes && bytes <= b->bytes - offset) return OB_OK;
    return OB_FAIL(OB_ERR_ARG, "opencl: %s of %zu bytes at %zu passes the end of a buffer of %zu",
                   what, bytes, offset, b->bytes);
}

/* OpenCL copies the pattern of a fill at once, so a few bytes need no waiting. */
static bool is_pattern(size_t offset, size_t bytes)
{
    return bytes <= 16 && (bytes & (bytes - 1)) == 0 && offset % bytes == 0;
}

ob_status ob_cl_write(ob_buffer *dst, size_t offset, const void *host, size_t bytes)
{
    if (bytes == 0) return OB_OK;
    OB_TRY(range_check(dst, offset, bytes, "write"));
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    ob_cl_buffer_use(dst, s);
    ob_cl_stream_lock(s);
    const cl_int code =
        is_pattern(offset, bytes)
            ? clEnqueueFillBuffer(s->queue, dst->mem, host, bytes, offset, bytes, 0, NULL, NULL)
            : clEnqueueWriteBuffer(s->queue, dst->mem, CL_TRUE, offset, bytes, host, 0, NULL, NULL);
    ob_cl_stream_unlock(s);
    return ob_cl_check(code, "clEnqueueWriteBuffer", __FILE__, __LINE__);
}

ob_status ob_cl_read(ob_buffer *src, size_t offset, void *host, size_t bytes)
{
    if (bytes == 0) return OB_OK;
    OB_TRY(range_check(src, offset, bytes, "read"));
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    OB_TRY(ob_cl_finish_others(s));
    ob_cl_buffer_use(src, s);
    ob_cl_stream_lock(s);
    const cl_int code =
        clEnqueueReadBuffer(s->queue, src->mem, CL_TRUE, offset, bytes, host, 0, NULL, NULL);
    ob_cl_stream_look(s);
    ob_cl_stream_unlock(s);
    ob_cl_checks_run();
    OB_TRY(ob_cl_fault_raise());
    return ob_cl_check(code, "clEnqueueReadBuffer", __FILE__, __LINE__);
}

ob_status ob_cl_copy(ob_buffer *dst, size_t dst_offset, ob_buffer *src, size_t src_offset,
                     size_t bytes)
{
    if (bytes == 0) return OB_OK;
    OB_TRY(range_check(dst, dst_offset, bytes, "copy"));
    OB_TRY(range_check(src, src_offset, bytes, "copy"));
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    ob_cl_buffer_use(dst, s);
    ob_cl_buffer_use(src, s);
    ob_cl_stream_lock(s);
    const cl_int code = clEnqueueCopyBuffer(s->queue, src->mem, dst->mem, src_offset, dst_offset,
                                            bytes, 0, NULL, NULL);
    ob_cl_stream_unlock(s);
    return ob_cl_check(code, "clEnqueueCopyBuffer", __FILE__, __LINE__);
}

ob_status ob_cl_scratch(size_t bytes, ob_buffer **out)
{
    return ob_cl_alloc(bytes, out);
}

void ob_cl_scratch_free(ob_buffer *buffer)
{
    ob_cl_free(buffer);
}
