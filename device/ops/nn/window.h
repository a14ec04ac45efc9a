/* Arguments of pooling and convolution as an ob_window: shapes are the rule's business and known to
 * be right. */
#ifndef OB_DEVICE_WINDOW_H
#define OB_DEVICE_WINDOW_H

#include "kernels/ob_layout.h"
#include "ob/dispatch.h"

/* Copy a list of one number, or of one for each of `spatial` dims, to the end of `out`; the others
 * become `rest`. */
void ob_cl_window_list(const ob_value *list, int spatial, int64_t rest, ob_i64 *out);
/* Copy the last `spatial` extents of a tensor to the end of `out`; the others become 1. */
void ob_cl_window_extents(const ob_tensor *t, int spatial, ob_i64 *out);

#endif
