/* Replays sequences of registrations and compares every op's state after every step: schema,
 * kernels per key, and all 137 entries of the computed table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { MAX_STEPS = 256, MAX_OPS = 16 };

/* One sequence on its way. */
typedef struct sequence {
    const char *ns;
    ob_library *libs[MAX_STEPS];
    const char *ops[MAX_OPS];
    json_t *expected[MAX_OPS]; /* last recorded observation; owned */
    int n_ops;
    char label[16]; /* "r<step>" */
} sequence;

static ob_status run_kernel(ob_frame *frame)
{
    (void)frame;
    return OB_OK;
}

static ob_key key_of(const char *name)
{
    ob_key key = OB_KEY_Undefined;
    if (*name && ob_key_parse(name, &key) != OB_OK) key = OB_KEY_LIMIT;
    return key;
}

/* The kernel a step registers. PyTorch lets kernels of one key stack up, so all override. */
static ob_kernel kernel_of(const sequence *q, const json_t *step)
{
    const char *kind = replay_text(step, "kern");
    ob_kernel kernel = { .fn = run_kernel, .flags = OB_KERNEL_OVERRIDE, .debug = q->label };
    if (strcmp(kind, "cpp") == 0) kernel.signature = "(Tensor _0) -> Tensor _0";
    if (strcmp(kind, "ft") == 0) {
        kernel.flags |= OB_KERNEL_FALLTHROUGH;
        kernel.fn = NULL;
    }
    return kernel;
}

static ob_status open_library(const char *kind, const char *ns, const char *key, int line,
                              ob_library **out)
{
    const bool impl = strcmp(kind, "IMPL") == 0;
    return ob_library_open(impl ? OB_LIBRARY_KIND_IMPL : OB_LIBRARY_KIND_FRAGMENT, ns, key_of(key),
                           "s", line, out);
}

static ob_status run_impl(sequence *q, const json_t *step, int n)
{
    const ob_kernel kernel = kernel_of(q, step);
    OB_TRY(
        open_library(replay_text(step, "lib"), q->ns, replay_text(step, "libkey"), n, &q->libs[n]));
    return ob_library_impl(q->libs[n], replay_text(step, "name"), key_of(replay_text(step, "key")),
                           &kernel);
}

static ob_status run_def(sequence *q, const json_t *step, int n)
{
    OB_TRY(open_library("FRAGMENT", q->ns, "", n, &q->libs[n]));
    return ob_library_def(q->libs[n], replay_text(step, "schema"), 0);
}

static ob_status run_defk(sequence *q, const json_t *step, int n)
{
    const char *schema = replay_text(step, "schema");
    ob_kernel kernel = kernel_of(q, step);
    if (!kernel.signature) kernel.signature = "(Tensor _0) -> Tensor _0";
    OB_TRY(open_library("FRAGMENT", q->ns, "", n, &q->libs[n]));
    return ob_library_def_impl(q->libs[n], *schema ? schema : replay_text(step, "name"),
                               key_of(replay_text(step, "key")), &kernel);
}

/* PyTorch refuses a second fallback of a key, so these do not override. */
static ob_status run_fallback(sequence *q, const json_t *step, int n)
{
    ob_kernel kernel = kernel_of(q, step);
    kernel.flags &= ~(uint32_t)OB_KERNEL_OVERRIDE;
    OB_TRY(open_library("IMPL", "_", "", n, &q->libs[n]));
    return ob_library_fallback(q->libs[n], key_of(replay_text(step, "key")), &kernel);
}

static ob_status run_drop(sequence *q, const json_t *step, int n)
{
    const int dropped = atoi(replay_text(step, "h") + 1);
    (void)n;
    if (dropped <= 0 || dropped >= MAX_STEPS) return OB_FAIL(OB_ERR_ARG, "no such step");
    ob_library_release(q->libs[dropped]);
    q->libs[dropped] = NULL;
    return OB_OK;
}

static ob_status run_dup_library(const char *ns, int n)
{
    ob_library *first = NULL, *second = NULL;
    OB_TRY(ob_library_open(OB_LIBRARY_KIND_DEF, ns, OB_KEY_Undefined, "s", n, &first));
    const ob_status st =
        ob_library_open(OB_LIBRARY_KIND_DEF, ns, OB_KEY_Undefined, "s", n, &second);
    ob_library_release(second);
    ob_library_release(first);
    return st;
}

/* Misuse that must be refused. */
static ob_status run_bad(sequence *q, const json_t *step, int n)
{
    const char *what = replay_text(step, "what");
    const ob_kernel skip = { .flags = OB_KERNEL_FALLTHROUGH | OB_KERNEL_OVERRIDE };
    const ob_kernel kernel = { .fn = run_kernel, .flags = OB_KERNEL_OVERRIDE };
    const bool impl = strcmp(what, "ns_def") != 0 && strcmp(what, "fallback_frag") != 0;
    const char *key = strcmp(what, "fallback_ns") == 0 ? "PrivateUse3" : impl ? "CPU" : "";
    if (strcmp(what, "dup_lib") == 0) return run_dup_library(q->ns, n);
    OB_TRY(open_library(impl ? "IMPL" : "FRAGMENT", q->ns, key, n, &q->libs[n]));
    ob_library *lib = q->libs[n];
    if (strcmp(what, "def_in_impl") == 0) return ob_library_def(lib, "foo(Tensor x) -> Tensor", 0);
    if (strcmp(what, "ns_def") == 0)
        return ob_library_def(lib, "elsewhere::foo(Tensor x) -> Tensor", 0);
    if (strcmp(what, "ns_impl") == 0)
        return ob_library_impl(lib, "elsewhere::foo", OB_KEY_CPU, &kernel);
    return ob_library_fallback(lib, OB_KEY_PrivateUse3, &skip);
}

