/* Arithmetic on sizes and strides, with checked 64-bit integers. No tensors here. */
#ifndef OB_CORE_SHAPE_H
#define OB_CORE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "ob/value.h"

OB_BEGIN_DECLS

/* Product of extents; OB_ERR_ARG for a negative extent or overflow. */
ob_status ob_shape_numel(const int64_t *sizes, int rank, int64_t *out) OB_MUST_USE;
/* Row-major strides as PyTorch computes them (extents of 0 count as 1). */
void ob_shape_dense_strides(const int64_t *sizes, int rank, int64_t *strides);
/* Bytes from the storage's start to the end of the window; 0 when it is empty. Checked. */
ob_status ob_shape_span_bytes(const int64_t *sizes, const int64_t *strides, int rank,
                              int64_t offset, size_t element_bytes, size_t *out) OB_MUST_USE;
bool ob_shape_is_contiguous(const int64_t *sizes, const int64_t *strides, int rank);
/* Dense without overlap in some order of dims. */
bool ob_shape_is_dense(const int64_t *sizes, const int64_t *strides, int rank);
/* True when two elements may share memory (a zero stride on an extent > 1; the exact answer up to
 * rank 2, as PyTorch). */
bool ob_shape_may_overlap(const int64_t *sizes, const int64_t *strides, int rank);
/* Wrap a dim given by the user: [-rank, rank) (rank 0 counts as 1). OB_ERR_ARG naming `op`, dim and
 * range. */
ob_status ob_shape_wrap_dim(const char *op, int64_t dim, int rank, int *out) OB_MUST_USE;
/* Broadcast `b` into `sizes` (in/out, *rank in/out, room for OB_MAX_RANK). OB_ERR_SHAPE names op,
 * extents and dim. */
ob_status ob_shape_broadcast(const char *op, int64_t *sizes, int *rank, const int64_t *b,
                             int b_rank) OB_MUST_USE;
/* Strides of a view with `new_sizes` on (sizes, strides), or false when it needs a copy
 * (at::detail::computeStride). */
bool ob_shape_view_strides(const int64_t *sizes, const int64_t *strides, int rank,
                           const int64_t *new_sizes, int new_rank, int64_t *new_strides);
/* Replace a -1 in `sizes` by what makes numel elements. OB_ERR_SHAPE. */
ob_status ob_shape_infer(const char *op, int64_t *sizes, int rank, int64_t numel) OB_MUST_USE;

OB_END_DECLS
#endif
