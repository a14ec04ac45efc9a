/* Reading types and alias annotations. PyTorch: torch/csrc/jit/frontend/schema_type_parser.cpp.
 *
 * ScalarType, Layout, MemoryFormat and SymInt have two types: int, which calls see, and their own,
 * which is printed. Within tuples, dicts, unions and futures only the first is kept, as in PyTorch.
 */
#include <stdio.h>
#include <string.h>

#include "schema/parser.h"

/* Names of types. The first column of the common ones first, because the table is scanned. */
static const struct base_type {
    const char *name;
    uint8_t length;
    uint8_t kind;    /* as written */
    uint8_t as_seen; /* by calls */
} base_types[] = {
/* clang-format off */
#define OB_BASE(text, kind, seen) { text, sizeof(text) - 1, OB_TYPE_##kind, OB_TYPE_##seen },
    OB_BASE("Tensor", TENSOR, TENSOR)            OB_BASE("SymInt", SYM_INT, INT)
    OB_BASE("int", INT, INT)                     OB_BASE("bool", BOOL, BOOL)
    OB_BASE("Scalar", SCALAR, SCALAR)
    OB_BASE("float", FLOAT, FLOAT)               OB_BASE("str", STRING, STRING)
    OB_BASE("ScalarType", DTYPE, INT)            OB_BASE("Layout", LAYOUT, INT)
    OB_BASE("Device", DEVICE, DEVICE)            OB_BASE("MemoryFormat", MEMORY_FORMAT, INT)
    OB_BASE("Generator", GENERATOR, GENERATOR)   OB_BASE("complex", COMPLEX, COMPLEX)
    OB_BASE("Storage", STORAGE, STORAGE)         OB_BASE("QScheme", QSCHEME, QSCHEME)
    OB_BASE("Quantizer", QUANTIZER, QUANTIZER)   OB_BASE("ConstQuantizerPtr", INT, INT)
    OB_BASE("DeviceIndex", INT, INT)             OB_BASE("Stream", STREAM, STREAM)
    OB_BASE("SymBool", SYM_BOOL, SYM_BOOL)       OB_BASE("None", NONE, NONE)
    OB_BASE("NoneType", NONE, NONE)              OB_BASE("Capsule", CAPSULE, CAPSULE)
    OB_BASE("Any", ANY, ANY)                     OB_BASE("AnyClassType", ANY_CLASS, ANY_CLASS)
    OB_BASE("AnyEnumType", ANY_ENUM, ANY_ENUM)
#undef OB_BASE
    /* clang-format on */
};

/* Custom classes that PyTorch registers; others are unknown. Rows: namespace and class. */
static const char *const classes[] = {
    "quantized.Conv2dPackedParamsBase",
    "quantized.Conv3dPackedParamsBase",
    "quantized.EmbeddingPackedParamsBase",
    "quantized.LinearPackedParamsBase",
    "sparse.LinearPackedParamsBase",
    "rnn.CellParamsBase",
    "mkldnn.ConvOpContext",
    "c10d.ProcessGroup",
    "c10d.ReduceOp",
    "c10d.SymmetricMemory",
    "c10d.Work",
    "dist_rpc.WorkerInfo",
    "profiler._RecordFunction",
};

static const struct base_type *find_base(const char *text, size_t length)
{
    for (size_t i = 0; i < OB_COUNT(base_types); i++)
        if (base_types[i].length == length && memcmp(base_types[i].name, text, length) == 0)
            return &base_types[i];
    return NULL;
}

static ob_status make(ob_schema_parser *p, ob_type what, const ob_type **out)
{
    ob_type *type = ob_schema_alloc(p, sizeof *type);
    if (!type) return OB_ERR_OOM;
    *type = what;
    *out = type;
    return OB_OK;
}

static ob_status make_outer(ob_schema_parser *p, ob_type_kind kind, const ob_type *const *inner,
                            int32_t n, const ob_type **out)
{
    const ob_type **kept = ob_schema_alloc(p, (size_t)(n ? n : 1) * sizeof *kept);
    if (!kept) return OB_ERR_OOM;
    for (int32_t i = 0; i < n; i++)
        kept[i] = inner[i];
    return make(p, (ob_type){ kind, n, kept, NULL }, out);
}

