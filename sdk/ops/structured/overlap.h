/* How the memory of a tensor that is written meets that of one that is read. PyTorch:
 * aten/src/ATen/MemoryOverlap.cpp. */
#ifndef OB_OPS_OVERLAP_H
#define OB_OPS_OVERLAP_H

#include "ob/tensor.h"

typedef enum ob_overlap {
    OB_OVERLAP_NONE,
    OB_OVERLAP_FULL,    /* the same window of the same storage */
    OB_OVERLAP_PARTIAL, /* two dense windows that share some elements */
    OB_OVERLAP_UNKNOWN  /* one storage, and a window with gaps: they may meet */
} ob_overlap;

/* How the memory of two tensors meets (at::get_overlap_status). */
ob_overlap ob_overlap_of(const ob_tensor *a, const ob_tensor *b);

/* Refuse a written tensor that has several elements in one place (assert_no_internal_overlap). */
ob_status ob_overlap_check_internal(const char *op, const ob_tensor *written) OB_MUST_USE;

/* Refuse a written tensor that shares a part of its memory with one that is read
 * (assert_no_partial_overlap). */
ob_status ob_overlap_check_partial(const char *op, const ob_tensor *written,
                                   const ob_tensor *read) OB_MUST_USE;

#endif
