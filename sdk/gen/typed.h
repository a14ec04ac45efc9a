/* What generated sources call: boxing and unboxing of each C type of fields.inc, and the call
 * itself.
 *
 * Boxing borrows: a value lives as long as what it was made of, lists of Scalars as long as the
 * scope. Unboxing borrows from the value. Everything takes the scope, so that generated code need
 * not know which types want it. */
#ifndef OB_GEN_TYPED_H
#define OB_GEN_TYPED_H

#include "ob/ops.h"

/* Call an op in the scope. `args` is its argument struct, `codes` one letter per field
 * (fields.inc); `returns` describes `result` likewise, which is all "not given" when the scope
 * failed. */
void ob_typed_call(ob_scope *s, ob_op_id id, const void *args, const char *codes,
                   const char *returns, void *result);
/* The same for an op that returns one tensor. */
ob_tensor *ob_typed_tensor(ob_scope *s, ob_op_id id, const void *args, const char *codes);
/* End a composite's kernel: owned copies of `out` (n_results of them) go to the frame, the scope is
 * closed. */
ob_status ob_typed_end(ob_frame *frame, ob_scope *s, const ob_value *out) OB_MUST_USE;

/* One composite. */
typedef struct ob_typed_row {
    ob_op_id id;
    ob_key key;
    ob_kernel_fn fn;
} ob_typed_row;

/* Made by ob_gen. */
extern const ob_typed_row ob_composite_rows[];
extern const size_t ob_composite_row_count;

/* A list of Scalars as values, in the scope's memory. */
ob_value ob_box_scalars(ob_scope *s, ob_scalars list);
ob_scalars ob_unbox_scalars(ob_scope *s, const ob_value *v);

static inline ob_value ob_box_tensor(ob_scope *s, ob_tensor *t)
{
    (void)s;
    return ob_value_tensor(t);
}
static inline ob_tensor *ob_unbox_tensor(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_TENSOR ? v->u.tensor : NULL;
}

static inline ob_value ob_box_tensors(ob_scope *s, ob_tensors list)
{
    (void)s;
    return ob_value_tensors(list);
}
static inline ob_tensors ob_unbox_tensors(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_TENSORS ? (ob_tensors){ v->u.tensors, v->count }
                                      : (ob_tensors){ NULL, 0 };
}

static inline ob_value ob_box_int(ob_scope *s, int64_t i)
{
    (void)s;
    return ob_value_int(i);
}
static inline int64_t ob_unbox_int(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_INT ? v->u.i : ob_scalar_int(ob_value_as_scalar(v));
}

static inline ob_value ob_box_opt_int(ob_scope *s, ob_opt_int i)
{
    (void)s;
    return i.has ? ob_value_int(i.value) : ob_value_none();
}
static inline ob_opt_int ob_unbox_opt_int(ob_scope *s, const ob_value *v)
{
    const bool has = v->tag == OB_VALUE_INT || v->tag == OB_VALUE_BOOL;
    return (ob_opt_int){ has ? ob_unbox_int(s, v) : 0, has };
}

static inline ob_value ob_box_ints(ob_scope *s, ob_ints list)
{
    (void)s;
    return ob_value_ints(list);
}
/* An int serves as a list of one, as a default of `int[N]?` may be. */
static inline ob_ints ob_unbox_ints(ob_scope *s, const ob_value *v)
{
    (void)s;
    if (v->tag == OB_VALUE_INT) return (ob_ints){ &v->u.i, 1 };
    return v->tag == OB_VALUE_INTS ? (ob_ints){ v->u.ints, v->count } : (ob_ints){ NULL, 0 };
}

static inline ob_value ob_box_opt_ints(ob_scope *s, ob_opt_ints list)
{
    (void)s;
    return list.has ? ob_value_ints((ob_ints){ list.data, list.n }) : ob_value_none();
}
static inline ob_opt_ints ob_unbox_opt_ints(ob_scope *s, const ob_value *v)
{
    const ob_ints list = ob_unbox_ints(s, v);
    return (ob_opt_ints){ list.data, list.n, v->tag == OB_VALUE_INTS || v->tag == OB_VALUE_INT };
}

static inline ob_value ob_box_double(ob_scope *s, double d)
{
    (void)s;
    return ob_value_double(d);
}
static inline double ob_unbox_double(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_DOUBLE ? v->u.d : ob_scalar_double(ob_value_as_scalar(v));
}

static inline ob_value ob_box_opt_double(ob_scope *s, ob_opt_double d)
{
    (void)s;
    return d.has ? ob_value_double(d.value) : ob_value_none();
}
static inline ob_opt_double ob_unbox_opt_double(ob_scope *s, const ob_value *v)
{
    const bool has = v->tag == OB_VALUE_DOUBLE || v->tag == OB_VALUE_INT || v->tag == OB_VALUE_BOOL;
    return (ob_opt_double){ has ? ob_unbox_double(s, v) : 0, has };
}

