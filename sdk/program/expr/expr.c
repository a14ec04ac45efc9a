/* Parser and evaluator of symbolic sizes (see expr.h). Grammar, by precedence:
 *   sum := product (('+'|'-') product)*    product := unary (('*'|'//'|'/'|'%') unary)*    unary :=
 * '-' unary | power power := atom ('**' unary)?            atom := number | '(' sum ')' | name |
 * name '(' args ')' Keyword flags in a head's arguments (integer=True, precision=53) are skipped.
 */
#include "program/expr/expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "ob/schema.h"
#include "program/expr/expr_heads.h"

enum { MAX_DEPTH = 64, NAME_BYTES = 64 };

struct ob_expr {
    ob_number value;          /* a constant, if head is NULL and symbol < 0 */
    int symbol;               /* index, or -1 */
    const ob_expr_head *head; /* NULL for constants and symbols */
    ob_expr **args;           /* owned */
    int n_args;
};

/* ---- symbols
 * -------------------------------------------------------------------------------------------------
 */

void ob_symbols_reset(ob_symbols *symbols)
{
    for (int i = 0; i < symbols->n; i++)
        ob_free(symbols->names[i]);
    ob_free(symbols->names);
    ob_free(symbols->values);
    ob_free(symbols->bound);
    *symbols = (ob_symbols){ 0 };
}

void ob_symbols_unbind(ob_symbols *symbols)
{
    for (int i = 0; i < symbols->n; i++)
        symbols->bound[i] = false;
}

int ob_symbols_find(const ob_symbols *symbols, const char *name)
{
    for (int i = 0; i < symbols->n; i++)
        if (!strcmp(symbols->names[i], name)) return i;
    return -1;
}

static ob_status grow(ob_symbols *s)
{
    const int capacity = s->capacity ? 2 * s->capacity : 8;
    char **names = ob_realloc(s->names, (size_t)capacity, sizeof *names);
    if (names) s->names = names;
    int64_t *values = names ? ob_realloc(s->values, (size_t)capacity, sizeof *values) : NULL;
    if (values) s->values = values;
    bool *bound = values ? ob_realloc(s->bound, (size_t)capacity, sizeof *bound) : NULL;
    if (!bound) return OB_FAIL(OB_ERR_OOM, "no memory for %d symbols", capacity);
    s->bound = bound;
    s->capacity = capacity;
    return OB_OK;
}

static ob_status intern(ob_symbols *s, const char *name, int *out)
{
    *out = ob_symbols_find(s, name);
    if (*out >= 0) return OB_OK;
    if (s->n == s->capacity) OB_TRY(grow(s));
    s->names[s->n] = ob_strdup(name);
    if (!s->names[s->n]) return OB_FAIL(OB_ERR_OOM, "no memory for symbol %s", name);
    s->values[s->n] = 0;
    s->bound[s->n] = false;
    *out = s->n++;
    return OB_OK;
}

/* ---- parser
 * --------------------------------------------------------------------------------------------------
 */

typedef struct parser {
    const char *text, *at;
    ob_symbols *symbols;
    int depth;
} parser;

static ob_status parse_sum(parser *p, ob_expr **out);

static ob_status bad(const parser *p, const char *wanted)
{
    return OB_FAIL(OB_ERR_PARSE, "symbolic size '%.200s': at '%.20s': expected %s", p->text, p->at,
                   wanted);
}

