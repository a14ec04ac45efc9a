/* Launches the rows of sdk/ops/pointwise.inc: kernel pw_<op> of the program of the dtype they
 * compute in. Numbers travel as bits in ob_pointwise, never as buffers. Kernels:
 * kernels/pointwise.cl. */
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "device/launch.h"
#include "device/native.h"
#include "device/ops/element.h"
#include "device/runtime/context.h"
#include "device/walk.h"
#include "ob/inspect.h"
#include "ob/ops.h"
#include "sdk/ops/pointwise_kinds.inc"

enum { POINTWISE_CHUNK = 16384 }; /* elements that are worth a work-item */
enum { OPERANDS = 3, PARAMS = 4 };

/* Names of results in the table: only a mask matters here, the kernel knows the rest. */
enum {
    OB_PW_COMMON,
    OB_PW_FLOAT,
    OB_PW_BOOL,
    OB_PW_REAL,
    OB_PW_FLOAT_REAL,
    OB_PW_DIV_MODE,
    OB_PW_MASK
};

/* Flags of rows: only these matter here. */
enum {
    OB_PW_DIVIDES = 1, /* an int y of 0 is an error */
    OB_PW_ALPHA = 0,
    OB_PW_SAME_DTYPE = 0,
    OB_PW_NO_HALF = 0,
    OB_PW_INT_POW = 0,
    OB_PW_NO_BOOL = 0,
    OB_PW_FITS = 0,
    OB_PW_STEPS = 128 /* halves are not for the kernel */
};

enum {
#define OB_POINTWISE(name, args, result, flags, kinds, ...) OP_##name,
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, of) OP_##name,
#include "sdk/ops/pointwise.inc"
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS
    OPS
};

/* By the number of operands: an argument that nobody reads costs PoCL two allocations a launch. */
#define PROGRAM(operands)                                                                          \
    {                                                                                              \
        "pointwise", { "prelude.cl",   "pointwise_kinds.inc", "pointwise_ops.cl", "pointwise.inc", \
                       "math.cl",      "math_float.inc",      "math_int.inc",     "complex.cl",    \
                       "pointwise.cl", "pointwise.inc" },                                          \
            "#define OB_OPERANDS " #operands "\n", NULL                                            \
    }
static const ob_cl_program programs[OPERANDS] = { PROGRAM(1), PROGRAM(2), PROGRAM(3) };

