/* CSV, Markdown and JUnit views of the matrix. */
#include <stdio.h>
#include <string.h>

#include "matrix.h"

/* ---- CSV
 * ---------------------------------------------------------------------------------------------------------
 */

static void csv_field(FILE *f, const char *text, char end)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    fprintf(f, "\"%c", end);
}

void ob_report_csv(const ob_matrix *m, FILE *f)
{
    static const char *const columns[] = { "op",     "dtype",      "kind",  "form",
                                           "layout", "provenance", "status" };
    size_t i;
    json_t *row;
    for (size_t k = 0; k < OB_COUNT(columns); k++)
        fprintf(f, "%s,", columns[k]);
    fprintf(f, "cases,passed,max_abs_error,tolerance,message\n");
    json_array_foreach(m->rows, i, row)
    {
        for (size_t k = 0; k < OB_COUNT(columns); k++)
            csv_field(f, ob_row_text(row, columns[k]), ',');
        fprintf(f, "%lld,%lld,%.6g,%.6g,",
                (long long)json_integer_value(json_object_get(row, "cases")),
                (long long)json_integer_value(json_object_get(row, "passed")),
                json_real_value(json_object_get(row, "max_abs_error")),
                json_real_value(json_object_get(row, "tolerance")));
        csv_field(f, ob_row_text(row, "message"), '\n');
    }
}

/* ---- Markdown
 * ----------------------------------------------------------------------------------------------------
 */

static void markdown_counts(FILE *f, const char *label, const json_t *counts)
{
    const char *name;
    json_t *n;
    json_object_foreach((json_t *)(uintptr_t)counts, name, n)
        fprintf(f, "| %s | %s | %lld |\n", label, name, (long long)json_integer_value(n));
}

void ob_report_markdown(const ob_matrix *m, FILE *f)
{
    size_t i;
    json_t *row;
    fprintf(f,
            "# Coverage of %s\n\nOutboard %s; %lld of %lld golden cases pass.\n\n| what | kind | "
            "count |\n|---|---|---:|\n",
            ob_row_text(m->summary, "device"), ob_row_text(m->summary, "outboard"),
            (long long)json_integer_value(json_object_get(m->summary, "cases_passed")),
            (long long)json_integer_value(json_object_get(m->summary, "cases")));
    markdown_counts(f, "overloads in scope", json_object_get(m->summary, "declared_in_scope"));
    markdown_counts(f, "cells", json_object_get(m->summary, "cells"));
    fprintf(f, "\n| op | dtype | form | layout | served | status | message "
               "|\n|---|---|---|---|---|---|---|\n");
    json_array_foreach(m->rows, i, row)
    {
        if (!strcmp(ob_row_text(row, "status"), "pass") || !*ob_row_text(row, "dtype")) continue;
        fprintf(f, "| %s | %s | %s | %s | %s | %s | %s |\n", ob_row_text(row, "op"),
                ob_row_text(row, "dtype"), ob_row_text(row, "form"), ob_row_text(row, "layout"),
                ob_row_text(row, "provenance"), ob_row_text(row, "status"),
                ob_row_text(row, "message"));
    }
}

/* ---- JUnit
 * -------------------------------------------------------------------------------------------------------
 */

static void xml_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '&':
            fputs("&amp;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default:
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, f);
            break;
        }
    }
}

void ob_report_junit(const ob_matrix *m, FILE *f)
{
    size_t i;
    json_t *row;
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"coverage %s\" "
            "tests=\"%zu\" failures=\"%d\">\n",
            ob_row_text(m->summary, "device"), json_array_size(m->rows), ob_matrix_failures(m));
    json_array_foreach(m->rows, i, row)
    {
        const char *status = ob_row_text(row, "status");
        fprintf(f, " <testcase classname=\"");
        xml_text(f, ob_row_text(row, "op"));
        fprintf(f, "\" name=\"%s %s %s %s\">", ob_row_text(row, "dtype"), ob_row_text(row, "kind"),
                ob_row_text(row, "form"), ob_row_text(row, "layout"));
        const bool ran = !strcmp(status, "pass"), skipped = !strcmp(status, "untested") ||
                                                            !strcmp(status, "missing") ||
                                                            !strcmp(status, "declined");
        if (!ran) {
            fprintf(f, "<%s message=\"%s: ", skipped ? "skipped" : "failure", status);
            xml_text(f, ob_row_text(row, "message"));
            fprintf(f, "\"/>");
        }
        fprintf(f, "</testcase>\n");
    }
    fprintf(f, "</testsuite>\n");
}
