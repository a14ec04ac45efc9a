/* From the start of a process to its end, wall time, quickest of some: how long `ob` itself takes,
 * how long OpenCL takes to be there, and a model to its results with warm caches. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"

extern char **environ;

enum { ROUNDS = 10 };
enum { VERSION, DEVICES, MODEL, RUNS };

#define DIGITS OB_MODEL_DIR "/digits_cnn/"

/* What is run, in turns; the first round warms caches. */
static char *const commands[RUNS][8] = {
    [VERSION] = { "ob", "--version" },
    [DEVICES] = { "ob", "devices" },
    [MODEL] = { "ob", "run", DIGITS "digits_cnn.core.pt2", "--check", DIGITS "ref", "--device",
                NULL },
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Start this program with other arguments, silent. */
static ob_status start(char *const *argv, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(pid, "/proc/self/exe", &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed ? OB_FAIL(OB_ERR_IO, "bench: no process: %s", strerror(failed)) : OB_OK;
}

static ob_status measure(char *const *argv, double *ms)
{
    pid_t pid = 0;
    int status = 0;
    const double from = now_ms();
    OB_TRY(start(argv, &pid));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return OB_FAIL(OB_ERR_IO, "bench: %s", strerror(errno));
    *ms = now_ms() - from;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return OB_OK;
    return OB_FAIL(OB_ERR_STATE, "bench: `ob %s` failed; run it to see why", argv[1]);
}

ob_status ob_bench_start(ob_bench *b)
{
    double best[RUNS] = { 0 };
    char device[64];
    ob_device_format(b->device, device, sizeof device);
    for (int i = 0; i <= ROUNDS; i++) {
        for (int k = VERSION; k < RUNS; k++) {
            char *argv[8];
            double ms = 0;
            memcpy(argv, commands[k], sizeof argv);
            if (k == MODEL) argv[6] = device; /* behind --device */
            OB_TRY(measure(argv, &ms));
            if (i == 1 || (i > 1 && ms < best[k])) best[k] = ms;
        }
    }
    ob_bench_row(b, "start: ob --version", "ms", best[VERSION], "", 0, 20);
    ob_bench_row(b, "start: digits_cnn to its results", "ms", best[MODEL], "", 0, 500);
    ob_bench_row(b, "start: digits_cnn, of it OpenCL", "ms", best[MODEL], "ob devices",
                 best[DEVICES], 0);
    return OB_OK;
}
