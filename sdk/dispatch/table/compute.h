/* Which kernel a slot of an op's table gets. */
#ifndef OB_DISPATCH_COMPUTE_H
#define OB_DISPATCH_COMPUTE_H

#include "dispatch/table/optable.h"

/* An op's registrations, laid out for computing. */
typedef struct ob_inputs {
    const ob_record *newest[OB_KEY_LIMIT]; /* by key; NULL where nothing is registered */
    bool any_other,
        any_nested; /* a direct kernel of a key below AutogradOther / of NestedTensor* */
} ob_inputs;

/* Collect the registrations of `op`. Registration lock held. */
void ob_inputs_collect(const ob_op *op, ob_inputs *out);

/* The record of a slot, never NULL (see ob_missing, ob_ambiguous), and how it came about.
 * Registration lock held. */
const ob_record *ob_compute_slot(const ob_inputs *in, int slot, ob_provenance *provenance);

/* Fill a table's slots, provenances, masks, alternatives and fallbacks. Registration lock held. */
void ob_compute_table(const ob_inputs *in, ob_table *table);

/* What slots hold when no kernel serves them: records whose entry fails with the right words. */
extern const ob_record ob_missing, ob_ambiguous, ob_not_defined;
/* Entry of a fallthrough record, which is never meant to run. */
ob_status ob_run_fallthrough(ob_frame *frame);

#endif
