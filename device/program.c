/* Building programs and finding kernels. One lock over all of it: building is rare and takes long.
 *
 * Two caches: the list of built programs, and the disk cache (cache.h), from which a program comes
 * with the finished code of the kernels that ran before. It is saved when the package closes or the
 * process ends, because only then does it hold the code of the kernels that have run.
 * Implementations differ in what a binary costs: see ob_cl_device.saves_binaries. */
#include "device/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cache.h"
#include "device/kernel.h"
#include "device/runtime/cl_error.h"
#include "device/runtime/context.h"
#include "device/source.h"

/* A program for one dtype: built, or known not to build. */
typedef struct built_program {
    const ob_cl_program *program;
    ob_dtype dtype;
    cl_program object; /* NULL: it does not build, `failure` says why */
    ob_error failure;
    char key[OB_CL_KEY_BYTES];
    ob_cl_cached cached; /* what the disk cache had; only `names` is kept */
    ob_cl_kernel *kernels;
    struct built_program *next;
} built_program;

static struct {
    pthread_mutex_t lock;
    built_program *programs;
    ob_cl_site *sites;
    bool saves_at_exit;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

const char *ob_cl_kernel_name(const ob_cl_kernel *kernel)
{
    return kernel->name;
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

/* From the disk cache; false when there is no entry, or OpenCL does not take it. */
static bool build_from_cache(built_program *b, const char *options)
{
    const ob_cl_device *d = ob_cl_device_get();
    if (!ob_cl_cache_load(b->key, &b->cached)) return false;
    cl_int state = CL_SUCCESS, code = CL_SUCCESS;
    const unsigned char *binary = b->cached.binary;
    cl_program p = clCreateProgramWithBinary(d->context, 1, &d->device, &b->cached.binary_bytes,
                                             &binary, &state, &code);
    const bool ok = p && code == CL_SUCCESS && state == CL_SUCCESS &&
                    clBuildProgram(p, 1, &d->device, options, NULL, NULL) == CL_SUCCESS;
    free(b->cached.binary);
    b->cached.binary = NULL;
    if (ok) {
        b->object = p;
        return true;
    }
    if (p) clReleaseProgram(p);
    ob_cl_cached_reset(&b->cached);
    ob_cl_cache_remove(b->key);
    return false;
}

/* Error with the end of the build log, where compilers say how it went. */
static ob_status build_failed(const built_program *b, const char *kernel, cl_program p, cl_int code)
{
    const ob_cl_device *d = ob_cl_device_get();
    size_t bytes = 0;
    clGetProgramBuildInfo(p, d->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(1, bytes + 1);
    if (log && bytes) clGetProgramBuildInfo(p, d->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    const ob_status st =
        OB_FAIL(OB_ERR_DEVICE, "opencl: program %s for %s (kernel %s) does not build: %s (%d)\n%s",
                b->program->name, ob_dtype_name(b->dtype), kernel, ob_cl_code_name(code), code,
                log && *log ? log : "(no build log)");
    free(log);
    return st;
}

static ob_status build_from_source(built_program *b, const char *kernel, const char *text,
                                   size_t bytes, const char *options)
{
    const ob_cl_device *d = ob_cl_device_get();
    cl_int code = CL_SUCCESS;
    cl_program p = clCreateProgramWithSource(d->context, 1, &text, &bytes, &code);
    OB_TRY(ob_cl_check(code, "clCreateProgramWithSource", __FILE__, __LINE__));
    code = clBuildProgram(p, 1, &d->device, options, NULL, NULL);
    if (code == CL_SUCCESS) {
        b->object = p;
        return OB_OK;
    }
    const ob_status st = build_failed(b, kernel, p, code);
    clReleaseProgram(p);
    return st;
}

static ob_status build(built_program *b, const char *kernel)
{
    char options[256];
    ob_cl_text text = { 0 };
    options_write(b->program, options, sizeof options);
    ob_status st = ob_cl_source_write(b->program, b->dtype, &text);
    const size_t source_bytes = text.bytes;
    if (st == OB_OK) st = key_write(&text, options, b->key);
    if (st == OB_OK && !build_from_cache(b, options))
        st = build_from_source(b, kernel, text.data, source_bytes, options);
    ob_cl_text_reset(&text);
    return st;
}

/* ---- finding ---- */

/* The program for a dtype, built now if it is new. `kernel` is who asks. */
static ob_status program_get(const ob_cl_site *site, ob_dtype dtype, built_program **out)
{
    built_program *b = all.programs;
    while (b && (b->program != site->program || b->dtype != dtype))
        b = b->next;
    if (!b) {
        b = calloc(1, sizeof *b);
        if (!b) return OB_FAIL(OB_ERR_OOM, "opencl: no host memory for a program");
        b->program = site->program;
        b->dtype = dtype;
        if (build(b, site->kernel) != OB_OK) b->failure = *ob_error_last();
        b->next = all.programs;
        all.programs = b;
    }
    *out = b;
    return b->object ? OB_OK : ob_error_restore(&b->failure);
}

/* True when the disk cache has the kernel's finished code. */
static bool name_is_cached(const built_program *b, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = b->cached.names; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, name, n) == 0 && at[n] == '\n') return true;
    return false;
}

static ob_status kernel_create(built_program *b, const char *name, ob_cl_kernel **out)
{
    cl_int code = CL_SUCCESS;
    cl_uint n_args = 0;
    cl_kernel object = clCreateKernel(b->object, name, &code);
    if (code != CL_SUCCESS)
        return OB_FAIL(OB_ERR_DEVICE, "opencl: program %s for %s has no kernel %s: %s (%d)",
                       b->program->name, ob_dtype_name(b->dtype), name, ob_cl_code_name(code),
                       code);
    ob_cl_kernel *k = calloc(1, sizeof *k);
    code = clGetKernelInfo(object, CL_KERNEL_NUM_ARGS, sizeof n_args, &n_args, NULL);
    if (!k || code != CL_SUCCESS) {
        clReleaseKernel(object);
        free(k);
        return OB_FAIL(OB_ERR_OOM, "opencl: no memory for kernel %s", name);
    }
    k->name = name;
    k->object = object;
    k->n_args = n_args;
    k->saved = name_is_cached(b, name);
    pthread_mutex_init(&k->lock, NULL);
    k->next = b->kernels;
    b->kernels = k;
    *out = k;
    return OB_OK;
}

static ob_status kernel_find_locked(ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out)
{
    built_program *b = NULL;
    OB_TRY(program_get(site, dtype, &b));
    ob_cl_kernel *k = b->kernels;
    while (k && strcmp(k->name, site->kernel) != 0)
        k = k->next;
    if (!k) OB_TRY(kernel_create(b, site->kernel, &k));
    const ob_cl_site *s = all.sites;
    while (s && s != site)
        s = s->next;
    if (!s) {
        site->next = all.sites;
        all.sites = site;
    }
    atomic_store_explicit(&site->found[dtype], k, memory_order_release);
    *out = k;
    return OB_OK;
}

ob_status ob_cl_kernel_find(ob_cl_site *site, ob_dtype dtype, ob_cl_kernel **out)
{
    *out = NULL;
    OB_TRY(ob_cl_device_expect(0));
    pthread_mutex_lock(&all.lock);
    if (!all.saves_at_exit) all.saves_at_exit = atexit(ob_cl_programs_save) == 0;
    const ob_status st = kernel_find_locked(site, dtype, out);
    pthread_mutex_unlock(&all.lock);
    return st;
}

/* ---- saving ---- */

/* The launched kernels; *news is true when one of them is not in the disk cache yet. */
static ob_status names_write(built_program *b, ob_cl_text *out, bool *news)
{
    *news = false;
    if (b->cached.names) OB_TRY(ob_cl_text_add(out, b->cached.names, b->cached.names_bytes));
    for (ob_cl_kernel *k = b->kernels; k; k = k->next) {
        pthread_mutex_lock(&k->lock);
        const bool is_new = k->launched && !k->saved;
        if (is_new) k->saved = *news = true;
        pthread_mutex_unlock(&k->lock);
        if (!is_new) continue;
        OB_TRY(ob_cl_text_add(out, k->name, strlen(k->name)));
        OB_TRY(ob_cl_text_add(out, "\n", 1));
    }
    return OB_OK;
}

static void program_save(built_program *b)
{
    ob_cl_text names = { 0 };
    bool news = false;
    size_t bytes = 0;
    if (names_write(b, &names, &news) == OB_OK && news &&
        !clGetProgramInfo(b->object, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) &&
        bytes > 0) {
        unsigned char *binary = malloc(bytes);
        if (binary &&
            !clGetProgramInfo(b->object, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL))
            ob_cl_cache_store(b->key, &(ob_cl_cached){ names.data, names.bytes, binary, bytes });
        free(binary);
    }
    ob_cl_text_reset(&names);
}

void ob_cl_programs_save(void)
{
    if (!ob_cl_device_get()->saves_binaries) return;
    pthread_mutex_lock(&all.lock);
    for (built_program *b = all.programs; b; b = b->next)
        if (b->object) program_save(b);
    pthread_mutex_unlock(&all.lock);
}

static void program_release(built_program *b)
{
    for (ob_cl_kernel *k = b->kernels; k;) {
        ob_cl_kernel *next = k->next;
        clReleaseKernel(k->object);
        pthread_mutex_destroy(&k->lock);
        free(k);
        k = next;
    }
    if (b->object) clReleaseProgram(b->object);
    ob_cl_cached_reset(&b->cached);
    free(b);
}

void ob_cl_programs_close(void)
{
    ob_cl_programs_save();
    pthread_mutex_lock(&all.lock);
    for (ob_cl_site *s = all.sites; s; s = s->next)
        for (int i = 0; i < OB_CL_DTYPE_SLOTS; i++)
            atomic_store(&s->found[i], NULL);
    all.sites = NULL;
    for (built_program *b = all.programs; b;) {
        built_program *next = b->next;
        program_release(b);
        b = next;
    }
    all.programs = NULL;
    pthread_mutex_unlock(&all.lock);
}
