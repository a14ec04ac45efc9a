/* `ob run MODEL.pt2`: load, feed, run, show or check against references; --profile writes a Chrome
 * trace. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/reference.h"
#include "cli/trace.h"

enum { MAX_INPUTS = 64, KEY_CHECK = 256, KEY_PROFILE, KEY_STRICT, KEY_REPEAT };

typedef struct options {
    const char *model, *device, *check, *profile;
    const char *inputs[MAX_INPUTS]; /* "NAME=FILE.npy" */
    int n_inputs, repeat;
    bool strict, explain, json;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'd':
        o->device = arg;
        return 0;
    case 'e':
        o->explain = true;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case KEY_CHECK:
        o->check = arg;
        return 0;
    case KEY_PROFILE:
        o->profile = arg;
        return 0;
    case KEY_STRICT:
        o->strict = true;
        return 0;
    case KEY_REPEAT:
        o->repeat = (int)strtol(arg, NULL, 10);
        if (o->repeat < 1)
            argp_error(state, "--repeat needs a number of at least 1, not '%s'", arg);
        return 0;
    case 'i':
        if (o->n_inputs == MAX_INPUTS || !strchr(arg, '='))
            argp_error(state, "--input needs NAME=FILE.npy, not '%s'", arg);
        o->inputs[o->n_inputs++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->model) argp_usage(state);
        o->model = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_rows[] = {
    { "input", 'i', "NAME=FILE.npy", 0, "Value of an input; once per input", 0 },
    { "check", KEY_CHECK, "REF_DIR", 0, "Run every case of a reference folder and compare", 0 },
    { "device", 'd', "DEVICE", 0, "cpu, opencl, ... (default: the first found)", 0 },
    { "strict", KEY_STRICT, NULL, 0, "A CPU fallback is an error that names the op", 0 },
    { "profile", KEY_PROFILE, "TRACE.json", 0, "Write a Chrome trace (chrome://tracing, Perfetto)",
      0 },
    { "explain", 'e', NULL, 0, "List the ops that ran, and how the device serves each", 0 },
    { "repeat", KEY_REPEAT, "N", 0, "Run N times and print the time of one run", 0 },
    { "json", 'j', NULL, 0, "Print JSON", 0 },
    { 0 },
};

/* ---- one run
 * -----------------------------------------------------------------------------------------------------
 */

static ob_status find_input(const options *o, const ob_program *p, int i, ob_tensor **out)
{
    const char *name = ob_program_input(p, i)->name;
    for (int k = 0; k < o->n_inputs; k++) {
        const size_t n = (size_t)(strchr(o->inputs[k], '=') - o->inputs[k]);
        if (strlen(name) == n && !strncmp(o->inputs[k], name, n))
            return ob_tensor_load_npy(o->inputs[k] + n + 1, OB_DEVICE_CPU, out);
    }
    return OB_FAIL(OB_ERR_ARG, "input '%s' is not given: add --input %s=FILE.npy", name, name);
}

static ob_status given_inputs(const options *o, const ob_program *p, ob_value *inputs)
{
    for (int i = 0; i < ob_program_n_inputs(p); i++) {
        ob_tensor *t = NULL;
        if (!ob_program_input(p, i)->is_tensor)
            continue; /* a constant: absent takes the frozen value */
        OB_TRY(find_input(o, p, i, &t));
        inputs[i] = ob_value_tensor(t);
    }
    return OB_OK;
}

static ob_status run_timed(const options *o, ob_program *p, ob_device device,
                           const ob_value *inputs, ob_value *outputs)
{
    const int n_in = ob_program_n_inputs(p), n_out = ob_program_n_outputs(p);
    const double start = ob_cli_now();
    for (int k = 0; k < o->repeat; k++) {
        for (int i = 0; i < n_out; i++)
            ob_value_reset(&outputs[i]);
        OB_TRY(ob_program_run(p, inputs, n_in, outputs, n_out));
    }
    OB_TRY(ob_device_synchronize(device));
    if (o->repeat > 1 && !o->json)
        printf("%.3f ms a run (%d runs)\n", (ob_cli_now() - start) * 1e3 / o->repeat, o->repeat);
    return OB_OK;
}

static void print_outputs(const ob_program *p, const ob_value *outputs, bool as_json)
{
    json_t *rows = json_array();
    char text[2048];
    for (int i = 0; i < ob_program_n_outputs(p); i++) {
        const char *name = ob_program_output(p, i)->name;
        if (outputs[i].tag == OB_VALUE_TENSOR)
            ob_tensor_format(outputs[i].u.tensor, text, sizeof text);
        else
            ob_value_format(&outputs[i], text, sizeof text);
        if (!as_json) printf("%s = %s\n", name, text);
        json_array_append_new(rows, json_pack("{s:s, s:s}", "name", name, "value", text));
    }
    if (as_json) ob_cli_json(json_pack("{s:O}", "outputs", rows));
    json_decref(rows);
}

static ob_status run_given(const options *o, ob_program *p, ob_device device)
{
    ob_value inputs[MAX_INPUTS] = { 0 }, outputs[MAX_INPUTS] = { 0 };
    if (ob_program_n_inputs(p) > MAX_INPUTS || ob_program_n_outputs(p) > MAX_INPUTS)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "the program has over %d inputs or outputs", MAX_INPUTS);
    ob_status st = given_inputs(o, p, inputs);
    if (st == OB_OK) st = run_timed(o, p, device, inputs, outputs);
    if (st == OB_OK) print_outputs(p, outputs, o->json);
    for (int i = 0; i < MAX_INPUTS; i++) {
        ob_value_reset(&inputs[i]);
        ob_value_reset(&outputs[i]);
    }
    return st;
}

