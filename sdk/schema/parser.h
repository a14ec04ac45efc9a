/* What the files of the schema parser share. Nobody else includes this.
 *
 *   parse.c    the declaration: name, arguments, returns
 *   type.c     types
 *   default.c  default values
 *   alias.c    alias annotations
 *   types.c    the types that every schema shares; comparing and making types
 *
 * A schema is one block of memory: the object, a copy of the text (names are cut out of it where
 * they stand), the arguments and returns, then whatever types, alias sets and defaults need. Rare
 * schemas need more blocks. */
#ifndef OB_SCHEMA_PARSER_H
#define OB_SCHEMA_PARSER_H

#include "ob/schema.h"
#include "schema/lexer.h"

enum {
    OB_SCHEMA_TEXT_LIMIT = 1 << 16, /* bytes of a declaration */
    OB_SCHEMA_DEPTH_LIMIT = 64,     /* types within types */
    OB_SCHEMA_SET_LIMIT = 16,       /* names in an alias set */
    OB_SCHEMA_LIST_LIMIT = 4096     /* elements of a default */
};

typedef struct ob_schema_parser {
    ob_lexer lex;
    char *copy;     /* the text again, in the schema's block: names end in a NUL there */
    char *at, *end; /* free bytes of the current block */
    struct ob_schema_memory *memory;
    bool type_variables;
    int depth; /* of the type being read */
    int fresh; /* next number of a fresh alias set, `Tensor!` */
} ob_schema_parser;

/* A type as it is read: what calls see, what is written, and the alias annotation (NULL if none).
 */
typedef struct ob_parsed_type {
    const ob_type *type, *real_type;
    const ob_alias *alias;
} ob_parsed_type;

/* Zeroed memory that belongs to the schema; NULL, with OB_ERR_OOM recorded, when out. */
void *ob_schema_alloc(ob_schema_parser *p, size_t bytes);
/* A copy of n bytes with a NUL, in the schema's memory. */
ob_status ob_schema_copy(ob_schema_parser *p, const char *text, size_t n,
                         const char **out) OB_MUST_USE;
/* The name that a token is [borrowed: schema]. Costs nothing: a NUL in the copy of the text. */
const char *ob_schema_name_of(ob_schema_parser *p, ob_token token);

/* Read a type with its suffixes, but not a sized list's: `int[2]` leaves "[2]". */
ob_status ob_schema_parse_type(ob_schema_parser *p, ob_parsed_type *out) OB_MUST_USE;
/* Read "(a! -> b)" or "!"; *out is NULL when neither is there. */
ob_status ob_schema_parse_alias(ob_schema_parser *p, const ob_alias **out) OB_MUST_USE;
/* Make `outer`, the annotation of a list or NULL, the one around `inner`, its elements'. */
ob_status ob_schema_contain(ob_schema_parser *p, const ob_alias *inner,
                            const ob_alias **outer) OB_MUST_USE;
/* Read the value after "=" for an argument whose type is known. */
ob_status ob_schema_parse_default(ob_schema_parser *p, ob_argument *arg) OB_MUST_USE;

/* The shared type of a kind that has no parts and no name. */
const ob_type *ob_type_simple(ob_type_kind kind);
/* `[]` or `?` around a type: shared where it is common, else new; `??` is `?`. NULL when memory is
 * out. */
const ob_type *ob_type_wrap(ob_schema_parser *p, ob_type_kind kind, const ob_type *inner);

#endif
