/* The reductions as data; see reduce_table.h. */
#include "ops/rules/reduce_table.h"

#include <string.h>

#include "core/tensor/shape.h"
#include "ob/ops.h"

#define SET(b, i, f, c) ((b) | (i) << 1 | (f) << 2 | (c) << 3)

const ob_reduce_op ob_reduce_ops[OB_RED_OPS] = {
#define OB_REDUCE(name, args, result, flags, kinds, start, step, join, finish) \
    [OB_RED_##name] = { #args, OB_RED_##name, OB_OP_##name, result, flags, OB_KINDS_##kinds(SET) },
#define OB_FORM(name, args, base) \
    [OB_RED_##name] = { #args, OB_RED_##base, OB_OP_##name, OB_RED_SUM, 0, 0 },
#include "ops/reduce.inc"
#undef OB_REDUCE
#undef OB_FORM
};

static ob_status read_dims(const char *name, const ob_value *v, ob_reduce_call *call)
{
    const int rank = ob_tensor_rank(call->x);
    const int64_t *dims = v && v->tag == OB_VALUE_INTS ? v->u.ints : v ? &v->u.i : NULL;
    const uint32_t n = !v || v->tag == OB_VALUE_NONE ? 0 : v->tag == OB_VALUE_INTS ? v->count : 1;
    for (int d = 0; d < rank; d++)
        call->reduced[d] = n == 0;
    for (uint32_t i = 0; i < n; i++) {
        int dim;
        OB_TRY(ob_shape_wrap_dim(name, dims[i], rank, &dim));
        if (rank == 0) continue;
        if (call->reduced[dim])
            return OB_FAIL(OB_ERR_ARG, "%s: dim %d appears multiple times in the list of dims",
                           name, dim);
        call->reduced[dim] = true;
    }
    return OB_OK;
}

ob_status ob_reduce_read(const char *name, const ob_reduce_op *op, const ob_value *args,
                         ob_reduce_call *out)
{
    const ob_value *dims = NULL;
    out->x = args[0].u.tensor;
    out->keepdim = false;
    out->asked = OB_DTYPE_NONE;
    out->a = ob_reduce_ops[op->of].flags & OB_RED_ORDER ? 2 : 1;
    for (int i = 0; op->args[i]; i++) {
        const ob_value *v = &args[i];
        if (op->args[i] == 'd') dims = v;
        if (op->args[i] == 'k') out->keepdim = v->u.b;
        if (op->args[i] == 't' && v->tag == OB_VALUE_DTYPE) out->asked = (ob_dtype)v->u.i;
        if (op->args[i] == 'a' && v->tag != OB_VALUE_NONE)
            out->a = ob_scalar_double(ob_value_as_scalar(v));
    }
    return read_dims(name, dims, out);
}
