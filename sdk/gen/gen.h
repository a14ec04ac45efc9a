/* The generator ob_gen: reads the ATen table and the list of composites, which are compiled in, and
 * writes C text into the build tree: ob/ops.h, the sources behind it, and the glue of the
 * composites. Runs at build time only; the one program here that may print and exit.
 *
 *   main.c        the table, and which files to write
 *   fields.c      C types and initialisers of schema types (fields.inc)
 *   header.c      ob/ops.h
 *   sources.c     ops_<n>.c: the functions of ob/ops.h
 *   composites.c  composites_gen.h and composites_gen.c
 *
 * typed.h and typed.c are not part of it: they are what the generated sources call. */
#ifndef OB_GEN_GEN_H
#define OB_GEN_GEN_H

#include <stdio.h>

#include "ob/inspect.h"

/* A row of the ATen table. */
typedef struct gen_op {
    const char *c_name, *text; /* schema as in the table */
    ob_aten_family family;
    ob_schema *schema;
    bool typed; /* has a C prototype: in scope, and all its types have a C form */
} gen_op;

typedef struct gen_table {
    gen_op *ops;
    size_t n;
} gen_table;

/* A C type of fields.inc. */
typedef struct gen_field {
    char code;          /* in the descriptions of argument structs */
    const char *box;    /* "ints" */
    const char *c_type; /* "ob_ints" */
    const char *absent; /* initialiser for "not given"; "" when zero */
} gen_field;

/* The C form of a type; NULL when there is none. */
const gen_field *gen_field_of(const ob_type *type);
/* Write "ob_ints name". */
void gen_declare(FILE *f, const ob_type *type, const char *name);
/* Write the string that describes a struct of these: a code per field. */
void gen_codes(FILE *f, const ob_argument *args, int32_t n);
/* Write ".name = value, " for an argument whose "not given" or default is not all zero bytes. */
void gen_initialiser(FILE *f, const ob_argument *arg);
/* Write the name of the constant that holds a list default, e.g. ob_list_1_1. */
void gen_list_name(FILE *f, const ob_value *v);
/* Write a declaration of each such constant after the words `before`, or its definition. */
void gen_lists(FILE *f, const gen_table *t, const char *before, bool values);
/* Name of return i: the schema's, else out0, out1 ... [borrowed: buf or the schema]. */
const char *gen_return_name(const ob_schema *schema, int i, char buf[16]);
/* Write the C type that the op's function returns, ready for the name to follow. */
void gen_return_type(FILE *f, const gen_op *op);

void gen_header(FILE *f, const gen_table *t);
/* Part i of n. */
void gen_source(FILE *f, const gen_table *t, size_t i, size_t n);
void gen_composites_header(FILE *f, const gen_table *t);
void gen_composites_source(FILE *f, const gen_table *t);
/* False, with a message, when a row of composites.inc names no op that has a prototype. */
bool gen_composites_check(const gen_table *t);

#endif
