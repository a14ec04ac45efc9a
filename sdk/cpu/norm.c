/* Normalisations on the CPU, in double: y = (x - mean) / sqrt(variance + eps) * weight + bias.
 *
 * Layer and group norm take the statistics of dense runs, batch norm those of a channel. The
 * variance is that of the elements (no correction), except in the running variance. */
#include <math.h>

#include "cpu/walk/dense.h"
#include "dispatch/table/optable.h"
#include "ob/schema.h"
#include "ops/batch.h"

/* One call. `outer` runs of `channels` runs of `inner` elements: x is [outer, channels, inner]. */
typedef struct norm {
    const ob_frame *frame;
    int64_t outer, channels, inner;
    double eps;
    double *x, *y, *weight, *bias; /* [owned] weight and bias: NULL when absent */
    double *mean, *rstd;           /* [owned] */
} norm;

static const ob_value *named(const ob_frame *frame, const char *name)
{
    const int i = ob_schema_arg(ob_op_schema(frame->op), name);
    return i >= 0 ? &frame->args[i] : NULL;
}

static ob_tensor *named_tensor(const ob_frame *frame, const char *name)
{
    const ob_value *v = named(frame, name);
    return v && v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
}

/* Read what is given; `n` statistics. */
static ob_status begin(norm *p, int64_t n)
{
    const ob_tensor *weight = named_tensor(p->frame, "weight");
    const ob_tensor *bias = named_tensor(p->frame, "bias");
    p->eps = named(p->frame, "eps")->u.d;
    OB_TRY(ob_dense_read(p->frame->args[0].u.tensor, &p->x));
    OB_TRY(ob_dense_zeros(ob_tensor_numel(p->frame->args[0].u.tensor), &p->y));
    if (weight) OB_TRY(ob_dense_read(weight, &p->weight));
    if (bias) OB_TRY(ob_dense_read(bias, &p->bias));
    OB_TRY(ob_dense_zeros(n, &p->mean));
    return ob_dense_zeros(n, &p->rstd);
}

static void end(norm *p)
{
    ob_free(p->x);
    ob_free(p->y);
    ob_free(p->weight);
    ob_free(p->bias);
    ob_free(p->mean);
    ob_free(p->rstd);
}

static void store(const norm *p)
{
    ob_dense_write(p->frame->results[0].u.tensor, p->y);
    ob_dense_write(p->frame->results[1].u.tensor, p->mean);
    ob_dense_write(p->frame->results[2].u.tensor, p->rstd);
}

/* Mean and variance of n elements. The mean moves from element to element (Welford), which, as in
 * PyTorch, makes NaN of infinities and does not overflow. */
static void moments(const double *x, int64_t n, double *mean, double *variance)
{
    double squares = 0;
    *mean = n > 0 ? x[0] : NAN;
    for (int64_t i = 1; i < n; i++)
        *mean += (x[i] - *mean) / (double)(i + 1);
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *variance = squares / (double)n;
}

/* y = (x - mean) rstd weight + bias for n elements with one statistic. */
static double affine(const norm *p, double x, double mean, double rstd, int64_t parameter)
{
    const double normal = (x - mean) * rstd;
    const double scaled = p->weight ? normal * p->weight[parameter] : normal;
    return p->bias ? scaled + p->bias[parameter] : scaled;
}

/* Rows of `n` elements, each with its own statistics. The parameter of element j of row i is
 * (i * n + j) / p->inner % p->channels. */
static ob_status by_rows(norm *p, int64_t rows, int64_t n)
{
    ob_status st = begin(p, rows);
    for (int64_t i = 0; st == OB_OK && i < rows; i++) {
        double variance = 0;
        moments(p->x + i * n, n, &p->mean[i], &variance);
        p->rstd[i] = 1 / sqrt(variance + p->eps);
        for (int64_t at = i * n; at < (i + 1) * n; at++)
            p->y[at] = affine(p, p->x[at], p->mean[i], p->rstd[i], at / p->inner % p->channels);
    }
    if (st == OB_OK) store(p);
    end(p);
    return st;
}

/* (input, normalized_shape, ...) */
static ob_status layer_norm(ob_frame *frame)
{
    int64_t n = 1;
    for (uint32_t d = 0; d < frame->args[1].count; d++)
        n *= frame->args[1].u.ints[d];
    norm p = { .frame = frame, .channels = n, .inner = 1 };
    return by_rows(&p, ob_tensor_numel(frame->results[1].u.tensor), n);
}

