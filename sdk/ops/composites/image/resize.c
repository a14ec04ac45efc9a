/* Resizing the last one to three dims, one dim after the other: nearest, linear, cubic, and linear
 * and cubic with antialiasing. Gradients read the same taps back. PyTorch:
 * aten/src/ATen/native/UpSample.h, cpu/UpSampleKernel.cpp. */
#include <math.h>

#include "ops/composites/image/taps.h"

enum { MAX_DIMS = 3 };

typedef enum resize_mode {
    RESIZE_NEAREST,
    RESIZE_EXACT, /* nearest, from the centres of pixels */
    RESIZE_LINEAR,
    RESIZE_CUBIC,
    RESIZE_LINEAR_AA,
    RESIZE_CUBIC_AA
} resize_mode;

/* scales: what the extents were multiplied by, where given; align: corners stay where they are. */
typedef struct resizing {
    const char *op;
    resize_mode mode;
    bool align, wide; /* positions in double */
    int dims;
    ob_opt_double scales[MAX_DIMS];
} resizing;

/* Positions are rounded as PyTorch's: in float, unless the tensor is double. */
static double rounded(const resizing *r, double x)
{
    return r->wide ? x : (double)(float)x;
}

/* Elements of the input per element of the output. */
static double step_of(const resizing *r, int d, int64_t in, int64_t out)
{
    if (r->align && r->mode >= RESIZE_LINEAR)
        return out > 1 ? rounded(r, rounded(r, (double)(in - 1)) / (double)(out - 1)) : 0;
    if (r->scales[d].has && r->scales[d].value > 0) return rounded(r, 1 / r->scales[d].value);
    return out > 0 ? rounded(r, (double)in / (double)out) : 0;
}

/* Where element i of the output lies in the input. */
static double position(const resizing *r, double step, int64_t i)
{
    if (r->mode == RESIZE_NEAREST || r->align) return rounded(r, step * (double)i);
    return rounded(r, rounded(r, step * ((double)i + 0.5)) - 0.5);
}

