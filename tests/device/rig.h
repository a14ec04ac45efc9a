/* A bench for the inside of the OpenCL package: opens it without a dispatcher and runs small
 * kernels of its own. */
#ifndef OB_TESTS_DEVICE_RIG_H
#define OB_TESTS_DEVICE_RIG_H

#include "ob/backend.h"

OB_BEGIN_DECLS

/* Open the package [borrowed, until rig_close()]. */
ob_status rig_open(const ob_backend_api **out);
void rig_close(void);
/* Whether kernels that have run are kept on disk. */
bool rig_saves(void);

/* Kernels over an int buffer, one work-item each. */
typedef enum rig_kernel {
    RIG_COUNT,    /* p[i] = i for i < n */
    RIG_ADD_ONE,  /* p[i] += 1 for i < n */
    RIG_PASS_END, /* p[n] = 1 */
    RIG_CLEAR     /* p[i] = 0 for i < n; in a program of its own */
} rig_kernel;
ob_status rig_run(rig_kernel kernel, ob_buffer *buffer, int32_t n);

/* Launches that cannot work. */
ob_status rig_run_unbuildable(ob_buffer *buffer);
ob_status rig_run_missing(ob_buffer *buffer);
ob_status rig_run_short_of_arguments(ob_buffer *buffer);

OB_END_DECLS
#endif
