/* The smallest program: find a device, compute relu(x + 2y) on it, print the result.
 *
 *     build/bin/01_hello */
#include <ob/ob.h>
#include <stdio.h>

/* The first device of a loaded package, else the CPU. */
static ob_device first_device(void)
{
    for (int i = 0; ob_package_at(i); i++) {
        const ob_backend backend = ob_key_backend(ob_package_key(ob_package_at(i)));
        if (ob_device_count(backend) > 0) return (ob_device){ (int32_t)backend, 0 };
    }
    return OB_DEVICE_CPU;
}

static int failed(void)
{
    char text[8192];
    fprintf(stderr, "%s\n", ob_error_format(ob_error_last(), text, sizeof text));
    return 1;
}

int main(void)
{
    const float x_host[2][3] = { { 1, -2, 3 }, { -4, 5, -6 } }, y_host[3] = { 0.5f, 0.5f, 0.5f };
    ob_tensor *x = NULL, *y = NULL, *result = NULL;
    char text[1024];
    if (ob_package_discover() != OB_OK) return failed();
    const ob_device device = first_device();
    if (ob_tensor_create(OB_INTS(2, 3), OB_F32, device, &x) != OB_OK ||
        ob_tensor_write(x, x_host, sizeof x_host) != OB_OK ||
        ob_tensor_create(OB_INTS(3), OB_F32, device, &y) != OB_OK ||
        ob_tensor_write(y, y_host, sizeof y_host) != OB_OK)
        return failed();

    /* Ops take a scope: it owns the sum in between, and remembers the first error. y is broadcast
     * over the rows. */
    ob_scope *s = ob_scope_open();
    if (ob_scope_close(s, ob_relu(s, ob_add(s, x, y, .alpha = ob_int(2))), &result) != OB_OK)
        return failed();

    printf("%s\n", ob_tensor_format(result, text, sizeof text));
    ob_tensor_release(result);
    ob_tensor_release(y);
    ob_tensor_release(x);
    return 0;
}
