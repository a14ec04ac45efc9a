/* convolution on the CPU: the sum as it is written, in doubles. PyTorch: native/Convolution.cpp,
 * NaiveConvolutionTranspose2d.cpp. */
#include "ops/rules/conv.h"

#include "core/alloc.h"
#include "cpu/dense.h"
#include "dispatch/optable.h"
#include "ops/batch.h"

/* A point of the three spatial dims. */
typedef struct point {
    int64_t at[OB_CONV_DIMS];
} point;

static int64_t count(const int64_t *extents)
{
    return extents[0] * extents[1] * extents[2];
}

static point point_of(const int64_t *extents, int64_t index)
{
    const int64_t plane = extents[1] * extents[2];
    return (point){ { index / plane, index / extents[2] % extents[1], index % extents[2] } };
}

/* Index of where tap `k` of a window at `small` lies on the strided side, -1 outside `extents`. */
static int64_t tap_index(const ob_conv *c, point small, point k, const int64_t *extents)
{
    int64_t index = 0;
    for (int d = 0; d < OB_CONV_DIMS; d++) {
        const int64_t at = small.at[d] * c->stride[d] - c->padding[d] + k.at[d] * c->dilation[d];
        if (at < 0 || at >= extents[d]) return -1;
        index = index * extents[d] + at;
    }
    return index;
}

/* One pair of planes: forward, dst gathers from src; transposed, src scatters into dst. */
static void planes(const ob_conv *c, double *dst, const double *src, const double *weight)
{
    const int64_t *small = c->transposed ? c->in : c->out, *large = c->transposed ? c->out : c->in;
    for (int64_t i = 0; i < count(small); i++) {
        for (int64_t k = 0; k < count(c->kernel); k++) {
            const int64_t j = tap_index(c, point_of(small, i), point_of(c->kernel, k), large);
            if (j < 0) continue;
            if (c->transposed)
                dst[j] += src[i] * weight[k];
            else
                dst[i] += src[j] * weight[k];
        }
    }
}

/* Forward weights are [out, in / groups, kernel], transposed ones [in, out / groups, kernel]. */
static void all_planes(const ob_conv *c, double *dst, const double *src, const double *weight)
{
    const int64_t ins = c->in_channels / c->groups, outs = c->out_channels / c->groups;
    for (int64_t b = 0; b < c->batch; b++) {
        for (int64_t o = 0; o < c->out_channels; o++) {
            for (int64_t i = 0; i < ins; i++) {
                const int64_t from = o / outs * ins + i;
                const int64_t pair = c->transposed ? from * outs + o % outs : o * ins + i;
                planes(c, dst + (b * c->out_channels + o) * count(c->out),
                       src + (b * c->in_channels + from) * count(c->in),
                       weight + pair * count(c->kernel));
            }
        }
    }
}

static void start_with_bias(const ob_conv *c, double *dst, const double *bias)
{
    const int64_t n = count(c->out);
    for (int64_t i = 0; bias && i < c->batch * c->out_channels * n; i++)
        dst[i] = bias[i / n % c->out_channels];
}

static ob_status convolution(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    double *dst = NULL, *src = NULL, *weight = NULL, *bias = NULL;
    ob_conv c;
    if (ob_tensor_dtype(out) == OB_C64) return OB_ERR_DECLINED;
    OB_TRY(ob_conv_read("convolution", frame->args, &c));
    ob_status st = ob_dense_read(frame->args[0].u.tensor, &src);
    if (st == OB_OK) st = ob_dense_read(frame->args[1].u.tensor, &weight);
    if (st == OB_OK && frame->args[2].tag == OB_VALUE_TENSOR)
        st = ob_dense_read(frame->args[2].u.tensor, &bias);
    if (st == OB_OK) st = ob_dense_zeros(ob_tensor_numel(out), &dst);
    if (st == OB_OK) {
        start_with_bias(&c, dst, bias);
        all_planes(&c, dst, src, weight);
        ob_dense_write(out, dst);
    }
    ob_free(dst);
    ob_free(src);
    ob_free(weight);
    ob_free(bias);
    return st;
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "convolution", convolution, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "convolution_overrideable", convolution, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
