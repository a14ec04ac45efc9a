/* What a convolution does to which extents: read from the arguments of aten::convolution, for its
 * rule and its CPU kernel. PyTorch: aten/src/ATen/native/Convolution.cpp, ConvUtils.h. */
#ifndef OB_OPS_RULES_CONV_H
#define OB_OPS_RULES_CONV_H

#include "ob/tensor.h"

enum { OB_CONV_DIMS = 3 };

/* Spatial dims are the last ones of the arrays; those in front of them have extent, kernel and
 * stride 1. */
typedef struct ob_conv {
    int64_t batch, in_channels, out_channels, groups;
    bool transposed;
    int64_t in[OB_CONV_DIMS], out[OB_CONV_DIMS], kernel[OB_CONV_DIMS]; /* extents */
    int64_t stride[OB_CONV_DIMS], padding[OB_CONV_DIMS], dilation[OB_CONV_DIMS];
} ob_conv;

/* Read and check the arguments of aten::convolution, in schema order. */
ob_status ob_conv_read(const char *op, const ob_value *args, ob_conv *out) OB_MUST_USE;

#endif