/* An op or an alias; an alias has neither args nor site. */
static struct pointwise_op {
    const char *args;
    bool masked, divides, steps;
    int operands;
    int of, aten; /* the op with the kernel; row of the ATen table */
    ob_cl_site site;
} ops[OPS] = {
#define OB_POINTWISE(name, args, result, flags, kinds, ...) \
    [OP_##name] = { #args,                                  \
                    (int)(result) == OB_PW_MASK,            \
                    ((flags)&OB_PW_DIVIDES) != 0,           \
                    ((flags)&OB_PW_STEPS) != 0,             \
                    OB_OPERANDS_##args,                     \
                    OP_##name,                              \
                    OB_OP_##name,                           \
                    OB_CL_SITE(&programs[OB_OPERANDS_##args - 1], "pw_" #name) },
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, base) [OP_##name] = { .of = OP_##base, .aten = OB_OP_##name },
#include "sdk/ops/pointwise.inc"
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS
};

typedef struct call {
    ob_tensor *out, *in[OPERANDS]; /* NULL: a number, absent, or the op has no such operand */
    const ob_value *operand[OPERANDS], *param[PARAMS];
} call;

static call call_of(const struct pointwise_op *op, const ob_frame *frame)
{
    call c = { .out = frame->results[0].u.tensor };
    for (int i = 0; op->args[i]; i++) {
        const ob_value *v = &frame->args[i];
        if (op->args[i] < 'x') {
            c.param[op->args[i] - 'a'] = v;
            continue;
        }
        const int k = op->args[i] - 'x';
        c.operand[k] = v;
        if (v->tag == OB_VALUE_TENSOR) c.in[k] = v->u.tensor;
    }
    return c;
}

/* Names of modes are numbers in the rows. */
static ob_scalar param_of(const ob_value *v)
{
    if (v->tag != OB_VALUE_STRING) return ob_value_as_scalar(v);
    const bool one = strcmp(v->u.string, "tanh") == 0 || strcmp(v->u.string, "trunc") == 0;
    return ob_int(one ? 1 : strcmp(v->u.string, "floor") == 0 ? 2 : 0);
}

/* A number as the kernel's compute type holds it: float for the 16-bit ones. */
static int64_t bits_of(ob_scalar s, ob_dtype dtype)
{
    const bool half = dtype == OB_F16 || dtype == OB_BF16;
    if (s.tag == OB_SCALAR_NONE) return 0;
    return ob_cl_element_bits(s, half ? OB_F32 : dtype);
}

static double biggest(ob_dtype dtype)
{
    return dtype == OB_F64    ? DBL_MAX
           : dtype == OB_F16  ? 65504
           : dtype == OB_BF16 ? (double)0x1.fep127f
                              : (double)FLT_MAX;
}

static ob_dtype compute_dtype(const struct pointwise_op *op, const call *c)
{
    for (int k = op->masked; k < OPERANDS; k++)
        if (c->in[k]) return ob_tensor_dtype(c->in[k]);
    return ob_tensor_dtype(c->out);
}

static void fill_numbers(const call *c, ob_dtype dtype, ob_pointwise *p)
{
    for (int i = 0; i < PARAMS; i++) {
        const ob_scalar s =
            c->param[i] ? param_of(c->param[i]) : (ob_scalar){ OB_SCALAR_NONE, { 0 } };
        p->param[i] = bits_of(s, dtype);
        if (c->param[i] && c->param[i]->tag != OB_VALUE_NONE) p->has |= 8 << i;
    }
    for (int k = 0; k < OPERANDS; k++) {
        const ob_value *v = c->operand[k];
        if (v && v->tag != OB_VALUE_NONE) p->has |= 1 << k;
        if (c->in[k]) continue;
        p->fixed |= 1 << k;
        if (v) p->operand[k] = bits_of(ob_value_as_scalar(v), dtype);
    }
    if (ob_dtype_kind(dtype) == OB_KIND_FLOAT) p->big = bits_of(ob_double(biggest(dtype)), dtype);
}

/* Refuse integers divided by zero, before anything is written: y is looked at first. */
static ob_status refuse_zeros(const ob_frame *frame, const call *c)
{
    bool zero = c->operand[1] && ob_scalar_double(ob_value_as_scalar(c->operand[1])) == 0;
    if (c->in[1]) {
        ob_scope *s = ob_scope_open();
        zero = ob_scalar_int(ob_item(s, ob_all(s, c->in[1]))) == 0;
        OB_TRY(ob_scope_close(s, NULL, NULL));
    }
    return zero ? OB_FAIL(OB_ERR_ARG, "%s: ZeroDivisionError: integer division by zero",
                          ob_op_name(frame->op))
                : OB_OK;
}

static ob_status pointwise(ob_frame *frame)
{
    struct pointwise_op *op = frame->user;
    const call c = call_of(op, frame);
    const ob_dtype dtype = compute_dtype(op, &c);
    const int64_t still[OB_MAX_RANK] = { 0 };
    ob_cl_arg args[1 + OPERANDS + 1] = { BUF(c.out) };
    ob_pointwise p = { .has = 0 };
    ob_cl_kernel *k;
    ob_cl_walk walk;
    if (ob_tensor_numel(c.out) == 0) return OB_OK;
    if (op->divides && ob_dtype_kind(dtype) == OB_KIND_INT) OB_TRY(refuse_zeros(frame, &c));
    OB_TRY(ob_cl_kernel_get(&op->site, dtype, &k));
    fill_numbers(&c, dtype, &p);
    ob_cl_walk_begin(&walk, ob_tensor_sizes(c.out), ob_tensor_rank(c.out));
    ob_cl_walk_add(&walk, c.out);
    for (int i = 0; i < op->operands; i++) {
        args[1 + i] = BUF(c.in[i] ? c.in[i] : c.out); /* a constant's is not read */
        if (c.in[i])
            ob_cl_walk_add(&walk, c.in[i]);
        else
            ob_cl_walk_add_strided(&walk, still, 0);
    }
    args[1 + op->operands] = VAL(p);
    for (const ob_walk *w; (w = ob_cl_walk_next(&walk)) != NULL;) {
        p.walk = *w;
        OB_TRY(ob_cl_launch(k, ob_cl_range_chunks(w->numel, POINTWISE_CHUNK), args,
                            (uint32_t)op->operands + 2));
    }
    return OB_OK;
}

ob_status ob_cl_pointwise_register(ob_library *lib)
{
    ob_kernel_row rows[OPS] = { 0 };
    ob_dtypes served = OB_DTYPES_ALL & ~OB_DTYPES(OB_F8E4M3);
    if (!ob_cl_device_get()->has_f64) served &= ~OB_DTYPES(OB_F64);
    for (int i = 0; i < OPS; i++) {
        rows[i].op = ob_op_name(ob_aten_op(ob_aten_primary(ops[i].aten))) + strlen("aten::");
        struct pointwise_op *op = &ops[ops[i].of];
        const ob_dtypes halves = OB_DTYPES(OB_F16) | OB_DTYPES(OB_BF16);
        rows[i].kernel = (ob_kernel){ .fn = pointwise,
                                      .user = op,
                                      .dtypes = op->steps ? served & ~halves : served };
    }
    return ob_library_impl_all(lib, rows, OPS);
}
