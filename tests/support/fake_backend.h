/* A device in host memory that core takes for a foreign one (xla): counts its calls, fails on
 * demand, and hands out buffers that are no host pointers. For tests that link libob's parts. */
#ifndef OB_TESTS_SUPPORT_FAKE_BACKEND_H
#define OB_TESTS_SUPPORT_FAKE_BACKEND_H

#include "ob/backend.h"

OB_BEGIN_DECLS

struct fake_counts {
    int allocs, frees, writes, reads, copies;
    int fail_writes, fail_reads, fail_copies, fail_allocs; /* set: such calls fail */
};

/* Counts since the last fake_backend_install(). */
extern struct fake_counts fake_counts;

/* Make this the backend of every device that core does not serve itself, and zero the counts. */
void fake_backend_install(void);

OB_END_DECLS
#endif
