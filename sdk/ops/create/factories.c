/* Factories: empty, zeros, full ..., *_like, new_*, eye, and their out forms. A device argument
 * chooses the backend (BackendSelect), storage comes from libob, values from fill_ and zero_ of the
 * backend. PyTorch: aten/src/ATen/native/TensorFactories.cpp. */
#include "dispatch/table/optable.h"
#include "ops/batch.h"
#include "ops/create/call.h"
#include "ops/create/copy.h"
#include "ops/structured/overlap.h"

#include "core/tensor/shape.h"

/* Where the sizes come from, by the leading arguments. */
typedef enum source {
    SOURCE_SIZE,        /* (int[] size ...) */
    SOURCE_STRIDED,     /* (int[] size, int[] stride ...) */
    SOURCE_PERMUTED,    /* (int[] size, int[] physical_layout ...) */
    SOURCE_LIKE,        /* (Tensor self ...) */
    SOURCE_NEW,         /* (Tensor self, int[] size ...) */
    SOURCE_NEW_STRIDED, /* (Tensor self, int[] size, int[] stride ...) */
    SOURCE_SCALAR       /* (Scalar s ...): 0-d */
} source;

typedef enum fill { FILL_NOTHING, FILL_ZERO, FILL_ONE, FILL_VALUE } fill;

typedef struct factory {
    const char *name, *out; /* out: NULL when there is none */
    source source;
    fill fill; /* FILL_VALUE: the argument after the source's, or `s` itself */
} factory;

static const factory rows[] = {
    { "empty.memory_format", "empty.out", SOURCE_SIZE, FILL_NOTHING },
    { "empty_strided", "empty_strided.out", SOURCE_STRIDED, FILL_NOTHING },
    { "empty_permuted", "empty_permuted.out", SOURCE_PERMUTED, FILL_NOTHING },
    { "zeros", "zeros.out", SOURCE_SIZE, FILL_ZERO },
    { "_efficientzerotensor", "_efficientzerotensor.out", SOURCE_SIZE, FILL_ZERO },
    { "ones", "ones.out", SOURCE_SIZE, FILL_ONE },
    { "full", "full.out", SOURCE_SIZE, FILL_VALUE },
    { "scalar_tensor", "scalar_tensor.out", SOURCE_SCALAR, FILL_VALUE },
    { "empty_like", "empty_like.out", SOURCE_LIKE, FILL_NOTHING },
    { "zeros_like", "zeros_like.out", SOURCE_LIKE, FILL_ZERO },
    { "ones_like", "ones_like.out", SOURCE_LIKE, FILL_ONE },
    { "full_like", "full_like.out", SOURCE_LIKE, FILL_VALUE },
    { "new_empty", "new_empty.out", SOURCE_NEW, FILL_NOTHING },
    { "new_empty_strided", "new_empty_strided.out", SOURCE_NEW_STRIDED, FILL_NOTHING },
    { "new_zeros", "new_zeros.out", SOURCE_NEW, FILL_ZERO },
    { "new_ones", "new_ones.out", SOURCE_NEW, FILL_ONE },
    { "new_full", "new_full.out", SOURCE_NEW, FILL_VALUE },
};

/* Leading arguments of each source. */
static const uint32_t source_args[] = {
    [SOURCE_SIZE] = 1, [SOURCE_STRIDED] = 2,     [SOURCE_PERMUTED] = 2, [SOURCE_LIKE] = 1,
    [SOURCE_NEW] = 2,  [SOURCE_NEW_STRIDED] = 3, [SOURCE_SCALAR] = 0
};

/* Number of arguments before dtype, or before out. */
static uint32_t leading(const factory *f)
{
    return source_args[f->source] + (f->fill == FILL_VALUE ? 1 : 0);
}

static ob_dtype dtype_of_value(const ob_value *value)
{
    static const ob_dtype by_kind[] = { [OB_KIND_BOOL] = OB_BOOL,
                                        [OB_KIND_INT] = OB_I64,
                                        [OB_KIND_FLOAT] = OB_F32,
                                        [OB_KIND_COMPLEX] = OB_C64 };
    return by_kind[ob_scalar_kind(ob_value_as_scalar(value))];
}

