/* Registers the rows of native.inc. */
#include "device/native.h"

/* Sets of dtypes that rows name. */
#define ALL     OB_DTYPES_ALL
#define NUMBERS (OB_DTYPES_ALL & ~(OB_DTYPES(OB_BOOL) | OB_DTYPES(OB_F8E4M3)))

static const ob_kernel_row rows[] = {
#define OB_NATIVE(op_, function, flags_, dtypes_) \
    { .op = op_, .kernel = { .fn = function, .flags = flags_, .dtypes = dtypes_ } },
#include "device/native.inc"
#undef OB_NATIVE
};

ob_status ob_native_register(ob_library *lib)
{
    return ob_library_impl_all(lib, rows, sizeof rows / sizeof rows[0]);
}
