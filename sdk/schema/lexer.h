/* Tokens of a schema declaration. PyTorch: torch/csrc/jit/frontend/lexer.h, of which only what a
 * schema can meet is here.
 *
 * Newlines count only outside brackets; leading ones are skipped and a run of them is one token.
 * Multi-character operators are taken greedily ("**", "=="), as PyTorch does, so that the same
 * texts are refused. The text is NUL-terminated and borrowed. */
#ifndef OB_SCHEMA_LEXER_H
#define OB_SCHEMA_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "ob/status.h"

/* Kinds below 256 are the character itself. X(enumerator, what messages call it) */
#define OB_TOKEN_LIST(X)              \
    X(EOF, "the end of the text")     \
    X(NEWLINE, "the end of the line") \
    X(IDENT, "a name")                \
    X(NUMBER, "a number")             \
    X(STRING, "a string literal")     \
    X(ARROW, "'->'")                  \
    X(DOTS, "'...'")                  \
    X(NONE, "None")                   \
    X(NONE_TYPE, "NoneType")          \
    X(TRUE, "True")                   \
    X(FALSE, "False")                 \
    X(RESERVED, "a reserved word")    \
    X(OPERATOR, "an operator")        \
    X(BAD, "a character that starts no token")

typedef enum ob_token_kind {
    OB_TOKEN_FIRST = 255,
#define OB_X(name, text) OB_TOKEN_##name,
    OB_TOKEN_LIST(OB_X)
#undef OB_X
        OB_TOKEN_LIMIT
} ob_token_kind;

typedef struct ob_token {
    int kind;         /* a character, or ob_token_kind */
    const char *text; /* first byte [borrowed from the text] */
    size_t length;
} ob_token;

typedef struct ob_lexer {
    const char *text; /* start of the whole text */
    const char *at;   /* first byte not yet read */
    int nesting;      /* open brackets */
    ob_token token;   /* the current one */
} ob_lexer;

/* Start at the first token of `text`. */
void ob_lexer_init(ob_lexer *l, const char *text);
/* Go on to the next token. At the end it stays there. */
void ob_lexer_next(ob_lexer *l);
/* Kind of the token after the current one. */
int ob_lexer_peek(const ob_lexer *l);
/* Take the current token if it is of this kind. */
bool ob_lexer_next_if(ob_lexer *l, int kind);
/* Fail at the current token: OB_ERR_PARSE, "schema: <what>", the line, and a marker under it. */
ob_status ob_lexer_fail(const ob_lexer *l, const char *what) OB_MUST_USE;
/* Take a token of this kind into *out (may be NULL), or fail saying what was expected and found. */
ob_status ob_lexer_expect(ob_lexer *l, int kind, ob_token *out) OB_MUST_USE;

#endif
