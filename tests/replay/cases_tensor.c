/* Tensors of recorded cases: windows on storages whose every element is given. */
#include <stdio.h>
#include <string.h>

#include "cases.h"

static ob_status int_list(ob_scope *s, const json_t *list, ob_ints *out)
{
    const size_t n = json_array_size(list);
    int64_t *data = ob_scope_alloc(s, (n + 1) * sizeof *data);
    if (!data) return ob_scope_status(s);
    for (size_t i = 0; i < n; i++)
        data[i] = json_integer_value(json_array_get(list, i));
    *out = (ob_ints){ data, (int64_t)n };
    return OB_OK;
}

/* Row-major strides without gaps. */
static ob_status dense_strides(ob_scope *s, ob_ints sizes, ob_ints *out)
{
    int64_t *data = ob_scope_alloc(s, (size_t)(sizes.n + 1) * sizeof *data);
    int64_t stride = 1;
    if (!data) return ob_scope_status(s);
    for (int64_t d = sizes.n; d-- > 0;) {
        data[d] = stride;
        stride *= sizes.data[d] > 1 ? sizes.data[d] : 1;
    }
    *out = (ob_ints){ data, sizes.n };
    return OB_OK;
}

/* A flat tensor of the elements in `data`. */
static ob_status make_flat(replay_case *c, const json_t *data, ob_dtype dtype, ob_tensor **out)
{
    const int64_t n = (int64_t)json_array_size(data);
    const size_t width = ob_dtype_bytes(dtype);
    OB_TRY(ob_tensor_create((ob_ints){ &n, 1 }, dtype, c->device, out));
    *out = ob_scope_own(c->scope, *out);
    char *bytes = ob_scope_alloc(c->scope, (size_t)(n + 1) * width);
    if (!*out || !bytes) return ob_scope_status(c->scope);
    for (int64_t i = 0; i < n; i++) {
        element e;
        if (!element_parse(json_array_get(data, (size_t)i), &e))
            return OB_FAIL(OB_ERR_PARSE, "element %lld of a tensor is not a number", (long long)i);
        element_store(dtype, e, bytes + (size_t)i * width);
    }
    return n > 0 ? ob_tensor_write(*out, bytes, (size_t)n * width) : OB_OK;
}

static ob_status add_store(replay_case *c, const char *name, const json_t *json, ob_dtype dtype,
                           case_store **out)
{
    if (c->n_stores == CASE_STORES)
        return OB_FAIL(OB_ERR_UNSUPPORTED, "a case has at most %d storages", CASE_STORES);
    *out = &c->stores[c->n_stores];
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    (*out)->data = json_object_get(json, "data");
    OB_TRY(make_flat(c, (*out)->data, dtype, &(*out)->flat));
    c->n_stores++;
    return OB_OK;
}

ob_status case_make_storages(replay_case *c)
{
    json_t *storages = json_object_get(c->line, "storages"), *json;
    const char *name;
    json_object_foreach(storages, name, json)
    {
        ob_dtype dtype;
        case_store *store;
        OB_TRY(ob_dtype_parse(replay_text(json, "dtype"), &dtype));
        OB_TRY(add_store(c, name, json, dtype, &store));
    }
    return OB_OK;
}

/* The storage that a tensor lives in: a named one, or its own. */
static ob_status find_store(replay_case *c, const json_t *json, const char *name, ob_dtype dtype,
                            case_store **out)
{
    const char *shared = replay_text(json, "storage");
    if (!*shared) return add_store(c, name, json, dtype, out);
    for (int i = 0; i < c->n_stores; i++) {
        *out = &c->stores[i];
        if (strcmp(c->stores[i].name, shared) == 0) return OB_OK;
    }
    return OB_FAIL(OB_ERR_NOT_FOUND, "no storage is called '%s'", shared);
}

ob_status case_make_tensor(replay_case *c, const json_t *json, const char *name, ob_tensor **out)
{
    const json_t *given = json_object_get(json, "strides");
    const int64_t offset = json_integer_value(json_object_get(json, "storage_offset"));
    ob_dtype dtype;
    ob_ints sizes, strides;
    case_store *store;
    OB_TRY(ob_dtype_parse(replay_text(json, "dtype"), &dtype));
    OB_TRY(int_list(c->scope, json_object_get(json, "shape"), &sizes));
    if (given)
        OB_TRY(int_list(c->scope, given, &strides));
    else
        OB_TRY(dense_strides(c->scope, sizes, &strides));
    OB_TRY(find_store(c, json, name, dtype, &store));
    if (ob_tensor_dtype(store->flat) == dtype)
        OB_TRY(ob_tensor_view_of(store->flat, sizes, strides, offset, out));
    else
        OB_TRY(ob_tensor_view_dtype(store->flat, dtype, sizes, strides, offset, out));
    *out = ob_scope_own(c->scope, *out);
    return ob_scope_status(c->scope);
}
