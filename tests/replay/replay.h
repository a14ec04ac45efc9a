/* What the kinds of replay share: the lines of a recorded file, and the count of what agreed. */
#ifndef OB_REPLAY_H
#define OB_REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "ob/backend.h"
#include "ob/inspect.h"
#include "ob/library.h"

typedef struct replay {
    int passed, failed, skipped;
    int shown; /* failures printed so far; only the first ones are */
    size_t line;
    ob_device device; /* where `cases` run */
} replay;

/* Count one check that agreed, or one that did not, with expected and found. */
void replay_pass(replay *r);
void replay_fail(replay *r, const char *fmt, ...) OB_PRINTF(2, 3);

/* Read a file of JSON lines, plain or zstd-compressed (its name ends in .zst), and call `each` for
 * every line; false, after saying why, when it cannot be read. */
bool replay_each_line(replay *r, const char *path,
                      void (*each)(replay *r, void *user, const json_t *line), void *user);

/* The kinds. False when the file cannot be read. */
bool replay_tables(replay *r, const char *path);
bool replay_calls(replay *r, const char *path);
bool replay_schemas(replay *r, const char *path);
bool replay_cases(replay *r, const char *path);

/* Member `name` of an object as text; "" when there is none. */
const char *replay_text(const json_t *object, const char *name);

#endif
