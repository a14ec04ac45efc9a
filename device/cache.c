/* Files of the disk cache. Called by program.c. */
#include "device/cache.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

enum { PATH_BYTES = 1024 };

static const char magic[8] = { 'O', 'B', 'C', 'L', 'B', 'I', 'N', '1' };

/* Head of a file; names, then the binary, follow. */
typedef struct file_head {
    char magic[8];
    uint64_t names_bytes, binary_bytes;
    XXH128_canonical_t checksum; /* of all that follows */
} file_head;

/* The folder, without a slash at its end; false when the cache is off. */
static bool folder_path(char *buf, size_t bytes)
{
    const char *own = getenv("OB_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n = 0;
    if (own)
        n = snprintf(buf, bytes, "%s", own);
    else if (xdg && *xdg)
        n = snprintf(buf, bytes, "%s/outboard", xdg);
    else if (home && *home)
        n = snprintf(buf, bytes, "%s/.cache/outboard", home);
    return n > 0 && (size_t)n < bytes;
}

static bool file_path(const char *key, char *buf, size_t bytes)
{
    char folder[PATH_BYTES];
    if (!folder_path(folder, sizeof folder)) return false;
    const int n = snprintf(buf, bytes, "%s/%s.clbin", folder, key);
    return n > 0 && (size_t)n < bytes;
}

/* mkdir -p, for the user only. */
static void folder_make(void)
{
    char path[PATH_BYTES];
    if (!folder_path(path, sizeof path)) return;
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

void ob_cl_cache_key(const char *text, size_t bytes, char key[OB_CL_KEY_BYTES])
{
    const XXH128_hash_t h = XXH3_128bits(text, bytes);
    snprintf(key, OB_CL_KEY_BYTES, "%016llx%016llx", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
}

static void checksum(const ob_cl_cached *e, XXH128_canonical_t *out)
{
    XXH3_state_t *state = XXH3_createState();
    memset(out, 0, sizeof *out);
    if (!state) return;
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, e->names, e->names_bytes);
    XXH3_128bits_update(state, e->binary, e->binary_bytes);
    XXH128_canonicalFromHash(out, XXH3_128bits_digest(state));
    XXH3_freeState(state);
}

/* Read the rest of a file whose head says how long it is; it must be exactly that long. */
static bool body_read(FILE *f, const file_head *head, ob_cl_cached *out)
{
    struct stat info;
    if (fstat(fileno(f), &info) || info.st_size < (off_t)sizeof *head) return false;
    const uint64_t body = (uint64_t)info.st_size - sizeof *head;
    if (head->names_bytes > body || head->binary_bytes != body - head->names_bytes) return false;
    if (head->binary_bytes == 0) return false;
    out->names_bytes = (size_t)head->names_bytes;
    out->binary_bytes = (size_t)head->binary_bytes;
    out->names = calloc(1, out->names_bytes + 1);
    out->binary = malloc(out->binary_bytes);
    if (!out->names || !out->binary) return false;
    if (fread(out->names, 1, out->names_bytes, f) != out->names_bytes) return false;
    if (fread(out->binary, 1, out->binary_bytes, f) != out->binary_bytes) return false;
    XXH128_canonical_t sum;
    checksum(out, &sum);
    return memcmp(&sum, &head->checksum, sizeof sum) == 0;
}

bool ob_cl_cache_load(const char *key, ob_cl_cached *out)
{
    char path[PATH_BYTES];
    *out = (ob_cl_cached){ 0 };
    if (!file_path(key, path, sizeof path)) return false;
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    file_head head;
    const bool ok = fread(&head, sizeof head, 1, f) == 1 &&
                    memcmp(head.magic, magic, sizeof magic) == 0 && body_read(f, &head, out);
    fclose(f);
    if (ok) return true;
    ob_cl_cached_reset(out);
    remove(path);
    return false;
}

void ob_cl_cache_store(const char *key, const ob_cl_cached *entry)
{
    char path[PATH_BYTES], beside[PATH_BYTES + 32];
    if (!file_path(key, path, sizeof path)) return;
    folder_make();
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    FILE *f = fopen(beside, "wb");
    if (!f) return;
    file_head head = { .names_bytes = entry->names_bytes, .binary_bytes = entry->binary_bytes };
    memcpy(head.magic, magic, sizeof magic);
    checksum(entry, &head.checksum);
    bool ok = fwrite(&head, sizeof head, 1, f) == 1;
    ok = ok && fwrite(entry->names, 1, entry->names_bytes, f) == entry->names_bytes;
    ok = ok && fwrite(entry->binary, 1, entry->binary_bytes, f) == entry->binary_bytes;
    ok = fclose(f) == 0 && ok;
    if (!ok || rename(beside, path)) remove(beside);
}

void ob_cl_cache_remove(const char *key)
{
    char path[PATH_BYTES];
    if (file_path(key, path, sizeof path)) remove(path);
}

void ob_cl_cached_reset(ob_cl_cached *entry)
{
    free(entry->names);
    free(entry->binary);
    *entry = (ob_cl_cached){ 0 };
}
