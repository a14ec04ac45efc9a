/* Runs a pointwise row on the CPU: constants and dense float, double, int64 and complex64 operands
 * as they are, everything else through a block of the wide type. Reference for every device; one
 * thread. */
#include <float.h>
#include <string.h>

#include "cpu/pointwise/pointwise.h"
#include "cpu/walk/nest.h"
#include "dispatch/table/optable.h"
#include "ob/inspect.h"
#include "ops/batch.h"

typedef struct operand {
    const ob_tensor *tensor; /* NULL: a constant, which fills `block` */
    ob_wide_block block;
} operand;

typedef struct run {
    const char *op; /* for messages */
    ob_pw_row_fn row;
    ob_wide wide;
    ob_tensor *out;
    operand in[OB_PW_OPERANDS];
    ob_wide_block result;
    ob_pw_constants constants;
} run;

/* The dtype that the operands were cast to; a mask in x does not say. */
static ob_dtype compute_dtype(const run *r, ob_pw_result result)
{
    for (int i = result == OB_PW_MASK; i < OB_PW_OPERANDS; i++)
        if (r->in[i].tensor) return ob_tensor_dtype(r->in[i].tensor);
    return ob_tensor_dtype(r->out);
}

static double biggest(ob_dtype dtype)
{
    return dtype == OB_F64    ? DBL_MAX
           : dtype == OB_F16  ? 65504
           : dtype == OB_BF16 ? (double)0x1.fep127f
                              : (double)FLT_MAX;
}

static void fill(ob_wide wide, ob_wide_block *block, ob_dtype dtype, ob_scalar value)
{
    const size_t bytes = ob_wide_bytes(wide);
    ob_wide_scalar(wide, block, dtype, value);
    for (int i = 1; i < OB_BLOCK; i++)
        memcpy((char *)block + (size_t)i * bytes, block, bytes);
}

static void set_constants(run *r, const ob_pointwise_args *args, ob_dtype dtype)
{
    const size_t bytes = ob_wide_bytes(r->wide);
    char *params = (char *)&r->constants.params;
    for (int i = 0; i < OB_PW_PARAMS; i++) {
        ob_scalar value = { OB_SCALAR_NONE, { 0 } };
        if (args->param[i]) value = ob_pointwise_param(args->param[i]);
        if (value.tag != OB_SCALAR_NONE) r->constants.has |= (unsigned)OB_PW_HAS_A << i;
        ob_wide_scalar(r->wide, params + (size_t)i * bytes, dtype, value);
    }
    if (r->wide != OB_WIDE_INT)
        ob_wide_scalar(r->wide, params + OB_PW_PARAMS * bytes, dtype, ob_double(biggest(dtype)));
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_value *v = args->operand[i];
        if (!v || r->in[i].tensor) continue;
        fill(r->wide, &r->in[i].block, dtype, ob_value_as_scalar(v));
    }
}

/* Elements [from, from + n) of the run that the nest is at, dense and wide. */
static const void *operand_block(run *r, const ob_nest *nest, int i, int64_t from, int64_t n)
{
    const ob_tensor *t = r->in[i].tensor;
    if (!t) return &r->in[i].block;
    const ob_dtype dtype = ob_tensor_dtype(t);
    const int64_t stride = nest->strides[i + 1][0];
    const char *src = (const char *)ob_tensor_data(t) +
                      (nest->at[i + 1] + from * stride) * (int64_t)ob_dtype_bytes(dtype);
    if (stride == 1 && t != r->out && ob_wide_is_stored(r->wide, dtype) &&
        ob_tensor_storage(t) != ob_tensor_storage(r->out))
        return src;
    ob_wide_load(r->wide, &r->in[i].block, dtype, src, stride, n);
    return &r->in[i].block;
}

