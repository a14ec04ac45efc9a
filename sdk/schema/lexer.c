/* The schema lexer; see lexer.h. One table says what each byte can be, so that the common tokens
 * (names, blanks, brackets) cost one look-up per byte. */
#include "schema/lexer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* JOINS: may be the second character of an operator. */
enum { WORD_START = 1, DIGIT = 2, WORD = 3, BLANK = 4, SINGLE = 8, HEX = 16, JOINS = 32 };

/* clang-format off */
static const uint8_t classes[256] = {
    ['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK,
    ['0'] = DIGIT | HEX, ['1'] = DIGIT | HEX, ['2'] = DIGIT | HEX, ['3'] = DIGIT | HEX, ['4'] = DIGIT | HEX,
    ['5'] = DIGIT | HEX, ['6'] = DIGIT | HEX, ['7'] = DIGIT | HEX, ['8'] = DIGIT | HEX, ['9'] = DIGIT | HEX,
    ['A'] = WORD_START | HEX, ['B'] = WORD_START | HEX, ['C'] = WORD_START | HEX, ['D'] = WORD_START | HEX,
    ['E'] = WORD_START | HEX, ['F'] = WORD_START | HEX, ['G'] = WORD_START, ['H'] = WORD_START, ['I'] = WORD_START,
    ['J'] = WORD_START, ['K'] = WORD_START, ['L'] = WORD_START, ['M'] = WORD_START, ['N'] = WORD_START,
    ['O'] = WORD_START, ['P'] = WORD_START, ['Q'] = WORD_START, ['R'] = WORD_START, ['S'] = WORD_START,
    ['T'] = WORD_START, ['U'] = WORD_START, ['V'] = WORD_START, ['W'] = WORD_START, ['X'] = WORD_START,
    ['Y'] = WORD_START, ['Z'] = WORD_START, ['_'] = WORD_START,
    ['a'] = WORD_START | HEX, ['b'] = WORD_START | HEX, ['c'] = WORD_START | HEX, ['d'] = WORD_START | HEX,
    ['e'] = WORD_START | HEX, ['f'] = WORD_START | HEX, ['g'] = WORD_START, ['h'] = WORD_START, ['i'] = WORD_START,
    ['j'] = WORD_START, ['k'] = WORD_START, ['l'] = WORD_START, ['m'] = WORD_START, ['n'] = WORD_START,
    ['o'] = WORD_START, ['p'] = WORD_START, ['q'] = WORD_START, ['r'] = WORD_START, ['s'] = WORD_START,
    ['t'] = WORD_START, ['u'] = WORD_START, ['v'] = WORD_START, ['w'] = WORD_START, ['x'] = WORD_START,
    ['y'] = WORD_START, ['z'] = WORD_START,
    ['+'] = SINGLE, ['-'] = SINGLE, ['*'] = SINGLE | JOINS, ['/'] = SINGLE | JOINS, ['%'] = SINGLE, ['@'] = SINGLE, ['('] = SINGLE,
    [')'] = SINGLE, ['['] = SINGLE, [']'] = SINGLE, [':'] = SINGLE, [','] = SINGLE, ['='] = SINGLE | JOINS, ['{'] = SINGLE,
    ['}'] = SINGLE, ['>'] = SINGLE | JOINS, ['<'] = SINGLE | JOINS, ['.'] = SINGLE | JOINS, ['?'] = SINGLE, ['!'] = SINGLE, ['&'] = SINGLE,
    ['^'] = SINGLE, ['|'] = SINGLE, ['~'] = SINGLE,
};
/* clang-format on */

static uint8_t class_of(char c)
{
    return classes[(unsigned char)c];
}

/* Words that are no names, in order of their first letter. */
static const struct word {
    const char *text;
    uint8_t length;
    uint16_t kind;
} words[] = {
/* clang-format off */
#define OB_WORD(text, kind) { text, sizeof(text) - 1, OB_TOKEN_##kind },
    OB_WORD("Ellipsis", RESERVED) OB_WORD("False", FALSE) OB_WORD("None", NONE) OB_WORD("NoneType", NONE_TYPE)
    OB_WORD("True", TRUE) OB_WORD("and", RESERVED) OB_WORD("as", RESERVED) OB_WORD("assert", RESERVED)
    OB_WORD("break", RESERVED) OB_WORD("class", RESERVED) OB_WORD("continue", RESERVED) OB_WORD("def", RESERVED)
    OB_WORD("del", RESERVED) OB_WORD("elif", RESERVED) OB_WORD("else", RESERVED) OB_WORD("for", RESERVED)
    OB_WORD("global", RESERVED) OB_WORD("if", RESERVED) OB_WORD("import", RESERVED) OB_WORD("in", RESERVED)
    OB_WORD("is", RESERVED) OB_WORD("not", RESERVED) OB_WORD("or", RESERVED) OB_WORD("pass", RESERVED)
    OB_WORD("raise", RESERVED) OB_WORD("return", RESERVED) OB_WORD("while", RESERVED) OB_WORD("with", RESERVED)
#undef OB_WORD
    /* clang-format on */
};

static int word_kind(const char *text, size_t length)
{
    if (length < 2 || length > 8) return OB_TOKEN_IDENT;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && words[i].text[0] <= text[0]; i++)
        if (words[i].text[0] == text[0] && words[i].length == length &&
            memcmp(words[i].text, text, length) == 0)
            return words[i].kind;
    return OB_TOKEN_IDENT;
}

