/* The rows of pointwise.inc as C functions of one type. A template: the includer defines
 *   T                type of values, a macro
 *   OB_ROWS          name of the table of functions that it gets
 *   OB_IF_NOW        OB_IF_B, OB_IF_I, OB_IF_F or OB_IF_C: which kind's values are taken
 * and has included the functions that those values call. No include guard, on purpose. */
#define OB_VALUE(name, kinds, ...)                          OB_KINDS_##kinds(OB_IF_NOW)(OB_ROW(name, __VA_ARGS__))
#define OB_POINTWISE(name, args, result, flags, kinds, ...) OB_VALUE(name, kinds, __VA_ARGS__)
#define OB_ALIAS(name, of)
#define OB_ROW(name, ...)                                                                       \
    static void row_##name(int64_t n, void *out, const void *const in[OB_PW_OPERANDS],          \
                           const ob_pw_constants *constants)                                    \
    {                                                                                           \
        const T *xs = in[0], *ys = in[1], *zs = in[2], *params = (const T *)&constants->params; \
        const T a = params[0], b = params[1], c = params[2], d = params[3];                     \
        const T big = params[OB_PW_PARAMS];                                                     \
        const bool has_y = constants->has & OB_PW_HAS_Y, has_z = constants->has & OB_PW_HAS_Z;  \
        const bool has_a = constants->has & OB_PW_HAS_A, has_b = constants->has & OB_PW_HAS_B;  \
        const bool has_c = constants->has & OB_PW_HAS_C;                                        \
        T *restrict outs = out;                                                                 \
        (void)a, (void)b, (void)c, (void)d, (void)big;                                          \
        (void)has_y, (void)has_z, (void)has_a, (void)has_b, (void)has_c;                        \
        for (int64_t i = 0; i < n; i++) {                                                       \
            const T x = xs[i], y = ys[i], z = zs[i];                                            \
            (void)x, (void)y, (void)z;                                                          \
            outs[i] = (T)(__VA_ARGS__);                                                         \
        }                                                                                       \
    }
#include "ops/pointwise.inc"
#undef OB_VALUE
#undef OB_POINTWISE
#undef OB_ROW

#define OB_VALUE(name, kinds, ...)                          OB_KINDS_##kinds(OB_IF_NOW)([OB_PW_##name] = row_##name, )
#define OB_POINTWISE(name, args, result, flags, kinds, ...) OB_VALUE(name, kinds, )
const ob_pw_row_fn OB_ROWS[OB_PW_COUNT] = {
#include "ops/pointwise.inc"
};
#undef OB_VALUE
#undef OB_POINTWISE
#undef OB_ALIAS