/* Refuse a zero in y, before anything is written. */
static ob_status refuse_zeros(run *r, const ob_nest *nest)
{
    ob_nest ahead = *nest;
    while (ob_nest_next(&ahead)) {
        for (int64_t from = 0; from < ahead.sizes[0]; from += OB_BLOCK) {
            const int64_t left = ahead.sizes[0] - from, n = left < OB_BLOCK ? left : OB_BLOCK;
            const int64_t *ys = operand_block(r, &ahead, 1, from, n);
            for (int64_t i = 0; i < n; i++)
                if (ys[i] == 0)
                    return OB_FAIL(OB_ERR_ARG, "%s: ZeroDivisionError: integer division by zero",
                                   r->op);
        }
    }
    return OB_OK;
}

static ob_status run_blocks(run *r, const ob_nest *nest)
{
    const ob_dtype dtype = ob_tensor_dtype(r->out);
    const int64_t stride = nest->strides[0][0];
    char *out = (char *)ob_tensor_data(r->out) + nest->at[0] * (int64_t)ob_dtype_bytes(dtype);
    const bool direct = stride == 1 && ob_wide_is_stored(r->wide, dtype);
    for (int64_t from = 0; from < nest->sizes[0]; from += OB_BLOCK) {
        const int64_t left = nest->sizes[0] - from, n = left < OB_BLOCK ? left : OB_BLOCK;
        const void *in[OB_PW_OPERANDS];
        char *dst = out + from * stride * (int64_t)ob_dtype_bytes(dtype);
        for (int i = 0; i < OB_PW_OPERANDS; i++)
            in[i] = operand_block(r, nest, i, from, n);
        r->row(n, direct ? (void *)dst : &r->result, in, &r->constants);
        if (!direct) ob_wide_store(dtype, dst, stride, r->wide, &r->result, n);
    }
    return OB_OK;
}

static ob_pw_row_fn row_for(int op, ob_dtype dtype)
{
    static const ob_pw_row_fn *const by_wide[] = { ob_pw_int_rows, ob_pw_float_rows,
                                                   ob_pw_double_rows, ob_pw_complex_rows };
    return dtype == OB_BOOL ? ob_pw_bool_rows[op] : by_wide[ob_wide_of(dtype)][op];
}

static ob_status pointwise(ob_frame *frame)
{
    const ob_pointwise_op *op = frame->user;
    const ob_pointwise_args args = ob_pointwise_sort_args(op->args, frame->args);
    run r;
    ob_nest nest;
    r.op = ob_op_name(frame->op);
    r.out = frame->results[0].u.tensor;
    r.constants.has = 0;
    ob_nest_begin(&nest, ob_tensor_sizes(r.out), ob_tensor_rank(r.out));
    ob_nest_add(&nest, r.out);
    for (int i = 0; i < OB_PW_OPERANDS; i++) {
        const ob_value *v = args.operand[i];
        r.in[i].tensor = v && v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
        if (i > 0 && v && v->tag != OB_VALUE_NONE) r.constants.has |= 1u << i;
        ob_nest_add(&nest, r.in[i].tensor);
    }
    ob_nest_prepare(&nest);
    const ob_dtype dtype = compute_dtype(&r, op->result);
    r.wide = ob_wide_of(dtype);
    r.row = row_for(op->of, dtype);
    if (!r.row) return OB_ERR_DECLINED;
    set_constants(&r, &args, dtype);
    if (op->flags & OB_PW_DIVIDES && r.wide == OB_WIDE_INT) OB_TRY(refuse_zeros(&r, &nest));
    while (ob_nest_next(&nest))
        OB_TRY(run_blocks(&r, &nest));
    return OB_OK;
}

static ob_status install(void)
{
    for (int i = 0; i < OB_PW_COUNT; i++) {
        const ob_pointwise_op *op = &ob_pointwise_ops[ob_pointwise_ops[i].of];
        const int primary = ob_aten_primary(ob_pointwise_ops[i].aten);
        const ob_dtypes halves = OB_DTYPES(OB_F16) | OB_DTYPES(OB_BF16);
        ob_batch_add(
            OB_KEY_CPU, ob_op_name(ob_aten_op(primary)),
            &(ob_kernel){ .fn = pointwise,
                          .user = (void *)(uintptr_t)op,
                          .dtypes = op->flags & OB_PW_STEPS ? OB_DTYPES_ALL & ~halves : 0 });
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
