/* Platform and device choice. Called by backend.c when the package opens and closes. */
#include "device/runtime/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/runtime/cl_error.h"

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 32 };

static ob_cl_device the_device;

const ob_cl_device *ob_cl_device_get(void)
{
    return &the_device;
}

ob_status ob_cl_device_expect(int32_t index)
{
    if (!the_device.usable)
        return OB_FAIL(OB_ERR_NOT_FOUND, "opencl: there is no usable device here (see clinfo)");
    if (index != 0)
        return OB_FAIL(OB_ERR_NOT_FOUND, "opencl: device %" PRId32 ": there is one, opencl:0",
                       index);
    return OB_OK;
}

/* Which device the user wants: numbers, or -1 for the first usable one. */
typedef struct wish {
    long platform, device;
} wish;

static ob_status wish_read(wish *out)
{
    *out = (wish){ -1, -1 };
    const char *text = getenv("OB_OPENCL_DEVICE");
    if (!text || !*text) return OB_OK;
    char *colon = NULL, *end = NULL;
    wish w = { strtol(text, &colon, 10), -1 };
    if (*colon == ':') w.device = strtol(colon + 1, &end, 10);
    if (colon == text || !end || end == colon + 1 || *end || w.platform < 0 || w.device < 0)
        return OB_FAIL(OB_ERR_ARG,
                       "OB_OPENCL_DEVICE is \"%.60s\", should be <platform>:<device>, e.g. 0:0",
                       text);
    *out = w;
    return OB_OK;
}

static bool device_flag(cl_device_id device, cl_device_info what)
{
    cl_bool value = CL_FALSE;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS && value;
}

/* Usable: it is there, has a compiler, and stores numbers the way the host does. */
static bool device_is_usable(cl_device_id device)
{
    return device_flag(device, CL_DEVICE_AVAILABLE) &&
           device_flag(device, CL_DEVICE_COMPILER_AVAILABLE) &&
           device_flag(device, CL_DEVICE_ENDIAN_LITTLE);
}

/* First usable device that the wish allows. False when there is none. */
static bool device_pick(const wish *w, ob_cl_device *d)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n_platforms = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms) != CL_SUCCESS) return false;
    for (cl_uint p = 0; p < n_platforms && p < MAX_PLATFORMS; p++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint n = 0;
        if (w->platform >= 0 && (cl_uint)w->platform != p) continue;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &n)) continue;
        for (cl_uint i = 0; i < n && i < MAX_DEVICES; i++) {
            if (w->device >= 0 && (cl_uint)w->device != i) continue;
            if (!device_is_usable(devices[i])) continue;
            d->platform = platforms[p];
            d->device = devices[i];
            return true;
        }
    }
    return false;
}

/* For a binary PoCL compiles the kernel once more, for groups of any size; over that its version 6
 * can end the process ("LLVM ERROR: Instruction Combining did not reach a fixpoint", its issue
 * 1608, mended in 7). */
static bool makes_binaries(const char *platform_version)
{
    return !strstr(platform_version, "PoCL 6.");
}

static ob_status device_describe(ob_cl_device *d)
{
    cl_uint units = 0, align_bits = 0, floats = 0;
    cl_ulong memory = 0, largest = 0;
    char version[OB_CL_TEXT_BYTES] = "", driver[OB_CL_TEXT_BYTES] = "";
    cl_device_fp_config f64 = 0;
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits,
                           NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof floats, &floats,
                           NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof d->group_limit,
                           &d->group_limit, NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    CL_TRY(
        clGetDeviceInfo(d->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_NAME, sizeof d->name, d->name, NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DEVICE_VENDOR, sizeof d->vendor, d->vendor, NULL));
    CL_TRY(clGetDeviceInfo(d->device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
    CL_TRY(clGetPlatformInfo(d->platform, CL_PLATFORM_VERSION, sizeof version, version, NULL));
    if (clGetDeviceInfo(d->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof f64, &f64, NULL)) f64 = 0;
    d->units = units ? units : 1;
    d->vector_floats = floats ? floats : 1;
    d->alignment = align_bits >= 8 ? align_bits / 8 : 1;
    d->memory_bytes = memory;
    d->max_alloc_bytes = largest;
    d->has_f64 = f64 != 0;
    d->saves_binaries = makes_binaries(version);
    snprintf(d->driver, sizeof d->driver, "%s; driver %s", version, driver);
    return OB_OK;
}

ob_status ob_cl_device_open(void)
{
    ob_cl_device d = { 0 };
    wish w;
    OB_TRY(wish_read(&w));
    const char *debug = getenv("OB_OPENCL_DEBUG");
    d.debug = debug && strcmp(debug, "1") == 0;
    if (!device_pick(&w, &d)) {
        the_device = (ob_cl_device){ 0 };
        if (w.platform < 0) return OB_OK;
        return OB_FAIL(OB_ERR_NOT_FOUND, "OB_OPENCL_DEVICE=%ld:%ld names no usable device",
                       w.platform, w.device);
    }
    OB_TRY(device_describe(&d));
    cl_int code = CL_SUCCESS;
    d.context = clCreateContext(NULL, 1, &d.device, NULL, NULL, &code);
    OB_TRY(ob_cl_check(code, "clCreateContext", __FILE__, __LINE__));
    d.usable = true;
    the_device = d;
    return OB_OK;
}

void ob_cl_device_close(void)
{
    if (the_device.usable) clReleaseContext(the_device.context);
    the_device = (ob_cl_device){ 0 };
}
