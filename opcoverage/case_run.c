/* One case: build the arguments on the device, call, compare results and written arguments, look at
 * the bytes around them (see case_run.h). */
#include "case_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"

const char *ob_outcome_name(ob_outcome o)
{
    static const char *const names[] = {
#define OB_X(name, text) text,
        OB_OUTCOME_LIST(OB_X)
#undef OB_X
    };
    return names[o];
}

const char *ob_case_form(const ob_schema *schema)
{
    const char *form = "functional";
    for (int i = 0; i < schema->n_args; i++) {
        if (ob_argument_is_out(&schema->args[i])) return "out";
        if (ob_argument_is_write(&schema->args[i])) form = "inplace";
    }
    return form;
}

const char *ob_case_layout(const ob_golden *g)
{
    ob_golden_tensor t;
    const char *at = strchr(g->args, 'T');
    while (at && (at == g->args || (at[-1] != '=' && at[-1] != ' ')))
        at = strchr(at + 1, 'T');
    if (!at || ob_golden_tensor_token(at, &t) != OB_OK) return "none";
    if (t.rank == 0) return t.offset == 0 ? "0-d" : "gaps";
    int64_t numel = 1, span = 1;
    bool expanded = false, row_major = true;
    for (int d = t.rank - 1; d >= 0; d--) {
        if (t.sizes[d] > 1 && t.strides[d] == 0) expanded = true;
        if (t.sizes[d] > 1 && t.strides[d] != numel) row_major = false;
        if (t.sizes[d] > 0) span += (t.sizes[d] - 1) * t.strides[d];
        numel *= t.sizes[d];
    }
    if (numel == 0) return "empty";
    if (expanded) return "expanded";
    if (row_major) return t.offset == 0 ? "contiguous" : "gaps";
    return span == numel && t.offset == 0 ? "transposed" : "gaps";
}

/* ---- watching
 * ----------------------------------------------------------------------------------------------------
 */

/* An op that a call entered, and its fallbacks before that. */
typedef struct entered {
    const ob_op *op;
    uint64_t fallbacks;
} entered;

/* What one call ran. */
typedef struct watch {
    ob_case_result *result;
    const ob_op *outer;
    entered *ops; /* owned, each op once */
    int n_ops, limit;
    bool out_of_memory;
} watch;

static void remember(watch *w, const ob_op *op)
{
    for (int i = 0; i < w->n_ops; i++)
        if (w->ops[i].op == op) return;
    if (w->n_ops == w->limit) {
        const int limit = w->limit ? 2 * w->limit : 16;
        entered *more = realloc(w->ops, (size_t)limit * sizeof *more);
        w->out_of_memory = !more;
        if (!more) return;
        w->ops = more;
        w->limit = limit;
    }
    w->ops[w->n_ops++] = (entered){ op, ob_inspect_counts(op).fallbacks };
}

static bool fell_back(const watch *w)
{
    for (int i = 0; i < w->n_ops; i++)
        if (ob_inspect_counts(w->ops[i].op).fallbacks > w->ops[i].fallbacks) return true;
    return false;
}

