/* Types: the shared ones, comparing, and making lists and optionals. Almost every type of ATen is
 * one of the shared constants below, so that parsing allocates nothing for it. */
#include <string.h>

#include "core/alloc.h"
#include "schema/parser.h"

static const ob_type simple[OB_TYPE_LIMIT] = {
#define OB_X(name, text) [OB_TYPE_##name] = { OB_TYPE_##name, 0, NULL, NULL },
    OB_TYPE_LIST(OB_X)
#undef OB_X
};

/* For each kind of row above: the type `kind` around it. */
#define OB_AROUND(rows) \
    static const ob_type *const rows##_inner[OB_TYPE_LIMIT] = { OB_TYPE_LIST(OB_X) }

#define OB_X(name, text) [OB_TYPE_##name] = &simple[OB_TYPE_##name],
OB_AROUND(simple);
#undef OB_X

#define OB_X(name, text) \
    [OB_TYPE_##name] = { OB_TYPE_LIST, 1, &simple_inner[OB_TYPE_##name], NULL },
static const ob_type lists[OB_TYPE_LIMIT] = { OB_TYPE_LIST(OB_X) };
#undef OB_X
#define OB_X(name, text) \
    [OB_TYPE_##name] = { OB_TYPE_OPTIONAL, 1, &simple_inner[OB_TYPE_##name], NULL },
static const ob_type optionals[OB_TYPE_LIMIT] = { OB_TYPE_LIST(OB_X) };
#undef OB_X

#define OB_X(name, text) [OB_TYPE_##name] = &lists[OB_TYPE_##name],
OB_AROUND(lists);
#undef OB_X
#define OB_X(name, text) [OB_TYPE_##name] = &optionals[OB_TYPE_##name],
OB_AROUND(optionals);
#undef OB_X

#define OB_X(name, text) \
    [OB_TYPE_##name] = { OB_TYPE_OPTIONAL, 1, &lists_inner[OB_TYPE_##name], NULL },
static const ob_type optional_lists[OB_TYPE_LIMIT] = { OB_TYPE_LIST(OB_X) };
#undef OB_X
#define OB_X(name, text) \
    [OB_TYPE_##name] = { OB_TYPE_LIST, 1, &optionals_inner[OB_TYPE_##name], NULL },
static const ob_type lists_of_optionals[OB_TYPE_LIMIT] = { OB_TYPE_LIST(OB_X) };
#undef OB_X
#undef OB_AROUND

/* True for a type that has neither parts nor a name, of which the constants above are made. */
static bool is_plain(const ob_type *type)
{
    return type->n_inner == 0 && !type->name && type->kind != OB_TYPE_TUPLE;
}

const ob_type *ob_type_simple(ob_type_kind kind)
{
    return &simple[kind];
}

const ob_type *ob_type_wrap(ob_schema_parser *p, ob_type_kind kind, const ob_type *inner)
{
    const bool list = kind == OB_TYPE_LIST;
    if (!list && inner->kind == OB_TYPE_OPTIONAL) return inner;
    if (is_plain(inner)) return list ? &lists[inner->kind] : &optionals[inner->kind];
    if (inner->n_inner == 1 && is_plain(inner->inner[0])) {
        const ob_type_kind innermost = inner->inner[0]->kind;
        if (list && inner->kind == OB_TYPE_OPTIONAL) return &lists_of_optionals[innermost];
        if (!list && inner->kind == OB_TYPE_LIST) return &optional_lists[innermost];
    }
    struct {
        ob_type type;
        const ob_type *inner;
    } *made = ob_schema_alloc(p, sizeof *made);
    if (!made) return NULL;
    made->inner = inner;
    made->type = (ob_type){ kind, 1, &made->inner, NULL };
    return &made->type;
}

bool ob_type_equal(const ob_type *a, const ob_type *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || a->n_inner != b->n_inner) return false;
    if (!a->name != !b->name || (a->name && strcmp(a->name, b->name) != 0)) return false;
    for (int32_t i = 0; i < a->n_inner; i++)
        if (!ob_type_equal(a->inner[i], b->inner[i])) return false;
    return true;
}

int ob_schema_arg(const ob_schema *schema, const char *name)
{
    for (int i = 0; i < schema->n_args; i++)
        if (strcmp(schema->args[i].name, name) == 0) return i;
    return -1;
}

bool ob_argument_is_write(const ob_argument *arg)
{
    return arg->alias && arg->alias->write;
}

bool ob_argument_is_out(const ob_argument *arg)
{
    return arg->kwarg_only && ob_argument_is_write(arg);
}

bool ob_schema_is_view(const ob_schema *schema)
{
    for (int32_t i = 0; i < schema->n_returns; i++)
        if (schema->returns[i].alias && !schema->returns[i].alias->write) return true;
    return false;
}
