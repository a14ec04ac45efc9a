/* Building kernels and finding them. One lock over all of it: building is rare and takes long.
 *
 * Two caches: the list of built kernels, and the disk cache (cache.h) of their programs' binaries.
 * A program is saved when work has been waited for after a launch of its kernel, because only then
 * do all implementations have the finished code: PoCL makes it at the first launch, for the
 * work-group size at hand. Never at the end of the process, when parts of a compiler are gone. */
#include "device/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cache.h"
#include "device/kernel.h"
#include "device/runtime/cl_error.h"
#include "device/runtime/context.h"
#include "device/source.h"

static struct {
    pthread_mutex_t lock;
    ob_cl_kernel *kernels; /* built, or known not to build */
    ob_cl_site *sites;
    atomic_bool unsaved; /* a kernel was launched that is not in the disk cache */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

const char *ob_cl_kernel_name(const ob_cl_kernel *kernel)
{
    return kernel->name;
}

void ob_cl_kernel_launched(ob_cl_kernel *kernel)
{
    if (kernel->launched) return;
    kernel->launched = true;
    if (!kernel->saved && ob_cl_device_get()->saves_binaries) atomic_store(&all.unsaved, true);
}

/* ---- building ---- */

static void options_write(const ob_cl_program *program, char *buf, size_t bytes)
{
    const ob_cl_device *d = ob_cl_device_get();
    cl_device_fp_config f32 = 0;
    clGetDeviceInfo(d->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof f32, &f32, NULL);
    snprintf(buf, bytes, "-cl-std=CL1.2 -w%s %s",
             f32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? " -cl-fp32-correctly-rounded-divide-sqrt"
                                                       : "",
             program->options ? program->options : "");
}

/* Key: everything that the binary depends on. `text` grows by it. */
static ob_status key_write(ob_cl_text *text, const char *options, char key[OB_CL_KEY_BYTES])
{
    const ob_cl_device *d = ob_cl_device_get();
    const char *parts[] = { options, d->name, d->vendor, d->driver };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        OB_TRY(ob_cl_text_add(text, parts[i], strlen(parts[i]) + 1));
    ob_cl_cache_key(text->data, text->bytes, key);
    return OB_OK;
}

/* From the disk cache; false when there is no entry, or none that OpenCL makes this kernel of. */
static bool build_from_cache(ob_cl_kernel *k, const char *options)
{
    const ob_cl_device *d = ob_cl_device_get();
    size_t bytes = 0;
    unsigned char *binary = ob_cl_cache_load(k->key, &bytes);
    if (!binary) return false;
    cl_int state = CL_SUCCESS, code = CL_SUCCESS;
    cl_program p = clCreateProgramWithBinary(d->context, 1, &d->device, &bytes,
                                             (const unsigned char *[]){ binary }, &state, &code);
    free(binary);
    if (p && code == CL_SUCCESS && state == CL_SUCCESS &&
        clBuildProgram(p, 1, &d->device, options, NULL, NULL) == CL_SUCCESS)
        k->object = clCreateKernel(p, k->name, &code);
    if (k->object) {
        k->built = p;
        k->saved = true;
        return true;
    }
    if (p) clReleaseProgram(p);
    ob_cl_cache_remove(k->key);
    return false;
}

/* Error with the end of the build log, where compilers say how it went. */
static ob_status build_failed(const ob_cl_kernel *k, cl_program p, cl_int code)
{
    const ob_cl_device *d = ob_cl_device_get();
    size_t bytes = 0;
    clGetProgramBuildInfo(p, d->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(1, bytes + 1);
    if (log && bytes) clGetProgramBuildInfo(p, d->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    const ob_status st =
        OB_FAIL(OB_ERR_DEVICE, "opencl: program %s for %s (kernel %s) does not build: %s (%d)\n%s",
                k->program->name, ob_dtype_name(k->dtype), k->name, ob_cl_code_name(code), code,
                log && *log ? log : "(no build log)");
    free(log);
    return st;
}

static ob_status build_from_source(ob_cl_kernel *k, const char *text, size_t bytes,
                                   const char *options)
{
    const ob_cl_device *d = ob_cl_device_get();
    cl_int code = CL_SUCCESS;
    cl_program p = clCreateProgramWithSource(d->context, 1, &text, &bytes, &code);
    OB_TRY(ob_cl_check(code, "clCreateProgramWithSource", __FILE__, __LINE__));
    code = clBuildProgram(p, 1, &d->device, options, NULL, NULL);
    if (code == CL_SUCCESS) {
        k->built = p;
        return OB_OK;
    }
    const ob_status st = build_failed(k, p, code);
    clReleaseProgram(p);
    return st;
}

static ob_status program_build(ob_cl_kernel *k)
{
    char options[256];
    ob_cl_text text = { 0 };
    options_write(k->program, options, sizeof options);
    ob_status st = ob_cl_source_write(k->program, k->name, k->dtype, &text);
    const size_t source_bytes = text.bytes;
    if (st == OB_OK) st = key_write(&text, options, k->key);
    if (st == OB_OK && !build_from_cache(k, options))
        st = build_from_source(k, text.data, source_bytes, options);
    ob_cl_text_reset(&text);
    return st;
}

static ob_status build(ob_cl_kernel *k)
{
    OB_TRY(program_build(k));
    cl_int code = CL_SUCCESS;
    cl_uint n_args = 0;
    if (!k->object) k->object = clCreateKernel(k->built, k->name, &code);
    if (code != CL_SUCCESS)
        return OB_FAIL(OB_ERR_DEVICE, "opencl: program %s for %s has no kernel %s: %s (%d)",
                       k->program->name, ob_dtype_name(k->dtype), k->name, ob_cl_code_name(code),
                       code);
    OB_TRY(ob_cl_check(clGetKernelInfo(k->object, CL_KERNEL_NUM_ARGS, sizeof n_args, &n_args, NULL),
                       "clGetKernelInfo", __FILE__, __LINE__));
    k->values = calloc(n_args + 1, sizeof *k->values); /* a kernel may have none */
    if (!k->values) return OB_FAIL(OB_ERR_OOM, "opencl: no host memory for kernel %s", k->name);
    k->n_args = n_args;
    k->usable = true;
    return OB_OK;
}

/* ---- finding ---- */

/* The kernel of a site for a dtype, built now if it is new. */
static ob_status kernel_get(const ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out)
{
    ob_cl_kernel *k = all.kernels;
    while (k &&
           (k->program != site->program || k->dtype != dtype || strcmp(k->name, site->kernel) != 0))
        k = k->next;
    if (!k) {
        k = calloc(1, sizeof *k);
        if (!k) return OB_FAIL(OB_ERR_OOM, "opencl: no host memory for kernel %s", site->kernel);
        k->program = site->program;
        k->name = site->kernel;
        k->dtype = dtype;
        pthread_mutex_init(&k->lock, NULL);
        if (build(k) != OB_OK) k->failure = *ob_error_last();
        k->next = all.kernels;
        all.kernels = k;
    }
    *out = k;
    return k->usable ? OB_OK : ob_error_restore(&k->failure);
}

static ob_status kernel_find_locked(ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out)
{
    OB_TRY(kernel_get(site, dtype, out));
    const ob_cl_site *s = all.sites;
    while (s && s != site)
        s = s->next;
    if (!s) {
        site->next = all.sites;
        all.sites = site;
    }
    atomic_store_explicit(&site->found[dtype], *out, memory_order_release);
    return OB_OK;
}

ob_status ob_cl_kernel_find(ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out)
{
    *out = NULL;
    OB_TRY(ob_cl_device_expect(0));
    pthread_mutex_lock(&all.lock);
    const ob_status st = kernel_find_locked(site, dtype, out);
    pthread_mutex_unlock(&all.lock);
    return st;
}

/* ---- saving ---- */

static void kernel_save(ob_cl_kernel *k)
{
    size_t bytes = 0;
    if (clGetProgramInfo(k->built, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes)
        return;
    unsigned char *binary = malloc(bytes);
    if (binary && !clGetProgramInfo(k->built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL))
        ob_cl_cache_store(k->key, binary, bytes);
    free(binary);
}

/* True once for a kernel that has run and is not saved. */
static bool kernel_take_unsaved(ob_cl_kernel *k)
{
    pthread_mutex_lock(&k->lock);
    const bool unsaved = k->launched && !k->saved;
    if (unsaved) k->saved = true;
    pthread_mutex_unlock(&k->lock);
    return unsaved;
}

void ob_cl_programs_save(void)
{
    if (!atomic_load_explicit(&all.unsaved, memory_order_relaxed)) return;
    pthread_mutex_lock(&all.lock);
    atomic_store(&all.unsaved, false);
    for (ob_cl_kernel *k = all.kernels; k; k = k->next)
        if (kernel_take_unsaved(k)) kernel_save(k);
    pthread_mutex_unlock(&all.lock);
}

void ob_cl_programs_close(void)
{
    pthread_mutex_lock(&all.lock);
    for (ob_cl_site *s = all.sites; s; s = s->next)
        for (int i = 0; i < OB_CL_DTYPE_SLOTS; i++)
            atomic_store(&s->found[i], NULL);
    all.sites = NULL;
    for (ob_cl_kernel *k = all.kernels; k;) {
        ob_cl_kernel *next = k->next;
        if (k->object) clReleaseKernel(k->object);
        if (k->built) clReleaseProgram(k->built);
        pthread_mutex_destroy(&k->lock);
        for (uint32_t i = 0; i < k->n_args; i++)
            free(k->values[i].at);
        free(k->values);
        free(k);
        k = next;
    }
    all.kernels = NULL;
    atomic_store(&all.unsaved, false);
    pthread_mutex_unlock(&all.lock);
}
