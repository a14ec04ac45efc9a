/* Forms that have no kernel of their own, made from a sibling that has one: out and in-place forms
 * from the functional one (call it, resize, copy), functional forms from the in-place one (clone
 * self, call it), _copy forms from views. Runs when all of libob's kernels are registered. PyTorch:
 * torchgen's generated out= and functional variants (tags "generated", "view_copy"). */
#include <stdio.h>
#include <string.h>

#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/aten.h"
#include "ops/batch.h"
#include "ops/create/copy.h"
#include "ops/structured/families.h"
#include "ops/structured/overlap.h"
#include "ops/structured/served.h"

enum { MAX_RESULTS = 16 };

/* `user` of the kernels: the row they are made from. */
static int source_row(const ob_frame *frame)
{
    return (int)(intptr_t)frame->user;
}

static ob_status resize_like(ob_tensor *out, const ob_tensor *like)
{
    int64_t dense[OB_MAX_RANK];
    const int rank = ob_tensor_rank(like);
    bool same = ob_tensor_rank(out) == rank;
    for (int d = 0; same && d < rank; d++)
        same = ob_tensor_sizes(out)[d] == ob_tensor_sizes(like)[d];
    if (same) return OB_OK;
    ob_shape_dense_strides(ob_tensor_sizes(like), rank, dense);
    return ob_tensor_set_window(out, (ob_ints){ ob_tensor_sizes(like), rank },
                                (ob_ints){ dense, rank }, ob_tensor_offset(out), true);
}

/* Whether PyTorch casts to the out of a form that is made here. Others refuse another dtype. */
static bool casts_out(const ob_op *form)
{
    static const char *const casting[] = { "addr",  "column_stack", "dstack", "ger",   "hstack",
                                           "outer", "row_stack",    "stack",  "vstack" };
    const char *name = ob_op_name(form) + strlen("aten::");
    const size_t n = strcspn(name, ".");
    for (size_t i = 0; i < OB_COUNT(casting); i++)
        if (strlen(casting[i]) == n && memcmp(casting[i], name, n) == 0) return true;
    return false;
}

/* Check that a result may be written to a tensor the caller gave: self of an in-place form, or an
 * out, which may be resized. */
static ob_status check(const ob_op *form, const ob_tensor *out, const ob_tensor *result,
                       bool resize)
{
    const char *op = ob_op_name(form) + strlen("aten::");
    const bool exact = resize ? !casts_out(form) : strncmp(op, "float_power_.", 13) == 0;
    const int rank = ob_tensor_rank(out);
    bool same = rank == ob_tensor_rank(result);
    for (int d = 0; same && d < rank; d++)
        same = ob_tensor_sizes(out)[d] == ob_tensor_sizes(result)[d];
    char a[256], b[256];
    if (!same && !resize)
        return OB_FAIL(
            OB_ERR_SHAPE,
            "%s: self is %s but the result is %s, and an in-place op does "
            "not resize",
            op, ob_sizes_format(ob_tensor_sizes(out), rank, a, sizeof a),
            ob_sizes_format(ob_tensor_sizes(result), ob_tensor_rank(result), b, sizeof b));
    if (exact && ob_tensor_dtype(result) != ob_tensor_dtype(out))
        return OB_FAIL(OB_ERR_DTYPE, "%s: the output is %s, should be %s", op,
                       ob_dtype_name(ob_tensor_dtype(out)), ob_dtype_name(ob_tensor_dtype(result)));
    if (!ob_dtype_can_cast(ob_tensor_dtype(result), ob_tensor_dtype(out)))
        return OB_FAIL(OB_ERR_DTYPE, "%s: a result of %s can't be cast to an output of %s", op,
                       ob_dtype_name(ob_tensor_dtype(result)), ob_dtype_name(ob_tensor_dtype(out)));
    return ob_overlap_check_internal(op, out);
}

static ob_status write_one(ob_tensor *out, ob_tensor *result)
{
    OB_TRY(resize_like(out, result));
    OB_TRY(ob_copy_into(out, result));
    ob_tensor_bump_version(out);
    return OB_OK;
}

/* Tensors of a value: one, a list, or none. */
static ob_tensors tensors_of(const ob_value *v)
{
    if (v->tag == OB_VALUE_TENSOR) return (ob_tensors){ &v->u.tensor, 1 };
    if (v->tag == OB_VALUE_TENSORS) return (ob_tensors){ v->u.tensors, v->count };
    return (ob_tensors){ NULL, 0 };
}

