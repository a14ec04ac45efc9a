/* The matrix as one HTML file: counts on top, one line per overload, a coloured cell per dtype with
 * the details on hover. No network, readable without JavaScript; the script only filters. */
#include <stdio.h>
#include <string.h>

#include "matrix.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Operator "
    "coverage</title>\n<style>\n"
    ":root{--ink:#1c2430;--dim:#687385;--line:#e3e7ee;--paper:#fff;--pass:#2f9e62;--wrong:#d64545;-"
    "-untested:#d5dae3;"
    "--missing:#f0b8b8;--declined:#e8b93e}\n"
    "@media "
    "(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--dim:#98a2b3;--line:#2b3442;--paper:#141a22;-"
    "-untested:#3a4556}}\n"
    "body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem "
    "auto;max-width:1200px;padding:0 1rem}\n"
    "h1{font-size:1.5rem;margin:0 0 .2rem}p{color:var(--dim);margin:.2rem 0 1rem}\n"
    ".tiles{display:flex;gap:1rem;flex-wrap:wrap;margin:1rem 0}.tile{border:1px solid "
    "var(--line);border-radius:8px;padding:.6rem 1rem}"
    ".tile b{font-size:1.3rem;display:block}\n"
    ".bar{display:flex;height:10px;border-radius:5px;overflow:hidden;margin:.4rem 0 1rem}.bar "
    "i{display:block}\n"
    "table{border-collapse:collapse;width:100%}th{position:sticky;top:0;background:var(--paper);"
    "text-align:left}"
    "td,th{padding:.25rem .5rem;border-bottom:1px solid "
    "var(--line);vertical-align:top}td.op{font-family:ui-monospace,monospace;font-size:12.5px}\n"
    ".c{display:inline-block;min-width:2.6em;text-align:center;border-radius:4px;font-size:11px;"
    "margin:1px;padding:0 3px;color:#fff;"
    "background:var(--untested)}.pass{background:var(--pass)}.wrong,.error,.crash,.hang{background:"
    "var(--wrong)}"
    ".declined{background:var(--declined);color:#222}.missing{background:var(--missing);color:#222}"
    ".untested{color:var(--ink)}\n"
    ".native{background:#2f6fed}.composite{background:#7a5af0}.fallback{background:#e08a2e}\n"
    "input,select{font:inherit;padding:.3rem .5rem;border:1px solid "
    "var(--line);border-radius:6px;background:var(--paper);color:var(--ink)}\n"
    "</style></head><body>\n";

static const char script[] =
    "<script>\nconst "
    "q=document.getElementById('q'),s=document.getElementById('s'),n=document.getElementById('n');"
    "\n"
    "function f(){let k=0;for(const r of document.querySelectorAll('tbody tr')){const "
    "ok=r.dataset.op.includes(q.value.trim())"
    "&&(!s.value||r.dataset.s.split(' ').includes(s.value));r.hidden=!ok;k+=ok}n.textContent=k+' "
    "overloads'}\n"
    "q.oninput=s.onchange=f;f()\n</script>\n";

static void text(FILE *f, const char *t)
{
    for (; *t; t++) {
        if (*t == '<')
            fputs("&lt;", f);
        else if (*t == '>')
            fputs("&gt;", f);
        else if (*t == '&')
            fputs("&amp;", f);
        else if (*t == '"')
            fputs("&quot;", f);
        else
            fputc(*t, f);
    }
}

static void tiles(const ob_matrix *m, FILE *f)
{
    const char *name;
    json_t *n, *counts = json_object_get(m->summary, "declared_in_scope");
    double total = 0;
    fprintf(f, "<div class=\"tiles\">");
    json_object_foreach(counts, name, n)
    {
        total += (double)json_integer_value(n);
        fprintf(f, "<div class=\"tile\"><b>%lld</b>%s</div>", (long long)json_integer_value(n),
                name);
    }
    fprintf(
        f,
        "<div class=\"tile\"><b>%lld / %lld</b>golden cases pass</div></div>\n<div class=\"bar\">",
        (long long)json_integer_value(json_object_get(m->summary, "cases_passed")),
        (long long)json_integer_value(json_object_get(m->summary, "cases")));
    json_object_foreach(counts, name, n)
        fprintf(f, "<i class=\"%s\" style=\"width:%.2f%%\" title=\"%s: %lld\"></i>", name,
                100 * (double)json_integer_value(n) / (total > 0 ? total : 1), name,
                (long long)json_integer_value(n));
    fprintf(f, "</div>\n");
}

