/* Reading recorded files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "replay.h"

typedef struct bytes {
    char *data;
    size_t n, capacity;
} bytes;

/* Room for `more` bytes at the end. */
static bool grow(bytes *b, size_t more)
{
    if (b->capacity - b->n >= more) return true;
    const size_t capacity = 2 * b->capacity + more;
    char *data = realloc(b->data, capacity);
    if (!data) return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

static bool read_file(const char *path, bytes *out)
{
    FILE *file = fopen(path, "rb");
    bool ok = file != NULL;
    for (size_t got = 1; ok && got > 0;) {
        ok = grow(out, 1 << 16);
        got = ok ? fread(out->data + out->n, 1, 1 << 16, file) : 0;
        out->n += got;
        ok = ok && !ferror(file);
    }
    if (file) (void)fclose(file);
    return ok;
}

static bool decompress(const bytes *from, bytes *to)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = { from->data, from->n, 0 };
    bool ok = stream != NULL;
    while (ok && in.pos < in.size) {
        ok = grow(to, 1 << 16);
        if (!ok) break;
        ZSTD_outBuffer out = { to->data, to->capacity, to->n };
        ok = !ZSTD_isError(ZSTD_decompressStream(stream, &out, &in));
        to->n = out.pos;
    }
    (void)ZSTD_freeDStream(stream);
    return ok;
}

static bool load(const char *path, bytes *out)
{
    const size_t n = strlen(path);
    if (n < 4 || strcmp(path + n - 4, ".zst") != 0) return read_file(path, out);
    bytes packed = { 0 };
    const bool ok = read_file(path, &packed) && decompress(&packed, out);
    free(packed.data);
    return ok;
}

bool replay_each_line(replay *r, const char *path,
                      void (*each)(replay *r, void *user, const json_t *line), void *user)
{
    bytes text = { 0 };
    bool ok = load(path, &text);
    if (!ok) fprintf(stderr, "%s: cannot be read\n", path);
    for (size_t at = 0; ok && at < text.n;) {
        const char *end = memchr(text.data + at, '\n', text.n - at);
        const size_t n = end ? (size_t)(end - text.data) - at : text.n - at;
        json_error_t error;
        r->line++;
        json_t *line = json_loadb(text.data + at, n, JSON_ALLOW_NUL, &error);
        if (line)
            each(r, user, line);
        else if (n > 0)
            ok = fprintf(stderr, "%s:%zu: %s\n", path, r->line, error.text) < 0;
        json_decref(line);
        at += n + 1;
    }
    free(text.data);
    return ok;
}
