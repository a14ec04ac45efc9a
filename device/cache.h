/* The disk cache of built programs: files named by a key, with a checksum.
 *
 * The folder is OB_CACHE_DIR, else $XDG_CACHE_HOME/outboard, else ~/.cache/outboard;
 * OB_CACHE_DIR="" turns the cache off. Nothing here fails: what cannot be read whole is not there,
 * what cannot be written is not kept. */
#ifndef OB_DEVICE_CACHE_H
#define OB_DEVICE_CACHE_H

#include <stddef.h>

enum { OB_CL_KEY_BYTES = 33 }; /* 32 hex digits and a NUL */

/* Key of a text (source, options, device, driver: all that the binary depends on). */
void ob_cl_cache_key(const char *text, size_t bytes, char key[OB_CL_KEY_BYTES]);
/* The binary of a key [owned]; NULL when there is no whole entry. A damaged one is removed. */
unsigned char *ob_cl_cache_load(const char *key, size_t *bytes);
/* Keep a binary, in place of an older one. Written beside and renamed, so that readers see all of
 * it or nothing. */
void ob_cl_cache_store(const char *key, const unsigned char *binary, size_t bytes);
void ob_cl_cache_remove(const char *key);

#endif
