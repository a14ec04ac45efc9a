/* Cells, counts and files of the matrix (see matrix.h). A cell's status is its worst case's. */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

static ob_status build(json_t *root, ob_matrix *out)
{
    *out = (ob_matrix){ .root = root,
                        .summary = json_object_get(root, "summary"),
                        .ops = json_object_get(root, "ops"),
                        .rows = json_object_get(root, "rows"),
                        .cells = json_object() };
    if (json_is_object(out->summary) && json_is_array(out->ops) && json_is_array(out->rows) &&
        out->cells)
        return OB_OK;
    ob_matrix_reset(out);
    return OB_FAIL(OB_ERR_PARSE, "not a coverage matrix: 'summary', 'ops' and 'rows' are needed");
}

ob_status ob_matrix_create(ob_device device, ob_matrix *out)
{
    char name[64];
    return build(json_pack("{s:{s:s, s:s}, s:[], s:[]}", "summary", "outboard", ob_version(),
                           "device", ob_device_format(device, name, sizeof name), "ops", "rows"),
                 out);
}

static void key_of(const json_t *row, char *key, size_t bytes)
{
    snprintf(key, bytes, "%s|%s|%s|%s|%s", ob_row_text(row, "op"), ob_row_text(row, "dtype"),
             ob_row_text(row, "kind"), ob_row_text(row, "form"), ob_row_text(row, "layout"));
}

ob_status ob_matrix_load(const char *path, ob_matrix *out)
{
    json_error_t error;
    char key[512];
    size_t i;
    json_t *row;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    *out = (ob_matrix){ 0 };
    if (!root) return OB_FAIL(OB_ERR_PARSE, "%s:%d: %s", path, error.line, error.text);
    const ob_status st = build(root, out);
    if (st != OB_OK) return ob_error_prefix(st, "%s", path);
    json_array_foreach(out->rows, i, row)
    {
        key_of(row, key, sizeof key);
        json_object_set(out->cells, key, row);
    }
    return OB_OK;
}

void ob_matrix_reset(ob_matrix *m)
{
    json_decref(m->root);
    json_decref(m->cells);
    *m = (ob_matrix){ 0 };
}

const char *ob_row_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

/* ---- declared
 * ----------------------------------------------------------------------------------------------------
 */

static const char *class_name(ob_aten_class c)
{
    static const char *const names[] = {
#define OB_X(name, text) text,
        OB_ATEN_CLASS_LIST(OB_X)
#undef OB_X
    };
    return names[c];
}

static const char *family_name(ob_aten_family f)
{
    static const char *const names[] = {
#define OB_X(name) #name,
        OB_ATEN_FAMILY_LIST(OB_X)
#undef OB_X
    };
    return names[f];
}

void ob_matrix_declare(ob_matrix *m, const ob_aten_row *row, const ob_op *op, ob_device device)
{
    ob_entry e = { .debug = "" };
    if (ob_inspect_entry(op, ob_key_of(OB_KEY_Dense, (ob_backend)device.backend), &e) != OB_OK)
        ob_error_clear();
    json_array_append_new(
        m->ops,
        json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:s}", "op", ob_op_name(op), "schema",
                  row->schema, "class", class_name(row->klass), "family", family_name(row->family),
                  "in_scope", ob_aten_in_scope(row->family), "provenance",
                  ob_served_name(ob_inspect_served(op, device)), "kernel", e.debug ? e.debug : ""));
}

/* ---- measured
 * ----------------------------------------------------------------------------------------------------
 */

ob_outcome ob_row_outcome(const json_t *row)
{
    for (int o = 0; o < OB_OUTCOME_LIMIT; o++)
        if (!strcmp(ob_row_text(row, "status"), ob_outcome_name((ob_outcome)o)))
            return (ob_outcome)o;
    return OB_OUTCOME_SKIPPED;
}

static json_t *new_cell(const ob_golden *g, ob_device device)
{
    char name[200];
    const ob_op *op = ob_op_peek(ob_golden_op_name(g, name, sizeof name));
    const ob_schema *schema = op ? ob_op_schema(op) : NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:s, s:i, s:i, s:f, s:f, s:f, s:s}",
                     "op", name, "dtype", g->bucket, "kind", g->kind, "form",
                     schema ? ob_case_form(schema) : "functional", "layout", ob_case_layout(g),
                     "provenance",
                     schema ? ob_served_name(ob_inspect_served(op, device)) : "missing", "leaves",
                     "status", ob_outcome_name(OB_OUTCOME_SKIPPED), "cases", 0, "passed", 0,
                     "max_abs_error", 0.0, "tolerance", 0.0, "ns", 0.0, "message", "");
}

static void add_leaves(json_t *cell, const char *leaves)
{
    json_t *list = json_object_get(cell, "leaves");
    while (*leaves) {
        const size_t n = strcspn(leaves, " ");
        size_t i;
        json_t *known;
        bool found = false;
        json_array_foreach(list, i, known) found |=
            strlen(json_string_value(known)) == n && !strncmp(json_string_value(known), leaves, n);
        if (!found) json_array_append_new(list, json_stringn(leaves, n));
        leaves += n + (leaves[n] == ' ');
    }
}

