/* Copies and fills for other ops: moving elements is all that cat, pad and flip do. */
#ifndef OB_DEVICE_COPY_H
#define OB_DEVICE_COPY_H

#include "device/walk.h"

/* Over a walk whose operand 0 lies in dst and operand 1 in src: dst = src, converted. */
ob_status ob_cl_copy_walk(ob_tensor *dst, const ob_tensor *src, ob_cl_walk *walk) OB_MUST_USE;
/* Every element = the low bytes of `bits` (see element.h). */
ob_status ob_cl_fill(ob_tensor *t, int64_t bits) OB_MUST_USE;

/* The integer dtype that moves elements of a width unread. */
ob_dtype ob_cl_mover_of(ob_dtype dtype);

#endif