static void skip_space(parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool accept(parser *p, const char *token)
{
    skip_space(p);
    const size_t n = strlen(token);
    if (strncmp(p->at, token, n)) return false;
    p->at += n;
    return true;
}

static ob_status make(ob_expr **out)
{
    *out = ob_alloc(1, sizeof **out);
    if (!*out) return OB_FAIL(OB_ERR_OOM, "no memory for a symbolic size");
    (*out)->symbol = -1;
    return OB_OK;
}

/* Give `e` one more argument; takes it, also on failure. */
static ob_status push(ob_expr *e, ob_expr *arg)
{
    ob_expr **args = e->n_args < OB_EXPR_MAX_ARGS
                         ? ob_realloc(e->args, (size_t)e->n_args + 1, sizeof *args)
                         : NULL;
    if (!args) {
        ob_expr_free(arg);
        return OB_FAIL(OB_ERR_OOM, "no memory for %d arguments in a symbolic size, or over %d",
                       e->n_args + 1, OB_EXPR_MAX_ARGS);
    }
    e->args = args;
    e->args[e->n_args++] = arg;
    return OB_OK;
}

/* Call `head` on left and right (NULL: unary); takes both, also on failure. */
static ob_status call(const char *head, ob_expr *left, ob_expr *right, ob_expr **out)
{
    ob_expr *e = NULL;
    ob_status st = make(&e);
    if (st == OB_OK) {
        e->head = ob_expr_head_find(head);
        st = push(e, left);
        left = NULL;
    }
    if (st == OB_OK && right) {
        st = push(e, right);
        right = NULL;
    }
    if (st != OB_OK) {
        ob_expr_free(e);
        ob_expr_free(left);
        ob_expr_free(right);
        e = NULL;
    }
    *out = e;
    return st;
}

static ob_status parse_number(parser *p, ob_expr **out)
{
    char *end = NULL, *end_float = NULL;
    errno = 0;
    const long long i = strtoll(p->at, &end, 10);
    const int int_error = errno;
    const double d = strtod(p->at, &end_float);
    OB_TRY(make(out));
    if (end_float > end)
        (*out)->value = (ob_number){ .is_float = true, .d = d };
    else if (int_error)
        return bad(p, "an int of 64 bits");
    else
        (*out)->value = (ob_number){ .i = i };
    p->at = end_float > end ? end_float : end;
    return OB_OK;
}

static ob_status parse_name(parser *p, char *name)
{
    skip_space(p);
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
        n++;
    if (n == 0 || n >= NAME_BYTES) return bad(p, "a name of 1 to 63 characters");
    memcpy(name, p->at, n);
    name[n] = 0;
    p->at += n;
    return OB_OK;
}

/* 'text', as Symbol and Float have it. */
static ob_status parse_quoted(parser *p, char *text)
{
    if (!accept(p, "'")) return bad(p, "a quoted text");
    const char *end = strchr(p->at, '\'');
    if (!end || end - p->at >= NAME_BYTES) return bad(p, "a quoted text of at most 63 characters");
    memcpy(text, p->at, (size_t)(end - p->at));
    text[end - p->at] = 0;
    p->at = end + 1;
    return OB_OK;
}

/* `, name=value` up to the closing parenthesis. */
static ob_status skip_flags(parser *p)
{
    char name[NAME_BYTES];
    while (accept(p, ",")) {
        OB_TRY(parse_name(p, name));
        if (!accept(p, "=")) return bad(p, "'='");
        OB_TRY(parse_name(p, name));
    }
    return accept(p, ")") ? OB_OK : bad(p, "')'");
}

static ob_status parse_symbol(parser *p, const char *name, ob_expr **out)
{
    OB_TRY(make(out));
    return intern(p->symbols, name, &(*out)->symbol);
}

static ob_status parse_args(parser *p, ob_expr *e)
{
    char name[NAME_BYTES];
    while (!accept(p, ")")) {
        if (e->n_args > 0 && !accept(p, ",")) return bad(p, "',' or ')'");
        const char *before = p->at;
        skip_space(p);
        if (isalpha((unsigned char)*p->at) && parse_name(p, name) == OB_OK && accept(p, "=")) {
            OB_TRY(parse_name(p, name)); /* a flag such as evaluate=False */
            continue;
        }
        p->at = before;
        ob_expr *arg = NULL;
        OB_TRY(parse_sum(p, &arg));
        OB_TRY(push(e, arg));
    }
    if (e->n_args < e->head->least || e->n_args > e->head->most)
        return OB_FAIL(OB_ERR_PARSE,
                       "symbolic size '%.200s': %s has %d arguments, should have %d to %d", p->text,
                       e->head->name, e->n_args, e->head->least, e->head->most);
    return OB_OK;
}

static ob_status parse_call(parser *p, const char *name, ob_expr **out)
{
    char text[NAME_BYTES];
    if (!strcmp(name, "Symbol")) {
        OB_TRY(parse_quoted(p, text));
        OB_TRY(parse_symbol(p, text, out));
        return skip_flags(p);
    }
    if (!strcmp(name, "Float")) {
        OB_TRY(parse_quoted(p, text));
        OB_TRY(make(out));
        char *end = NULL;
        (*out)->value = (ob_number){ .is_float = true, .d = strtod(text, &end) };
        return *end ? bad(p, "a number in quotes") : skip_flags(p);
    }
    if (!strcmp(name, "Integer")) {
        OB_TRY(parse_sum(p, out));
        return skip_flags(p);
    }
    const ob_expr_head *head = ob_expr_head_find(name);
    if (!head)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "symbolic size '%.200s': unknown function %s", p->text,
                       name);
    OB_TRY(make(out));
    (*out)->head = head;
    return parse_args(p, *out);
}

