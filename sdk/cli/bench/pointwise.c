/* Pointwise ops and a sum over 10 million floats against memcpy of as many bytes: CPU time,
 * interleaved, quickest of many. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "ob/ops.h"

enum { NUMEL = 10000000, ROUNDS = 9 };

typedef ob_tensor *(*bench_op)(ob_scope *s, ob_tensor *x, ob_tensor *out);

static ob_tensor *run_add(ob_scope *s, ob_tensor *x, ob_tensor *out)
{
    return ob_add_out(s, x, x, .out = out);
}

static ob_tensor *run_gelu(ob_scope *s, ob_tensor *x, ob_tensor *out)
{
    return ob_gelu_out(s, x, .out = out);
}

static ob_tensor *run_exp(ob_scope *s, ob_tensor *x, ob_tensor *out)
{
    return ob_exp_out(s, x, .out = out);
}

static ob_tensor *run_sum(ob_scope *s, ob_tensor *x, ob_tensor *out)
{
    (void)out;
    return ob_sum(s, x);
}

/* Bytes that the op moves, per element; memcpy moves 8. */
static const struct {
    const char *name;
    bench_op op;
    double bytes;
} ops[] = { { "add 1e7 f32", run_add, 12 },
            { "exp 1e7 f32", run_exp, 8 },
            { "gelu 1e7 f32", run_gelu, 8 },
            { "sum 1e7 f32", run_sum, 4 } };

static ob_status measure(ob_bench *b, size_t i, ob_tensor *x, ob_tensor *out, const float *from,
                         float *to)
{
    double best = 1e9, best_copy = 1e9;
    for (int k = 0; k < ROUNDS; k++) {
        ob_scope *s = ob_scope_open();
        double start = ob_bench_cpu_seconds();
        (void)ops[i].op(s, x, out);
        OB_TRY(ob_device_synchronize(b->device));
        const double t = ob_bench_cpu_seconds() - start;
        OB_TRY(ob_scope_close(s, NULL, NULL));
        start = ob_bench_cpu_seconds();
        memcpy(to, from, (size_t)NUMEL * sizeof *to);
        const double copy = ob_bench_cpu_seconds() - start;
        if (k > 0 && t < best) best = t;
        if (k > 0 && copy < best_copy) best_copy = copy;
    }
    ob_bench_row(b, ops[i].name, "us", best * 1e6, "memcpy of as many bytes",
                 best_copy * 1e6 * ops[i].bytes / 8, 0);
    return OB_OK;
}

ob_status ob_bench_pointwise(ob_bench *b)
{
    ob_tensor *x = NULL, *out = NULL;
    float *from = calloc(NUMEL, sizeof *from), *to = calloc(NUMEL, sizeof *to);
    ob_status st = from && to ? OB_OK : OB_FAIL(OB_ERR_OOM, "no memory for %d floats", NUMEL);
    for (int i = 0; i < NUMEL && st == OB_OK; i++)
        from[i] = (float)(i % 2000) / 500 - 2;
    if (st == OB_OK) st = ob_tensor_create(OB_INTS(NUMEL), OB_F32, b->device, &x);
    if (st == OB_OK) st = ob_tensor_create(OB_INTS(NUMEL), OB_F32, b->device, &out);
    if (st == OB_OK) st = ob_tensor_write(x, from, (size_t)NUMEL * sizeof *from);
    for (size_t i = 0; i < OB_COUNT(ops) && st == OB_OK; i++)
        st = measure(b, i, x, out, from, to);
    ob_tensor_release(x);
    ob_tensor_release(out);
    free(from);
    free(to);
    return st;
}
