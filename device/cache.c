/* Files of the disk cache. Called by program.c. */
#include "device/cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

enum { PATH_BYTES = 1024 };

static const char magic[8] = { 'O', 'B', 'C', 'L', 'B', 'I', 'N', '2' };

/* Head of a file; the binary follows. */
typedef struct file_head {
    char magic[8];
    uint64_t bytes; /* of the binary, as is the checksum */
    XXH128_canonical_t checksum;
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

static file_head head_of(const unsigned char *binary, size_t bytes)
{
    file_head head = { .bytes = bytes };
    memcpy(head.magic, magic, sizeof magic);
    XXH128_canonicalFromHash(&head.checksum, XXH3_128bits(binary, bytes));
    return head;
}

/* The binary of a file, which must be exactly as long as its head says [owned]; NULL: it is not. */
static unsigned char *file_read(FILE *f, size_t *bytes)
{
    struct stat info;
    file_head head;
    if (fstat(fileno(f), &info) || info.st_size <= (off_t)sizeof head) return NULL;
    *bytes = (size_t)info.st_size - sizeof head;
    if (fread(&head, sizeof head, 1, f) != 1 || head.bytes != *bytes) return NULL;
    unsigned char *binary = malloc(*bytes);
    if (!binary) return NULL;
    if (fread(binary, 1, *bytes, f) == *bytes) {
        const file_head whole = head_of(binary, *bytes);
        if (memcmp(&whole, &head, sizeof head) == 0) return binary;
    }
    free(binary);
    return NULL;
}

unsigned char *ob_cl_cache_load(const char *key, size_t *bytes)
{
    char path[PATH_BYTES];
    if (!file_path(key, path, sizeof path)) return NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    unsigned char *binary = file_read(f, bytes);
    fclose(f);
    if (!binary) remove(path);
    return binary;
}

void ob_cl_cache_store(const char *key, const unsigned char *binary, size_t bytes)
{
    char path[PATH_BYTES], beside[PATH_BYTES + 32];
    if (!file_path(key, path, sizeof path)) return;
    folder_make();
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    FILE *f = fopen(beside, "wb");
    if (!f) return;
    const file_head head = head_of(binary, bytes);
    bool ok = fwrite(&head, sizeof head, 1, f) == 1 && fwrite(binary, 1, bytes, f) == bytes;
    ok = fclose(f) == 0 && ok;
    if (!ok || rename(beside, path)) remove(beside);
}

void ob_cl_cache_remove(const char *key)
{
    char path[PATH_BYTES];
    if (file_path(key, path, sizeof path)) remove(path);
}
