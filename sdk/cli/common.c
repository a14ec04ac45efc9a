/* Errors, JSON, devices and progress for the sub-commands (see cli.h). */
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

int ob_cli_error(const char *command)
{
    char text[OB_ERROR_MESSAGE_BYTES + 2048];
    fprintf(stderr, "%s: %s\n", command, ob_error_format(ob_error_last(), text, sizeof text));
    return OB_EXIT_FAILED;
}

int ob_cli_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(root);
    return OB_EXIT_OK;
}

ob_status ob_cli_device(const char *text, ob_device *out)
{
    *out = OB_DEVICE_CPU;
    OB_TRY(ob_package_discover());
    if (text) return ob_device_parse(text, out);
    for (int i = 0; ob_package_at(i); i++) {
        const ob_backend backend = ob_key_backend(ob_package_key(ob_package_at(i)));
        if (ob_device_count(backend) > 0) {
            *out = (ob_device){ (int32_t)backend, 0 };
            return OB_OK;
        }
    }
    return OB_OK;
}

double ob_cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void ob_progress_start(ob_progress *p, const char *label, int64_t total)
{
    *p = (ob_progress){ .label = label,
                        .total = total,
                        .started = isatty(STDERR_FILENO) ? ob_cli_now() : 0 };
}

void ob_progress_update(ob_progress *p, int64_t done)
{
    enum { WIDTH = 30 };
    if (p->started == 0) return;
    const double now = ob_cli_now();
    if (now - p->started < 1 || now - p->shown < 0.1) return;
    p->shown = now;
    const int full = p->total > 0 ? (int)(done * WIDTH / p->total) : 0;
    fprintf(stderr, "\r%s [%.*s%*s] %lld of %lld", p->label, full, "##############################",
            WIDTH - full, "", (long long)done, (long long)p->total);
    fflush(stderr);
}

void ob_progress_end(ob_progress *p)
{
    if (p->shown > 0) fprintf(stderr, "\r\033[K");
}
