/* Runs a reduction on the CPU: for each result, all elements that go into it, a block at a time, in
 * the order of memory (of rows, where positions count). Reference for every device; one thread. */
#include "cpu/reduce/reduce.h"

#include <math.h>

#include "cpu/walk/nest.h"
#include "dispatch/table/optable.h"
#include "ob/inspect.h"
#include "ops/batch.h"

typedef struct run {
    const ob_reduce_op *base;
    const ob_red_row *row;
    ob_reduce_call call;
    ob_wide wide;
    ob_tensor *out[2];
    ob_nest kept, gone; /* walks of x: dims that stay (with the results), dims that are reduced */
} run;

/* The dims of x that are, or are not, reduced, with their strides. */
static void begin_walk(ob_nest *nest, const ob_reduce_call *call, bool reduced, int n_outs)
{
    const ob_tensor *x = call->x;
    nest->rank = 0;
    nest->n = 1 + n_outs;
    nest->started = false;
    for (int d = ob_tensor_rank(x) - 1; d >= 0; d--) {
        if (call->reduced[d] != reduced) continue;
        nest->sizes[nest->rank] = ob_tensor_sizes(x)[d];
        nest->strides[0][nest->rank++] = ob_tensor_strides(x)[d];
    }
}

/* Strides of a result for the dims that stay; one that keeps dims has them at the places of x's. */
static void add_result(ob_nest *nest, const ob_reduce_call *call, const ob_tensor *out, int operand)
{
    int at = ob_tensor_rank(out) - 1, k = 0;
    for (int d = ob_tensor_rank(call->x) - 1; d >= 0; d--) {
        if (!call->reduced[d])
            nest->strides[operand][k++] = ob_tensor_strides(out)[at--];
        else if (call->keepdim)
            at--;
    }
}

/* Feed the elements of one result to `step`. */
static void feed(const run *r, ob_red_state *s, int64_t base,
                 void (*step)(ob_red_state *, const void *, int64_t, int64_t))
{
    const ob_tensor *x = r->call.x;
    const ob_dtype dtype = ob_tensor_dtype(x);
    const int64_t bytes = (int64_t)ob_dtype_bytes(dtype);
    ob_nest nest = r->gone;
    ob_wide_block block;
    int64_t done = 0;
    while (ob_nest_next(&nest)) {
        const int64_t stride = nest.strides[0][0];
        const char *src = (const char *)ob_tensor_data(x) + (base + nest.at[0]) * bytes;
        for (int64_t from = 0; from < nest.sizes[0]; from += OB_BLOCK) {
            const int64_t left = nest.sizes[0] - from, n = left < OB_BLOCK ? left : OB_BLOCK;
            const void *xs = src + from * stride * bytes;
            if (stride != 1 || !ob_wide_is_stored(r->wide, dtype)) {
                ob_wide_load(r->wide, &block, dtype, xs, stride, n);
                xs = &block;
            }
            step(s, xs, n, done);
            done += n;
        }
    }
}

static const ob_red_row *rows_of(ob_wide wide)
{
    static const ob_red_row *const rows[] = { ob_red_int_rows, ob_red_float_rows,
                                              ob_red_double_rows, ob_red_complex_rows };
    return rows[wide];
}

/* The greatest element, by its real part; 0 where that is infinite. */
static double greatest(const run *r, ob_red_state *s, int64_t base)
{
    const bool is_complex = r->wide == OB_WIDE_COMPLEX;
    const ob_red_row *row = is_complex ? &ob_red_complex_most : &rows_of(r->wide)[OB_RED_amax];
    row->start(s);
    feed(r, s, base, row->step);
    return isinf(s->acc.d) ? 0 : s->acc.d;
}

static bool has_infinity(const run *r, ob_red_state *s, int64_t base)
{
    bool found = false;
    for (int k = 0; k < 2; k++) {
        const ob_red_row *row = &rows_of(r->wide)[k ? OB_RED_amin : OB_RED_amax];
        row->start(s);
        feed(r, s, base, row->step);
        found |= isinf(s->acc.d);
    }
    return found;
}

