/* The command line of `ob coverage`: what to look at, on which device, how to report. */
#include "coverage.h"

#include <argp.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "matrix.h"
#include "workers.h"

enum {
    KEY_GOLDENS = 256,
    KEY_MODEL,
    KEY_REPORT,
    KEY_BASELINE,
    KEY_STRICT,
    KEY_SHARD,
    KEY_MERGE,
    KEY_QUICK,
    KEY_WORKER,
    KEY_LIMIT,
    KEY_PACKAGE
};
enum { MAX_REPORTS = 8, MAX_MERGE = 64, QUICK_CASES = 2, QUICK_SECONDS = 45 };

typedef struct options {
    const char *device, *ops, *dtypes, *goldens, *model, *baseline, *package;
    const char *reports[MAX_REPORTS], *merge[MAX_MERGE];
    int n_reports, n_merge, jobs, shard, n_shards;
    double limit_s;
    bool strict, quick, worker, json;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'd':
        o->device = arg;
        return 0;
    case 'o':
        o->ops = arg;
        return 0;
    case 't':
        o->dtypes = arg;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case 'J':
        o->jobs = (int)strtol(arg, NULL, 10);
        return 0;
    case KEY_GOLDENS:
        o->goldens = arg;
        return 0;
    case KEY_MODEL:
        o->model = arg;
        return 0;
    case KEY_PACKAGE:
        o->package = arg;
        return 0;
    case KEY_BASELINE:
        o->baseline = arg;
        return 0;
    case KEY_STRICT:
        o->strict = true;
        return 0;
    case KEY_QUICK:
        o->quick = true;
        return 0;
    case KEY_WORKER:
        o->worker = true;
        return 0;
    case KEY_LIMIT:
        o->limit_s = strtod(arg, NULL);
        return 0;
    case KEY_REPORT:
        if (o->n_reports == MAX_REPORTS) argp_error(state, "more than %d reports", MAX_REPORTS);
        o->reports[o->n_reports++] = arg;
        return 0;
    case KEY_SHARD:
        if (sscanf(arg, "%d/%d", &o->shard, &o->n_shards) != 2 || o->n_shards < 1 || o->shard < 0 ||
            o->shard >= o->n_shards)
            argp_error(state, "--shard needs I/N with 0 <= I < N, not '%s'", arg);
        return 0;
    case KEY_MERGE:
        o->merge[o->n_merge++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_merge == 0 || o->n_merge == MAX_MERGE) argp_usage(state);
        o->merge[o->n_merge++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_rows[] = {
    { "device", 'd', "DEVICE", 0, "cpu, opencl, ... (default: the first found)", 0 },
    { "package", KEY_PACKAGE, "P.so", 0, "Load this device package and use its first device", 0 },
    { "ops", 'o', "REGEX", 0, "Only overloads that match, e.g. '^aten::add'", 0 },
    { "dtype", 't', "LIST", 0, "Only these dtypes, e.g. f32,f16", 0 },
    { "goldens", KEY_GOLDENS, "DIR", 0, "Corpus of golden cases (default: the project's own)", 0 },
    { "model", KEY_MODEL, "MODEL.pt2", 0, "Only the overloads that a program needs", 0 },
    { "report", KEY_REPORT, "FILE", 0,
      "Write FILE.html, .json, .csv, .md or .xml; may be given again", 0 },
    { "baseline", KEY_BASELINE, "OLD.json", 0, "Fail only on what passed there and does not now",
      0 },
    { "strict", KEY_STRICT, NULL, 0, "No CPU fallback", 0 },
    { "quick", KEY_QUICK, NULL, 0,
      "float32, or an overload's first dtype, and a few cases of each; begins none after 45 s", 0 },
    { "jobs", 'J', "N", 0, "Worker processes (default: one per processor)", 0 },
    { "shard", KEY_SHARD, "I/N", 0, "Only every N-th case, from the I-th", 0 },
    { "merge", KEY_MERGE, "A.json", 0, "Merge the matrices A.json B.json ... instead of running",
      0 },
    { "case-limit", KEY_LIMIT, "SECONDS", 0, "A case that takes longer hangs (default 120)", 0 },
    { "json", 'j', NULL, 0, "Print the summary as JSON", 0 },
    { "worker", KEY_WORKER, NULL, OPTION_HIDDEN, NULL, 0 },
    { 0 },
};

/* ---- which cases
 * -------------------------------------------------------------------------------------------------
 */

typedef struct selection {
    regex_t ops;
    bool has_ops;
    const options *options;
    ob_program *model; /* owned; NULL: any op */
} selection;

static bool in_model(const ob_program *model, const char *name)
{
    ob_program_op op;
    for (int i = 0; ob_program_op_at(model, i, &op); i++)
        if (!strcmp(op.name, name)) return true;
    return false;
}

static bool wants_op(const selection *s, const char *name)
{
    if (s->has_ops && regexec(&s->ops, name, 0, NULL, 0) != 0) return false;
    return !s->model || in_model(s->model, name);
}

/* Whether a bucket is in a comma list of dtypes, in any of their spellings; NULL takes all. */
static bool wants_dtype(const char *list, const char *bucket)
{
    char name[32];
    ob_dtype dtype, wanted;
    if (!list) return true;
    if (ob_dtype_parse(bucket, &dtype) != OB_OK) return false;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (ob_dtype_parse(name, &wanted) == OB_OK && wanted == dtype) return true;
    }
    return false;
}

/* A case chosen, and its turn: lower ones first. */
typedef struct chosen {
    int case_number, turn;
} chosen;

static int by_turn(const void *a, const void *b)
{
    const chosen *x = a, *y = b;
    if (x->turn != y->turn) return x->turn < y->turn ? -1 : 1;
    return x->case_number < y->case_number ? -1 : x->case_number > y->case_number;
}

/* What the cases chosen so far have of an op. */
typedef struct quick_op {
    char op[120];
    char dtype[32]; /* float32 or, where that is missing, its first dtype */
    int n;
} quick_op;

/* The turn of a case among the quick ones, by what is known of its op; -1 when it is not one. A
 * first case of every op comes before the second of any, and core ops before the others, since time
 * may be up before all are run. */
static int quick_turn(const ob_golden *g, const ob_op *op, quick_op *known)
{
    if (strcmp(known->dtype, g->bucket) != 0 || known->n >= QUICK_CASES ||
        strcmp(g->kind, "fwd") != 0)
        return -1;
    const bool is_core = op && (ob_op_tags(op) & OB_TAG_CORE);
    return 2 * known->n++ + !is_core;
}

/* Start on the op of case i. Cases of an op stand together. */
static void quick_start(const ob_corpus *c, int i, quick_op *known)
{
    const ob_golden *g = ob_corpus_case(c, i);
    if (!strcmp(known->op, g->op)) return;
    *known = (quick_op){ 0 };
    snprintf(known->op, sizeof known->op, "%s", g->op);
    snprintf(known->dtype, sizeof known->dtype, "%s", g->bucket);
    for (; i < ob_corpus_size(c) && !strcmp(ob_corpus_case(c, i)->op, known->op); i++)
        if (!strcmp(ob_corpus_case(c, i)->bucket, "float32"))
            snprintf(known->dtype, sizeof known->dtype, "float32");
}

/* *out: numbers of the cases in the order to run them [owned]. */
static ob_status select_cases(const selection *s, const ob_corpus *c, int **out, int *n)
{
    const options *o = s->options;
    const size_t limit = (size_t)ob_corpus_size(c) + 1;
    quick_op known = { 0 };
    chosen *all = malloc(limit * sizeof *all);
    *n = 0;
    *out = malloc(limit * sizeof **out);
    if (!all || !*out) {
        free(all);
        return OB_FAIL(OB_ERR_OOM, "no memory for the cases");
    }
    for (int i = 0; i < ob_corpus_size(c); i++) {
        char name[200];
        const ob_golden *g = ob_corpus_case(c, i);
        ob_golden_op_name(g, name, sizeof name);
        quick_start(c, i, &known);
        if (!wants_op(s, name) || !wants_dtype(o->dtypes, g->bucket)) continue;
        if (o->n_shards > 0 && i % o->n_shards != o->shard) continue;
        const int turn = o->quick ? quick_turn(g, ob_op_peek(name), &known) : 0;
        if (turn >= 0) all[(*n)++] = (chosen){ i, turn };
    }
    qsort(all, (size_t)*n, sizeof *all, by_turn);
    for (int i = 0; i < *n; i++)
        (*out)[i] = all[i].case_number;
    free(all);
    return OB_OK;
}

/* ---- running
 * -----------------------------------------------------------------------------------------------------
 */

typedef struct progress {
    ob_matrix *matrix;
    const ob_corpus *corpus;
    ob_device device;
    int done, total;
    time_t started, shown;
} progress;

static void on_result(void *user, int case_number, const ob_case_result *result)
{
    progress *p = user;
    ob_matrix_add(p->matrix, ob_corpus_case(p->corpus, case_number), p->device, result);
    p->done++;
    const time_t now = time(NULL);
    if (!isatty(STDERR_FILENO) || now - p->started < 1 || now == p->shown) return;
    p->shown = now;
    fprintf(stderr, "\rcases %d of %d ", p->done, p->total);
}

static ob_status run_cases(const selection *s, const char *goldens, ob_device device, ob_matrix *m)
{
    const options *o = s->options;
    ob_corpus *c = NULL;
    int *cases = NULL, n = 0, begun = 0;
    char name[64];
    OB_TRY(ob_corpus_open(goldens, &c));
    ob_status st = select_cases(s, c, &cases, &n);
    progress p = { .matrix = m, .corpus = c, .device = device, .total = n, .started = time(NULL) };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const ob_work work = { .corpus = c,
                           .goldens = goldens,
                           .device = ob_device_format(device, name, sizeof name),
                           .cases = cases,
                           .n_cases = n,
                           .jobs = o->jobs > 0 ? o->jobs : (int)processors,
                           .strict = o->strict,
                           .limit_s = o->limit_s,
                           .total_s = o->quick ? QUICK_SECONDS : 0,
                           .done = on_result,
                           .user = &p };
    if (st == OB_OK) st = ob_workers_run(&work, &begun);
    if (p.shown) fprintf(stderr, "\r\033[K"); /* the progress line, finished or not */
    if (st == OB_OK && begun < n)
        fprintf(
            stderr,
            "%d of %d cases were not reached in %d s: the device was building kernels, which it "
            "does once. Run it again, or without --quick.\n",
            n - begun, n, QUICK_SECONDS);
    free(cases);
    ob_corpus_close(c);
    return st;
}

static void declare(const selection *s, ob_device device, ob_matrix *m)
{
    const ob_aten_row *row;
    for (int i = 0; (row = ob_aten_row_at(i)); i++)
        if (wants_op(s, ob_op_name(ob_aten_op(i))))
            ob_matrix_declare(m, row, ob_aten_op(i), device);
}

static ob_status find_device(const options *o, ob_device *out)
{
    ob_loaded_package *package = NULL;
    *out = OB_DEVICE_CPU;
    if (o->package) {
        OB_TRY(ob_package_load(o->package, &package));
        *out = (ob_device){ (int32_t)ob_key_backend(ob_package_key(package)), 0 };
        return OB_OK;
    }
    OB_TRY(ob_package_discover());
    if (o->device) return ob_device_parse(o->device, out);
    for (int i = 0; ob_package_at(i); i++) {
        const ob_backend backend = ob_key_backend(ob_package_key(ob_package_at(i)));
        if (ob_device_count(backend) > 0) {
            *out = (ob_device){ (int32_t)backend, 0 };
            break;
        }
    }
    return OB_OK;
}

static ob_status measure(const options *o, ob_matrix *m)
{
    selection s = { .options = o };
    ob_device device;
    OB_TRY(find_device(o, &device));
    OB_TRY(ob_matrix_create(device, m));
    if (o->ops) {
        if (regcomp(&s.ops, o->ops, REG_EXTENDED | REG_NOSUB) != 0)
            return OB_FAIL(OB_ERR_ARG, "--ops '%s' is no regular expression", o->ops);
        s.has_ops = true;
    }
    ob_status st = o->model ? ob_program_scan(o->model, &s.model) : OB_OK;
    if (st == OB_OK) {
        declare(&s, device, m);
        st = run_cases(&s, o->goldens ? o->goldens : OB_GOLDEN_DIR, device, m);
    }
    if (s.has_ops) regfree(&s.ops);
    ob_program_release(s.model);
    return st;
}

static ob_status merge(const options *o, ob_matrix *m)
{
    OB_TRY(ob_matrix_load(o->merge[0], m));
    for (int i = 1; i < o->n_merge; i++) {
        ob_matrix other;
        OB_TRY(ob_matrix_load(o->merge[i], &other));
        ob_matrix_merge(m, &other);
        ob_matrix_reset(&other);
    }
    return OB_OK;
}

static ob_status worker(const options *o)
{
    ob_device device;
    ob_corpus *c = NULL;
    OB_TRY(find_device(o, &device));
    OB_TRY(ob_corpus_open(o->goldens, &c));
    const ob_guard strict = ob_guard_strict(o->strict);
    const ob_status st = ob_worker_main(c, device);
    ob_guard_leave(&strict);
    ob_corpus_close(c);
    return st;
}

static ob_status judge(const options *o, const ob_matrix *m, int *failures)
{
    ob_matrix old;
    *failures = ob_matrix_failures(m);
    if (!o->baseline) return OB_OK;
    OB_TRY(ob_matrix_load(o->baseline, &old));
    *failures = ob_matrix_regressions(m, &old);
    ob_matrix_reset(&old);
    return OB_OK;
}

static ob_status run(const options *o, int *failures)
{
    ob_matrix m = { 0 };
    if (o->worker) return worker(o);
    ob_status st = o->n_merge > 0 ? merge(o, &m) : measure(o, &m);
    if (st == OB_OK) ob_matrix_finish(&m);
    for (int i = 0; i < o->n_reports && st == OB_OK; i++)
        st = ob_matrix_write(&m, o->reports[i]);
    if (st == OB_OK) st = judge(o, &m, failures);
    if (st == OB_OK && o->json) {
        json_dumpf(m.summary, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
        putchar('\n');
    } else if (st == OB_OK)
        ob_matrix_print(&m);
    ob_matrix_reset(&m);
    return st;
}

int ob_cmd_coverage(int argc, char **argv)
{
    const struct argp argp = { argp_rows,
                               parse,
                               "[B.json ...]",
                               "Run the coverage matrix: how a device serves every ATen overload, "
                               "and whether its values are PyTorch's.",
                               NULL,
                               NULL,
                               NULL };
    options o = { .limit_s = 120 };
    char text[OB_ERROR_MESSAGE_BYTES + 2048];
    int failures = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (run(&o, &failures) == OB_OK) return failures > 0;
    fprintf(stderr, "ob coverage: %s\n", ob_error_format(ob_error_last(), text, sizeof text));
    return 1;
}
