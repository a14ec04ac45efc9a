/* out = beta * self + alpha * (a @ b), batched: which kernel of kernels/matmul*.cl, in which
 * pieces. For matmul.c and conv.c. */
#ifndef OB_DEVICE_GEMM_H
#define OB_DEVICE_GEMM_H

#include "kernels/ob_layout.h"
#include "ob/tensor.h"

/* Columns and batches of b that are packed at a time. */
typedef struct ob_cl_piece {
    int64_t column, batch, batches; /* first column (of g->n), first batch, how many batches */
    int nr;                         /* columns of a strip */
} ob_cl_piece;

/* Packs columns of something that is no matrix in memory, for instance the windows of a
 * convolution. */
typedef struct ob_cl_packer {
    /* Fill `panel` with a piece of g->n columns, in the layout of matmul_pack_b. */
    ob_status (*pack)(void *user, ob_buffer *panel, const ob_gemm *g, const ob_cl_piece *piece);
    void *user;
} ob_cl_packer;

/* One product. Of `g` the caller sets m, n, k, the matrices, has_self; the plan is made here. */
typedef struct ob_cl_gemm {
    ob_dtype dtype;
    ob_buffer *out, *self, *a, *b; /* self NULL without has_self; b NULL with a packer */
    ob_gemm g;
    int64_t batch;
    const ob_cl_packer *packer; /* NULL: b is a matrix */
} ob_cl_gemm;

/* The number of a dtype's compute type, as ob_gemm has alpha and beta. */
ob_number ob_cl_number(ob_scalar s, ob_dtype dtype);

/* Queue the product. out is no memory of a or b; it may be self with the same strides. */
ob_status ob_cl_gemm_run(const ob_cl_gemm *call) OB_MUST_USE;

#endif
