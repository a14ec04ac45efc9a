/* Reading windows: see window.h. */
#include "device/ops/nn/window.h"

enum { DIMS = 3 };

void ob_cl_window_list(const ob_value *list, int spatial, int64_t rest, ob_i64 *out)
{
    for (int d = 0; d < DIMS; d++) {
        const int at = d - (DIMS - spatial);
        out[d] = at < 0 ? rest : list->u.ints[list->count == 1 ? 0 : at];
    }
}

void ob_cl_window_extents(const ob_tensor *t, int spatial, ob_i64 *out)
{
    for (int d = 0; d < DIMS; d++)
        out[d] = d < DIMS - spatial ? 1 : ob_tensor_size(t, d - DIMS);
}