static ob_status parse_atom(parser *p, ob_expr **out)
{
    char name[NAME_BYTES];
    skip_space(p);
    if (isdigit((unsigned char)*p->at)) return parse_number(p, out);
    if (accept(p, "(")) {
        OB_TRY(parse_sum(p, out));
        return accept(p, ")") ? OB_OK : bad(p, "')'");
    }
    OB_TRY(parse_name(p, name));
    return accept(p, "(") ? parse_call(p, name, out) : parse_symbol(p, name, out);
}

static ob_status parse_unary(parser *p, ob_expr **out)
{
    if (accept(p, "-")) {
        ob_expr *inner = NULL;
        if (p->depth >= MAX_DEPTH) return bad(p, "fewer than 64 levels");
        p->depth++;
        const ob_status st = parse_unary(p, &inner);
        p->depth--;
        if (st != OB_OK) {
            ob_expr_free(inner);
            return st;
        }
        return call("Neg", inner, NULL, out);
    }
    OB_TRY(parse_atom(p, out));
    if (!accept(p, "**")) return OB_OK;
    ob_expr *base = *out, *power = NULL;
    *out = NULL;
    const ob_status st = parse_atom(p, &power);
    if (st != OB_OK) {
        ob_expr_free(base);
        ob_expr_free(power);
        return st;
    }
    return call("Pow", base, power, out);
}

/* One operator level: tokens with their heads, and the level below. */
typedef struct level {
    const char *tokens[4][2];
    ob_status (*operand)(parser *p, ob_expr **out);
} level;

static const char *accept_operator(parser *p, const level *l)
{
    for (int i = 0; i < 4 && l->tokens[i][0]; i++) {
        skip_space(p);
        if (!strcmp(l->tokens[i][0], "*") && !strncmp(p->at, "**", 2)) continue;
        if (accept(p, l->tokens[i][0])) return l->tokens[i][1];
    }
    return NULL;
}

static ob_status parse_level(parser *p, const level *l, ob_expr **out)
{
    OB_TRY(l->operand(p, out));
    for (const char *head; (head = accept_operator(p, l));) {
        ob_expr *left = *out, *right = NULL;
        *out = NULL;
        const ob_status st = l->operand(p, &right);
        if (st != OB_OK) {
            ob_expr_free(left);
            ob_expr_free(right);
            return st;
        }
        OB_TRY(call(head, left, right, out));
    }
    return OB_OK;
}

