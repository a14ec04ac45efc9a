/* A Chrome trace of a program's run: one track of ops on the host, one of kernels on the device. */
#ifndef OB_CLI_TRACE_H
#define OB_CLI_TRACE_H

#include "ob/program.h"

typedef struct ob_trace ob_trace;

/* Start watching [owned: ob_trace_finish()]. Without the backend's profile there are host times
 * only. */
ob_status ob_trace_start(ob_program *program, ob_device device, ob_trace **out) OB_MUST_USE;
/* Stop, write `path`, print where the time went to stderr, and free the trace, also on failure. */
ob_status ob_trace_finish(ob_trace *trace, const char *path) OB_MUST_USE;

#endif
