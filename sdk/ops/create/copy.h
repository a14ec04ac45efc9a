/* Copies between tensors, wherever they are: the one implementation behind copy_, clone, _to_copy,
 * casts of inputs and the write back of outputs. PyTorch: aten/src/ATen/native/Copy.cpp. */
#ifndef OB_OPS_COPY_H
#define OB_OPS_COPY_H

#include "ob/tensor.h"

/* dst[...] = convert(src[...]), src broadcast to dst's sizes. On one device the backend's native
 * copy_ kernel does it; else, or when that declines, the elements go through the host. src may
 * overlap dst. Does not raise dst's version. OB_ERR_SHAPE when src does not broadcast; OB_ERR_ARG
 * when only src is meta. */
ob_status ob_copy_into(ob_tensor *dst, ob_tensor *src) OB_MUST_USE;

/* Where and how ob_copy_of() makes its result. */
typedef struct ob_copy_to {
    ob_dtype dtype;
    ob_device device;
    ob_memory_format format; /* PRESERVE: strides of a dense source; else as PyTorch's empty_like */
} ob_copy_to;

/* A new tensor with src's elements [owned]. */
ob_status ob_copy_of(ob_tensor *src, ob_copy_to to, ob_tensor **out) OB_MUST_USE;

/* A new uninitialised tensor of src's sizes [owned]: strides as torch.empty_like makes them. */
ob_status ob_empty_like_of(const ob_tensor *src, ob_copy_to to, ob_tensor **out) OB_MUST_USE;

/* Strides of a memory format; OB_ERR_ARG when the rank is not the format's. */
ob_status ob_format_strides(ob_memory_format format, const int64_t *sizes, int rank,
                            int64_t *strides) OB_MUST_USE;
/* The format of a tensor as torch suggests it: CHANNELS_LAST, CHANNELS_LAST_3D or CONTIGUOUS. */
ob_memory_format ob_format_of(const ob_tensor *t);
/* True when the tensor is laid out in `format` (torch.Tensor.is_contiguous(memory_format)). */
bool ob_format_fits(const ob_tensor *t, ob_memory_format format);

#endif
