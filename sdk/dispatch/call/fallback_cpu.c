/* The boxed CPU fallback: runs an op of a package's device on the CPU. Counted per op; refused in
 * strict mode. Unlike PyTorch's, it refuses view ops: a copy would silently lose the alias.
 * PyTorch: aten/src/ATen/native/CPUFallback.cpp. */
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/tensor.h"
#include "dispatch/call/fallbacks.h"
#include "ob/schema.h"

/* One call on its way to the CPU. */
typedef struct ob_trip {
    const ob_frame *frame;
    const ob_schema *schema;
    ob_value *args;   /* n_args; tensors and lists of tensors are owned, the rest is borrowed */
    ob_device target; /* where results go; OB_BACKEND_NONE: they stay */
} ob_trip;

static ob_status to_cpu(ob_tensor *t, ob_tensor **out)
{
    *out = NULL;
    if (!t) return OB_OK;
    if (ob_tensor_device(t).backend == OB_BACKEND_CPU) {
        *out = ob_tensor_retain(t);
        return OB_OK;
    }
    OB_TRY(ob_tensor_to_device(t, OB_DEVICE_CPU, out));
    (*out)->wrapped_number = t->wrapped_number;
    return OB_OK;
}

/* The CPU copy of a tensor that was given before too, so that both stay one tensor; NULL. */
static ob_tensor *copied_before(const ob_trip *trip, uint32_t limit, const ob_tensor *t)
{
    for (uint32_t i = 0; i < limit; i++) {
        const ob_value *v = &trip->frame->args[i];
        if (v->tag == OB_VALUE_TENSOR && v->u.tensor == t) return trip->args[i].u.tensor;
    }
    return NULL;
}

static ob_status list_to_cpu(const ob_value *from, ob_value *to)
{
    ob_tensor **list = ob_alloc(from->count ? from->count : 1, sizeof *list);
    if (!list) return OB_FAIL(OB_ERR_OOM, "CPU fallback: no memory for %u tensors", from->count);
    *to = (ob_value){ .tag = OB_VALUE_TENSORS, .count = from->count };
    to->u.tensors = list;
    for (uint32_t i = 0; i < from->count; i++)
        OB_TRY(to_cpu(from->u.tensors[i], &list[i]));
    return OB_OK;
}

/* Fill trip->args; what was made stays for free_args() when it fails. */
static ob_status args_to_cpu(ob_trip *trip)
{
    for (uint32_t i = 0; i < trip->frame->n_args; i++) {
        const ob_value *from = &trip->frame->args[i];
        ob_value *to = &trip->args[i];
        if (from->tag == OB_VALUE_TENSORS) {
            OB_TRY(list_to_cpu(from, to));
        } else if (from->tag == OB_VALUE_TENSOR) {
            ob_tensor *t = ob_tensor_retain(copied_before(trip, i, from->u.tensor));
            if (!t) OB_TRY(to_cpu(from->u.tensor, &t));
            *to = ob_value_tensor(t);
        } else {
            *to = from->tag == OB_VALUE_DEVICE ? ob_value_device(OB_DEVICE_CPU) : *from;
        }
    }
    return OB_OK;
}

static void free_args(ob_trip *trip)
{
    for (uint32_t i = 0; trip->args && i < trip->frame->n_args; i++) {
        const uint32_t tag = trip->args[i].tag;
        if (tag == OB_VALUE_TENSOR || tag == OB_VALUE_TENSORS) ob_value_reset(&trip->args[i]);
    }
    ob_free(trip->args);
}

/* The device that results go to: that of a Device argument (the last), else that of the first
 * tensor that is not on the CPU (a CPU number among device tensors decides nothing), else of the
 * first. */
static ob_device find_target(const ob_frame *frame)
{
    ob_device given = OB_DEVICE_NONE, first = OB_DEVICE_NONE;
    for (uint32_t i = 0; i < frame->n_args; i++) {
        const ob_value *v = &frame->args[i];
        if (v->tag == OB_VALUE_DEVICE) given = v->u.device;
        const uint32_t n = v->tag == OB_VALUE_TENSORS ? v->count : v->tag == OB_VALUE_TENSOR;
        for (uint32_t j = 0; j < n; j++) {
            const ob_tensor *t = v->tag == OB_VALUE_TENSOR ? v->u.tensor : v->u.tensors[j];
            const bool undecided =
                first.backend == OB_BACKEND_NONE || first.backend == OB_BACKEND_CPU;
            if (t && undecided) first = ob_tensor_device(t);
        }
    }
    return given.backend != OB_BACKEND_NONE ? given : first;
}

/* Put the CPU values into the original tensor, resized if the op resized its copy. */
static ob_status write_back(ob_tensor *to, ob_tensor *from)
{
    if (!to || to == from) return OB_OK;
    const int rank = ob_tensor_rank(from);
    const ob_ints sizes = { ob_tensor_sizes(from), rank };
    const bool same = ob_tensor_rank(to) == rank &&
                      memcmp(ob_tensor_sizes(to), sizes.data, (size_t)rank * sizeof(int64_t)) == 0;
    ob_tensor *dense = NULL;
    OB_TRY(ob_tensor_to_device(from, OB_DEVICE_CPU, &dense));
    const ob_ints strides = { ob_tensor_strides(dense), rank };
    ob_status st = OB_OK;
    if (!same) st = ob_tensor_set_window(to, sizes, strides, ob_tensor_offset(to), true);
    const size_t bytes = (size_t)ob_tensor_numel(dense) * ob_dtype_bytes(ob_tensor_dtype(dense));
    if (st == OB_OK) st = ob_tensor_write(to, ob_tensor_data(dense), bytes);
    ob_tensor_release(dense);
    return st;
}

