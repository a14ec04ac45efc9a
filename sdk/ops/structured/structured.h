/* Structured ops: one shape rule and one raw kernel serve the functional, the in-place and the out
 * form of an op, and the rule alone is the Meta kernel. PyTorch: structured kernels and the code
 * generator's wrappers.
 *
 * A *family* is {functional, in-place, out} overloads of one op. Its *primary* is the form that
 * backends register for: the
 * `.out` overload where ATen is structured, else the functional one. A raw kernel reads its inputs
 * from frame->args in the order of the functional schema (the out form's trailing outs are not
 * looked at) and writes to frame->results, which hold tensors of the rule's sizes and dtype. It
 * never allocates outputs and never sees an unbroken alias:
 *   1. outs of the wrong size were resized, outs of another dtype (where the rule allows them) or
 * forbidden layout are temporaries copied back afterwards;
 *   2. inputs named by the rule's cast mask were cast to rule->compute; CPU 0-d tensors and wrapped
 * numbers became Scalars or device tensors; with OB_KERNEL_DENSE_ARGS inputs are row-major;
 *   3. an out that partly overlaps an input, or itself, was refused as PyTorch does.
 * The machinery is structured.c; families.c finds the siblings in the ATen table. */
#ifndef OB_OPS_STRUCTURED_H
#define OB_OPS_STRUCTURED_H

#include "ob/schema.h"
#include "ob/tensor.h"

enum { OB_RULE_OUTS = 6 };

/* One output as the rule wants it. */
typedef struct ob_out_spec {
    ob_dtype dtype;
    bool undefined;   /* this output is None/undefined */
    bool has_strides; /* else row-major */
    int rank;
    int64_t sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
} ob_out_spec;

/* In: op, args. Out: the rest. */
typedef struct ob_rule {
    const char *op;          /* for messages: "add" */
    const ob_schema *schema; /* of the functional form */
    const ob_value *args;    /* in its order */
    ob_dtype compute;        /* inputs of `cast` are converted to it; OB_DTYPE_NONE: none is */
    uint64_t cast;           /* bit i: argument i */
    bool strict_inplace;     /* an in-place self of another dtype than the result is refused */
    bool cast_outs;          /* an out= of another dtype is given the result cast; else refused */
    int n_outs;
    ob_out_spec outs[OB_RULE_OUTS];
} ob_rule;

/* Checks the arguments and fills in the outputs; errors name op, sizes and dtypes. Must not look at
 * values of tensors. */
typedef ob_status (*ob_rule_fn)(ob_rule *rule);

/* A row of a rules table: which family, by the functional form's name, e.g. { "add.Tensor",
 * ob_rule_pointwise }. */
typedef struct ob_structured_row {
    const char *functional; /* without aten:: */
    ob_rule_fn rule;
    uint32_t flags; /* OB_STRUCTURED_* */
} ob_structured_row;

enum {
    OB_STRUCTURED_ALIAS_OK = 1, /* an out may be exactly an input (in-place): pointwise ops */
    OB_STRUCTURED_SPREAD_OK = 2 /* elements of an out may share one place: all get one value */
};

/* Install the families of n rows: wrappers for backend kernels of the primary, siblings, Meta
 * kernels. */
ob_status ob_structured_install(const ob_structured_row *rows, size_t n) OB_MUST_USE;

/* Set an out spec to sizes and dtype. */
void ob_rule_out(ob_rule *rule, int i, ob_dtype dtype, const int64_t *sizes, int rank);

#endif
