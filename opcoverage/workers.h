/* Worker processes that run cases: a crash or a hang costs one case, not the run. */
#ifndef OB_COVERAGE_WORKERS_H
#define OB_COVERAGE_WORKERS_H

#include "case_run.h"

typedef struct ob_work {
    const ob_corpus *corpus;
    const char *goldens, *device; /* as on the command line */
    const int *cases;             /* numbers to run */
    int n_cases, jobs;
    bool strict;
    double limit_s; /* of one case */
    double total_s; /* after so long no case is begun any more; 0: no limit */
    void (*done)(void *user, int case_number,
                 const ob_case_result *result); /* in the parent, one after the other */
    void *user;
} ob_work;

/* Run the cases. *begun: how many of them, less than all only when the time was up. OB_ERR_IO when
 * no worker can be started. */
ob_status ob_workers_run(const ob_work *work, int *begun) OB_MUST_USE;

/* The worker's side: read case numbers from stdin, write results to stdout, until the end of input.
 */
ob_status ob_worker_main(const ob_corpus *corpus, ob_device device) OB_MUST_USE;

#endif
