/* Writes ob/ops.h. */
#include <string.h>

#include "gen/gen.h"

static const char head[] =
    "/* One prototype per op of ATen: typed calls in a scope. Written by ob_gen from "
    "sdk/ops/aten.inc.\n"
    " *\n"
    " *     ob_tensor *y = ob_add(s, x, z);                        // alpha is 1\n"
    " *     ob_tensor *y = ob_add(s, x, z, .alpha = ob_int(2));    // by name\n"
    " *     struct ob_max_dim_result m = ob_max_dim(s, x, 1);      // m.values, m.indices\n"
    " *\n"
    " * ob_<op>() fills in the schema's defaults and calls ob_call_<op>(), which takes all "
    "arguments in\n"
    " * a struct, in the order of the schema. Arguments are borrowed for the call. Results belong "
    "to the\n"
    " * scope. A required tensor that is NULL is OB_ERR_ARG; in a scope that has failed, "
    "everything is a\n"
    " * no-op that returns NULL or zero. C++ has the functions and the structs, not the macros "
    "with\n"
    " * defaults. Ops of the sparse, quantized, nested, mkldnn, vendor, mobile and test families "
    "have an\n"
    " * id but no prototype. A compiler that warns about overridden initialisers (gcc -Wextra "
    "does) needs\n"
    " * -Wno-override-init: that is how a default gives way. */\n"
    "#ifndef OB_OPS_H\n"
    "#define OB_OPS_H\n"
    "\n"
    "#include \"ob/scope.h\"\n"
    "\n"
    "OB_BEGIN_DECLS\n"
    "\n"
    "/* clang-format off */\n"
    "\n"
    "/** Rows of the ATen table: ob_aten_op(OB_OP_add) is the handle of add.Tensor. */\n"
    "typedef enum ob_op_id {\n";

static void put_member(FILE *f, const ob_argument *arg, const char *name)
{
    fputs("    ", f);
    gen_declare(f, arg->real_type, name);
    fputs(";\n", f);
}

static void put_struct(FILE *f, const gen_op *op)
{
    const ob_schema *schema = op->schema;
    if (schema->n_args > 0) fprintf(f, "struct ob_%s_args {\n", op->c_name);
    for (int32_t i = 0; i < schema->n_args; i++)
        put_member(f, &schema->args[i], schema->args[i].name);
    if (schema->n_args > 0) fputs("};\n", f);
    if (schema->n_returns < 2) return;
    fprintf(f, "struct ob_%s_result {\n", op->c_name);
    for (int32_t i = 0; i < schema->n_returns; i++) {
        char name[16];
        put_member(f, &schema->returns[i], gen_return_name(schema, i, name));
    }
    fputs("};\n", f);
}

static void put_prototype(FILE *f, const gen_op *op)
{
    fprintf(f, "\n/** %s */\n", op->text);
    put_struct(f, op);
    fputs("OB_API ", f);
    gen_return_type(f, op);
    fprintf(f, "ob_call_%s(ob_scope *s", op->c_name);
    if (op->schema->n_args > 0) fprintf(f, ", const struct ob_%s_args *a", op->c_name);
    fputs(");\n", f);
}

/* Ops whose macro would have the name of a function of libob: they are called as ob_call_<op>(). */
static bool name_is_taken(const char *c_name)
{
    return strcmp(c_name, "complex") == 0 || strcmp(c_name, "version") == 0;
}

static void put_macro(FILE *f, const gen_op *op)
{
    const ob_schema *schema = op->schema;
    if (name_is_taken(op->c_name)) return;
    if (schema->n_args == 0) {
        fprintf(f, "#define ob_%s(s) ob_call_%s(s)\n", op->c_name, op->c_name);
        return;
    }
    fprintf(f, "#define ob_%s(s, ...) ob_call_%s((s), &(struct ob_%s_args){ ", op->c_name,
            op->c_name, op->c_name);
    for (int32_t i = 0; i < schema->n_args; i++)
        gen_initialiser(f, &schema->args[i]);
    if (!schema->args[0].kwarg_only) fprintf(f, ".%s = ", schema->args[0].name);
    fputs("__VA_ARGS__ })\n", f);
}

void gen_header(FILE *f, const gen_table *t)
{
    fputs(head, f);
    for (size_t i = 0; i < t->n; i++)
        fprintf(f, "    OB_OP_%s,\n", t->ops[i].c_name);
    fputs("    OB_OP_COUNT\n} ob_op_id;\n", f);
    fputs("\n/* Lists that are defaults. */\n", f);
    gen_lists(f, t, "OB_API extern const int64_t ", false);
    for (size_t i = 0; i < t->n; i++)
        if (t->ops[i].typed) put_prototype(f, &t->ops[i]);
    fputs("\n/* Calls with defaults; C only. */\n#ifndef __cplusplus\n", f);
    for (size_t i = 0; i < t->n; i++)
        if (t->ops[i].typed) put_macro(f, &t->ops[i]);
    fputs("#endif\n\n/* clang-format on */\n\nOB_END_DECLS\n#endif\n", f);
}
