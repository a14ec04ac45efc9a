/* How core learns the device names of loaded packages without knowing packages. */
#ifndef OB_CORE_DEVICE_H
#define OB_CORE_DEVICE_H

#include "ob/value.h"

OB_BEGIN_DECLS

/* The name users type for a backend's devices ("opencl"), or NULL when no package holds it
 * [borrowed, until the package is unloaded]. */
typedef const char *(*ob_device_namer)(ob_backend backend);
/* Set once by sdk/dispatch (package.c) before there is a second thread. */
void ob_core_set_device_namer(ob_device_namer namer);

/* True for devices that core serves itself: CPU and Meta. */
static inline bool ob_device_is_builtin(ob_device d)
{
    return d.backend == OB_BACKEND_CPU || d.backend == OB_BACKEND_Meta;
}

OB_END_DECLS
#endif
