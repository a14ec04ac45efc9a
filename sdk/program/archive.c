/* Container checks and reading. Invariants once ob_archive_open() has returned:
 *   1. every entry is stored or deflated, not encrypted, and its sizes were declared within the
 * limits below;
 *   2. the compressed sizes add up to no more than the file, so entries cannot share bytes (overlap
 * bombs);
 *   3. names are relative, printable, unique without regard to case, and below one root folder. */
#include "program/archive.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zip.h>

#include "core/alloc.h"
#include "ob/schema.h"

enum { MAX_ENTRIES = 65536, MAX_NAME_BYTES = 1024, MAX_RATIO = 1024 };
static const uint64_t MAX_ENTRY_BYTES = UINT64_C(1) << 36, MAX_TOTAL_BYTES = UINT64_C(1) << 37;

struct ob_archive {
    zip_t *zip;
    char *path;
    size_t root_bytes; /* length of "ROOT/" */
    int64_t n_entries;
    const char **names; /* borrowed from zip, below the root; NULL for a folder */
    uint64_t *bytes;
};

static ob_status fail_zip(const char *path, zip_t *zip, const char *what)
{
    return OB_FAIL(OB_ERR_PARSE, "%s: %s: %s", path, what, zip_error_strerror(zip_get_error(zip)));
}

static ob_status check_name(const ob_archive *a, const char *name)
{
    const size_t n = name ? strlen(name) : 0;
    if (n == 0 || n > MAX_NAME_BYTES)
        return OB_FAIL(OB_ERR_PARSE, "%s: an entry's name has %zu bytes, should have 1 to %d",
                       a->path, n, MAX_NAME_BYTES);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f || name[i] == '\\')
            return OB_FAIL(OB_ERR_PARSE, "%s: an entry's name has byte 0x%02x at %zu", a->path,
                           (unsigned)(unsigned char)name[i], i);
    if (name[0] == '/' || !strncmp(name, "../", 3) || strstr(name, "/../") ||
        !strncmp(name, "./", 2) || strstr(name, "/./"))
        return OB_FAIL(OB_ERR_PARSE, "%s: entry '%s' is not a plain relative name", a->path, name);
    return OB_OK;
}

static ob_status check_sizes(const ob_archive *a, const zip_stat_t *st)
{
    const zip_uint64_t need = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((st->valid & need) != need)
        return OB_FAIL(OB_ERR_PARSE, "%s: entry '%s' declares no sizes", a->path, st->name);
    if ((st->valid & ZIP_STAT_ENCRYPTION_METHOD) && st->encryption_method != ZIP_EM_NONE)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: entry '%s' is encrypted", a->path, st->name);
    if (st->comp_method != ZIP_CM_STORE && st->comp_method != ZIP_CM_DEFLATE)
        return OB_FAIL(OB_ERR_UNSUPPORTED,
                       "%s: entry '%s' uses compression method %d, should be stored or deflated",
                       a->path, st->name, (int)st->comp_method);
    if (st->comp_method == ZIP_CM_STORE && st->size != st->comp_size)
        return OB_FAIL(OB_ERR_PARSE, "%s: stored entry '%s' declares %llu and %llu bytes", a->path,
                       st->name, (unsigned long long)st->size, (unsigned long long)st->comp_size);
    if (st->size > MAX_ENTRY_BYTES || st->size / MAX_RATIO > st->comp_size)
        return OB_FAIL(
            OB_ERR_PARSE,
            "%s: entry '%s' declares %llu bytes from %llu compressed ones, over the limit", a->path,
            st->name, (unsigned long long)st->size, (unsigned long long)st->comp_size);
    return OB_OK;
}

