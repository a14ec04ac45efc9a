/* Devices as text: PyTorch's names, and those of loaded packages. */
#include "core/device.h"

#include <string.h>

#include "core/text.h"

enum { MAX_INDEX = 1023, NAME_BYTES = 64 };

static const char *const names[OB_BACKEND_LIMIT] = {
#define OB_X(name, device) [OB_BACKEND_##name] = device,
    OB_BACKEND_LIST(OB_X)
#undef OB_X
};

static ob_device_namer package_name;

void ob_core_set_device_namer(ob_device_namer namer)
{
    package_name = namer;
}

static const char *name_of_package(int backend)
{
    return package_name ? package_name((ob_backend)backend) : NULL;
}

/* Backend called `name` by PyTorch or by its package; OB_BACKEND_NONE when there is none. */
static int find_backend(const char *name)
{
    for (int b = OB_BACKEND_NONE + 1; b < OB_BACKEND_LIMIT; b++) {
        const char *package = name_of_package(b);
        if (strcmp(name, names[b]) == 0 || (package && strcmp(name, package) == 0)) return b;
    }
    return OB_BACKEND_NONE;
}

/* Read "0" .. "1023" without leading zeros; -1 for anything else. */
static int32_t parse_index(const char *digits)
{
    int32_t index = 0;
    const char *p = digits;
    while (*p >= '0' && *p <= '9' && index <= MAX_INDEX)
        index = index * 10 + (*p++ - '0');
    const bool bad = p == digits || *p || index > MAX_INDEX || (digits[0] == '0' && digits[1]);
    return bad ? -1 : index;
}

static ob_status no_such_device(const char *text)
{
    char known[512];
    ob_line line = ob_line_in(known, sizeof known);
    for (int b = OB_BACKEND_NONE + 1; b < OB_BACKEND_LIMIT; b++) {
        const char *package = name_of_package(b);
        if (package)
            ob_line_add(&line, "%s%s", line.length ? ", " : "", package);
        else
            ob_line_add(&line, "%s%s", line.length ? ", " : "", names[b]);
    }
    return OB_FAIL(OB_ERR_NOT_FOUND, "device: no '%.64s'; there are %s", text, known);
}

ob_status ob_device_parse(const char *text, ob_device *out)
{
    *out = OB_DEVICE_NONE;
    char name[NAME_BYTES] = { 0 };
    const char *colon = strchr(text, ':');
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    if (n >= sizeof name) return no_such_device(text);
    memcpy(name, text, n);
    const int backend = find_backend(name);
    if (backend == OB_BACKEND_NONE) return no_such_device(text);
    const bool single = backend == OB_BACKEND_CPU || backend == OB_BACKEND_Meta;
    const int32_t index = colon ? parse_index(colon + 1) : single ? 0 : -1;
    if (colon && index < 0)
        return OB_FAIL(OB_ERR_ARG, "device: '%.64s' should end in an index from 0 to %d", text,
                       MAX_INDEX);
    *out = (ob_device){ backend, index };
    return OB_OK;
}

char *ob_device_format(ob_device device, char *buf, size_t bytes)
{
    ob_line line = ob_line_in(buf, bytes);
    if (device.backend <= OB_BACKEND_NONE || device.backend >= OB_BACKEND_LIMIT) {
        ob_line_add(&line, "none");
        return buf;
    }
    const char *package = name_of_package(device.backend);
    ob_line_add(&line, "%s", package ? package : names[device.backend]);
    const bool implied = ob_device_is_builtin(device) && device.index == 0;
    if (device.index >= 0 && !implied) ob_line_add(&line, ":%d", (int)device.index);
    return buf;
}