/* Operators of several characters, longest first. */
static const struct {
    const char *text;
    int kind;
} operators[] = {
    { "...", OB_TOKEN_DOTS },     { "**=", OB_TOKEN_OPERATOR }, { "<<=", OB_TOKEN_OPERATOR },
    { ">>=", OB_TOKEN_OPERATOR }, { "->", OB_TOKEN_ARROW },     { "**", OB_TOKEN_OPERATOR },
    { "//", OB_TOKEN_OPERATOR },  { "==", OB_TOKEN_OPERATOR },  { "!=", OB_TOKEN_OPERATOR },
    { "<=", OB_TOKEN_OPERATOR },  { ">=", OB_TOKEN_OPERATOR },  { "<<", OB_TOKEN_OPERATOR },
    { ">>", OB_TOKEN_OPERATOR },  { "+=", OB_TOKEN_OPERATOR },  { "-=", OB_TOKEN_OPERATOR },
    { "*=", OB_TOKEN_OPERATOR },  { "/=", OB_TOKEN_OPERATOR },  { "%=", OB_TOKEN_OPERATOR },
    { "&=", OB_TOKEN_OPERATOR },  { "|=", OB_TOKEN_OPERATOR },  { "^=", OB_TOKEN_OPERATOR },
};

static int operator_at(const char *p, size_t *length)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const size_t n = strlen(operators[i].text);
        if (strncmp(p, operators[i].text, n) == 0) {
            *length = n;
            return operators[i].kind;
        }
    }
    *length = 1;
    return (unsigned char)*p;
}

/* Length of the C number at p, with a trailing j; 0 when there is none. */
static size_t number_length(const char *p)
{
    const char *q = p;
    if (q[0] == '0' && (q[1] == 'x' || q[1] == 'X') && (class_of(q[2]) & HEX)) {
        for (q += 2; class_of(*q) & HEX;)
            q++;
    } else {
        while (class_of(*q) & DIGIT)
            q++;
        const bool whole = q > p;
        if (*q == '.' && (whole || (class_of(q[1]) & DIGIT)))
            for (q++; class_of(*q) & DIGIT;)
                q++;
        if (q == p) return 0;
        if (*q == 'e' || *q == 'E') {
            const char *e = q + 1 + (q[1] == '+' || q[1] == '-');
            if (class_of(*e) & DIGIT)
                for (q = e; class_of(*q) & DIGIT;)
                    q++;
        }
    }
    return (size_t)(q - p) + (*q == 'j');
}

/* Length of the string literal at p with its quotes; 0 when it does not end. */
static size_t string_length(const char *p)
{
    const char quote = *p;
    const bool triple = p[1] == quote && p[2] == quote;
    const char *q = p + (triple ? 3 : 1);
    while (*q) {
        if (*q == quote && (!triple || (q[1] == quote && q[2] == quote)))
            return (size_t)(q - p) + (triple ? 3 : 1);
        if (*q == '\n' && !triple) return 0;
        if (*q == '\\' && q[1]) q++;
        q++;
    }
    return 0;
}

