/* The one allocator of libob (Lua's lmem.c in spirit): every allocation may fail, and a test makes
 * each fail in turn. ob_free() (ob/schema.h) gives back what any of these made. */
#ifndef OB_CORE_ALLOC_H
#define OB_CORE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include "ob/attributes.h"

OB_BEGIN_DECLS

/* Zeroed memory for n items of `bytes` each [owned: ob_free()]; NULL, without an error record, when
 * out or n * bytes overflows. */
void *ob_alloc(size_t n, size_t bytes);
/* `bytes` of memory that is not zeroed, aligned to 64 bytes [owned: ob_free()]; NULL when out. */
void *ob_alloc_aligned(size_t bytes);
/* `bytes` of memory that is not zeroed [owned: ob_free()]; NULL when out. For what is filled at
 * once.
 */
void *ob_alloc_uninitialised(size_t bytes);
/* As realloc() with overflow check; new bytes are not zeroed. On failure `memory` stays valid. */
void *ob_realloc(void *memory, size_t n, size_t bytes);
/* Copy of n bytes and a NUL; NULL when out. */
char *ob_strndup(const char *text, size_t n);
char *ob_strdup(const char *text);

/* For tests: the n-th allocation from now (1 = next) and, if `sticky`, every one after it fails; 0
 * stops. */
OB_API void ob_alloc_fail_at(uint64_t n, int sticky);
/* For tests: allocations made since the last ob_alloc_fail_at(). */
OB_API uint64_t ob_alloc_count(void);

OB_END_DECLS
#endif
