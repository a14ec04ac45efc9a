/* The kernel that a backend has registered for an op itself, with no composite or fallback in its
 * place. Called within calls, so that the table it looks at stays alive. */
#ifndef OB_OPS_NATIVE_H
#define OB_OPS_NATIVE_H

#include "dispatch/table/optable.h"

/* The kernel of `op` for exactly the dense key of `backend` [borrowed, until the call ends]; NULL
 * when there is none. */
static inline const ob_kernel *ob_native_kernel(ob_op *op, ob_backend backend)
{
    const ob_table *table;
    if (ob_op_table(op, &table) != OB_OK) return NULL;
    const int slot = ob_key_slot(ob_key_of(OB_KEY_Dense, backend));
    if (table->provenance[slot] != OB_PROVENANCE_DIRECT) return NULL;
    return &table->slots[slot]->kernel;
}

#endif
