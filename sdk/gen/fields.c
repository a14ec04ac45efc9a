/* C types and initialisers of the types in schemas; see gen.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

enum {
#define OB_BOX(code, name, c_type, absent) BOX_##name,
#include "gen/fields.inc"
};

static const gen_field boxes[] = {
#define OB_BOX(code, name, c_type, absent) [BOX_##name] = { code, #name, #c_type, absent },
#include "gen/fields.inc"
};

static const struct {
    const char *type;
    int box;
} fields[] = {
#define OB_FIELD(type, name) { type, BOX_##name },
#include "gen/fields.inc"
};

const gen_field *gen_field_of(const ob_type *type)
{
    char text[64];
    ob_type_format(type, text, sizeof text);
    for (size_t i = 0; i < OB_COUNT(fields); i++)
        if (strcmp(fields[i].type, text) == 0) return &boxes[fields[i].box];
    return NULL;
}

static void put_double(FILE *f, double value)
{
    if (trunc(value) == value && fabs(value) < 1e10)
        fprintf(f, "%.1f", value);
    else
        fprintf(f, "%.17g", value);
}

/* A Scalar default is written out, not made by a function, and a list is a constant of ops.h: gcc
 * warns when an initialiser that calls or makes something is overridden. */
static void put_value(FILE *f, const gen_field *field, const ob_value *v)
{
    const bool optional = strncmp(field->box, "opt_", 4) == 0;
    const bool scalar = strcmp(field->box, "scalar") == 0;
    static const char *const heads[OB_VALUE_LIMIT] = { [OB_VALUE_INT] = "{ OB_SCALAR_INT, { .i = ",
                                                       [OB_VALUE_DOUBLE] =
                                                           "{ OB_SCALAR_DOUBLE, { .d = ",
                                                       [OB_VALUE_BOOL] =
                                                           "{ OB_SCALAR_BOOL, { .b = " };
    if (scalar) fputs(heads[v->tag], f);
    if (optional) fputs("{ ", f);
    switch (v->tag) {
    case OB_VALUE_BOOL:
        fputs(v->u.b ? "true" : "false", f);
        break;
    case OB_VALUE_DOUBLE:
        put_double(f, v->u.d);
        break;
    case OB_VALUE_STRING:
        fprintf(f, "\"%s\"", v->u.string);
        break;
    case OB_VALUE_INTS:
        fputs("{ ", f);
        gen_list_name(f, v);
        fprintf(f, ", %u }", v->count);
        break;
    case OB_VALUE_DTYPE:
        fprintf(f, "(ob_dtype)%lld", (long long)v->u.i);
        break;
    case OB_VALUE_MEMORY_FORMAT:
        fprintf(f, "(ob_memory_format)%lld", (long long)v->u.i);
        break;
    default:
        fprintf(f, "%lld", (long long)v->u.i);
        break;
    }
    if (optional) fputs(", true }", f);
    if (scalar) fputs(" } }", f);
}

void gen_list_name(FILE *f, const ob_value *v)
{
    fputs("ob_list", f);
    for (uint32_t i = 0; i < v->count; i++)
        fprintf(f, v->u.ints[i] < 0 ? "_minus_%lld" : "_%lld", llabs(v->u.ints[i]));
}

void gen_lists(FILE *f, const gen_table *t, const char *before, bool values)
{
    const ob_value *seen[64];
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        for (int32_t k = 0; k < t->ops[i].schema->n_args; k++) {
            const ob_value *v = &t->ops[i].schema->args[k].value;
            if (v->tag != OB_VALUE_INTS || v->count == 0) continue;
            size_t j = 0;
            while (j < n && (seen[j]->count != v->count ||
                             memcmp(seen[j]->u.ints, v->u.ints, v->count * sizeof(int64_t)) != 0))
                j++;
            if (j < n || n == OB_COUNT(seen)) continue;
            seen[n++] = v;
            fputs(before, f);
            gen_list_name(f, v);
            fprintf(f, "[%u]", v->count);
            for (uint32_t e = 0; values && e < v->count; e++)
                fprintf(f, "%s%lld", e == 0 ? " = { " : ", ", (long long)v->u.ints[e]);
            fputs(values ? " };\n" : ";\n", f);
        }
}

/* True when a default is all zero bytes in its C type, so that leaving it out says the same. */
static bool is_zero(const gen_field *field, const ob_value *v)
{
    if (strncmp(field->box, "opt_", 4) == 0 || strcmp(field->box, "scalar") == 0)
        return v->tag == OB_VALUE_NONE;
    if (v->tag == OB_VALUE_DOUBLE) return v->u.d == 0;
    if (v->tag == OB_VALUE_BOOL) return !v->u.b;
    if (v->tag == OB_VALUE_INT) return v->u.i == 0;
    return v->tag == OB_VALUE_NONE || (v->tag == OB_VALUE_INTS && v->count == 0);
}

void gen_initialiser(FILE *f, const ob_argument *arg)
{
    const gen_field *field = gen_field_of(arg->real_type);
    const bool given = arg->has_default && arg->value.tag != OB_VALUE_NONE;
    if (!given && *field->absent) {
        fprintf(f, ".%s = %s, ", arg->name, field->absent);
    } else if (given && !is_zero(field, &arg->value)) {
        fprintf(f, ".%s = ", arg->name);
        put_value(f, field, &arg->value);
        fputs(", ", f);
    }
}

void gen_declare(FILE *f, const ob_type *type, const char *name)
{
    const char *c_type = gen_field_of(type)->c_type;
    fprintf(f, "%s%s%s", c_type, c_type[strlen(c_type) - 1] == '*' ? "" : " ", name);
}

void gen_codes(FILE *f, const ob_argument *args, int32_t n)
{
    fputc('"', f);
    for (int32_t i = 0; i < n; i++)
        fputc(gen_field_of(args[i].real_type)->code, f);
    fputc('"', f);
}

const char *gen_return_name(const ob_schema *schema, int i, char buf[16])
{
    if (*schema->returns[i].name) return schema->returns[i].name;
    snprintf(buf, 16, "out%d", i);
    return buf;
}

void gen_return_type(FILE *f, const gen_op *op)
{
    if (op->schema->n_returns == 0)
        fputs("void ", f);
    else if (op->schema->n_returns == 1)
        gen_declare(f, op->schema->returns[0].real_type, "");
    else
        fprintf(f, "struct ob_%s_result ", op->c_name);
}
