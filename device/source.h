/* The text of a program: what goes in front, then its files. Called by program.c. */
#ifndef OB_DEVICE_SOURCE_H
#define OB_DEVICE_SOURCE_H

#include "device/program.h"

/* A growing text. Zero is an empty one. */
typedef struct ob_cl_text {
    char *data; /* owned, NUL-terminated; NULL while empty */
    size_t bytes, limit;
} ob_cl_text;

ob_status ob_cl_text_add(ob_cl_text *t, const char *data, size_t bytes) OB_MUST_USE;
void ob_cl_text_reset(ob_cl_text *t);

/* The source of a kernel of `program` for a dtype, appended to `out`. OB_ERR_NOT_FOUND names a file
 * that is neither embedded nor in OB_KERNEL_DIR; OB_ERR_OOM. */
ob_status ob_cl_source_write(const ob_cl_program *program, const char *kernel, ob_dtype dtype,
                             ob_cl_text *out) OB_MUST_USE;

#endif
