/* Launches the rows of sdk/ops/reduce.inc: red_<op> of the program of the dtype they compute in,
 * and join_<op> after it where few results have many elements each, so that every compute unit has
 * work. Rows that want the mean or the maximum first have it from the rows of those, in scratch
 * memory. Declines what needs more than one walk of reduced dims (over 2^31 elements, or over
 * OB_WALK_DIMS dims that do not merge). Kernels: kernels/reduce.cl. */
#include <stdint.h>
#include <string.h>

#include "device/launch.h"
#include "device/native.h"
#include "device/ops/element.h"
#include "device/runtime/context.h"
#include "device/walk.h"
#include "ob/inspect.h"
#include "ob/ops.h"
#include "sdk/ops/reduce_kinds.inc"

enum { REDUCE_CHUNK = 16384 }; /* elements that are worth a work-item */
enum { REDUCE_LANES = 16 };    /* OB_LANES of the kernels */

enum {
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) OP_##name,
#define OB_FORM(name, args, of)                                                OP_##name,
#include "sdk/ops/reduce.inc"
#undef OB_REDUCE
#undef OB_FORM
    OPS
};

#define PROGRAM(defines)                                                     \
    {                                                                        \
        "reduce", { "prelude.cl", "pointwise_kinds.inc", "reduce_kinds.inc", \
                    "reduce.cl",  "reduce_norm.inc",     "reduce.inc" },     \
            defines, NULL                                                    \
    }

/* Rows around a mean, and the mean that they start with, accumulate in doubles where the device has
 * them, as PyTorch does. */
static const ob_cl_program programs[2] = { PROGRAM(NULL), PROGRAM("#define OB_RED_WIDE 1\n") };

#define OB_PROGRAM_OF(flags) (&programs[((flags)&OB_RED_CENTERED) != 0])

/* The kernels of a row. */
typedef struct row_sites {
    ob_cl_site reduce, join;
} row_sites;

/* The mean of rows around one. */
static row_sites center = { OB_CL_SITE(&programs[1], "red_center"),
                            OB_CL_SITE(&programs[1], "join_center") };

