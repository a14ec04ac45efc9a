/* Sizes, values and tensors as text for humans, cut to the caller's buffer. */
#include <stdio.h>

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "core/tensor/tensor.h"
#include "core/text.h"
#include "ob/schema.h"

enum {
    DEVICE_BYTES = 64,
    ALL_SHOWN = 1000, /* a tensor of more elements is shown in part ... */
    PART_SHOWN = 6    /* ... the first so many along each dim */
};

static void add_ints(ob_line *line, const int64_t *ints, int64_t n)
{
    ob_line_add(line, "[");
    for (int64_t i = 0; i < n && !line->cut; i++)
        ob_line_add(line, "%s%lld", i ? ", " : "", (long long)ints[i]);
    ob_line_add(line, "]");
}

char *ob_sizes_format(const int64_t *sizes, int rank, char *buf, size_t bytes)
{
    ob_line line = ob_line_in(buf, bytes);
    add_ints(&line, sizes, rank);
    return buf;
}

/* "float32 [2, 3] cpu" */
static void add_tensor_type(ob_line *line, const ob_tensor *t)
{
    char device[DEVICE_BYTES];
    ob_line_add(line, "%s ", ob_dtype_name(t->dtype));
    add_ints(line, t->dims, t->rank);
    ob_line_add(line, " %s", ob_device_format(t->storage->device, device, sizeof device));
}

/* ---- values ---- */

#define OB_X(name, number) [number] = #name,
static const char *const layouts[] = { OB_LAYOUT_LIST(OB_X) };
static const char *const memory_formats[] = { OB_MEMORY_FORMAT_LIST(OB_X) };
#undef OB_X

/* names[i], for an i that may be none of them. */
static const char *name_at(const char *const *names, size_t n, int64_t i)
{
    return i >= 0 && (uint64_t)i < n ? names[i] : "?";
}

static void add_value(ob_line *line, const ob_value *v);

/* Element i of a list. */
static void add_element(ob_line *line, const ob_value *v, uint32_t i)
{
    switch (v->tag) {
    case OB_VALUE_DOUBLES:
        ob_line_add(line, "%g", v->u.doubles[i]);
        break;
    case OB_VALUE_BOOLS:
        ob_line_add(line, "%s", v->u.bools[i] ? "true" : "false");
        break;
    case OB_VALUE_LIST:
        add_value(line, &v->u.list[i]);
        break;
    case OB_VALUE_TENSORS: {
        const ob_value tensor = ob_value_tensor(v->u.tensors[i]);
        add_value(line, &tensor);
        break;
    }
    default:
        break;
    }
}

static void add_list(ob_line *line, const ob_value *v)
{
    ob_line_add(line, "[");
    for (uint32_t i = 0; i < v->count && !line->cut; i++) {
        if (i) ob_line_add(line, ", ");
        add_element(line, v, i);
    }
    ob_line_add(line, "]");
}

static void add_value(ob_line *line, const ob_value *v)
{
    char device[DEVICE_BYTES];
    switch (v->tag) {
    case OB_VALUE_ABSENT:
        ob_line_add(line, "absent");
        break;
    case OB_VALUE_NONE:
        ob_line_add(line, "None");
        break;
    case OB_VALUE_TENSOR:
        add_tensor_type(line, v->u.tensor);
        break;
    case OB_VALUE_INT:
        ob_line_add(line, "%lld", (long long)v->u.i);
        break;
    case OB_VALUE_DOUBLE:
        ob_line_add(line, "%g", v->u.d);
        break;
    case OB_VALUE_BOOL:
        ob_line_add(line, "%s", v->u.b ? "true" : "false");
        break;
    case OB_VALUE_COMPLEX:
        ob_line_add(line, "%g%+gj", v->u.c[0], v->u.c[1]);
        break;
    case OB_VALUE_STRING:
        ob_line_add(line, "\"%s\"", v->u.string);
        break;
    case OB_VALUE_DTYPE:
        ob_line_add(line, "%s", ob_dtype_name((ob_dtype)v->u.i));
        break;
    case OB_VALUE_LAYOUT:
        ob_line_add(line, "layout %s", name_at(layouts, OB_COUNT(layouts), v->u.i));
        break;
    case OB_VALUE_MEMORY_FORMAT:
        ob_line_add(line, "memory format %s",
                    name_at(memory_formats, OB_COUNT(memory_formats), v->u.i));
        break;
    case OB_VALUE_DEVICE:
        ob_line_add(line, "%s", ob_device_format(v->u.device, device, sizeof device));
        break;
    case OB_VALUE_INTS:
        add_ints(line, v->u.ints, v->count);
        break;
    case OB_VALUE_DOUBLES:
    case OB_VALUE_BOOLS:
    case OB_VALUE_TENSORS:
    case OB_VALUE_LIST:
        add_list(line, v);
        break;
    default:
        ob_line_add(line, "%s", ob_value_tag_name(v->tag));
        break;
    }
}

