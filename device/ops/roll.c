/* roll: copies between the parts of two tensors. PyTorch: native/TensorTransformations.cpp. */
#include "device/native.h"
#include "device/ops/copy.h"

/* A tensor's memory by strides of its own. */
typedef struct side {
    ob_tensor *tensor;
    int64_t offset; /* of the first element, in the tensor's buffer */
    const int64_t *strides;
} side;

/* The tensor's own window, moved on by `by` elements. */
static side side_at(ob_tensor *t, int64_t by)
{
    return (side){ t, ob_tensor_offset(t) + by, ob_tensor_strides(t) };
}

static ob_status move(side to, side from, const int64_t *sizes, int rank)
{
    ob_cl_walk walk;
    ob_cl_walk_begin(&walk, sizes, rank);
    ob_cl_walk_add_strided(&walk, to.strides, to.offset);
    ob_cl_walk_add_strided(&walk, from.strides, from.offset);
    return ob_cl_copy_walk(to.tensor, from.tensor, &walk);
}

/* Two windows of a shape, moved on dim by dim. */
typedef struct roll_parts {
    ob_tensor *self, *out;
    int rank;
    int64_t shift[OB_MAX_RANK]; /* within [0, size) */
    int64_t sizes[OB_MAX_RANK];
} roll_parts;

/* Part `which` of the 2^rank: bit d says that dim d is the part that comes around. */
static ob_status roll_part(roll_parts *r, uint64_t which)
{
    const int64_t *all = ob_tensor_sizes(r->self);
    int64_t from = 0, to = 0;
    for (int d = 0; d < r->rank; d++) {
        const bool around = which >> d & 1;
        r->sizes[d] = around ? r->shift[d] : all[d] - r->shift[d];
        if (around)
            from += (all[d] - r->shift[d]) * ob_tensor_strides(r->self)[d];
        else
            to += r->shift[d] * ob_tensor_strides(r->out)[d];
    }
    return move(side_at(r->out, to), side_at(r->self, from), r->sizes, r->rank);
}

/* All parts that are not empty: subsets of the dims that are shifted. */
static ob_status roll_all(roll_parts *r)
{
    uint64_t shifted = 0, which = 0;
    for (int d = 0; d < r->rank; d++)
        if (r->shift[d] > 0) shifted |= UINT64_C(1) << d;
    do {
        OB_TRY(roll_part(r, which));
        which = (which - shifted) & shifted;
    } while (which != 0);
    return OB_OK;
}

/* The flattened tensor: both are row-major. */
static ob_status roll_flat(ob_tensor *out, ob_tensor *self, int64_t by)
{
    static const int64_t one = 1;
    const int64_t n = ob_tensor_numel(self), shift = ((by % n) + n) % n, rest = n - shift;
    const side to = { out, ob_tensor_offset(out), &one };
    const side from = { self, ob_tensor_offset(self), &one };
    const side later = { out, to.offset + shift, &one };
    const side around = { self, from.offset + rest, &one };
    OB_TRY(move(later, from, &rest, 1));
    return move(to, around, &shift, 1);
}

/* roll(self, shifts, dims), row-major */
ob_status ob_cl_op_roll(ob_frame *frame)
{
    const ob_value *shifts = &frame->args[1], *dims = &frame->args[2];
    roll_parts r = { .self = frame->args[0].u.tensor, .out = frame->results[0].u.tensor };
    r.rank = ob_tensor_rank(r.self);
    if (ob_tensor_numel(r.self) == 0) return OB_OK;
    if (dims->count == 0 || r.rank == 0) return roll_flat(r.out, r.self, shifts->u.ints[0]);
    for (uint32_t i = 0; i < dims->count; i++) {
        const int64_t given = dims->u.ints[i];
        const int d = (int)(given < 0 ? given + r.rank : given);
        const int64_t n = ob_tensor_sizes(r.self)[d];
        r.shift[d] = ((r.shift[d] + shifts->u.ints[i] % n) % n + n) % n;
    }
    return roll_all(&r);
}
