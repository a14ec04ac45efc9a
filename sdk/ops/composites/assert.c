/* Checks that exported programs carry. PyTorch: aten/src/ATen/native/TestOps.cpp, Assert... in
 * Copy.cpp. */
#include "ops/composites/look.h"

static void check_list(ob_scope *s, const char *what, const int64_t *is, int64_t rank,
                       ob_opt_ints want)
{
    bool same = !want.has || want.n == rank;
    for (int64_t i = 0; same && want.has && i < rank; i++)
        same = is[i] == want.data[i];
    char text[256];
    if (!same)
        ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE,
                       "_assert_tensor_metadata: the tensor's %s are %s, not what was exported",
                       what, ob_sizes_format(is, (int)rank, text, sizeof text)));
}

/* The tensor is as it was when the program was exported, as far as that is said. The device is not
 * looked at: programs may be moved. */
void composite_assert_tensor_metadata(ob_scope *s, ob_tensor *a, ob_opt_ints size,
                                      ob_opt_ints stride, ob_dtype dtype, ob_device device,
                                      ob_layout layout)
{
    (void)device, (void)layout;
    if (!a) return;
    check_list(s, "sizes", ob_tensor_sizes(a), ob_tensor_rank(a), size);
    check_list(s, "strides", ob_tensor_strides(a), ob_tensor_rank(a), stride);
    if (dtype != OB_DTYPE_NONE && dtype_of(a) != dtype)
        ob_scope_fail(s,
                      OB_FAIL(OB_ERR_DTYPE, "_assert_tensor_metadata: the tensor is %s, must be %s",
                              ob_dtype_name(dtype_of(a)), ob_dtype_name(dtype)));
}

void composite_assert_scalar(ob_scope *s, ob_scalar self, const char *assert_msg)
{
    if (ob_scalar_double(self) == 0)
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "_assert_scalar: %s", assert_msg ? assert_msg : ""));
}

void composite_assert_async(ob_scope *s, ob_tensor *self)
{
    if (self && !ob_tensor_is_meta(self) && !ob_is_nonzero(s, self) && ob_scope_status(s) == OB_OK)
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "_assert_async: the tensor is zero"));
}

void composite_assert_async_msg(ob_scope *s, ob_tensor *self, const char *assert_msg)
{
    if (self && !ob_tensor_is_meta(self) && !ob_is_nonzero(s, self) && ob_scope_status(s) == OB_OK)
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "_assert_async: %s", assert_msg ? assert_msg : ""));
}