char *ob_value_format(const ob_value *v, char *buf, size_t bytes)
{
    ob_line line = ob_line_in(buf, bytes);
    add_value(&line, v);
    return buf;
}

const char *ob_value_tag_name(uint32_t tag)
{
    static const char *const names[OB_VALUE_LIMIT] = {
#define OB_X(name, member, text) [OB_VALUE_##name] = #name,
        OB_VALUE_LIST(OB_X)
#undef OB_X
    };
    return tag < OB_VALUE_LIMIT ? names[tag] : "?";
}

/* ---- tensors ---- */

/* What is shown of a tensor: the first shown[d] along each dim, from elements on the host. */
typedef struct picture {
    const ob_tensor *t;
    const char *elements; /* row-major, all of them */
    int64_t shown[OB_MAX_RANK];
} picture;

static void add_number(ob_line *line, ob_dtype dtype, const void *element)
{
    double d = 0;
    int64_t i = 0;
    ob_complex64 c = { 0, 0 };
    switch (ob_dtype_kind(dtype)) {
    case OB_KIND_BOOL:
        ob_line_add(line, "%s", *(const uint8_t *)element ? "true" : "false");
        break;
    case OB_KIND_INT:
        ob_convert_element(&i, OB_I64, element, dtype);
        ob_line_add(line, "%lld", (long long)i);
        break;
    case OB_KIND_FLOAT:
        ob_convert_element(&d, OB_F64, element, dtype);
        ob_line_add(line, "%.*g", dtype == OB_F64 ? 15 : 7, d);
        break;
    case OB_KIND_COMPLEX:
        ob_convert_element(&c, OB_C64, element, dtype);
        ob_line_add(line, "%.7g%+.7gj", (double)c.re, (double)c.im);
        break;
    }
}

/* The part below dim `dim`; its first element is number `first`, in a row-major count. */
static void add_elements(ob_line *line, const picture *p, int dim, int64_t first, int64_t stride)
{
    if (dim == p->t->rank) {
        const size_t width = ob_dtype_bytes(p->t->dtype);
        add_number(line, p->t->dtype, p->elements + (size_t)first * width);
        return;
    }
    const int64_t n = p->t->dims[dim], step = n ? stride / n : 0;
    ob_line_add(line, "[");
    for (int64_t i = 0; i < p->shown[dim] && !line->cut; i++) {
        if (i) ob_line_add(line, ", ");
        add_elements(line, p, dim + 1, first + i * step, step);
    }
    ob_line_add(line, p->shown[dim] < n ? ", ...]" : "]");
}

char *ob_tensor_format(const ob_tensor *t, char *buf, size_t bytes)
{
    ob_line line = ob_line_in(buf, bytes);
    add_tensor_type(&line, t);
    if (ob_tensor_is_meta(t)) return buf;
    const size_t all = (size_t)t->numel * ob_dtype_bytes(t->dtype);
    char *elements = ob_alloc_uninitialised(all);
    if (!elements || ob_tensor_read(t, elements, all) != OB_OK) {
        ob_line_add(&line, ": could not be read");
    } else {
        picture p = { .t = t, .elements = elements };
        for (int d = 0; d < t->rank; d++)
            p.shown[d] = t->numel > ALL_SHOWN && t->dims[d] > PART_SHOWN ? PART_SHOWN : t->dims[d];
        ob_line_add(&line, ": ");
        add_elements(&line, &p, 0, 0, t->numel);
    }
    ob_free(elements);
    return buf;
}