/* (input, weight, bias, N, C, HxW, group, eps) */
static ob_status group_norm(ob_frame *frame)
{
    const int64_t c = frame->args[4].u.i, area = frame->args[5].u.i, groups = frame->args[6].u.i;
    norm p = { .frame = frame, .channels = c, .inner = area };
    return by_rows(&p, frame->args[3].u.i * groups, c / groups * area);
}

/* ---- batch norm ---- */

/* Statistics of channel c over the batch and all positions. */
static void channel_moments(const norm *p, int64_t c, double *mean, double *variance)
{
    const double n = (double)(p->outer * p->inner);
    double sum = 0, squares = 0;
    for (int64_t o = 0; o < p->outer; o++)
        for (int64_t i = 0; i < p->inner; i++)
            sum += p->x[(o * p->channels + c) * p->inner + i];
    *mean = sum / n;
    for (int64_t o = 0; o < p->outer; o++)
        for (int64_t i = 0; i < p->inner; i++) {
            const double d = p->x[(o * p->channels + c) * p->inner + i] - *mean;
            squares += d * d;
        }
    *variance = squares / n;
}

static void normalise_channel(const norm *p, int64_t c, double mean, double rstd)
{
    for (int64_t o = 0; o < p->outer; o++)
        for (int64_t i = 0; i < p->inner; i++) {
            const int64_t at = (o * p->channels + c) * p->inner + i;
            p->y[at] = affine(p, p->x[at], mean, rstd, c);
        }
}

/* running = momentum * now + (1 - momentum) * running */
static ob_status update_running(ob_tensor *running, const double *now, double momentum)
{
    double *values = NULL;
    if (!running) return OB_OK;
    OB_TRY(ob_dense_read(running, &values));
    for (int64_t c = 0; c < ob_tensor_numel(running); c++)
        values[c] = momentum * now[c] + (1 - momentum) * values[c];
    ob_dense_write(running, values);
    ob_tensor_bump_version(running);
    ob_free(values);
    return OB_OK;
}

/* With the batch's statistics, which also move the running ones. */
static ob_status train(norm *p)
{
    const ob_frame *frame = p->frame;
    const double n = (double)(p->outer * p->inner), momentum = named(frame, "momentum")->u.d;
    double *variances = NULL;
    OB_TRY(ob_dense_zeros(p->channels, &variances));
    for (int64_t c = 0; c < p->channels; c++) {
        double variance = 0;
        channel_moments(p, c, &p->mean[c], &variance);
        p->rstd[c] = 1 / sqrt(variance + p->eps);
        variances[c] = variance * n / (n - 1); /* the running variance is corrected */
        normalise_channel(p, c, p->mean[c], p->rstd[c]);
    }
    ob_status st = update_running(named_tensor(frame, "running_mean"), p->mean, momentum);
    if (st == OB_OK) st = update_running(named_tensor(frame, "running_var"), variances, momentum);
    ob_free(variances);
    if (st == OB_OK) store(p);
    return st;
}

/* With the running statistics; the other results are empty. */
static ob_status evaluate(norm *p)
{
    double *mean = NULL, *variance = NULL;
    ob_status st = ob_dense_read(named_tensor(p->frame, "running_mean"), &mean);
    if (st == OB_OK) st = ob_dense_read(named_tensor(p->frame, "running_var"), &variance);
    for (int64_t c = 0; st == OB_OK && c < p->channels; c++)
        normalise_channel(p, c, mean[c], 1 / sqrt(variance[c] + p->eps));
    if (st == OB_OK) ob_dense_write(p->frame->results[0].u.tensor, p->y);
    ob_free(mean);
    ob_free(variance);
    return st;
}

/* (input [N, C, ...], weight, bias, ...) */
static ob_status batch_norm(ob_frame *frame)
{
    const ob_tensor *input = frame->args[0].u.tensor;
    const ob_value *training = named(frame, "training");
    const int64_t n = ob_tensor_size(input, 0), c = ob_tensor_size(input, 1);
    norm p = { .frame = frame,
               .outer = n,
               .channels = c,
               .inner = n * c > 0 ? ob_tensor_numel(input) / (n * c) : 0 };
    ob_status st = begin(&p, c);
    if (st == OB_OK) st = training && training->u.b ? train(&p) : evaluate(&p);
    end(&p);
    return st;
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "native_batch_norm", batch_norm, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_native_batch_norm_legit", batch_norm, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_native_batch_norm_legit.no_stats", batch_norm, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "_native_batch_norm_legit_no_training", batch_norm, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "native_layer_norm", layer_norm, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "native_group_norm", group_norm, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
