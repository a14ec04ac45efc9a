/* sort and topk: lines along one dim, sorted whole. Kernel: kernels/sort.cl. PyTorch:
 * native/cpu/SortingKernel.cpp; of equal elements topk keeps the first, PyTorch any. */
#include "device/launch.h"
#include "device/native.h"
#include "device/walk.h"

enum { CHUNK = 512 }; /* elements that are worth a work-item */

static const ob_cl_program program = { "sort", { "prelude.cl", "sort.cl" }, NULL, NULL };
static ob_cl_site sort_lines = OB_CL_SITE(&program, "sort_lines");

static int64_t step_along(const ob_tensor *t, int dim)
{
    return ob_tensor_rank(t) > 0 ? ob_tensor_strides(t)[dim] : 0;
}

static int64_t extent_along(const ob_tensor *t, int dim)
{
    return ob_tensor_rank(t) > 0 ? ob_tensor_sizes(t)[dim] : 1;
}

static ob_status launch(ob_cl_kernel *k, const ob_sort *s, const ob_tensor *values,
                        const ob_tensor *indices, const ob_tensor *self)
{
    const ob_cl_range range = ob_cl_range_chunks(s->w.numel, CHUNK / s->n + 1);
    ob_buffer *scratch = NULL;
    OB_TRY(ob_cl_scratch(range.global[0] * 2 * (size_t)s->n * sizeof(ob_i64), &scratch));
    const ob_status st =
        OB_LAUNCH(k, range, BUF(values), BUF(indices), BUF(self), MEM(scratch), VAL(*s));
    ob_cl_scratch_free(scratch);
    return st;
}

/* Lines along `given`, of which the results, values and indices, hold the first elements. */
static ob_status sort(const ob_frame *frame, int64_t given, bool descending)
{
    const ob_tensor *self = frame->args[0].u.tensor;
    const ob_tensor *values = frame->results[0].u.tensor, *indices = frame->results[1].u.tensor;
    const int rank = ob_tensor_rank(self), dim = (int)(given < 0 ? given + rank : given);
    int64_t sizes[OB_MAX_RANK];
    ob_cl_kernel *k;
    ob_cl_walk walk;
    if (ob_tensor_numel(values) == 0) return OB_OK;
    for (int d = 0; d < rank; d++)
        sizes[d] = d == dim ? 1 : ob_tensor_sizes(self)[d];
    OB_TRY(ob_cl_kernel_get(&sort_lines, ob_tensor_dtype(self), &k));
    ob_sort s = { .n = extent_along(self, dim),
                  .kept = extent_along(values, dim),
                  .step = { step_along(values, dim), step_along(indices, dim),
                            step_along(self, dim) },
                  .descending = descending };
    const ob_tensor *operands[] = { values, indices, self };
    ob_cl_walk_begin(&walk, sizes, rank);
    for (int i = 0; i < 3; i++)
        ob_cl_walk_add_strided(&walk, ob_tensor_strides(operands[i]),
                               ob_tensor_offset(operands[i]));
    for (const ob_walk *w; (w = ob_cl_walk_next(&walk)) != NULL;) {
        s.w = *w;
        OB_TRY(launch(k, &s, values, indices, self));
    }
    return OB_OK;
}

/* sort.stable(self, stable, dim, descending) */
ob_status ob_cl_op_sort(ob_frame *frame)
{
    return sort(frame, frame->args[2].u.i, frame->args[3].u.b);
}

/* topk(self, k, dim, largest, sorted) */
ob_status ob_cl_op_topk(ob_frame *frame)
{
    return sort(frame, frame->args[2].u.i, frame->args[3].u.b);
}