static ob_status write_back_all(const ob_trip *trip)
{
    for (uint32_t i = 0; i < trip->frame->n_args; i++) {
        const ob_value *to = &trip->frame->args[i], *from = &trip->args[i];
        if (!ob_argument_is_write(&trip->schema->args[i])) continue;
        if (to->tag == OB_VALUE_TENSOR) OB_TRY(write_back(to->u.tensor, from->u.tensor));
        for (uint32_t j = 0; to->tag == OB_VALUE_TENSORS && j < to->count; j++)
            OB_TRY(write_back(to->u.tensors[j], from->u.tensors[j]));
    }
    return OB_OK;
}

static bool same_alias(const ob_alias *a, const ob_alias *b)
{
    if (!a || !b || a->write != b->write || a->n_before != b->n_before) return false;
    for (int i = 0; i < a->n_before; i++) {
        if (strcmp(a->before[i], b->before[i]) != 0) return false;
    }
    return true;
}

/* The alias that names the memory of a value: a list's is that of its elements. */
static const ob_alias *memory_alias(const ob_argument *arg)
{
    return arg->alias && arg->alias->contained ? arg->alias->contained : arg->alias;
}

/* Make result i the caller's own argument that it is declared to be. */
static ob_status return_original(const ob_trip *trip, int i)
{
    const ob_alias *wanted = memory_alias(&trip->schema->returns[i]);
    ob_value *result = &trip->frame->results[i];
    for (uint32_t a = 0; a < trip->frame->n_args; a++) {
        const ob_value *arg = &trip->frame->args[a];
        if (!same_alias(wanted, memory_alias(&trip->schema->args[a]))) continue;
        if (arg->tag != result->tag) continue;
        ob_value_reset(result);
        return ob_value_copy(arg, result);
    }
    return OB_FAIL(OB_ERR_MISMATCH,
                   "%s: result %d is declared to be an argument, but none has its alias set, so "
                   "the CPU fallback cannot return it",
                   ob_op_name(trip->frame->op), i);
}

static ob_status move_tensor(ob_tensor **t, ob_device device)
{
    ob_tensor *moved = NULL;
    if (!*t || ob_tensor_device(*t).backend == device.backend) return OB_OK;
    OB_TRY(ob_tensor_to_device(*t, device, &moved));
    ob_tensor_release(*t);
    *t = moved;
    return OB_OK;
}

static ob_status move_result(const ob_trip *trip, int i)
{
    ob_value *result = &trip->frame->results[i];
    if (trip->target.backend == OB_BACKEND_NONE) return OB_OK;
    if (result->tag == OB_VALUE_TENSOR) return move_tensor(&result->u.tensor, trip->target);
    ob_tensor **list = (ob_tensor **)(uintptr_t)result->u.tensors;
    for (uint32_t j = 0; result->tag == OB_VALUE_TENSORS && j < result->count; j++)
        OB_TRY(move_tensor(&list[j], trip->target));
    return OB_OK;
}

static ob_status results_from_cpu(const ob_trip *trip)
{
    OB_TRY(write_back_all(trip));
    for (int i = 0; i < trip->schema->n_returns; i++) {
        const ob_alias *alias = memory_alias(&trip->schema->returns[i]);
        const bool undefined = trip->frame->results[i].tag == OB_VALUE_NONE;
        if (alias && alias->write && !undefined)
            OB_TRY(return_original(trip, i));
        else
            OB_TRY(move_result(trip, i));
    }
    return OB_OK;
}

/* Whether the fallback may serve the call at all. */
static ob_status check_allowed(const ob_frame *frame, const ob_schema *schema)
{
    const char *name = ob_op_name(frame->op), *key = ob_key_name(ob_keyset_highest(frame->keys));
    if (!schema) return OB_FAIL(OB_ERR_OOM, "%s: no memory for its schema", name);
    if (ob_schema_is_view(schema))
        return OB_FAIL(
            OB_ERR_UNSUPPORTED,
            "%s: a view op without a kernel for %s; the CPU fallback would return a copy "
            "that no longer shares memory with its input; register a kernel for it",
            name, key);
    if (ob_thread_now.strict)
        return OB_FAIL(OB_ERR_FALLBACK,
                       "%s: has no kernel for %s and would run on the CPU, which strict mode "
                       "refuses; register a kernel for it, or leave strict mode",
                       name, key);
    return OB_OK;
}

ob_status ob_run_on_cpu(ob_frame *frame)
{
    ob_trip trip = { .frame = frame,
                     .schema = ob_op_schema(frame->op),
                     .target = find_target(frame) };
    OB_TRY(check_allowed(frame, trip.schema));
    atomic_fetch_add_explicit(&((ob_op *)frame->op)->fallbacks, 1, memory_order_relaxed);
    trip.args = ob_alloc(frame->n_args ? frame->n_args : 1, sizeof *trip.args);
    ob_status st =
        trip.args ? args_to_cpu(&trip)
                  : OB_FAIL(OB_ERR_OOM, "CPU fallback: no memory for %u arguments", frame->n_args);
    if (st == OB_OK)
        st = ob_redispatch(frame->op, ob_keyset_of(OB_KEY_CPU), trip.args, frame->results);
    if (st == OB_OK) st = results_from_cpu(&trip);
    free_args(&trip);
    return st;
}
