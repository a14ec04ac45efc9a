/* Writes the sources behind ob/ops.h: each function names its op and describes its argument struct
 * by a string of codes; typed.c does the boxing. */
#include "gen/gen.h"

/* "s, OB_OP_<op>, a, "<codes>"" */
static void put_call(FILE *f, const gen_op *op)
{
    fprintf(f, "(s, OB_OP_%s, %s, ", op->c_name, op->schema->n_args > 0 ? "a" : "NULL");
    gen_codes(f, op->schema->args, op->schema->n_args);
}

static void put_function(FILE *f, const gen_op *op)
{
    const ob_schema *schema = op->schema;
    fputc('\n', f);
    gen_return_type(f, op);
    fprintf(f, "ob_call_%s(ob_scope *s", op->c_name);
    if (schema->n_args > 0) fprintf(f, ", const struct ob_%s_args *a", op->c_name);
    fputs(")\n{\n    ", f);
    if (schema->n_returns == 1 && schema->returns[0].type->kind == OB_TYPE_TENSOR) {
        fputs("return ob_typed_tensor", f);
        put_call(f, op);
        fputs(");\n}\n", f);
        return;
    }
    if (schema->n_returns > 0) {
        gen_return_type(f, op);
        fputs("r;\n    ", f);
    }
    fputs("ob_typed_call", f);
    put_call(f, op);
    fputs(", ", f);
    gen_codes(f, schema->returns, schema->n_returns);
    fputs(schema->n_returns > 0 ? ", &r);\n    return r;\n}\n" : ", NULL);\n}\n", f);
}

void gen_source(FILE *f, const gen_table *t, size_t i, size_t n)
{
    fprintf(f, "/* Part %zu of %zu of the functions of ob/ops.h. Written by ob_gen. */\n", i + 1,
            n);
    fputs("#include \"gen/typed.h\"\n\n", f);
    if (i == 0) gen_lists(f, t, "const int64_t ", true);
    for (size_t k = t->n * i / n; k < t->n * (i + 1) / n; k++)
        if (t->ops[k].typed) put_function(f, &t->ops[k]);
}
