/* Windows of pooling ops, read from their arguments: for the rules and the CPU kernels. PyTorch:
 * aten/src/ATen/native/Pool.h. */
#ifndef OB_OPS_RULES_POOL_H
#define OB_OPS_RULES_POOL_H

#include "ob/schema.h"
#include "ob/tensor.h"

enum { OB_POOL_DIMS = 3 };

/* Spatial dims are the last ones of the arrays; one in front of them has extent, kernel and
 * stride 1. All dims of the input in front of the spatial ones are planes. */
typedef struct ob_pool {
    int spatial; /* 2 or 3 */
    int64_t planes;
    int64_t in[OB_POOL_DIMS], out[OB_POOL_DIMS];
    bool adaptive; /* windows divide the input evenly; the rest is not set */
    int64_t kernel[OB_POOL_DIMS], stride[OB_POOL_DIMS], padding[OB_POOL_DIMS];
    int64_t dilation[OB_POOL_DIMS];
    bool count_padding; /* avg_pool: padding counts as elements */
    int64_t divisor;    /* avg_pool: 0 when not given */
} ob_pool;

/* Which pooling a functional op is. */
typedef enum ob_pool_kind { OB_POOL_MAX, OB_POOL_AVG, OB_POOL_ADAPTIVE } ob_pool_kind;

/* Read and check the arguments of a pooling op in schema order; `spatial` is 2 or 3. */
ob_status ob_pool_read(const char *op, ob_pool_kind kind, int spatial, const ob_value *args,
                       ob_pool *out) OB_MUST_USE;

/* The window of output `at` along dim `d`, clipped to the input: first index and one past the last
 * (by steps of dilation). Averages also want the extent before clipping to the input, padding
 * included. */
void ob_pool_window(const ob_pool *p, int d, int64_t at, int64_t *begin, int64_t *end,
                    int64_t *padded_extent);

#endif