static ob_status check_root(ob_archive *a, const char *name)
{
    if (a->root_bytes == 0) {
        const char *slash = strchr(name, '/');
        if (!slash)
            return OB_FAIL(
                OB_ERR_UNSUPPORTED,
                "%s: entry '%s' is not in a root folder: save the program with torch >= 2.9",
                a->path, name);
        a->root_bytes = (size_t)(slash - name) + 1;
    }
    const char *first = zip_get_name(a->zip, 0, 0);
    if (strncmp(name, first, a->root_bytes) != 0)
        return OB_FAIL(OB_ERR_PARSE, "%s: entry '%s' is not in folder '%.*s' as the first one is",
                       a->path, name, (int)a->root_bytes, first);
    return OB_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

static ob_status check_unique(const ob_archive *a)
{
    const char **sorted = ob_alloc((size_t)a->n_entries, sizeof *sorted);
    if (!sorted)
        return OB_FAIL(OB_ERR_OOM, "%s: no memory for %lld names", a->path,
                       (long long)a->n_entries);
    memcpy(sorted, a->names, (size_t)a->n_entries * sizeof *sorted);
    qsort(sorted, (size_t)a->n_entries, sizeof *sorted, by_name);
    ob_status st = OB_OK;
    for (int64_t i = 1; i < a->n_entries && st == OB_OK; i++)
        if (!strcasecmp(sorted[i - 1], sorted[i]))
            st = OB_FAIL(OB_ERR_PARSE, "%s: entry '%s' is there twice", a->path, sorted[i]);
    ob_free(sorted);
    return st;
}

static ob_status check_entries(ob_archive *a)
{
    zip_stat_t file;
    uint64_t total = 0, compressed = 0;
    for (int64_t i = 0; i < a->n_entries; i++) {
        zip_stat_init(&file);
        if (zip_stat_index(a->zip, (zip_uint64_t)i, 0, &file) != 0)
            return fail_zip(a->path, a->zip, "an entry");
        OB_TRY(check_name(a, file.name));
        OB_TRY(check_sizes(a, &file));
        OB_TRY(check_root(a, file.name));
        a->names[i] = file.name + a->root_bytes;
        a->bytes[i] = file.size;
        total += file.size;
        compressed += file.comp_size;
        if (total > MAX_TOTAL_BYTES)
            return OB_FAIL(OB_ERR_PARSE, "%s: the entries declare more than %llu bytes", a->path,
                           (unsigned long long)MAX_TOTAL_BYTES);
    }
    FILE *f = fopen(a->path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        if (f) fclose(f);
        return OB_FAIL(OB_ERR_IO, "%s: cannot be read", a->path);
    }
    const long size = ftell(f);
    fclose(f);
    if (size < 0 || compressed > (uint64_t)size)
        return OB_FAIL(OB_ERR_PARSE,
                       "%s: the entries hold %llu bytes but the file has %ld: they overlap",
                       a->path, (unsigned long long)compressed, size);
    return check_unique(a);
}

static ob_status check_text(ob_archive *a, const char *name, const char *want)
{
    void *data = NULL;
    size_t bytes = 0;
    OB_TRY(ob_archive_read(a, name, &data, &bytes));
    const bool same = bytes >= strlen(want) && !strncmp(data, want, strlen(want)) &&
                      (bytes == strlen(want) || ((char *)data)[strlen(want)] == '\n');
    ob_status st = OB_OK;
    if (!same)
        st = OB_FAIL(OB_ERR_UNSUPPORTED, "%s: %s is '%.20s', should be '%s'", a->path, name,
                     (char *)data, want);
    ob_free(data);
    return st;
}

static ob_status check_format(ob_archive *a)
{
    const bool old =
        ob_archive_has(a, "data/weights/model.pt") || ob_archive_has(a, "data/constants/model.pt");
    if (old || !ob_archive_has(a, "archive_format"))
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: %s: save the program again with torch >= 2.9",
                       a->path,
                       old ? "its weights are pickled"
                           : "no archive_format entry, so it is not a .pt2 archive");
    if (!ob_archive_has(a, "archive_version"))
        return OB_FAIL(OB_ERR_PARSE, "%s: no archive_version entry", a->path);
    OB_TRY(check_text(a, "archive_format", "pt2"));
    return check_text(a, "archive_version", "0");
}

static ob_status open_zip(ob_archive *a)
{
    int code = 0;
    a->zip = zip_open(a->path, ZIP_RDONLY, &code);
    if (!a->zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const ob_status st = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ
                                 ? OB_ERR_IO
                                 : OB_ERR_PARSE;
        (void)OB_FAIL(st, "%s: not a readable .pt2 (zip) file: %s", a->path,
                      zip_error_strerror(&error));
        zip_error_fini(&error);
        return st;
    }
    a->n_entries = zip_get_num_entries(a->zip, 0);
    if (a->n_entries < 1 || a->n_entries > MAX_ENTRIES)
        return OB_FAIL(OB_ERR_PARSE, "%s: has %lld entries, should have 1 to %d", a->path,
                       (long long)a->n_entries, MAX_ENTRIES);
    a->names = ob_alloc((size_t)a->n_entries, sizeof *a->names);
    a->bytes = ob_alloc((size_t)a->n_entries, sizeof *a->bytes);
    if (!a->names || !a->bytes)
        return OB_FAIL(OB_ERR_OOM, "%s: no memory for %lld entries", a->path,
                       (long long)a->n_entries);
    OB_TRY(check_entries(a));
    return check_format(a);
}