/* Skip blanks, comments, joined lines; true when a line ended outside brackets. */
static bool skip_space(ob_lexer *l)
{
    bool newline = false;
    const char *p = l->at;
    for (;; p++) {
        if (class_of(*p) & BLANK) continue;
        if (*p == '\n') {
            newline |= l->nesting <= 0;
        } else if (*p == '\\' && p[1] == '\n' && !newline) {
            p++;
        } else if (*p == '#' && strncmp(p, "# type:", 7) != 0) {
            while (p[1] && p[1] != '\n')
                p++;
        } else {
            break;
        }
    }
    l->at = p;
    return newline;
}

static void set_token(ob_lexer *l, int kind, size_t length)
{
    l->token = (ob_token){ kind, l->at, length };
    l->at += length;
}

static void read_token(ob_lexer *l)
{
    const char *p = l->at;
    const uint8_t kind = class_of(*p);
    if (*p == '\0') {
        set_token(l, OB_TOKEN_EOF, 0);
    } else if (kind & WORD_START) {
        const char *q = p + 1;
        while (class_of(*q) & WORD)
            q++;
        set_token(l, word_kind(p, (size_t)(q - p)), (size_t)(q - p));
    } else if ((kind & DIGIT) || (*p == '.' && (class_of(p[1]) & DIGIT))) {
        set_token(l, OB_TOKEN_NUMBER, number_length(p));
    } else if (*p == '"' || *p == '\'') {
        const size_t n = string_length(p);
        set_token(l, n ? OB_TOKEN_STRING : OB_TOKEN_BAD, n ? n : 1);
    } else if (kind & SINGLE) {
        size_t n = 1;
        int token = (unsigned char)*p;
        if (class_of(p[1]) & JOINS) token = operator_at(p, &n);
        l->nesting += (token == '(') + (token == '[') + (token == '{');
        l->nesting -= (token == ')') + (token == ']') + (token == '}');
        set_token(l, token, n);
    } else {
        set_token(l, OB_TOKEN_BAD, 1);
    }
}

void ob_lexer_init(ob_lexer *l, const char *text)
{
    *l = (ob_lexer){ text, text, 0, { OB_TOKEN_BAD, text, 0 } };
    (void)skip_space(l);
    read_token(l);
}

void ob_lexer_next(ob_lexer *l)
{
    if (skip_space(l))
        set_token(l, OB_TOKEN_NEWLINE, 0);
    else
        read_token(l);
}

int ob_lexer_peek(const ob_lexer *l)
{
    ob_lexer ahead = *l;
    ob_lexer_next(&ahead);
    return ahead.token.kind;
}

bool ob_lexer_next_if(ob_lexer *l, int kind)
{
    if (l->token.kind != kind) return false;
    ob_lexer_next(l);
    return true;
}

static const char *kind_name(int kind, char buf[4])
{
    static const char *const names[] = {
#define OB_X(name, text) text,
        OB_TOKEN_LIST(OB_X)
#undef OB_X
    };
    if (kind > OB_TOKEN_FIRST) return names[kind - OB_TOKEN_FIRST - 1];
    snprintf(buf, 4, "'%c'", kind);
    return buf;
}

enum { LINE_BYTES = 96 }; /* of the source are shown */

ob_status ob_lexer_fail(const ob_lexer *l, const char *what)
{
    const char *place = l->token.text;
    const char *line = place;
    while (line > l->text && line[-1] != '\n' && place - line < LINE_BYTES / 2)
        line--;
    const char *end = place;
    while (*end && *end != '\n' && end - line < LINE_BYTES)
        end++;
    return OB_FAIL(OB_ERR_PARSE, "schema: %s\n  %.*s\n  %*s^", what, (int)(end - line), line,
                   (int)(place - line), "");
}

ob_status ob_lexer_expect(ob_lexer *l, int kind, ob_token *out)
{
    if (l->token.kind != kind) {
        char wanted[4], found[4], what[128];
        snprintf(what, sizeof what, "%s should be here, but it is %s%s%.*s",
                 kind_name(kind, wanted), kind_name(l->token.kind, found),
                 l->token.kind == OB_TOKEN_IDENT || l->token.kind == OB_TOKEN_RESERVED ? " " : "",
                 l->token.kind == OB_TOKEN_IDENT || l->token.kind == OB_TOKEN_RESERVED
                     ? (int)(l->token.length < 32 ? l->token.length : 32)
                     : 0,
                 l->token.text);
        return ob_lexer_fail(l, what);
    }
    if (out) *out = l->token;
    ob_lexer_next(l);
    return OB_OK;
}
