/* ob_replay KIND FILE: replays recorded behaviour of PyTorch's dispatcher and operators against
 * libob. The last line counts; the first failures stand above it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"

enum { SHOWN = 20 };

static const struct {
    const char *name;
    bool (*run)(replay *r, const char *path);
} kinds[] = { { "tables", replay_tables },
              { "calls", replay_calls },
              { "schemas", replay_schemas },
              { "cases", replay_cases } };

void replay_pass(replay *r)
{
    r->passed++;
}

void replay_fail(replay *r, const char *fmt, ...)
{
    r->failed++;
    if (r->shown++ >= SHOWN) return;
    va_list args;
    va_start(args, fmt);
    printf("line %zu: ", r->line);
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
}

const char *replay_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static int usage(void)
{
    fprintf(stderr, "usage: ob_replay tables|calls|schemas|cases FILE [--device DEVICE]\n");
    return 2;
}

static bool choose_device(replay *r, const char *name)
{
    char why[2048];
    if (ob_package_discover() == OB_OK && ob_device_parse(name, &r->device) == OB_OK) return true;
    fprintf(stderr, "%s\n", ob_error_format(ob_error_last(), why, sizeof why));
    return false;
}

int main(int argc, char **argv)
{
    replay r = { .device = OB_DEVICE_CPU };
    if (argc != 3 && argc != 5) return usage();
    if (argc == 5 && strcmp(argv[3], "--device") != 0) return usage();
    if (argc == 5 && !choose_device(&r, argv[4])) return 2;
    for (size_t i = 0; i < OB_COUNT(kinds); i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0) continue;
        if (!kinds[i].run(&r, argv[2])) return 2;
        printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped);
        return r.failed > 0;
    }
    return usage();
}