static void add_number(json_t *cell, const char *key, json_int_t n)
{
    json_object_set_new(cell, key,
                        json_integer(json_integer_value(json_object_get(cell, key)) + n));
}

void ob_matrix_add(ob_matrix *m, const ob_golden *g, ob_device device, const ob_case_result *result)
{
    char key[512];
    json_t *fresh = new_cell(g, device);
    key_of(fresh, key, sizeof key);
    json_t *cell = json_object_get(m->cells, key);
    if (!cell) {
        cell = fresh;
        json_array_append(m->rows, fresh);
        json_object_set(m->cells, key, fresh);
    }
    add_number(cell, "cases", 1);
    add_number(cell, "passed", result->outcome == OB_OUTCOME_PASS);
    if (result->outcome > ob_row_outcome(cell)) {
        json_object_set_new(cell, "status", json_string(ob_outcome_name(result->outcome)));
        json_object_set_new(cell, "message",
                            *result->message
                                ? json_pack("s+++", "case ", g->id, ": ", result->message)
                                : json_string(""));
    }
    if (result->fell_back && result->outcome != OB_OUTCOME_MISSING) /* the CPU had a kernel */
        json_object_set_new(cell, "provenance", json_string(ob_served_name(OB_SERVED_FALLBACK)));
    if (result->worst > json_real_value(json_object_get(cell, "max_abs_error"))) {
        json_object_set_new(cell, "max_abs_error", json_real(result->worst));
        json_object_set_new(cell, "tolerance", json_real(result->allowed));
    }
    json_object_set_new(cell, "ns",
                        json_real(json_real_value(json_object_get(cell, "ns")) + result->ns));
    add_leaves(cell, result->leaves);
    json_decref(fresh);
}

void ob_matrix_merge(ob_matrix *m, const ob_matrix *other)
{
    size_t i;
    json_t *row;
    char key[512];
    if (json_array_size(m->ops) == 0) json_array_extend(m->ops, other->ops);
    json_array_foreach(other->rows, i, row)
    {
        key_of(row, key, sizeof key);
        const json_t *known = json_object_get(m->cells, key);
        if (known && ob_row_outcome(known) >= ob_row_outcome(row)) continue;
        if (known)
            json_object_update((json_t *)(uintptr_t)known, row);
        else {
            json_array_append(m->rows, row);
            json_object_set(m->cells, key, row);
        }
    }
}

/* ---- counts
 * ------------------------------------------------------------------------------------------------------
 */

static void count(json_t *counts, const char *name)
{
    json_object_set_new(counts, name,
                        json_integer(json_integer_value(json_object_get(counts, name)) + 1));
}

/* Counts of 0 of how ops are served, or of how cells ended: reports show them in this order. */
static json_t *counts_of_served(void)
{
    json_t *counts = json_object();
    for (int s = OB_SERVED_NATIVE; s >= OB_SERVED_MISSING; s--)
        json_object_set_new(counts, ob_served_name((ob_served)s), json_integer(0));
    return counts;
}

static json_t *counts_of_outcomes(void)
{
    json_t *counts = json_object();
    for (int o = OB_OUTCOME_PASS; o < OB_OUTCOME_LIMIT; o++)
        json_object_set_new(counts, ob_outcome_name((ob_outcome)o), json_integer(0));
    json_object_set_new(counts, ob_outcome_name(OB_OUTCOME_SKIPPED), json_integer(0));
    return counts;
}

/* Put counts into the summary, but for those of 0. */
static void summarise(ob_matrix *m, const char *name, json_t *counts)
{
    void *next = NULL;
    for (void *at = json_object_iter(counts); at; at = next) {
        next = json_object_iter_next(counts, at);
        if (json_integer_value(json_object_iter_value(at)) == 0)
            json_object_del(counts, json_object_iter_key(at));
    }
    json_object_set_new(m->summary, name, counts);
}

/* One row for each overload that no case touched: untested is never a pass. */
static void add_untested(ob_matrix *m)
{
    json_t *touched = json_object(), *row, *op;
    size_t i;
    json_array_foreach(m->rows, i, row)
        json_object_set_new(touched, ob_row_text(row, "op"), json_true());
    json_array_foreach(m->ops, i, op)
    {
        if (json_object_get(touched, ob_row_text(op, "op"))) continue;
        const char *provenance = ob_row_text(op, "provenance");
        const bool missing = !strcmp(provenance, ob_served_name(OB_SERVED_MISSING));
        json_array_append_new(m->rows,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:s, s:i, s:i, s:s}",
                                        "op", ob_row_text(op, "op"), "dtype", "", "kind", "fwd",
                                        "form", "", "layout", "", "provenance", provenance,
                                        "leaves", "status", missing ? "missing" : "untested",
                                        "cases", 0, "passed", 0, "message", ""));
    }
    json_decref(touched);
}

