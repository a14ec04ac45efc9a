/* Functions on symbolic scalars in a graph: Python's operators, torch.sym_*, math.trunc. A closed
 * list. */
#ifndef OB_PROGRAM_SCALAR_OPS_H
#define OB_PROGRAM_SCALAR_OPS_H

#include "ob/value.h"

typedef struct ob_scalar_op {
    const char *target; /* "_operator.add" */
    int n_args;
    ob_status (*call)(const ob_scalar *args, ob_scalar *out);
} ob_scalar_op;

/* NULL for a target that is not on the list. */
const ob_scalar_op *ob_scalar_op_find(const char *target);

#endif
