/* Pooling on the CPU: windows as they are written, in doubles. PyTorch:
 * native/cpu/MaxPoolKernel.cpp, AvgPoolKernel.cpp, AdaptiveAvgPoolKernel.cpp. */
#include "ops/rules/pool.h"

#include <math.h>

#include "core/alloc.h"
#include "cpu/walk/dense.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"

/* The window of one output. */
typedef struct window {
    int64_t begin[OB_POOL_DIMS], end[OB_POOL_DIMS], step[OB_POOL_DIMS];
    int64_t padded; /* elements, those in the padding included */
} window;

static window window_at(const ob_pool *p, int64_t index)
{
    window w = { .padded = 1 };
    for (int d = OB_POOL_DIMS - 1; d >= 0; d--) {
        int64_t extent;
        ob_pool_window(p, d, index % p->out[d], &w.begin[d], &w.end[d], &extent);
        index /= p->out[d];
        w.step[d] = p->adaptive ? 1 : p->dilation[d];
        w.padded *= extent;
    }
    return w;
}

/* The largest element, NaN above all, and its index in the plane. */
static double window_max(const ob_pool *p, const window *w, const double *plane, int64_t *index)
{
    *index = (w->begin[0] * p->in[1] + w->begin[1]) * p->in[2] + w->begin[2];
    double most = -INFINITY;
    for (int64_t z = w->begin[0]; z < w->end[0]; z += w->step[0])
        for (int64_t y = w->begin[1]; y < w->end[1]; y += w->step[1])
            for (int64_t x = w->begin[2]; x < w->end[2]; x += w->step[2]) {
                const int64_t at = (z * p->in[1] + y) * p->in[2] + x;
                if (!(plane[at] > most || isnan(plane[at]))) continue;
                most = plane[at];
                *index = at;
            }
    return most;
}

static double window_mean(const ob_pool *p, const window *w, const double *plane)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t z = w->begin[0]; z < w->end[0]; z++)
        for (int64_t y = w->begin[1]; y < w->end[1]; y++)
            for (int64_t x = w->begin[2]; x < w->end[2]; x++, n++)
                sum += plane[(z * p->in[1] + y) * p->in[2] + x];
    if (n == 0) return 0;
    if (p->divisor) return sum / (double)p->divisor;
    return sum / (double)(p->count_padding ? w->padded : n);
}

static ob_status pool(ob_frame *frame, ob_pool_kind kind, bool is_max, int spatial)
{
    ob_tensor *out = frame->results[0].u.tensor;
    double *src = NULL, *dst = NULL, *where = NULL;
    ob_pool p;
    OB_TRY(ob_pool_read("pool", kind, spatial, frame->args, &p));
    const int64_t n = p.out[0] * p.out[1] * p.out[2], plane = p.in[0] * p.in[1] * p.in[2];
    ob_status st = ob_dense_read(frame->args[0].u.tensor, &src);
    if (st == OB_OK) st = ob_dense_zeros(p.planes * n, &dst);
    if (st == OB_OK) st = ob_dense_zeros(p.planes * n, &where);
    for (int64_t i = 0; st == OB_OK && i < p.planes * n; i++) {
        const window w = window_at(&p, i % n);
        int64_t index = 0;
        dst[i] = is_max ? window_max(&p, &w, src + i / n * plane, &index)
                        : window_mean(&p, &w, src + i / n * plane);
        where[i] = (double)index;
    }
    if (st == OB_OK) ob_dense_write(out, dst);
    if (st == OB_OK && is_max) ob_dense_write(frame->results[1].u.tensor, where);
    ob_free(src);
    ob_free(dst);
    ob_free(where);
    return st;
}

/* clang-format off */
/* X(name, primary op, kind, is max, spatial dims) */
#define POOLS(X)                                                            \
    X(max2,          "max_pool2d_with_indices.out", MAX,      true,  2)     \
    X(max3,          "max_pool3d_with_indices",     MAX,      true,  3)     \
    X(avg2,          "avg_pool2d.out",              AVG,      false, 2)     \
    X(avg3,          "avg_pool3d.out",              AVG,      false, 3)     \
    X(adaptive_max2, "adaptive_max_pool2d.out",     ADAPTIVE, true,  2)     \
    X(adaptive_max3, "adaptive_max_pool3d.out",     ADAPTIVE, true,  3)     \
    X(adaptive_avg2, "_adaptive_avg_pool2d",        ADAPTIVE, false, 2)     \
    X(adaptive_avg3, "_adaptive_avg_pool3d",        ADAPTIVE, false, 3)
/* clang-format on */

#define OB_X(name, op, kind, is_max, spatial)                \
    static ob_status pool_##name(ob_frame *frame)            \
    {                                                        \
        return pool(frame, OB_POOL_##kind, is_max, spatial); \
    }
POOLS(OB_X)
#undef OB_X

static ob_status install(void)
{
#define OB_X(name, op, kind, is_max, spatial) ob_batch_add_fn(OB_KEY_CPU, op, pool_##name, NULL);
    POOLS(OB_X)
#undef OB_X
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
