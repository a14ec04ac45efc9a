/* The inside of a kernel, for program.c, which makes it, and launch.c, which runs it. */
#ifndef OB_DEVICE_KERNEL_H
#define OB_DEVICE_KERNEL_H

#include <pthread.h>
#include <stdbool.h>

#include <CL/cl.h>

#include "device/program.h"

struct ob_cl_kernel {
    const char *name; /* borrowed from the site that asked first: a literal */
    cl_kernel object; /* owned */
    uint32_t n_args;
    pthread_mutex_t lock; /* a cl_kernel takes arguments from one thread at a time */
    bool launched;        /* since the program was built or loaded; guarded by `lock` */
    bool saved;           /* its finished code is in the disk cache */
    ob_cl_kernel *next;   /* kernels of the same program */
};

/* Save to the disk cache the programs with kernels that were launched but are not there yet. */
void ob_cl_programs_save(void);
/* Save, then release all programs and kernels; sites forget what they have found. */
void ob_cl_programs_close(void);

#endif
