/* Complaints of kernels about values that only they see, such as an index out of range.
 *
 * A kernel that may complain gets the place for it (ob_watch) as an argument; the next synchronize
 * or read looks there and raises what it finds. */
#ifndef OB_DEVICE_WATCH_H
#define OB_DEVICE_WATCH_H

#include "ob/backend.h"

/* The place, to pass to a kernel at once [borrowed, until the next look]. */
ob_status ob_cl_watch_get(ob_buffer **out) OB_MUST_USE;
/* The number by which a kernel names its op: `op` is a literal. */
int64_t ob_cl_watch_name(const char *op);

#endif