/* Write n results over the outs; all are checked before one is written. */
static ob_status write_results(const ob_op *form, const ob_value *outs, const ob_value *results,
                               int n, bool resize)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            const ob_tensors to = tensors_of(&outs[i]), from = tensors_of(&results[i]);
            if (to.n < from.n)
                return OB_FAIL(OB_ERR_ARG, "%s: %lld outputs for %lld results", ob_op_name(form),
                               (long long)to.n, (long long)from.n);
            for (int64_t k = 0; k < from.n; k++) {
                if (!to.data[k] || !from.data[k]) continue;
                if (pass == 0)
                    OB_TRY(check(form, to.data[k], from.data[k], resize));
                else
                    OB_TRY(write_one(to.data[k], from.data[k]));
            }
        }
    }
    return OB_OK;
}

ob_status ob_derived_write(ob_frame *frame, const ob_op *source, uint32_t first, bool resize)
{
    const int n = ob_op_schema(source)->n_returns;
    ob_value results[MAX_RESULTS] = { { 0 } };
    if (n > MAX_RESULTS)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: %d results", ob_op_name(frame->op), n);
    OB_TRY(ob_call_unchecked(source, frame->args, results));
    const ob_status st = write_results(frame->op, frame->args + first, results, n, resize);
    for (int i = 0; i < n; i++)
        ob_value_reset(&results[i]);
    if (st != OB_OK) return st;
    for (uint32_t i = 0; i < frame->n_results; i++)
        frame->results[i] = ob_value_tensor(ob_tensor_retain(frame->args[first + i].u.tensor));
    return OB_OK;
}

static ob_status derived_out(ob_frame *frame)
{
    const ob_op *source = ob_aten_op(source_row(frame));
    return ob_derived_write(frame, source, (uint32_t)ob_op_schema(source)->n_args, true);
}

static ob_status derived_inplace(ob_frame *frame)
{
    return ob_derived_write(frame, ob_aten_op(source_row(frame)), 0, false);
}

/* Clone self, call the in-place form on the clone. */
static ob_status derived_functional(ob_frame *frame)
{
    ob_value args[64], dropped = { 0 };
    ob_tensor *self = frame->args[0].u.tensor, *made = NULL;
    if (frame->args[0].tag != OB_VALUE_TENSOR || frame->n_args > OB_COUNT(args))
        return OB_FAIL(OB_ERR_ARG, "%s: self is not a tensor", ob_op_name(frame->op));
    const ob_copy_to to = { ob_tensor_dtype(self), ob_tensor_device(self),
                            OB_MEMORY_FORMAT_PRESERVE };
    OB_TRY(ob_copy_of(self, to, &made));
    frame->results[0] = ob_value_tensor(made);
    memcpy(args, frame->args, frame->n_args * sizeof args[0]);
    args[0] = frame->results[0];
    OB_TRY(ob_call_unchecked(ob_aten_op(source_row(frame)), args, &dropped));
    ob_value_reset(&dropped);
    return OB_OK;
}

/* Call the view op and own what it shows. */
static ob_status derived_view_copy(ob_frame *frame)
{
    ob_value view = { 0 };
    ob_tensor *made = NULL;
    OB_TRY(ob_call_unchecked(ob_aten_op(source_row(frame)), frame->args, &view));
    const ob_copy_to to = { ob_tensor_dtype(view.u.tensor), ob_tensor_device(view.u.tensor),
                            OB_MEMORY_FORMAT_CONTIGUOUS };
    const ob_status st = ob_copy_of(view.u.tensor, to, &made);
    ob_value_reset(&view);
    frame->results[0] = ob_value_tensor(made);
    return st;
}

ob_op *ob_derived_source(const ob_record *record)
{
    const ob_kernel_fn fn = record->kernel.fn;
    if (fn != derived_out && fn != derived_inplace && fn != derived_functional &&
        fn != derived_view_copy)
        return NULL;
    return ob_aten_op((int)(intptr_t)record->kernel.user);
}

static bool is_composite(const ob_record *r)
{
    return r && (!(r->kernel.flags & OB_KERNEL_GENERATED) || ob_derived_source(r));
}

bool ob_has_composite(ob_op *op)
{
    const ob_table *table = NULL;
    if (ob_op_table(op, &table) != OB_OK) return false;
    for (int i = 0; i < OB_ALTERNATIVES; i++)
        if (is_composite(table->alternatives[i])) return true;
    return false;
}

/* Whether row has a kernel for all backends, be it a structured family's. */
static bool has_alias_kernel(int row)
{
    for (int i = 0; i < OB_ALTERNATIVES; i++)
        if (ob_op_newest(ob_aten_op(row), ob_alternative_keys[i])) return true;
    return false;
}

