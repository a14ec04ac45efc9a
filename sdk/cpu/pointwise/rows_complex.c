/* Pointwise rows in float complex: complex64. The functions of kernels/complex.cl, by <complex.h>.
 */
#include <complex.h>
#include <math.h>
#include <tgmath.h>
#undef I

#include "cpu/pointwise/pointwise.h"

#define T         float complex
#define R         float
#define OB_ROWS   ob_pw_complex_rows
#define OB_IF_NOW OB_IF_C

static inline T make(float re, float im)
{
    T z;
    ((float *)&z)[0] = re;
    ((float *)&z)[1] = im;
    return z;
}

static inline T ob_complex_of(float re)
{
    return make(re, 0);
}

static inline float ob_complex_abs(T x)
{
    return cabsf(x);
}

static inline float ob_complex_arg(T x)
{
    return cargf(x);
}

static inline T ob_complex_conj(T x)
{
    return conjf(x);
}

static inline bool ob_complex_eq(T x, T y)
{
    return crealf(x) == crealf(y) && cimagf(x) == cimagf(y);
}

static inline bool ob_complex_true(T x)
{
    return crealf(x) != 0 || cimagf(x) != 0;
}

static inline bool ob_complex_isnan(T x)
{
    return isnan(crealf(x)) || isnan(cimagf(x));
}

static inline bool ob_complex_isinf(T x)
{
    return isinf(crealf(x)) || isinf(cimagf(x));
}

/* Four products and no recovery from NaN, as PyTorch. */
static inline T ob_complex_mul(T x, T y)
{
    const float a = crealf(x), b = cimagf(x), c = crealf(y), d = cimagf(y);
    return make(a * c - b * d, a * d + b * c);
}

/* Smith's algorithm. */
static inline T ob_complex_div(T x, T y)
{
    const float a = crealf(x), b = cimagf(x), c = crealf(y), d = cimagf(y);
    if (c == 0 && d == 0) return make(a / fabsf(c), b / fabsf(d));
    if (fabsf(c) >= fabsf(d)) {
        const float ratio = d / c, scale = 1 / (c + d * ratio);
        return make((a + b * ratio) * scale, (b - a * ratio) * scale);
    }
    const float ratio = c / d, scale = 1 / (c * ratio + d);
    return make((a * ratio + b) * scale, (b * ratio - a) * scale);
}

static inline T ob_complex_exp2(T x)
{
    return cexpf(x * 0.69314718055994530942f);
}

/* exp(x) - 1 without loss near 0: the real part is expm1(a) cos(b) - 2 sin(b / 2)^2. */
static inline T ob_complex_expm1(T x)
{
    const float a = crealf(x), b = cimagf(x), half = sinf(b / 2);
    return make(expm1f(a) * cosf(b) - 2 * half * half, expf(a) * sinf(b));
}

static inline T ob_complex_log(T x, R scale)
{
    const T l = clogf(x);
    return make(crealf(l) * scale, cimagf(l) * scale);
}

/* log(1 + x): the real part is log1p(2 a + a^2 + b^2) / 2 where 1 + x is near 1. */
static inline T ob_complex_log1p(T x)
{
    const float a = crealf(x), b = cimagf(x);
    if (cabsf(x) > 0.5f) return clogf(make(1 + a, b));
    return make(log1pf(a * (2 + a) + b * b) / 2, atan2f(b, 1 + a));
}

/* log(exp(x) + exp(y)), where the one of the greater real part is taken out. */
static inline T ob_complex_logaddexp(T x, T y)
{
    const bool less = crealf(x) < crealf(y);
    const T least = less ? x : y, most = less ? y : x;
    if (!isfinite(crealf(x)) && crealf(x) == crealf(y))
        return crealf(x) < 0 ? least : clogf(cexpf(least) + cexpf(most));
    return most + ob_complex_log1p(cexpf(least - most));
}

static inline T ob_complex_sgn(T x)
{
    const float size = cabsf(x);
    return size == 0 ? ob_complex_of(0) : make(crealf(x) / size, cimagf(x) / size);
}

static inline T ob_complex_sinc(T x)
{
    const T t = x * 3.14159265358979323846f;
    return ob_complex_true(x) ? ob_complex_div(csinf(t), t) : ob_complex_of(1);
}

static inline T ob_complex_pow_scalar(T x, T y)
{
    if (ob_complex_eq(y, ob_complex_of(2))) return ob_complex_mul(x, x);
    if (ob_complex_eq(y, ob_complex_of(0.5f))) return csqrtf(x);
    if (ob_complex_eq(y, ob_complex_of(-1))) return ob_complex_div(ob_complex_of(1), x);
    return cpowf(x, y);
}

static inline T ob_complex_lerp(T x, T y, T z)
{
    if (cabsf(z) < 0.5f) return x + ob_complex_mul(z, y - x);
    return y - ob_complex_mul(y - x, ob_complex_of(1) - z);
}

#include "cpu/pointwise/rows.h"
