/* Strides of memory formats, and the strides that a like-tensor or a clone takes over from its
 * source. PyTorch: c10/core/MemoryFormat.h, at::infer_dense_strides. */
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"
#include "ops/create/copy.h"

/* Dims from the innermost out, per format; the rank is the length. */
static const int channels_last[] = { 1, 3, 2, 0 };
static const int channels_last_3d[] = { 1, 4, 3, 2, 0 };

/* The order of a channels-last format; NULL for the others. */
static const int *order_of(ob_memory_format format, int *rank)
{
    *rank = format == OB_MEMORY_FORMAT_CHANNELS_LAST ? 4 : 5;
    if (format == OB_MEMORY_FORMAT_CHANNELS_LAST) return channels_last;
    if (format == OB_MEMORY_FORMAT_CHANNELS_LAST_3D) return channels_last_3d;
    return NULL;
}

/* Dense strides where order[0] is the innermost dim. */
static void fill_strides(const int *order, const int64_t *sizes, int rank, int64_t *strides)
{
    int64_t step = 1;
    for (int i = 0; i < rank; i++) {
        const int d = order[i];
        strides[d] = step;
        if (sizes[d] > 1) step *= sizes[d];
    }
}

ob_status ob_format_strides(ob_memory_format format, const int64_t *sizes, int rank,
                            int64_t *strides)
{
    int wanted = 0;
    const int *order = order_of(format, &wanted);
    if (!order) {
        ob_shape_dense_strides(sizes, rank, strides);
        return OB_OK;
    }
    if (rank != wanted)
        return OB_FAIL(OB_ERR_ARG, "channels_last%s needs a tensor of rank %d, this one has %d",
                       wanted == 5 ? "_3d" : "", wanted, rank);
    fill_strides(order, sizes, rank, strides);
    return OB_OK;
}

/* Strides that rise along the order, as channels_last ones do; ties of size-1 batches say no. */
static bool strides_follow(const ob_tensor *t, const int *order, int rank)
{
    const int64_t *sizes = ob_tensor_sizes(t), *strides = ob_tensor_strides(t);
    int64_t least = 0;
    if (ob_tensor_rank(t) != rank || strides[1] == 0) return false;
    for (int i = 0; i < rank; i++) {
        const int d = order[i];
        if (sizes[d] == 0 || strides[d] < least) return false;
        if (d == 0 && least == strides[1]) return false;
        least = sizes[d] > 1 ? strides[d] * sizes[d] : strides[d];
    }
    return true;
}

ob_memory_format ob_format_of(const ob_tensor *t)
{
    if (strides_follow(t, channels_last, 4)) return OB_MEMORY_FORMAT_CHANNELS_LAST;
    if (strides_follow(t, channels_last_3d, 5)) return OB_MEMORY_FORMAT_CHANNELS_LAST_3D;
    return OB_MEMORY_FORMAT_CONTIGUOUS;
}

bool ob_format_fits(const ob_tensor *t, ob_memory_format format)
{
    int wanted = 0;
    const int *order = order_of(format, &wanted);
    if (!order) return ob_tensor_is_contiguous(t);
    if (ob_tensor_rank(t) != wanted) return false;
    int64_t step = 1;
    for (int i = 0; i < wanted; i++) {
        const int64_t extent = ob_tensor_sizes(t)[order[i]];
        if (extent == 1) continue;
        if (ob_tensor_strides(t)[order[i]] != step) return false;
        step *= extent;
    }
    return true;
}

/* Which of two dims lies further in: < 0 a, > 0 b, 0 not known (a zero stride). */
static int compare_dims(const ob_tensor *t, int a, int b)
{
    const int64_t *sizes = ob_tensor_sizes(t), *strides = ob_tensor_strides(t);
    if (strides[a] == 0 || strides[b] == 0) return 0;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    return sizes[a] > sizes[b] ? 1 : 0;
}

/* Dense strides in the order of t's own (at::infer_dense_strides). */
static void infer_strides(const ob_tensor *t, int64_t *strides)
{
    const int rank = ob_tensor_rank(t);
    int order[OB_MAX_RANK];
    for (int i = 0; i < rank; i++)
        order[i] = rank - 1 - i;
    for (int i = 1; i < rank; i++) {
        int at = i;
        for (int k = i - 1; k >= 0; k--) {
            const int how = compare_dims(t, order[k], order[at]);
            if (how < 0) break;
            if (how == 0) continue;
            const int swapped = order[k];
            order[k] = order[at];
            order[at] = swapped;
            at = k;
        }
    }
    fill_strides(order, ob_tensor_sizes(t), rank, strides);
}

ob_status ob_empty_like_of(const ob_tensor *src, ob_copy_to to, ob_tensor **out)
{
    const int rank = ob_tensor_rank(src);
    const ob_ints sizes = { ob_tensor_sizes(src), rank };
    int64_t strides[OB_MAX_RANK];
    *out = NULL;
    if (to.format == OB_MEMORY_FORMAT_CONTIGUOUS || ob_tensor_is_contiguous(src)) {
        if (to.format <= OB_MEMORY_FORMAT_PRESERVE)
            return ob_tensor_create(sizes, to.dtype, to.device, out);
    }
    if (to.format >= OB_MEMORY_FORMAT_CHANNELS_LAST)
        OB_TRY(ob_format_strides(to.format, sizes.data, rank, strides));
    else if (ob_tensor_is_dense(src))
        return ob_tensor_create_strided(sizes, (ob_ints){ ob_tensor_strides(src), rank }, to.dtype,
                                        to.device, out);
    else
        infer_strides(src, strides);
    return ob_tensor_create_strided(sizes, (ob_ints){ strides, rank }, to.dtype, to.device, out);
}
