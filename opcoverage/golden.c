/* The files of a corpus (see golden.h). */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { COLUMNS = 10 };

struct ob_corpus {
    char *text; /* cases.tsv; tabs and newlines are turned into NULs */
    uint8_t *blob;
    size_t text_bytes, blob_bytes;
    ob_golden *cases;
    int n_cases;
};

static ob_status read_file(const char *path, void **data, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    *data = NULL;
    *bytes = 0;
    if (!f) return OB_FAIL(OB_ERR_IO, "%s: cannot be opened", path);
    const long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    const bool ok =
        *data && fseek(f, 0, SEEK_SET) == 0 && fread(*data, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    if (!ok) {
        free(*data);
        *data = NULL;
        return OB_FAIL(OB_ERR_IO, "%s: cannot be read", path);
    }
    *bytes = (size_t)size;
    ((char *)*data)[size] = 0;
    return OB_OK;
}

/* Grow a buffer to hold `need` bytes and a NUL; false when out of memory or over the limit. */
static bool reserve(char **buffer, size_t *capacity, size_t need)
{
    if (need < *capacity) return true;
    const size_t more = need > SIZE_MAX / 4 ? 0 : 2 * need + 4096;
    char *grown = more ? realloc(*buffer, more) : NULL;
    if (!grown) return false;
    *buffer = grown;
    *capacity = more;
    return true;
}

static ob_status decompress(const char *path, void **data, size_t *bytes)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = { *data, *bytes, 0 };
    char *plain = NULL;
    size_t n = 0, capacity = 0, left = 1;
    bool ok = stream != NULL;
    while (ok && left != 0) {
        ok = reserve(&plain, &capacity, n + ZSTD_DStreamOutSize());
        if (!ok) break;
        ZSTD_outBuffer out = { plain, capacity - 1, n };
        left = ZSTD_decompressStream(stream, &out, &in);
        ok = !ZSTD_isError(left) && (out.pos > n || in.pos < in.size || left == 0);
        n = out.pos;
    }
    ZSTD_freeDStream(stream);
    if (!ok) {
        free(plain);
        return OB_FAIL(OB_ERR_PARSE, "%s: is no whole zstd file", path);
    }
    plain[n] = 0;
    free(*data);
    *data = plain;
    *bytes = n;
    return OB_OK;
}

/* DIR/NAME, or DIR/NAME.zst. */
static ob_status read_part(const char *dir, const char *name, void **data, size_t *bytes)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (read_file(path, data, bytes) == OB_OK) return OB_OK;
    snprintf(path, sizeof path, "%s/%s.zst", dir, name);
    OB_TRY(read_file(path, data, bytes));
    const ob_status st = decompress(path, data, bytes);
    if (st != OB_OK) {
        free(*data);
        *data = NULL;
    }
    return st;
}

static ob_status split_line(char *line, int number, ob_golden *g)
{
    const char *columns[COLUMNS];
    int n = 0;
    for (char *at = line; at && n < COLUMNS; n++) {
        columns[n] = at;
        at = strchr(at, '\t');
        if (at) *at++ = 0;
    }
    if (n != COLUMNS)
        return OB_FAIL(OB_ERR_PARSE, "cases.tsv:%d: %d columns, should be %d", number, n, COLUMNS);
    *g = (ob_golden){ columns[0], columns[1], columns[2], columns[3], columns[4],
                      columns[5], columns[6], columns[7], columns[8], columns[9] };
    return OB_OK;
}

static ob_status split_cases(ob_corpus *c, const char *dir)
{
    int lines = 0, number = 0;
    if (strncmp(c->text, "#golden-corpus v1", 17))
        return OB_FAIL(OB_ERR_PARSE, "%s: cases.tsv does not begin with '#golden-corpus v1'", dir);
    for (const char *at = c->text; (at = strchr(at, '\n')); at++)
        lines++;
    c->cases = calloc((size_t)lines + 1, sizeof *c->cases);
    if (!c->cases) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %d cases", dir, lines);
    for (char *line = c->text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        number++;
        if (*line != '#' && *line) OB_TRY(split_line(line, number, &c->cases[c->n_cases++]));
        line = end ? end + 1 : NULL;
    }
    return OB_OK;
}

ob_status ob_corpus_open(const char *dir, ob_corpus **out)
{
    *out = NULL;
    ob_corpus *c = calloc(1, sizeof *c);
    if (!c) return OB_FAIL(OB_ERR_OOM, "%s: no memory", dir);
    ob_status st = read_part(dir, "cases.tsv", (void **)&c->text, &c->text_bytes);
    if (st == OB_OK) st = read_part(dir, "blob.bin", (void **)&c->blob, &c->blob_bytes);
    if (st == OB_OK) st = split_cases(c, dir);
    if (st == OB_OK)
        *out = c;
    else
        ob_corpus_close(c);
    return st;
}

void ob_corpus_close(ob_corpus *c)
{
    if (!c) return;
    free(c->text);
    free(c->blob);
    free(c->cases);
    free(c);
}

int ob_corpus_size(const ob_corpus *c)
{
    return c->n_cases;
}

const ob_golden *ob_corpus_case(const ob_corpus *c, int i)
{
    return &c->cases[i];
}

const uint8_t *ob_corpus_blob(const ob_corpus *c, size_t *bytes)
{
    *bytes = c->blob_bytes;
    return c->blob;
}

const char *ob_golden_op_name(const ob_golden *g, char *buf, size_t bytes)
{
    const size_t n = strlen(g->op), tail = n > 8 && !strcmp(g->op + n - 8, ".default") ? 8 : 0;
    snprintf(buf, bytes, "aten::%.*s", (int)(n - tail), g->op);
    return buf;
}

const char *ob_golden_attribute(const ob_golden *g, const char *key, const char *otherwise,
                                char *buf, size_t bytes)
{
    const size_t n = strlen(key);
    for (const char *at = g->attributes; at && *at;
         at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        if (strncmp(at, key, n) || at[n] != '=') continue;
        const char *value = at + n + 1;
        snprintf(buf, bytes, "%.*s", (int)strcspn(value, ";"), value);
        return buf;
    }
    snprintf(buf, bytes, "%s", otherwise);
    return buf;
}

double ob_golden_number(const ob_golden *g, const char *key, double otherwise)
{
    char text[64];
    ob_golden_attribute(g, key, "", text, sizeof text);
    return *text ? strtod(text, NULL) : otherwise;
}
