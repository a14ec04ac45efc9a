/* Functions of symbolic sizes, in checked 64-bit arithmetic; Python's rounding rules (see expr.h).
 */
#include "program/expr/expr_heads.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_ARGS = OB_EXPR_MAX_ARGS };
typedef ob_number number;

double ob_number_real(ob_number v)
{
    return v.is_float ? v.d : (double)v.i;
}

static number whole(int64_t i)
{
    return (number){ .i = i };
}

static number of_double(double d)
{
    return (number){ .is_float = true, .d = d };
}

static ob_status overflow(const char *what)
{
    return OB_FAIL(OB_ERR_SHAPE, "a symbolic size overflows 64 bits in %s", what);
}

static ob_status do_add(const number *a, int n, number *out)
{
    number sum = whole(0);
    for (int k = 0; k < n; k++) {
        if (sum.is_float || a[k].is_float)
            sum = of_double(ob_number_real(sum) + ob_number_real(a[k]));
        else if (OB_ADD_OVERFLOW(sum.i, a[k].i, &sum.i))
            return overflow("Add");
    }
    *out = sum;
    return OB_OK;
}

static ob_status do_mul(const number *a, int n, number *out)
{
    number product = whole(1);
    for (int k = 0; k < n; k++) {
        if (product.is_float || a[k].is_float)
            product = of_double(ob_number_real(product) * ob_number_real(a[k]));
        else if (OB_MUL_OVERFLOW(product.i, a[k].i, &product.i))
            return overflow("Mul");
    }
    *out = product;
    return OB_OK;
}

static ob_status do_sub(const number *a, int n, number *out)
{
    if (n == 1) return do_mul((number[]){ whole(-1), a[0] }, 2, out);
    if (a[0].is_float || a[1].is_float)
        *out = of_double(ob_number_real(a[0]) - ob_number_real(a[1]));
    else {
        *out = whole(0);
        if (OB_SUB_OVERFLOW(a[0].i, a[1].i, &out->i)) return overflow("a difference");
    }
    return OB_OK;
}

/* Rounds toward minus infinity, as Python's //. */
static ob_status do_floor_div(const number *a, int n, number *out)
{
    (void)n;
    if (a[0].is_float || a[1].is_float) {
        if (ob_number_real(a[1]) == 0)
            return OB_FAIL(OB_ERR_SHAPE, "a symbolic size divides by zero");
        *out = of_double(floor(ob_number_real(a[0]) / ob_number_real(a[1])));
        return OB_OK;
    }
    if (a[1].i == 0) return OB_FAIL(OB_ERR_SHAPE, "a symbolic size divides by zero");
    if (a[0].i == INT64_MIN && a[1].i == -1) return overflow("FloorDiv");
    *out = whole(a[0].i / a[1].i - (a[0].i % a[1].i != 0 && (a[0].i < 0) != (a[1].i < 0)));
    return OB_OK;
}

static ob_status do_ceil_div(const number *a, int n, number *out)
{
    number down;
    OB_TRY(do_mul((number[]){ whole(-1), a[0] }, 2, &down));
    OB_TRY(do_floor_div((number[]){ down, a[1] }, n, &down));
    return do_mul((number[]){ whole(-1), down }, 2, out);
}

/* Takes the divisor's sign, as Python's %. */
static ob_status do_mod(const number *a, int n, number *out)
{
    number q, p;
    OB_TRY(do_floor_div(a, n, &q));
    OB_TRY(do_mul((number[]){ q, a[1] }, 2, &p));
    return do_sub((number[]){ a[0], p }, 2, out);
}

/* (base // divisor) % modulus */
static ob_status do_modular_indexing(const number *a, int n, number *out)
{
    number q;
    (void)n;
    OB_TRY(do_floor_div(a, 2, &q));
    return do_mod((number[]){ q, a[2] }, 2, out);
}

static ob_status do_true_div(const number *a, int n, number *out)
{
    (void)n;
    if (ob_number_real(a[1]) == 0) return OB_FAIL(OB_ERR_SHAPE, "a symbolic size divides by zero");
    *out = of_double(ob_number_real(a[0]) / ob_number_real(a[1]));
    return OB_OK;
}

static ob_status do_pow(const number *a, int n, number *out)
{
    (void)n;
    if (a[0].is_float || a[1].is_float || a[1].i < 0) {
        if (ob_number_real(a[0]) == 0 && ob_number_real(a[1]) < 0)
            return OB_FAIL(OB_ERR_SHAPE, "a symbolic size divides by zero");
        *out = of_double(pow(ob_number_real(a[0]), ob_number_real(a[1])));
        return OB_OK;
    }
    int64_t base = a[0].i, result = 1;
    for (int64_t e = a[1].i; e > 0; e >>= 1) {
        if ((e & 1) && OB_MUL_OVERFLOW(result, base, &result)) return overflow("Pow");
        if (e > 1 && OB_MUL_OVERFLOW(base, base, &base)) return overflow("Pow");
    }
    *out = whole(result);
    return OB_OK;
}

static ob_status do_max(const number *a, int n, number *out)
{
    *out = a[0];
    for (int k = 1; k < n; k++)
        if (ob_number_real(a[k]) > ob_number_real(*out)) *out = a[k];
    return OB_OK;
}

