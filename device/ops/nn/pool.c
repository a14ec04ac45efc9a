/* max_pool, avg_pool and adaptive pooling over two and three dims. Kernels: kernels/pool.cl.
 * PyTorch: native/DilatedMaxPool2d.cpp, AveragePool2d.cpp, AdaptiveAveragePooling.cpp. */
#include "device/launch.h"
#include "device/native.h"
#include "device/ops/nn/window.h"

enum { POOL_CHUNK = 2048 }; /* outputs that are worth a work-item */

static const ob_cl_program program = { "pool", { "prelude.cl", "pool.cl" }, NULL, NULL };
static ob_cl_site pool_max = OB_CL_SITE(&program, "pool_max");
static ob_cl_site pool_average = OB_CL_SITE(&program, "pool_average");

/* Extents and offsets; `spatial` is told by the length of the second argument's use: ops named 3d
 * have three dims. */
static ob_window window_start(const ob_frame *frame, int spatial)
{
    const ob_tensor *out = frame->results[0].u.tensor, *in = frame->args[0].u.tensor;
    ob_window w = { .numel = ob_tensor_numel(out),
                    .in_offset = ob_tensor_offset(in),
                    .out_offset = ob_tensor_offset(out),
                    .dilation = { 1, 1, 1 } };
    ob_cl_window_extents(in, spatial, w.in);
    ob_cl_window_extents(out, spatial, w.out);
    return w;
}

/* kernel_size, stride and padding of args[1..3]. */
static void window_read(const ob_frame *frame, int spatial, ob_window *w)
{
    const ob_value *v = frame->args;
    ob_cl_window_list(&v[1], spatial, 1, w->window);
    ob_cl_window_list(v[2].count ? &v[2] : &v[1], spatial, 1, w->stride);
    ob_cl_window_list(&v[3], spatial, 0, w->padding);
}

static ob_status launch_max(const ob_frame *frame, ob_window *w)
{
    const ob_tensor *out = frame->results[0].u.tensor, *indices = frame->results[1].u.tensor;
    ob_cl_kernel *k;
    if (w->numel == 0) return OB_OK;
    w->indices_offset = ob_tensor_offset(indices);
    OB_TRY(ob_cl_kernel_get(&pool_max, ob_tensor_dtype(out), &k));
    return OB_LAUNCH(k, ob_cl_range_chunks(w->numel, POOL_CHUNK), BUF(out), BUF(indices),
                     BUF(frame->args[0].u.tensor), VAL(*w));
}

static ob_status launch_average(const ob_frame *frame, const ob_window *w)
{
    const ob_tensor *out = frame->results[0].u.tensor;
    ob_cl_kernel *k;
    if (w->numel == 0) return OB_OK;
    OB_TRY(ob_cl_kernel_get(&pool_average, ob_tensor_dtype(out), &k));
    return OB_LAUNCH(k, ob_cl_range_chunks(w->numel, POOL_CHUNK), BUF(out),
                     BUF(frame->args[0].u.tensor), VAL(*w));
}

static ob_status max_pool(ob_frame *frame, int spatial)
{
    ob_window w = window_start(frame, spatial);
    window_read(frame, spatial, &w);
    ob_cl_window_list(&frame->args[4], spatial, 1, w.dilation);
    return launch_max(frame, &w);
}

static ob_status average_pool(ob_frame *frame, int spatial)
{
    ob_window w = window_start(frame, spatial);
    window_read(frame, spatial, &w);
    w.count_padding = frame->args[5].u.b;
    w.divisor = frame->args[6].tag == OB_VALUE_INT ? frame->args[6].u.i : 0;
    return launch_average(frame, &w);
}

static ob_status adaptive_max(ob_frame *frame, int spatial)
{
    ob_window w = window_start(frame, spatial);
    w.adaptive = 1;
    return launch_max(frame, &w);
}

static ob_status adaptive_average(ob_frame *frame, int spatial)
{
    ob_window w = window_start(frame, spatial);
    w.adaptive = 1;
    return launch_average(frame, &w);
}

#define POOL(name, function, spatial)          \
    ob_status ob_cl_op_##name(ob_frame *frame) \
    {                                          \
        return function(frame, spatial);       \
    }

POOL(max_pool2d, max_pool, 2)
POOL(max_pool3d, max_pool, 3)
POOL(avg_pool2d, average_pool, 2)
POOL(avg_pool3d, average_pool, 3)
POOL(adaptive_max_pool2d, adaptive_max, 2)
POOL(adaptive_max_pool3d, adaptive_max, 3)
POOL(adaptive_avg_pool2d, adaptive_average, 2)
POOL(adaptive_avg_pool3d, adaptive_average, 3)
