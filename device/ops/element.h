/* Small things that kernels of device/ops share: single elements on the host, and results of
 * in-place ops. */
#ifndef OB_DEVICE_ELEMENT_H
#define OB_DEVICE_ELEMENT_H

#include "ob/dispatch.h"

/* The scalar converted to a dtype, as its bytes lie in memory, in the low bytes of the result; the
 * rest is 0. */
int64_t ob_cl_element_bits(ob_scalar s, ob_dtype dtype);
/* An element's bytes (low bytes of `bits`) as the Scalar that Tensor.item() gives. */
ob_scalar ob_cl_element_value(int64_t bits, ob_dtype dtype);

/* Store `self` (args[0]) as the result, retained, unless results[0] holds it already. */
ob_status ob_cl_return_self(ob_frame *frame);

#endif
