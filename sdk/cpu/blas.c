/* See blas.h. Called by matmul.c. */
#include "cpu/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static ob_blas blas;
static bool loaded;

static void load(void)
{
    void *code = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!code) return;
    *(void **)&blas.sgemm = dlsym(code, "cblas_sgemm");
    *(void **)&blas.dgemm = dlsym(code, "cblas_dgemm");
    *(void **)&blas.cgemm = dlsym(code, "cblas_cgemm");
    loaded = blas.sgemm && blas.dgemm && blas.cgemm;
}

ob_status ob_blas_get(const ob_blas **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *out = loaded ? &blas : NULL;
    if (loaded) return OB_OK;
    return OB_FAIL(OB_ERR_NOT_FOUND,
                   "matmul: libopenblas.so.0 cannot be loaded; install libopenblas0");
}