/* What a cell measured, as a line of a title. */
static void detail(const json_t *row, FILE *f)
{
    fprintf(f, "%s: %s, %s, %s, %s; %lld of %lld cases", ob_row_text(row, "status"),
            ob_row_text(row, "kind"), ob_row_text(row, "form"), ob_row_text(row, "layout"),
            ob_row_text(row, "provenance"),
            (long long)json_integer_value(json_object_get(row, "passed")),
            (long long)json_integer_value(json_object_get(row, "cases")));
    if (json_real_value(json_object_get(row, "max_abs_error")) > 0)
        fprintf(f, "; error %.3g, allowed %.3g",
                json_real_value(json_object_get(row, "max_abs_error")),
                json_real_value(json_object_get(row, "tolerance")));
    if (*ob_row_text(row, "message")) fputs("; ", f);
    text(f, ob_row_text(row, "message"));
    fputs("&#10;", f);
}

/* One chip per dtype, coloured by its worst cell; the cells are told on hover. Row `first` of the
 * group is the first of its dtype. */
static void chip(const json_t *group, size_t first, FILE *f)
{
    const char *dtype = ob_row_text(json_array_get(group, first), "dtype");
    const json_t *worst = NULL, *row;
    size_t i;
    json_array_foreach(group, i, row) if (!strcmp(ob_row_text(row, "dtype"), dtype))
    {
        if (i < first) return; /* has its chip */
        if (!worst || ob_row_outcome(row) > ob_row_outcome(worst)) worst = row;
    }
    fprintf(f, "<span class=\"c %s\" title=\"", ob_row_text(worst, "status"));
    json_array_foreach(group, i, row) if (!strcmp(ob_row_text(row, "dtype"), dtype)) detail(row, f);
    fprintf(f, "\">%s</span>", dtype);
}

/* Rows of each op: {"aten::add.Tensor": [row, ...]}. */
static json_t *by_op(const ob_matrix *m)
{
    json_t *groups = json_object(), *row;
    size_t i;
    json_array_foreach(m->rows, i, row)
    {
        json_t *group = json_object_get(groups, ob_row_text(row, "op"));
        if (!group) json_object_set_new(groups, ob_row_text(row, "op"), group = json_array());
        json_array_append(group, row);
    }
    return groups;
}

static void leaves(const json_t *group, FILE *f)
{
    size_t i, k;
    json_t *row, *leaf, *seen = json_object();
    json_array_foreach(group, i, row) json_array_foreach(json_object_get(row, "leaves"), k, leaf)
    {
        if (json_object_get(seen, json_string_value(leaf))) continue;
        json_object_set_new(seen, json_string_value(leaf), json_true());
        fprintf(f, "%s", json_object_size(seen) > 1 ? " " : "");
        text(f, json_string_value(leaf) + (strncmp(json_string_value(leaf), "aten::", 6) ? 0 : 6));
    }
    json_decref(seen);
}

static void op_line(const json_t *op, const json_t *group, FILE *f)
{
    size_t i;
    json_t *row;
    const char *provenance = ob_row_text(op, "provenance");
    fprintf(f, "<tr data-op=\"%s\" data-s=\"%s", ob_row_text(op, "op"), provenance);
    json_array_foreach(group, i, row) fprintf(f, " %s", ob_row_text(row, "status"));
    fprintf(f, "\"><td class=\"op\" title=\"");
    text(f, ob_row_text(op, "schema"));
    fprintf(f, "\">%s</td><td><span class=\"c %s\">%s</span></td><td>", ob_row_text(op, "op") + 6,
            provenance, provenance);
    json_array_foreach(group, i, row) if (*ob_row_text(row, "dtype")) chip(group, i, f);
    fprintf(f, "</td><td class=\"op\">");
    leaves(group, f);
    fprintf(f, "</td></tr>\n");
}

void ob_report_html(const ob_matrix *m, FILE *f)
{
    size_t i;
    json_t *op, *groups = by_op(m);
    fputs(head, f);
    fprintf(f,
            "<h1>Operator coverage on %s</h1><p>Outboard %s. %lld ATen overloads of PyTorch 2.13; "
            "the counts are those in scope.</p>\n",
            ob_row_text(m->summary, "device"), ob_row_text(m->summary, "outboard"),
            (long long)json_integer_value(json_object_get(m->summary, "overloads")));
    tiles(m, f);
    fputs("<p><input id=\"q\" placeholder=\"Search an op\"> <select id=\"s\"><option "
          "value=\"\">everything</option>",
          f);
    static const char *const filters[] = { "native", "composite", "fallback", "missing",
                                           "pass",   "wrong",     "error",    "crash",
                                           "hang",   "declined",  "untested" };
    for (size_t k = 0; k < OB_COUNT(filters); k++)
        fprintf(f, "<option>%s</option>", filters[k]);
    fputs(
        "</select> <span "
        "id=\"n\"></span></p>\n<table><thead><tr><th>overload</th><th>served</th><th>measured</th>"
        "<th>kernels it rests on</th></tr></thead><tbody>\n",
        f);
    json_array_foreach(m->ops, i, op)
        op_line(op, json_object_get(groups, ob_row_text(op, "op")), f);
    fputs("</tbody></table>\n", f);
    fputs(script, f);
    fputs("</body></html>\n", f);
    json_decref(groups);
}
