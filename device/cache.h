/* The disk cache of built programs: files named by a key, with a checksum.
 *
 * The folder is OB_CACHE_DIR, else $XDG_CACHE_HOME/outboard, else ~/.cache/outboard;
 * OB_CACHE_DIR="" turns the cache off. Nothing here fails: what cannot be read whole is not there,
 * what cannot be written is not kept. */
#ifndef OB_DEVICE_CACHE_H
#define OB_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { OB_CL_KEY_BYTES = 33 }; /* 32 hex digits and a NUL */

/* One program as it is kept. */
typedef struct ob_cl_cached {
    char *names; /* owned; names of the kernels whose finished code is in it, each with a '\n'
                    behind */
    size_t names_bytes;
    unsigned char *binary; /* owned */
    size_t binary_bytes;
} ob_cl_cached;

/* Key of a text (source, options, device, driver: all that the binary depends on). */
void ob_cl_cache_key(const char *text, size_t bytes, char key[OB_CL_KEY_BYTES]);
/* False when there is no whole entry; a damaged one is removed. `out` goes back through
 * ob_cl_cached_reset(). */
bool ob_cl_cache_load(const char *key, ob_cl_cached *out);
/* Keep an entry, in place of an older one. Written beside and renamed, so that readers see all of
 * it or nothing. */
void ob_cl_cache_store(const char *key, const ob_cl_cached *entry);
void ob_cl_cache_remove(const char *key);
void ob_cl_cached_reset(ob_cl_cached *entry);

#endif
