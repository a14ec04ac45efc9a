/* The program `ob`: finds the sub-command in one table and runs it. */
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "coverage.h"

static const ob_command commands[] = {
    { "devices", "packages found, their devices, memory and driver", ob_cmd_devices },
    { "doctor", "why a package or device is not used", ob_cmd_doctor },
    { "run", "run a .pt2 program, check it against references, profile it", ob_cmd_run },
    { "coverage", "the matrix: which overloads a device serves, how, and whether right",
      ob_cmd_coverage },
    { "explain", "which kernel each key of an op runs, and why", ob_cmd_explain },
    { "preflight", "every op that a program needs and a device lacks", ob_cmd_preflight },
    { "bench", "speed against what is installed, as ratios", ob_cmd_bench },
};

static int usage(FILE *to, int status)
{
    fprintf(to, "Usage: ob COMMAND [OPTION...]\n\n");
    for (size_t i = 0; i < OB_COUNT(commands); i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\n`ob COMMAND --help` lists its options. `ob --version` prints the version.\n");
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) return usage(stderr, OB_EXIT_USAGE);
    if (!strcmp(argv[1], "--version")) {
        printf("ob %s\n", ob_version());
        return OB_EXIT_OK;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return usage(stdout, OB_EXIT_OK);
    for (size_t i = 0; i < OB_COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        char name[32];
        snprintf(name, sizeof name, "ob %s", commands[i].name);
        argv[1] = name; /* what argp prints in usage lines */
        return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "ob: there is no command '%s'\n\n", argv[1]);
    return usage(stderr, OB_EXIT_USAGE);
}