/* Whether `form` may be made from `source`: the source has a kernel and, where the form has some
 * for single backends already, one that serves the others. */
static bool can_serve(int source, int form)
{
    const ob_op *op = ob_aten_op(source);
    const bool any = atomic_load_explicit(&op->n_kernels, memory_order_relaxed) > 0;
    if (atomic_load_explicit(&ob_aten_op(form)->n_kernels, memory_order_relaxed) == 0) return any;
    for (int i = 0; i < OB_ALTERNATIVES; i++)
        if (is_composite(ob_op_newest(op, ob_alternative_keys[i]))) return true;
    return false;
}

/* Bytes of a row's name up to its overload; *name is the name. */
static size_t base_of(int row, const char **name)
{
    *name = ob_aten_row_at(row)->schema + strlen("aten::");
    return strcspn(*name, ".(");
}

/* First row among the overloads of `base` that fits and can serve; -1. `row` is the form wanted. */
static int find_source(const char *base, size_t n, int row, bool (*fits)(int functional, int form))
{
    int first = 0;
    const int count = ob_aten_overloads(base, n, &first);
    for (int i = first; i < first + count; i++)
        if (i != row && fits(i, row) && can_serve(i, row)) return i;
    return -1;
}

static bool fits_functional(int inplace, int functional)
{
    return ob_is_inplace_form(functional, inplace);
}

static bool fits_view(int view, int copy)
{
    const char *a = NULL, *b = NULL;
    const size_t n = base_of(view, &a), m = base_of(copy, &b);
    const size_t overload = strcspn(a + n, "(");
    return strncmp(strstr(ob_aten_row_at(copy)->schema, ") -> "), ") -> Tensor", 11) == 0 &&
           overload == strcspn(b + m, "(") && memcmp(a + n, b + m, overload) == 0;
}

static int source_of_functional(int row)
{
    char base[80];
    const char *name = NULL;
    const size_t n = base_of(row, &name);
    (void)snprintf(base, sizeof base, "%.*s_", (int)n, name);
    return find_source(base, strlen(base), row, fits_functional);
}

static int source_of_out(int row)
{
    const char *name = NULL;
    const size_t n = base_of(row, &name);
    return find_source(name, n, row, ob_is_out_form);
}

static int source_of_inplace(int row)
{
    const char *name = NULL;
    const size_t n = base_of(row, &name);
    return name[n - 1] == '_' ? find_source(name, n - 1, row, ob_is_inplace_form) : -1;
}

static int source_of_view_copy(int row)
{
    const char *name = NULL;
    const size_t n = base_of(row, &name), suffix = strlen("_copy");
    if (n <= suffix || memcmp(name + n - suffix, "_copy", suffix) != 0) return -1;
    return find_source(name, n - suffix, row, fits_view);
}

/* In this order, so that a form may be made from one made before. */
static const struct {
    uint64_t with, without; /* tags */
    int (*source)(int row);
    ob_kernel_fn fn;
} forms[] = {
    { OB_TAG_VIEW_COPY, OB_TAG_OUT, source_of_view_copy, derived_view_copy },
    { 0, OB_TAG_OUT | OB_TAG_INPLACE, source_of_functional, derived_functional },
    { OB_TAG_INPLACE, OB_TAG_OUT | OB_TAG_INPLACE_VIEW, source_of_inplace, derived_inplace },
    { OB_TAG_OUT, 0, source_of_out, derived_out },
};

static ob_status install(void)
{
    for (size_t f = 0; f < OB_COUNT(forms); f++) {
        for (int row = 0; row < OB_ROW_COUNT; row++) {
            const ob_aten_row *aten = ob_aten_row_at(row);
            const bool wanted = (aten->tags & forms[f].with) == forms[f].with &&
                                !(aten->tags & forms[f].without) && ob_aten_in_scope(aten->family);
            if (!wanted || has_alias_kernel(row)) continue;
            const int source = forms[f].source(row);
            if (source < 0) continue;
            const ob_kernel kernel = { .fn = forms[f].fn,
                                       .user = (void *)(intptr_t)source,
                                       .flags = OB_KERNEL_GENERATED };
            ob_batch_add(aten->klass == OB_ATEN_CIA ? OB_KEY_CompositeImplicitAutograd
                                                    : OB_KEY_CompositeExplicitAutograd,
                         ob_op_name(ob_aten_op(row)), &kernel);
        }
        OB_TRY(ob_batch_commit());
    }
    return OB_OK;
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_DERIVED, install);
}
