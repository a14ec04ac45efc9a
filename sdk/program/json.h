/* Reading an archive's JSON with errors that say where. jansson parses; every access below checks
 * the type. */
#ifndef OB_PROGRAM_JSON_H
#define OB_PROGRAM_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ob/value.h"

/* Where the reader is, for messages: "file: entry: where". */
typedef struct ob_reader {
    const char *path, *entry; /* borrowed */
    char where[160];
} ob_reader;

/* Say what is being read, e.g. ob_reader_at(r, "node %d (%s)", i, target). */
void ob_reader_at(ob_reader *r, const char *fmt, ...) OB_PRINTF(2, 3);
/* Fail with the place in front; returns `st`. */
ob_status ob_reader_fail(const ob_reader *r, ob_status st, const char *fmt, ...) OB_PRINTF(3, 4);

/* Parse a whole text [owned: json_decref()]: duplicate keys and trailing text are errors. */
ob_status ob_json_parse(ob_reader *r, const char *text, size_t bytes, json_t **out) OB_MUST_USE;

/* Members of an object [borrowed]; OB_ERR_PARSE names the key and what was found. */
ob_status ob_json_object(const ob_reader *r, const json_t *parent, const char *key,
                         json_t **out) OB_MUST_USE;
ob_status ob_json_array(const ob_reader *r, const json_t *parent, const char *key,
                        json_t **out) OB_MUST_USE;
ob_status ob_json_string(const ob_reader *r, const json_t *parent, const char *key,
                         const char **out) OB_MUST_USE;
ob_status ob_json_int(const ob_reader *r, const json_t *parent, const char *key,
                      int64_t *out) OB_MUST_USE;

/* A union: an object with exactly one key. */
ob_status ob_json_union(const ob_reader *r, const json_t *object, const char **tag,
                        json_t **value) OB_MUST_USE;

/* A value itself. A number may be the words "Infinity", "-Infinity", "NaN". */
ob_status ob_json_to_int(const ob_reader *r, const json_t *value, int64_t *out) OB_MUST_USE;
ob_status ob_json_to_double(const ob_reader *r, const json_t *value, double *out) OB_MUST_USE;
ob_status ob_json_to_bool(const ob_reader *r, const json_t *value, bool *out) OB_MUST_USE;

/* Enumerations of the export schema (not c10's numbers). OB_ERR_UNSUPPORTED for a dtype that
 * Outboard lacks. */
ob_status ob_json_dtype(const ob_reader *r, int64_t number, ob_dtype *out) OB_MUST_USE;
ob_status ob_json_memory_format(const ob_reader *r, int64_t number,
                                ob_memory_format *out) OB_MUST_USE;
ob_status ob_json_layout(const ob_reader *r, int64_t number, ob_layout *out) OB_MUST_USE;

#endif
