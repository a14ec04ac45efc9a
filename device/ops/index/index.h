/* Picking and placing elements by indices: what index.c and scatter.c share. */
#ifndef OB_DEVICE_INDEX_H
#define OB_DEVICE_INDEX_H

#include "device/launch.h"
#include "kernels/ob_layout.h"

/* prelude.cl and index.cl */
extern const ob_cl_program ob_cl_index_program;

/* A call of kernels pick, place or accumulate (see ob_picks): a shape to walk and its operands. All
 * tensors are borrowed. Strides have one entry per dim of the shape. */
typedef struct ob_cl_picks {
    int rank;
    int64_t sizes[OB_MAX_RANK];
    const ob_tensor *written, *read; /* read: NULL with a value */
    int64_t written_strides[OB_MAX_RANK], read_strides[OB_MAX_RANK];
    const ob_tensor *index[OB_PICKS];
    int64_t index_strides[OB_PICKS][OB_MAX_RANK];
    ob_picks p; /* all but the walk */
} ob_cl_picks;

/* Begin with the name that errors carry: a literal. Negative indices count from the end, when
 * `wraps`. */
void ob_cl_picks_begin(ob_cl_picks *c, const char *op, bool wraps);
/* Set the shape. */
void ob_cl_picks_shape(ob_cl_picks *c, const int64_t *sizes, int rank);
/* Strides of `t` within the shape, to which it broadcasts. */
void ob_cl_picks_strides(const ob_cl_picks *c, const ob_tensor *t, int64_t *strides);
/* Add an index, which picks along dim `dim` of `self`; its strides are still 0. Returns them. */
int64_t *ob_cl_picks_add(ob_cl_picks *c, const ob_tensor *index, const ob_tensor *self, int dim);
/* Shape, indices and strides of x[i, :, j]; `self_strides` gets those of self along the dims that
 * no index takes. OB_ERR_DECLINED with more than OB_PICKS indices. */
ob_status ob_cl_picks_of_list(ob_cl_picks *c, const ob_tensor *self, const ob_value *indices,
                              int64_t *self_strides) OB_MUST_USE;
/* Launch; with `serial` in one work-item, in no certain order. */
ob_status ob_cl_picks_run(ob_cl_picks *c, ob_cl_site *site, ob_dtype dtype,
                          bool serial) OB_MUST_USE;

#endif
