/* Tensors in NumPy's .npy files, format 1.0 to 3.0. The header is hostile: a closed grammar,
 * checked sizes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/shape.h"
#include "ob/schema.h"
#include "ob/tensor.h"

enum { MAX_HEADER_BYTES = 65536 };

/* clang-format off */
static const struct { const char *descr; ob_dtype dtype; } descrs[] = {
    { "|b1", OB_BOOL }, { "|u1", OB_U8 }, { "|i1", OB_I8 }, { "<i2", OB_I16 }, { "<i4", OB_I32 }, { "<i8", OB_I64 },
    { "<f2", OB_F16 }, { "<f4", OB_F32 }, { "<f8", OB_F64 }, { "<c8", OB_C64 },
};
/* clang-format on */

typedef struct npy_header {
    ob_dtype dtype;
    bool fortran;
    int rank;
    int64_t sizes[OB_MAX_RANK];
} npy_header;

/* The text after 'key': in the header's dictionary; NULL when it is not there. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    if (!at) return NULL;
    at += strlen(quoted);
    while (*at == ' ')
        at++;
    return at;
}

static ob_status parse_shape(const char *path, const char *at, npy_header *h)
{
    if (!at || *at != '(') return OB_FAIL(OB_ERR_PARSE, "%s: no shape in the .npy header", path);
    at++;
    for (;;) {
        while (*at == ' ' || *at == ',')
            at++;
        if (*at == ')') return OB_OK;
        char *end = NULL;
        const long long n = isdigit((unsigned char)*at) ? strtoll(at, &end, 10) : -1;
        if (n < 0 || h->rank == OB_MAX_RANK)
            return OB_FAIL(OB_ERR_PARSE, "%s: bad shape in the .npy header", path);
        h->sizes[h->rank++] = n;
        at = end;
    }
}

static ob_status parse_header(const char *path, const char *text, npy_header *h)
{
    const char *descr = value_of(text, "descr"), *order = value_of(text, "fortran_order");
    h->dtype = OB_DTYPE_NONE;
    for (size_t i = 0; descr && i < OB_COUNT(descrs); i++)
        if (*descr == '\'' && !strncmp(descr + 1, descrs[i].descr, 3) && descr[4] == '\'')
            h->dtype = descrs[i].dtype;
    if (h->dtype == OB_DTYPE_NONE)
        return OB_FAIL(OB_ERR_UNSUPPORTED,
                       "%s: element type %.8s, should be one of NumPy's little-endian bool, int, "
                       "float, complex64",
                       path, descr ? descr : "(none)");
    h->fortran = order && !strncmp(order, "True", 4);
    return parse_shape(path, value_of(text, "shape"), h);
}

static ob_status read_header(const char *path, FILE *f, npy_header *h)
{
    unsigned char magic[12];
    if (fread(magic, 1, 10, f) != 10 || memcmp(magic, "\x93NUMPY", 6) != 0)
        return OB_FAIL(OB_ERR_PARSE, "%s: not a .npy file", path);
    size_t bytes = (size_t)(magic[8] | magic[9] << 8);
    if (magic[6] > 1) { /* format 2 and 3: four bytes of length */
        if (fread(magic + 10, 1, 2, f) != 2)
            return OB_FAIL(OB_ERR_PARSE, "%s: the .npy header is cut off", path);
        bytes |= (size_t)magic[10] << 16 | (size_t)magic[11] << 24;
    }
    if (bytes > MAX_HEADER_BYTES)
        return OB_FAIL(OB_ERR_PARSE, "%s: a .npy header of %zu bytes", path, bytes);
    char *text = ob_alloc(bytes + 1, 1);
    if (!text) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %zu bytes", path, bytes);
    const ob_status st = fread(text, 1, bytes, f) == bytes
                             ? parse_header(path, text, h)
                             : OB_FAIL(OB_ERR_PARSE, "%s: the .npy header is cut off", path);
    ob_free(text);
    return st;
}

