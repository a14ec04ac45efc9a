/* Facts about element types, all from OB_DTYPE_LIST, and PyTorch's promotion table
 * (c10/core/ScalarType.cpp, promoteTypes). */
#include "ob/dtype.h"

#include <string.h>

static const struct dtype_row {
    const char *name, *brief;
    size_t bytes;
    ob_kind kind;
} dtypes[OB_DTYPE_LIMIT] = {
#define OB_X(id, number, name, brief, bytes, kind, ctype) [number] = { name, brief, bytes, kind },
    OB_DTYPE_LIST(OB_X)
#undef OB_X
};

#define OB_X(id, number, name, brief, bytes, kind, ctype) \
    OB_STATIC_ASSERT(sizeof(ctype) == (bytes), "bytes of " name);
OB_DTYPE_LIST(OB_X)
#undef OB_X

/* clang-format off */
/* Other names that torch has for a dtype. */
static const struct dtype_alias {
    const char *alias;
    ob_dtype dtype;
} aliases[] = {
    { "half",  OB_F16 }, { "float", OB_F32 }, { "double", OB_F64 }, { "cfloat", OB_C64 },
    { "short", OB_I16 }, { "int",   OB_I32 }, { "long",   OB_I64 },
};

/* PyTorch's ScalarTypes that Outboard has no name for. */
#define OB_N(n) [n] = "dtype " #n
static const char *const others[OB_DTYPE_LIMIT] = {
    OB_N(8),  OB_N(10), OB_N(12), OB_N(13), OB_N(14), OB_N(16), OB_N(17), OB_N(18), OB_N(19),
    OB_N(20), OB_N(21), OB_N(22), OB_N(23), OB_N(25), OB_N(26), OB_N(27), OB_N(28), OB_N(29),
    OB_N(30), OB_N(31), OB_N(32), OB_N(33), OB_N(34), OB_N(35), OB_N(36), OB_N(37), OB_N(38),
    OB_N(39), OB_N(40), OB_N(41), OB_N(42), OB_N(43), OB_N(44), OB_N(45), OB_N(46), OB_N(47),
};
#undef OB_N

/* Row and column of a dtype in `promoted`: its place in OB_DTYPE_LIST. */
enum place {
#define OB_X(id, number, name, brief, bytes, kind, ctype) AT_##id,
    OB_DTYPE_LIST(OB_X)
#undef OB_X
    N_PLACES
};
static const uint8_t places[OB_DTYPE_LIMIT] = {
#define OB_X(id, number, name, brief, bytes, kind, ctype) [number] = AT_##id,
    OB_DTYPE_LIST(OB_X)
#undef OB_X
};

/* no: PyTorch's answer is complex128, or an error (float8 with another dtype). */
enum { u8 = OB_U8, i8 = OB_I8, i16 = OB_I16, i32 = OB_I32, i64 = OB_I64, f16 = OB_F16, f32 = OB_F32,
       f64 = OB_F64, c64 = OB_C64, bf = OB_BF16, no = OB_DTYPE_NONE };
static const int8_t promoted[N_PLACES][N_PLACES] = {
    /*            U8   I8   I16  I32  I64  F16  F32  F64  C64  BOOL     BF16 F8E4M3 */
    [AT_U8]   = { u8,  i16, i16, i32, i64, f16, f32, f64, c64, u8,      bf,  no },
    [AT_I8]   = { i16, i8,  i16, i32, i64, f16, f32, f64, c64, i8,      bf,  no },
    [AT_I16]  = { i16, i16, i16, i32, i64, f16, f32, f64, c64, i16,     bf,  no },
    [AT_I32]  = { i32, i32, i32, i32, i64, f16, f32, f64, c64, i32,     bf,  no },
    [AT_I64]  = { i64, i64, i64, i64, i64, f16, f32, f64, c64, i64,     bf,  no },
    [AT_F16]  = { f16, f16, f16, f16, f16, f16, f32, f64, c64, f16,     f32, no },
    [AT_F32]  = { f32, f32, f32, f32, f32, f32, f32, f64, c64, f32,     f32, no },
    [AT_F64]  = { f64, f64, f64, f64, f64, f64, f64, f64, no,  f64,     f64, no },
    [AT_C64]  = { c64, c64, c64, c64, c64, c64, c64, no,  c64, c64,     c64, no },
    [AT_BOOL] = { u8,  i8,  i16, i32, i64, f16, f32, f64, c64, OB_BOOL, bf,  no },
    [AT_BF16] = { bf,  bf,  bf,  bf,  bf,  f32, f32, f64, c64, bf,      bf,  no },
    [AT_F8E4M3] = { no, no, no, no, no, no, no, no, no, no, no, OB_F8E4M3 },
};
/* clang-format on */

bool ob_dtype_is_known(int dtype)
{
    return (unsigned)dtype < OB_DTYPE_LIMIT && dtypes[dtype].bytes > 0;
}

const char *ob_dtype_name(ob_dtype dtype)
{
    if (ob_dtype_is_known(dtype)) return dtypes[dtype].name;
    return (unsigned)dtype < OB_DTYPE_LIMIT ? others[dtype] : "none";
}

const char *ob_dtype_brief(ob_dtype dtype)
{
    return ob_dtype_is_known(dtype) ? dtypes[dtype].brief : ob_dtype_name(dtype);
}

size_t ob_dtype_bytes(ob_dtype dtype)
{
    return (unsigned)dtype < OB_DTYPE_LIMIT ? dtypes[dtype].bytes : 0;
}

ob_kind ob_dtype_kind(ob_dtype dtype)
{
    return (unsigned)dtype < OB_DTYPE_LIMIT ? dtypes[dtype].kind : OB_KIND_BOOL;
}

bool ob_dtype_is_signed(ob_dtype dtype)
{
    return dtype != OB_U8 && dtype != OB_BOOL && ob_dtype_is_known(dtype);
}

ob_status ob_dtype_parse(const char *text, ob_dtype *out)
{
    *out = OB_DTYPE_NONE;
    const char *name = strncmp(text, "torch.", 6) == 0 ? text + 6 : text;
    for (int i = 0; i < OB_DTYPE_LIMIT; i++) {
        const struct dtype_row *row = &dtypes[i];
        if (row->bytes && (strcmp(name, row->name) == 0 || strcmp(name, row->brief) == 0)) {
            *out = (ob_dtype)i;
            return OB_OK;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(name, aliases[i].alias) == 0) {
            *out = aliases[i].dtype;
            return OB_OK;
        }
    }
    return OB_FAIL(OB_ERR_NOT_FOUND, "dtype: no '%.64s'; float32 is one that there is", text);
}

ob_dtype ob_dtype_promote(ob_dtype a, ob_dtype b)
{
    if (!ob_dtype_is_known(a) || !ob_dtype_is_known(b)) return OB_DTYPE_NONE;
    return (ob_dtype)promoted[places[a]][places[b]];
}

bool ob_dtype_can_cast(ob_dtype from, ob_dtype to)
{
    return ob_dtype_kind(from) <= ob_dtype_kind(to);
}

ob_dtype ob_dtype_to_float(ob_dtype dtype)
{
    return ob_dtype_kind(dtype) >= OB_KIND_FLOAT ? dtype : OB_F32;
}

ob_dtype ob_dtype_to_real(ob_dtype dtype)
{
    return dtype == OB_C64 ? OB_F32 : dtype;
}
