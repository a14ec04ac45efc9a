/* Picking elements by an index tensor. Follows prelude.cl; elements are moved unread, so one
 * integer dtype serves each width.
 *
 *   pick_i64, pick_i32   out = self[... index ...]: operands of the walk are out, self (stride 0 in the picked dim), index;
 *                        to each position in self index * step is added
 *
 * An index out of range sets fault[0] and takes element 0. Work-item x takes a part of the walk. */
#define PICK(name, type)                                                                          \
    OB_ONE_ITEM kernel void name(global OB_S *out, global const OB_S *self,                       \
                                 global const type *index, global int *fault, const ob_walk w,    \
                                 const ob_i64 extent, const ob_i64 step, const int wraps)         \
    {                                                                                             \
        OB_PART_OF(w.numel)                                                                       \
        for (ob_i64 i = begin; i < end; i++) {                                                    \
            ob_i64 at = index[ob_walk_at(&w, 2, i)];                                              \
            if (at < 0 && wraps) at += extent;                                                    \
            if (at < 0 || at >= extent) {                                                         \
                fault[0] = 1;                                                                     \
                at = 0;                                                                           \
            }                                                                                     \
            out[ob_walk_at(&w, 0, i)] = self[ob_walk_at(&w, 1, i) + at * step];                   \
        }                                                                                         \
    }

PICK(pick_i64, long)
PICK(pick_i32, int)
