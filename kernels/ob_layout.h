/* Structs that the host fills in and a kernel reads: one text for both sides.
 *
 * The host includes it; the device runtime also puts it in front of every OpenCL C source. Members
 * have the same size and offset on both sides: fixed-width integers only, no pointer, no padding.
 * Offsets and strides count elements, never bytes; buffers stay separate kernel arguments, because
 * a device pointer means nothing to the host. */
#ifndef OB_LAYOUT_H
#define OB_LAYOUT_H

#ifdef __OPENCL_VERSION__
typedef long ob_i64;
typedef int ob_i32;
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
typedef int64_t ob_i64;
typedef int32_t ob_i32;
#endif

#define OB_WALK_DIMS     8
#define OB_WALK_OPERANDS 6

/* A walk over the elements of up to OB_WALK_OPERANDS operands of one shape. Dim 0 is the innermost
 * (the fastest); neighbours that can be walked as one are one. Element (i0, i1, ...) of operand p
 * lies at offset[p] + i0 * stride[p][0] + i1 * stride[p][1] + ... A stride may be 0 (broadcast) or
 * negative. The host splits what does not fit 32 bits or OB_WALK_DIMS into several launches. */
typedef struct ob_walk {
    ob_i64 numel;
    ob_i64 offset[OB_WALK_OPERANDS];
    ob_i32 rank;  /* 1 to OB_WALK_DIMS; 1 also for a single element */
    ob_i32 dense; /* 1: every operand has stride 1 or 0 in dim 0, and rank is 1 */
    ob_i32 size[OB_WALK_DIMS];
    ob_i32 stride[OB_WALK_OPERANDS][OB_WALK_DIMS];
} ob_walk;

#ifndef __OPENCL_VERSION__
static_assert(offsetof(ob_walk, rank) == 56, "ob_walk: rank follows seven 64-bit words");
static_assert(offsetof(ob_walk, stride) == 96, "ob_walk: strides follow eight extents");
static_assert(sizeof(ob_walk) == 288, "ob_walk: no padding");
#endif

#endif
