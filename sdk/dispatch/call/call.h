/* What calls share with the rest of the dispatcher. */
#ifndef OB_DISPATCH_CALL_H
#define OB_DISPATCH_CALL_H

#include "core/text.h"
#include "dispatch/table/optable.h"

/* Entry of a kernel that serves some dtypes only: declines when the first tensor argument has
 * another. frame->user is the record. */
ob_status ob_run_gated(ob_frame *frame);

/* OB_ERR_NO_KERNEL: `declined` declined, and nobody else can serve the call. */
ob_status ob_fail_declined(const ob_frame *frame, const ob_record *declined);

/* A record as inspect.h shows it. */
ob_entry ob_entry_of(const ob_record *record, uint8_t provenance);

/* Add "KEY: debug [provenance]" lines of an op's computed table, as PyTorch dumps it. Registration
 * lock held. */

void ob_dump_table(const ob_op *op, ob_text *out);

#endif
