/* What the sub-commands of `ob` share. Thin on purpose: everything they show comes from libob's
 * public headers. */
#ifndef OB_CLI_H
#define OB_CLI_H

#include <argp.h>
#include <jansson.h>
#include <stdio.h>

#include "ob/backend.h"
#include "ob/inspect.h"
#include "ob/program.h"
#include "ob/scope.h"

enum { OB_EXIT_OK = 0, OB_EXIT_FAILED = 1, OB_EXIT_USAGE = 2 };

/* A sub-command: runs with argv[0] = its name, returns the exit status. */
typedef struct ob_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} ob_command;

int ob_cmd_devices(int argc, char **argv);
int ob_cmd_doctor(int argc, char **argv);
int ob_cmd_run(int argc, char **argv);
int ob_cmd_explain(int argc, char **argv);
int ob_cmd_preflight(int argc, char **argv);

/* Print this thread's error to stderr as the user should see it; returns OB_EXIT_FAILED. */
int ob_cli_error(const char *command);
/* Print a JSON object to stdout and free it; returns OB_EXIT_OK. */
int ob_cli_json(json_t *root);
/* Load the packages, then parse `text`; NULL: the first OpenCL device, or the CPU when there is
 * none. */
ob_status ob_cli_device(const char *text, ob_device *out) OB_MUST_USE;

/* A progress bar on a terminal for work that takes longer than a second; silent elsewhere. */
typedef struct ob_progress {
    const char *label;
    int64_t total;
    double started, shown; /* seconds */
} ob_progress;
void ob_progress_start(ob_progress *p, const char *label, int64_t total);
void ob_progress_update(ob_progress *p, int64_t done);
void ob_progress_end(ob_progress *p);

/* Seconds of a clock that never goes back. */
double ob_cli_now(void);

#endif
