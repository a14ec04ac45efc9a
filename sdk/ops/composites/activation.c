/* Softmax and activations as formulas. PyTorch: aten/src/ATen/native/Activation.cpp, SoftMax.cpp.
 */
#include "ops/composites_gen.h"

/* Half inputs with dtype=float32 are converted within the kernel, others before it. */
static bool converts_inside(const ob_tensor *x, ob_dtype dtype)
{
    return x && dtype == OB_F32 && ob_tensor_dtype(x) == OB_F16;
}

/* The input of a softmax in the dtype that is asked for. */
static ob_tensor *converted(ob_scope *s, ob_tensor *x, ob_dtype dtype)
{
    if (dtype == OB_DTYPE_NONE || converts_inside(x, dtype)) return x;
    return ob_to_dtype(s, x, dtype);
}

/* softmax(x)_i = exp(x_i) / sum_j exp(x_j) along dim */
ob_tensor *composite_softmax(ob_scope *s, ob_tensor *self, int64_t dim, ob_dtype dtype)
{
    return ob_priv_softmax(s, converted(s, self, dtype), dim, converts_inside(self, dtype));
}

/* log_softmax(x) = log(softmax(x)) along dim */
ob_tensor *composite_log_softmax(ob_scope *s, ob_tensor *self, int64_t dim, ob_dtype dtype)
{
    return ob_priv_log_softmax(s, converted(s, self, dtype), dim, converts_inside(self, dtype));
}
