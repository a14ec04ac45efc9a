/* Whether what a package handed over can be used: interface version, name, callbacks. */
#include <string.h>

#include "dispatch/package/package.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS  "0123456789"

static ob_status check_device_name(const char *name, const char *path)
{
    const bool word = name && *name && strspn(name, LETTERS) > 0 &&
                      name[strspn(name, LETTERS DIGITS)] == '\0' &&
                      strlen(name) < OB_PACKAGE_NAME_BYTES;
    if (word) return OB_OK;
    return OB_FAIL(OB_ERR_ARG,
                   "package %s: its name \"%.80s\" cannot name a device; expected a "
                   "letter, then letters and digits, less than %d in all",
                   path, name ? name : "", OB_PACKAGE_NAME_BYTES);
}

/* clang-format off */
#define REQUIRED_LIST(X) \
    X(device_count) X(device_info) X(alloc) X(free) X(write) X(read) X(copy) X(synchronize)
/* clang-format on */

static ob_status check_backend(const ob_backend_api *api, const char *path)
{
    if (!api) return OB_FAIL(OB_ERR_ARG, "package %s: has no backend", path);
#define OB_X(member)          \
    if (!OB_HAS(api, member)) \
        return OB_FAIL(OB_ERR_ARG, "package %s: its backend lacks %s()", path, #member);
    REQUIRED_LIST(OB_X)
#undef OB_X
    return OB_OK;
}

ob_status ob_package_check(const ob_package *info, const char *path)
{
    if (info->abi_major != OB_ABI_MAJOR || info->abi_minor != OB_ABI_MINOR)
        return OB_FAIL(OB_ERR_ABI,
                       "package %s: built for interface %u.%u, this libob has %d.%d; build it "
                       "against this version's headers",
                       path, info->abi_major, info->abi_minor, OB_ABI_MAJOR, OB_ABI_MINOR);
    OB_TRY(check_device_name(info->name, path));
    if (!info->register_kernels)
        return OB_FAIL(OB_ERR_ARG, "package %s: has no register_kernels()", path);
    return check_backend(info->backend, path);
}
