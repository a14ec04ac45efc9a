/* What a call costs before any kernel: instructions by callgrind (repeatable), and the time to
 * enqueue an eager add. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "ob/ops.h"

static ob_status noop(ob_frame *frame)
{
    (void)frame;
    return OB_OK;
}

static ob_status pass_down(ob_frame *frame)
{
    return ob_redispatch(frame->op, frame->keys & ob_keyset_after_autograd(), frame->args,
                         frame->results);
}

OB_LIBRARY(ob_bench, m)
{
    const ob_kernel kernel = { .fn = noop }, autograd = { .fn = pass_down };
    OB_TRY(ob_library_def(m, "noop(Tensor self) -> ()", 0));
    OB_TRY(ob_library_impl(m, "noop", OB_KEY_CPU, &kernel));
    OB_TRY(ob_library_def(m, "noop_grad(Tensor self) -> ()", 0));
    OB_TRY(ob_library_impl(m, "noop_grad", OB_KEY_CPU, &kernel));
    return ob_library_impl(m, "noop_grad", OB_KEY_Autograd, &autograd);
}

/* The cases: op (NULL: none), and whether the thread is below autograd. */
static const struct probe {
    const char *what, *op, *row;
    bool below;
    double peer, goal;
} probes[] = {
    /* peers: c10's unboxed call of PyTorch 2.13 by the same method */
    { "loop", NULL, NULL, false, 0, 0 }, /* what the loop costs without a call */
    { "noop", "ob_bench::noop", "dispatched no-op", true, 312, 60.0 / 312 },
    { "grad", "ob_bench::noop_grad", "no-op through an autograd kernel", false, 627, 150.0 / 627 },
};

static ob_status call_many(const struct probe *p, ob_tensor *x, long calls)
{
    ob_op *op = NULL;
    OB_TRY(ob_op_find(p->op, &op));
    const ob_value arg = ob_value_tensor(x);
    const ob_guard guard = p->below ? ob_guard_below_autograd() : ob_guard_grad_mode(true);
    ob_status st = OB_OK;
    for (long i = 0; i < calls && st == OB_OK; i++)
        st = ob_call_unchecked(op, &arg, NULL);
    ob_guard_leave(&guard);
    return st;
}

ob_status ob_bench_probe(const char *what, long calls)
{
    ob_tensor *x = NULL;
    size_t p = 0;
    while (p < OB_COUNT(probes) && strcmp(probes[p].what, what) != 0)
        p++;
    if (p == OB_COUNT(probes)) return OB_FAIL(OB_ERR_NOT_FOUND, "there is no probe '%s'", what);
    OB_TRY(ob_tensor_create(OB_INTS(1), OB_F32, OB_DEVICE_CPU, &x));
    ob_status st = OB_OK;
    if (probes[p].op) {
        st = call_many(&probes[p], x, calls);
    } else {
        volatile ob_status none = OB_OK;
        for (long i = 0; i < calls && st == OB_OK; i++)
            st = none;
    }
    ob_tensor_release(x);
    return st;
}

/* Instructions of the whole process with `calls` calls; negative when callgrind is not there. */
static double count_instructions(const char *what, long calls)
{
    char self[1024], command[1400], line[512];
    double count = -1;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || strchr(self, '\'')) return -1;
    self[n] = 0;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' bench --probe %s:%ld "
             "2>&1 </dev/null",
             self, what, calls);
    FILE *f = popen(command, "r");
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "Collected : ");
        if (at) count = strtod(at + 12, NULL);
    }
    return pclose(f) == 0 ? count : -1;
}

/* Instructions per turn of a probe's loop; negative when callgrind is not there. */
static double count_turn(const char *what)
{
    enum { FEW = 1000, MANY = 11000 };
    const double few = count_instructions(what, FEW),
                 many = few < 0 ? -1 : count_instructions(what, MANY);
    return many < 0 ? -1 : (many - few) / (MANY - FEW);
}

static void measure_instructions(ob_bench *b)
{
    const double loop = count_turn(probes[0].what);
    if (loop < 0)
        fprintf(stderr,
                "instructions are not counted: valgrind is needed (Debian package valgrind)\n");
    for (size_t i = 1; loop >= 0 && i < OB_COUNT(probes); i++)
        ob_bench_row(b, probes[i].row, "instr", count_turn(probes[i].what) - loop, "PyTorch 2.13",
                     probes[i].peer, probes[i].goal);
}

/* Host time of a small add that is not waited for: bursts, the quickest of as many as SECONDS hold,
 * since others disturb a machine for seconds at a time. */
static ob_status measure_enqueue(ob_bench *b)
{
    enum { BURST = 200, SECONDS = 4 };
    ob_tensor *x = NULL;
    double best = 1e9;
    OB_TRY(ob_tensor_create(OB_INTS(64), OB_F32, b->device, &x));
    const double until = ob_cli_now() + SECONDS;
    for (int k = 0; ob_cli_now() < until || k < 2; k++) {
        ob_scope *s = ob_scope_open();
        const double start = ob_cli_now();
        for (int i = 0; i < BURST; i++)
            (void)ob_add(s, x, x);
        const double end = ob_cli_now();
        OB_TRY(ob_device_synchronize(b->device));
        OB_TRY(ob_scope_close(s, NULL, NULL));
        if (k > 0 && (end - start) / BURST < best) best = (end - start) / BURST;
    }
    ob_tensor_release(x);
    ob_bench_row(b, "enqueue an eager add, not waiting", "us", best * 1e6, "", 0, 1.5);
    return OB_OK;
}

ob_status ob_bench_dispatch(ob_bench *b)
{
    measure_instructions(b);
    return measure_enqueue(b);
}
