/* Shapes of x[i, :, j]: shared by the rules and the CPU kernels of index.Tensor and index_put.
 * PyTorch: AdvancedIndex in aten/src/ATen/native/TensorAdvancedIndexing.cpp. */
#ifndef OB_OPS_RULES_INDEX_SHAPE_H
#define OB_OPS_RULES_INDEX_SHAPE_H

#include "ob/tensor.h"

/* The result is self with the indexed dims replaced by the indices' broadcast shape: in place of
 * the first one when they are neighbours, else in front. */
typedef struct ob_index_shape {
    int rank;
    int64_t sizes[OB_MAX_RANK]; /* of the result */
    int index_rank, index_at;   /* dims of the indices, and where they begin in the result */
    int n_rest;                 /* dims of self that no index takes */
    int rest[OB_MAX_RANK];      /* those dims of self ... */
    int rest_at[OB_MAX_RANK];   /* ... and of the result */
} ob_index_shape;

/* True when an index is a mask (bool, uint8). */
bool ob_index_has_mask(ob_tensors indices);
/* OB_ERR_SHAPE: too many indices, or they do not broadcast. OB_ERR_DTYPE: not integers. */
ob_status ob_index_shape_of(const char *op, const ob_tensor *self, ob_tensors indices,
                            ob_index_shape *out) OB_MUST_USE;

#endif
