/* Type promotion of a call's arguments; see promote.h. */
#include "ops/rules/promote.h"

/* ScalarType numbers that promotion can reach but libob has no kernels for. */
enum { COMPLEX32 = 8, COMPLEX128 = 10 };

static bool is_complex(ob_dtype d)
{
    return d == OB_C64 || (int)d == COMPLEX32 || (int)d == COMPLEX128;
}

static ob_kind kind_of(ob_dtype d)
{
    return is_complex(d) ? OB_KIND_COMPLEX : ob_dtype_kind(d);
}

/* The complex dtype whose parts are of the float dtype d; bfloat16 has none of its own. */
static ob_dtype to_complex(ob_dtype d)
{
    return d == OB_F16 ? (ob_dtype)COMPLEX32 : d == OB_F64 ? (ob_dtype)COMPLEX128 : OB_C64;
}

static ob_dtype promote(ob_dtype a, ob_dtype b)
{
    if (a == b || b == OB_DTYPE_NONE) return a;
    if (a == OB_DTYPE_NONE) return b;
    if (is_complex(a) || is_complex(b)) {
        const ob_dtype ca = kind_of(a) == OB_KIND_FLOAT ? to_complex(a) : a;
        const ob_dtype cb = kind_of(b) == OB_KIND_FLOAT ? to_complex(b) : b;
        if (!is_complex(ca)) return cb;
        if (!is_complex(cb)) return ca;
        return (int)ca == COMPLEX128 || (int)cb == COMPLEX128 ? (ob_dtype)COMPLEX128
               : ca == cb                                     ? ca
                                                              : OB_C64;
    }
    return ob_dtype_promote(a, b);
}

/* `lower` counts only when its category is higher than that of `higher`. */
static ob_dtype combine(ob_dtype higher, ob_dtype lower)
{
    if (higher == OB_DTYPE_NONE) return lower;
    if (lower == OB_DTYPE_NONE || is_complex(higher)) return higher;
    if (kind_of(higher) == OB_KIND_FLOAT) return is_complex(lower) ? to_complex(higher) : higher;
    if (higher == OB_BOOL || kind_of(lower) >= OB_KIND_FLOAT) return promote(higher, lower);
    return higher;
}

static ob_dtype of_kind(ob_kind kind)
{
    static const ob_dtype defaults[] = { OB_BOOL, OB_I64, OB_F32, OB_C64 };
    return defaults[kind];
}

void ob_promotion_tensor(ob_promotion *p, const ob_tensor *t)
{
    const ob_dtype d = ob_tensor_dtype(t);
    if (ob_tensor_is_wrapped_number(t)) {
        const ob_kind kind = ob_dtype_kind(d);
        p->wrapped = promote(p->wrapped, kind >= OB_KIND_FLOAT ? of_kind(kind) : d);
    } else if (ob_tensor_rank(t) > 0) {
        p->dim = promote(p->dim, d);
    } else {
        p->zero = promote(p->zero, d);
    }
}

void ob_promotion_scalar(ob_promotion *p, ob_scalar s)
{
    if (s.tag == OB_SCALAR_NONE) return;
    p->wrapped = promote(p->wrapped, of_kind(ob_scalar_kind(s)));
}

void ob_promotion_value(ob_promotion *p, const ob_value *v)
{
    if (v->tag == OB_VALUE_TENSOR) {
        ob_promotion_tensor(p, v->u.tensor);
    } else if (v->tag == OB_VALUE_TENSORS) {
        for (uint32_t i = 0; i < v->count; i++)
            if (v->u.tensors[i]) ob_promotion_tensor(p, v->u.tensors[i]);
    } else {
        ob_promotion_scalar(p, ob_value_as_scalar(v));
    }
}

ob_dtype ob_promotion_result(const ob_promotion *p)
{
    return combine(p->dim, combine(p->zero, p->wrapped));
}
