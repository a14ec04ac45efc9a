/* Sampling an image at the points of a grid. PyTorch: aten/src/ATen/native/GridSampler.cpp,
 * AffineGridGenerator.cpp. */
#include "ops/composites/look.h"

typedef enum sample_mode { SAMPLE_LINEAR, SAMPLE_NEAREST, SAMPLE_CUBIC } sample_mode;
typedef enum sample_padding { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION } sample_padding;

typedef struct sampling {
    sample_mode mode;
    sample_padding padding;
    bool align; /* -1 and 1 are the centres of the corner pixels, not their edges */
} sampling;

/* [-1, 1] to positions in n pixels */
static ob_tensor *unnormalized(ob_scope *s, ob_tensor *x, int64_t n, bool align)
{
    ob_tensor *from_0 = ob_add_scalar(s, x, ob_int(1));
    if (align) return ob_mul_scalar(s, from_0, ob_double((double)(n - 1) / 2));
    ob_tensor *scaled = ob_sub_scalar(s, ob_mul_scalar(s, from_0, ob_int(n)), ob_int(1));
    return ob_div_scalar(s, scaled, ob_int(2));
}

/* Positions mirrored into [low / 2, high / 2]. */
static ob_tensor *reflected(ob_scope *s, ob_tensor *x, int64_t low, int64_t high)
{
    if (low == high) return ob_zeros_like(s, x);
    const double least = (double)low / 2, span = (double)(high - low) / 2;
    ob_tensor *d = ob_abs(s, ob_sub_scalar(s, x, ob_double(least)));
    ob_tensor *turns = ob_floor(s, ob_div_scalar(s, d, ob_double(span)));
    ob_tensor *rest = ob_fmod_scalar(s, d, ob_double(span));
    ob_tensor *even = ob_eq_scalar(s, ob_remainder_scalar(s, turns, ob_int(2)), ob_int(0));
    return ob_where(s, even, ob_add_scalar(s, rest, ob_double(least)),
                    ob_rsub_scalar(s, rest, ob_double(span + least)));
}

/* Positions as the padding has them. */
static ob_tensor *padded(ob_scope *s, ob_tensor *x, int64_t n, const sampling *p)
{
    if (p->padding == PAD_ZEROS) return x;
    if (p->padding == PAD_REFLECTION)
        x = p->align ? reflected(s, x, 0, 2 * (n - 1)) : reflected(s, x, -1, 2 * n - 1);
    return ob_clamp(s, x, ob_int(0), ob_int(n - 1));
}

/* input: [N, C, H, W]   ix, iy: whole positions [N, h, w]   result: [N, C, h, w], 0 outside */
static ob_tensor *pixels(ob_scope *s, ob_tensor *input, ob_tensor *ix, ob_tensor *iy)
{
    const int64_t h = extent(input, 2), w = extent(input, 3);
    ob_tensor *x = ob_to_dtype(s, ob_clamp(s, ix, ob_int(0), ob_int(w - 1)), OB_I64);
    ob_tensor *y = ob_to_dtype(s, ob_clamp(s, iy, ob_int(0), ob_int(h - 1)), OB_I64);
    ob_tensor *inside = ob_logical_and(
        s, ob_logical_and(s, ob_ge_scalar(s, ix, ob_int(0)), ob_le_scalar(s, ix, ob_int(w - 1))),
        ob_logical_and(s, ob_ge_scalar(s, iy, ob_int(0)), ob_le_scalar(s, iy, ob_int(h - 1))));
    ob_tensor *at = ob_flatten(s, ob_add(s, ob_mul_scalar(s, y, ob_int(w)), x), 1, -1);
    const int64_t n = extent(input, 0), c = extent(input, 1), points = extent(at, 1);
    at = ob_expand(s, ob_unsqueeze(s, at, 1), OB_INTS(n, c, points));
    ob_tensor *found = ob_gather(s, ob_flatten(s, input, 2, -1), 2, at);
    found = ob_reshape(s, found, OB_INTS(n, c, extent(ix, 1), extent(ix, 2)));
    return ob_where_scalarother(s, ob_unsqueeze(s, inside, 1), found, ob_int(0));
}

