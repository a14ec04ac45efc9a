/* Function schemas: ATen's signature language, parsed. PyTorch:
 * torch/csrc/jit/frontend/function_schema_parser.
 *
 * The grammar and its quirks are those of PyTorch 2.13 (type variables, sized lists, alias sets,
 * defaults that are not checked against the type). All text is hostile until parsed. A schema is
 * one owned object; everything that hangs on it is borrowed from it. */
#ifndef OB_SCHEMA_H
#define OB_SCHEMA_H

#include "ob/dispatch.h"

OB_BEGIN_DECLS

/* clang-format off */
/* X(enumerator, text in a schema) */
#define OB_TYPE_LIST(X)                                                                                      \
    X(TENSOR, "Tensor") X(GENERATOR, "Generator") X(DTYPE, "ScalarType") X(LAYOUT, "Layout")                 \
    X(MEMORY_FORMAT, "MemoryFormat") X(STORAGE, "Storage") X(QSCHEME, "QScheme") X(QUANTIZER, "Quantizer")   \
    X(DEVICE, "Device") X(STREAM, "Stream") X(SCALAR, "Scalar") X(STRING, "str") X(FLOAT, "float")           \
    X(COMPLEX, "complex") X(INT, "int") X(SYM_INT, "SymInt") X(SYM_BOOL, "SymBool") X(BOOL, "bool")          \
    X(NONE, "NoneType") X(CAPSULE, "Capsule") X(ANY, "Any") X(ANY_CLASS, "AnyClassType")                     \
    X(ANY_ENUM, "AnyEnumType") X(LIST, "[]") X(OPTIONAL, "?") X(TUPLE, "()") X(DICT, "Dict")                 \
    X(UNION, "Union") X(FUTURE, "Future") X(RREF, "RRef") X(AWAIT, "Await") X(CLASS, "__torch__")            \
    X(VARIABLE, "t")
/* clang-format on */

typedef enum ob_type_kind {
#define OB_X(name, text) OB_TYPE_##name,
    OB_TYPE_LIST(OB_X)
#undef OB_X
        OB_TYPE_LIMIT
} ob_type_kind;

typedef struct ob_type {
    ob_type_kind kind;
    int32_t n_inner; /* LIST, OPTIONAL, FUTURE ...: 1; DICT: 2; TUPLE, UNION: any */
    const struct ob_type *const *inner; /* element types */
    const char *name; /* CLASS: the dotted name; VARIABLE: the variable; else NULL */
} ob_type;

/** `(a! -> b)` on a type; sets are names, "*" is the wildcard. */
typedef struct ob_alias {
    bool write;
    int32_t n_before, n_after;
    const char *const *before, *const *after;
    const struct ob_alias *contained; /* of a list's elements; NULL when none */
} ob_alias;

typedef struct ob_argument {
    const char *name; /* "" for an unnamed return */
    const ob_type
        *type; /* as PyTorch's "type": SymInt, ScalarType, Layout and MemoryFormat read as int */
    const ob_type *real_type; /* as written */
    const ob_alias *alias;    /* NULL when none */
    ob_value value;           /* default; borrowed parts belong to the schema */
    int64_t size;             /* N of `int[N]`; 0 when none is given */
    bool has_size, has_default, kwarg_only;
} ob_argument;

struct ob_schema {
    const char *name;     /* "aten::add"; without namespace when the text had none */
    const char *overload; /* "" when none */
    const ob_argument *args, *returns;
    int32_t n_args, n_returns;
    bool is_vararg, is_varret;
    bool is_mutable; /* some argument is a write */
    const void *impl;
};

enum {
    OB_SCHEMA_TYPE_VARIABLES =
        1, /* unknown lower-case words are type variables (parse_schema's default) */
    OB_SCHEMA_NAME_ONLY_OK = 2 /* the text may be a bare name: no arguments, no returns */
};

/**
 * Parse one declaration, e.g. "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) ->
 * Tensor".
 *
 * @param flags  OB_SCHEMA_*; text that begins with aten:: or prim:: allows type variables always.
 * @param out    [out, owned] ob_schema_free() it.
 * @return OB_ERR_PARSE: what was expected, what was found, and a line that marks the place.
 */
OB_API ob_status ob_schema_parse(const char *text, unsigned flags, ob_schema **out) OB_MUST_USE;
OB_API void ob_schema_free(ob_schema *schema);

/** Print canonically, as PyTorch's str(schema) [owned: ob_free()]; NULL when memory is out. */
OB_API char *ob_schema_format(const ob_schema *schema);
/** Print a type, e.g. "Tensor?[]"; returns `buf`. */
OB_API char *ob_type_format(const ob_type *type, char *buf, size_t bytes);

/** True for equal types (structure and names). */
OB_API bool ob_type_equal(const ob_type *a, const ob_type *b);
/** Position of the argument called `name`; -1 when there is none. */
OB_API int ob_schema_arg(const ob_schema *schema, const char *name);
/** True when the schema's return i is a view: a non-write alias of an argument. */
OB_API bool ob_schema_is_view(const ob_schema *schema);
/** True when argument i is written to. */
OB_API bool ob_argument_is_write(const ob_argument *arg);
/** True when argument i is an out: keyword-only and written to. */
OB_API bool ob_argument_is_out(const ob_argument *arg);

/** Memory that libob gave to the caller. NULL is fine. */
OB_API void ob_free(void *memory);

OB_END_DECLS
#endif
