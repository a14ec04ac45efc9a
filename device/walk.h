/* Tensors of one shape -> ob_walk structs for kernels: dims sorted, merged, split to what a kernel
 * takes.
 *
 *     ob_cl_walk w;
 *     ob_cl_walk_begin(&w, ob_tensor_sizes(out), ob_tensor_rank(out));
 *     ob_cl_walk_add(&w, out);            // operand 0: the order of dims follows it
 *     ob_cl_walk_add(&w, x);              // broadcast to the sizes by zero strides
 *     for (const ob_walk *k; (k = ob_cl_walk_next(&w)) != NULL;)
 *         OB_TRY(OB_LAUNCH(kernel, range, BUF(out), BUF(x), VAL(*k)));
 *
 * Nearly always there is one step. An empty shape gives none. */
#ifndef OB_DEVICE_WALK_H
#define OB_DEVICE_WALK_H

#include "kernels/ob_layout.h"
#include "ob/tensor.h"

typedef struct ob_cl_walk {
    ob_walk now; /* the step that ob_cl_walk_next() returned */
    int n, rank; /* operands; dims */
    int inner;   /* dims that a step covers: the first ones */
    bool prepared, done;
    int64_t size[OB_MAX_RANK], index[OB_MAX_RANK]; /* dim 0 innermost once prepared */
    int64_t offset[OB_WALK_OPERANDS];
    int64_t stride[OB_WALK_OPERANDS][OB_MAX_RANK];
} ob_cl_walk;

/* Start with the shape to walk; row-major, the last dim is the innermost. */
void ob_cl_walk_begin(ob_cl_walk *w, const int64_t *sizes, int rank);
/* Add an operand, at most OB_WALK_OPERANDS. Its sizes are the walk's or broadcast to them (extent 1
 * or missing leading dims). */
void ob_cl_walk_add(ob_cl_walk *w, const ob_tensor *t);
/* Add an operand by strides of the walk's rank. */
void ob_cl_walk_add_strided(ob_cl_walk *w, const int64_t *strides, int64_t offset);
/* The next step [borrowed, until the next call], or NULL after the last. */
const ob_walk *ob_cl_walk_next(ob_cl_walk *w);

#endif
