/* out = beta * self + alpha * (a @ b), batched: which kernel of kernels/matmul*.cl, in which
 * pieces. For matmul.c and conv.c. */
#ifndef OB_DEVICE_GEMM_H
#define OB_DEVICE_GEMM_H

#include "kernels/ob_layout.h"
#include "ob/tensor.h"

/* Packs columns of something that is no matrix in memory, for instance the windows of a
 * convolution. */
typedef struct ob_cl_packer {
    /* Fill `panel` with columns [column, column + g->n) of every batch, in the layout of
     * matmul_pack_b: strips of `nr` columns, blocks of g->k_block. */
    ob_status (*pack)(void *user, ob_buffer *panel, const ob_gemm *g, int64_t column, int nr);
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
