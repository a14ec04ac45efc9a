/* See rig.h. */
#include "rig.h"

#include "device/launch.h"
#include "device/runtime/context.h"

ob_status ob_package_open(const ob_host_info *host, ob_package *out);

static ob_package package;

static const ob_cl_program good = {
    "rig_good",
    { NULL },
    "kernel void count(global int *p, const int n) { for (int i = 0; i < n; i++) p[i] = i; }\n"
    "kernel void add_one(global int *p, const int n) { for (int i = 0; i < n; i++) p[i]++; }\n"
    "kernel void pass_end(global int *p, const int n) { p[n] = 1; }\n",
    NULL
};
static const ob_cl_program other = {
    "rig_other",
    { NULL },
    "kernel void clear(global int *p, const int n) { for (int i = 0; i < n; i++) p[i] = 0; }\n",
    NULL
};
static const ob_cl_program broken = {
    "rig_broken", { NULL }, "kernel void wrong(global int *p) { p[0] = no_such_name; }\n", NULL
};

static ob_cl_site sites[] = {
    [RIG_COUNT] = OB_CL_SITE(&good, "count"),
    [RIG_ADD_ONE] = OB_CL_SITE(&good, "add_one"),
    [RIG_PASS_END] = OB_CL_SITE(&good, "pass_end"),
    [RIG_CLEAR] = OB_CL_SITE(&other, "clear"),
};
static ob_cl_site wrong = OB_CL_SITE(&broken, "wrong");
static ob_cl_site missing = OB_CL_SITE(&good, "not_there");

ob_status rig_open(const ob_backend_api **out)
{
    const ob_host_info host = { .struct_size = sizeof host,
                                .abi_major = OB_ABI_MAJOR,
                                .abi_minor = OB_ABI_MINOR,
                                .version = "test",
                                .key = OB_KEY_PrivateUse1,
                                .backend = OB_BACKEND_PrivateUse1 };
    package = (ob_package){ .struct_size = sizeof package };
    OB_TRY(ob_package_open(&host, &package));
    *out = package.backend;
    return OB_OK;
}

void rig_close(void)
{
    if (package.close) package.close(package.self);
    package = (ob_package){ 0 };
}

bool rig_saves(void)
{
    return ob_cl_device_get()->saves_binaries;
}

ob_status rig_run(rig_kernel kernel, ob_buffer *buffer, int32_t n)
{
    ob_cl_kernel *k;
    OB_TRY(ob_cl_kernel_get(&sites[kernel], OB_I32, &k));
    return OB_LAUNCH(k, ob_cl_range_items(1, 1, 1), MEM(buffer), VAL(n));
}

ob_status rig_run_unbuildable(ob_buffer *buffer)
{
    ob_cl_kernel *k;
    OB_TRY(ob_cl_kernel_get(&wrong, OB_I32, &k));
    return OB_LAUNCH(k, ob_cl_range_items(1, 1, 1), MEM(buffer));
}

ob_status rig_run_missing(ob_buffer *buffer)
{
    ob_cl_kernel *k;
    OB_TRY(ob_cl_kernel_get(&missing, OB_I32, &k));
    return OB_LAUNCH(k, ob_cl_range_items(1, 1, 1), MEM(buffer));
}

ob_status rig_run_short_of_arguments(ob_buffer *buffer)
{
    ob_cl_kernel *k;
    OB_TRY(ob_cl_kernel_get(&sites[RIG_COUNT], OB_I32, &k));
    return OB_LAUNCH(k, ob_cl_range_items(1, 1, 1), MEM(buffer));
}