/* The weight of a tap at distance `t` from low, of two or of four. */
static ob_tensor *weight_of(ob_scope *s, ob_tensor *t, int k, sample_mode mode)
{
    const double a = -0.75;
    if (mode == SAMPLE_LINEAR) return k ? t : ob_rsub_scalar(s, t, ob_int(1));
    ob_tensor *x = ob_abs(s, ob_sub_scalar(s, t, ob_int(k - 1))), *y = x;
    if (k == 1 || k == 2) { /* ((a + 2) x - (a + 3)) x x + 1 */
        y = ob_sub_scalar(s, ob_mul_scalar(s, x, ob_double(a + 2)), ob_double(a + 3));
        return ob_add_scalar(s, ob_mul(s, ob_mul(s, y, x), x), ob_int(1));
    }
    y = ob_sub_scalar(s, ob_mul_scalar(s, x, ob_double(a)), ob_double(5 * a));
    y = ob_add_scalar(s, ob_mul(s, y, x), ob_double(8 * a));
    return ob_sub_scalar(s, ob_mul(s, y, x), ob_double(4 * a));
}

static ob_tensor *sampled(ob_scope *s, ob_tensor *input, ob_tensor *x, ob_tensor *y,
                          const sampling *p)
{
    const int taps = p->mode == SAMPLE_LINEAR ? 2 : 4, first = p->mode == SAMPLE_LINEAR ? 0 : -1;
    ob_tensor *lx = ob_floor(s, x), *ly = ob_floor(s, y), *sum = NULL;
    ob_tensor *tx = ob_sub(s, x, lx), *ty = ob_sub(s, y, ly);
    for (int j = 0; j < taps; j++) {
        ob_tensor *iy = ob_add_scalar(s, ly, ob_int(j + first)), *row = NULL;
        for (int i = 0; i < taps; i++) {
            ob_tensor *ix = ob_add_scalar(s, lx, ob_int(i + first)), *jy = iy;
            if (p->mode == SAMPLE_CUBIC) {
                ix = padded(s, ix, extent(input, 3), p);
                jy = padded(s, iy, extent(input, 2), p);
            }
            ob_tensor *w = ob_unsqueeze(s, weight_of(s, tx, i, p->mode), 1);
            ob_tensor *part = ob_mul(s, pixels(s, input, ix, jy), w);
            row = row ? ob_add(s, row, part) : part;
        }
        row = ob_mul(s, row, ob_unsqueeze(s, weight_of(s, ty, j, p->mode), 1));
        sum = sum ? ob_add(s, sum, row) : row;
    }
    return sum;
}

/* input: [N, C, H, W]   grid: [N, h, w, 2], x then y   result: [N, C, h, w] */
ob_tensor *composite_grid_sampler_2d(ob_scope *s, ob_tensor *input, ob_tensor *grid,
                                     int64_t interpolation_mode, int64_t padding_mode,
                                     bool align_corners)
{
    const sampling p = { (sample_mode)interpolation_mode, (sample_padding)padding_mode,
                         align_corners };
    if (!input || !grid) return NULL;
    if (rank_of(input) != 4 || rank_of(grid) != 4 || extent(grid, 3) != 2 ||
        extent(grid, 0) != extent(input, 0) || extent(input, 2) < 1 || extent(input, 3) < 1 ||
        interpolation_mode < 0 || interpolation_mode > 2 || padding_mode < 0 || padding_mode > 2)
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_SHAPE,
                                     "grid_sampler: input has %d dims, the grid %d, the last of "
                                     "%lld; they must have 4 and 4, of 2, the same batch, and an "
                                     "image that is not empty",
                                     rank_of(input), rank_of(grid), (long long)extent(grid, 3)));
    const int64_t h = extent(input, 2), w = extent(input, 3);
    ob_tensor *x = unnormalized(s, ob_select(s, grid, 3, 0), w, align_corners);
    ob_tensor *y = unnormalized(s, ob_select(s, grid, 3, 1), h, align_corners);
    if (p.mode == SAMPLE_CUBIC) return sampled(s, input, x, y, &p);
    x = padded(s, x, w, &p);
    y = padded(s, y, h, &p);
    if (p.mode == SAMPLE_NEAREST) return pixels(s, input, ob_round(s, x), ob_round(s, y));
    return sampled(s, input, x, y, &p);
}

