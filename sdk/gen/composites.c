/* Writes the glue of the composites: prototypes, kernels that unbox and box for them, and
 * registration. */
#include <string.h>

#include "gen/gen.h"

static const struct composite {
    const char *key, *c_name;
} composites[] = {
#define OB_COMPOSITE(kind, c_name) { #kind, #c_name },
#include "ops/composites.inc"
#undef OB_COMPOSITE
};

static const gen_op *find(const gen_table *t, const char *c_name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->ops[i].c_name, c_name) == 0) return &t->ops[i];
    return NULL;
}

bool gen_composites_check(const gen_table *t)
{
    for (size_t i = 0; i < OB_COUNT(composites); i++) {
        const gen_op *op = find(t, composites[i].c_name);
        if (op && op->typed) continue;
        fprintf(stderr, "ob_gen: composites.inc: %s is no op with a C prototype\n",
                composites[i].c_name);
        return false;
    }
    return true;
}

/* `s` is the scope, hence another name for arguments called that. */
static void put_prototype(FILE *f, const gen_op *op)
{
    gen_return_type(f, op);
    fprintf(f, "composite_%s(ob_scope *s", op->c_name);
    for (int32_t i = 0; i < op->schema->n_args; i++) {
        const ob_argument *arg = &op->schema->args[i];
        fputs(", ", f);
        gen_declare(f, arg->real_type, strcmp(arg->name, "s") == 0 ? "s_" : arg->name);
    }
    fputs(");\n", f);
}

void gen_composites_header(FILE *f, const gen_table *t)
{
    fputs("/* Prototypes of the composites in sdk/ops/composites. Written by ob_gen from "
          "composites.inc.\n"
          " * Arguments are borrowed; results belong to the scope. */\n"
          "#ifndef OB_OPS_COMPOSITES_GEN_H\n#define OB_OPS_COMPOSITES_GEN_H\n\n"
          "#include \"ob/ops.h\"\n",
          f);
    for (size_t i = 0; i < OB_COUNT(composites); i++) {
        const gen_op *op = find(t, composites[i].c_name);
        fprintf(f, "\n/* %s */\n", op->text);
        put_prototype(f, op);
    }
    fputs("\n#endif\n", f);
}

static void put_call(FILE *f, const gen_op *op)
{
    fprintf(f, "composite_%s(s", op->c_name);
    for (int32_t i = 0; i < op->schema->n_args; i++)
        fprintf(f, ", ob_unbox_%s(s, &v[%d])", gen_field_of(op->schema->args[i].real_type)->box, i);
    fputc(')', f);
}

static void put_kernel(FILE *f, const gen_op *op)
{
    const ob_schema *schema = op->schema;
    fprintf(f, "\nstatic ob_status kernel_%s(ob_frame *frame)\n{\n", op->c_name);
    fputs("    ob_scope *s = ob_scope_open();\n", f);
    if (schema->n_args > 0) fputs("    const ob_value *v = frame->args;\n", f);
    if (schema->n_returns == 0) {
        fputs("    ", f);
        put_call(f, op);
        fputs(";\n    return ob_typed_end(frame, s, NULL);\n}\n", f);
        return;
    }
    if (schema->n_returns > 1) {
        fprintf(f, "    const struct ob_%s_result r = ", op->c_name);
        put_call(f, op);
        fputs(";\n", f);
    }
    fputs("    const ob_value out[] = { ", f);
    for (int32_t i = 0; i < schema->n_returns; i++) {
        char name[16];
        fprintf(f, "ob_box_%s(s, ", gen_field_of(schema->returns[i].real_type)->box);
        if (schema->n_returns == 1)
            put_call(f, op);
        else
            fprintf(f, "r.%s", gen_return_name(schema, i, name));
        fputs("), ", f);
    }
    fputs("};\n    return ob_typed_end(frame, s, out);\n}\n", f);
}

void gen_composites_source(FILE *f, const gen_table *t)
{
    fputs("/* Kernels of the composites. Written by ob_gen from composites.inc. */\n"
          "#include \"gen/typed.h\"\n#include \"ops/composites_gen.h\"\n",
          f);
    for (size_t i = 0; i < OB_COUNT(composites); i++)
        put_kernel(f, find(t, composites[i].c_name));
    fputs("\nconst ob_typed_row ob_composite_rows[] = {\n", f);
    for (size_t i = 0; i < OB_COUNT(composites); i++) {
        const gen_op *op = find(t, composites[i].c_name);
        const bool implicit = strcmp(composites[i].key, "CIA") == 0;
        const bool functional = strcmp(composites[i].key, "CEANF") != 0;
        fprintf(f, "    { OB_OP_%s, OB_KEY_Composite%sAutograd%s, kernel_%s },\n", op->c_name,
                implicit ? "Implicit" : "Explicit", functional ? "" : "NonFunctional", op->c_name);
    }
    fputs("};\nconst size_t ob_composite_row_count = OB_COUNT(ob_composite_rows);\n", f);
}