static int64_t clamped(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void nearest_taps(const resizing *r, double step, taps *t)
{
    for (int64_t i = 0; i < t->n_out; i++) {
        const double at = position(r, step, i) + (r->mode == RESIZE_EXACT ? 0.5 : 0);
        const int64_t in = t->n_in == t->n_out ? i : (int64_t)floor(rounded(r, at));
        taps_add(t, 0, i, clamped(in, t->n_in), 1);
    }
}

static void linear_taps(const resizing *r, double step, taps *t)
{
    for (int64_t i = 0; i < t->n_out; i++) {
        double at = t->n_in == t->n_out ? (double)i : position(r, step, i);
        if (at < 0) at = 0;
        const int64_t low = clamped((int64_t)at, t->n_in);
        double share = rounded(r, at - (double)low);
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        taps_add(t, 0, i, low, rounded(r, 1 - share));
        taps_add(t, 1, i, clamped(low + 1, t->n_in), share);
    }
}

/* Keys' kernel with parameter a, |x| <= 2. */
static double cubic(double x, double a)
{
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static void cubic_taps(const resizing *r, double step, taps *t)
{
    for (int64_t i = 0; i < t->n_out; i++) {
        const double at = position(r, step, i), low = floor(at), share = rounded(r, at - low);
        for (int64_t k = 0; k < 4; k++)
            taps_add(t, k, i, clamped((int64_t)low + k - 1, t->n_in),
                     rounded(r, cubic(share - (double)(k - 1), -0.75)));
    }
}

static double filter(const resizing *r, double x)
{
    if (r->mode == RESIZE_CUBIC_AA) return cubic(x, -0.5);
    return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

/* Shrinking widens the filter; weights sum to 1. */
static void smooth_taps(const resizing *r, double step, taps *t)
{
    const double reach = (r->mode == RESIZE_CUBIC_AA ? 2 : 1) * (step > 1 ? step : 1);
    const double squeeze = step > 1 ? 1 / step : 1;
    for (int64_t i = 0; i < t->n_out; i++) {
        const double centre = step * ((double)i + 0.5);
        const int64_t from = (int64_t)fmax(centre - reach + 0.5, 0);
        int64_t to = (int64_t)(centre + reach + 0.5);
        to = to > t->n_in ? t->n_in : to;
        double total = 0;
        for (int64_t j = from; j < to; j++)
            total += filter(r, ((double)j - centre + 0.5) * squeeze);
        for (int64_t k = 0; k < t->n; k++) {
            const int64_t j = from + k;
            const double w = j < to ? filter(r, ((double)j - centre + 0.5) * squeeze) / total : 0;
            taps_add(t, k, i, clamped(j < to ? j : to - 1, t->n_in), w);
        }
    }
}

static taps taps_of(ob_scope *s, const resizing *r, int d, int64_t in, int64_t out)
{
    const double step = step_of(r, d, in, out);
    const double reach = (r->mode == RESIZE_CUBIC_AA ? 2 : 1) * (step > 1 ? step : 1);
    const int64_t n = r->mode <= RESIZE_EXACT    ? 1
                      : r->mode == RESIZE_LINEAR ? 2
                      : r->mode == RESIZE_CUBIC  ? 4
                                                 : (int64_t)ceil(reach) * 2 + 1;
    taps t = taps_make(s, in, out, n, r->mode > RESIZE_EXACT);
    if (!t.list) return t;
    if (r->mode <= RESIZE_EXACT)
        nearest_taps(r, step, &t);
    else if (r->mode == RESIZE_LINEAR)
        linear_taps(r, step, &t);
    else if (r->mode == RESIZE_CUBIC)
        cubic_taps(r, step, &t);
    else
        smooth_taps(r, step, &t);
    return t;
}

/* Sizes of the small or large image: rank 2 + dims, positive; and a dtype that is resized. */
static bool check(ob_scope *s, const resizing *r, const ob_tensor *x, ob_ints image, ob_ints out)
{
    char text[256];
    if (!x) return false;
    bool fits = image.n == r->dims + 2 && out.n == r->dims && rank_of(x) == r->dims + 2;
    for (int64_t d = 1; fits && d < image.n; d++)
        fits = image.data[d] > 0 && (d < 2 || out.data[d - 2] > 0);
    const bool known = kind_of(x) == OB_KIND_FLOAT || dtype_of(x) == OB_U8;
    if (!known)
        ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "%s: not implemented for %s", r->op,
                                 ob_dtype_name(dtype_of(x))));
    else if (!fits)
        ob_scope_fail(s,
                      OB_FAIL(OB_ERR_SHAPE,
                              "%s: an image of %s to %lld sizes; it must have %d dims that are "
                              "not empty, and %d sizes over 0 are needed",
                              r->op, ob_sizes_format(image.data, (int)image.n, text, sizeof text),
                              (long long)out.n, r->dims + 2, r->dims));
    return known && fits;
}

/* Back to x's dtype; bytes are rounded and clamped. */
static ob_tensor *narrowed(ob_scope *s, ob_tensor *y, const ob_tensor *x)
{
    if (dtype_of(x) == OB_U8 && dtype_of(y) != OB_U8)
        y = ob_clamp(s, ob_round(s, y), ob_int(0), ob_int(255));
    return as_dtype(s, y, dtype_of(x));
}

static ob_tensor *resized(ob_scope *s, resizing r, ob_tensor *x, ob_ints out)
{
    if (!check(s, &r, x, sizes_of(x), out)) return NULL;
    const bool bytes = dtype_of(x) == OB_U8 && r.mode > RESIZE_EXACT;
    ob_tensor *y = bytes ? ob_to_dtype(s, x, OB_F32) : widened(s, x);
    r.wide = dtype_of(x) == OB_F64;
    for (int d = r.dims - 1; d >= 0; d--) {
        const taps t = taps_of(s, &r, d, extent(x, d + 2), out.data[d]);
        y = taps_read(s, y, d + 2, &t);
    }
    return narrowed(s, y, x);
}

static ob_tensor *resized_back(ob_scope *s, resizing r, ob_tensor *grad, ob_ints out, ob_ints in)
{
    if (!check(s, &r, grad, in, out)) return NULL;
    ob_tensor *g = widened(s, grad);
    for (int d = 0; d < r.dims + 2; d++)
        if (extent(grad, d) != (d < 2 ? in.data[d] : out.data[d - 2]))
            return ob_scope_fail(s,
                                 OB_FAIL(OB_ERR_SHAPE,
                                         "%s_backward: dim %d of the gradient has %lld elements, "
                                         "must have %lld",
                                         r.op, d, (long long)extent(grad, d),
                                         (long long)(d < 2 ? in.data[d] : out.data[d - 2])));
    r.wide = dtype_of(grad) == OB_F64;
    for (int d = 0; d < r.dims; d++) {
        const taps t = taps_of(s, &r, d, in.data[d + 2], out.data[d]);
        g = taps_read_back(s, g, d + 2, &t);
    }
    return as_dtype(s, g, dtype_of(grad));
}

/* The forms with sizes or factors. */
static ob_tensor *resized_by(ob_scope *s, resizing r, ob_tensor *x, ob_opt_ints sizes,
                             ob_doubles factors)
{
    int64_t out[MAX_DIMS];
    if (!x) return NULL;
    if (sizes.has == factors.has || (factors.has && factors.n != r.dims))
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG,
                                        "%s: either output_size or %d scale_factors must be given",
                                        r.op, r.dims));
    for (int d = 0; d < r.dims && factors.has; d++) {
        r.scales[d] = (ob_opt_double){ factors.data[d], true };
        out[d] = (int64_t)floor((double)extent(x, d + 2) * factors.data[d]);
    }
    return resized(s, r, x,
                   factors.has ? (ob_ints){ out, r.dims } : (ob_ints){ sizes.data, sizes.n });
}