void ob_matrix_finish(ob_matrix *m)
{
    json_t *declared = counts_of_served(), *in_scope = counts_of_served(),
           *measured = counts_of_served(), *cells = counts_of_outcomes(), *row;
    size_t i;
    add_untested(m);
    json_array_foreach(m->ops, i, row)
    {
        count(declared, ob_row_text(row, "provenance"));
        if (json_is_true(json_object_get(row, "in_scope")))
            count(in_scope, ob_row_text(row, "provenance"));
    }
    json_int_t cases = 0, passed = 0;
    json_array_foreach(m->rows, i, row)
    {
        count(cells, ob_row_text(row, "status"));
        if (*ob_row_text(row, "dtype")) count(measured, ob_row_text(row, "provenance"));
        cases += json_integer_value(json_object_get(row, "cases"));
        passed += json_integer_value(json_object_get(row, "passed"));
    }
    json_object_set_new(m->summary, "overloads", json_integer((json_int_t)json_array_size(m->ops)));
    summarise(m, "declared", declared);
    summarise(m, "declared_in_scope", in_scope);
    summarise(m, "cells", cells);
    summarise(m, "cells_by_provenance", measured);
    json_object_set_new(m->summary, "cases", json_integer(cases));
    json_object_set_new(m->summary, "cases_passed", json_integer(passed));
}

int ob_matrix_failures(const ob_matrix *m)
{
    int n = 0;
    size_t i;
    json_t *row;
    json_array_foreach(m->rows, i, row) n += ob_row_outcome(row) >= OB_OUTCOME_WRONG;
    return n;
}

int ob_matrix_regressions(const ob_matrix *m, const ob_matrix *old)
{
    int n = 0;
    const char *key;
    json_t *row;
    json_object_foreach(old->cells, key, row)
    {
        const json_t *now = json_object_get(m->cells, key);
        if (ob_row_outcome(row) != OB_OUTCOME_PASS || !now ||
            ob_row_outcome(now) == OB_OUTCOME_PASS)
            continue;
        fprintf(stderr, "worse than the baseline: %s %s %s: %s %s\n", ob_row_text(now, "op"),
                ob_row_text(now, "dtype"), ob_row_text(now, "layout"), ob_row_text(now, "status"),
                ob_row_text(now, "message"));
        n++;
    }
    return n;
}

/* ---- output
 * ------------------------------------------------------------------------------------------------------
 */

static void write_json(const ob_matrix *m, FILE *f)
{
    json_dumpf(m->root, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    fputc('\n', f);
}

ob_status ob_matrix_write(const ob_matrix *m, const char *path)
{
    static const struct {
        const char *ending;
        void (*write)(const ob_matrix *m, FILE *f);
    } formats[] = { { ".json", write_json },
                    { ".html", ob_report_html },
                    { ".csv", ob_report_csv },
                    { ".md", ob_report_markdown },
                    { ".xml", ob_report_junit } };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < OB_COUNT(formats); i++) {
        if (strcmp(ending, formats[i].ending) != 0) continue;
        FILE *f = fopen(path, "w");
        if (!f) return OB_FAIL(OB_ERR_IO, "%s: cannot be written", path);
        formats[i].write(m, f);
        const bool failed = ferror(f) != 0;
        return fclose(f) != 0 || failed ? OB_FAIL(OB_ERR_IO, "%s: cannot be written", path) : OB_OK;
    }
    return OB_FAIL(OB_ERR_ARG, "%s: a report ends in .json, .html, .csv, .md or .xml", path);
}

static void print_counts(const char *label, const json_t *counts)
{
    const char *name;
    json_t *n;
    printf("%-22s", label);
    json_object_foreach((json_t *)(uintptr_t)counts, name, n)
        printf("  %s %lld", name, (long long)json_integer_value(n));
    putchar('\n');
}

void ob_matrix_print(const ob_matrix *m)
{
    enum { SHOWN = 3 };
    int shown = 0;
    size_t i;
    json_t *row;
    printf("%lld overloads on %s\n",
           (long long)json_integer_value(json_object_get(m->summary, "overloads")),
           ob_row_text(m->summary, "device"));
    print_counts("served (all)", json_object_get(m->summary, "declared"));
    print_counts("served (in scope)", json_object_get(m->summary, "declared_in_scope"));
    print_counts("cells (dtype x layout)", json_object_get(m->summary, "cells"));
    print_counts("measured cells ran", json_object_get(m->summary, "cells_by_provenance"));
    printf("%lld of %lld golden cases pass\n",
           (long long)json_integer_value(json_object_get(m->summary, "cases_passed")),
           (long long)json_integer_value(json_object_get(m->summary, "cases")));
    json_array_foreach(m->rows, i, row)
    {
        if (ob_row_outcome(row) < OB_OUTCOME_WRONG || shown++ >= SHOWN) continue;
        printf("%s %s %s %s: %s: %s\n", ob_row_text(row, "status"), ob_row_text(row, "op"),
               ob_row_text(row, "dtype"), ob_row_text(row, "layout"), ob_row_text(row, "kind"),
               ob_row_text(row, "message"));
    }
    if (shown > SHOWN) printf("and %d more cells that fail\n", shown - SHOWN);
}
