/* Scopes: an arena, the values that ops returned, and the first error.
 *
 * Everything a scope holds is in its arena: a scope is one allocation until the arena's first block
 * is full. Values are given back in close(). A failed scope keeps a copy of the error record, since
 * giving things back may run code that fails, too. */
#include "ob/scope.h"

#include <stdalign.h>
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "core/tensor/tensor.h"
#include "ob/schema.h"

enum { FIRST_BLOCK_BYTES = 960, BLOCK_BYTES = 8000 };

/* Arena memory: `bytes` of it follow the block. */
typedef struct block {
    alignas(max_align_t) struct block *next;
    size_t used, bytes;
} block;

/* A value that the scope owns. */
typedef struct owned {
    struct owned *next;
    ob_value value;
} owned;

struct ob_scope {
    ob_status status;
    bool out_of_memory; /* the static scope: not one byte of it may be written */
    ob_error *error;    /* copy of the record of the first error; NULL when memory was out */
    owned *values;      /* newest first */
    block *blocks;      /* newest first; the last one is `first` */
    struct {
        block head;
        char memory[FIRST_BLOCK_BYTES];
    } first;
};

static ob_scope failed_scope = { .status = OB_ERR_OOM, .out_of_memory = true };

ob_scope *ob_scope_open(void)
{
    ob_scope *s = ob_alloc_uninitialised(sizeof *s);
    if (!s) return &failed_scope;
    s->status = OB_OK;
    s->out_of_memory = false;
    s->error = NULL;
    s->values = NULL;
    s->blocks = &s->first.head;
    s->first.head.next = NULL;
    s->first.head.used = 0;
    s->first.head.bytes = FIRST_BLOCK_BYTES;
    return s;
}

ob_status ob_scope_status(const ob_scope *s)
{
    return s->status;
}

ob_tensor *ob_scope_fail(ob_scope *s, ob_status st)
{
    if (s->status != OB_OK || st == OB_OK) return NULL;
    s->status = st;
    s->error = ob_alloc_uninitialised(sizeof *s->error);
    if (s->error) *s->error = *ob_error_last();
    return NULL;
}

/* A new block with room for `bytes`, in front of the others; NULL when out. */
static block *add_block(ob_scope *s, size_t bytes)
{
    const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (room > SIZE_MAX - sizeof(block)) return NULL;
    block *b = ob_alloc_uninitialised(sizeof *b + room);
    if (!b) return NULL;
    *b = (block){ .next = s->blocks, .bytes = room };
    s->blocks = b;
    return b;
}

/* Arena memory, not zeroed; NULL, with the scope unchanged, when out. */
static void *take(ob_scope *s, size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    if (s->out_of_memory || bytes > SIZE_MAX - unit) return NULL;
    const size_t rounded = (bytes + unit - 1) / unit * unit;
    block *b = s->blocks;
    if (rounded > b->bytes - b->used) b = add_block(s, rounded);
    if (!b) return NULL;
    void *memory = (char *)(b + 1) + b->used;
    b->used += rounded;
    return memory;
}

void *ob_scope_alloc(ob_scope *s, size_t bytes)
{
    void *memory = take(s, bytes);
    if (memory) return memset(memory, 0, bytes);
    ob_scope_fail(s, OB_FAIL(OB_ERR_OOM, "scope: no memory for %zu bytes", bytes));
    return NULL;
}

/* Make the scope own `v`; false, with the value given back and the scope failed, when out. */
static bool own_value(ob_scope *s, ob_value v)
{
    owned *o = take(s, sizeof *o);
    if (!o) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_OOM, "scope: no memory to hold a result"));
        ob_value_reset(&v);
        return false;
    }
    o->value = v;
    o->next = s->values;
    s->values = o;
    return true;
}

ob_tensor *ob_scope_own(ob_scope *s, ob_tensor *t)
{
    if (!t) return NULL;
    if (s->status != OB_OK) {
        ob_tensor_release(t);
        return NULL;
    }
    return own_value(s, ob_value_tensor(t)) ? t : NULL;
}

