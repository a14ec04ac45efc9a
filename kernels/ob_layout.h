/* Structs that the host fills in and a kernel reads: one text for both sides.
 *
 * The host includes it; the device runtime also puts it in front of every OpenCL C source. Members
 * have the same size and offset on both sides: fixed-width numbers only, no pointer, no padding.
 * Offsets and strides count elements, never bytes; buffers stay separate kernel arguments, because
 * a device pointer means nothing to the host. */
#ifndef OB_LAYOUT_H
#define OB_LAYOUT_H

#ifdef __OPENCL_VERSION__
typedef long ob_i64;
typedef int ob_i32;
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ob_f64;
#else
typedef long ob_f64; /* its bits */
#endif
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
typedef int64_t ob_i64;
typedef int32_t ob_i32;
typedef double ob_f64;
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

/* start, start + step, ... */
typedef struct ob_arange {
    ob_i64 offset, numel, stride; /* of the output */
    ob_i64 whole;                 /* 1: in integers, 0: in floating point */
    ob_i64 int_start, int_step;
    ob_f64 start, step;
} ob_arange;

/* A batch of matrices inside a buffer: element (z, i, j) lies at offset + z*batch + i*row + j*col.
 * A stride may be 0 (broadcast). */
typedef struct ob_matrix {
    ob_i64 offset;
    ob_i64 row;
    ob_i64 col;
    ob_i64 batch;
} ob_matrix;

/* A scalar of a kernel's compute type T, bit by bit in the first sizeof(T) bytes; T <= 16 bytes. */
typedef struct ob_number {
    ob_i64 bits[2];
} ob_number;

/* out = beta * self + alpha * (a @ b); a: [batch, m, k], b: [batch, k, n], out: [batch, m, n].
 * self is read only when has_self is 1 (the host says 0 when beta == 0: NaN * 0 must not show).
 * The members below `has_self` are the launch plan; kernels/matmul.cl says which kernel reads
 * which. */
typedef struct ob_gemm {
    ob_i64 m, n, k;
    ob_matrix a, b, out, self;
    ob_matrix partial; /* sums of T between k blocks; col is 1 */
    ob_number alpha, beta;
    ob_i64 has_self;     /* 0 or 1 */
    ob_i64 m_item;       /* rows of out per work-item */
    ob_i64 n_item;       /* columns of out per work-item */
    ob_i64 m_block;      /* rows of a packed at a time, a multiple of OB_MR */
    ob_i64 k_block;      /* depth packed at a time */
    ob_i64 b_packed;     /* 1: `panel` holds b packed; 0: each work-item packs its strips */
    ob_i64 panel_batch;  /* elements of T from one batch's panel to the next, 0 when shared */
    ob_i64 scratch_item; /* elements of T from one work-item's scratch to the next */
} ob_gemm;

/* Windows over up to three spatial dims of dense planes, for pooling and convolution. Spatial dims
 * are the last ones; those in front of them have extent, window and stride 1. */
typedef struct ob_window {
    ob_i64 numel; /* elements of the output */
    ob_i64 in_offset, weight_offset, bias_offset, out_offset, indices_offset;
    ob_i64 in[3], out[3], window[3];
    ob_i64 stride[3], padding[3], dilation[3];
    ob_i64 adaptive;                          /* pooling: windows divide the input evenly */
    ob_i64 count_padding;                     /* average: padding counts as elements */
    ob_i64 divisor;                           /* average: 0 when not given */
    ob_i64 in_channels, out_channels, groups; /* convolution: of the whole image */
    ob_i64 has_bias;
} ob_window;

/* Where conv_pack puts a piece of the columns: as ob_gemm's members of the same names. */
typedef struct ob_conv_pack {
    ob_i64 n, k, k_block, panel_batch;
    ob_i64 nr, strips_item; /* columns of a strip, strips per work-item */
    ob_i64 column, batch;   /* first of the piece */
} ob_conv_pack;

/* Rows of `length` elements for softmax and norms: element j of row (i0, i1) lies at
 * offset + i0 * outer + i1 * inner + j * step; i1 < inners. */
typedef struct ob_rows {
    ob_i64 rows, inners, length;
    ob_i64 outer, inner, step;
    ob_i64 in_offset, out_offset, weight_offset, bias_offset;
    ob_i64 has_weight, has_bias;
    ob_i64 channels; /* batch norm: row i is of channel i % channels */
    ob_number eps;   /* of OB_T */
} ob_rows;

/* A pointwise op: see kernels/pointwise.cl. Operand 0 of the walk is the result, 1 to 3 are x, y,
 * z. Numbers are bits of the compute type in the low bytes. */
typedef struct ob_pointwise {
    ob_walk walk;
    ob_i64 param[4];   /* a, b, c, d */
    ob_i64 operand[3]; /* x, y, z, where they are constants */
    ob_i64 big;        /* the largest finite number of the dtype */
    ob_i32 fixed;      /* bit k: operand k is a constant; its strides are 0 */
    ob_i32 has;        /* bits 1, 2: y, z are there; 3, 4, 5: a, b, c */
} ob_pointwise;

/* A complaint of a kernel about a value that only it has seen: an index out of range. */
typedef struct ob_watch {
    ob_i64 taken; /* 1: the rest is set */
    ob_i64 name;  /* as in ob_picks */
    ob_i64 index, extent;
} ob_watch;

