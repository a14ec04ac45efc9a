/* `ob bench`: ours against what is installed, measured in one run, as ratios. */
#ifndef OB_CLI_BENCH_H
#define OB_CLI_BENCH_H

#include <jansson.h>

#include "ob/scope.h"

int ob_cmd_bench(int argc, char **argv);

typedef struct ob_bench {
    json_t *rows; /* {"name", "ours", "peer", "ratio", "goal", "holds", "unit", "peer_name"} */
    ob_device device;
    bool quiet; /* no table, JSON follows */
} ob_bench;

/* Add and print a row. `peer` <= 0: there is none, and the goal is for `ours` itself. `goal` <= 0:
 * none is set. Lower is better: the goal holds when the ratio (or ours, without a peer) is not
 * above it. */
void ob_bench_row(ob_bench *b, const char *name, const char *unit, double ours,
                  const char *peer_name, double peer, double goal);

/* One family of benchmarks each. */
ob_status ob_bench_dispatch(ob_bench *b) OB_MUST_USE;
ob_status ob_bench_gemm(ob_bench *b) OB_MUST_USE;
ob_status ob_bench_pointwise(ob_bench *b) OB_MUST_USE;
ob_status ob_bench_start(ob_bench *b) OB_MUST_USE;

/* What runs under callgrind: `calls` calls of a no-op. */
ob_status ob_bench_probe(const char *what, long calls) OB_MUST_USE;

/* CPU seconds of all threads of this process, once those that have no work left sleep: Linux counts
 * the time of a thread that runs elsewhere only when it stops or at the next tick (1 to 10 ms). */
double ob_bench_cpu_seconds(void);

#endif
