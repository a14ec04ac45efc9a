/* The ATen table at run time: rows, their ops, and libob's own registrations. Called by the
 * dispatcher's first init stage. PyTorch:
 * aten/src/ATen/native/native_functions.yaml, RegisterSchema.cpp. */
#include "ops/aten.h"

#include <string.h>

#include "dispatch/table/optable.h"
#include "ops/batch.h"

static const ob_aten_row rows[] = {
#define OB_ATEN(c_name, schema, klass, family, tags) \
    { schema, #c_name, OB_ATEN_##klass, OB_FAMILY_##family, (uint64_t)(tags) },
#include "ops/aten.inc"
#undef OB_ATEN
};

static ob_op *ops[OB_ROW_COUNT];

/* Families that are only defined, so that their names resolve. */
static const uint32_t out_of_scope =
    1U << OB_FAMILY_SPARSE | 1U << OB_FAMILY_QUANTIZED | 1U << OB_FAMILY_NESTED |
    1U << OB_FAMILY_MKLDNN | 1U << OB_FAMILY_VENDOR | 1U << OB_FAMILY_MOBILE | 1U << OB_FAMILY_TEST;

static const char *const family_names[] = {
#define OB_X(name) #name,
    OB_ATEN_FAMILY_LIST(OB_X)
#undef OB_X
};

/* The kernel of ops that Outboard does not do. */
static ob_status unsupported(ob_frame *frame)
{
    return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: ops of the %s family are outside what Outboard does",
                   ob_op_name(frame->op), (const char *)frame->user);
}

/* Define every row, and give those out of scope the kernel that says so. */
static ob_status define(void)
{
    static const ob_builtin builtins[] = {
#define OB_ATEN(c_name, schema, klass, family, tags) { schema, (uint64_t)(tags) },
#include "ops/aten.inc"
#undef OB_ATEN
    };
    OB_TRY(ob_optable_define_all(builtins, OB_ROW_COUNT, ops));
    for (int i = 0; i < OB_ROW_COUNT; i++) {
        const ob_aten_family family = rows[i].family;
        if (ob_aten_in_scope(family)) continue;
        const ob_kernel kernel = { .fn = unsupported,
                                   .user = (void *)(uintptr_t)family_names[family],
                                   .flags = OB_KERNEL_GENERATED };
        ob_batch_add(OB_KEY_CompositeImplicitAutograd, ob_op_name(ops[i]), &kernel);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_ATEN, define);
}

const ob_aten_row *ob_aten_row_at(int i)
{
    return i >= 0 && i < OB_ROW_COUNT ? &rows[i] : NULL;
}

ob_op *ob_aten_op(int i)
{
    return i >= 0 && i < OB_ROW_COUNT ? ops[i] : NULL;
}

bool ob_aten_in_scope(ob_aten_family family)
{
    return !(out_of_scope >> family & 1);
}

/* Name of a row without namespace: start, and bytes up to the overload and up to the arguments. */
static const char *row_name(int i, size_t *base_bytes, size_t *full_bytes)
{
    const char *name = rows[i].schema + strlen("aten::");
    *base_bytes = strcspn(name, ".(");
    *full_bytes = strcspn(name, "(");
    return name;
}

/* Order of the table: by name, then overload. */
static int compare_base(const char *base, size_t n, int row)
{
    size_t base_bytes = 0, full_bytes = 0;
    const char *name = row_name(row, &base_bytes, &full_bytes);
    const int order = memcmp(base, name, n < base_bytes ? n : base_bytes);
    if (order != 0) return order;
    return n < base_bytes ? -1 : n > base_bytes;
}

int ob_aten_overloads(const char *base, size_t n, int *first)
{
    int low = 0, high = OB_ROW_COUNT, count = 0;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (compare_base(base, n, middle) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < OB_ROW_COUNT && compare_base(base, n, low + count) == 0)
        count++;
    *first = low;
    return count;
}

int ob_aten_index(const char *name)
{
    int first = 0;
    const size_t n = strlen(name);
    const int count = ob_aten_overloads(name, strcspn(name, "."), &first);
    for (int i = first; i < first + count; i++) {
        size_t base_bytes = 0, full_bytes = 0;
        const char *row = row_name(i, &base_bytes, &full_bytes);
        if (full_bytes == n && memcmp(row, name, n) == 0) return i;
    }
    return -1;
}