/* Give back all that `s` holds, and its own memory. */
static void destroy(ob_scope *s)
{
    for (owned *o = s->values; o; o = o->next)
        ob_value_reset(&o->value);
    block *b = s->blocks;
    while (b != &s->first.head) {
        block *next = b->next;
        ob_free(b);
        b = next;
    }
    ob_free(s->error);
    ob_free(s);
}

/* The status of a scope that is closed now, with its error as the thread's last one. */
static ob_status final_status(const ob_scope *s)
{
    if (s->status == OB_OK) return OB_OK;
    if (s->error) return ob_error_restore(s->error);
    return OB_FAIL(s->status, "scope: memory was out, so that the words of its error are lost");
}

ob_status ob_scope_close_all(ob_scope *s, int64_t n, ob_tensor *const *keep, ob_tensor **out)
{
    const bool ok = s->status == OB_OK;
    for (int64_t i = 0; i < n; i++)
        out[i] = ok ? ob_tensor_retain(keep[i]) : NULL;
    const ob_status st = s->status;
    if (s->out_of_memory) return final_status(s);
    /* the record goes back last: giving things back may leave another one */
    ob_error *error = s->error;
    s->error = NULL;
    destroy(s);
    const ob_scope closed = { .status = st, .error = error };
    const ob_status result = final_status(&closed);
    ob_free(error);
    return result;
}

ob_status ob_scope_close(ob_scope *s, ob_tensor *keep, ob_tensor **out)
{
    return ob_scope_close_all(s, out ? 1 : 0, &keep, out);
}

/* The dtype that a Python number becomes a tensor of. */
static ob_dtype number_dtype(ob_scalar value)
{
    static const ob_dtype dtypes[] = { [OB_KIND_BOOL] = OB_BOOL,
                                       [OB_KIND_INT] = OB_I64,
                                       [OB_KIND_FLOAT] = OB_F64,
                                       [OB_KIND_COMPLEX] = OB_C64 };
    return dtypes[ob_scalar_kind(value)];
}

ob_status ob_tensor_wrap_number(ob_scalar value, ob_tensor **out)
{
    const ob_dtype dtype = number_dtype(value);
    OB_TRY(ob_tensor_create((ob_ints){ NULL, 0 }, dtype, OB_DEVICE_CPU, out));
    ob_fill_strided((ob_span){ ob_tensor_data(*out), NULL, dtype }, NULL, 0, value);
    (*out)->wrapped_number = true;
    return OB_OK;
}

ob_tensor *ob_scalar_of(ob_scope *s, ob_scalar value)
{
    ob_tensor *t = NULL;
    if (s->status != OB_OK) return NULL;
    const ob_status st = ob_tensor_wrap_number(value, &t);
    return st == OB_OK ? ob_scope_own(s, t) : ob_scope_fail(s, st);
}

/* The schema's first tensor argument that may not be missing but is; -1 when there is none. */
static int missing_tensor(const ob_schema *schema, const ob_value *args)
{
    for (int i = 0; i < schema->n_args; i++)
        if (args[i].tag == OB_VALUE_NONE && schema->args[i].type->kind == OB_TYPE_TENSOR) return i;
    return -1;
}

ob_status ob_scope_call(ob_scope *s, const ob_op *op, const ob_value *args, ob_value *results)
{
    const ob_schema *schema = ob_op_schema(op);
    const int32_t n = schema ? schema->n_returns : 0;
    for (int32_t i = 0; i < n; i++)
        results[i] = (ob_value){ 0 };
    if (s->status != OB_OK) return s->status;
    const int missing = schema ? missing_tensor(schema, args) : -1;
    ob_status st = OB_OK;
    if (missing >= 0)
        st = OB_FAIL(OB_ERR_ARG, "%s: the tensor '%s' is missing", ob_op_name(op),
                     schema->args[missing].name);
    else
        st = ob_call_unchecked(op, args, results);
    if (st != OB_OK) {
        ob_scope_fail(s, st);
        return st;
    }
    for (int32_t i = 0; i < n; i++)
        if (!own_value(s, results[i])) results[i] = (ob_value){ 0 };
    if (s->status == OB_OK) return OB_OK;
    for (int32_t i = 0; i < n; i++)
        results[i] = (ob_value){ 0 };
    return s->status;
}