/* Types in a list that is inside a type; they are few. */
typedef struct type_list {
    const ob_type *types[OB_SCHEMA_SET_LIMIT];
    int32_t n;
} type_list;

static ob_status list_add(ob_schema_parser *p, type_list *list)
{
    ob_parsed_type inner;
    OB_TRY(ob_schema_parse_type(p, &inner));
    if (list->n == OB_SCHEMA_SET_LIMIT)
        return ob_lexer_fail(&p->lex, "a type has more than 16 parts");
    list->types[list->n++] = inner.type;
    return OB_OK;
}

/* '(' types? ')' */
static ob_status parse_tuple(ob_schema_parser *p, ob_parsed_type *out)
{
    type_list list = { { NULL }, 0 };
    OB_TRY(ob_lexer_expect(&p->lex, '(', NULL));
    if (p->lex.token.kind != ')') {
        do
            OB_TRY(list_add(p, &list));
        while (ob_lexer_next_if(&p->lex, ','));
    }
    OB_TRY(ob_lexer_expect(&p->lex, ')', NULL));
    OB_TRY(make_outer(p, OB_TYPE_TUPLE, list.types, list.n, &out->type));
    return OB_OK;
}

/* Future(T), Await(T), RRef(T): their name was read. An annotation of T is dropped. */
static ob_status parse_holder(ob_schema_parser *p, ob_type_kind kind, ob_parsed_type *out)
{
    ob_parsed_type inner;
    OB_TRY(ob_lexer_expect(&p->lex, '(', NULL));
    OB_TRY(ob_schema_parse_type(p, &inner));
    OB_TRY(ob_lexer_expect(&p->lex, ')', NULL));
    return make_outer(p, kind, &inner.type, 1, &out->type);
}

static bool is_dict_key(ob_type_kind kind)
{
    return kind == OB_TYPE_INT || kind == OB_TYPE_BOOL || kind == OB_TYPE_FLOAT ||
           kind == OB_TYPE_COMPLEX || kind == OB_TYPE_TENSOR || kind == OB_TYPE_DEVICE ||
           kind == OB_TYPE_STRING;
}

/* Dict(K, V): its name was read. */
static ob_status parse_dict(ob_schema_parser *p, ob_parsed_type *out)
{
    ob_parsed_type key, value;
    OB_TRY(ob_lexer_expect(&p->lex, '(', NULL));
    OB_TRY(ob_schema_parse_type(p, &key));
    OB_TRY(ob_lexer_expect(&p->lex, ',', NULL));
    OB_TRY(ob_schema_parse_type(p, &value));
    OB_TRY(ob_lexer_expect(&p->lex, ')', NULL));
    if (!is_dict_key(key.type->kind))
        return ob_lexer_fail(
            &p->lex, "a dict's key must be int, bool, float, complex, Tensor, Device or str");
    OB_TRY(ob_schema_parse_alias(p, &out->alias));
    return make_outer(p, OB_TYPE_DICT, (const ob_type *const[]){ key.type, value.type }, 2,
                      &out->type);
}

/* Put the members of `type` (itself, or a union's) into the set, in the order of their texts. */
static ob_status union_add(ob_schema_parser *p, type_list *set, const ob_type *type)
{
    if (type->kind == OB_TYPE_UNION || type->kind == OB_TYPE_OPTIONAL) {
        for (int32_t i = 0; i < type->n_inner; i++)
            OB_TRY(union_add(p, set, type->inner[i]));
        return type->kind == OB_TYPE_UNION ? OB_OK
                                           : union_add(p, set, ob_type_simple(OB_TYPE_NONE));
    }
    char text[64], other[64];
    ob_type_format(type, text, sizeof text);
    int32_t at = 0;
    for (; at < set->n; at++) {
        if (ob_type_equal(set->types[at], type)) return OB_OK;
        if (strcmp(text, ob_type_format(set->types[at], other, sizeof other)) < 0) break;
    }
    if (set->n == OB_SCHEMA_SET_LIMIT)
        return ob_lexer_fail(&p->lex, "a union has more than 16 members");
    for (int32_t i = set->n; i > at; i--)
        set->types[i] = set->types[i - 1];
    set->types[at] = type;
    set->n++;
    return OB_OK;
}