#define OB_PICKS           4 /* indices of a call */

#define OB_COMBINE_SUM     0
#define OB_COMBINE_PRODUCT 1
#define OB_COMBINE_MAX     2
#define OB_COMBINE_MIN     3

/* What is placed: an element of operand 1, a value, or their product (only where elements are
 * combined). */
#define OB_PLACE_ELEMENT 0
#define OB_PLACE_VALUE   1
#define OB_PLACE_PRODUCT 2

/* Elements picked or placed by indices. Operands of the walk: 0 what is written, 1 what is read,
 * 2 and more the indices. The picked place lies sum(index[k] * step[k]) further than the walk says:
 * in operand 1 when picking, in operand 0 when placing. */
typedef struct ob_picks {
    ob_walk w;
    ob_i64 n; /* indices, up to OB_PICKS */
    ob_i64 step[OB_PICKS], extent[OB_PICKS];
    ob_i64 wide;  /* bit k: index k is int64, else int32 */
    ob_i64 wraps; /* 1: a negative index counts from the end */
    ob_i64 what;  /* OB_PLACE_* */
    ob_i64 value; /* bits of an element, of the compute type where elements are combined */
    ob_i64 how;   /* OB_COMBINE_*, where there is arithmetic */
    ob_i64 name;  /* of the op: a number that the host understands, for messages */
} ob_picks;

/* Row-major matrices [batch, rows, cols], and the part of them that is kept. */
typedef struct ob_triangle {
    ob_i64 batch, rows, cols;
    ob_i64 out_offset, in_offset;
    ob_i64 diagonal;
    ob_i64 upper; /* 1: col - row >= diagonal, 0: <= diagonal */
} ob_triangle;

/* Running sums or products along lines of n elements, which begin where the walk says. */
typedef struct ob_scan {
    ob_walk w;
    ob_i64 n, out_step, in_step;
    ob_i64 product; /* 1: products */
} ob_scan;

/* Sorting lines of n elements, which begin where the walk says; `kept` of them are stored. The
 * operands, and their steps along the lines: values, indices, self. */
typedef struct ob_sort {
    ob_walk w;
    ob_i64 n, kept;
    ob_i64 step[3];
    ob_i64 descending;
} ob_sort;

/* A reduction: see kernels/reduce.cl. `kept` walks the results; operand 0 is x, 1 and 2 are the
 * results. `gone` walks what goes into one of them, relative to it; operand 1 is x, and the order
 * of elements is that of operand 0. */
typedef struct ob_reduce {
    ob_walk kept, gone;
    ob_i64 a;      /* the row's number, as bits of the accumulator's type */
    ob_i64 parts;  /* that `gone` is split into */
    ob_i32 across; /* 1: lanes are neighbouring results, 0: neighbouring elements of one */
    ob_i32 raw;    /* 1: results are accumulators, one after the other: m of another row */
} ob_reduce;

#ifndef __OPENCL_VERSION__
static_assert(sizeof(ob_watch) == 4 * 8, "ob_watch: 4 words of 64 bits");
static_assert(sizeof(ob_picks) == sizeof(ob_walk) + 15 * 8, "ob_picks: 15 words behind the walk");
static_assert(sizeof(ob_triangle) == 7 * 8, "ob_triangle: 7 words of 64 bits");
static_assert(sizeof(ob_scan) == sizeof(ob_walk) + 4 * 8, "ob_scan: 4 words behind the walk");
static_assert(offsetof(ob_reduce, a) == 576, "ob_reduce: numbers follow the walks");
static_assert(sizeof(ob_reduce) == 600, "ob_reduce: no padding");
static_assert(sizeof(ob_window) == 31 * 8, "ob_window: 31 words of 64 bits");
static_assert(sizeof(ob_conv_pack) == 8 * 8, "ob_conv_pack: 8 words of 64 bits");
static_assert(sizeof(ob_rows) == 15 * 8, "ob_rows: 15 words of 64 bits");
static_assert(offsetof(ob_pointwise, param) == 288, "ob_pointwise: numbers follow the walk");
static_assert(sizeof(ob_pointwise) == 360, "ob_pointwise: no padding");
static_assert(offsetof(ob_walk, rank) == 56, "ob_walk: rank follows seven 64-bit words");
static_assert(offsetof(ob_walk, stride) == 96, "ob_walk: strides follow eight extents");
static_assert(sizeof(ob_walk) == 288, "ob_walk: no padding");
static_assert(sizeof(ob_arange) == 8 * 8, "ob_arange: 8 words of 64 bits");
static_assert(sizeof(ob_sort) == sizeof(ob_walk) + 6 * 8, "ob_sort: 6 words behind the walk");
static_assert(sizeof(ob_matrix) == 32, "ob_matrix: kernels read it at 32 bytes");
static_assert(offsetof(ob_gemm, a) == 24, "ob_gemm: a follows three 64-bit extents");
static_assert(offsetof(ob_gemm, alpha) == 184, "ob_gemm: alpha follows five matrices");
static_assert(sizeof(ob_gemm) == 280, "ob_gemm: 35 words of 64 bits");
#endif

#endif