/* What a call asks for; `like` is NULL where the source has no tensor. */
static ob_status read_options(const ob_frame *frame, const factory *f, ob_copy_to *to)
{
    const uint32_t at = leading(f);
    const ob_value *o = frame->args + at;
    const bool has_self = frame->args[0].tag == OB_VALUE_TENSOR;
    const ob_tensor *self = has_self ? frame->args[0].u.tensor : NULL;
    *to = (ob_copy_to){ has_self ? ob_tensor_dtype(self) : OB_F32,
                        has_self ? ob_tensor_device(self) : OB_DEVICE_CPU, OB_MEMORY_FORMAT_NONE };
    if (f->source == SOURCE_SIZE && f->fill == FILL_VALUE)
        to->dtype = dtype_of_value(&frame->args[at - 1]);
    if (o[0].tag != OB_VALUE_NONE) to->dtype = (ob_dtype)o[0].u.i;
    if (o[2].tag != OB_VALUE_NONE) to->device = o[2].u.device;
    if (frame->n_args > at + 4 && o[4].tag != OB_VALUE_NONE)
        to->format = (ob_memory_format)o[4].u.i;
    if (o[1].tag != OB_VALUE_NONE && o[1].u.i != OB_LAYOUT_STRIDED)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: layout %lld; only strided tensors exist here",
                       f->name, (long long)o[1].u.i);
    if (!ob_dtype_is_known(to->dtype))
        return OB_FAIL(OB_ERR_DTYPE, "%s: %s is not a dtype of Outboard", f->name,
                       ob_dtype_name(to->dtype));
    return OB_OK;
}

/* Strides of dims laid out in the order `layout`, outermost first. */
static ob_status permuted_strides(ob_ints sizes, ob_ints layout, int64_t *strides)
{
    uint64_t seen = 0;
    int64_t step = 1;
    for (int64_t i = layout.n - 1; i >= 0; i--) {
        const int64_t d = layout.data[i];
        if (layout.n != sizes.n || d < 0 || d >= sizes.n || seen >> d & 1)
            return OB_FAIL(OB_ERR_ARG,
                           "empty_permuted: physical_layout must name each of %lld "
                           "dims once",
                           (long long)sizes.n);
        seen |= UINT64_C(1) << d;
        strides[d] = step;
        if (sizes.data[d] > 1) step *= sizes.data[d];
    }
    return OB_OK;
}

static ob_status sized(const ob_frame *frame, const factory *f, ob_copy_to to, ob_tensor **out)
{
    const bool is_new = f->source == SOURCE_NEW || f->source == SOURCE_NEW_STRIDED;
    const ob_value *size = &frame->args[is_new ? 1 : 0];
    ob_ints sizes = { size->u.ints, size->count }, strides = { size[1].u.ints, size[1].count };
    int64_t made[OB_MAX_RANK], numel = 0;
    if (f->source == SOURCE_SCALAR) sizes.n = 0;
    if (sizes.n > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_ARG, "%s: %lld dims asked for, at most %d can be", f->name,
                       (long long)sizes.n, OB_MAX_RANK);
    OB_TRY(ob_shape_numel(sizes.data, (int)sizes.n, &numel));
    if (f->source == SOURCE_PERMUTED) {
        OB_TRY(permuted_strides(sizes, strides, made));
        strides.data = made;
    } else if (f->source != SOURCE_STRIDED && f->source != SOURCE_NEW_STRIDED) {
        if (to.format < OB_MEMORY_FORMAT_CHANNELS_LAST)
            return ob_tensor_create(sizes, to.dtype, to.device, out);
        OB_TRY(ob_format_strides(to.format, sizes.data, (int)sizes.n, made));
        strides = (ob_ints){ made, sizes.n };
    }
    if (strides.n != sizes.n)
        return OB_FAIL(OB_ERR_ARG, "%s: %lld sizes but %lld strides", f->name, (long long)sizes.n,
                       (long long)strides.n);
    return ob_tensor_create_strided(sizes, strides, to.dtype, to.device, out);
}

/* Give a tensor the factory's values; `value` belongs to FILL_VALUE. */
static ob_status fill_with(const factory *f, ob_tensor *t, const ob_value *value)
{
    const ob_value args[] = { ob_value_tensor(t),
                              f->fill == FILL_VALUE ? *value : ob_value_int(1) };
    if (f->fill == FILL_NOTHING || ob_tensor_numel(t) == 0) return OB_OK;
    return ob_row_apply(f->fill == FILL_ZERO ? OB_ROW_zero_ : OB_ROW_fill_scalar_, args);
}

static ob_status make(ob_frame *frame)
{
    const factory *f = frame->user;
    ob_copy_to to;
    ob_tensor *t = NULL;
    OB_TRY(read_options(frame, f, &to));
    if (f->source == SOURCE_LIKE) {
        if (to.format == OB_MEMORY_FORMAT_NONE) to.format = OB_MEMORY_FORMAT_PRESERVE;
        OB_TRY(ob_empty_like_of(frame->args[0].u.tensor, to, &t));
    } else {
        OB_TRY(sized(frame, f, to, &t));
    }
    frame->results[0] = ob_value_tensor(t);
    return fill_with(f, t, &frame->args[leading(f) - 1]);
}

