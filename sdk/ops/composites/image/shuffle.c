/* Elements repeated, or moved between channels and pixels. PyTorch:
 * aten/src/ATen/native/Repeat.cpp, PixelShuffle.cpp, ChanelShuffle.cpp. */
#include "ops/composites/look.h"

/* Position i, repeats[i] times */
ob_tensor *composite_repeat_interleave(ob_scope *s, ob_tensor *repeats, ob_opt_int output_size)
{
    if (!repeats) return NULL;
    if (rank_of(repeats) != 1 || (dtype_of(repeats) != OB_I64 && dtype_of(repeats) != OB_I32))
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_ARG,
                                     "repeat_interleave: repeats is %s of %d dims, must be int64 "
                                     "or int32 of one",
                                     ob_dtype_name(dtype_of(repeats)), rank_of(repeats)));
    const int64_t n = numel_of(repeats);
    if (n == 0) return ob_new_empty(s, repeats, OB_INTS(0));
    if (ob_scalar_int(ob_item(s, ob_min(s, repeats))) < 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "repeat_interleave: repeats can not be "
                                                    "negative"));
    ob_tensor *ends = ob_cumsum(s, repeats, 0);
    const int64_t total = ob_scalar_int(ob_item(s, ob_select(s, ends, 0, n - 1)));
    if (output_size.has && output_size.value != total)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "repeat_interleave: output_size is %lld, the "
                                        "repeats are %lld",
                                        (long long)output_size.value, (long long)total));
    ob_tensor *line = ob_arange(s, ob_int(total), .dtype = OB_I64, .device = device_of(repeats));
    return ob_searchsorted(s, ends, line, .right = true, .out_int32 = dtype_of(repeats) == OB_I32);
}

ob_tensor *composite_repeat_interleave_self_tensor(ob_scope *s, ob_tensor *self, ob_tensor *repeats,
                                                   ob_opt_int dim, ob_opt_int output_size)
{
    ob_tensor *x = dim.has ? self : ob_flatten(s, self);
    const int64_t at = dim.has ? dim.value : 0;
    if (!x || !repeats || !has_dim(s, "repeat_interleave", x, at)) return NULL;
    if (rank_of(repeats) == 0 || numel_of(repeats) == 1)
        repeats = ob_expand(s, ob_reshape(s, repeats, OB_INTS(1)), OB_INTS(extent(x, at)));
    if (numel_of(repeats) != extent(x, at))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "repeat_interleave: %lld repeats for dim %lld, which has "
                                        "%lld elements",
                                        (long long)numel_of(repeats), (long long)at,
                                        (long long)extent(x, at)));
    return ob_index_select(
        s, x, at, ob_repeat_interleave(s, ob_contiguous(s, repeats), .output_size = output_size));
}

/* [.., C r r, H, W] to [.., C, H r, W r] */
ob_tensor *composite_pixel_shuffle(ob_scope *s, ob_tensor *self, int64_t upscale_factor)
{
    const int64_t r = upscale_factor, square = r * r;
    int64_t *sizes = sizes_copy(s, self, 0);
    if (!self || !sizes) return NULL;
    if (rank_of(self) < 3 || r <= 0 || extent(self, -3) % square != 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "pixel_shuffle: %lld channels of a tensor of %d dims, must "
                                        "be a multiple of %lld squared, of 3 dims or more",
                                        (long long)extent(self, -3), rank_of(self), (long long)r));
    const int64_t c = extent(self, -3) / square, h = extent(self, -2), w = extent(self, -1);
    const int lead = rank_of(self) - 3;
    ob_tensor *x = ob_reshape(s, self, OB_INTS(numel_of(self) > 0 ? -1 : 0, c, r, r, h, w));
    x = ob_permute(s, x, OB_INTS(0, 1, 4, 2, 5, 3));
    sizes[lead] = c;
    sizes[lead + 1] = h * r;
    sizes[lead + 2] = w * r;
    return ob_reshape(s, ob_contiguous(s, x), (ob_ints){ sizes, rank_of(self) });
}

/* [.., C, H r, W r] to [.., C r r, H, W] */
ob_tensor *composite_pixel_unshuffle(ob_scope *s, ob_tensor *self, int64_t downscale_factor)
{
    const int64_t r = downscale_factor;
    int64_t *sizes = sizes_copy(s, self, 0);
    if (!self || !sizes) return NULL;
    if (rank_of(self) < 3 || r <= 0 || extent(self, -2) % r != 0 || extent(self, -1) % r != 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "pixel_unshuffle: an image of %lld x %lld in %d dims, must "
                                        "be divided by %lld and in 3 dims or more",
                                        (long long)extent(self, -2), (long long)extent(self, -1),
                                        rank_of(self), (long long)r));
    const int64_t c = extent(self, -3), h = extent(self, -2) / r, w = extent(self, -1) / r;
    const int lead = rank_of(self) - 3;
    ob_tensor *x = ob_reshape(s, self, OB_INTS(numel_of(self) > 0 ? -1 : 0, c, h, r, w, r));
    x = ob_permute(s, x, OB_INTS(0, 1, 3, 5, 2, 4));
    sizes[lead] = c * r * r;
    sizes[lead + 1] = h;
    sizes[lead + 2] = w;
    return ob_reshape(s, ob_contiguous(s, x), (ob_ints){ sizes, rank_of(self) });
}

/* [N, g c, ...]: groups and the channels of a group change places. */
ob_tensor *composite_channel_shuffle(ob_scope *s, ob_tensor *self, int64_t groups)
{
    if (!self) return NULL;
    if (rank_of(self) < 3 || groups < 1 || extent(self, 1) % groups != 0)
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_SHAPE,
                                     "channel_shuffle: %lld channels in %lld groups, of a tensor "
                                     "of %d dims; they must divide evenly, in 3 dims or more",
                                     (long long)extent(self, 1), (long long)groups, rank_of(self)));
    if (numel_of(self) == 0) return ob_clone(s, self);
    ob_tensor *x =
        ob_reshape(s, self, OB_INTS(extent(self, 0), groups, extent(self, 1) / groups, -1));
    x = ob_contiguous(s, ob_transpose(s, x, 1, 2));
    return ob_reshape(s, x, sizes_of(self));
}

ob_tensor *composite_native_channel_shuffle(ob_scope *s, ob_tensor *self, int64_t groups)
{
    return ob_channel_shuffle(s, self, groups);
}
