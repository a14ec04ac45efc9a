/* arange.start_out and linspace.out on the CPU; results[0] has the right length (see
 * sdk/ops/create/ranges.c). Values are computed in int64 or double, then converted. PyTorch:
 * aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp. */
#include "core/tensor/copy.h"

#include "dispatch/table/optable.h"
#include "ops/batch.h"

/* Element i of the output. */
static unsigned char *element(const ob_tensor *out, int64_t i)
{
    const int64_t width = (int64_t)ob_dtype_bytes(ob_tensor_dtype(out));
    return (unsigned char *)ob_tensor_data(out) + i * ob_tensor_strides(out)[0] * width;
}

static ob_status arange(ob_frame *frame)
{
    const ob_tensor *out = frame->results[0].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(out);
    const ob_scalar start = ob_value_as_scalar(&frame->args[0]);
    const ob_scalar step = ob_value_as_scalar(&frame->args[2]);
    const bool whole = ob_dtype_kind(dtype) <= OB_KIND_INT;
    for (int64_t i = 0; i < ob_tensor_numel(out); i++) {
        const uint64_t at =
            (uint64_t)ob_scalar_int(start) + (uint64_t)i * (uint64_t)ob_scalar_int(step);
        const int64_t exact = (int64_t)at;
        const double real = ob_scalar_double(start) + (double)i * ob_scalar_double(step);
        if (whole)
            ob_convert_element(element(out, i), dtype, &exact, OB_I64);
        else
            ob_convert_element(element(out, i), dtype, &real, OB_F64);
    }
    return OB_OK;
}

/* Element i of n evenly spaced numbers. Counts up from start in the first half and down from end in
 * the second, so that both ends are met. */
static double spaced(double start, double end, int64_t i, int64_t n)
{
    const double step = n > 1 ? (end - start) / (double)(n - 1) : 0;
    return i < n / 2 || n == 1 ? start + step * (double)i : end - step * (double)(n - 1 - i);
}

static double imaginary(ob_scalar s)
{
    return s.tag == OB_SCALAR_COMPLEX ? s.u.c[1] : 0;
}

static ob_status linspace(ob_frame *frame)
{
    const ob_tensor *out = frame->results[0].u.tensor;
    const ob_dtype dtype = ob_tensor_dtype(out);
    const ob_scalar start = ob_value_as_scalar(&frame->args[0]);
    const ob_scalar end = ob_value_as_scalar(&frame->args[1]);
    const int64_t n = ob_tensor_numel(out);
    for (int64_t i = 0; i < n; i++) {
        const double re = spaced(ob_scalar_double(start), ob_scalar_double(end), i, n);
        const double im = spaced(imaginary(start), imaginary(end), i, n);
        const ob_complex64 both = { (float)re, (float)im };
        if (dtype == OB_C64)
            ob_convert_element(element(out, i), dtype, &both, OB_C64);
        else
            ob_convert_element(element(out, i), dtype, &re, OB_F64);
    }
    return OB_OK;
}

static ob_status install(void)
{
    ob_batch_add_fn(OB_KEY_CPU, "arange.start_out", arange, NULL);
    ob_batch_add_fn(OB_KEY_CPU, "linspace.out", linspace, NULL);
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
