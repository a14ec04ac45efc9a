/* Reading a declaration. PyTorch: torch/csrc/jit/frontend/function_schema_parser.cpp.
 *
 * A list of k items has k - 1 commas at least, so the arguments and returns of a text with c commas
 * are c + 2 at most: they get one array, and nothing is moved once it is read. */
#include <string.h>

#include "core/alloc.h"
#include "schema/parser.h"

typedef struct block {
    struct block *next;
    int64_t bytes[]; /* the strictest alignment of what is in a schema */
} block;

struct ob_schema_memory {
    ob_schema schema; /* first: ob_schema_free() gets its address */
    block *more;
};

enum { ALIGN = sizeof(int64_t), BLOCK_BYTES = 1024, SPARE_BYTES = 96, BRACKET_BYTES = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

void *ob_schema_alloc(ob_schema_parser *p, size_t bytes)
{
    bytes = aligned(bytes);
    if ((size_t)(p->end - p->at) < bytes) {
        const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block *b = ob_alloc(1, sizeof *b + size);
        if (!b) {
            (void)OB_FAIL(OB_ERR_OOM, "schema: %zu bytes for a declaration", size);
            return NULL;
        }
        b->next = p->memory->more;
        p->memory->more = b;
        p->at = (char *)b->bytes;
        p->end = p->at + size;
    }
    void *memory = p->at;
    p->at += bytes;
    return memory;
}

ob_status ob_schema_copy(ob_schema_parser *p, const char *text, size_t n, const char **out)
{
    char *kept = ob_schema_alloc(p, n + 1);
    if (!kept) return OB_ERR_OOM;
    memcpy(kept, text, n);
    *out = kept;
    return OB_OK;
}

const char *ob_schema_name_of(ob_schema_parser *p, ob_token token)
{
    char *name = p->copy + (token.text - p->lex.text);
    name[token.length] = '\0';
    return name;
}

/* What surrounds the items of an argument or return list. */
typedef struct item_list {
    ob_argument *items;
    int32_t n;
    bool returns, kwarg_only, dots;
} item_list;

/* `[N]` alias? `?`, the suffix that only whole arguments have. */
static ob_status parse_size(ob_schema_parser *p, ob_parsed_type *t, ob_argument *arg)
{
    ob_token number;
    OB_TRY(ob_lexer_expect(&p->lex, '[', NULL));
    OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_NUMBER, &number));
    long long size = 0;
    for (size_t i = 0; i < number.length && number.text[i] >= '0' && number.text[i] <= '9'; i++)
        if ((size = 10 * size + (number.text[i] - '0')) > INT32_MAX)
            return ob_lexer_fail(&p->lex, "a list's size is 2147483647 at most");
    arg->size = size;
    arg->has_size = true;
    OB_TRY(ob_lexer_expect(&p->lex, ']', NULL));
    const ob_alias *outer;
    OB_TRY(ob_schema_parse_alias(p, &outer));
    OB_TRY(ob_schema_contain(p, t->alias, &outer));
    t->alias = outer;
    t->type = ob_type_wrap(p, OB_TYPE_LIST, t->type);
    if (t->type) t->real_type = ob_type_wrap(p, OB_TYPE_LIST, t->real_type);
    if (t->type && t->real_type && ob_lexer_next_if(&p->lex, '?')) {
        t->type = ob_type_wrap(p, OB_TYPE_OPTIONAL, t->type);
        if (t->type) t->real_type = ob_type_wrap(p, OB_TYPE_OPTIONAL, t->real_type);
    }
    return t->type && t->real_type ? OB_OK : OB_ERR_OOM;
}

/* type sized? ident ('=' default)?, the name and default of a return being left out. */
static ob_status parse_item(ob_schema_parser *p, item_list *list)
{
    ob_argument *arg = &list->items[list->n];
    ob_parsed_type t;
    OB_TRY(ob_schema_parse_type(p, &t));
    if (p->lex.token.kind == '[') OB_TRY(parse_size(p, &t, arg));
    arg->type = t.type;
    arg->real_type = t.real_type;
    arg->alias = t.alias;
    arg->name = "";
    arg->kwarg_only = list->kwarg_only;
    ob_token name;
    if (!list->returns || p->lex.token.kind == OB_TOKEN_IDENT) {
        OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &name));
        arg->name = ob_schema_name_of(p, name);
    }
    if (!list->returns && ob_lexer_next_if(&p->lex, '=')) {
        OB_TRY(ob_schema_parse_default(p, arg));
        arg->has_default = true;
    }
    list->n++;
    return OB_OK;
}

/* '(' item, ... ')' with "*" (arguments) and a last "..." */
static ob_status parse_items(ob_schema_parser *p, item_list *list)
{
    OB_TRY(ob_lexer_expect(&p->lex, '(', NULL));
    if (p->lex.token.kind != ')') do {
            if (list->dots) return ob_lexer_fail(&p->lex, "'...' must be the last of its list");
            if (!list->returns && ob_lexer_next_if(&p->lex, '*'))
                list->kwarg_only = true;
            else if (ob_lexer_next_if(&p->lex, OB_TOKEN_DOTS))
                list->dots = true;
            else
                OB_TRY(parse_item(p, list));
        } while (ob_lexer_next_if(&p->lex, ','));
    return ob_lexer_expect(&p->lex, ')', NULL);
}

