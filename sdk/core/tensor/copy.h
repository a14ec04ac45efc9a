/* Strided copies on the host: the path of last resort for every device, and the CPU backend's copy.
 */
#ifndef OB_CORE_COPY_H
#define OB_CORE_COPY_H

#include "ob/tensor.h"

OB_BEGIN_DECLS

/* One side of a copy. `data` is the element at index 0. Strides in elements. */
typedef struct ob_span {
    void *data;
    const int64_t *strides;
    ob_dtype dtype;
} ob_span;

/* dst[i] = convert(src[i]) over `sizes`, with PyTorch's conversions (float to int cuts, to bool is
 * != 0, complex to real drops the imaginary part). The two may not overlap, unless they are the
 * same window. */
void ob_copy_strided(ob_span dst, ob_span src, const int64_t *sizes, int rank);
/* One element, any dtype to any dtype. */
void ob_convert_element(void *dst, ob_dtype dst_dtype, const void *src, ob_dtype src_dtype);
/* Fill with a scalar converted to the dtype. */
void ob_fill_strided(ob_span dst, const int64_t *sizes, int rank, ob_scalar value);

OB_END_DECLS
#endif