/* ---- references
 * --------------------------------------------------------------------------------------------------
 */

static ob_status check_outputs(const ob_program *p, const ob_reference *r, int number,
                               const ob_value *outputs, json_t *rows)
{
    for (int i = 0; i < ob_program_n_outputs(p); i++) {
        ob_tensor *want = ob_reference_tensor(r, true, number, i);
        ob_comparison c = { 0 };
        if (!want) continue;
        if (outputs[i].tag != OB_VALUE_TENSOR)
            return OB_FAIL(OB_ERR_MISMATCH, "output %d is %s, should be a tensor", i,
                           ob_value_tag_name(outputs[i].tag));
        OB_TRY(ob_reference_compare(outputs[i].u.tensor, want, r->noise[number], &c));
        json_array_append_new(rows, json_pack("{s:i, s:s, s:f, s:f, s:b, s:b}", "case", number,
                                              "output", ob_program_output(p, i)->name, "worst",
                                              c.worst, "tolerance", c.tolerance, "same_choice",
                                              c.same_choice, "ok", c.ok));
    }
    return OB_OK;
}

static ob_status check_case(const options *o, ob_program *p, ob_device device,
                            const ob_reference *r, int number, json_t *rows)
{
    ob_value inputs[MAX_INPUTS] = { 0 }, outputs[MAX_INPUTS] = { 0 };
    int at = 0;
    for (int i = 0; i < ob_program_n_inputs(p) && i < MAX_INPUTS; i++)
        if (ob_program_input(p, i)->is_tensor)
            inputs[i] = ob_value_tensor(ob_reference_tensor(r, false, number, at++));
    ob_status st = run_timed(o, p, device, inputs, outputs);
    if (st == OB_OK) st = check_outputs(p, r, number, outputs, rows);
    for (int i = 0; i < MAX_INPUTS; i++)
        ob_value_reset(&outputs[i]);
    return st == OB_OK ? OB_OK : ob_error_prefix(st, "case %d", number);
}

static bool print_checks(const options *o, json_t *rows)
{
    size_t i, bad = 0;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const bool ok = json_is_true(json_object_get(row, "ok"));
        bad += !ok;
        if (!o->json)
            printf("case %lld %s: largest difference %.3g, allowed %.3g%s: %s\n",
                   (long long)json_integer_value(json_object_get(row, "case")),
                   json_string_value(json_object_get(row, "output")),
                   json_real_value(json_object_get(row, "worst")),
                   json_real_value(json_object_get(row, "tolerance")),
                   json_is_true(json_object_get(row, "same_choice")) ? "" : ", other choices",
                   ok ? "ok" : "WRONG");
    }
    if (o->json) ob_cli_json(json_pack("{s:O, s:b}", "cases", rows, "ok", bad == 0));
    return bad == 0 && json_array_size(rows) > 0;
}

static ob_status run_checks(const options *o, ob_program *p, ob_device device, bool *ok)
{
    ob_reference r;
    json_t *rows = json_array();
    OB_TRY(ob_reference_load(o->check, &r));
    ob_status st = OB_OK;
    for (int k = 0; k < r.n_cases && st == OB_OK; k++)
        st = check_case(o, p, device, &r, k, rows);
    if (st == OB_OK) *ok = print_checks(o, rows);
    ob_reference_reset(&r);
    json_decref(rows);
    return st;
}

static void print_ops(const ob_program *p, ob_device device)
{
    ob_program_op op;
    for (int i = 0; ob_program_op_at(p, i, &op); i++) {
        const ob_op_counts counts = ob_inspect_counts(op.op);
        printf("%-10s %4lld x  %s", ob_served_name(ob_inspect_served(op.op, device)),
               (long long)op.count, op.name);
        if (counts.fallbacks)
            printf("  (%llu CPU fallbacks)", (unsigned long long)counts.fallbacks);
        putchar('\n');
    }
}

/* Ops that ran on the CPU, also inside composites. */
static void print_fallback(void *user, const ob_op *op)
{
    const ob_op_counts counts = ob_inspect_counts(op);
    (void)user;
    if (counts.fallbacks)
        fprintf(stderr, "CPU fallback: %s, %llu times\n", ob_op_name(op),
                (unsigned long long)counts.fallbacks);
}

int ob_cmd_run(int argc, char **argv)
{
    const struct argp argp = { argp_rows,   parse,
                               "MODEL.pt2", "Run a program saved by torch.export (PyTorch >= 2.9).",
                               NULL,        NULL,
                               NULL };
    options o = { .repeat = 1 };
    ob_device device;
    ob_program *p = NULL;
    bool ok = true;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    ob_status st = ob_cli_device(o.device, &device);
    if (st == OB_OK) st = ob_program_load(o.model, device, &p);
    const ob_guard strict = ob_guard_strict(o.strict);
    ob_trace *trace = NULL;
    if (st == OB_OK && o.profile) st = ob_trace_start(p, device, &trace);
    if (st == OB_OK) st = o.check ? run_checks(&o, p, device, &ok) : run_given(&o, p, device);
    if (trace) {
        const ob_status written = ob_trace_finish(trace, o.profile);
        if (st == OB_OK) st = written;
    }
    ob_guard_leave(&strict);
    if (st == OB_OK && o.explain) print_ops(p, device);
    ob_inspect_each_op(print_fallback, NULL);
    const int status = st == OB_OK ? (ok ? OB_EXIT_OK : OB_EXIT_FAILED) : ob_cli_error("ob run");
    ob_program_release(p);
    return status;
}
