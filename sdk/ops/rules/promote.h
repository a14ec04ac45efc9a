/* Which dtype a mix of Tensors and Scalars is computed in. PyTorch: at::native::ResultTypeState in
 * aten/src/ATen/native/TypeProperties.cpp. */
#ifndef OB_OPS_RULES_PROMOTE_H
#define OB_OPS_RULES_PROMOTE_H

#include "ob/tensor.h"

/* Best dtype so far of tensors with dims, of 0-d tensors, and of numbers: each counts only if its
 * category is above the one before. Start with OB_PROMOTION_NONE. */
typedef struct ob_promotion {
    ob_dtype dim, zero, wrapped;
} ob_promotion;

#define OB_PROMOTION_NONE ((ob_promotion){ OB_DTYPE_NONE, OB_DTYPE_NONE, OB_DTYPE_NONE })

void ob_promotion_tensor(ob_promotion *p, const ob_tensor *t);
void ob_promotion_scalar(ob_promotion *p, ob_scalar s);
/* A Tensor, a number, a list of Tensors; anything else changes nothing. */
void ob_promotion_value(ob_promotion *p, const ob_value *v);
/* OB_DTYPE_NONE when nothing was added; a dtype that is not ob_dtype_is_known() (complex32,
 * complex128) when PyTorch would give that. */
ob_dtype ob_promotion_result(const ob_promotion *p);

#endif
