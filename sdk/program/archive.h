/* The container of a .pt2: a zip whose every byte is hostile. Entries are read into memory by name;
 * nothing is ever written to disk or unpickled. libzip reads the format; this file decides what is
 * acceptable. */
#ifndef OB_PROGRAM_ARCHIVE_H
#define OB_PROGRAM_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "ob/status.h"

typedef struct ob_archive ob_archive;

/* Open and check the container: names, duplicates, methods, sizes, archive_format and
 * archive_version [owned]. OB_ERR_IO, OB_ERR_PARSE, OB_ERR_UNSUPPORTED (a format of torch < 2.9).
 */
ob_status ob_archive_open(const char *path, ob_archive **out) OB_MUST_USE;
void ob_archive_close(ob_archive *a);

/* True when there is an entry `name`, without the root folder. */
bool ob_archive_has(const ob_archive *a, const char *name);

/* Read an entry whole; its CRC is checked. *data is owned (ob_free()) and has a NUL after the last
 * byte. */
ob_status ob_archive_read(ob_archive *a, const char *name, void **data, size_t *bytes) OB_MUST_USE;

/* Name of the only program, "models/NAME.json" [borrowed]; OB_ERR_UNSUPPORTED when there are
 * several. */
ob_status ob_archive_model(const ob_archive *a, const char **name) OB_MUST_USE;

#endif
