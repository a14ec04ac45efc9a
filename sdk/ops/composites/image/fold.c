/* Windows of images as columns, and back: one strided slice for each place in the window. PyTorch:
 * aten/src/ATen/native/Im2Col.cpp, Col2Im.cpp. */
#include "ops/composites/look.h"

/* Windows over the last two dims of a padded image; n: windows along each. */
typedef struct fold {
    int64_t kernel[2], dilation[2], padding[2], stride[2], size[2], n[2];
} fold;

/* Take the arguments in; the scope fails for ones that make no windows. */
static bool fold_of(ob_scope *s, const char *op, ob_ints size, ob_ints kernel, ob_ints dilation,
                    ob_ints padding, ob_ints stride, fold *out)
{
    const ob_ints lists[] = { kernel, dilation, padding, stride, size };
    int64_t *const to[] = { out->kernel, out->dilation, out->padding, out->stride, out->size };
    bool fits = true;
    for (size_t i = 0; i < OB_COUNT(lists); i++) {
        const ob_ints list = spread(s, lists[i], 2);
        fits = fits && list.n == 2;
        for (int d = 0; fits && d < 2; d++)
            to[i][d] = list.data[d];
    }
    for (int d = 0; fits && d < 2; d++) {
        fits = out->kernel[d] > 0 && out->dilation[d] > 0 && out->padding[d] >= 0 &&
               out->stride[d] > 0;
        const int64_t room =
            fits ? out->size[d] + 2 * out->padding[d] - out->dilation[d] * (out->kernel[d] - 1) - 1
                 : -1;
        fits = room >= 0;
        out->n[d] = fits ? room / out->stride[d] + 1 : 0;
    }
    if (!fits)
        ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                 "%s: kernel, dilation, padding and stride give no window of the "
                                 "image; each must be two positive numbers, padding 0 or more",
                                 op));
    return fits;
}

/* Element (i, j) of every window of a padded image. */
static ob_tensor *slice_of(ob_scope *s, const fold *f, ob_tensor *padded, int64_t i, int64_t j)
{
    const int64_t at[] = { i * f->dilation[0], j * f->dilation[1] };
    for (int d = 0; d < 2; d++)
        padded = ob_slice(s, padded, d - 2, OB_SOME_INT(at[d]),
                          OB_SOME_INT(at[d] + (f->n[d] - 1) * f->stride[d] + 1), f->stride[d]);
    return padded;
}

/* [N, C, H, W] to [N, C kh kw, windows] */
ob_tensor *composite_im2col(ob_scope *s, ob_tensor *self, ob_ints kernel_size, ob_ints dilation,
                            ob_ints padding, ob_ints stride)
{
    fold f;
    const bool batched = rank_of(self) == 4;
    if (!self) return NULL;
    if (rank_of(self) != 3 && rank_of(self) != 4)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE, "im2col: self has %d dims, must have 3 or 4", rank_of(self)));
    if (!fold_of(s, "im2col", OB_INTS(extent(self, -2), extent(self, -1)), kernel_size, dilation,
                 padding, stride, &f))
        return NULL;
    ob_tensor *x = batched ? self : ob_unsqueeze(s, self, 0);
    x = ob_constant_pad_nd(s, x, OB_INTS(f.padding[1], f.padding[1], f.padding[0], f.padding[0]),
                           ob_int(0));
    const int64_t n = f.kernel[0] * f.kernel[1], columns = f.n[0] * f.n[1];
    ob_tensor **parts = ob_scope_alloc(s, (size_t)n * sizeof(ob_tensor *));
    for (int64_t k = 0; parts && k < n; k++)
        parts[k] = slice_of(s, &f, x, k / f.kernel[1], k % f.kernel[1]);
    if (!parts || ob_scope_status(s) != OB_OK) return NULL;
    ob_tensor *made = ob_reshape(s, ob_stack(s, (ob_tensors){ parts, n }, 2),
                                 OB_INTS(extent(x, 0), extent(x, 1) * n, columns));
    return batched ? made : ob_squeeze_dim(s, made, 0);
}

/* [N, C kh kw, windows] to [N, C, H, W]: what overlaps is added up. */
ob_tensor *composite_col2im(ob_scope *s, ob_tensor *self, ob_ints output_size, ob_ints kernel_size,
                            ob_ints dilation, ob_ints padding, ob_ints stride)
{
    fold f;
    const bool batched = rank_of(self) == 3;
    if (!self || !fold_of(s, "col2im", output_size, kernel_size, dilation, padding, stride, &f))
        return NULL;
    const int64_t n = f.kernel[0] * f.kernel[1], columns = f.n[0] * f.n[1];
    if ((rank_of(self) != 2 && rank_of(self) != 3) || extent(self, -2) % n != 0 ||
        extent(self, -1) != columns)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "col2im: columns of %lld elements, %lld of them; must be a "
                                        "multiple of %lld, and %lld",
                                        (long long)extent(self, -2), (long long)extent(self, -1),
                                        (long long)n, (long long)columns));
    const int64_t batch = batched ? extent(self, 0) : 1, channels = extent(self, -2) / n;
    ob_tensor *x = ob_reshape(s, self, OB_INTS(batch, channels, n, f.n[0], f.n[1]));
    ob_tensor *padded = ob_new_zeros(
        s, x, OB_INTS(batch, channels, f.size[0] + 2 * f.padding[0], f.size[1] + 2 * f.padding[1]));
    for (int64_t k = 0; k < n && ob_scope_status(s) == OB_OK; k++)
        (void)ob_add_(s, slice_of(s, &f, padded, k / f.kernel[1], k % f.kernel[1]),
                      ob_select(s, x, 2, k));
    for (int d = 0; d < 2; d++)
        padded = ob_narrow(s, padded, d - 2, f.padding[d], f.size[d]);
    return batched ? ob_contiguous(s, padded) : ob_squeeze_dim(s, ob_contiguous(s, padded), 0);
}
