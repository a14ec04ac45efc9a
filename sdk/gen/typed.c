/* The part of typed calls that is no inline function, and the registration of the composites. */
#include "gen/typed.h"

#include "dispatch/table/optable.h"
#include "ops/batch.h"

enum { ARGS_LIMIT = 64, RESULTS_LIMIT = 16 };

/* Boxing by address, for structs that are known by their codes only. */
#define OB_BOX(code, name, c_type, absent)                                \
    static ob_value box_##name(ob_scope *s, const void *field)            \
    {                                                                     \
        return ob_box_##name(s, *(c_type const *)field);                  \
    }                                                                     \
    static void unbox_##name(ob_scope *s, const ob_value *v, void *field) \
    {                                                                     \
        *(c_type *)field = ob_unbox_##name(s, v);                         \
    }
#include "gen/fields.inc"

static const struct box {
    size_t bytes, alignment;
    ob_value (*box)(ob_scope *s, const void *field);
    void (*unbox)(ob_scope *s, const ob_value *v, void *field);
} boxes[128] = {
#define OB_BOX(code, name, c_type, absent) \
    [code] = { sizeof(c_type), _Alignof(c_type), box_##name, unbox_##name },
#include "gen/fields.inc"
};

/* The box of a field and, in *offset, where it lies: the compiler's layout, field after field. */
static const struct box *next_box(char code, size_t *offset)
{
    const struct box *box = &boxes[(unsigned char)code];
    *offset = (*offset + box->alignment - 1) / box->alignment * box->alignment;
    return box;
}

/* Box the arguments and make the call. */
static void call(ob_scope *s, ob_op_id id, const void *args, const char *codes, ob_value *results)
{
    ob_value values[ARGS_LIMIT];
    size_t offset = 0;
    for (int i = 0; codes[i]; i++) {
        const struct box *box = next_box(codes[i], &offset);
        values[i] = box->box(s, (const char *)args + offset);
        offset += box->bytes;
    }
    const ob_op *op = ob_aten_op((int)id);
    if (OB_UNLIKELY(!op)) {
        const ob_status st = ob_dispatch_init();
        if (st != OB_OK) ob_scope_fail(s, st);
        op = ob_aten_op((int)id);
    }
    if (op) (void)ob_scope_call(s, op, values, results);
}

void ob_typed_call(ob_scope *s, ob_op_id id, const void *args, const char *codes,
                   const char *returns, void *result)
{
    ob_value results[RESULTS_LIMIT] = { { 0 } };
    call(s, id, args, codes, results);
    size_t offset = 0;
    for (int i = 0; returns[i]; i++) {
        const struct box *box = next_box(returns[i], &offset);
        box->unbox(s, &results[i], (char *)result + offset);
        offset += box->bytes;
    }
}

ob_tensor *ob_typed_tensor(ob_scope *s, ob_op_id id, const void *args, const char *codes)
{
    ob_value result = { 0 };
    call(s, id, args, codes, &result);
    return ob_unbox_tensor(s, &result);
}

ob_status ob_typed_end(ob_frame *frame, ob_scope *s, const ob_value *out)
{
    ob_status st = ob_scope_status(s);
    for (uint32_t i = 0; i < frame->n_results && st == OB_OK; i++)
        st = ob_value_copy(&out[i], &frame->results[i]);
    ob_scope_fail(s, st);
    return ob_scope_close(s, NULL, NULL);
}

ob_value ob_box_scalars(ob_scope *s, ob_scalars list)
{
    ob_value v = { OB_VALUE_LIST, 0, { 0 } };
    ob_value *values = ob_scope_alloc(s, (size_t)list.n * sizeof *values);
    if (!values) return v;
    for (int64_t i = 0; i < list.n; i++)
        values[i] = ob_value_scalar(list.data[i]);
    v.count = (uint32_t)list.n;
    v.u.list = values;
    return v;
}

ob_scalars ob_unbox_scalars(ob_scope *s, const ob_value *v)
{
    const ob_scalars none = { NULL, 0 };
    if (v->tag != OB_VALUE_LIST) return none;
    ob_scalar *scalars = ob_scope_alloc(s, v->count * sizeof *scalars);
    if (!scalars) return none;
    for (uint32_t i = 0; i < v->count; i++)
        scalars[i] = ob_value_as_scalar(&v->u.list[i]);
    return (ob_scalars){ scalars, v->count };
}

/* A form of a structured family that is there already goes first: it reaches native kernels. */
static ob_status register_composites(void)
{
    for (size_t i = 0; i < ob_composite_row_count; i++) {
        const ob_typed_row *row = &ob_composite_rows[i];
        if (ob_inspect_has_kernel_for_key(ob_aten_op((int)row->id), row->key)) continue;
        ob_batch_add_fn(row->key, ob_op_name(ob_aten_op((int)row->id)), row->fn, NULL);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, register_composites);
}
