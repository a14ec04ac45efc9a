/* CPU kernels of the reductions: three functions per row and wide type. */
#ifndef OB_CPU_REDUCE_REDUCE_H
#define OB_CPU_REDUCE_REDUCE_H

#include "cpu/walk/elements.h"
#include "ops/rules/reduce_table.h"

/* An accumulator, and what a row may name beside it. */
typedef struct ob_red_state {
    union {
        int64_t i;
        double d;
        double _Complex c;
    } acc, m;
    double a, n;   /* the parameter; elements to reduce */
    int64_t index; /* of the element that won: OB_RED_INDEX */
} ob_red_state;

typedef struct ob_red_row {
    void (*start)(ob_red_state *s);
    /* Take in n dense elements of the wide type; the first is number `from`. */
    void (*step)(ob_red_state *s, const void *xs, int64_t n, int64_t from);
    /* The result as one element of the wide type. */
    void (*finish)(const ob_red_state *s, void *out);
} ob_red_row;

/* By op; NULL functions where the kind has no formula. */
extern const ob_red_row ob_red_int_rows[OB_RED_OPS], ob_red_float_rows[OB_RED_OPS],
    ob_red_double_rows[OB_RED_OPS], ob_red_complex_rows[OB_RED_OPS];
/* acc.d: the greatest real part. It has no result of its own. */
extern const ob_red_row ob_red_complex_most;

#endif
