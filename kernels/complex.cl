/* Functions of pointwise rows for complex64, as sdk/cpu/pointwise/rows_complex.c has them from <complex.h>. Follows
 * prelude.cl; another dtype skips the file. Inverse functions: W. Kahan, "Branch Cuts for Complex Elementary Functions"
 * (1987). Of the values at infinities those of exp, sqrt, sinh, cosh and tanh follow C99, annex G. */
#if OB_IS_COMPLEX
#define R float

static float2 ob_complex_of(float re)
{
    return (float2)(re, 0.0f);
}

/* A product in which a zero stays one, whatever it is multiplied with. */
static float ob_times(float zero, float y)
{
    return zero == 0 && !isnan(y) ? copysign(0.0f, zero) * copysign(1.0f, y) : zero * y;
}

static float2 ob_complex_abs(float2 x)
{
    return ob_complex_of(hypot(x.x, x.y));
}

static float2 ob_complex_arg(float2 x)
{
    return ob_complex_of(atan2(x.y, x.x));
}

static float2 ob_complex_conj(float2 x)
{
    return (float2)(x.x, -x.y);
}

static int ob_complex_eq(float2 x, float2 y)
{
    return x.x == y.x && x.y == y.y;
}

static int ob_complex_true(float2 x)
{
    return x.x != 0 || x.y != 0;
}

static int ob_complex_isinf(float2 x)
{
    return isinf(x.x) || isinf(x.y);
}

static int ob_complex_isnan(float2 x)
{
    return isnan(x.x) || isnan(x.y);
}

