/* The headers as a vendor's C++ sees them: nothing that -Wpedantic refuses. Compiled, never run. */
#include "ob/backend.h"
#include "ob/ob.h"
#include "ob/ops.h"

extern ob_status take(ob_device device, ob_ints sizes, ob_opt_ints dims, ob_tensors list,
                      ob_opt_int i, ob_opt_double d, ob_opt_bool b);
extern ob_status use(ob_tensor *x, int64_t n);

ob_status use(ob_tensor *x, int64_t n)
{
    return take(OB_DEVICE_CPU, OB_INTS(2, n), OB_SOME_INTS(0), OB_TENSORS(x, x), OB_SOME_INT(1),
                OB_SOME_DOUBLE(2), OB_SOME_BOOL(true));
}
