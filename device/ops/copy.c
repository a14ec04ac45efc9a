/* copy_, fills, arange, linspace and reading a scalar. Kernels: kernels/copy.cl. PyTorch:
 * native/Copy.cpp, Fill.cpp, RangeFactories.cpp. */
#include <string.h>

#include "device/launch.h"
#include "device/native.h"
#include "device/ops/copy.h"
#include "device/ops/element.h"
#include "device/walk.h"

enum { COPY_CHUNK = 16384 }; /* elements that are worth a work-item */

static const ob_cl_program copy_program = { "copy", { "prelude.cl", "copy.cl" }, NULL, NULL };

static ob_cl_site copy_same = OB_CL_SITE(&copy_program, "copy_same");
static ob_cl_site arange = OB_CL_SITE(&copy_program, "arange");
static ob_cl_site fill = OB_CL_SITE(&copy_program, "fill");

/* copy_from_<brief>, by the number of the dtype. */
static ob_cl_site copy_from[OB_CL_DTYPE_SLOTS] = {
    [OB_U8] = OB_CL_SITE(&copy_program, "copy_from_u8"),
    [OB_I8] = OB_CL_SITE(&copy_program, "copy_from_i8"),
    [OB_I16] = OB_CL_SITE(&copy_program, "copy_from_i16"),
    [OB_I32] = OB_CL_SITE(&copy_program, "copy_from_i32"),
    [OB_I64] = OB_CL_SITE(&copy_program, "copy_from_i64"),
    [OB_F16] = OB_CL_SITE(&copy_program, "copy_from_f16"),
    [OB_F32] = OB_CL_SITE(&copy_program, "copy_from_f32"),
    [OB_F64] = OB_CL_SITE(&copy_program, "copy_from_f64"),
    [OB_C64] = OB_CL_SITE(&copy_program, "copy_from_c64"),
    [OB_BOOL] = OB_CL_SITE(&copy_program, "copy_from_bool_"),
    [OB_BF16] = OB_CL_SITE(&copy_program, "copy_from_bf16"),
    [OB_F8E4M3] = OB_CL_SITE(&copy_program, "copy_from_f8e4m3"),
};

ob_dtype ob_cl_mover_of(ob_dtype dtype)
{
    static const ob_dtype movers[] = { [1] = OB_U8, [2] = OB_I16, [4] = OB_I32, [8] = OB_I64 };
    return movers[ob_dtype_bytes(dtype)];
}

/* Bytes from the start of the buffer. */
static size_t byte_offset(const ob_tensor *t)
{
    return (size_t)ob_tensor_offset(t) * ob_dtype_bytes(ob_tensor_dtype(t));
}

/* Both hold their elements in the same order without gaps. */
static bool same_dense(const ob_tensor *a, const ob_tensor *b)
{
    const int rank = ob_tensor_rank(a);
    if (ob_tensor_dtype(a) != ob_tensor_dtype(b) || rank != ob_tensor_rank(b)) return false;
    const size_t bytes = (size_t)rank * sizeof(int64_t);
    if (memcmp(ob_tensor_sizes(a), ob_tensor_sizes(b), bytes) != 0) return false;
    if (ob_tensor_is_contiguous(a) && ob_tensor_is_contiguous(b)) return true;
    return memcmp(ob_tensor_strides(a), ob_tensor_strides(b), bytes) == 0 && ob_tensor_is_dense(a);
}

ob_status ob_cl_copy_walk(ob_tensor *dst, const ob_tensor *src, ob_cl_walk *walk)
{
    const ob_dtype to = ob_tensor_dtype(dst), from = ob_tensor_dtype(src);
    ob_cl_kernel *k;
    if (to == from)
        OB_TRY(ob_cl_kernel_get(&copy_same, ob_cl_mover_of(to), &k));
    else
        OB_TRY(ob_cl_kernel_get(&copy_from[from], to, &k));
    for (const ob_walk *w; (w = ob_cl_walk_next(walk)) != NULL;)
        OB_TRY(OB_LAUNCH(k, ob_cl_range_chunks(w->numel, COPY_CHUNK), BUF(dst), BUF(src), VAL(*w)));
    return OB_OK;
}

/* dst = src broadcast to dst's sizes and converted. */
static ob_status copy(ob_tensor *dst, ob_tensor *src)
{
    ob_cl_walk walk;
    if (ob_tensor_numel(dst) == 0) return OB_OK;
    if (same_dense(dst, src))
        return ob_cl_copy(ob_tensor_buffer(dst), byte_offset(dst), ob_tensor_buffer(src),
                          byte_offset(src),
                          (size_t)ob_tensor_numel(dst) * ob_dtype_bytes(ob_tensor_dtype(dst)));
    ob_cl_walk_begin(&walk, ob_tensor_sizes(dst), ob_tensor_rank(dst));
    ob_cl_walk_add(&walk, dst);
    ob_cl_walk_add(&walk, src);
    return ob_cl_copy_walk(dst, src, &walk);
}

