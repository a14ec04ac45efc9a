/* The inside of a kernel, for program.c, which makes it, and launch.c, which runs it. */
#ifndef OB_DEVICE_KERNEL_H
#define OB_DEVICE_KERNEL_H

#include <pthread.h>
#include <stdbool.h>

#include <CL/cl.h>

#include "device/cache.h"
#include "device/program.h"

/* What a parameter that takes a value is set to. */
typedef struct ob_cl_value {
    void *at; /* NULL: not set yet, or not a value */
    size_t bytes;
} ob_cl_value;

struct ob_cl_kernel {
    const ob_cl_program *program; /* borrowed, as is `name`: the site's that asked first */
    const char *name;
    ob_dtype dtype;
    cl_program built; /* owned; has this kernel only */
    cl_kernel object; /* owned */
    bool usable;      /* else `failure` says why */
    ob_error failure;
    char key[OB_CL_KEY_BYTES]; /* of the disk cache */
    uint32_t n_args;
    pthread_mutex_t lock; /* a cl_kernel takes arguments from one thread at a time */
    ob_cl_value *values;  /* [n_args], owned, as is what they hold; guarded by `lock` */
    bool launched;        /* guarded by `lock`, as is `saved` */
    bool saved;           /* is in the disk cache, or was tried to be put there */
    ob_cl_kernel *next;   /* all that are known */
};

/* Note a launch. With the kernel's lock held. */
void ob_cl_kernel_launched(ob_cl_kernel *kernel);
/* Save to the disk cache the kernels that were launched and are not there yet. Called when work has
 * been waited for; costs nothing when there is nothing new. */
void ob_cl_programs_save(void);
/* Release all kernels; sites forget what they have found. */
void ob_cl_programs_close(void);

#endif
