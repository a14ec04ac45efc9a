/* Where a form that libob made takes its result from: for asking how an op is served. */
#ifndef OB_OPS_SERVED_H
#define OB_OPS_SERVED_H

#include "dispatch/table/optable.h"
#include "ops/structured/families.h"

/* The structured family that `op` is a form of [process]; NULL when it is of none. */
const ob_family *ob_structured_family(const ob_op *op);

/* The op that a derived form calls; NULL when the kernel is none. */
ob_op *ob_derived_source(const ob_record *record);
/* Whether a formula serves `op` for backends that have no kernel: its own, or that of a form it is
 * derived from. Within calls, as it looks at the live table. */
bool ob_has_composite(ob_op *op);
/* Call the functional form `source` with the frame's arguments and write its results over the
 * tensors that begin at argument `first`: outs, which may be resized, or self of an in-place form.
 * All are checked before one is written. */
ob_status ob_derived_write(ob_frame *frame, const ob_op *source, uint32_t first,
                           bool resize) OB_MUST_USE;

#endif
