/* Walking the indices of a shape in row-major order, with the offsets of several operands. For
 * kernels that need the index itself; plain maps use nest.h. */
#ifndef OB_CPU_CURSOR_H
#define OB_CPU_CURSOR_H

#include "ob/tensor.h"

enum { OB_CURSOR_OPERANDS = 4 };

typedef struct ob_cursor {
    int rank, n;                                      /* dims; operands */
    bool done;                                        /* past the last element */
    int64_t sizes[OB_MAX_RANK];                       /* of the shape */
    int64_t strides[OB_CURSOR_OPERANDS][OB_MAX_RANK]; /* elements */
    int64_t index[OB_MAX_RANK];                       /* where it is */
    int64_t at[OB_CURSOR_OPERANDS];                   /* offset of each operand there, elements */
} ob_cursor;

/* Start at the first index of a shape; done at once when the shape is empty. */
void ob_cursor_begin(ob_cursor *c, const int64_t *sizes, int rank);
/* Add an operand by its strides (rank of them); returns its number. */
int ob_cursor_add(ob_cursor *c, const int64_t *strides);
/* Add a tensor that broadcasts to the shape. */
int ob_cursor_add_broadcast(ob_cursor *c, const ob_tensor *t);
/* Go to the next index, or become done. */
void ob_cursor_next(ob_cursor *c);

/* Address of the element `offset` elements from the first one. */
unsigned char *ob_element(const ob_tensor *t, int64_t offset);
/* Element of an int64 or int32 tensor. */
int64_t ob_element_index(const ob_tensor *t, int64_t offset);
/* Refuse an index outside of [0, extent) in an int64 or int32 tensor; OB_ERR_ARG as below. Before
 * anything is written, and for ops whose indices do not count from the end. */
ob_status ob_index_check(const char *op, const ob_tensor *index, int64_t extent,
                         int dim) OB_MUST_USE;
/* Wrap an index into [0, extent); OB_ERR_ARG naming op, index and extent. */
ob_status ob_index_wrap(const char *op, int64_t *index, int64_t extent, int dim) OB_MUST_USE;

#endif
