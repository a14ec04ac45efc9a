/* Puts the text of a program together from embedded files, or from those of OB_KERNEL_DIR. */
#include "device/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/embed.h"

enum { PATH_BYTES = 1024 };

/* The dtypes by number: what kernels compare OB_DTYPE with. */
static const struct dtype_row {
    const char *id;
    int number;
} dtypes[] = {
#define OB_X(id, number, name, brief, bytes, kind, ctype) { #id, number },
    OB_DTYPE_LIST(OB_X)
#undef OB_X
};

ob_status ob_cl_text_add(ob_cl_text *t, const char *data, size_t bytes)
{
    if (t->bytes + bytes + 1 > t->limit) {
        const size_t limit = 2 * (t->bytes + bytes + 1);
        char *more = realloc(t->data, limit);
        if (!more)
            return OB_FAIL(OB_ERR_OOM, "opencl: no host memory for a source of %zu bytes", limit);
        t->data = more;
        t->limit = limit;
    }
    if (bytes) memcpy(t->data + t->bytes, data, bytes);
    t->bytes += bytes;
    t->data[t->bytes] = '\0';
    return OB_OK;
}

void ob_cl_text_reset(ob_cl_text *t)
{
    free(t->data);
    *t = (ob_cl_text){ 0 };
}

static ob_status line_add(ob_cl_text *t, const char *what, const char *text)
{
    OB_TRY(ob_cl_text_add(t, what, strlen(what)));
    return ob_cl_text_add(t, text, strlen(text));
}

/* A file of OB_KERNEL_DIR; *found is false when there is none. */
static ob_status live_add(ob_cl_text *t, const char *name, bool *found)
{
    char path[PATH_BYTES], block[4096];
    const char *folder = getenv("OB_KERNEL_DIR");
    *found = false;
    if (!folder || !*folder) return OB_OK;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof path) return OB_OK;
    FILE *f = fopen(path, "rb");
    if (!f) return OB_OK;
    *found = true;
    ob_status st = OB_OK;
    for (size_t got; st == OB_OK && (got = fread(block, 1, sizeof block, f)) > 0;)
        st = ob_cl_text_add(t, block, got);
    fclose(f);
    return st;
}

/* A file with a #line in front, so that a build log names it. */
static ob_status file_add(ob_cl_text *t, const char *name)
{
    bool found = false;
    OB_TRY(line_add(t, "\n#line 1 \"", name));
    OB_TRY(ob_cl_text_add(t, "\"\n", 2));
    OB_TRY(live_add(t, name, &found));
    if (found) return OB_OK;
    for (const ob_embedded_file *e = ob_embedded; e->name; e++)
        if (strcmp(e->name, name) == 0) return ob_cl_text_add(t, e->text, e->bytes);
    return OB_FAIL(OB_ERR_NOT_FOUND,
                   "opencl: kernel file %s is not embedded; list it in kernels/CMakeLists.txt",
                   name);
}

ob_status ob_cl_source_write(const ob_cl_program *program, const char *kernel, ob_dtype dtype,
                             ob_cl_text *out)
{
    char line[80];
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        snprintf(line, sizeof line, "#define OB_%s %d\n", dtypes[i].id, dtypes[i].number);
        OB_TRY(line_add(out, line, ""));
    }
    snprintf(line, sizeof line, "#define OB_DTYPE %d\n", (int)dtype);
    OB_TRY(line_add(out, line, "#define OB_WANT_"));
    OB_TRY(line_add(out, kernel, " 1\n"));
    OB_TRY(file_add(out, "ob_layout.h"));
    if (program->defines) OB_TRY(line_add(out, "\n#line 1 \"defines\"\n", program->defines));
    for (int i = 0; i < OB_CL_PROGRAM_FILES && program->files[i]; i++)
        OB_TRY(file_add(out, program->files[i]));
    return OB_OK;
}
