/* The debug allocator (OB_OPENCL_DEBUG=1): guard words around every buffer, and a fill that is NaN.
 *
 * A buffer is then a sub-buffer with a guard before and a guard behind it. A guard that has changed
 * becomes the device's fault, naming the buffer, where it was hit, and the last kernel that had it
 * as an argument. */
#ifndef OB_DEVICE_GUARD_H
#define OB_DEVICE_GUARD_H

#include "device/runtime/memory.h"

/* Make memory with guards for a new block. */
cl_int ob_cl_guard_create(ob_buffer *buffer);
/* A block is handed out: fill it and its guards, and watch it. Errors become the fault. */
void ob_cl_guard_begin(ob_buffer *buffer);
/* A block comes back: check it, and watch it no more. */
void ob_cl_guard_end(ob_buffer *buffer);
/* Check every block that is handed out. Nothing to do, and cheap, without debugging. */
void ob_cl_guard_check_all(void);

#endif
