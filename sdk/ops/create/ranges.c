/* arange and linspace: their length is computed from numbers, the values come from the backend's
 * kernel of arange.start_out and linspace.out, which is handed the resized out as results[0].
 * PyTorch: aten/src/ATen/native/RangeFactories.cpp. */
#include <math.h>
#include <string.h>

#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/call.h"
#include "ops/create/copy.h"
#include "ops/structured/overlap.h"

/* Length of a range op from its leading arguments, for an output of `dtype`. */
typedef ob_status (*length_fn)(const ob_value *args, ob_dtype dtype, int64_t *out);

static ob_status bad_arange(double start, double end, double step)
{
    return OB_FAIL(OB_ERR_ARG,
                   "arange: from %g to %g by %g; the step must lead from start to end, "
                   "and the bounds be finite",
                   start, end, step);
}

/* (start, end, step) */
static ob_status arange_length(const ob_value *args, ob_dtype dtype, int64_t *out)
{
    const ob_scalar s[] = { ob_value_as_scalar(&args[0]), ob_value_as_scalar(&args[1]),
                            ob_value_as_scalar(&args[2]) };
    const double start = ob_scalar_double(s[0]), end = ob_scalar_double(s[1]);
    const double step = ob_scalar_double(s[2]);
    if (!isfinite(start) || !isfinite(end) || !(step > 0 || step < 0) ||
        (step > 0 ? end < start : end > start))
        return bad_arange(start, end, step);
    double length = ceil((end - start) / step);
    if (dtype == OB_I64) {
        const double from = (double)ob_scalar_int(s[0]), to = (double)ob_scalar_int(s[1]);
        const double by = (double)ob_scalar_int(s[2]);
        if (!(by > 0 || by < 0)) return bad_arange(start, end, step);
        length = ceil((to - from) / by);
    }
    if (!(length < 9e15)) return bad_arange(start, end, step);
    *out = (int64_t)length;
    return OB_OK;
}

/* Whether start or end is complex. */
static bool has_complex(const ob_value *args)
{
    return ob_value_as_scalar(&args[0]).tag == OB_SCALAR_COMPLEX ||
           ob_value_as_scalar(&args[1]).tag == OB_SCALAR_COMPLEX;
}

/* (start, end, steps) */
static ob_status linspace_length(const ob_value *args, ob_dtype dtype, int64_t *out)
{
    if (has_complex(args) && dtype != OB_C64)
        return OB_FAIL(OB_ERR_DTYPE, "linspace: start or end is complex, the result is %s",
                       ob_dtype_name(dtype));
    if (args[2].u.i < 0)
        return OB_FAIL(OB_ERR_ARG, "linspace: %lld steps, there must be none or more",
                       (long long)args[2].u.i);
    *out = args[2].u.i;
    return OB_OK;
}

/* Give `out` the length of the call. */
static ob_status resize_out(ob_frame *frame, length_fn length, ob_tensor *out)
{
    int64_t n = 0;
    OB_TRY(length(frame->args, ob_tensor_dtype(out), &n));
    if (ob_tensor_rank(out) == 1 && ob_tensor_numel(out) == n) return OB_OK;
    const ob_value args[] = { ob_value_tensor(out), ob_value_ints((ob_ints){ &n, 1 }),
                              ob_value_none() };
    return ob_row_apply(OB_ROW_resize_, args);
}

/* Run the backend's kernel on `target`, which has the right length. */
static ob_status run_kernel(const ob_frame *frame, const ob_kernel *kernel, ob_tensor *target)
{
    ob_value result = ob_value_tensor(target);
    ob_frame raw = *frame;
    raw.user = kernel->user;
    raw.results = &result;
    return kernel->fn(&raw);
}

/* Stands in front of a backend's kernel; `kernel` is NULL on meta. */
static ob_status run(ob_frame *frame, length_fn length, const ob_kernel *kernel)
{
    ob_tensor *out = frame->args[3].u.tensor;
    if (kernel && kernel->dtypes && !(kernel->dtypes & OB_DTYPES(ob_tensor_dtype(out))))
        return OB_ERR_DECLINED;
    OB_TRY(resize_out(frame, length, out));
    OB_TRY(ob_overlap_check_internal(ob_op_name(frame->op) + strlen("aten::"), out));
    ob_status st = OB_OK;
    if (kernel && kernel->flags & OB_KERNEL_DENSE_OUTS && !ob_tensor_is_contiguous(out)) {
        ob_tensor *dense = NULL;
        const ob_copy_to to = { ob_tensor_dtype(out), ob_tensor_device(out),
                                OB_MEMORY_FORMAT_CONTIGUOUS };
        OB_TRY(ob_empty_like_of(out, to, &dense));
        st = run_kernel(frame, kernel, dense);
        if (st == OB_OK) st = ob_copy_into(out, dense);
        ob_tensor_release(dense);
    } else if (kernel && ob_tensor_numel(out) > 0) {
        st = run_kernel(frame, kernel, out);
    }
    if (st != OB_OK) return st;
    ob_tensor_bump_version(out);
    frame->results[0] = ob_value_tensor(ob_tensor_retain(out));
    return OB_OK;
}