/* Union(T, ...): its name was read. Nested unions and repeated members are merged. */
static ob_status parse_union(ob_schema_parser *p, ob_parsed_type *out)
{
    type_list list = { { NULL }, 0 }, set = { { NULL }, 0 };
    OB_TRY(ob_lexer_expect(&p->lex, '(', NULL));
    do
        OB_TRY(list_add(p, &list));
    while (ob_lexer_next_if(&p->lex, ','));
    OB_TRY(ob_lexer_expect(&p->lex, ')', NULL));
    OB_TRY(ob_schema_parse_alias(p, &out->alias));
    for (int32_t i = 0; i < list.n; i++)
        OB_TRY(union_add(p, &set, list.types[i]));
    if (set.n < 2) return ob_lexer_fail(&p->lex, "a union needs two types that differ");
    for (int32_t i = 0; i < 2 && set.n == 2; i++)
        if (set.types[i]->kind == OB_TYPE_NONE) {
            out->type = ob_type_wrap(p, OB_TYPE_OPTIONAL, set.types[1 - i]);
            return out->type ? OB_OK : OB_ERR_OOM;
        }
    return make_outer(p, OB_TYPE_UNION, set.types, set.n, &out->type);
}

/* __torch__.torch.classes.<namespace>.<class>: "__torch__" was read, at `start`. */
static ob_status parse_class(ob_schema_parser *p, const char *start, ob_parsed_type *out)
{
    ob_token part[4];
    for (int i = 0; i < 4; i++) {
        OB_TRY(ob_lexer_expect(&p->lex, '.', NULL));
        OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &part[i]));
        const char *fixed = i == 0 ? "torch" : i == 1 ? "classes" : NULL;
        if (fixed &&
            (part[i].length != strlen(fixed) || memcmp(part[i].text, fixed, part[i].length) != 0))
            return ob_lexer_fail(&p->lex,
                                 "a class is written __torch__.torch.classes.namespace.Class");
    }
    char name[128];
    snprintf(name, sizeof name, "%.*s.%.*s", (int)(part[2].length < 48 ? part[2].length : 48),
             part[2].text, (int)(part[3].length < 64 ? part[3].length : 64), part[3].text);
    for (size_t i = 0; i < OB_COUNT(classes); i++)
        if (strcmp(name, classes[i]) == 0) {
            char full[160];
            const int n = snprintf(full, sizeof full, "__torch__.torch.classes.%s", classes[i]);
            const char *kept;
            OB_TRY(ob_schema_copy(p, full, (size_t)n, &kept));
            return make(p, (ob_type){ OB_TYPE_CLASS, 0, NULL, kept }, &out->type);
        }
    p->lex.token.text = start;
    return ob_lexer_fail(&p->lex, "no such custom class is known");
}

/* A word that is no known type: a type variable where these are allowed and it starts in lower
 * case. `name` is borrowed from the schema. */
static ob_status parse_variable(ob_schema_parser *p, ob_token word, const char *name,
                                ob_parsed_type *out)
{
    if (p->type_variables && *name >= 'a' && *name <= 'z')
        return make(p, (ob_type){ OB_TYPE_VARIABLE, 0, NULL, name }, &out->type);
    const char *what = "no such type";
    if (strcmp(name, "double") == 0) what = "no such type: write float for double";
    if (strcmp(name, "int64_t") == 0) what = "no such type: write SymInt or int for int64_t";
    p->lex.token = word;
    return ob_lexer_fail(&p->lex, what);
}

/* The rest of a dotted name, "a.b.C", whose first word was read; such a name is never a known type.
 */
static ob_status parse_dotted(ob_schema_parser *p, ob_token word, ob_parsed_type *out)
{
    char name[128];
    size_t n = 0;
    ob_token part = word;
    for (;;) {
        if (n + part.length + 2 > sizeof name)
            return ob_lexer_fail(&p->lex, "a type's name is longer than 126 bytes");
        memcpy(name + n, part.text, part.length);
        n += part.length;
        if (!ob_lexer_next_if(&p->lex, '.')) break;
        name[n++] = '.';
        OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &part));
    }
    const char *kept;
    OB_TRY(ob_schema_copy(p, name, n, &kept));
    return parse_variable(p, word, kept, out);
}

