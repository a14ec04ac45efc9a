/* Whole tensors as dense row-major doubles: for reference kernels that care for being right, not
 * for speed. */
#ifndef OB_CPU_DENSE_H
#define OB_CPU_DENSE_H

#include "ob/tensor.h"

/* The elements as doubles [owned: ob_free()]; OB_ERR_OOM. */
ob_status ob_dense_read(const ob_tensor *t, double **out) OB_MUST_USE;
/* `n` zeros, at least one [owned: ob_free()]; OB_ERR_OOM. */
ob_status ob_dense_zeros(int64_t n, double **out) OB_MUST_USE;
/* Store doubles into the tensor, rounded or cut to its dtype. */
void ob_dense_write(ob_tensor *t, const double *data);

#endif
