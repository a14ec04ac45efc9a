/* Reading and comparing references (see reference.h). */
#include "cli/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ob/ops.h"

static ob_status read_tensor(const char *dir, const char *file, ob_dtype dtype, ob_ints sizes,
                             ob_tensor **out)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    if (strchr(file, '/'))
        return OB_FAIL(OB_ERR_PARSE, "%s: file name '%s' leaves the folder", dir, file);
    OB_TRY(ob_tensor_create(sizes, dtype, OB_DEVICE_CPU, out));
    const size_t bytes = (size_t)ob_tensor_numel(*out) * ob_dtype_bytes(dtype);
    FILE *f = fopen(path, "rb");
    if (!f) return OB_FAIL(OB_ERR_IO, "%s: cannot be opened", path);
    const size_t got = bytes ? fread(ob_tensor_data(*out), 1, bytes, f) : 0;
    fclose(f);
    return got == bytes ? OB_OK
                        : OB_FAIL(OB_ERR_PARSE, "%s: %zu bytes, should have %zu", path, got, bytes);
}

/* "input CASE INDEX NAME DTYPE RANK D0 .. Dn FILE" */
static ob_status read_line(const char *dir, char *line, ob_reference *r)
{
    char *save = NULL, *words[8 + OB_MAX_RANK];
    int n = 0;
    for (char *w = strtok_r(line, " \n", &save); w && n < 8 + OB_MAX_RANK;
         w = strtok_r(NULL, " \n", &save))
        words[n++] = w;
    if (n == 0 || words[0][0] == '#') return OB_OK;
    const long number = n > 1 ? strtol(words[1], NULL, 10) : -1;
    if (n < 4 || number < 0 || number >= OB_REFERENCE_LIMIT)
        return OB_FAIL(OB_ERR_PARSE, "%s/manifest.txt: line '%s ...' is not understood", dir,
                       words[0]);
    if (number >= r->n_cases) r->n_cases = (int)number + 1;
    if (!strcmp(words[0], "noise")) {
        r->noise[number] = strtod(words[3], NULL);
        return OB_OK;
    }
    const long rank = n > 6 ? strtol(words[5], NULL, 10) : -1;
    int64_t sizes[OB_MAX_RANK];
    ob_dtype dtype;
    if (rank < 0 || rank > OB_MAX_RANK || n != 7 + (int)rank || r->n_tensors == OB_REFERENCE_LIMIT)
        return OB_FAIL(OB_ERR_PARSE, "%s/manifest.txt: %d words with rank %ld", dir, n, rank);
    OB_TRY(ob_dtype_parse(words[4], &dtype));
    for (int i = 0; i < (int)rank; i++)
        sizes[i] = strtoll(words[6 + i], NULL, 10);
    const int t = r->n_tensors++;
    r->tensors[t].is_output = !strcmp(words[0], "output");
    r->tensors[t].case_number = (int)number;
    r->tensors[t].index = (int)strtol(words[2], NULL, 10);
    return read_tensor(dir, words[n - 1], dtype, (ob_ints){ sizes, rank }, &r->tensors[t].tensor);
}

ob_status ob_reference_load(const char *dir, ob_reference *out)
{
    char path[1200], line[2048];
    memset(out, 0, sizeof *out);
    for (int i = 0; i < OB_REFERENCE_LIMIT; i++)
        out->noise[i] = -1;
    snprintf(path, sizeof path, "%s/manifest.txt", dir);
    FILE *f = fopen(path, "r");
    if (!f) return OB_FAIL(OB_ERR_IO, "%s: cannot be opened", path);
    ob_status st = OB_OK;
    while (st == OB_OK && fgets(line, sizeof line, f))
        st = read_line(dir, line, out);
    fclose(f);
    if (st != OB_OK) ob_reference_reset(out);
    return st;
}

void ob_reference_reset(ob_reference *r)
{
    for (int i = 0; i < r->n_tensors; i++)
        ob_tensor_release(r->tensors[i].tensor);
    r->n_tensors = r->n_cases = 0;
}

