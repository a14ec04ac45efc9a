/* The pointwise table as data; see pointwise.h. */
#include "ops/rules/pointwise_table.h"

#include <string.h>

#include "ob/ops.h"

const ob_pointwise_op ob_pointwise_ops[OB_PW_COUNT] = {
#define OB_POINTWISE(name, args, result, flags, kinds, ...) \
    [OB_PW_##name] = { #args, result, flags, OB_PW_##name, OB_OP_##name },
#define OB_VALUE(name, kinds, ...)
#define OB_ALIAS(name, base) [OB_PW_##name] = { .of = OB_PW_##base, .aten = OB_OP_##name },
#include "ops/pointwise.inc"
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS
};

bool ob_pointwise_has_kind(int i, ob_kind kind)
{
    static const bool has[][OB_PW_COUNT] = {
#define OB_VALUE(name, kinds, ...)                          OB_KINDS_##kinds(OB_IF_NOW)([OB_PW_##name] = true, )
#define OB_POINTWISE(name, args, result, flags, kinds, ...) OB_VALUE(name, kinds, )
#define OB_ALIAS(name, of)
#define OB_IF_NOW OB_IF_B
        [OB_KIND_BOOL] = {
#include "ops/pointwise.inc"
        },
#undef OB_IF_NOW
#define OB_IF_NOW OB_IF_I
        [OB_KIND_INT] = {
#include "ops/pointwise.inc"
        },
#undef OB_IF_NOW
#define OB_IF_NOW OB_IF_F
        [OB_KIND_FLOAT] = {
#include "ops/pointwise.inc"
        },
#undef OB_IF_NOW
#define OB_IF_NOW OB_IF_C
        [OB_KIND_COMPLEX] = {
#include "ops/pointwise.inc"
        },
#undef OB_IF_NOW
#undef OB_POINTWISE
#undef OB_VALUE
#undef OB_ALIAS
    };
    return has[kind][i];
}

ob_pointwise_args ob_pointwise_sort_args(const char *letters, const ob_value *args)
{
    ob_pointwise_args sorted = { { NULL }, { NULL }, { 0 } };
    for (int i = 0; letters[i]; i++) {
        if (letters[i] >= 'x') {
            sorted.operand[letters[i] - 'x'] = &args[i];
            sorted.position[letters[i] - 'x'] = i;
        } else {
            sorted.param[letters[i] - 'a'] = &args[i];
        }
    }
    return sorted;
}

ob_scalar ob_pointwise_param(const ob_value *v)
{
    static const struct {
        const char *name;
        int64_t number;
    } modes[] = { { "none", 0 }, { "tanh", 1 }, { "trunc", 1 }, { "floor", 2 } };
    if (v->tag != OB_VALUE_STRING) return ob_value_as_scalar(v);
    for (size_t i = 0; i < OB_COUNT(modes); i++)
        if (strcmp(v->u.string, modes[i].name) == 0) return ob_int(modes[i].number);
    return (ob_scalar){ OB_SCALAR_NONE, { 0 } };
}
