/* The closed list of functions that a symbolic size may call. */
#ifndef OB_PROGRAM_EXPR_HEADS_H
#define OB_PROGRAM_EXPR_HEADS_H

#include <stdbool.h>
#include <stdint.h>

#include "ob/status.h"

enum { OB_EXPR_MAX_ARGS = 64 };

/* A number that is whole unless `is_float`. */
typedef struct ob_number {
    bool is_float;
    int64_t i;
    double d;
} ob_number;

typedef struct ob_expr_head {
    const char *name; /* sympy's or torch's, or the operator of an infix key */
    int least, most;  /* number of arguments */
    ob_status (*call)(const ob_number *args, int n, ob_number *out);
} ob_expr_head;

/* NULL for a name that is not on the list. */
const ob_expr_head *ob_expr_head_find(const char *name);

double ob_number_real(ob_number v);
/* The number as an int; OB_ERR_SHAPE when it is not whole or too large. */
ob_status ob_number_int(ob_number v, int64_t *out) OB_MUST_USE;

#endif
