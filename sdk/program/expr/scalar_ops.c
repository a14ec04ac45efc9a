/* Python's arithmetic on ints, floats and bools, as graphs compute sizes with it (see
 * scalar_ops.h). */
#include "program/expr/scalar_ops.h"

#include <math.h>
#include <string.h>

static bool is_float(ob_scalar s)
{
    return s.tag == OB_SCALAR_DOUBLE;
}

static ob_status overflow(const char *name)
{
    return OB_FAIL(OB_ERR_SHAPE, "%s: the result does not fit in 64 bits", name);
}

static ob_status zero(const char *name)
{
    return OB_FAIL(OB_ERR_SHAPE, "%s: division by zero", name);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* An operator that has an int form (sets `i`, may return) and a float form. */
#define BINARY(name, int_code, float_code)                                       \
    static ob_status name(const ob_scalar *v, ob_scalar *out)                    \
    {                                                                            \
        if (is_float(v[0]) || is_float(v[1])) {                                  \
            const double a = ob_scalar_double(v[0]), b = ob_scalar_double(v[1]); \
            *out = ob_double(float_code);                                        \
            return OB_OK;                                                        \
        }                                                                        \
        const int64_t a = ob_scalar_int(v[0]), b = ob_scalar_int(v[1]);          \
        int64_t i = 0;                                                           \
        int_code;                                                                \
        *out = ob_int(i);                                                        \
        return OB_OK;                                                            \
    }
BINARY(add, if (OB_ADD_OVERFLOW(a, b, &i)) return overflow("add"), a + b)
BINARY(sub, if (OB_SUB_OVERFLOW(a, b, &i)) return overflow("sub"), a - b)
BINARY(mul, if (OB_MUL_OVERFLOW(a, b, &i)) return overflow("mul"), a *b)
BINARY(
    floordiv, if (b == 0) return zero("floordiv"); if (b == -1) {
        if (OB_SUB_OVERFLOW(0, a, &i)) return overflow("floordiv");
    } else i = floor_div(a, b),
                                                   floor(a / b))
BINARY(mod, if (b == 0) return zero("mod");
       i = b == -1 ? 0 : a - b * floor_div(a, b), a - b * floor(a / b))
BINARY(sym_max, i = a > b ? a : b, a > b ? a : b)
BINARY(sym_min, i = a < b ? a : b, a < b ? a : b)
BINARY(and_, i = a & b, (double)(a != 0 && b != 0))
BINARY(or_, i = a | b, (double)(a != 0 || b != 0))
BINARY(lshift,
       if (b < 0 || b > 62 || OB_MUL_OVERFLOW(a, INT64_C(1) << b, &i)) return overflow("lshift"),
       a *exp2(b))
BINARY(rshift, if (b < 0) return overflow("rshift"); i = a >> (b > 62 ? 62 : b), a / exp2(b))
#undef BINARY

static ob_status truediv(const ob_scalar *v, ob_scalar *out)
{
    const double b = ob_scalar_double(v[1]);
    if (b == 0) return zero("truediv");
    *out = ob_double(ob_scalar_double(v[0]) / b);
    return OB_OK;
}

static ob_status power(const ob_scalar *v, ob_scalar *out)
{
    if (is_float(v[0]) || is_float(v[1]) || ob_scalar_int(v[1]) < 0) {
        *out = ob_double(pow(ob_scalar_double(v[0]), ob_scalar_double(v[1])));
        return OB_OK;
    }
    int64_t base = ob_scalar_int(v[0]), result = 1;
    for (int64_t e = ob_scalar_int(v[1]); e > 0; e >>= 1) {
        if ((e & 1) && OB_MUL_OVERFLOW(result, base, &result)) return overflow("pow");
        if (e > 1 && OB_MUL_OVERFLOW(base, base, &base)) return overflow("pow");
    }
    *out = ob_int(result);
    return OB_OK;
}

#define COMPARE(name, op)                                                     \
    static ob_status name(const ob_scalar *v, ob_scalar *out)                 \
    {                                                                         \
        if (is_float(v[0]) || is_float(v[1]))                                 \
            *out = ob_bool(ob_scalar_double(v[0]) op ob_scalar_double(v[1])); \
        else                                                                  \
            *out = ob_bool(ob_scalar_int(v[0]) op ob_scalar_int(v[1]));       \
        return OB_OK;                                                         \
    }
COMPARE(eq, ==)
COMPARE(ne, !=)
COMPARE(lt, <)
COMPARE(le, <=)
COMPARE(gt, >)
COMPARE(ge, >=)
#undef COMPARE

static ob_status neg(const ob_scalar *v, ob_scalar *out)
{
    return sub((ob_scalar[]){ ob_int(0), v[0] }, out);
}

static ob_status pos(const ob_scalar *v, ob_scalar *out)
{
    *out = v[0];
    return OB_OK;
}

static ob_status to_float(const ob_scalar *v, ob_scalar *out)
{
    *out = ob_double(ob_scalar_double(v[0]));
    return OB_OK;
}

static ob_status to_int(const ob_scalar *v, ob_scalar *out)
{
    if (is_float(v[0]) && !(fabs(v[0].u.d) < 9.2e18)) return overflow("int");
    *out = ob_int(ob_scalar_int(v[0]));
    return OB_OK;
}

static ob_status sym_not(const ob_scalar *v, ob_scalar *out)
{
    *out = ob_bool(ob_scalar_double(v[0]) == 0);
    return OB_OK;
}

static ob_status sym_ite(const ob_scalar *v, ob_scalar *out)
{
    *out = ob_scalar_double(v[0]) != 0 ? v[1] : v[2];
    return OB_OK;
}

static ob_status sym_sqrt(const ob_scalar *v, ob_scalar *out)
{
    *out = ob_double(sqrt(ob_scalar_double(v[0])));
    return OB_OK;
}

/* clang-format off */
static const ob_scalar_op functions[] = {
    { "_operator.add", 2, add },           { "_operator.sub", 2, sub },       { "_operator.mul", 2, mul },
    { "_operator.floordiv", 2, floordiv }, { "_operator.mod", 2, mod },       { "_operator.truediv", 2, truediv },
    { "_operator.pow", 2, power },         { "_operator.neg", 1, neg },       { "_operator.pos", 1, pos },
    { "_operator.and_", 2, and_ },         { "_operator.or_", 2, or_ },       { "_operator.lshift", 2, lshift },
    { "_operator.rshift", 2, rshift },     { "_operator.eq", 2, eq },         { "_operator.ne", 2, ne },
    { "_operator.lt", 2, lt },             { "_operator.le", 2, le },         { "_operator.gt", 2, gt },
    { "_operator.ge", 2, ge },             { "torch.sym_int", 1, to_int },    { "torch.sym_float", 1, to_float },
    { "torch.sym_max", 2, sym_max },       { "torch.sym_min", 2, sym_min },   { "torch.sym_not", 1, sym_not },
    { "torch.sym_ite", 3, sym_ite },       { "torch.sym_sqrt", 1, sym_sqrt }, { "torch._sym_sqrt", 1, sym_sqrt },
    { "math.trunc", 1, to_int },
};
/* clang-format on */

const ob_scalar_op *ob_scalar_op_find(const char *target)
{
    for (size_t i = 0; i < OB_COUNT(functions); i++)
        if (!strcmp(functions[i].target, target)) return &functions[i];
    return NULL;
}
