/* Registers the rows of native.inc, and what tables of sdk/ops bring with them. */
#include "device/native.h"

/* Sets of dtypes that rows name. */
#define ALL     OB_DTYPES_ALL
#define NUMBERS (OB_DTYPES_ALL & ~(OB_DTYPES(OB_BOOL) | OB_DTYPES(OB_F8E4M3)))
#define REALS   (NUMBERS & ~OB_DTYPES(OB_C64))
#define FLOATS  (OB_DTYPES(OB_F16) | OB_DTYPES(OB_BF16) | OB_DTYPES(OB_F32) | OB_DTYPES(OB_F64))
#define ORDERED (REALS | OB_DTYPES(OB_BOOL))
/* Flags of kernels that walk rows and planes. */
#define DENSE (OB_KERNEL_DENSE_ARGS | OB_KERNEL_DENSE_OUTS)

/* The kernel function behind a row, for frame->user. */
typedef struct native {
    ob_kernel_fn fn;
} native;

/* Runs a kernel that wants its results made; declines for a host whose op has no shape rule. */
static ob_status with_results(ob_frame *frame)
{
    const native *n = frame->user;
    for (uint32_t i = 0; i < frame->n_results; i++)
        if (frame->results[i].tag == OB_VALUE_ABSENT) return OB_ERR_DECLINED;
    return n->fn(frame);
}

#define OB_NATIVE(op_, function, flags_, dtypes_) \
    { .op = op_,                                  \
      .kernel = { .fn = with_results,             \
                  .user = &(native){ function },  \
                  .flags = flags_,                \
                  .dtypes = dtypes_ } },
#define OB_NATIVE_PLAIN(op_, function, dtypes_) \
    { .op = op_, .kernel = { .fn = function, .dtypes = dtypes_ } },

static const ob_kernel_row rows[] = {
#include "device/native.inc"
};
#undef OB_NATIVE
#undef OB_NATIVE_PLAIN

ob_status ob_native_register(ob_library *lib)
{
    OB_TRY(ob_library_impl_all(lib, rows, sizeof rows / sizeof rows[0]));
    OB_TRY(ob_cl_pointwise_register(lib));
    return ob_cl_reduce_register(lib);
}
