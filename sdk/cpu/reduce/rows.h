/* The rows of reduce.inc as C functions of one type. A template: the includer defines
 *   T          wide type of elements and results, a macro
 *   A          type of accumulators, and `acc_of` its member of ob_red_state's unions
 *   lowest, highest   ends of A
 *   OB_ROWS    name of the table that it gets
 *   OB_IF_NOW  OB_IF_I, OB_IF_F or OB_IF_C: which kind's formulas are taken
 * No include guard, on purpose. */
#define OB_FORM(name, args, of)
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) \
    OB_KINDS_##kinds(OB_IF_NOW)(OB_ROW(name, flags, start, step, finish))
#define OB_NAMES                     \
    const A m = ACC_OF(s->m);        \
    const double a = s->a, n = s->n; \
    (void)m, (void)a, (void)n;
#define OB_ROW(name, flags, start, step, finish)                                          \
    static void start_##name(ob_red_state *s)                                             \
    {                                                                                     \
        OB_NAMES                                                                          \
        ACC_OF(s->acc) = (A)(start);                                                      \
    }                                                                                     \
    static void step_##name(ob_red_state *s, const void *xs, int64_t count, int64_t from) \
    {                                                                                     \
        OB_NAMES                                                                          \
        A acc = ACC_OF(s->acc);                                                           \
        for (int64_t i = 0; i < count; i++) {                                             \
            const A x = (A)((const T *)xs)[i];                                            \
            if (!((flags)&OB_RED_INDEX)) {                                                \
                acc = (A)(step);                                                          \
            } else if ((step) != 0) {                                                     \
                acc = x;                                                                  \
                s->index = from + i;                                                      \
            }                                                                             \
        }                                                                                 \
        ACC_OF(s->acc) = acc;                                                             \
    }                                                                                     \
    static void finish_##name(const ob_red_state *s, void *out)                           \
    {                                                                                     \
        OB_NAMES                                                                          \
        const A acc = ACC_OF(s->acc);                                                     \
        *(T *)out = (T)(finish);                                                          \
    }
#include "ops/reduce.inc"
#undef OB_ROW

#define OB_ROW(name, flags, start, step, finish) \
    [OB_RED_##name] = { start_##name, step_##name, finish_##name },
const ob_red_row OB_ROWS[OB_RED_OPS] = {
#include "ops/reduce.inc"
};
#undef OB_FORM
#undef OB_REDUCE
#undef OB_NAMES
#undef OB_ROW