ob_tensor *composite_grid_sampler(ob_scope *s, ob_tensor *input, ob_tensor *grid,
                                  int64_t interpolation_mode, int64_t padding_mode,
                                  bool align_corners)
{
    if (rank_of(input) == 5)
        return ob_grid_sampler_3d(s, input, grid, interpolation_mode, padding_mode, align_corners);
    return ob_grid_sampler_2d(s, input, grid, interpolation_mode, padding_mode, align_corners);
}

/* n positions in [-1, 1]: corners, or centres of pixels */
static ob_tensor *line_of(ob_scope *s, const ob_tensor *like, int64_t n, bool align)
{
    if (n <= 1) return ob_new_zeros(s, (ob_tensor *)(uintptr_t)like, OB_INTS(n));
    ob_tensor *line = ob_linspace(s, ob_int(-1), ob_int(1), n, .dtype = dtype_of(like),
                                  .device = device_of(like));
    return align ? line : ob_mul_scalar(s, line, ob_double((double)(n - 1) / (double)n));
}

/* theta: [N, 2, 3], size: [N, C, H, W] to [N, H, W, 2]; with a dim more, [N, 3, 4] */
ob_tensor *composite_affine_grid_generator(ob_scope *s, ob_tensor *theta, ob_ints size,
                                           bool align_corners)
{
    const int64_t dims = size.n - 2;
    int64_t sizes[OB_MAX_RANK], points = 1;
    if (!theta) return NULL;
    if ((dims != 2 && dims != 3) || rank_of(theta) != 3 || extent(theta, 1) != dims ||
        extent(theta, 2) != dims + 1 || extent(theta, 0) != size.data[0])
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "affine_grid: theta has %d dims for %lld sizes; it must be "
                                        "[N, 2, 3] for 4, [N, 3, 4] for 5",
                                        rank_of(theta), (long long)size.n));
    ob_tensor *columns[4];
    for (int64_t d = 0; d < dims; d++) { /* x first, which is the last dim */
        const int64_t at = dims - 1 - d;
        for (int64_t e = 0; e < dims; e++)
            sizes[e] = e == at ? -1 : 1;
        ob_tensor *line = line_of(s, theta, size.data[2 + at], align_corners);
        columns[d] = ob_reshape(s, line, (ob_ints){ sizes, dims });
        points *= size.data[2 + at];
    }
    for (int64_t d = 0; d < dims; d++)
        columns[d] = ob_reshape(s, ob_expand(s, columns[d], (ob_ints){ size.data + 2, dims }),
                                OB_INTS(points));
    columns[dims] = ob_new_ones(s, theta, OB_INTS(points));
    if (ob_scope_status(s) != OB_OK) return NULL;
    ob_tensor *base = ob_stack(s, (ob_tensors){ columns, dims + 1 }, 1);
    ob_tensor *grid = ob_matmul(s, base, ob_transpose(s, theta, 1, 2));
    sizes[0] = size.data[0];
    for (int64_t d = 0; d < dims; d++)
        sizes[d + 1] = size.data[2 + d];
    sizes[dims + 1] = dims;
    return ob_reshape(s, grid, (ob_ints){ sizes, dims + 2 });
}