static ob_status parse_product(parser *p, ob_expr **out)
{
    static const level products = {
        { { "//", "FloorDiv" }, { "/", "IntTrueDiv" }, { "*", "Mul" }, { "%", "Mod" } }, parse_unary
    };
    return parse_level(p, &products, out);
}

static ob_status parse_sum(parser *p, ob_expr **out)
{
    static const level sums = { { { "+", "Add" }, { "-", "Sub" } }, parse_product };
    if (p->depth >= MAX_DEPTH) return bad(p, "fewer than 64 levels");
    p->depth++;
    const ob_status st = parse_level(p, &sums, out);
    p->depth--;
    return st;
}

ob_status ob_expr_parse(const char *text, ob_symbols *symbols, ob_expr **out)
{
    *out = NULL;
    parser p = { .text = text, .at = text, .symbols = symbols };
    ob_status st = parse_sum(&p, out);
    if (st == OB_OK) {
        skip_space(&p);
        if (*p.at) st = bad(&p, "the end");
    }
    if (st != OB_OK) {
        ob_expr_free(*out);
        *out = NULL;
    }
    return st;
}

void ob_expr_free(ob_expr *e)
{
    if (!e) return;
    for (int i = 0; i < e->n_args; i++)
        ob_expr_free(e->args[i]);
    ob_free(e->args);
    ob_free(e);
}

/* ---- evaluation
 * ---------------------------------------------------------------------------------------------- */

static ob_status eval(const ob_expr *e, const ob_symbols *symbols, ob_number *out)
{
    *out = e->value;
    if (e->symbol >= 0) {
        if (!symbols->bound[e->symbol])
            return OB_FAIL(OB_ERR_STATE, "symbolic size %s is not bound by any input",
                           symbols->names[e->symbol]);
        *out = (ob_number){ .i = symbols->values[e->symbol] };
    }
    if (!e->head) return OB_OK;
    ob_number args[OB_EXPR_MAX_ARGS];
    for (int i = 0; i < e->n_args; i++)
        OB_TRY(eval(e->args[i], symbols, &args[i]));
    return e->head->call(args, e->n_args, out);
}

ob_status ob_expr_eval(const ob_expr *e, const ob_symbols *symbols, int64_t *out)
{
    ob_number n;
    *out = 0;
    OB_TRY(eval(e, symbols, &n));
    return ob_number_int(n, out);
}

int ob_expr_symbol(const ob_expr *e)
{
    return e->symbol;
}

bool ob_expr_constant(const ob_expr *e, int64_t *out)
{
    *out = e->value.i;
    return e->symbol < 0 && !e->head && !e->value.is_float;
}

static int unbound_symbol(const ob_expr *e, const ob_symbols *symbols, int found)
{
    if (e->symbol >= 0 && !symbols->bound[e->symbol])
        return found >= 0 && found != e->symbol ? -2 : e->symbol;
    for (int i = 0; i < e->n_args && found != -2; i++)
        found = unbound_symbol(e->args[i], symbols, found);
    return found;
}

bool ob_expr_solve(const ob_expr *e, ob_symbols *symbols, int64_t value)
{
    const int s = unbound_symbol(e, symbols, -1);
    if (s < 0) return false;
    int64_t y[3], slope, s_value;
    symbols->bound[s] = true;
    for (int i = 0; i < 3; i++) { /* three points tell a line from a curve */
        symbols->values[s] = i + 8;
        if (ob_expr_eval(e, symbols, &y[i]) != OB_OK) goto fail;
    }
    if (OB_SUB_OVERFLOW(y[1], y[0], &slope) || slope == 0 || y[2] - y[1] != slope) goto fail;
    if (OB_SUB_OVERFLOW(value, y[0], &s_value) || s_value % slope != 0) goto fail;
    symbols->values[s] = 8 + s_value / slope;
    if (ob_expr_eval(e, symbols, &y[0]) == OB_OK && y[0] == value) return true;
fail:
    symbols->bound[s] = false;
    return false;
}
