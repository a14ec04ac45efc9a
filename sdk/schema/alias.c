/* Reading alias annotations: `(a)` member of a set, `(a!)` written to, `(a -> b)` moved, `*` any
 * set,
 * `!` alone a fresh set. */
#include <stdio.h>
#include <string.h>

#include "schema/parser.h"

typedef struct name_set {
    const char *names[OB_SCHEMA_SET_LIMIT];
    int32_t n;
} name_set;

/* elem ('|' elem)*, where nothing may follow a wildcard but another one. */
static ob_status parse_set(ob_schema_parser *p, name_set *set)
{
    bool wild = false;
    do {
        const char *name = "*";
        if (ob_lexer_next_if(&p->lex, '*')) {
            wild = true;
        } else if (!wild) {
            ob_token word;
            OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &word));
            name = ob_schema_name_of(p, word);
        }
        bool known = false;
        for (int32_t i = 0; i < set->n; i++)
            known |= strcmp(set->names[i], name) == 0;
        if (known) continue;
        if (set->n == OB_SCHEMA_SET_LIMIT)
            return ob_lexer_fail(&p->lex, "an alias set has more than 16 names");
        set->names[set->n++] = name;
    } while (ob_lexer_next_if(&p->lex, '|'));
    return OB_OK;
}

static ob_status keep_set(ob_schema_parser *p, const name_set *set, const char *const **out)
{
    const char **kept = ob_schema_alloc(p, (size_t)set->n * sizeof *kept);
    if (!kept) return OB_ERR_OOM;
    memcpy(kept, set->names, (size_t)set->n * sizeof *kept);
    *out = kept;
    return OB_OK;
}

/* What is between the brackets; "(" was read. */
static ob_status parse_annotation(ob_schema_parser *p, ob_alias *alias)
{
    name_set before = { { NULL }, 0 };
    OB_TRY(parse_set(p, &before));
    OB_TRY(keep_set(p, &before, &alias->before));
    alias->n_before = alias->n_after = before.n;
    alias->after = alias->before;
    alias->write = ob_lexer_next_if(&p->lex, '!');
    if (ob_lexer_next_if(&p->lex, OB_TOKEN_ARROW)) {
        name_set after = { { NULL }, 0 };
        OB_TRY(parse_set(p, &after));
        OB_TRY(keep_set(p, &after, &alias->after));
        alias->n_after = after.n;
    }
    return ob_lexer_expect(&p->lex, ')', NULL);
}

/* `Tensor!`: a set that nobody else is in, named $0, $1 ... */
static ob_status make_fresh(ob_schema_parser *p, ob_alias *alias)
{
    char name[16];
    const int n = snprintf(name, sizeof name, "$%d", p->fresh++);
    name_set set = { { NULL }, 1 };
    OB_TRY(ob_schema_copy(p, name, (size_t)n, &set.names[0]));
    OB_TRY(keep_set(p, &set, &alias->before));
    alias->n_before = 1;
    alias->write = true;
    return OB_OK;
}

ob_status ob_schema_parse_alias(ob_schema_parser *p, const ob_alias **out)
{
    *out = NULL;
    const int kind = p->lex.token.kind;
    if (kind != '(' && kind != '!') return OB_OK;
    ob_lexer_next(&p->lex);
    ob_alias *alias = ob_schema_alloc(p, sizeof *alias);
    if (!alias) return OB_ERR_OOM;
    OB_TRY(kind == '(' ? parse_annotation(p, alias) : make_fresh(p, alias));
    *out = alias;
    return OB_OK;
}

ob_status ob_schema_contain(ob_schema_parser *p, const ob_alias *inner, const ob_alias **outer)
{
    if (!inner) return OB_OK;
    ob_alias *made = ob_schema_alloc(p, sizeof *made);
    if (!made) return OB_ERR_OOM;
    if (*outer)
        *made = **outer;
    else
        made->write = inner->write;
    made->contained = inner;
    *outer = made;
    return OB_OK;
}
