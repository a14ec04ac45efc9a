/* Launching kernels: the only way to set arguments and to enqueue.
 *
 *     OB_TRY(OB_LAUNCH(k, ob_cl_range_1d(n), BUF(out), BUF(x), VAL(layout), LOCAL(1024)));
 *
 * Arguments stand in the order of the kernel's parameters; their number is compared with the
 * kernel's, sizes are checked by OpenCL. The launch goes to the calling thread's current stream;
 * what was launched before it there is done before it runs. A range with a zero extent launches
 * nothing. An error that shows only later is reported by the next synchronize or read, with the
 * name of the launch. */
#ifndef OB_DEVICE_LAUNCH_H
#define OB_DEVICE_LAUNCH_H

#include "device/program.h"
#include "ob/tensor.h"

/* One argument: what clSetKernelArg gets. Made by BUF, MEM, VAL, LOCAL only. */
typedef struct ob_cl_arg {
    size_t bytes;
    const void *address; /* NULL: local memory */
    ob_buffer *buffer;   /* NULL: not a buffer */
    bool by_value;
} ob_cl_arg;

/* How many work-items, and in which groups. */
typedef struct ob_cl_range {
    uint32_t dims;    /* 1 to 3 */
    uint32_t grouped; /* 0: OpenCL chooses the groups */
    size_t global[3]; /* multiples of local when grouped */
    size_t local[3];
} ob_cl_range;

/* A tensor's buffer: one parameter, `global OB_S *`. Its offset travels in a layout or as
 * VAL(offset). A tensor without memory (zero bytes) passes NULL. */
#define BUF(tensor) ob_cl_arg_buffer(ob_tensor_buffer(tensor))
/* A buffer itself, for instance scratch memory. */
#define MEM(buffer) ob_cl_arg_buffer(buffer)
/* A variable (an lvalue), passed by value. */
#define VAL(variable) ((ob_cl_arg){ sizeof(variable), &(variable), NULL, true })
/* Local memory of so many bytes. */
#define LOCAL(n_bytes) ((ob_cl_arg){ (n_bytes), NULL, NULL, false })

#define OB_LAUNCH(kernel, range, ...)                             \
    ob_cl_launch((kernel), (range), (ob_cl_arg[]){ __VA_ARGS__ }, \
                 (uint32_t)(sizeof((ob_cl_arg[]){ __VA_ARGS__ }) / sizeof(ob_cl_arg)))

ob_cl_arg ob_cl_arg_buffer(ob_buffer *buffer);

/* Use OB_LAUNCH, unless the number of arguments is known at run time only. OB_ERR_MISMATCH (number
 * or size of arguments), OB_ERR_DEVICE, OB_ERR_OOM. */
ob_status ob_cl_launch(ob_cl_kernel *kernel, ob_cl_range range, const ob_cl_arg *args,
                       uint32_t n_args) OB_MUST_USE;

/* At least n work-items in groups of 64; the kernel checks the bound. A launch with another local
 * size costs a compilation on some devices, so these are the only group shapes there are. */
ob_cl_range ob_cl_range_1d(int64_t n);
/* At least x (in groups of 64) by exactly y (by z) work-items. */
ob_cl_range ob_cl_range_2d(int64_t x, int64_t y);
ob_cl_range ob_cl_range_3d(int64_t x, int64_t y, int64_t z);
/* Groups of one work-item, each to do a chunk of n elements: as many as the device can use, but no
 * chunk smaller than `least` elements (except the only one). The kernel takes its share by
 * get_global_id(0), get_global_size(0); it has reqd_work_group_size(1, 1, 1). */
ob_cl_range ob_cl_range_chunks(int64_t n, int64_t least);
/* Groups of one work-item over a grid: for kernels whose item is a tile. */
ob_cl_range ob_cl_range_items(int64_t x, int64_t y, int64_t z);
/* ceil(n / tile_x) x ceil(m / tile_y) groups of one item. */
ob_cl_range ob_cl_range_tiles(int64_t n, int64_t m, int64_t tile_x, int64_t tile_y);

/* Compute units of the device, at least 1. */
uint32_t ob_cl_units(void);
/* Floats of a native vector, at least 1. */
uint32_t ob_cl_vector_floats(void);

/* Device memory for the length of a few launches: bytes >= 1; give it back with
 * ob_cl_scratch_free(), also before the launches that use it have run. */
ob_status ob_cl_scratch(size_t bytes, ob_buffer **out) OB_MUST_USE;
void ob_cl_scratch_free(ob_buffer *buffer); /* NULL is fine */

/* Have `check` called by the next synchronize or read, after the work queued so far: for kernels
 * that can find an argument wrong only while they run. What it fails with is raised there. */
void ob_cl_check_later(ob_status (*check)(void));

/* Copy bytes within the device, on the current stream. */
ob_status ob_cl_copy(ob_buffer *dst, size_t dst_offset, ob_buffer *src, size_t src_offset,
                     size_t bytes) OB_MUST_USE;
/* Read bytes to the host after all work queued so far on the current stream. */
ob_status ob_cl_read(ob_buffer *src, size_t offset, void *host, size_t bytes) OB_MUST_USE;
/* Write bytes from the host. */
ob_status ob_cl_write(ob_buffer *dst, size_t offset, const void *host, size_t bytes) OB_MUST_USE;

#endif
