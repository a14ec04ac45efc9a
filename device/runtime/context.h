/* The OpenCL device in use: one per process, picked when the package opens.
 *
 * OB_OPENCL_DEVICE=<platform>:<device> (numbers, as clinfo lists them) picks another than the first
 * usable one. Machines without a usable device are no error: there are then no devices. */
#ifndef OB_DEVICE_CONTEXT_H
#define OB_DEVICE_CONTEXT_H

#include <CL/cl.h>

#include "ob/backend.h"

enum { OB_CL_TEXT_BYTES = 256 };

/* Constant while the package is open. */
typedef struct ob_cl_device {
    bool usable; /* false: no device; nothing else is set */
    bool debug;  /* OB_OPENCL_DEBUG=1: guard words, NaN fill, an event per launch */
    bool has_f64;
    bool saves_binaries; /* built kernels go to the disk cache */
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    uint32_t units;         /* at least 1 */
    uint32_t vector_floats; /* floats of a native vector, at least 1 */
    size_t alignment;       /* bytes that a sub-buffer's origin is a multiple of */
    size_t group_limit;     /* work-items of a group */
    uint64_t memory_bytes, max_alloc_bytes;
    char name[OB_CL_TEXT_BYTES], vendor[OB_CL_TEXT_BYTES];
    char driver[2 * OB_CL_TEXT_BYTES]; /* platform and driver version */
} ob_cl_device;

/* The device [borrowed, until close]; only `usable` may be read when it is false. */
const ob_cl_device *ob_cl_device_get(void);

/* Pick and open. OB_ERR_NOT_FOUND when OB_OPENCL_DEVICE names none; OB_ERR_DEVICE. */
ob_status ob_cl_device_open(void) OB_MUST_USE;
void ob_cl_device_close(void);

/* OB_OK when there is a device and `index` is it; else OB_ERR_NOT_FOUND. */
ob_status ob_cl_device_expect(int32_t index) OB_MUST_USE;

#endif