static ob_status arange_wrapper(ob_frame *frame)
{
    return run(frame, arange_length, ob_record_kernel(frame->user));
}

static ob_status linspace_wrapper(ob_frame *frame)
{
    return run(frame, linspace_length, ob_record_kernel(frame->user));
}

static ob_status arange_meta(ob_frame *frame)
{
    return run(frame, arange_length, NULL);
}

static ob_status linspace_meta(ob_frame *frame)
{
    return run(frame, linspace_length, NULL);
}

/* A new tensor of no elements by dtype, layout, device, pin_memory at `options`, then the out form
 * `row` on it. */
static ob_status make(ob_frame *frame, int row, const ob_value *numbers, const ob_value *options,
                      ob_dtype dtype)
{
    const int64_t none = 0;
    ob_value empty[] = { ob_value_ints((ob_ints){ &none, 1 }),
                         options[0],
                         options[1],
                         options[2],
                         options[3],
                         ob_value_none() };
    if (options[0].tag == OB_VALUE_NONE) empty[1] = ob_value_dtype(dtype);
    OB_TRY(ob_row_call(OB_ROW_empty, empty, frame->results));
    const ob_value args[] = { numbers[0], numbers[1], numbers[2], frame->results[0] };
    return ob_row_apply(row, args);
}

/* (start, end, step) of the forms of arange, by the number of leading arguments. */
static void arange_numbers(const ob_value *args, uint32_t n, ob_value *numbers)
{
    numbers[0] = n > 1 ? args[0] : ob_value_int(0);
    numbers[1] = n > 1 ? args[1] : args[0];
    numbers[2] = n > 2 ? args[2] : ob_value_int(1);
}

/* arange(end), arange.start(start, end), arange.start_step(start, end, step) */
static ob_status arange(ob_frame *frame)
{
    const uint32_t n = frame->n_args - 4;
    ob_value numbers[3];
    bool whole = true;
    arange_numbers(frame->args, n, numbers);
    for (uint32_t i = 0; i < n; i++)
        whole = whole && frame->args[i].tag != OB_VALUE_DOUBLE;
    return make(frame, OB_ROW_arange_start_step_out, numbers, frame->args + n,
                whole ? OB_I64 : OB_F32);
}

/* arange.out(end, out) */
static ob_status arange_out(ob_frame *frame)
{
    ob_value args[4] = { [3] = frame->args[1] };
    arange_numbers(frame->args, 1, args);
    return ob_row_call(OB_ROW_arange_start_step_out, args, frame->results);
}

/* linspace(start, end, steps) */
static ob_status linspace(ob_frame *frame)
{
    return make(frame, OB_ROW_linspace_out, frame->args, frame->args + 3,
                has_complex(frame->args) ? OB_C64 : OB_F32);
}

static ob_status wrap(void)
{
    OB_TRY(ob_op_set_wrapper(ob_aten_op(OB_ROW_arange_start_step_out), arange_wrapper));
    return ob_op_set_wrapper(ob_aten_op(OB_ROW_linspace_out), linspace_wrapper);
}

static ob_status install(void)
{
    const ob_key explicit_key = OB_KEY_CompositeExplicitAutograd;
    const ob_kernel metas[] = { { .fn = arange_meta, .flags = OB_KERNEL_GENERATED },
                                { .fn = linspace_meta, .flags = OB_KERNEL_GENERATED } };
    ob_batch_add_fn(explicit_key, "arange", arange, NULL);
    ob_batch_add_fn(explicit_key, "arange.start", arange, NULL);
    ob_batch_add_fn(explicit_key, "arange.start_step", arange, NULL);
    ob_batch_add_fn(explicit_key, "arange.out", arange_out, NULL);
    ob_batch_add_fn(explicit_key, "linspace", linspace, NULL);
    ob_batch_add(OB_KEY_Meta, "arange.start_out", &metas[0]);
    ob_batch_add(OB_KEY_Meta, "linspace.out", &metas[1]);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, wrap);
    ob_init_hook(OB_INIT_KERNELS, install);
}
