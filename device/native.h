/* The table of ops that have a kernel here: native.inc, as code. */
#ifndef OB_DEVICE_NATIVE_H
#define OB_DEVICE_NATIVE_H

#include "ob/library.h"

/* Register every row of native.inc: all or none. */
ob_status ob_native_register(ob_library *lib) OB_MUST_USE;

/* Register every op of sdk/ops/pointwise.inc (device/ops/pointwise.c). */
ob_status ob_cl_pointwise_register(ob_library *lib) OB_MUST_USE;
/* Register every op of sdk/ops/reduce.inc (device/ops/reduce.c). */
ob_status ob_cl_reduce_register(ob_library *lib) OB_MUST_USE;

/* Kernel functions of device/ops: see ob_kernel_fn. */
#define OB_NATIVE(op, function, flags, dtypes) ob_status function(ob_frame *frame);
#define OB_NATIVE_PLAIN(op, function, dtypes)  ob_status function(ob_frame *frame);
#include "device/native.inc"
#undef OB_NATIVE
#undef OB_NATIVE_PLAIN

#endif
