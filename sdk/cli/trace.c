/* Chrome trace events ("traceEvents", times in us). Device clocks differ from the host's: each
 * track starts at 0. */
#include "cli/trace.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { HOST_TRACK = 1, DEVICE_TRACK = 2 };

struct ob_trace {
    ob_program *program;
    ob_device device;
    const ob_backend_api *api; /* NULL: no device profile */
    void *self;
    json_t *events;
    json_t *sums; /* kernel -> nanoseconds, if the device profiles, else op -> nanoseconds */
    double start, node_start; /* seconds, host */
    uint64_t device_start;    /* ns */
};

static void add_event(ob_trace *t, int track, const char *name, double us, double length_us)
{
    json_array_append_new(t->events,
                          json_pack("{s:s, s:s, s:i, s:i, s:f, s:f}", "name", name, "ph", "X",
                                    "pid", 1, "tid", track, "ts", us, "dur", length_us));
}

static void add_time(ob_trace *t, const char *name, int64_t ns)
{
    const json_int_t so_far = json_integer_value(json_object_get(t->sums, name));
    json_object_set_new(t->sums, name, json_integer(so_far + ns));
}

static void on_node(void *user, int node, const char *op, bool begin)
{
    ob_trace *t = user;
    const double now = ob_cli_now();
    (void)node;
    if (begin) {
        t->node_start = now;
        return;
    }
    add_event(t, HOST_TRACK, op, (t->node_start - t->start) * 1e6, (now - t->node_start) * 1e6);
    if (!t->api) add_time(t, op, (int64_t)((now - t->node_start) * 1e9));
}

static void on_kernel(void *user, const char *kernel, uint64_t start_ns, uint64_t end_ns)
{
    ob_trace *t = user;
    if (t->device_start == 0) t->device_start = start_ns;
    add_event(t, DEVICE_TRACK, kernel, (double)(start_ns - t->device_start) * 1e-3,
              (double)(end_ns - start_ns) * 1e-3);
    add_time(t, kernel, (int64_t)(end_ns - start_ns));
}

static void name_track(ob_trace *t, int track, const char *name)
{
    json_array_append_new(t->events,
                          json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name", "thread_name", "ph",
                                    "M", "pid", 1, "tid", track, "args", "name", name));
}

ob_status ob_trace_start(ob_program *program, ob_device device, ob_trace **out)
{
    *out = NULL;
    ob_trace *t = calloc(1, sizeof *t);
    if (!t) return OB_FAIL(OB_ERR_OOM, "no memory for a trace");
    t->program = program;
    t->device = device;
    t->events = json_array();
    t->sums = json_object();
    if (device.backend != OB_BACKEND_CPU && ob_backend_of(device, &t->api, &t->self) == OB_OK)
        if (!OB_HAS(t->api, profile_stop) || t->api->profile_start(t->self, device.index) != OB_OK)
            t->api = NULL;
    name_track(t, HOST_TRACK, "host: ops");
    if (t->api) name_track(t, DEVICE_TRACK, "device: kernels");
    t->start = ob_cli_now();
    ob_program_set_watch(program, on_node, t);
    *out = t;
    return OB_OK;
}

typedef struct sum {
    const char *name;
    int64_t ns;
} sum;

static int by_time(const void *a, const void *b)
{
    const int64_t x = ((const sum *)a)->ns, y = ((const sum *)b)->ns;
    return (x < y) - (x > y);
}

static void print_sums(const ob_trace *t)
{
    enum { SHOWN = 10, LIMIT = 512 };
    sum rows[LIMIT];
    int n = 0;
    int64_t total = 0;
    const char *name;
    json_t *ns;
    json_object_foreach(t->sums, name, ns)
    {
        if (n < LIMIT) rows[n++] = (sum){ name, json_integer_value(ns) };
        total += json_integer_value(ns);
    }
    qsort(rows, (size_t)n, sizeof *rows, by_time);
    fprintf(stderr, "%s, %.3f ms in all:\n", t->api ? "time in kernels" : "time in ops",
            (double)total * 1e-6);
    for (int i = 0; i < n && i < SHOWN; i++)
        fprintf(stderr, "  %5.1f %%  %9.3f ms  %s\n",
                100.0 * (double)rows[i].ns / (double)(total ? total : 1), (double)rows[i].ns * 1e-6,
                rows[i].name);
}

ob_status ob_trace_finish(ob_trace *t, const char *path)
{
    ob_program_set_watch(t->program, NULL, NULL);
    ob_status st = t->api ? t->api->profile_stop(t->self, t->device.index, on_kernel, t) : OB_OK;
    print_sums(t);
    json_t *root = json_pack("{s:O, s:s}", "traceEvents", t->events, "displayTimeUnit", "ms");
    if (st == OB_OK && json_dump_file(root, path, JSON_COMPACT) != 0)
        st = OB_FAIL(OB_ERR_IO, "%s: cannot be written", path);
    json_decref(root);
    json_decref(t->events);
    json_decref(t->sums);
    free(t);
    return st;
}