/* Note an op, and a native kernel below the op under test, once. */
static void on_enter(void *user, const ob_op *op, ob_key key, const ob_entry *entry)
{
    watch *w = user;
    (void)key;
    remember(w, op);
    if (op == w->outer || entry->provenance != OB_PROVENANCE_DIRECT) return;
    char *leaves = w->result->leaves;
    const char *name = ob_op_name(op);
    const size_t length = strlen(leaves), n = strlen(name);
    const char *known = strstr(leaves, name);
    if ((known && (known[n] == ' ' || !known[n])) || length + n + 2 > sizeof w->result->leaves)
        return;
    snprintf(leaves + length, sizeof w->result->leaves - length, "%s%s", length ? " " : "", name);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- judging
 * ------------------------------------------------------------------------------------------------------
 */

static void fail(ob_case_result *r, ob_outcome outcome, const char *where, const char *message)
{
    if (r->outcome >= outcome) return;
    r->outcome = outcome;
    snprintf(r->message, sizeof r->message, "%.80s%s%.400s", where, *where ? ": " : "", message);
}

static ob_tolerance tolerance_of(const ob_golden *g)
{
    char mode[16];
    ob_golden_attribute(g, "cmp", "close", mode, sizeof mode);
    ob_tolerance t = { ob_golden_number(g, "rtol", 0), ob_golden_number(g, "atol", 0), true,
                       false };
    if (!strcmp(mode, "exact")) t.rtol = t.atol = 0;
    if (!strcmp(mode, "loose")) {
        t.rtol *= 10;
        t.atol *= 10;
    }
    /* eigen- and singular vectors, QR, ties: only what is defined by the values themselves is
     * compared */
    const bool free_values = !strcmp(mode, "meta") || !strcmp(mode, "eig") ||
                             !strcmp(mode, "svd") || !strcmp(mode, "qr");
    t.values =
        !free_values && ob_golden_number(g, "det", 1) > 0 && ob_golden_number(g, "ill", 0) == 0;
    return t;
}

static void note(ob_case_result *r, const ob_judgement *j, const char *where)
{
    if (j->worst > r->worst) {
        r->worst = j->worst;
        r->allowed = j->allowed;
    }
    if (!j->ok) fail(r, OB_OUTCOME_WRONG, where, j->message);
}

/* With ties an index is right if it selects an equal value: index outputs are then left to their
 * dtype and sizes. */
static bool is_free_index(const ob_golden *g, const ob_value *got)
{
    char mode[16];
    ob_golden_attribute(g, "cmp", "close", mode, sizeof mode);
    return !strcmp(mode, "ties") && got->tag == OB_VALUE_TENSOR &&
           ob_tensor_dtype(got->u.tensor) == OB_I64;
}

/* True when output i is a view of an argument: its strides are part of the answer. An out= may have
 * been resized, which leaves its strides open. */
static bool is_view(const ob_golden *g, const ob_schema *schema, int i)
{
    if (!strcmp(ob_case_form(schema), "out")) return false;
    char list[256], head[16];
    ob_golden_attribute(g, "alias", "", list, sizeof list);
    snprintf(head, sizeof head, "%d:", i);
    const char *at = list;
    while (at && strncmp(at, head, strlen(head)) != 0)
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    return at != NULL;
}

static ob_status judge_results(const ob_corpus *c, const ob_golden *g, const ob_schema *schema,
                               const ob_value *results, ob_case_result *r)
{
    const int n = schema->n_returns;
    const char *at = strcmp(g->outputs, "-") ? g->outputs : "";
    for (int i = 0; i < n && *at; i++) {
        ob_judgement j = { .ok = true };
        ob_tolerance t = tolerance_of(g);
        char where[32];
        if (is_free_index(g, &results[i])) t.values = false;
        t.strides = is_view(g, schema, i);
        OB_TRY(ob_compare_value(c, g, &results[i], &at, t, &j));
        snprintf(where, sizeof where, "output %d", i);
        note(r, &j, where);
        while (*at == ' ')
            at++;
    }
    return OB_OK;
}

static ob_status judge_after(const ob_corpus *c, const ob_golden *g, const ob_schema *schema,
                             const ob_value *args, ob_case_result *r)
{
    if (!strcmp(g->after, "-")) return OB_OK;
    for (const char *at = g->after; *at;) {
        char name[80];
        ob_judgement j = { .ok = true };
        while (*at == ' ')
            at++;
        const size_t n = strcspn(at, "=");
        if (!at[n]) break;
        snprintf(name, sizeof name, "%.*s", (int)(n < 79 ? n : 79), at);
        const int i = ob_schema_arg(schema, name);
        if (i < 0)
            return OB_FAIL(OB_ERR_PARSE, "case %s: written argument '%s' is not in the schema",
                           g->id, name);
        at += n + 1;
        ob_tolerance t = tolerance_of(g);
        t.strides = !ob_argument_is_out(&schema->args[i]);
        if (is_free_index(g, &args[i])) t.values = false;
        OB_TRY(ob_compare_value(c, g, &args[i], &at, t, &j));
        note(r, &j, name);
    }
    return OB_OK;
}

/* Mark the bytes that a tensor covers. */
static void cover(const ob_tensor *t, uint8_t *covered, size_t bytes)
{
    const int rank = ob_tensor_rank(t);
    const size_t size = ob_dtype_bytes(ob_tensor_dtype(t));
    int64_t index[OB_MAX_RANK] = { 0 };
    for (int64_t i = 0; i < ob_tensor_numel(t); i++) {
        int64_t at = ob_tensor_offset(t);
        for (int d = 0; d < rank; d++)
            at += index[d] * ob_tensor_strides(t)[d];
        if ((size_t)at * size + size <= bytes) memset(covered + (size_t)at * size, 1, size);
        for (int d = rank - 1; d >= 0 && ++index[d] == ob_tensor_sizes(t)[d]; d--)
            index[d] = 0;
    }
}

/* True when the schema marks the argument as written, or the case says what is in it afterwards. */
static bool is_written(const ob_golden *g, const ob_argument *argument)
{
    const size_t n = strlen(argument->name);
    if (ob_argument_is_write(argument)) return true;
    for (const char *at = g->after; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (!strncmp(at, argument->name, n) && at[n] == '=') return true;
    return false;
}

static void cover_written(const ob_golden *g, const ob_schema *schema, const ob_value *args,
                          const ob_storage *storage, uint8_t *covered, size_t bytes)
{
    for (int i = 0; i < schema->n_args; i++) {
        if (!is_written(g, &schema->args[i])) continue;
        for (uint32_t k = 0; args[i].tag == OB_VALUE_TENSORS && k < args[i].count; k++)
            if (args[i].u.tensors[k] && ob_tensor_storage(args[i].u.tensors[k]) == storage)
                cover(args[i].u.tensors[k], covered, bytes);
        if (args[i].tag == OB_VALUE_TENSOR && ob_tensor_storage(args[i].u.tensor) == storage)
            cover(args[i].u.tensor, covered, bytes);
    }
}

/* Every byte of every storage that no written argument covers must be as before. */
static ob_status judge_outside(const ob_corpus *c, const ob_golden *g, const ob_schema *schema,
                               const ob_golden_values *v, const ob_value *args, ob_case_result *r)
{
    size_t blob_bytes = 0;
    const uint8_t *blob = ob_corpus_blob(c, &blob_bytes);
    for (int s = 0; s < v->n_storages; s++) {
        ob_tensor *base = v->bases[s];
        const size_t bytes =
            base ? (size_t)ob_tensor_numel(base) * ob_dtype_bytes(ob_tensor_dtype(base)) : 0;
        if (bytes == 0) continue;
        uint8_t *now = malloc(bytes), *covered = calloc(bytes, 1);
        ob_status st = now && covered ? ob_tensor_read(base, now, bytes)
                                      : OB_FAIL(OB_ERR_OOM, "no memory for %zu bytes", bytes);
        if (st == OB_OK) cover_written(g, schema, args, ob_tensor_storage(base), covered, bytes);
        char text[96];
        for (size_t i = 0; i < bytes && st == OB_OK; i++)
            if (!covered[i] && now[i] != blob[v->offsets[s] + i]) {
                snprintf(text, sizeof text,
                         "byte %zu of storage %d was written, outside every output", i, s);
                fail(r, OB_OUTCOME_WRONG, "", text);
                break;
            }
        free(now);
        free(covered);
        OB_TRY(st);
    }
    return OB_OK;
}

/* "alias=o:arg:offset,...": output o is a view of the argument's storage at that offset. */
static void judge_aliases(const ob_golden *g, const ob_schema *schema, const ob_value *args,
                          const ob_value *results, int n, ob_case_result *r)
{
    char list[256];
    ob_golden_attribute(g, "alias", "", list, sizeof list);
    for (char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[80];
        int output = 0;
        long long offset = 0;
        if (sscanf(at, "%d:%79[^:]:%lld", &output, name, &offset) != 3) return;
        const int i = ob_schema_arg(schema, name);
        if (i < 0 || output >= n || args[i].tag != OB_VALUE_TENSOR ||
            results[output].tag != OB_VALUE_TENSOR)
            continue;
        const ob_tensor *arg = args[i].u.tensor, *result = results[output].u.tensor;
        if (ob_tensor_storage(arg) != ob_tensor_storage(result))
            fail(r, OB_OUTCOME_WRONG, name, "the result is no view of it");
        else if (ob_tensor_offset(result) != offset)
            fail(r, OB_OUTCOME_WRONG, name, "the view's offset differs");
    }
}

/* ---- the case
 * ------------------------------------------------------------------------------------------------------
 */

/* Whether PyTorch serves the op of case i for its dtype, by the corpus. */
static bool is_served(const ob_corpus *c, int i)
{
    const ob_golden *g = ob_corpus_case(c, i);
    for (int k = 0; k < ob_corpus_size(c); k++) {
        const ob_golden *other = ob_corpus_case(c, k);
        if (!strcmp(other->op, g->op) && !strcmp(other->bucket, g->bucket) &&
            !strcmp(other->kind, "fwd"))
            return true;
    }
    return false;
}

/* Whether a status refuses what the error of case i is about: a kernel that is not there, or is not
 * for a dtype that PyTorch serves, refuses anything. */
static bool is_refusal(const ob_corpus *c, int i, ob_status st)
{
    if (st == OB_ERR_NO_KERNEL || st == OB_ERR_NOT_FOUND) return false;
    return st != OB_ERR_UNSUPPORTED || !is_served(c, i);
}

static ob_outcome outcome_of(ob_status st)
{
    switch (st) {
    case OB_ERR_NO_KERNEL:
    case OB_ERR_NOT_FOUND:
    case OB_ERR_UNSUPPORTED:
        return OB_OUTCOME_MISSING;
    case OB_ERR_DECLINED:
    case OB_ERR_FALLBACK:
        return OB_OUTCOME_DECLINED;
    default:
        return OB_OUTCOME_ERROR;
    }
}

static ob_status judge(const ob_corpus *c, const ob_golden *g, const ob_schema *schema,
                       const ob_golden_values *v, const ob_value *args, const ob_value *results,
                       ob_case_result *r)
{
    if (!strcmp(g->kind, "err")) {
        fail(r, OB_OUTCOME_WRONG, "", "the call should have been refused");
        return OB_OK;
    }
    OB_TRY(judge_results(c, g, schema, results, r));
    OB_TRY(judge_after(c, g, schema, args, r));
    judge_aliases(g, schema, args, results, schema->n_returns, r);
    return judge_outside(c, g, schema, v, args, r);
}

static ob_status call(const ob_corpus *c, int i, const ob_op *op, ob_golden_values *v,
                      ob_case_result *r)
{
    const ob_golden *g = ob_corpus_case(c, i);
    const ob_schema *schema = ob_op_schema(op);
    ob_value args[OB_CASE_VALUES], results[OB_CASE_VALUES] = { 0 };
    if (schema->n_args > OB_CASE_VALUES || schema->n_returns > OB_CASE_VALUES) return OB_OK;
    OB_TRY(ob_golden_args(c, g, schema, v, args));
    watch w = { .result = r, .outer = op };
    const ob_call_watcher watcher = { on_enter, NULL, &w };
    ob_inspect_watch(&watcher);
    const double start = now_ns();
    ob_status st =
        ob_call(op, args, (uint32_t)schema->n_args, results, (uint32_t)schema->n_returns);
    if (st == OB_OK) st = ob_device_synchronize(v->device);
    r->ns = now_ns() - start;
    ob_inspect_watch(NULL);
    r->fell_back = fell_back(&w);
    free(w.ops);
    r->outcome = OB_OUTCOME_PASS;
    ob_status judged =
        w.out_of_memory ? OB_FAIL(OB_ERR_OOM, "case %s: no memory for a watch", g->id) : OB_OK;
    if (judged == OB_OK && st == OB_OK)
        judged = judge(c, g, schema, v, args, results, r);
    else if (strcmp(g->kind, "err") || !is_refusal(c, i, st))
        fail(r, outcome_of(st), "", ob_error_last()->message);
    for (int k = 0; k < schema->n_returns; k++)
        ob_value_reset(&results[k]);
    return judged;
}

ob_status ob_case_run(const ob_corpus *c, int i, ob_device device, ob_case_result *out)
{
    const ob_golden *g = ob_corpus_case(c, i);
    ob_golden_values *values = calloc(1, sizeof *values);
    char name[200];
    memset(out, 0, sizeof *out);
    if (!values) return OB_FAIL(OB_ERR_OOM, "case %s: no memory", g->id);
    ob_op *op = ob_op_peek(ob_golden_op_name(g, name, sizeof name));
    ob_status st = OB_OK;
    if (!op || !ob_op_schema(op))
        fail(out, OB_OUTCOME_MISSING, "", "no such op");
    else if (strcmp(
                 g->kind,
                 "grad")) { /* gradients need autograd formulas, which this version has none of */
        st = ob_golden_storages(c, g, device, values);
        if (st == OB_OK) st = call(c, i, op, values, out);
    }
    ob_golden_values_reset(values);
    free(values);
    return st;
}
