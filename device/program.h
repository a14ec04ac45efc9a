/* OpenCL programs and kernels: named in static tables, built on first use, found by index
 * afterwards.
 *
 * A program is a list of embedded files (kernels/, see embed.cmake), built for one kernel of one
 * dtype at a time: what a model does not launch costs it nothing, and a binary in the disk cache
 * is loaded without a compiler. In front of the files goes, in this order: `#define OB_<ID>
 * <number>` for every dtype (OB_F32 ...), `#define OB_DTYPE <number>` of the dtype it is built
 * for, `#define OB_WANT_<kernel> 1`, ob_layout.h, and the program's own `defines`. The first file
 * is usually "prelude.cl", which makes the types and accessors out of OB_DTYPE, and leaves out the
 * kernels that are not wanted.
 *
 *     static const ob_cl_program pointwise = { "pointwise", { "prelude.cl", "pointwise.cl" } };
 *     static ob_cl_site add_dense = OB_CL_SITE(&pointwise, "add_dense");
 *     ...
 *     ob_cl_kernel *k;
 *     OB_TRY(ob_cl_kernel_get(&add_dense, OB_F32, &k));
 *     return OB_LAUNCH(k, ob_cl_range_chunks(n, 4096), BUF(out), BUF(a), BUF(b), VAL(layout));
 *
 * The text is not tied to a C file name: change a .cl under OB_KERNEL_DIR and run again. */
#ifndef OB_DEVICE_PROGRAM_H
#define OB_DEVICE_PROGRAM_H

#include <stdatomic.h>

#include "ob/dtype.h"

enum {
    OB_CL_PROGRAM_FILES = 10,
    OB_CL_DTYPE_SLOTS =
        25 /* one above the highest ScalarType number in use: index of a site's kernels */
};

/* What a program is made of. Static; strings are literals. */
typedef struct ob_cl_program {
    const char *name;                       /* "pointwise": for messages */
    const char *files[OB_CL_PROGRAM_FILES]; /* embedded files in order, NULL past the last */
    const char *defines;                    /* OpenCL C put in front of the files; may be NULL */
    const char *options;                    /* more options of clBuildProgram; may be NULL */
} ob_cl_program;

/* A built kernel; opaque, lives until the package is closed. */
typedef struct ob_cl_kernel ob_cl_kernel;

/* A place that launches a kernel, with what it has found per dtype so far. Static, one per kernel
 * name. */
typedef struct ob_cl_site {
    const ob_cl_program *program;
    const char *kernel; /* its name, the same for every dtype */
    _Atomic(ob_cl_kernel *) found[OB_CL_DTYPE_SLOTS];
    struct ob_cl_site *next; /* sites that have found something, for forgetting at close */
} ob_cl_site;

#define OB_CL_SITE(program_, kernel_)              \
    {                                              \
        .program = (program_), .kernel = (kernel_) \
    }

/* Find or build: the slow way of ob_cl_kernel_get(). */
ob_status ob_cl_kernel_find(ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out) OB_MUST_USE;

/* The site's kernel for a dtype [borrowed, until close]. OB_ERR_DEVICE when the program does not
 * build (the message has the build log) or has no such kernel; other kernels are not touched by
 * that. Any thread. */
static inline ob_status ob_cl_kernel_get(ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out)
{
    *out = atomic_load_explicit(&site->found[dtype], memory_order_acquire);
    return *out ? OB_OK : ob_cl_kernel_find(site, dtype, out);
}

/* The kernel's name [borrowed]. */
const char *ob_cl_kernel_name(const ob_cl_kernel *kernel);

#endif
