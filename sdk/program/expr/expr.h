/* Symbolic sizes: the printed sympy trees of an archive ("Add(Symbol('s0', integer=True),
 * Integer(1))") and the infix keys of its range constraints ("2*s77 - 1"), parsed into one tree
 * over a closed list of heads, and evaluated in checked 64-bit arithmetic. */
#ifndef OB_PROGRAM_EXPR_H
#define OB_PROGRAM_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "ob/status.h"

typedef struct ob_expr ob_expr;

/* Symbols of a program: names, and values once bound. */
typedef struct ob_symbols {
    char **names; /* owned */
    int64_t *values;
    bool *bound;
    int n, capacity;
} ob_symbols;

void ob_symbols_reset(ob_symbols *symbols);
void ob_symbols_unbind(ob_symbols *symbols);
/* Index of a symbol; -1 when it is not there. */
int ob_symbols_find(const ob_symbols *symbols, const char *name);

/* Parse [owned]; unknown symbols are added to `symbols`. OB_ERR_PARSE shows the text and the place.
 */
ob_status ob_expr_parse(const char *text, ob_symbols *symbols, ob_expr **out) OB_MUST_USE;
void ob_expr_free(ob_expr *e);

/* Value of an expression; floats in between are doubles, the result is cut to an int only if it is
 * whole. OB_ERR_STATE for an unbound symbol, OB_ERR_SHAPE for division by zero or overflow. */
ob_status ob_expr_eval(const ob_expr *e, const ob_symbols *symbols, int64_t *out) OB_MUST_USE;

/* Symbol index if the expression is just one symbol, else -1. */
int ob_expr_symbol(const ob_expr *e);
/* True, with the value, if it is a constant. */
bool ob_expr_constant(const ob_expr *e, int64_t *out);

/* Solve a*s + b = value for the one unbound symbol of a linear expression and bind it; false when
 * it is not of that form or has no whole solution. */
bool ob_expr_solve(const ob_expr *e, ob_symbols *symbols, int64_t value);

#endif
