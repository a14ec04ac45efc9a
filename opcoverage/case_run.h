/* Running one golden case on a device and judging what came back. */
#ifndef OB_COVERAGE_CASE_RUN_H
#define OB_COVERAGE_CASE_RUN_H

#include "golden.h"

/* How a case ended; worse ones later. X(name, word) */
#define OB_OUTCOME_LIST(X)  \
    X(SKIPPED, "untested")  \
    X(PASS, "pass")         \
    X(DECLINED, "declined") \
    X(MISSING, "missing") X(WRONG, "wrong") X(ERROR, "error") X(CRASH, "crash") X(HANG, "hang")

typedef enum ob_outcome {
#define OB_X(name, text) OB_OUTCOME_##name,
    OB_OUTCOME_LIST(OB_X)
#undef OB_X
        OB_OUTCOME_LIMIT
} ob_outcome;

const char *ob_outcome_name(ob_outcome o);

typedef struct ob_case_result {
    ob_outcome outcome;
    bool fell_back;        /* some op of it ran on the CPU fallback */
    double worst, allowed; /* largest absolute difference, and what was allowed there */
    double ns;             /* of the call and its waiting */
    char leaves[512];      /* native ops that it ran, space-separated */
    char message[512];     /* first thing that was wrong */
} ob_case_result;

/* Run case i. An outcome is always given; an error status only when the corpus itself is broken. */
ob_status ob_case_run(const ob_corpus *c, int i, ob_device device, ob_case_result *out) OB_MUST_USE;

/* "functional", "inplace" or "out", by the op's schema. */
const char *ob_case_form(const ob_schema *schema);
/* Layout profile of the first tensor argument: contiguous transposed gaps expanded 0-d empty none.
 */
const char *ob_case_layout(const ob_golden *g);

#endif
