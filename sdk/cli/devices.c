/* `ob devices` and `ob doctor`: what was found, what is usable, and why the rest is not. */
#include <string.h>

#include "cli/cli.h"

typedef struct options {
    bool json;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    (void)arg;
    if (key == 'j')
        o->json = true;
    else if (key == ARGP_KEY_ARG)
        argp_usage(state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp_option argp_rows[] = { { "json", 'j', NULL, 0, "Print JSON", 0 }, { 0 } };

static json_t *device_json(ob_device device, const ob_device_info *info)
{
    char name[64];
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I}", "device", ob_device_format(device, name, sizeof name),
        "name", info->name, "vendor", info->vendor, "driver", info->driver, "memory_bytes",
        (json_int_t)info->memory_bytes, "compute_units", (json_int_t)info->compute_units);
}

static json_t *package_json(const ob_loaded_package *package)
{
    const ob_backend backend = ob_key_backend(ob_package_key(package));
    json_t *devices = json_array();
    for (int32_t i = 0; i < ob_device_count(backend); i++) {
        ob_device_info info = { .struct_size = sizeof info };
        const ob_device device = { (int32_t)backend, i };
        if (ob_device_get_info(device, &info) == OB_OK)
            json_array_append_new(devices, device_json(device, &info));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", ob_package_name(package), "version",
                     ob_package_version(package), "path", ob_package_path(package), "key",
                     ob_key_name(ob_package_key(package)), "devices", devices);
}

static json_t *all_json(void)
{
    json_t *packages = json_array(), *failures = json_array();
    for (int i = 0; ob_package_at(i); i++)
        json_array_append_new(packages, package_json(ob_package_at(i)));
    for (int i = 0; ob_package_failure(i); i++)
        json_array_append_new(failures, json_string(ob_package_failure(i)));
    return json_pack("{s:s, s:o, s:o}", "version", ob_version(), "packages", packages, "failures",
                     failures);
}

static void print_package(const json_t *package)
{
    size_t i;
    json_t *d;
    printf("%s %s  (%s, %s)\n", json_string_value(json_object_get(package, "name")),
           json_string_value(json_object_get(package, "version")),
           json_string_value(json_object_get(package, "key")),
           json_string_value(json_object_get(package, "path")));
    if (json_array_size(json_object_get(package, "devices")) == 0) printf("  no device\n");
    json_array_foreach(json_object_get(package, "devices"), i, d)
    {
        printf("  %-12s %s, %lld units, %.1f GiB\n               %s\n",
               json_string_value(json_object_get(d, "device")),
               json_string_value(json_object_get(d, "name")),
               (long long)json_integer_value(json_object_get(d, "compute_units")),
               (double)json_integer_value(json_object_get(d, "memory_bytes")) / (1 << 30),
               json_string_value(json_object_get(d, "driver")));
    }
}

int ob_cmd_devices(int argc, char **argv)
{
    const struct argp argp = { argp_rows, parse, NULL, "List packages and their devices.",
                               NULL,      NULL,  NULL };
    options o = { 0 };
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (ob_package_discover() != OB_OK) return ob_cli_error("ob devices");
    json_t *root = all_json();
    if (o.json) return ob_cli_json(root);
    size_t i;
    json_t *package;
    printf("cpu            plain C, OpenBLAS for matrix products (built in)\n");
    json_array_foreach(json_object_get(root, "packages"), i, package) print_package(package);
    if (json_array_size(json_object_get(root, "failures")) > 0)
        printf("%zu package%s could not be used: `ob doctor` says why\n",
               json_array_size(json_object_get(root, "failures")),
               json_array_size(json_object_get(root, "failures")) > 1 ? "s" : "");
    json_decref(root);
    return OB_EXIT_OK;
}

int ob_cmd_doctor(int argc, char **argv)
{
    const struct argp argp = { argp_rows, parse,
                               NULL,      "Say what keeps a package or a device from being used.",
                               NULL,      NULL,
                               NULL };
    options o = { 0 };
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (ob_package_discover() != OB_OK) return ob_cli_error("ob doctor");
    json_t *root = all_json();
    const json_t *packages = json_object_get(root, "packages"),
                 *failures = json_object_get(root, "failures");
    size_t i, usable = 0;
    json_t *item;
    json_array_foreach(packages, i, item) usable +=
        json_array_size(json_object_get(item, "devices"));
    if (o.json) {
        ob_cli_json(root);
        return usable > 0 ? OB_EXIT_OK : OB_EXIT_FAILED;
    }
    json_array_foreach(packages, i, item)
    {
        const size_t n = json_array_size(json_object_get(item, "devices"));
        printf("%s  package %s: %zu device%s\n", n ? "ok  " : "none",
               json_string_value(json_object_get(item, "name")), n, n == 1 ? "" : "s");
        if (n == 0)
            printf("      install an OpenCL driver, e.g. the Debian package pocl-opencl-icd; "
                   "OCL_ICD_VENDORS must not hide it\n");
    }
    json_array_foreach(failures, i, item) printf("fail  %s\n", json_string_value(item));
    for (int k = 0; ob_library_load_error(k); k++)
        printf("fail  library: %s\n", ob_library_load_error(k));
    if (usable == 0 && json_array_size(packages) + json_array_size(failures) == 0)
        printf("none  no package was found: set OB_PACKAGE_PATH to its .so\n");
    json_decref(root);
    return usable > 0 ? OB_EXIT_OK : OB_EXIT_FAILED;
}
