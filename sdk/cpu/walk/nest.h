/* Walking several strided operands of one shape: dims sorted by the first operand's strides, merged
 * where all operands allow it, and handed out as runs along the innermost dim. */
#ifndef OB_CPU_NEST_H
#define OB_CPU_NEST_H

#include "ob/tensor.h"

enum { OB_NEST_OPERANDS = 4 };

typedef struct ob_nest {
    int rank, n; /* dims, at least 1 once prepared; operands */
    bool started;
    int64_t sizes[OB_MAX_RANK];                     /* dim 0 is the innermost once prepared */
    int64_t strides[OB_NEST_OPERANDS][OB_MAX_RANK]; /* elements */
    int64_t index[OB_MAX_RANK];
    int64_t at[OB_NEST_OPERANDS]; /* position of the current run in each operand, elements */
} ob_nest;

/* Start with the shape. */
void ob_nest_begin(ob_nest *nest, const int64_t *sizes, int rank);
/* Add an operand: a tensor that broadcasts to the shape (NULL: a constant, all strides 0). */
void ob_nest_add(ob_nest *nest, const ob_tensor *t);
/* Sort and merge the dims. */
void ob_nest_prepare(ob_nest *nest);
/* Merge them in the order they have: for walks whose order counts. */
void ob_nest_merge(ob_nest *nest);
/* Go to the next run of sizes[0] elements, operand p from at[p] by strides[p][0]; false after the
 * last one. An empty shape has none. */
bool ob_nest_next(ob_nest *nest);

#endif