ob_tensor *ob_reference_tensor(const ob_reference *r, bool output, int case_number, int index)
{
    for (int i = 0; i < r->n_tensors; i++)
        if (r->tensors[i].is_output == output && r->tensors[i].case_number == case_number &&
            r->tensors[i].index == index)
            return r->tensors[i].tensor;
    return NULL;
}

/* Elements as doubles, row-major [owned: free()]. */
static ob_status to_doubles(ob_tensor *t, double **out)
{
    ob_scope *s = ob_scope_open();
    ob_tensor *wide = NULL, *host = NULL;
    ob_status st = ob_tensor_to_device(t, OB_DEVICE_CPU, &host);
    st = ob_scope_close(s, st == OB_OK ? ob_to_dtype(s, host, OB_F64) : NULL, &wide);
    ob_tensor_release(host);
    *out = NULL;
    if (st != OB_OK) return st;
    const size_t n = (size_t)ob_tensor_numel(wide);
    *out = malloc((n + 1) * sizeof **out);
    st = *out ? ob_tensor_read(wide, *out, n * sizeof **out)
              : OB_FAIL(OB_ERR_OOM, "no memory for %zu elements", n);
    ob_tensor_release(wide);
    return st;
}

static bool same_choices(const double *a, const double *b, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++) {
        int64_t best_a = 0, best_b = 0;
        for (int64_t i = 1; i < n; i++) {
            if (a[r * n + i] > a[r * n + best_a]) best_a = i;
            if (b[r * n + i] > b[r * n + best_b]) best_b = i;
        }
        if (best_a != best_b) return false;
    }
    return true;
}

static void compare(const double *a, const double *b, int64_t n, ob_comparison *out)
{
    for (int64_t i = 0; i < n; i++) {
        if ((isnan(a[i]) && isnan(b[i])) || a[i] == b[i]) continue;
        const double d = fabs(a[i] - b[i]);
        if (!(d <= out->worst)) out->worst = isnan(d) ? INFINITY : d;
    }
}

static double largest(const double *b, int64_t n)
{
    double m = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(b[i]) && fabs(b[i]) > m) m = fabs(b[i]);
    return m;
}

ob_status ob_reference_compare(ob_tensor *got, ob_tensor *want, double noise, ob_comparison *out)
{
    char have[256], need[256];
    const int rank = ob_tensor_rank(want);
    *out = (ob_comparison){ .same_choice = true };
    if (ob_tensor_rank(got) != rank ||
        memcmp(ob_tensor_sizes(got), ob_tensor_sizes(want), (size_t)rank * sizeof(int64_t)))
        return OB_FAIL(
            OB_ERR_SHAPE, "sizes %s, should be %s",
            ob_sizes_format(ob_tensor_sizes(got), ob_tensor_rank(got), have, sizeof have),
            ob_sizes_format(ob_tensor_sizes(want), rank, need, sizeof need));
    if (ob_tensor_dtype(got) != ob_tensor_dtype(want))
        return OB_FAIL(OB_ERR_DTYPE, "dtype %s, should be %s", ob_dtype_name(ob_tensor_dtype(got)),
                       ob_dtype_name(ob_tensor_dtype(want)));
    double *a = NULL, *b = NULL;
    const int64_t n = ob_tensor_numel(want);
    ob_status st = to_doubles(got, &a);
    if (st == OB_OK) st = to_doubles(want, &b);
    if (st == OB_OK) {
        const bool is_float = ob_dtype_kind(ob_tensor_dtype(want)) == OB_KIND_FLOAT;
        compare(a, b, n, out);
        out->tolerance = !is_float ? 0 : noise >= 0 ? fmax(10 * noise, 1e-5 * largest(b, n)) : 2e-2;
        const int64_t last = rank > 0 && n > 0 ? ob_tensor_sizes(want)[rank - 1] : 1;
        if (is_float && noise < 0) out->same_choice = same_choices(a, b, n / last, last);
        out->ok = out->worst <= out->tolerance && out->same_choice;
    }
    free(a);
    free(b);
    return st;
}