/* An op or a form; a form has the flags and kernels of the op `of`. */
static struct reduce_op {
    const char *args;
    int of, aten; /* the op with the kernels; row of the ATen table */
    unsigned flags;
    row_sites own;
} ops[OPS] = {
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) \
    [OP_##name] = { #args,                                                     \
                    OP_##name,                                                 \
                    OB_OP_##name,                                              \
                    flags,                                                     \
                    { OB_CL_SITE(OB_PROGRAM_OF(flags), "red_" #name),          \
                      OB_CL_SITE(OB_PROGRAM_OF(flags), "join_" #name) } },
#define OB_FORM(name, letters, base) \
    [OP_##name] = { .args = #letters, .of = OP_##base, .aten = OB_OP_##name },
#include "sdk/ops/reduce.inc"
#undef OB_REDUCE
#undef OB_FORM
};

/* A call, read by the letters of its op's args; results as the rule made them. */
typedef struct call {
    struct reduce_op *base;
    const ob_tensor *x;
    ob_tensor *out[2]; /* the second is NULL where the op has one result */
    bool reduced[OB_MAX_RANK];
    bool keepdim;
    double a;
} call;

/* The rule has checked the dims; none means all. */
static void read_dims(const ob_value *v, call *c)
{
    const int rank = ob_tensor_rank(c->x);
    const int64_t *dims = v && v->tag == OB_VALUE_INTS ? v->u.ints : v ? &v->u.i : NULL;
    const uint32_t n = !v || v->tag == OB_VALUE_NONE ? 0 : v->tag == OB_VALUE_INTS ? v->count : 1;
    for (int d = 0; d < rank; d++)
        c->reduced[d] = n == 0;
    for (uint32_t i = 0; i < n && rank > 0; i++)
        c->reduced[dims[i] < 0 ? dims[i] + rank : dims[i]] = true;
}

static call call_of(const struct reduce_op *op, const ob_frame *frame)
{
    call c = { .base = &ops[op->of], .x = frame->args[0].u.tensor };
    const ob_value *dims = NULL;
    c.out[0] = frame->results[0].u.tensor;
    c.out[1] = frame->n_results > 1 ? frame->results[1].u.tensor : NULL;
    c.a = c.base->flags & OB_RED_ORDER ? 2 : 1;
    for (int i = 0; op->args[i]; i++) {
        const ob_value *v = &frame->args[i];
        if (op->args[i] == 'd') dims = v;
        if (op->args[i] == 'k') c.keepdim = v->u.b;
        if (op->args[i] == 'a' && v->tag != OB_VALUE_NONE)
            c.a = ob_scalar_double(ob_value_as_scalar(v));
    }
    read_dims(dims, &c);
    return c;
}

/* ---- walks ---- */

/* Sizes and strides of x's dims that are, or are not, reduced; returns how many. */
static int dims_of(const call *c, bool reduced, int64_t *sizes, int64_t *strides)
{
    int rank = 0;
    for (int d = 0; d < ob_tensor_rank(c->x); d++) {
        if (c->reduced[d] != reduced) continue;
        sizes[rank] = ob_tensor_sizes(c->x)[d];
        strides[rank++] = ob_tensor_strides(c->x)[d];
    }
    return rank;
}

/* A result's strides for the dims of x that stay. */
static void result_strides(const call *c, const ob_tensor *out, int64_t *strides)
{
    int at = 0, kept = 0;
    for (int d = 0; d < ob_tensor_rank(c->x); d++) {
        if (!c->reduced[d]) strides[kept++] = ob_tensor_strides(out)[at];
        if (!c->reduced[d] || c->keepdim) at++;
    }
}

static void kept_begin(const call *c, ob_cl_walk *w)
{
    int64_t sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
    ob_cl_walk_begin(w, sizes, dims_of(c, false, sizes, strides));
    ob_cl_walk_add_strided(w, strides, ob_tensor_offset(c->x));
    for (int k = 0; k < 2; k++) {
        const ob_tensor *out = c->out[k] ? c->out[k] : c->out[0];
        result_strides(c, out, strides);
        ob_cl_walk_add_strided(w, strides, ob_tensor_offset(out));
    }
}

/* The walk of reduced dims in one step: in the order of rows where positions count, else of
 * memory. OB_ERR_DECLINED when it takes more. */
static ob_status gone_walk(const call *c, ob_walk *out)
{
    int64_t sizes[OB_MAX_RANK], strides[OB_MAX_RANK], order[OB_MAX_RANK], dense = 1;
    ob_cl_walk w;
    const int rank = dims_of(c, true, sizes, strides);
    for (int d = rank - 1; d >= 0; d--) {
        order[d] = c->base->flags & OB_RED_INDEX ? dense : strides[d];
        dense *= sizes[d];
    }
    ob_cl_walk_begin(&w, sizes, rank);
    ob_cl_walk_add_strided(&w, order, 0);
    ob_cl_walk_add_strided(&w, strides, 0);
    *out = (ob_walk){ .rank = 1, .size = { 1 } };
    const ob_walk *step = ob_cl_walk_next(&w);
    if (step) *out = *step;
    return step && ob_cl_walk_next(&w) ? OB_ERR_DECLINED : OB_OK;
}

/* ---- launches ---- */

/* Bytes of the kernels' A. */
static size_t accumulator_bytes(const call *c)
{
    const ob_dtype dtype = ob_tensor_dtype(c->x);
    const bool wide = c->base->flags & OB_RED_CENTERED && ob_cl_device_get()->has_f64;
    return dtype == OB_F64 || dtype == OB_I64 || wide ? 8 : 4;
}

/* How the work of one step of kept dims is shared out. */
static ob_cl_range plan(ob_reduce *p)
{
    const int64_t elements = p->gone.numel, stride = p->kept.stride[0][0];
    p->across = p->kept.size[0] > 1 && (elements < REDUCE_LANES || stride < p->gone.stride[1][0]);
    const int64_t lanes = p->across ? REDUCE_LANES : 1, work = elements * lanes;
    const int64_t groups = (p->kept.numel + lanes - 1) / lanes;
    const int64_t least = work < REDUCE_CHUNK ? REDUCE_CHUNK / (work + 1) : 1;
    const int64_t wanted = 4 * (int64_t)ob_cl_units();
    const int64_t items = (int64_t)ob_cl_range_chunks(groups, least).global[0];
    const int64_t most = elements / REDUCE_CHUNK;
    p->parts = items * 2 > wanted ? 1 : wanted / items < most ? wanted / items : most;
    if (p->parts < 1) p->parts = 1;
    return ob_cl_range_items(items, p->parts, 1);
}

/* Where kernels read and write beside x. */
typedef struct buffers {
    ob_buffer *out, *more, *means;
} buffers;

/* The results of one step of kept dims, by the kernels of a row. */
static ob_status pass(const call *c, row_sites *row, const ob_reduce *p, ob_cl_range range,
                      buffers b)
{
    const ob_tensor *x = c->x;
    const ob_dtype dtype = ob_tensor_dtype(x);
    const size_t n = (size_t)(p->parts * p->kept.numel);
    ob_buffer *accs = NULL, *indices = NULL;
    ob_cl_kernel *k, *join;
    OB_TRY(ob_cl_kernel_get(&row->reduce, dtype, &k));
    if (p->parts == 1)
        return OB_LAUNCH(k, range, MEM(b.out), MEM(b.more), BUF(x), MEM(b.means), MEM(b.out),
                         MEM(b.out), VAL(*p));
    OB_TRY(ob_cl_kernel_get(&row->join, dtype, &join));
    OB_TRY(ob_cl_scratch(n * accumulator_bytes(c), &accs));
    ob_status st = ob_cl_scratch(n * sizeof(ob_i32), &indices);
    if (st == OB_OK)
        st = OB_LAUNCH(k, range, MEM(b.out), MEM(b.more), BUF(x), MEM(b.means), MEM(accs),
                       MEM(indices), VAL(*p));
    if (st == OB_OK)
        st = OB_LAUNCH(join, ob_cl_range_chunks(p->kept.numel, REDUCE_CHUNK / p->parts), MEM(b.out),
                       MEM(b.more), MEM(b.means), MEM(accs), MEM(indices), VAL(*p));
    ob_cl_scratch_free(indices);
    ob_cl_scratch_free(accs);
    return st;
}

/* One step of kept dims, with what its row wants first. */
static ob_status step_run(const call *c, ob_reduce *p)
{
    const unsigned flags = c->base->flags;
    const ob_cl_range range = plan(p);
    buffers b = { ob_tensor_buffer(c->out[0]), ob_tensor_buffer(c->out[c->out[1] ? 1 : 0]), NULL };
    ob_buffer *means = NULL;
    ob_status st = OB_OK;
    b.means = b.out;
    if (flags & (OB_RED_CENTERED | OB_RED_SHIFTED)) {
        OB_TRY(ob_cl_scratch((size_t)p->kept.numel * accumulator_bytes(c), &means));
        row_sites *first = flags & OB_RED_CENTERED ? &center : &ops[OP_amax].own;
        p->raw = 1;
        st = pass(c, first, p, range, (buffers){ means, means, means });
        p->raw = 0;
        b.means = means;
    }
    if (st == OB_OK) st = pass(c, &c->base->own, p, range, b);
    ob_cl_scratch_free(means);
    return st;
}

static ob_status reduce(ob_frame *frame)
{
    const call c = call_of(frame->user, frame);
    const ob_dtype dtype = ob_tensor_dtype(c.x);
    const bool half = dtype == OB_F16 || dtype == OB_BF16;
    ob_reduce p = { .a = 0 };
    ob_cl_walk kept;
    OB_TRY(gone_walk(&c, &p.gone));
    if (ob_dtype_kind(dtype) == OB_KIND_FLOAT)
        p.a = ob_cl_element_bits(ob_double(c.a), half ? OB_F32 : dtype);
    kept_begin(&c, &kept);
    for (const ob_walk *w; (w = ob_cl_walk_next(&kept)) != NULL;) {
        p.kept = *w;
        OB_TRY(step_run(&c, &p));
    }
    return OB_OK;
}

ob_status ob_cl_reduce_register(ob_library *lib)
{
    ob_kernel_row rows[OPS] = { 0 };
    ob_dtypes served = OB_DTYPES_ALL & ~(OB_DTYPES(OB_C64) | OB_DTYPES(OB_F8E4M3));
    if (!ob_cl_device_get()->has_f64) served &= ~OB_DTYPES(OB_F64);
    for (int i = 0; i < OPS; i++) {
        rows[i].op = ob_op_name(ob_aten_op(ob_aten_primary(ops[i].aten))) + strlen("aten::");
        rows[i].kernel = (ob_kernel){ .fn = reduce, .user = &ops[i], .dtypes = served };
    }
    return ob_library_impl_all(lib, rows, OPS);
}
