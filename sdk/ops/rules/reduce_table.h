/* The reductions as data: what the rule and the executors know of an op beside its formula. */
#ifndef OB_OPS_RULES_REDUCE_TABLE_H
#define OB_OPS_RULES_REDUCE_TABLE_H

#include "ob/tensor.h"
#include "ops/pointwise_kinds.inc"
#include "ops/reduce_kinds.inc"

/* One number per op and form. */
enum {
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) OB_RED_##name,
#define OB_FORM(name, args, of)                                                OB_RED_##name,
#include "ops/reduce.inc"
#undef OB_REDUCE
#undef OB_FORM
    OB_RED_OPS
};

typedef struct ob_reduce_op {
    const char *args; /* letters, see reduce.inc */
    int of;           /* op with result, flags and formula: itself, or a form's */
    int aten;         /* row of the ATen table: the functional form */
    ob_red_result result;
    unsigned flags, kinds; /* ob_red_flags; bit n: ob_kind n */
} ob_reduce_op;

/* In a form, `result`, `flags` and `kinds` are those of .of's row only. */
extern const ob_reduce_op ob_reduce_ops[OB_RED_OPS];

/* A call read by the letters of its args. */
typedef struct ob_reduce_call {
    const ob_tensor *x;
    bool reduced[OB_MAX_RANK]; /* dims of x */
    bool keepdim;
    ob_dtype asked; /* OB_DTYPE_NONE: no dtype argument */
    double a;
} ob_reduce_call;

/* `name` is for messages. OB_ERR_ARG: a dim out of range or twice. */
ob_status ob_reduce_read(const char *name, const ob_reduce_op *op, const ob_value *args,
                         ob_reduce_call *out) OB_MUST_USE;

#endif