/* ident ('::' ident)?, as one text. */
static ob_status parse_qualified(ob_schema_parser *p, const char **out)
{
    ob_token ns, name;
    OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &ns));
    if (!ob_lexer_next_if(&p->lex, ':')) {
        *out = ob_schema_name_of(p, ns);
        return OB_OK;
    }
    OB_TRY(ob_lexer_expect(&p->lex, ':', NULL));
    OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &name));
    if (name.text == ns.text + ns.length + 2) { /* as usual: no space within */
        ns.length += 2 + name.length;
        *out = ob_schema_name_of(p, ns);
        return OB_OK;
    }
    char *joined = ob_schema_alloc(p, ns.length + name.length + 3);
    if (!joined) return OB_ERR_OOM;
    memcpy(joined, ns.text, ns.length);
    memcpy(joined + ns.length, "::", 2);
    memcpy(joined + ns.length + 2, name.text, name.length);
    *out = joined;
    return OB_OK;
}

static ob_status parse_name(ob_schema_parser *p, ob_schema *schema)
{
    OB_TRY(parse_qualified(p, &schema->name));
    schema->overload = "";
    if (!ob_lexer_next_if(&p->lex, '.')) return OB_OK;
    ob_token word;
    OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &word));
    schema->overload = ob_schema_name_of(p, word);
    if (strcmp(schema->overload, "default") == 0 || strncmp(schema->overload, "__", 2) == 0) {
        p->lex.token = word;
        return ob_lexer_fail(&p->lex, "an overload may be called neither default nor __anything");
    }
    return OB_OK;
}

/* The rules that concern several arguments at once. */
static ob_status check_arguments(const ob_schema_parser *p, ob_schema *schema)
{
    const ob_argument *defaulted = NULL;
    for (int32_t i = 0; i < schema->n_args; i++) {
        const ob_argument *arg = &schema->args[i];
        schema->is_mutable |= ob_argument_is_write(arg);
        if (arg->has_default) {
            defaulted = arg;
        } else if (defaulted && !arg->kwarg_only && arg->type->kind != OB_TYPE_LIST) {
            return OB_FAIL(
                OB_ERR_PARSE,
                "schema: %s: argument %s has no default but follows %s, which has one\n  %s",
                schema->name, arg->name, defaulted->name, p->lex.text);
        }
    }
    if (schema->is_vararg && defaulted)
        return OB_FAIL(OB_ERR_PARSE,
                       "schema: %s: argument %s has a default, which '...' forbids\n  %s",
                       schema->name, defaulted->name, p->lex.text);
    return OB_OK;
}

static ob_status parse_lists(ob_schema_parser *p, ob_schema *schema, ob_argument *items)
{
    item_list args = { items, 0, false, false, false };
    OB_TRY(parse_items(p, &args));
    schema->args = items;
    schema->n_args = args.n;
    schema->is_vararg = args.dots;
    OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_ARROW, NULL));
    item_list returns = { items + args.n, 0, true, false, false };
    if (ob_lexer_next_if(&p->lex, OB_TOKEN_DOTS))
        returns.dots = true;
    else if (p->lex.token.kind == '(')
        OB_TRY(parse_items(p, &returns));
    else
        OB_TRY(parse_item(p, &returns));
    schema->returns = returns.items;
    schema->n_returns = returns.n;
    schema->is_varret = returns.dots;
    return check_arguments(p, schema);
}

static ob_status parse_declaration(ob_schema_parser *p, unsigned flags, ob_schema *schema,
                                   ob_argument *items)
{
    OB_TRY(parse_name(p, schema));
    if (p->lex.token.kind == '(')
        OB_TRY(parse_lists(p, schema, items));
    else if (!(flags & OB_SCHEMA_NAME_ONLY_OK) || p->lex.token.kind != OB_TOKEN_EOF)
        return ob_lexer_expect(&p->lex, '(', NULL);
    (void)ob_lexer_next_if(&p->lex, OB_TOKEN_NEWLINE);
    return ob_lexer_expect(&p->lex, OB_TOKEN_EOF, NULL);
}

ob_status ob_schema_parse(const char *text, unsigned flags, ob_schema **out)
{
    *out = NULL;
    size_t commas = 0, brackets = 0, n = 0;
    for (; text[n]; n++) {
        commas += text[n] == ',';
        brackets += text[n] == '(' || text[n] == '!';
    }
    if (n > OB_SCHEMA_TEXT_LIMIT)
        return OB_FAIL(OB_ERR_PARSE, "schema: the text has %zu bytes, %d is the most", n,
                       (int)OB_SCHEMA_TEXT_LIMIT);
    const size_t head = aligned(sizeof(struct ob_schema_memory));
    const size_t items = aligned((commas + 2) * sizeof(ob_argument));
    const size_t spare = SPARE_BYTES + BRACKET_BYTES * brackets;
    char *start = ob_alloc(1, head + items + aligned(n + 1) + spare);
    if (!start) return OB_FAIL(OB_ERR_OOM, "schema: memory for %.60s", text);
    ob_schema_parser p = { .copy = start + head + items,
                           .at = start + head + items + aligned(n + 1),
                           .end = start + head + items + aligned(n + 1) + spare,
                           .memory = (void *)start };
    p.type_variables = (flags & OB_SCHEMA_TYPE_VARIABLES) || strncmp(text, "aten::", 6) == 0 ||
                       strncmp(text, "prim::", 6) == 0;
    memcpy(p.copy, text, n + 1);
    ob_lexer_init(&p.lex, text);
    ob_schema *schema = &p.memory->schema;
    schema->impl = p.memory;
    const ob_status st = parse_declaration(&p, flags, schema, (void *)(start + head));
    if (st == OB_OK)
        *out = schema;
    else
        ob_schema_free(schema);
    return st;
}

void ob_schema_free(ob_schema *schema)
{
    if (!schema) return;
    struct ob_schema_memory *memory = (struct ob_schema_memory *)schema;
    for (block *b = memory->more; b;) {
        block *next = b->next;
        ob_free(b);
        b = next;
    }
    ob_free(memory);
}
