/* x[mask]: masks among the indices become the positions of their true elements, then the op runs
 * again. The shape rules decline such calls, so these composites get them. Also the ops that only
 * arrange arguments for a family's primary: sort, index_put. PyTorch: expandTensors in
 * aten/src/ATen/native/IndexingUtils.h. */
#include <string.h>

#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/call.h"
#include "ops/rules/index_shape.h"

/* Indices while masks are replaced; tensors are counted. */
typedef struct index_list {
    ob_tensor *items[OB_MAX_RANK];
    int64_t n;
} index_list;

static ob_status append(index_list *list, ob_tensor *owned)
{
    if (list->n == OB_MAX_RANK) {
        ob_tensor_release(owned);
        return OB_FAIL(OB_ERR_SHAPE, "index: more than %d indices", OB_MAX_RANK);
    }
    list->items[list->n++] = owned;
    return OB_OK;
}

/* One index per dim of the mask: the columns of nonzero(mask). */
static ob_status append_mask(index_list *list, const ob_tensor *self, ob_tensor *mask)
{
    const int rank = ob_tensor_rank(mask);
    ob_value places = { 0 };
    for (int d = 0; d < rank; d++) {
        const int64_t at = list->n + d;
        const bool fits =
            at < ob_tensor_rank(self) && ob_tensor_sizes(mask)[d] == ob_tensor_sizes(self)[at];
        if (!fits)
            return OB_FAIL(OB_ERR_SHAPE,
                           "index: dim %d of the mask has %lld, dim %lld of self does "
                           "not",
                           d, (long long)ob_tensor_sizes(mask)[d], (long long)at);
    }
    OB_TRY(ob_row_call(OB_ROW_nonzero,
                       &(const ob_value){ .tag = OB_VALUE_TENSOR, .u.tensor = mask }, &places));
    ob_status st = OB_OK;
    for (int d = 0; d < rank && st == OB_OK; d++) {
        const ob_value args[] = { places, ob_value_int(1), ob_value_int(d) };
        ob_value column = { 0 };
        st = ob_row_call(OB_ROW_select, args, &column);
        if (st == OB_OK) st = append(list, column.u.tensor);
    }
    ob_value_reset(&places);
    return st;
}

static bool is_mask(const ob_tensor *t)
{
    return ob_index_has_mask((ob_tensors){ &(ob_tensor *){ (ob_tensor *)(uintptr_t)t }, 1 });
}

/* Call the frame's op again with the masks of args[1] replaced. */
static ob_status without_masks(ob_frame *frame)
{
    ob_value args[8];
    index_list list = { .n = 0 };
    ob_status st = OB_OK;
    const ob_value *old = &frame->args[1];
    if (!ob_index_has_mask((ob_tensors){ old->u.tensors, old->count })) return OB_ERR_DECLINED;
    for (uint32_t i = 0; i < old->count && st == OB_OK; i++) {
        ob_tensor *index = old->u.tensors[i];
        if (index && is_mask(index))
            st = append_mask(&list, frame->args[0].u.tensor, index);
        else
            st = append(&list, ob_tensor_retain(index));
    }
    for (uint32_t i = 0; i < frame->n_args; i++)
        args[i] = frame->args[i];
    args[1] = ob_value_tensors((ob_tensors){ list.items, list.n });
    if (st == OB_OK) st = ob_redispatch(frame->op, frame->keys, args, frame->results);
    for (int64_t i = 0; i < list.n; i++)
        ob_tensor_release(list.items[i]);
    return st;
}

/* index_put_(self, indices, values, accumulate) */
static ob_status index_put_(ob_frame *frame)
{
    const ob_value *a = frame->args;
    const ob_value args[] = { a[0], a[1], a[2], a[3], ob_value_bool(false) };
    return ob_row_call(OB_ROW_index_put_impl_, args, frame->results);
}

/* masked_select(self, mask): both broadcast, then self[mask] */
static ob_status masked_select(ob_frame *frame)
{
    const ob_tensor *self = frame->args[0].u.tensor, *mask = frame->args[1].u.tensor;
    int64_t sizes[OB_MAX_RANK];
    int rank = ob_tensor_rank(self);
    memcpy(sizes, ob_tensor_sizes(self), (size_t)rank * sizeof(int64_t));
    OB_TRY(ob_shape_broadcast("masked_select", sizes, &rank, ob_tensor_sizes(mask),
                              ob_tensor_rank(mask)));
    if (ob_tensor_dtype(mask) != OB_BOOL)
        return OB_FAIL(OB_ERR_DTYPE, "masked_select: the mask is %s, it must be bool",
                       ob_dtype_name(ob_tensor_dtype(mask)));
    if (rank == 0) sizes[rank++] = 1;
    ob_value wide[2] = { { 0 } };
    ob_status st = OB_OK;
    for (int i = 0; i < 2 && st == OB_OK; i++) {
        const ob_value args[] = { frame->args[i], ob_value_ints((ob_ints){ sizes, rank }),
                                  ob_value_bool(false) };
        st = ob_row_call(OB_ROW_expand, args, &wide[i]);
    }
    const ob_value args[] = { wide[0], ob_value_tensors((ob_tensors){ &wide[1].u.tensor, 1 }) };
    if (st == OB_OK) st = ob_row_call(OB_ROW_index, args, frame->results);
    ob_value_reset(&wide[0]);
    ob_value_reset(&wide[1]);
    return st;
}

/* sort(self, dim, descending) */
static ob_status sort(ob_frame *frame)
{
    const ob_value *a = frame->args;
    const ob_value args[] = { a[0], ob_value_bool(false), a[1], a[2] };
    return ob_row_call(OB_ROW_sort_stable, args, frame->results);
}

/* sort.values(self, dim, descending, values, indices) */
static ob_status sort_out(ob_frame *frame)
{
    const ob_value *a = frame->args;
    const ob_value args[] = { a[0], ob_value_bool(false), a[1], a[2], a[3], a[4] };
    return ob_row_call(OB_ROW_sort_stable_out, args, frame->results);
}

static const struct {
    const char *name;
    ob_kernel_fn fn;
} rows[] = {
    { "index.Tensor", without_masks },     { "index.Tensor_out", without_masks },
    { "_index_put_impl_", without_masks }, { "index_put_", index_put_ },
    { "masked_select", masked_select },    { "sort", sort },
    { "sort.values", sort_out },
};

static ob_status install(void)
{
    for (size_t i = 0; i < OB_COUNT(rows); i++)
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, rows[i].name, rows[i].fn, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
