/* Comparing a device tensor with a golden one, by the case's comparison mode. */
#ifndef OB_COVERAGE_COMPARE_H
#define OB_COVERAGE_COMPARE_H

#include "golden.h"

typedef struct ob_judgement {
    bool ok;
    double worst, allowed; /* at the worst element */
    char message[256];
} ob_judgement;

typedef struct ob_tolerance {
    double rtol, atol;
    bool values;  /* false: only dtype and sizes */
    bool strides; /* true: the strides of a tensor must be equal, too */
} ob_tolerance;

/* Compare `got` with the token `want` (T..., or a scalar token when `got` is a number). */
ob_status ob_compare_value(const ob_corpus *c, const ob_golden *g, const ob_value *got,
                           const char **want, ob_tolerance tolerance,
                           ob_judgement *out) OB_MUST_USE;

#endif
