/* View ops: metadata only, one kernel for all backends. A row of views.inc names the function that
 * turns self's window into the view's; views.c makes the view op, its in-place form and its _copy
 * form from it. PyTorch: aten/src/ATen/native/TensorShape.cpp. */
#ifndef OB_OPS_VIEWS_VIEW_H
#define OB_OPS_VIEWS_VIEW_H

#include "ob/dispatch.h"

/* Sizes, strides and offset, in elements, of a tensor or of a view being made. */
typedef struct ob_window {
    int rank;
    int64_t offset;
    int64_t sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
} ob_window;

/* Turn the window of args[0] into the view's. `op` is its name for messages: "select". */
typedef ob_status (*ob_view_fn)(const char *op, const ob_value *args, ob_window *window);

/* One per row of views.inc, by C name of the op. */
#define OB_VIEW(c_name, fn) ob_status fn(const char *op, const ob_value *args, ob_window *window);
#include "ops/views/views.inc"
#undef OB_VIEW

/* The window of a tensor. */
void ob_window_of(const ob_tensor *t, ob_window *window);
/* A view of `self` [owned]. */
ob_status ob_window_view(ob_tensor *self, const ob_window *window, ob_tensor **out) OB_MUST_USE;
/* Take dim `dim` (in range) out. */
void ob_window_remove(ob_window *window, int dim);
/* Put a dim in before `dim`. OB_ERR_ARG when the rank would pass OB_MAX_RANK. */
ob_status ob_window_insert(const char *op, ob_window *window, int dim, int64_t size,
                           int64_t stride) OB_MUST_USE;

/* stride * step; where that overflows, at most one element is left and any stride will do. */
int64_t ob_stride_times(int64_t stride, int64_t step);

#endif