/* Four products and no recovery from NaN, as PyTorch. */
static float2 ob_complex_mul(float2 x, float2 y)
{
    return (float2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

/* Smith's algorithm. */
static float2 ob_complex_div(float2 x, float2 y)
{
    if (y.x == 0 && y.y == 0) return (float2)(x.x / fabs(y.x), x.y / fabs(y.y));
    if (fabs(y.x) >= fabs(y.y)) {
        const float ratio = y.y / y.x, scale = 1 / (y.x + y.y * ratio);
        return (float2)((x.x + x.y * ratio) * scale, (x.y - x.x * ratio) * scale);
    }
    const float ratio = y.x / y.y, scale = 1 / (y.x * ratio + y.y);
    return (float2)((x.x * ratio + x.y) * scale, (x.y * ratio - x.x) * scale);
}

static float2 ob_complex_exp(float2 x)
{
    const float size = exp(x.x);
    if (x.y == 0) return (float2)(size, x.y);
    if (isinf(x.x) && !isfinite(x.y)) return x.x < 0 ? (float2)(0.0f, 0.0f) : (float2)(x.x, NAN);
    return (float2)(size * cos(x.y), size * sin(x.y));
}

static float2 ob_complex_exp2(float2 x)
{
    return ob_complex_exp(x * 0.69314718055994530942f);
}

/* exp(x) - 1 without loss near 0: the real part is expm1(a) cos(b) - 2 sin(b / 2)^2. */
static float2 ob_complex_expm1(float2 x)
{
    const float s = sin(x.y / 2);
    return (float2)(expm1(x.x) * cos(x.y) - 2 * s * s, exp(x.x) * sin(x.y));
}

/* The logarithm; near |x| = 1 its real part by what |x|^2 is more than 1. */
static float2 ob_complex_ln(float2 x)
{
    const float a = fmax(fabs(x.x), fabs(x.y)), b = fmin(fabs(x.x), fabs(x.y));
    const float size = hypot(x.x, x.y);
    const float re = size > 0.5f && size < 2 ? log1p((a - 1) * (a + 1) + b * b) / 2 : log(size);
    return (float2)(re, atan2(x.y, x.x));
}

static float2 ob_complex_log(float2 x, float scale)
{
    return ob_complex_ln(x) * scale;
}

/* log(1 + x): the real part is log1p(2 a + a^2 + b^2) / 2 where 1 + x is near 1. */
static float2 ob_complex_log1p(float2 x)
{
    if (hypot(x.x, x.y) > 0.5f) return ob_complex_ln((float2)(1 + x.x, x.y));
    return (float2)(log1p(x.x * (2 + x.x) + x.y * x.y) / 2, atan2(x.y, 1 + x.x));
}

/* log(exp(x) + exp(y)), where the one of the greater real part is taken out. */
static float2 ob_complex_logaddexp(float2 x, float2 y)
{
    const float2 least = x.x < y.x ? x : y, most = x.x < y.x ? y : x;
    if (!isfinite(x.x) && x.x == y.x)
        return x.x < 0 ? least : ob_complex_ln(ob_complex_exp(least) + ob_complex_exp(most));
    return most + ob_complex_log1p(ob_complex_exp(least - most));
}

static float2 ob_complex_sqrt(float2 x)
{
    if (x.x == 0 && x.y == 0) return (float2)(0.0f, x.y);
    if (isinf(x.y)) return (float2)(INFINITY, x.y);
    if (isinf(x.x))
        return x.x > 0 ? (float2)(x.x, isnan(x.y) ? x.y : copysign(0.0f, x.y))
                       : (float2)(isnan(x.y) ? x.y : 0.0f, copysign(INFINITY, x.y));
    const float scale = fmax(fabs(x.x), fabs(x.y)) > 1e37f ? 0.25f : 1.0f;
    const float2 s = x * scale;
    const float t = sqrt((fabs(s.x) + hypot(s.x, s.y)) / 2);
    const float2 root = s.x >= 0 ? (float2)(t, s.y / (2 * t)) : (float2)(fabs(s.y) / (2 * t), copysign(t, s.y));
    return scale < 1 ? root * 2.0f : root;
}

static float2 ob_complex_sinh(float2 x)
{
    if (x.y == 0) return (float2)(sinh(x.x), x.y);
    return (float2)(ob_times(sinh(x.x), cos(x.y)), ob_times(sin(x.y), cosh(x.x)));
}

static float2 ob_complex_cosh(float2 x)
{
    if (x.y == 0) return (float2)(cosh(x.x), x.x * x.y);
    return (float2)(cosh(x.x) * cos(x.y), ob_times(sinh(x.x), sin(x.y)));
}

static float2 ob_complex_tanh(float2 x)
{
    const float t = tan(x.y), beta = 1 + t * t, s = sinh(x.x), rho = sqrt(1 + s * s);
    if (fabs(x.x) > 11)
        return (float2)(copysign(1.0f, x.x),
                        isfinite(x.y) ? 4 * sin(x.y) * cos(x.y) * exp(-2 * fabs(x.x)) : 0.0f);
    if (isinf(t)) return (float2)(rho / s, 1 / t);
    return (float2)(beta * rho * s, t) / (1 + beta * s * s);
}

/* f(i x) = i g(x) for sin and sinh, tan and tanh, and their inverses. */
#define OB_BY_I(name, of)                                             \
    static float2 ob_complex_##name(float2 x)                         \
    {                                                                 \
        const float2 w = ob_complex_##of((float2)(-x.y, x.x));        \
        return (float2)(w.y, -w.x);                                   \
    }
OB_BY_I(sin, sinh)
OB_BY_I(tan, tanh)

static float2 ob_complex_cos(float2 x)
{
    return ob_complex_cosh((float2)(-x.y, x.x));
}

static float2 ob_complex_asin(float2 x)
{
    const float2 p = ob_complex_sqrt((float2)(1 - x.x, -x.y)), q = ob_complex_sqrt((float2)(1 + x.x, x.y));
    return (float2)(atan2(x.x, p.x * q.x - p.y * q.y), asinh(p.x * q.y - p.y * q.x));
}

static float2 ob_complex_acos(float2 x)
{
    const float2 p = ob_complex_sqrt((float2)(1 - x.x, -x.y)), q = ob_complex_sqrt((float2)(1 + x.x, x.y));
    return (float2)(2 * atan2(p.x, q.x), asinh(q.x * p.y - q.y * p.x));
}

static float2 ob_complex_acosh(float2 x)
{
    const float2 p = ob_complex_sqrt((float2)(x.x - 1, x.y)), q = ob_complex_sqrt((float2)(x.x + 1, x.y));
    return (float2)(asinh(p.x * q.x + p.y * q.y), 2 * atan2(p.y, q.x));
}

static float2 ob_complex_atanh(float2 x)
{
    const float a = x.x, b = x.y;
    if (fmax(fabs(a), fabs(b)) > 1e18f) /* the real part is a / |x|^2, the imaginary one pi / 2 */
        return (float2)(isinf(a) || isinf(b) ? copysign(0.0f, a) : a / hypot(a, b) / hypot(a, b),
                        copysign(1.57079632679489661923f, b));
    return (float2)(log1p(4 * a / ((1 - a) * (1 - a) + b * b)) / 4,
                    atan2(2 * b, (1 - a) * (1 + a) - b * b) / 2);
}
OB_BY_I(asinh, asin)
OB_BY_I(atan, atanh)

static float2 ob_complex_sgn(float2 x)
{
    const float size = hypot(x.x, x.y);
    return size == 0 ? (float2)(0.0f, 0.0f) : x / size;
}

static float2 ob_complex_sinc(float2 x)
{
    const float2 t = x * 3.14159265358979323846f;
    return ob_complex_true(x) ? ob_complex_div(ob_complex_sin(t), t) : ob_complex_of(1);
}

static float2 ob_complex_pow(float2 x, float2 y)
{
    return ob_complex_exp(ob_complex_mul(y, ob_complex_ln(x)));
}

static float2 ob_complex_pow_scalar(float2 x, float2 y)
{
    if (y.y == 0 && y.x == 2) return ob_complex_mul(x, x);
    if (y.y == 0 && y.x == 0.5f) return ob_complex_sqrt(x);
    if (y.y == 0 && y.x == -1) return ob_complex_div(ob_complex_of(1), x);
    return ob_complex_pow(x, y);
}

static float2 ob_complex_lerp(float2 x, float2 y, float2 z)
{
    if (hypot(z.x, z.y) < 0.5f) return x + ob_complex_mul(z, y - x);
    return y - ob_complex_mul(y - x, ob_complex_of(1) - z);
}

/* What rows call for floats and complex numbers alike. */
#define acos(x)   ob_complex_acos(x)
#define acosh(x)  ob_complex_acosh(x)
#define asin(x)   ob_complex_asin(x)
#define asinh(x)  ob_complex_asinh(x)
#define atan(x)   ob_complex_atan(x)
#define atanh(x)  ob_complex_atanh(x)
#define cos(x)    ob_complex_cos(x)
#define cosh(x)   ob_complex_cosh(x)
#define exp(x)    ob_complex_exp(x)
#define log(x)    ob_complex_ln(x)
#define pow(x, y) ob_complex_pow(x, y)
#define sin(x)    ob_complex_sin(x)
#define sinh(x)   ob_complex_sinh(x)
#define sqrt(x)   ob_complex_sqrt(x)
#define tan(x)    ob_complex_tan(x)
#define tanh(x)   ob_complex_tanh(x)
#endif
