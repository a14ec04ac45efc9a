/* Device packages: slots, of which each belongs to one of the keys PrivateUse1..3. */
#ifndef OB_DISPATCH_PACKAGE_H
#define OB_DISPATCH_PACKAGE_H

#include <stdatomic.h>
#include <sys/stat.h>

#include "dispatch/table/optable.h"
#include "ob/backend.h"

enum { OB_PACKAGES = 3, OB_PACKAGE_NAME_BYTES = 64 };

typedef enum ob_package_state {
    OB_PACKAGE_FREE,
    OB_PACKAGE_LIVE,
    OB_PACKAGE_CLOSING /* no new memory, no new users */
} ob_package_state;

struct ob_loaded_package {
    atomic_int state;                 /* ob_package_state */
    atomic_uint_fast64_t storages;    /* buffers that are handed out */
    atomic_uint_fast64_t users;       /* threads inside a callback by way of libob */
    char name[OB_PACKAGE_NAME_BYTES]; /* "" while free */
    char *path;                       /* canonical; owned */
    char *version;                    /* owned */
    dev_t dev;
    ino_t ino;
    void *code; /* of dlopen() */
    ob_package info;
    ob_backend_api api; /* the package's, but alloc and free count */
    ob_library *kernels, *fallbacks;
};

/* The slots; slot i has key PrivateUse<i + 1>. */
extern ob_loaded_package ob_packages[OB_PACKAGES];

ob_backend ob_package_backend(const ob_loaded_package *package);

/* Take over the backend of an opened package: a copy of its api whose alloc and free count. */
void ob_package_count_memory(ob_loaded_package *package, const ob_backend_api *api);

/* Whether this thread is loading or unloading a package, which then cannot begin another change. */
bool ob_package_is_changing(void);

/* Keep a package from being unloaded for the length of a callback; false when it is not live. */
bool ob_package_enter(ob_loaded_package *package);
void ob_package_leave(ob_loaded_package *package);

/* Read what a package handed over. OB_ERR_ABI, OB_ERR_ARG, naming `path`. */
ob_status ob_package_check(const ob_package *info, const char *path) OB_MUST_USE;

#endif
