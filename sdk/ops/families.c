/* Finds the siblings of an op in the ATen table by comparing schemas. PyTorch: torchgen's grouping
 * of native functions. */
#include "ops/families.h"

#include <string.h>

#include "ops/aten.h"

/* True when the first n arguments of both have the same names and types. */
static bool same_args(const ob_schema *a, const ob_schema *b, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (strcmp(a->args[i].name, b->args[i].name) != 0) return false;
        if (!ob_type_equal(a->args[i].real_type, b->args[i].real_type)) return false;
    }
    return true;
}

/* `out` is `functional` with one trailing out per result. */
static bool is_out_form(const ob_schema *functional, const ob_schema *out)
{
    const int32_t n = functional->n_args;
    if (out->n_args != n + functional->n_returns || !same_args(functional, out, n)) return false;
    for (int32_t i = 0; i < out->n_args; i++)
        if (ob_argument_is_write(&out->args[i]) != (i >= n)) return false;
    return true;
}

/* `inplace` is `functional` with its first argument written to. */
static bool is_inplace_form(const ob_schema *functional, const ob_schema *inplace)
{
    const int32_t n = functional->n_args;
    if (inplace->n_args != n || n == 0 || functional->n_returns != 1) return false;
    if (!same_args(functional, inplace, n) || !ob_argument_is_write(&inplace->args[0]))
        return false;
    for (int32_t i = 1; i < n; i++)
        if (ob_argument_is_write(&inplace->args[i])) return false;
    return true;
}

static void find_form(ob_family *f, int form, const char *base, size_t n,
                      bool (*fits)(const ob_schema *, const ob_schema *))
{
    int first = 0;
    const int count = ob_aten_overloads(base, n, &first);
    for (int i = first; i < first + count && !f->ops[form]; i++) {
        const ob_schema *schema = ob_op_schema(ob_aten_op(i));
        if (i == f->rows[OB_FORM_FUNCTIONAL] || !schema || !fits(f->schema, schema)) continue;
        f->ops[form] = ob_aten_op(i);
        f->rows[form] = i;
    }
}

ob_status ob_family_find(int row, ob_family *out)
{
    ob_family f = { .rows = { row, -1, -1 } };
    const ob_aten_row *aten = ob_aten_row_at(row);
    f.ops[OB_FORM_FUNCTIONAL] = ob_aten_op(row);
    f.schema = f.ops[OB_FORM_FUNCTIONAL] ? ob_op_schema(f.ops[OB_FORM_FUNCTIONAL]) : NULL;
    if (!aten || !f.schema)
        return OB_FAIL(OB_ERR_STATE, "row %d of the ATen table is not a defined op", row);
    f.name = strstr(f.schema->name, "::") ? strstr(f.schema->name, "::") + 2 : f.schema->name;
    f.n_args = (uint32_t)f.schema->n_args;
    f.n_outs = (uint32_t)f.schema->n_returns;

    char base[128];
    const size_t n = strlen(f.name);
    if (n + 1 < sizeof base) {
        memcpy(base, f.name, n);
        base[n] = '_';
        find_form(&f, OB_FORM_INPLACE, base, n + 1, is_inplace_form);
    }
    find_form(&f, OB_FORM_OUT, f.name, n, is_out_form);
    *out = f;
    return OB_OK;
}

int ob_family_primary(const ob_family *family)
{
    static const int order[OB_FORMS] = { OB_FORM_FUNCTIONAL, OB_FORM_OUT, OB_FORM_INPLACE };
    const int out = family->rows[OB_FORM_OUT];
    if (out >= 0 && ob_aten_row_at(out)->klass == OB_ATEN_STRUCTURED) return OB_FORM_OUT;
    for (int i = 0; i < OB_FORMS; i++) {
        const int row = family->rows[order[i]];
        if (row >= 0 && ob_aten_row_at(row)->klass == OB_ATEN_NATIVE) return order[i];
    }
    return OB_FORM_FUNCTIONAL;
}
