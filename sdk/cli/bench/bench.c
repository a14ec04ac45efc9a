/* The command line of `ob bench` and its table of results (see bench.h). */
#include "cli/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

static const struct {
    const char *name;
    ob_status (*run)(ob_bench *b);
} benches[] = { { "dispatch", ob_bench_dispatch },
                { "gemm", ob_bench_gemm },
                { "pointwise", ob_bench_pointwise },
                { "start", ob_bench_start } };

/* The peers run on one thread, so the device does: what PoCL (up to 3, and later) reads when it is
 * loaded, unless the caller has set it. */
static const char *const one_thread[] = { "POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT" };

enum { KEY_PROBE = 256 };

typedef struct options {
    const char *what, *device, *probe;
    bool json;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'd':
        o->device = arg;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case KEY_PROBE:
        o->probe = arg;
        return 0;
    case ARGP_KEY_ARG:
        for (size_t i = 0; i < OB_COUNT(benches); i++)
            if (!strcmp(arg, benches[i].name)) o->what = arg;
        if (!o->what) argp_error(state, "there is no benchmark '%s'", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_rows[] = {
    { "device", 'd', "DEVICE", 0, "Device to measure (default: the first found)", 0 },
    { "json", 'j', NULL, 0, "Print JSON", 0 },
    { "probe", KEY_PROBE, "WHAT:CALLS", OPTION_HIDDEN, NULL, 0 },
    { 0 },
};

double ob_bench_cpu_seconds(void)
{
    struct timespec t = { .tv_nsec = 500 * 1000 };
    nanosleep(&t, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void ob_bench_row(ob_bench *b, const char *name, const char *unit, double ours,
                  const char *peer_name, double peer, double goal)
{
    const bool has_peer = peer > 0, has_goal = goal > 0;
    const double ratio = has_peer ? ours / peer : ours;
    const bool holds = !has_goal || ratio <= goal;
    json_array_append_new(
        b->rows, json_pack("{s:s, s:f, s:o, s:f, s:o, s:b, s:s, s:s}", "name", name, "ours", ours,
                           "peer", has_peer ? json_real(peer) : json_null(), "ratio", ratio, "goal",
                           has_goal ? json_real(goal) : json_null(), "holds", holds, "unit", unit,
                           "peer_name", peer_name));
    if (b->quiet) return;
    printf("%-34s %12.4g %-5s", name, ours, unit);
    if (has_peer) printf("  %s %.4g, ratio %.3f", peer_name, peer, ratio);
    if (has_goal) printf("  (goal %.4g: %s)", goal, holds ? "holds" : "MISSED");
    putchar('\n');
    fflush(stdout);
}

static int probe(const char *text)
{
    char what[32];
    const char *colon = strchr(text, ':');
    if (!colon || colon - text >= (long)sizeof what) return OB_EXIT_USAGE;
    snprintf(what, sizeof what, "%.*s", (int)(colon - text), text);
    return ob_bench_probe(what, strtol(colon + 1, NULL, 10)) == OB_OK ? OB_EXIT_OK
                                                                      : ob_cli_error("ob bench");
}

int ob_cmd_bench(int argc, char **argv)
{
    const struct argp argp = {
        argp_rows,
        parse,
        "[dispatch|gemm|pointwise|start]",
        "Measure against what is installed, as ratios (ours / peer: lower is better), on one "
        "thread.",
        NULL,
        NULL,
        NULL
    };
    options o = { 0 };
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.probe) return probe(o.probe);
    const bool only_starts = o.what && !strcmp(o.what, "start"); /* as users start it */
    for (size_t i = 0; !only_starts && i < OB_COUNT(one_thread); i++)
        setenv(one_thread[i], "1", 0);
    ob_bench b = { .rows = json_array(), .quiet = o.json };
    ob_status st = ob_cli_device(o.device, &b.device);
    for (size_t i = 0; i < OB_COUNT(benches) && st == OB_OK; i++)
        if (!o.what || !strcmp(o.what, benches[i].name)) st = benches[i].run(&b);
    if (o.json) ob_cli_json(json_pack("{s:O}", "rows", b.rows));
    json_decref(b.rows);
    return st == OB_OK ? OB_EXIT_OK : ob_cli_error("ob bench");
}