/* The out form: resize the last argument and fill it. */
static ob_status make_out(ob_frame *frame)
{
    const factory *f = frame->user;
    ob_tensor *out = frame->args[frame->n_args - 1].u.tensor;
    const bool is_new = f->source == SOURCE_NEW || f->source == SOURCE_NEW_STRIDED;
    const ob_value *size = &frame->args[is_new ? 1 : 0];
    ob_value args[3] = { ob_value_tensor(out), *size, ob_value_none() };
    if (f->source == SOURCE_SCALAR) args[1] = ob_value_ints((ob_ints){ NULL, 0 });
    if (f->source == SOURCE_LIKE)
        args[1] = ob_value_ints(
            (ob_ints){ ob_tensor_sizes(size->u.tensor), ob_tensor_rank(size->u.tensor) });
    bool same = args[1].count == (uint32_t)ob_tensor_rank(out);
    for (uint32_t d = 0; same && d < args[1].count; d++)
        same = args[1].u.ints[d] == ob_tensor_sizes(out)[d];
    if (!same) OB_TRY(ob_row_apply(OB_ROW_resize_, args));
    OB_TRY(ob_overlap_check_internal(f->name, out));
    OB_TRY(fill_with(f, out, &frame->args[leading(f) ? leading(f) - 1 : 0]));
    frame->results[0] = ob_value_tensor(ob_tensor_retain(out));
    return OB_OK;
}

/* BackendSelect: a call without tensors goes to the backend its device names. */
static ob_status select_backend(ob_frame *frame)
{
    const ob_value *device = &frame->args[leading(frame->user) + 2];
    const ob_backend backend =
        device->tag == OB_VALUE_NONE ? OB_BACKEND_CPU : (ob_backend)device->u.device.backend;
    return ob_redispatch(frame->op, ob_keyset_of(ob_key_of(OB_KEY_Dense, backend)), frame->args,
                         frame->results);
}

/* Zero `t`, a matrix, and set its diagonal to 1. */
static ob_status make_identity(ob_tensor *t)
{
    ob_value diagonal = { 0 };
    const ob_value all[] = { ob_value_tensor(t), ob_value_int(0), ob_value_int(0),
                             ob_value_int(1) };
    OB_TRY(ob_row_apply(OB_ROW_zero_, all));
    OB_TRY(ob_row_call(OB_ROW_diagonal, all, &diagonal));
    const ob_value args[] = { diagonal, ob_value_int(1) };
    const ob_status st = ob_row_apply(OB_ROW_fill_scalar_, args);
    ob_value_reset(&diagonal);
    return st;
}

/* eye(n), eye.m(n, m): `user` is NULL for the first */
static ob_status eye(ob_frame *frame)
{
    const ob_value *a = frame->args;
    const uint32_t at = frame->user ? 2 : 1;
    const int64_t sizes[] = { a[0].u.i, a[at - 1].u.i };
    const ob_value args[] = { ob_value_ints((ob_ints){ sizes, 2 }),
                              a[at],
                              a[at + 1],
                              a[at + 2],
                              a[at + 3],
                              ob_value_none() };
    if (sizes[0] < 0 || sizes[1] < 0)
        return OB_FAIL(OB_ERR_ARG, "eye: [%lld, %lld] has a negative extent", (long long)sizes[0],
                       (long long)sizes[1]);
    OB_TRY(ob_row_call(OB_ROW_empty, args, frame->results));
    return make_identity(frame->results[0].u.tensor);
}

/* eye.out, eye.m_out */
static ob_status eye_out(ob_frame *frame)
{
    const ob_value *a = frame->args;
    ob_tensor *out = a[frame->n_args - 1].u.tensor;
    const int64_t sizes[] = { a[0].u.i, a[frame->user ? 1 : 0].u.i };
    const ob_value args[] = { ob_value_tensor(out), ob_value_ints((ob_ints){ sizes, 2 }),
                              ob_value_none() };
    OB_TRY(ob_row_apply(OB_ROW_resize_, args));
    OB_TRY(make_identity(out));
    frame->results[0] = ob_value_tensor(ob_tensor_retain(out));
    return OB_OK;
}

static ob_status install(void)
{
    static char two; /* address: `user` of the forms with two extents */
    for (size_t i = 0; i < OB_COUNT(rows); i++) {
        void *user = (void *)(uintptr_t)&rows[i];
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, rows[i].name, make, user);
        ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, rows[i].out, make_out, user);
        const int row = ob_aten_index(rows[i].name);
        const bool has_self = rows[i].source == SOURCE_LIKE || rows[i].source == SOURCE_NEW;
        if (row >= 0 && ob_aten_row_at(row)->klass == OB_ATEN_NATIVE && !has_self)
            ob_batch_add_fn(OB_KEY_BackendSelect, rows[i].name, select_backend, user);
    }
    ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, "eye", eye, NULL);
    ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, "eye.m", eye, &two);
    ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, "eye.out", eye_out, NULL);
    ob_batch_add_fn(OB_KEY_CompositeExplicitAutograd, "eye.m_out", eye_out, &two);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