static ob_status read_elements(const char *path, FILE *f, const npy_header *h, ob_device device,
                               ob_tensor **out)
{
    int64_t numel = 0, sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
    OB_TRY(ob_shape_numel(h->sizes, h->rank, &numel));
    const size_t step = ob_dtype_bytes(h->dtype);
    if ((uint64_t)numel > SIZE_MAX / 16)
        return OB_FAIL(OB_ERR_PARSE, "%s: %lld elements", path, (long long)numel);
    const long at = ftell(f);
    if (at < 0 || fseek(f, 0, SEEK_END) != 0 || ftell(f) - at < (long)((size_t)numel * step) ||
        fseek(f, at, SEEK_SET) != 0)
        return OB_FAIL(OB_ERR_PARSE, "%s: holds fewer than the %lld elements of its shape", path,
                       (long long)numel);
    for (int i = 0; i < h->rank; i++)
        sizes[i] = h->sizes[h->fortran ? h->rank - 1 - i : i];
    void *data = ob_alloc((size_t)numel + 1, step);
    if (!data)
        return OB_FAIL(OB_ERR_OOM, "%s: no memory for %lld elements", path, (long long)numel);
    ob_tensor *t = NULL;
    ob_status st = fread(data, step, (size_t)numel, f) == (size_t)numel
                       ? OB_OK
                       : OB_FAIL(OB_ERR_IO, "%s: cannot be read", path);
    if (st == OB_OK) st = ob_tensor_create((ob_ints){ sizes, h->rank }, h->dtype, device, &t);
    if (st == OB_OK) st = ob_tensor_write(t, data, (size_t)numel * step);
    ob_free(data);
    if (st == OB_OK && h->fortran) { /* column-major: the same bytes under reversed dims */
        for (int i = 0; i < h->rank; i++)
            strides[i] = ob_tensor_strides(t)[h->rank - 1 - i];
        st = ob_tensor_set_window(t, (ob_ints){ h->sizes, h->rank }, (ob_ints){ strides, h->rank },
                                  0, false);
    }
    if (st == OB_OK)
        *out = t;
    else
        ob_tensor_release(t);
    return st;
}

ob_status ob_tensor_load_npy(const char *path, ob_device device, ob_tensor **out)
{
    npy_header h = { 0 };
    *out = NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return OB_FAIL(OB_ERR_IO, "%s: cannot be opened", path);
    ob_status st = read_header(path, f, &h);
    if (st == OB_OK) st = read_elements(path, f, &h, device, out);
    fclose(f);
    return st;
}

ob_status ob_tensor_save_npy(const ob_tensor *t, const char *path)
{
    const char *descr = NULL;
    char shape[1024] = "", header[1280];
    for (size_t i = 0; i < OB_COUNT(descrs); i++)
        if (descrs[i].dtype == ob_tensor_dtype(t)) descr = descrs[i].descr;
    if (!descr)
        return OB_FAIL(OB_ERR_DTYPE, "%s: NumPy has no %s", path,
                       ob_dtype_name(ob_tensor_dtype(t)));
    size_t n = 0;
    for (int i = 0; i < ob_tensor_rank(t) && n < sizeof shape - 24; i++)
        n += (size_t)snprintf(shape + n, sizeof shape - n, "%lld,",
                              (long long)ob_tensor_sizes(t)[i]);
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    while ((length + 11) % 64 != 0)
        header[length++] = ' '; /* the elements start at a multiple of 64 bytes */
    header[length++] = '\n';
    const size_t bytes = (size_t)ob_tensor_numel(t) * ob_dtype_bytes(ob_tensor_dtype(t));
    void *data = ob_alloc(bytes + 1, 1);
    if (!data) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %zu bytes", path, bytes);
    ob_status st = ob_tensor_read(t, data, bytes);
    FILE *f = st == OB_OK ? fopen(path, "wb") : NULL;
    if (st == OB_OK && !f) st = OB_FAIL(OB_ERR_IO, "%s: cannot be written", path);
    if (f) {
        const unsigned char magic[10] = { 0x93,
                                          'N',
                                          'U',
                                          'M',
                                          'P',
                                          'Y',
                                          1,
                                          0,
                                          (unsigned char)(length & 255),
                                          (unsigned char)(length >> 8) };
        const bool ok = fwrite(magic, 1, 10, f) == 10 &&
                        fwrite(header, 1, (size_t)length, f) == (size_t)length &&
                        fwrite(data, 1, bytes, f) == bytes;
        if (fclose(f) != 0 || !ok) st = OB_FAIL(OB_ERR_IO, "%s: cannot be written", path);
    }
    ob_free(data);
    return st;
}
