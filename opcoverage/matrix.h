/* The matrix as JSON: {"summary": {...}, "ops": [declared, one per overload], "rows": [measured
 * cells]}. */
#ifndef OB_COVERAGE_MATRIX_H
#define OB_COVERAGE_MATRIX_H

#include <jansson.h>

#include "case_run.h"

typedef struct ob_matrix {
    json_t *root, *summary, *ops, *rows; /* root is owned; the others are borrowed from it */
    json_t *cells;                       /* owned: key of a cell -> its row */
} ob_matrix;

/* A new matrix of a device. */
ob_status ob_matrix_create(ob_device device, ob_matrix *out) OB_MUST_USE;
/* Read one that was written before. */
ob_status ob_matrix_load(const char *path, ob_matrix *out) OB_MUST_USE;
void ob_matrix_reset(ob_matrix *m);

/* Add the declared half of an overload. */
void ob_matrix_declare(ob_matrix *m, const ob_aten_row *row, const ob_op *op, ob_device device);
/* Add a case's result to its cell. */
void ob_matrix_add(ob_matrix *m, const ob_golden *g, ob_device device,
                   const ob_case_result *result);
/* Add the cells and declarations of another matrix. */
void ob_matrix_merge(ob_matrix *m, const ob_matrix *other);
/* Give declared overloads without a cell one that says untested or missing, and count everything.
 */
void ob_matrix_finish(ob_matrix *m);

/* Cells that are wrong, an error, a crash or a hang. */
int ob_matrix_failures(const ob_matrix *m);
/* Cells that passed in `old` and do not pass now; prints each to stderr. */
int ob_matrix_regressions(const ob_matrix *m, const ob_matrix *old);

/* Write by the file name's ending: .json .html .csv .md .xml. */
ob_status ob_matrix_write(const ob_matrix *m, const char *path) OB_MUST_USE;
/* Ten lines for a terminal. */
void ob_matrix_print(const ob_matrix *m);

/* How a row ended, read back from its "status". */
ob_outcome ob_row_outcome(const json_t *row);
/* Text member of a row [borrowed]; "" when it is not there. */
const char *ob_row_text(const json_t *row, const char *key);

/* Views of the matrix, to an open file. */
void ob_report_html(const ob_matrix *m, FILE *f);
void ob_report_csv(const ob_matrix *m, FILE *f);
void ob_report_markdown(const ob_matrix *m, FILE *f);
void ob_report_junit(const ob_matrix *m, FILE *f);

#endif
