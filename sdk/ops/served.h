/* Where a form that libob made takes its result from: for asking how an op is served. */
#ifndef OB_OPS_SERVED_H
#define OB_OPS_SERVED_H

#include "dispatch/optable.h"

/* The op that backends implement for `op`'s family: op itself for the primary; NULL when op is of
 * no structured family. */
ob_op *ob_structured_primary(const ob_op *op);
/* The op that a derived form calls; NULL when the kernel is none. */
ob_op *ob_derived_source(const ob_record *record);

#endif