static ob_status run_step(sequence *q, const json_t *step, int n)
{
    static const struct {
        const char *name;
        ob_status (*run)(sequence *q, const json_t *step, int n);
    } steps[] = { { "impl", run_impl }, { "def", run_def }, { "defk", run_defk },
                  { "drop", run_drop }, { "bad", run_bad }, { "fallback", run_fallback } };
    for (size_t i = 0; i < OB_COUNT(steps); i++) {
        if (strcmp(steps[i].name, replay_text(step, "do")) == 0) return steps[i].run(q, step, n);
    }
    return OB_FAIL(OB_ERR_PARSE, "unknown step %s", replay_text(step, "do"));
}

/* The status that stands for a recorded class of error. */
static ob_status status_of(const char *error)
{
    static const struct {
        const char *name;
        ob_status status;
    } rows[] = { { "", OB_OK },
                 { "dup_def", OB_ERR_DUPLICATE },
                 { "schema_mismatch", OB_ERR_MISMATCH },
                 { "dup_fallback", OB_ERR_DUPLICATE },
                 { "dup_library", OB_ERR_DUPLICATE },
                 { "key_mismatch", OB_ERR_ARG },
                 { "ns_mismatch", OB_ERR_ARG },
                 { "def_in_impl", OB_ERR_ARG },
                 { "fallback_not_impl", OB_ERR_ARG },
                 { "fallback_ns", OB_ERR_ARG } };
    for (size_t i = 0; i < OB_COUNT(rows); i++) {
        if (strcmp(rows[i].name, error) == 0) return rows[i].status;
    }
    return OB_STATUS_COUNT;
}

static void compare(replay *r, const sequence *q, int step, int op)
{
    char name[256];
    snprintf(name, sizeof name, "%s::%s", q->ns, q->ops[op]);
    json_t *found = observe(name);
    if (json_equal(found, q->expected[op])) {
        replay_pass(r);
    } else {
        char *e = json_dumps(q->expected[op], JSON_ENCODE_ANY | JSON_SORT_KEYS);
        char *f = json_dumps(found, JSON_ENCODE_ANY | JSON_SORT_KEYS);
        replay_fail(r, "step %d, %s\n  expected %s\n  found    %s", step, name, e ? e : "?",
                    f ? f : "?");
        free(e);
        free(f);
    }
    json_decref(found);
}

/* Take over what the step recorded, without the lag of PyTorch's live table. */
static void expect(sequence *q, const json_t *observations)
{
    for (int i = 0; i < q->n_ops; i++) {
        const json_t *o = json_object_get(observations, q->ops[i]);
        if (!o) continue;
        json_decref(q->expected[i]);
        q->expected[i] = json_deep_copy(o);
        if (json_is_object(o)) (void)json_object_del(q->expected[i], "lag");
    }
}

static void run_sequence(replay *r, sequence *q, const json_t *steps)
{
    for (int n = 1; n <= (int)json_array_size(steps) && n < MAX_STEPS; n++) {
        const json_t *step = json_array_get(steps, (size_t)n - 1);
        snprintf(q->label, sizeof q->label, "r%d", n);
        const ob_status wanted = status_of(replay_text(step, "err"));
        const ob_status st = run_step(q, step, n);
        if (st == wanted)
            replay_pass(r);
        else
            replay_fail(r, "step %d %s: expected %s (%s), found %s: %s", n, replay_text(step, "do"),
                        ob_status_name(wanted), replay_text(step, "err"), ob_status_name(st),
                        st == OB_OK ? "" : ob_error_last()->message);
        expect(q, json_object_get(step, "o"));
        for (int i = 0; i < q->n_ops; i++)
            compare(r, q, n, i);
    }
}

static void each(replay *r, void *user, const json_t *line)
{
    (void)user;
    if (strcmp(replay_text(line, "kind"), "header") == 0) return;
    sequence q = { .ns = replay_text(line, "ns") };
    const json_t *ops = json_object_get(line, "ops");
    for (; q.n_ops < (int)json_array_size(ops) && q.n_ops < MAX_OPS; q.n_ops++) {
        q.ops[q.n_ops] = json_string_value(json_array_get(ops, (size_t)q.n_ops));
        q.expected[q.n_ops] = json_null();
    }
    run_sequence(r, &q, json_object_get(line, "steps"));
    for (int i = 0; i < MAX_STEPS; i++)
        ob_library_release(q.libs[i]);
    for (int i = 0; i < q.n_ops; i++)
        json_decref(q.expected[i]);
    if (ob_inspect_check_invariants() == OB_OK)
        replay_pass(r);
    else
        replay_fail(r, "%s", ob_error_last()->message);
}

bool replay_tables(replay *r, const char *path)
{
    return replay_each_line(r, path, each, NULL);
}
