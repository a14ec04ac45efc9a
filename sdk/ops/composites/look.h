/* Looking at a tensor inside a formula, where it may be NULL because the scope has failed: then the
 * answer is harmless. And small lists in the scope's memory. */
#ifndef OB_OPS_COMPOSITES_LOOK_H
#define OB_OPS_COMPOSITES_LOOK_H

#include <string.h>

#include "ops/composites_gen.h"

static inline int rank_of(const ob_tensor *t)
{
    return t ? ob_tensor_rank(t) : 0;
}

/* Extent of a dim, -1 the last one. */
static inline int64_t extent(const ob_tensor *t, int64_t dim)
{
    return t ? ob_tensor_size(t, dim) : 1;
}

static inline int64_t numel_of(const ob_tensor *t)
{
    return t ? ob_tensor_numel(t) : 0;
}

static inline ob_dtype dtype_of(const ob_tensor *t)
{
    return t ? ob_tensor_dtype(t) : OB_F32;
}

static inline ob_kind kind_of(const ob_tensor *t)
{
    return ob_dtype_kind(dtype_of(t));
}

static inline ob_device device_of(const ob_tensor *t)
{
    return t ? ob_tensor_device(t) : OB_DEVICE_CPU;
}

/* Sizes [borrowed from the tensor]. */
static inline ob_ints sizes_of(const ob_tensor *t)
{
    return t ? (ob_ints){ ob_tensor_sizes(t), ob_tensor_rank(t) } : (ob_ints){ NULL, 0 };
}

/* A dim in [0, rank); one that is out of range stays so, for the op that gets it to refuse. */
static inline int64_t wrapped(const ob_tensor *t, int64_t dim)
{
    const int64_t rank = rank_of(t) > 0 ? rank_of(t) : 1;
    return dim < 0 && dim >= -rank ? dim + rank : dim;
}

/* True for a dim of `t`, or 0 and -1 where it has none; else the scope fails. */
bool has_dim(ob_scope *s, const char *op, const ob_tensor *t, int64_t dim);
/* n copies of a number; a list in the scope's memory. */
ob_ints repeated(ob_scope *s, int64_t value, int64_t n);
/* `list` itself, or n copies of its only element. */
ob_ints spread(ob_scope *s, ob_ints list, int64_t n);
/* The dims [from, rank). */
ob_ints dims_from(ob_scope *s, const ob_tensor *t, int64_t from);
/* A copy of the sizes with room for `more` further ones. */
int64_t *sizes_copy(ob_scope *s, const ob_tensor *t, int64_t more);
/* Wrapped dims; an empty list stands for all. */
ob_ints wrapped_dims(ob_scope *s, const ob_tensor *t, ob_ints dims);
/* float16 and bfloat16 as float32, others as they are. */
ob_tensor *widened(ob_scope *s, ob_tensor *t);
/* `t` in a dtype; itself when it has that. */
ob_tensor *as_dtype(ob_scope *s, ob_tensor *t, ob_dtype dtype);

#endif
