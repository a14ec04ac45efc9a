/* convolution on the CPU: the sum as it is written, in doubles. PyTorch: native/Convolution.cpp,
 * NaiveConvolutionTranspose2d.cpp. */
#include "ops/rules/conv.h"

#include "core/alloc.h"
#include "cpu/walk/dense.h"
#include "dispatch/table/optable.h"
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

/* Dense elements as doubles: real parts, and imaginary ones where the dtype has them. */
typedef struct parts {
    double *re, *im; /* owned; NULL: none */
} parts;

static void parts_reset(parts *p)
{
    ob_free(p->re);
    ob_free(p->im);
    *p = (parts){ 0 };
}

static ob_status parts_zero(parts *p, const ob_tensor *like)
{
    OB_TRY(ob_dense_zeros(ob_tensor_numel(like), &p->re));
    return ob_tensor_dtype(like) == OB_C64 ? ob_dense_zeros(ob_tensor_numel(like), &p->im) : OB_OK;
}

static ob_status parts_read(parts *p, const ob_value *v)
{
    const ob_tensor *t = v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
    const int64_t n = t ? ob_tensor_numel(t) : 0;
    if (!t || ob_tensor_dtype(t) != OB_C64) return t ? ob_dense_read(t, &p->re) : OB_OK;
    OB_TRY(parts_zero(p, t));
    ob_complex64 *numbers = ob_alloc((size_t)n + 1, sizeof *numbers);
    if (!numbers)
        return OB_FAIL(OB_ERR_OOM, "convolution: no memory for %lld elements", (long long)n);
    const ob_status st = ob_tensor_read(t, numbers, (size_t)n * sizeof *numbers);
    for (int64_t i = 0; st == OB_OK && i < n; i++) {
        p->re[i] = numbers[i].re;
        p->im[i] = numbers[i].im;
    }
    ob_free(numbers);
    return st;
}

static ob_status parts_write(const parts *p, ob_tensor *t)
{
    const int64_t n = ob_tensor_numel(t);
    if (!p->im) {
        ob_dense_write(t, p->re);
        return OB_OK;
    }
    ob_complex64 *numbers = ob_alloc((size_t)n + 1, sizeof *numbers);
    if (!numbers)
        return OB_FAIL(OB_ERR_OOM, "convolution: no memory for %lld elements", (long long)n);
    for (int64_t i = 0; i < n; i++)
        numbers[i] = (ob_complex64){ (float)p->re[i], (float)p->im[i] };
    const ob_status st = ob_tensor_write(t, numbers, (size_t)n * sizeof *numbers);
    ob_free(numbers);
    return st;
}

/* (a + bi) (c + di) = ac - bd + (ad + bc) i, summed; `src` is used up. */
static void convolve(const ob_conv *c, const parts *dst, const parts *src, const parts *weight)
{
    all_planes(c, dst->re, src->re, weight->re);
    if (!dst->im) return;
    all_planes(c, dst->im, src->re, weight->im);
    all_planes(c, dst->im, src->im, weight->re);
    for (int64_t i = 0; i < c->batch * c->in_channels * count(c->in); i++)
        src->im[i] = -src->im[i];
    all_planes(c, dst->re, src->im, weight->im);
}

static ob_status convolution(ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    parts dst = { 0 }, src = { 0 }, weight = { 0 }, bias = { 0 };
    ob_conv c;
    OB_TRY(ob_conv_read("convolution", frame->args, &c));
    ob_status st = parts_read(&src, &frame->args[0]);
    if (st == OB_OK) st = parts_read(&weight, &frame->args[1]);
    if (st == OB_OK) st = parts_read(&bias, &frame->args[2]);
    if (st == OB_OK) st = parts_zero(&dst, out);
    if (st == OB_OK) {
        start_with_bias(&c, dst.re, bias.re);
        start_with_bias(&c, dst.im, bias.im);
        convolve(&c, &dst, &src, &weight);
        st = parts_write(&dst, out);
    }
    parts_reset(&dst);
    parts_reset(&src);
    parts_reset(&weight);
    parts_reset(&bias);
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
