/* Reductions of complex64 in double complex. Deviations and norms are of absolute values. */
#include <complex.h>
#include <math.h>
#include <tgmath.h>
#undef I

#include "cpu/reduce/reduce.h"

#define OB_IS_FLOAT 1
#define A           double
#include "ops/reduce_norm.inc"
#undef A

#define ob_square(x)            ob_square(cabs(x))
#define ob_norm_step(acc, x, a) ob_norm_step(creal(acc), cabs(x), a)
#define ob_norm_finish(acc, a)  ob_norm_finish(creal(acc), a)

#define T                       float complex
#define A                       double complex
#define ACC_OF(u)               ((u).c)
#define OB_ROWS                 ob_red_complex_rows
#define OB_IF_NOW               OB_IF_C

#include "cpu/reduce/rows.h"

static void most_start(ob_red_state *s)
{
    s->acc.d = -(double)INFINITY;
}

static void most_step(ob_red_state *s, const void *xs, int64_t count, int64_t from)
{
    (void)from;
    for (int64_t i = 0; i < count; i++) {
        const double x = crealf(((const T *)xs)[i]);
        if (x > s->acc.d || x != x) s->acc.d = x;
    }
}

const ob_red_row ob_red_complex_most = { most_start, most_step, NULL };
