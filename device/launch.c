/* The only caller of clSetKernelArg and clEnqueueNDRangeKernel. */
#include "device/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel.h"
#include "device/runtime/cl_error.h"
#include "device/runtime/context.h"
#include "device/runtime/queue.h"

enum { GROUP_ITEMS = 64, CHUNKS_PER_UNIT = 4 };

ob_cl_arg ob_cl_arg_buffer(ob_buffer *buffer)
{
    static const cl_mem nothing;
    return (ob_cl_arg){ sizeof(cl_mem), buffer ? &buffer->mem : &nothing, buffer, false };
}

static bool is_set(const ob_cl_value *value, const ob_cl_arg *arg)
{
    return value->at && value->bytes == arg->bytes && !memcmp(value->at, arg->address, arg->bytes);
}

/* Without memory the value is set again next time. */
static void note(ob_cl_value *value, const ob_cl_arg *arg)
{
    if (!value->at) *value = (ob_cl_value){ malloc(arg->bytes), arg->bytes };
    if (value->at) memcpy(value->at, arg->address, arg->bytes);
}

/* Set the arguments that are not set already; *bad is the one that was refused. Values are
 * compared, since layouts repeat and OpenCL allocates for each setting; a buffer is always set,
 * since its handle may come again for other memory. */
static cl_int args_set(ob_cl_kernel *kernel, const ob_cl_arg *args, uint32_t n, uint32_t *bad)
{
    for (*bad = 0; *bad < n; ++*bad) {
        const ob_cl_arg *arg = &args[*bad];
        ob_cl_value *value = arg->by_value ? &kernel->values[*bad] : NULL;
        if (value && is_set(value, arg)) continue;
        const cl_int code = clSetKernelArg(kernel->object, *bad, arg->bytes, arg->address);
        if (code != CL_SUCCESS) return code;
        if (value) note(value, arg);
    }
    return CL_SUCCESS;
}

static cl_int enqueue(ob_stream *s, ob_cl_kernel *kernel, const ob_cl_range *r)
{
    cl_event space;
    ob_cl_stream_lock(s);
    cl_event *slot = ob_cl_stream_slot(s, &space);
    const cl_int code = clEnqueueNDRangeKernel(s->queue, kernel->object, r->dims, NULL, r->global,
                                               r->grouped ? r->local : NULL, 0, NULL, slot);
    if (code == CL_SUCCESS) ob_cl_stream_note(s, kernel->name, space);
    ob_cl_stream_unlock(s);
    return code;
}

static ob_status refused(const ob_cl_kernel *kernel, const ob_cl_range *r, cl_int code)
{
    return OB_FAIL(ob_cl_code_status(code),
                   "opencl: launch of kernel %s over %zu x %zu x %zu items was refused: %s (%d)",
                   kernel->name, r->global[0], r->dims > 1 ? r->global[1] : 1,
                   r->dims > 2 ? r->global[2] : 1, ob_cl_code_name(code), code);
}

/* Note for the debug allocator, and for buffers used on a stream that is not theirs. */
static void buffers_note(const ob_cl_kernel *kernel, ob_stream *s, const ob_cl_arg *args,
                         uint32_t n_args)
{
    for (uint32_t i = 0; i < n_args; i++) {
        ob_cl_buffer_use(args[i].buffer, s);
        if (args[i].buffer && args[i].buffer->whole)
            atomic_store(&args[i].buffer->toucher, kernel->name);
    }
}

ob_status ob_cl_launch(ob_cl_kernel *kernel, ob_cl_range range, const ob_cl_arg *args,
                       uint32_t n_args)
{
    for (uint32_t d = 0; d < range.dims; d++)
        if (range.global[d] == 0) return OB_OK;
    if (n_args != kernel->n_args)
        return OB_FAIL(OB_ERR_MISMATCH,
                       "opencl: kernel %s has %" PRIu32 " parameters, got %" PRIu32 " arguments",
                       kernel->name, kernel->n_args, n_args);
    ob_stream *s;
    OB_TRY(ob_cl_stream_current(&s));
    buffers_note(kernel, s, args, n_args);
    uint32_t bad = 0;
    pthread_mutex_lock(&kernel->lock);
    const cl_int set = args_set(kernel, args, n_args, &bad);
    const cl_int code = set == CL_SUCCESS ? enqueue(s, kernel, &range) : CL_SUCCESS;
    if (code == CL_SUCCESS) ob_cl_kernel_launched(kernel);
    pthread_mutex_unlock(&kernel->lock);
    if (set != CL_SUCCESS)
        return OB_FAIL(OB_ERR_MISMATCH,
                       "opencl: kernel %s: argument %" PRIu32 " of %zu bytes: %s (%d)",
                       kernel->name, bad, args[bad].bytes, ob_cl_code_name(set), set);
    return code == CL_SUCCESS ? OB_OK : refused(kernel, &range, code);
}

/* ---- ranges ---- */

uint32_t ob_cl_units(void)
{
    return ob_cl_device_get()->units;
}

uint32_t ob_cl_vector_floats(void)
{
    return ob_cl_device_get()->vector_floats;
}

ob_cl_range ob_cl_range_1d(int64_t n)
{
    const size_t items = ((size_t)n + GROUP_ITEMS - 1) / GROUP_ITEMS * GROUP_ITEMS;
    return (ob_cl_range){ 1, 1, { items, 1, 1 }, { GROUP_ITEMS, 1, 1 } };
}

ob_cl_range ob_cl_range_2d(int64_t x, int64_t y)
{
    ob_cl_range r = ob_cl_range_1d(x);
    r.dims = 2;
    r.global[1] = (size_t)y;
    return r;
}

ob_cl_range ob_cl_range_3d(int64_t x, int64_t y, int64_t z)
{
    ob_cl_range r = ob_cl_range_2d(x, y);
    r.dims = 3;
    r.global[2] = (size_t)z;
    return r;
}

ob_cl_range ob_cl_range_chunks(int64_t n, int64_t least)
{
    const int64_t most = (int64_t)ob_cl_units() * CHUNKS_PER_UNIT;
    int64_t chunks = least > 0 ? n / least : n;
    if (chunks < 1) chunks = n > 0;
    if (chunks > most) chunks = most;
    return ob_cl_range_items(chunks, 1, 1);
}

ob_cl_range ob_cl_range_items(int64_t x, int64_t y, int64_t z)
{
    const uint32_t dims = z > 1 || z == 0 ? 3 : y > 1 || y == 0 ? 2 : 1;
    return (ob_cl_range){ dims, 1, { (size_t)x, (size_t)y, (size_t)z }, { 1, 1, 1 } };
}

ob_cl_range ob_cl_range_tiles(int64_t n, int64_t m, int64_t tile_x, int64_t tile_y)
{
    return ob_cl_range_items((n + tile_x - 1) / tile_x, (m + tile_y - 1) / tile_y, 1);
}
