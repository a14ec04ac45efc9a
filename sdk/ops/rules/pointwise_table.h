/* The pointwise table as data: what rules and executors know of an op beside its value. */
#ifndef OB_OPS_RULES_POINTWISE_TABLE_H
#define OB_OPS_RULES_POINTWISE_TABLE_H

#include "ob/tensor.h"

enum { OB_PW_OPERANDS = 3, OB_PW_PARAMS = 4 };

/* Which dtype is computed in and which is the result's: see pointwise.inc. */
typedef enum ob_pw_result {
    OB_PW_COMMON,
    OB_PW_FLOAT,
    OB_PW_BOOL,
    OB_PW_REAL,
    OB_PW_FLOAT_REAL,
    OB_PW_DIV_MODE,
    OB_PW_MASK
} ob_pw_result;

enum ob_pw_flags {
    OB_PW_DIVIDES = 1,    /* an int y of 0 is an error on the CPU */
    OB_PW_ALPHA = 2,      /* parameter a must be of the result's category or a lower one */
    OB_PW_SAME_DTYPE = 4, /* Tensor operands must be of one dtype; Scalars do not promote */
    OB_PW_NO_HALF = 8,    /* float16 and bfloat16 are refused */
    OB_PW_INT_POW = 16,   /* a negative int y is an error for ints */
    OB_PW_NO_BOOL = 32,   /* a bool operand is refused, whatever the other is */
    OB_PW_FITS = 64,      /* a Scalar operand must fit an int dtype, as parameters must */
    OB_PW_STEPS = 128     /* a step of T is none of float16 and bfloat16: left to a composite */
};

#include "ops/pointwise_kinds.inc"

/* One number per op and alias. */
enum {
#define OB_POINTWISE(name, args, result, flags, kinds, ...) OB_PW_##name,
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, of) OB_PW_##name,
#include "ops/pointwise.inc"
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS
    OB_PW_COUNT
};

typedef struct ob_pointwise_op {
    const char *args; /* letters, see pointwise.inc; NULL in an alias */
    ob_pw_result result;
    uint16_t flags; /* ob_pw_flags */
    int16_t of;     /* op that has args, result, flags and values: itself, or an alias' */
    int aten;       /* row of the ATen table: the functional form */
} ob_pointwise_op;

extern const ob_pointwise_op ob_pointwise_ops[OB_PW_COUNT];

/* Whether op `i`, not an alias, has a value for a kind. */
bool ob_pointwise_has_kind(int i, ob_kind kind);

/* Which arguments of a call are what. */
typedef struct ob_pointwise_args {
    const ob_value *operand[OB_PW_OPERANDS]; /* NULL: the op has none; tag NONE: absent */
    const ob_value *param[OB_PW_PARAMS];
    int position[OB_PW_OPERANDS]; /* of the operand in the schema */
} ob_pointwise_args;

ob_pointwise_args ob_pointwise_sort_args(const char *letters, const ob_value *args);

/* A parameter as a number: bools and names of modes are 0, 1, 2; OB_SCALAR_NONE when absent or
 * unknown. */
ob_scalar ob_pointwise_param(const ob_value *v);

#endif
