/* Matrix products against OpenBLAS, both on one thread: process CPU time, interleaved in one run,
 * bursts of BURST_FLOP, the round of the median ratio of as many as SECONDS hold. */
#include <cblas.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "ob/ops.h"

/* Other users of a machine disturb for seconds at a time, so a count of rounds would not do. */
enum { SECONDS = 6, LEAST_ROUNDS = 5, MOST_ROUNDS = 1000 };

/* About 10 ms: next to it, reading the clock and waiting for the device cost nothing. */
static const double BURST_FLOP = 1e9;

typedef struct gemm_case {
    const char *name;
    int m, n, k;
    bool b_transposed; /* a Linear weight, [n, k] */
    double goal;       /* time ratio */
} gemm_case;

static const gemm_case cases[] = {
    { "gemm f32 256", 256, 256, 256, false, 1 / 0.9 },
    { "gemm f32 512", 512, 512, 512, false, 1 / 0.95 },
    { "gemm f32 1024", 1024, 1024, 1024, false, 1 / 0.95 },
    { "gemm f32 2048", 2048, 2048, 2048, false, 1 / 0.95 },
    { "gemm f32 1024, B transposed", 1024, 1024, 1024, true, 1 / 0.95 },
    { "gemm f32 Linear 128x1536x384", 128, 1536, 384, true, 0 },
    { "gemm f32 64^3", 64, 64, 64, false, 0 },
    { "gemm f32 1x4096x4096", 1, 4096, 4096, true, 0 },
};

static void fill(float *x, size_t n)
{
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) / (float)(1 << 24) - 0.5f;
    }
}

typedef struct gemm_data {
    float *a, *b, *c; /* owned; for OpenBLAS */
    ob_tensor *ta, *tb, *tb_t, *tc;
} gemm_data;

static void reset(gemm_data *d)
{
    free(d->a);
    free(d->b);
    free(d->c);
    ob_tensor_release(d->ta);
    ob_tensor_release(d->tb);
    ob_tensor_release(d->tb_t);
    ob_tensor_release(d->tc);
}

static ob_status make(const gemm_case *g, ob_device device, gemm_data *d)
{
    const size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    *d = (gemm_data){ .a = malloc(m * k * 4), .b = malloc(k * n * 4), .c = malloc(m * n * 4) };
    if (!d->a || !d->b || !d->c) return OB_FAIL(OB_ERR_OOM, "no memory for matrices");
    fill(d->a, m * k);
    fill(d->b, k * n);
    OB_TRY(ob_tensor_create(OB_INTS(g->m, g->k), OB_F32, device, &d->ta));
    OB_TRY(ob_tensor_create(g->b_transposed ? OB_INTS(g->n, g->k) : OB_INTS(g->k, g->n), OB_F32,
                            device, &d->tb));
    OB_TRY(ob_tensor_create(OB_INTS(g->m, g->n), OB_F32, device, &d->tc));
    OB_TRY(ob_tensor_write(d->ta, d->a, m * k * 4));
    OB_TRY(ob_tensor_write(d->tb, d->b, k * n * 4));
    const ob_ints strides = g->b_transposed ? OB_INTS(1, g->k) : OB_INTS(g->n, 1);
    return ob_tensor_view_of(d->tb, OB_INTS(g->k, g->n), strides, 0, &d->tb_t);
}

/* Seconds of one of `burst` products. */
static ob_status ours(const gemm_data *d, ob_device device, int burst, double *seconds)
{
    const double start = ob_bench_cpu_seconds();
    ob_scope *s = ob_scope_open();
    for (int i = 0; i < burst; i++)
        (void)ob_mm_out(s, d->ta, d->tb_t, d->tc);
    OB_TRY(ob_scope_close(s, NULL, NULL));
    OB_TRY(ob_device_synchronize(device));
    *seconds = (ob_bench_cpu_seconds() - start) / burst;
    return OB_OK;
}

/* The peer. Loaded here, since it starts threads, which no other command of ob needs. */
static struct {
    __typeof__(openblas_set_num_threads) *set_num_threads;
    __typeof__(cblas_sgemm) *sgemm;
} openblas;

static ob_status openblas_load(void)
{
    void *code = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!code) return OB_FAIL(OB_ERR_NOT_FOUND, "bench: no peer to compare with: %s", dlerror());
    *(void **)&openblas.set_num_threads = dlsym(code, "openblas_set_num_threads");
    *(void **)&openblas.sgemm = dlsym(code, "cblas_sgemm");
    if (openblas.set_num_threads && openblas.sgemm) return OB_OK;
    return OB_FAIL(OB_ERR_NOT_FOUND, "bench: libopenblas.so.0 has no cblas_sgemm");
}

static double peer(const gemm_case *g, const gemm_data *d, int burst)
{
    const double start = ob_bench_cpu_seconds();
    for (int i = 0; i < burst; i++)
        openblas.sgemm(CblasRowMajor, CblasNoTrans, g->b_transposed ? CblasTrans : CblasNoTrans,
                       g->m, g->n, g->k, 1, d->a, g->k, d->b, g->b_transposed ? g->k : g->n, 0,
                       d->c, g->n);
    return (ob_bench_cpu_seconds() - start) / burst;
}

/* Seconds of a product in one round, whose two bursts share what disturbs the machine. */
typedef struct pair {
    double ours, peer;
} pair;

static int by_ratio(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    const double p = x->ours * y->peer, q = y->ours * x->peer;
    return (p > q) - (p < q);
}

static ob_status measure_round(const gemm_case *g, const gemm_data *d, ob_device device, pair *out)
{
    const double flop = 2.0 * g->m * g->n * g->k;
    const int burst = flop < BURST_FLOP ? (int)(BURST_FLOP / flop) : 1;
    OB_TRY(ours(d, device, burst, &out->ours));
    out->peer = peer(g, d, burst);
    return OB_OK;
}

static ob_status measure(ob_bench *b, const gemm_case *g)
{
    static pair rounds[MOST_ROUNDS];
    gemm_data d;
    int n = 0;
    ob_status st = make(g, b->device, &d);
    if (st == OB_OK) st = measure_round(g, &d, b->device, &rounds[0]); /* builds kernels */
    const double start = ob_bench_cpu_seconds();
    while (st == OB_OK && n < MOST_ROUNDS &&
           (n < LEAST_ROUNDS || ob_bench_cpu_seconds() - start < SECONDS))
        st = measure_round(g, &d, b->device, &rounds[n++]);
    reset(&d);
    if (st != OB_OK) return st;
    qsort(rounds, (size_t)n, sizeof *rounds, by_ratio);
    const pair m = rounds[n / 2];
    ob_bench_row(b, g->name, "us", m.ours * 1e6, "OpenBLAS", m.peer * 1e6, g->goal);
    return OB_OK;
}

ob_status ob_bench_gemm(ob_bench *b)
{
    OB_TRY(openblas_load());
    openblas.set_num_threads(1);
    for (size_t i = 0; i < OB_COUNT(cases); i++)
        OB_TRY(measure(b, &cases[i]));
    return OB_OK;
}