static inline ob_value ob_box_doubles(ob_scope *s, ob_doubles list)
{
    (void)s;
    ob_value v = { OB_VALUE_DOUBLES, (uint32_t)list.n, { 0 } };
    v.u.doubles = list.data;
    return v;
}
static inline ob_doubles ob_unbox_doubles(ob_scope *s, const ob_value *v)
{
    (void)s;
    const bool has = v->tag == OB_VALUE_DOUBLES;
    return (ob_doubles){ has ? v->u.doubles : NULL, has ? v->count : 0, has };
}

static inline ob_value ob_box_opt_doubles(ob_scope *s, ob_doubles list)
{
    return list.has ? ob_box_doubles(s, list) : ob_value_none();
}
static inline ob_doubles ob_unbox_opt_doubles(ob_scope *s, const ob_value *v)
{
    return ob_unbox_doubles(s, v);
}

static inline ob_value ob_box_bool(ob_scope *s, bool b)
{
    (void)s;
    return ob_value_bool(b);
}
static inline bool ob_unbox_bool(ob_scope *s, const ob_value *v)
{
    return v->tag == OB_VALUE_BOOL ? v->u.b : ob_unbox_int(s, v) != 0;
}

static inline ob_value ob_box_opt_bool(ob_scope *s, ob_opt_bool b)
{
    (void)s;
    return b.has ? ob_value_bool(b.value) : ob_value_none();
}
static inline ob_opt_bool ob_unbox_opt_bool(ob_scope *s, const ob_value *v)
{
    const bool has = v->tag == OB_VALUE_BOOL || v->tag == OB_VALUE_INT;
    return (ob_opt_bool){ has && ob_unbox_bool(s, v), has };
}

static inline ob_value ob_box_bools(ob_scope *s, ob_bools list)
{
    (void)s;
    ob_value v = { OB_VALUE_BOOLS, (uint32_t)list.n, { 0 } };
    v.u.bools = list.data;
    return v;
}
static inline ob_bools ob_unbox_bools(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_BOOLS ? (ob_bools){ v->u.bools, v->count } : (ob_bools){ NULL, 0 };
}

static inline ob_value ob_box_scalar(ob_scope *s, ob_scalar x)
{
    (void)s;
    return x.tag == OB_SCALAR_NONE ? ob_value_none() : ob_value_scalar(x);
}
static inline ob_scalar ob_unbox_scalar(ob_scope *s, const ob_value *v)
{
    (void)s;
    return ob_value_as_scalar(v);
}

static inline ob_value ob_box_string(ob_scope *s, const char *text)
{
    (void)s;
    return text ? ob_value_string(text) : ob_value_none();
}
static inline const char *ob_unbox_string(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_STRING ? v->u.string : NULL;
}

static inline ob_value ob_box_dtype(ob_scope *s, ob_dtype d)
{
    (void)s;
    return ob_value_dtype(d);
}
static inline ob_dtype ob_unbox_dtype(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_DTYPE || v->tag == OB_VALUE_INT ? (ob_dtype)v->u.i : OB_DTYPE_NONE;
}

static inline ob_value ob_box_layout(ob_scope *s, ob_layout l)
{
    (void)s;
    ob_value v = { l == OB_LAYOUT_NONE ? OB_VALUE_NONE : OB_VALUE_LAYOUT, 0, { 0 } };
    v.u.i = l;
    return v;
}
static inline ob_layout ob_unbox_layout(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_LAYOUT || v->tag == OB_VALUE_INT ? (ob_layout)v->u.i : OB_LAYOUT_NONE;
}

static inline ob_value ob_box_memory_format(ob_scope *s, ob_memory_format m)
{
    (void)s;
    ob_value v = { m == OB_MEMORY_FORMAT_NONE ? OB_VALUE_NONE : OB_VALUE_MEMORY_FORMAT, 0, { 0 } };
    v.u.i = m;
    return v;
}
static inline ob_memory_format ob_unbox_memory_format(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_MEMORY_FORMAT || v->tag == OB_VALUE_INT ? (ob_memory_format)v->u.i
                                                                      : OB_MEMORY_FORMAT_NONE;
}

static inline ob_value ob_box_device(ob_scope *s, ob_device d)
{
    (void)s;
    return ob_value_device(d);
}
static inline ob_device ob_unbox_device(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_DEVICE ? v->u.device : OB_DEVICE_NONE;
}

static inline ob_value ob_box_generator(ob_scope *s, ob_generator *g)
{
    (void)s;
    ob_value v = { g ? OB_VALUE_GENERATOR : OB_VALUE_NONE, 0, { 0 } };
    v.u.gen = g;
    return v;
}
static inline ob_generator *ob_unbox_generator(ob_scope *s, const ob_value *v)
{
    (void)s;
    return v->tag == OB_VALUE_GENERATOR ? v->u.gen : NULL;
}

#endif