static ob_status do_min(const number *a, int n, number *out)
{
    *out = a[0];
    for (int k = 1; k < n; k++)
        if (ob_number_real(a[k]) < ob_number_real(*out)) *out = a[k];
    return OB_OK;
}

static ob_status to_int(double d, number *out)
{
    if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
        return overflow("a conversion to int");
    *out = whole((int64_t)d);
    return OB_OK;
}

#define ROUNDING(name, function)                                      \
    static ob_status do_##name(const number *a, int n, number *out)   \
    {                                                                 \
        (void)n;                                                      \
        *out = a[0];                                                  \
        return a[0].is_float ? to_int(function(a[0].d), out) : OB_OK; \
    }
ROUNDING(floor, floor)
ROUNDING(ceil, ceil)
ROUNDING(trunc, trunc)
ROUNDING(round, nearbyint)
#undef ROUNDING

static ob_status do_to_float(const number *a, int n, number *out)
{
    (void)n;
    *out = of_double(ob_number_real(a[0]));
    return OB_OK;
}

static ob_status do_identity(const number *a, int n, number *out)
{
    (void)n;
    *out = a[0];
    return OB_OK;
}

static ob_status do_shift_left(const number *a, int n, number *out)
{
    (void)n;
    if (a[1].i < 0 || a[1].i > 62) return overflow("LShift");
    return do_mul((number[]){ a[0], whole(INT64_C(1) << a[1].i) }, 2, out);
}

static ob_status do_shift_right(const number *a, int n, number *out)
{
    (void)n;
    if (a[1].i < 0) return overflow("RShift");
    return do_floor_div((number[]){ a[0], whole(INT64_C(1) << (a[1].i > 62 ? 62 : a[1].i)) }, 2,
                        out);
}

static ob_status do_where(const number *a, int n, number *out)
{
    (void)n;
    *out = ob_number_real(a[0]) != 0 ? a[1] : a[2];
    return OB_OK;
}

#define COMPARISON(name, op)                                        \
    static ob_status do_##name(const number *a, int n, number *out) \
    {                                                               \
        (void)n;                                                    \
        *out = whole(ob_number_real(a[0]) op ob_number_real(a[1])); \
        return OB_OK;                                               \
    }
COMPARISON(ge, >=)
COMPARISON(le, <=)
COMPARISON(gt, >)
COMPARISON(lt, <)
COMPARISON(eq, ==)
COMPARISON(ne, !=)
#undef COMPARISON

/* clang-format off */
/* Sub and Neg are the operators of infix keys. */
static const ob_expr_head heads[] = {
    { "Add", 1, MAX_ARGS, do_add },          { "Mul", 1, MAX_ARGS, do_mul },
    { "FloorDiv", 2, 2, do_floor_div },      { "CleanDiv", 2, 2, do_floor_div },
    { "CeilDiv", 2, 2, do_ceil_div },        { "Mod", 2, 2, do_mod },
    { "PythonMod", 2, 2, do_mod },           { "ModularIndexing", 3, 3, do_modular_indexing },
    { "Pow", 2, 2, do_pow },                 { "PowByNatural", 2, 2, do_pow },
    { "FloatPow", 2, 2, do_pow },            { "FloatTrueDiv", 2, 2, do_true_div },
    { "IntTrueDiv", 2, 2, do_true_div },     { "Max", 1, MAX_ARGS, do_max },
    { "Min", 1, MAX_ARGS, do_min },          { "FloorToInt", 1, 1, do_floor },
    { "CeilToInt", 1, 1, do_ceil },          { "TruncToInt", 1, 1, do_trunc },
    { "RoundToInt", 1, 1, do_round },        { "TruncToFloat", 1, 1, do_trunc },
    { "FloatTrunc", 1, 1, do_trunc },        { "floor", 1, 1, do_floor },
    { "ceiling", 1, 1, do_ceil },            { "ToFloat", 1, 1, do_to_float },
    { "Identity", 1, 1, do_identity },       { "LShift", 2, 2, do_shift_left },
    { "RShift", 2, 2, do_shift_right },      { "Where", 3, 3, do_where },
    { "GreaterThan", 2, 2, do_ge },          { "LessThan", 2, 2, do_le },
    { "StrictGreaterThan", 2, 2, do_gt },    { "StrictLessThan", 2, 2, do_lt },
    { "Equality", 2, 2, do_eq },             { "Unequality", 2, 2, do_ne },
    { "Sub", 2, 2, do_sub },                 { "Neg", 1, 1, do_sub },
};
/* clang-format on */

const ob_expr_head *ob_expr_head_find(const char *name)
{
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (!strcmp(heads[i].name, name)) return &heads[i];
    return NULL;
}

ob_status ob_number_int(ob_number v, int64_t *out)
{
    number n = v;
    *out = 0;
    if (v.is_float) {
        if (v.d != floor(v.d))
            return OB_FAIL(OB_ERR_SHAPE, "a symbolic size is %g, should be whole", v.d);
        OB_TRY(to_int(v.d, &n));
    }
    *out = n.i;
    return OB_OK;
}
