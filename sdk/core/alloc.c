/* The one allocator of libob: malloc's family behind a counter that a test can make fail.
 *
 * The counter is one relaxed atomic addition per allocation. A failed allocation leaves no error
 * record: callers know better what they were making. */
#include "core/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ob/schema.h"

enum { STORAGE_ALIGNMENT = 64 }; /* bytes: a cache line, and the widest vector load */

static atomic_uint_fast64_t n_made; /* since the last ob_alloc_fail_at() */
static atomic_uint_fast64_t fail_at;
static atomic_int fail_sticky;

/* Count one allocation; true when a test wants it to fail. */
static bool must_fail(void)
{
    const uint64_t n = atomic_fetch_add_explicit(&n_made, 1, memory_order_relaxed) + 1;
    const uint64_t at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    if (OB_LIKELY(at == 0)) return false;
    return n == at || (n > at && atomic_load_explicit(&fail_sticky, memory_order_relaxed));
}

void *ob_alloc(size_t n, size_t bytes)
{
    if (must_fail()) return NULL;
    if (bytes && n > SIZE_MAX / bytes) return NULL;
    /* calloc(0) may give NULL, which would read as out of memory */
    return n == 0 || bytes == 0 ? calloc(1, 1) : calloc(n, bytes);
}

void *ob_alloc_aligned(size_t bytes)
{
    if (must_fail() || bytes > SIZE_MAX - STORAGE_ALIGNMENT) return NULL;
    const size_t lines = (bytes + STORAGE_ALIGNMENT - 1) / STORAGE_ALIGNMENT;
    return aligned_alloc(STORAGE_ALIGNMENT, (lines ? lines : 1) * STORAGE_ALIGNMENT);
}

void *ob_alloc_uninitialised(size_t bytes)
{
    if (must_fail()) return NULL;
    return malloc(bytes ? bytes : 1);
}

void *ob_realloc(void *memory, size_t n, size_t bytes)
{
    if (must_fail()) return NULL;
    if (bytes && n > SIZE_MAX / bytes) return NULL;
    const size_t total = n * bytes;
    return realloc(memory, total ? total : 1);
}

char *ob_strndup(const char *text, size_t n)
{
    char *copy = n < SIZE_MAX ? ob_alloc(n + 1, 1) : NULL;
    if (copy && n) memcpy(copy, text, n);
    return copy;
}

char *ob_strdup(const char *text)
{
    return ob_strndup(text, strlen(text));
}

void ob_free(void *memory)
{
    free(memory);
}

void ob_alloc_fail_at(uint64_t n, int sticky)
{
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_at, n);
    atomic_store(&n_made, 0);
}

uint64_t ob_alloc_count(void)
{
    return atomic_load(&n_made);
}