/* A word that is no simple type: it starts a compound one, or is a variable. The word was read. */
static ob_status parse_compound(ob_schema_parser *p, ob_token word, ob_parsed_type *out)
{
    static const struct {
        const char *word;
        ob_type_kind kind;
    } compounds[] = { { "Future", OB_TYPE_FUTURE }, { "Await", OB_TYPE_AWAIT },
                      { "RRef", OB_TYPE_RREF },     { "Dict", OB_TYPE_DICT },
                      { "Union", OB_TYPE_UNION },   { "__torch__", OB_TYPE_CLASS } };
    const char *name = ob_schema_name_of(p, word);
    for (size_t i = 0; i < OB_COUNT(compounds); i++) {
        if (strcmp(name, compounds[i].word) != 0) continue;
        if (compounds[i].kind == OB_TYPE_DICT) return parse_dict(p, out);
        if (compounds[i].kind == OB_TYPE_UNION) return parse_union(p, out);
        if (compounds[i].kind == OB_TYPE_CLASS) return parse_class(p, word.text, out);
        return parse_holder(p, compounds[i].kind, out);
    }
    OB_TRY(p->lex.token.kind == '.' ? parse_dotted(p, word, out)
                                    : parse_variable(p, word, name, out));
    return ob_schema_parse_alias(p, &out->alias);
}

/* A type without its suffixes. */
static ob_status parse_core(ob_schema_parser *p, ob_parsed_type *out)
{
    ob_token word = p->lex.token;
    if (word.kind == '(') return parse_tuple(p, out);
    if (word.kind == OB_TOKEN_NONE || word.kind == OB_TOKEN_NONE_TYPE)
        ob_lexer_next(&p->lex);
    else
        OB_TRY(ob_lexer_expect(&p->lex, OB_TOKEN_IDENT, &word));
    const struct base_type *base = find_base(word.text, word.length);
    if (!base || (p->lex.token.kind == '.' && base->kind != OB_TYPE_TENSOR))
        return parse_compound(p, word, out);
    out->type = ob_type_simple((ob_type_kind)base->as_seen);
    out->real_type = ob_type_simple((ob_type_kind)base->kind);
    return ob_schema_parse_alias(p, &out->alias);
}

/* Put `[]` or `?` around a type that is being read. */
static ob_status wrap(ob_schema_parser *p, ob_type_kind kind, ob_parsed_type *t)
{
    const bool same = t->type == t->real_type;
    t->type = ob_type_wrap(p, kind, t->type);
    t->real_type = same ? t->type : ob_type_wrap(p, kind, t->real_type);
    return t->type && t->real_type ? OB_OK : OB_ERR_OOM;
}

ob_status ob_schema_parse_type(ob_schema_parser *p, ob_parsed_type *out)
{
    *out = (ob_parsed_type){ NULL, NULL, NULL };
    if (p->depth == OB_SCHEMA_DEPTH_LIMIT)
        return ob_lexer_fail(&p->lex, "types are nested more than 64 deep");
    p->depth++;
    OB_TRY(parse_core(p, out));
    if (!out->real_type) out->real_type = out->type;
    for (int n = 0;; n++) {
        if (n == OB_SCHEMA_DEPTH_LIMIT)
            return ob_lexer_fail(&p->lex, "types are nested more than 64 deep");
        if (p->lex.token.kind == '[' && ob_lexer_peek(&p->lex) == ']') {
            ob_lexer_next(&p->lex);
            ob_lexer_next(&p->lex);
            OB_TRY(wrap(p, OB_TYPE_LIST, out));
            const ob_alias *outer;
            OB_TRY(ob_schema_parse_alias(p, &outer));
            OB_TRY(ob_schema_contain(p, out->alias, &outer));
            out->alias = outer;
        } else if (ob_lexer_next_if(&p->lex, '?')) {
            OB_TRY(wrap(p, OB_TYPE_OPTIONAL, out));
        } else {
            break;
        }
    }
    p->depth--;
    return OB_OK;
}