#define RESIZING(name, mode, align, n, ...) \
    ((resizing){ #name, mode, align, false, n, { __VA_ARGS__ } })

/* NAME, NAME_backward and NAME.vec: ALIGN is an argument's declaration with its comma, ALIGNED its
 * value. */
#define FORMS(name, mode, n, ALIGN, aligned, SCALES, ...)                                        \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *self, ob_ints output_size ALIGN SCALES)  \
    {                                                                                            \
        return resized(s, RESIZING(name, mode, aligned, n, __VA_ARGS__), self, output_size);     \
    }                                                                                            \
    ob_tensor *composite_##name##_backward(ob_scope *s, ob_tensor *grad_output,                  \
                                           ob_ints output_size, ob_ints input_size ALIGN SCALES) \
    {                                                                                            \
        return resized_back(s, RESIZING(name, mode, aligned, n, __VA_ARGS__), grad_output,       \
                            output_size, input_size);                                            \
    }                                                                                            \
    ob_tensor *composite_##name##_vec(ob_scope *s, ob_tensor *input,                             \
                                      ob_opt_ints output_size ALIGN, ob_doubles scale_factors)   \
    {                                                                                            \
        return resized_by(s, RESIZING(name, mode, aligned, n, { 0, false }), input, output_size, \
                          scale_factors);                                                        \
    }

#define COMMA ,
#define ALIGN COMMA bool align_corners
#define NO_ALIGN
#define SCALES_1 COMMA ob_opt_double scales
#define SCALES_2 COMMA ob_opt_double scales_h COMMA ob_opt_double scales_w
#define SCALES_3 COMMA ob_opt_double scales_d SCALES_2

/* clang-format off */
FORMS(upsample_nearest1d,       RESIZE_NEAREST,   1, NO_ALIGN, false,         SCALES_1, scales)
FORMS(upsample_nearest2d,       RESIZE_NEAREST,   2, NO_ALIGN, false,         SCALES_2, scales_h, scales_w)
FORMS(upsample_nearest3d,       RESIZE_NEAREST,   3, NO_ALIGN, false,         SCALES_3, scales_d, scales_h, scales_w)
FORMS(upsample_nearest_exact1d, RESIZE_EXACT,     1, NO_ALIGN, false,         SCALES_1, scales)
FORMS(upsample_nearest_exact2d, RESIZE_EXACT,     2, NO_ALIGN, false,         SCALES_2, scales_h, scales_w)
FORMS(upsample_nearest_exact3d, RESIZE_EXACT,     3, NO_ALIGN, false,         SCALES_3, scales_d, scales_h, scales_w)
FORMS(upsample_linear1d,        RESIZE_LINEAR,    1, ALIGN,    align_corners, SCALES_1, scales)
FORMS(upsample_bilinear2d,      RESIZE_LINEAR,    2, ALIGN,    align_corners, SCALES_2, scales_h, scales_w)
FORMS(upsample_trilinear3d,     RESIZE_LINEAR,    3, ALIGN,    align_corners, SCALES_3, scales_d, scales_h, scales_w)
FORMS(upsample_bicubic2d,       RESIZE_CUBIC,     2, ALIGN,    align_corners, SCALES_2, scales_h, scales_w)
FORMS(upsample_bilinear2d_aa,   RESIZE_LINEAR_AA, 2, ALIGN,    align_corners, SCALES_2, scales_h, scales_w)
FORMS(upsample_bicubic2d_aa,    RESIZE_CUBIC_AA,  2, ALIGN,    align_corners, SCALES_2, scales_h, scales_w)
/* clang-format on */