ob_status ob_archive_open(const char *path, ob_archive **out)
{
    *out = NULL;
    ob_archive *a = ob_alloc(1, sizeof *a);
    if (!a || !(a->path = ob_strdup(path))) {
        ob_free(a);
        return OB_FAIL(OB_ERR_OOM, "%s: no memory to open it", path);
    }
    const ob_status st = open_zip(a);
    if (st != OB_OK) {
        ob_archive_close(a);
        return ob_error_via(st, __FILE__, __LINE__);
    }
    *out = a;
    return OB_OK;
}

void ob_archive_close(ob_archive *a)
{
    if (!a) return;
    if (a->zip) zip_discard(a->zip);
    ob_free(a->names);
    ob_free(a->bytes);
    ob_free(a->path);
    ob_free(a);
}

static int64_t find(const ob_archive *a, const char *name)
{
    for (int64_t i = 0; i < a->n_entries; i++)
        if (a->names[i] && !strcmp(a->names[i], name)) return i;
    return -1;
}

bool ob_archive_has(const ob_archive *a, const char *name)
{
    return find(a, name) >= 0;
}

static ob_status read_entry(ob_archive *a, zip_file_t *f, const char *name, char *data,
                            size_t bytes)
{
    size_t got = 0;
    while (got < bytes) {
        const zip_int64_t n = zip_fread(f, data + got, bytes - got);
        if (n < 0)
            return OB_FAIL(OB_ERR_PARSE, "%s: %s: %s", a->path, name,
                           zip_error_strerror(zip_file_get_error(f)));
        if (n == 0)
            return OB_FAIL(OB_ERR_PARSE, "%s: %s ends after %zu of %zu bytes", a->path, name, got,
                           bytes);
        got += (size_t)n;
    }
    char extra;
    const zip_int64_t n =
        zip_fread(f, &extra, 1); /* reaching the end is what makes libzip check the CRC */
    if (n != 0)
        return OB_FAIL(OB_ERR_PARSE, "%s: %s: %s", a->path, name,
                       n > 0 ? "is longer than declared"
                             : zip_error_strerror(zip_file_get_error(f)));
    return OB_OK;
}

ob_status ob_archive_read(ob_archive *a, const char *name, void **data, size_t *bytes)
{
    *data = NULL;
    *bytes = 0;
    const int64_t i = find(a, name);
    if (i < 0) return OB_FAIL(OB_ERR_PARSE, "%s: there is no entry %s", a->path, name);
    zip_file_t *f = zip_fopen_index(a->zip, (zip_uint64_t)i, 0);
    if (!f) return fail_zip(a->path, a->zip, name);
    char *memory = ob_alloc((size_t)a->bytes[i] + 1, 1);
    const ob_status st = memory ? read_entry(a, f, name, memory, (size_t)a->bytes[i])
                                : OB_FAIL(OB_ERR_OOM, "%s: no memory for the %llu bytes of %s",
                                          a->path, (unsigned long long)a->bytes[i], name);
    zip_fclose(f);
    if (st != OB_OK) {
        ob_free(memory);
        return st;
    }
    *data = memory;
    *bytes = (size_t)a->bytes[i];
    return OB_OK;
}

ob_status ob_archive_model(const ob_archive *a, const char **name)
{
    *name = NULL;
    for (int64_t i = 0; i < a->n_entries; i++) {
        const char *n = a->names[i], *end = n + strlen(n);
        if (strncmp(n, "models/", 7) || end - n < 13 || strcmp(end - 5, ".json")) continue;
        if (*name)
            return OB_FAIL(OB_ERR_UNSUPPORTED,
                           "%s: holds several programs (%s, %s), should hold one", a->path, *name,
                           n);
        *name = n;
    }
    return *name ? OB_OK : OB_FAIL(OB_ERR_PARSE, "%s: there is no models/NAME.json", a->path);
}
