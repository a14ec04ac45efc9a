/* Families: the functional, in-place and out form of one op, found by comparing the texts of the
 * ATen table, so that starting parses no schema. Used by structured.c (families with a shape rule),
 * derived.c (forms without a kernel of their own) and the views. */
#ifndef OB_OPS_FAMILIES_H
#define OB_OPS_FAMILIES_H

#include "ops/structured/structured.h"

enum { OB_FORM_FUNCTIONAL, OB_FORM_INPLACE, OB_FORM_OUT, OB_FORMS };

typedef struct ob_family {
    char name[64]; /* "add", for messages */
    ob_rule_fn rule;
    uint32_t flags; /* OB_STRUCTURED_* */
    uint32_t n_args, n_outs;
    ob_op *primary;       /* the form that backends register for */
    ob_op *ops[OB_FORMS]; /* NULL: there is no such form */
    int rows[OB_FORMS];   /* rows of the ATen table; -1 */
} ob_family;

/* Fill in name, counts, ops and rows for the functional op of row `row`. */
void ob_family_find(int row, ob_family *out);

/* Between rows: `out` is `functional` with one trailing out per result. */
bool ob_is_out_form(int functional, int out);
/* Between rows: `inplace` is `functional` with its first argument, and no other, written to. */
bool ob_is_inplace_form(int functional, int inplace);

/* The form that backends register for: the out form where ATen is structured, else the one that is
 * native in the order functional, out, in-place, else the functional one. */
int ob_family_primary(const ob_family *family);

#endif
