/* The texts of this folder inside the binary; the table is made by embed.cmake. */
#ifndef OB_KERNELS_EMBED_H
#define OB_KERNELS_EMBED_H

#include <stddef.h>

/* One text. `text` is NUL-terminated; `bytes` does not count the NUL. */
typedef struct ob_embedded_file {
    const char *name; /* without folder: "copy.cl" */
    const char *text;
    size_t bytes;
} ob_embedded_file;

/* All texts; a row with name NULL ends it. */
extern const ob_embedded_file ob_embedded[];

#endif
