/* Parent and child talk over two pipes: "<case>\n" down, one fixed-size record up (see workers.h).
 */
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 64, NO_CASE = -1 };

typedef struct worker {
    pid_t pid; /* 0: not running */
    int down, up;
    int case_number; /* NO_CASE: idle */
    double started;
    size_t got; /* bytes of the record so far */
    ob_case_result record;
} worker;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void exec_child(const ob_work *work, int down, int up)
{
    const char *args[12] = { "ob",          "coverage", "--worker",  "--goldens",
                             work->goldens, "--device", work->device };
    if (work->strict) args[7] = "--strict";
    if (dup2(down, STDIN_FILENO) < 0 || dup2(up, STDOUT_FILENO) < 0) _exit(127);
    execv("/proc/self/exe", (char *const *)(uintptr_t)args);
    _exit(127);
}

static ob_status start(const ob_work *work, worker *w)
{
    int down[2], up[2];
    *w = (worker){ .case_number = NO_CASE };
    if (pipe(down) != 0) return OB_FAIL(OB_ERR_IO, "no pipe for a worker: %s", strerror(errno));
    if (pipe(up) != 0) {
        close(down[0]);
        close(down[1]);
        return OB_FAIL(OB_ERR_IO, "no pipe for a worker: %s", strerror(errno));
    }
    fcntl(down[1], F_SETFD, FD_CLOEXEC);
    fcntl(up[0], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) exec_child(work, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    w->down = down[1];
    w->up = up[0];
    if (w->pid > 0) return OB_OK;
    close(down[1]);
    close(up[0]);
    w->pid = 0;
    return OB_FAIL(OB_ERR_IO, "no process for a worker: %s", strerror(errno));
}

/* Wait for the process; how it ended as a text. */
static void reap(worker *w, char *how, size_t bytes)
{
    int status = 0;
    close(w->down);
    close(w->up);
    waitpid(w->pid, &status, 0);
    w->pid = 0;
    if (WIFSIGNALED(status))
        snprintf(how, bytes, "the process died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(how, bytes, "the process ended with status %d", WEXITSTATUS(status));
}

static void give(worker *w, int case_number)
{
    char line[32];
    const int n = snprintf(line, sizeof line, "%d\n", case_number);
    w->case_number = case_number;
    w->started = now();
    w->got = 0;
    if (write(w->down, line, (size_t)n) != n)
        kill(w->pid, SIGKILL); /* found dead at the next poll */
}

static void report_loss(const ob_work *work, worker *w, ob_outcome outcome, const char *how)
{
    ob_case_result lost = { .outcome = outcome };
    snprintf(lost.message, sizeof lost.message, "%s", how);
    work->done(work->user, w->case_number, &lost);
    w->case_number = NO_CASE;
}

/* Read what a worker has to say; a finished record is passed on. False when the process is gone. */
static bool hear(const ob_work *work, worker *w)
{
    const ssize_t n = read(w->up, (char *)&w->record + w->got, sizeof w->record - w->got);
    if (n <= 0) return n < 0 && errno == EINTR;
    w->got += (size_t)n;
    if (w->got == sizeof w->record) {
        work->done(work->user, w->case_number, &w->record);
        w->case_number = NO_CASE;
    }
    return true;
}

static void lose(const ob_work *work, worker *w, ob_outcome outcome)
{
    char how[128];
    if (outcome == OB_OUTCOME_HANG) kill(w->pid, SIGKILL);
    reap(w, how, sizeof how);
    if (outcome == OB_OUTCOME_HANG)
        snprintf(how, sizeof how, "no answer for %.0f s", work->limit_s);
    if (w->case_number != NO_CASE) report_loss(work, w, outcome, how);
}

static int busy(const worker *workers, int jobs)
{
    int n = 0;
    for (int i = 0; i < jobs; i++)
        n += workers[i].case_number != NO_CASE;
    return n;
}

static void listen(const ob_work *work, worker *workers, int jobs)
{
    struct pollfd polls[MAX_JOBS];
    for (int i = 0; i < jobs; i++)
        polls[i] = (struct pollfd){ .fd = workers[i].case_number != NO_CASE ? workers[i].up : -1,
                                    .events = POLLIN };
    if (poll(polls, (nfds_t)jobs, 1000) < 0) return;
    for (int i = 0; i < jobs; i++) {
        if (workers[i].case_number == NO_CASE) continue;
        if (polls[i].revents && !hear(work, &workers[i]))
            lose(work, &workers[i], OB_OUTCOME_CRASH);
        else if (!polls[i].revents && now() - workers[i].started > work->limit_s)
            lose(work, &workers[i], OB_OUTCOME_HANG);
    }
}

ob_status ob_workers_run(const ob_work *work, int *begun)
{
    worker workers[MAX_JOBS] = { 0 };
    const int jobs = work->jobs < 1 ? 1 : work->jobs > MAX_JOBS ? MAX_JOBS : work->jobs;
    int next = 0, end = work->n_cases;
    const double started = now();
    ob_status st = OB_OK;
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < jobs; i++)
        workers[i].case_number = NO_CASE;
    while (st == OB_OK && (next < end || busy(workers, jobs) > 0)) {
        if (work->total_s > 0 && now() - started > work->total_s) end = next;
        for (int i = 0; i < jobs && next < end && st == OB_OK; i++) {
            if (workers[i].case_number != NO_CASE) continue;
            if (workers[i].pid == 0) st = start(work, &workers[i]);
            if (st == OB_OK) give(&workers[i], work->cases[next++]);
        }
        if (st == OB_OK) listen(work, workers, jobs);
    }
    *begun = next;
    for (int i = 0; i < jobs; i++) {
        char how[128];
        if (workers[i].pid == 0) continue;
        if (st != OB_OK) kill(workers[i].pid, SIGKILL);
        reap(&workers[i], how, sizeof how);
    }
    return st;
}

ob_status ob_worker_main(const ob_corpus *corpus, ob_device device)
{
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        const long i = strtol(line, NULL, 10);
        ob_case_result result;
        if (i < 0 || i >= ob_corpus_size(corpus))
            return OB_FAIL(OB_ERR_ARG, "case %ld of %d", i, ob_corpus_size(corpus));
        if (ob_case_run(corpus, (int)i, device, &result) != OB_OK) {
            result.outcome = OB_OUTCOME_ERROR;
            snprintf(result.message, sizeof result.message, "%.500s", ob_error_last()->message);
        }
        if (fwrite(&result, sizeof result, 1, stdout) != 1 || fflush(stdout) != 0)
            return OB_FAIL(OB_ERR_IO, "the parent does not listen");
    }
    return OB_OK;
}
