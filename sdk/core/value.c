/* Values: scalars, deep copies, printing. PyTorch: ATen/core/ivalue.h, c10/core/Scalar.h. */
#include "ob/value.h"

#include <string.h>

#include "core/alloc.h"
#include "ob/schema.h"
#include "ob/tensor.h"

double ob_scalar_double(ob_scalar s)
{
    switch (s.tag) {
    case OB_SCALAR_BOOL:
        return s.u.b ? 1.0 : 0.0;
    case OB_SCALAR_INT:
        return (double)s.u.i;
    case OB_SCALAR_DOUBLE:
        return s.u.d;
    case OB_SCALAR_COMPLEX:
        return s.u.c[0];
    case OB_SCALAR_NONE:
        break;
    }
    return 0.0;
}

int64_t ob_scalar_int(ob_scalar s)
{
    if (s.tag == OB_SCALAR_INT) return s.u.i;
    const double d = ob_scalar_double(s);
    if (d != d) return 0;
    if (d >= 0x1p63) return INT64_MAX;
    return d < -0x1p63 ? INT64_MIN : (int64_t)d;
}

ob_kind ob_scalar_kind(ob_scalar s)
{
    switch (s.tag) {
    case OB_SCALAR_INT:
        return OB_KIND_INT;
    case OB_SCALAR_DOUBLE:
        return OB_KIND_FLOAT;
    case OB_SCALAR_COMPLEX:
        return OB_KIND_COMPLEX;
    case OB_SCALAR_BOOL:
    case OB_SCALAR_NONE:
        break;
    }
    return OB_KIND_BOOL;
}

ob_value ob_value_string(const char *text)
{
    ob_value v = { OB_VALUE_STRING, 0, { 0 } };
    if (!text) return ob_value_none();
    v.count = (uint32_t)strlen(text);
    v.u.string = text;
    return v;
}

ob_value ob_value_scalar(ob_scalar s)
{
    ob_value v = ob_value_none();
    switch (s.tag) {
    case OB_SCALAR_BOOL:
        return ob_value_bool(s.u.b);
    case OB_SCALAR_INT:
        return ob_value_int(s.u.i);
    case OB_SCALAR_DOUBLE:
        return ob_value_double(s.u.d);
    case OB_SCALAR_COMPLEX:
        v.tag = OB_VALUE_COMPLEX;
        memcpy(v.u.c, s.u.c, sizeof v.u.c);
        break;
    case OB_SCALAR_NONE:
        break;
    }
    return v;
}

ob_scalar ob_value_as_scalar(const ob_value *v)
{
    switch (v->tag) {
    case OB_VALUE_BOOL:
        return ob_bool(v->u.b);
    case OB_VALUE_INT:
        return ob_int(v->u.i);
    case OB_VALUE_DOUBLE:
        return ob_double(v->u.d);
    case OB_VALUE_COMPLEX:
        return ob_complex(v->u.c[0], v->u.c[1]);
    default:
        return (ob_scalar){ 0 };
    }
}

/* Bytes of one element of a list or string that an owned value holds memory for; 0 for others. */
static size_t element_bytes(uint32_t tag)
{
    switch (tag) {
    case OB_VALUE_STRING:
    case OB_VALUE_BOOLS:
        return 1;
    case OB_VALUE_INTS:
        return sizeof(int64_t);
    case OB_VALUE_DOUBLES:
        return sizeof(double);
    case OB_VALUE_TENSORS:
        return sizeof(ob_tensor *);
    case OB_VALUE_LIST:
        return sizeof(ob_value);
    default:
        return 0;
    }
}

/* Copy v's elements into a LIST's zeroed memory; on failure those copied so far are given back. */
static ob_status copy_list(const ob_value *v, ob_value *copies)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const ob_status st = ob_value_copy(&v->u.list[i], &copies[i]);
        if (st == OB_OK) continue;
        for (uint32_t done = 0; done < i; done++)
            ob_value_reset(&copies[done]);
        return st;
    }
    return OB_OK;
}

ob_status ob_value_copy(const ob_value *v, ob_value *out)
{
    *out = (ob_value){ 0 };
    const size_t bytes = element_bytes(v->tag);
    if (!bytes) {
        *out = *v;
        if (v->tag == OB_VALUE_TENSOR) ob_tensor_retain(v->u.tensor);
        return OB_OK;
    }
    /* one element more: the NUL of a string, and never an empty allocation */
    void *data = ob_alloc((size_t)v->count + 1, bytes);
    if (!data)
        return OB_FAIL(OB_ERR_OOM, "value: no memory to copy a list of %u elements of %zu bytes",
                       (unsigned)v->count, bytes);
    if (v->tag == OB_VALUE_LIST) {
        const ob_status st = copy_list(v, data);
        if (st != OB_OK) ob_free(data);
        if (st != OB_OK) return ob_error_via(st, __FILE__, __LINE__);
    } else if (v->count) {
        memcpy(data, v->u.object, v->count * bytes);
    }
    *out = *v;
    out->u.object = data;
    if (v->tag == OB_VALUE_TENSORS)
        for (uint32_t i = 0; i < v->count; i++)
            ob_tensor_retain(v->u.tensors[i]);
    return OB_OK;
}

void ob_value_reset(ob_value *v)
{
    if (v->tag == OB_VALUE_TENSOR) ob_tensor_release(v->u.tensor);
    if (element_bytes(v->tag)) {
        void *data = v->u.object;
        for (uint32_t i = 0; v->tag == OB_VALUE_TENSORS && i < v->count; i++)
            ob_tensor_release(v->u.tensors[i]);
        for (uint32_t i = 0; v->tag == OB_VALUE_LIST && i < v->count; i++)
            ob_value_reset((ob_value *)data + i);
        ob_free(data);
    }
    *v = (ob_value){ 0 };
}
