/* Dense doubles from tensors and back. */
#include "cpu/walk/dense.h"

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "core/tensor/shape.h"

ob_status ob_dense_zeros(int64_t n, double **out)
{
    *out = ob_alloc(n > 0 ? (size_t)n : 1, sizeof **out);
    return *out ? OB_OK : OB_FAIL(OB_ERR_OOM, "no memory for %lld numbers", (long long)n);
}

ob_status ob_dense_read(const ob_tensor *t, double **out)
{
    int64_t strides[OB_MAX_RANK];
    OB_TRY(ob_dense_zeros(ob_tensor_numel(t), out));
    ob_shape_dense_strides(ob_tensor_sizes(t), ob_tensor_rank(t), strides);
    const ob_span to = { *out, strides, OB_F64 };
    const ob_span from = { ob_tensor_data(t), ob_tensor_strides(t), ob_tensor_dtype(t) };
    if (ob_tensor_numel(t) > 0) ob_copy_strided(to, from, ob_tensor_sizes(t), ob_tensor_rank(t));
    return OB_OK;
}

void ob_dense_write(ob_tensor *t, const double *data)
{
    int64_t strides[OB_MAX_RANK];
    union {
        const double *in;
        double *out;
    } from_data = { data };
    ob_shape_dense_strides(ob_tensor_sizes(t), ob_tensor_rank(t), strides);
    const ob_span from = { from_data.out, strides, OB_F64 };
    const ob_span to = { ob_tensor_data(t), ob_tensor_strides(t), ob_tensor_dtype(t) };
    if (ob_tensor_numel(t) > 0) ob_copy_strided(to, from, ob_tensor_sizes(t), ob_tensor_rank(t));
}