ob_status ob_cl_op_copy(ob_frame *frame)
{
    OB_TRY(ob_cl_return_self(frame));
    return copy(frame->results[0].u.tensor, frame->args[1].u.tensor);
}

/* ---- fills ---- */

ob_status ob_cl_fill(ob_tensor *t, int64_t bits)
{
    ob_cl_kernel *k;
    ob_cl_walk walk;
    if (ob_tensor_numel(t) == 0) return OB_OK;
    OB_TRY(ob_cl_kernel_get(&fill, ob_cl_mover_of(ob_tensor_dtype(t)), &k));
    ob_cl_walk_begin(&walk, ob_tensor_sizes(t), ob_tensor_rank(t));
    ob_cl_walk_add(&walk, t);
    for (const ob_walk *w; (w = ob_cl_walk_next(&walk)) != NULL;)
        OB_TRY(OB_LAUNCH(k, ob_cl_range_chunks(w->numel, COPY_CHUNK), BUF(t), VAL(bits), VAL(*w)));
    return OB_OK;
}

/* fill_.Scalar(self, value), zero_(self); results[0] is what to fill. */
ob_status ob_cl_op_fill(ob_frame *frame)
{
    OB_TRY(ob_cl_return_self(frame));
    ob_tensor *t = frame->results[0].u.tensor;
    const ob_scalar value = frame->n_args > 1 ? ob_value_as_scalar(&frame->args[1]) : ob_int(0);
    return ob_cl_fill(t, ob_cl_element_bits(value, ob_tensor_dtype(t)));
}

static ob_status count(ob_tensor *t, const ob_arange *row)
{
    ob_cl_kernel *k;
    if (row->numel == 0) return OB_OK;
    OB_TRY(ob_cl_kernel_get(&arange, ob_tensor_dtype(t), &k));
    return OB_LAUNCH(k, ob_cl_range_chunks(row->numel, COPY_CHUNK), BUF(t), VAL(*row));
}

/* arange.start_out(start, end, step): results[0] has the length. */
ob_status ob_cl_op_arange(ob_frame *frame)
{
    ob_tensor *t = frame->results[0].u.tensor;
    const ob_scalar start = ob_value_as_scalar(&frame->args[0]);
    const ob_scalar step = ob_value_as_scalar(&frame->args[2]);
    const ob_arange row = { .offset = ob_tensor_offset(t),
                            .numel = ob_tensor_numel(t),
                            .stride = ob_tensor_strides(t)[0],
                            .whole = ob_dtype_kind(ob_tensor_dtype(t)) <= OB_KIND_INT,
                            .int_start = ob_scalar_int(start),
                            .int_step = ob_scalar_int(step),
                            .start = ob_scalar_double(start),
                            .step = ob_scalar_double(step) };
    return count(t, &row);
}

/* linspace.out(start, end, steps): results[0] has the length. Counts up from start in the first
 * half and down from end in the second, so that both ends are met. */
ob_status ob_cl_op_linspace(ob_frame *frame)
{
    ob_tensor *t = frame->results[0].u.tensor;
    const double start = ob_scalar_double(ob_value_as_scalar(&frame->args[0]));
    const double end = ob_scalar_double(ob_value_as_scalar(&frame->args[1]));
    const int64_t n = ob_tensor_numel(t), half = n > 1 ? n / 2 : n;
    const int64_t stride = ob_tensor_strides(t)[0], offset = ob_tensor_offset(t);
    const double step = n > 1 ? (end - start) / (double)(n - 1) : 0;
    const ob_arange up = { offset, half, stride, .start = start, .step = step };
    const ob_arange down = { offset + (n - 1) * stride, n - half, -stride, .start = end,
                             .step = -step };
    OB_TRY(count(t, &up));
    return count(t, &down);
}

/* ---- scalars ---- */

ob_status ob_cl_op_local_scalar_dense(ob_frame *frame)
{
    const ob_tensor *t = frame->args[0].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(t);
    int64_t bits = 0;
    if (ob_tensor_numel(t) != 1)
        return OB_FAIL(OB_ERR_SHAPE, "_local_scalar_dense: %lld elements, should be one",
                       (long long)ob_tensor_numel(t));
    OB_TRY(ob_cl_read(ob_tensor_buffer(t), byte_offset(t), &bits, ob_dtype_bytes(dtype)));
    frame->results[0] = ob_value_scalar(ob_cl_element_value(bits, dtype));
    return OB_OK;
}