/* The mean: NaN where elements are infinite, as PyTorch's running mean. */
static void find_mean(const run *r, ob_red_state *s, int64_t base)
{
    const ob_red_row *row = &rows_of(r->wide)[OB_RED_mean];
    row->start(s);
    feed(r, s, base, row->step);
    if (r->wide == OB_WIDE_COMPLEX) {
        s->m.c = s->acc.c / s->n;
        return;
    }
    s->m.d = s->acc.d / s->n;
    if (isinf(s->m.d) && has_infinity(r, s, base)) s->m.d = NAN;
}

/* m, for formulas that want the mean or the maximum first. */
static void first_pass(const run *r, ob_red_state *s, int64_t base)
{
    if (r->base->flags & OB_RED_CENTERED) {
        find_mean(r, s, base);
        return;
    }
    const double most = greatest(r, s, base);
    if (r->wide == OB_WIDE_COMPLEX)
        s->m.c = most;
    else
        s->m.d = most;
}

/* Store m as the second result. */
static void store_mean(const run *r, const ob_red_state *s, ob_dtype dtype, void *dst)
{
    const float _Complex narrow = (float _Complex)s->m.c;
    if (r->wide == OB_WIDE_COMPLEX)
        ob_wide_store(dtype, dst, 1, OB_WIDE_COMPLEX, &narrow, 1);
    else
        ob_wide_store(dtype, dst, 1, OB_WIDE_DOUBLE, &s->m.d, 1);
}

static void reduce_one(const run *r, ob_red_state *s, const ob_nest *kept, int64_t i)
{
    const int64_t base = kept->at[0] + i * kept->strides[0][0];
    ob_wide_block value;
    s->index = 0;
    if (r->base->flags & (OB_RED_CENTERED | OB_RED_SHIFTED)) first_pass(r, s, base);
    r->row->start(s);
    feed(r, s, base, r->row->step);
    r->row->finish(s, &value);
    for (int k = 0; k < 2 && r->out[k]; k++) {
        const ob_dtype dtype = ob_tensor_dtype(r->out[k]);
        char *dst =
            (char *)ob_tensor_data(r->out[k]) +
            (kept->at[k + 1] + i * kept->strides[k + 1][0]) * (int64_t)ob_dtype_bytes(dtype);
        const bool index = r->base->flags & OB_RED_INDEX && (k == 1 || !r->out[1]);
        if (index)
            ob_wide_store(dtype, dst, 1, OB_WIDE_INT, &s->index, 1);
        else if (k == 1)
            store_mean(r, s, dtype, dst);
        else
            ob_wide_store(dtype, dst, 1, r->wide, &value, 1);
    }
}

static ob_status reduce(ob_frame *frame)
{
    const ob_reduce_op *op = frame->user;
    run r;
    ob_red_state s = { .index = 0 };
    r.base = &ob_reduce_ops[op->of];
    OB_TRY(ob_reduce_read(ob_op_name(frame->op), op, frame->args, &r.call));
    r.wide = ob_wide_of(ob_tensor_dtype(r.call.x));
    r.row = &rows_of(r.wide)[op->of];
    if (!r.row->start) return OB_ERR_DECLINED;
    r.out[0] = frame->results[0].u.tensor;
    r.out[1] = frame->n_results > 1 ? frame->results[1].u.tensor : NULL;
    begin_walk(&r.gone, &r.call, true, 0);
    s.a = r.call.a;
    s.n = 1;
    for (int d = 0; d < r.gone.rank; d++)
        s.n *= (double)r.gone.sizes[d];
    if (r.base->flags & OB_RED_INDEX)
        ob_nest_merge(&r.gone);
    else
        ob_nest_prepare(&r.gone);
    begin_walk(&r.kept, &r.call, false, r.out[1] ? 2 : 1);
    for (int k = 0; k < 2 && r.out[k]; k++)
        add_result(&r.kept, &r.call, r.out[k], k + 1);
    ob_nest_prepare(&r.kept);
    while (ob_nest_next(&r.kept))
        for (int64_t i = 0; i < r.kept.sizes[0]; i++)
            reduce_one(&r, &s, &r.kept, i);
    return OB_OK;
}

static ob_status install(void)
{
    for (int i = 0; i < OB_RED_OPS; i++) {
        const int primary = ob_aten_primary(ob_reduce_ops[i].aten);
        ob_batch_add_fn(OB_KEY_CPU, ob_op_name(ob_aten_op(primary)), reduce,
                        (void *)(uintptr_t)&ob_reduce_ops[i]);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
