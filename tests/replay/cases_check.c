/* What must have come of a recorded call: results, memory, or a refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum { CHECK_OUTPUTS = 64, SIZES_BYTES = 256 };

/* What `expect.check` leaves to check of an output. X(name, strides, values, indices) */
static const struct check {
    const char *name;
    bool strides, values, indices;
} checks[] = { { "", true, true, true },
               { "values", false, true, true },
               { "values_only", false, true, false },
               { "metadata_only", true, false, false },
               { "shape_dtype_only", false, false, false } };

/* Status codes that each class of the reference's errors may have here. */
static const struct refusal {
    const char *kind;
    ob_status allowed[6];
} refusals[] = {
    { "IndexError", { OB_ERR_ARG, OB_ERR_SHAPE, OB_ERR_DTYPE } },
    { "ValueError", { OB_ERR_ARG, OB_ERR_SHAPE, OB_ERR_DTYPE } },
    { "TypeError", { OB_ERR_ARG, OB_ERR_DTYPE, OB_ERR_MISMATCH } },
    { "NotImplementedError", { OB_ERR_DTYPE, OB_ERR_UNSUPPORTED, OB_ERR_NO_KERNEL } },
    { "RuntimeError",
      { OB_ERR_ARG, OB_ERR_SHAPE, OB_ERR_DTYPE, OB_ERR_MISMATCH, OB_ERR_UNSUPPORTED,
        OB_ERR_STATE } },
};

static const json_t *expected_of(const replay_case *c, const char *member)
{
    return json_object_get(json_object_get(c->line, "expect"), member);
}

static const struct check *check_of(const replay_case *c)
{
    const char *name = replay_text(json_object_get(c->line, "expect"), "check");
    for (size_t i = 0; i < OB_COUNT(checks); i++)
        if (strcmp(checks[i].name, name) == 0) return &checks[i];
    return &checks[0];
}

static closeness closeness_in(const replay_case *c, ob_dtype dtype)
{
    const json_t *tol = expected_of(c, "tol");
    closeness near = closeness_of(dtype);
    if (json_object_get(tol, "rtol")) near.rtol = json_number_value(json_object_get(tol, "rtol"));
    if (json_object_get(tol, "atol")) near.atol = json_number_value(json_object_get(tol, "atol"));
    near.signed_zero = json_is_true(expected_of(c, "signed_zero")) ||
                       json_is_true(json_object_get(c->line, "signed_zero"));
    return near;
}

/* ---- elements ---- */

/* Expected elements against the tensor's first ones, row-major. */
static ob_status check_elements(const replay_case *c, const char *what, const json_t *data,
                                const ob_tensor *t)
{
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(t)), n = json_array_size(data);
    const size_t bytes = (size_t)ob_tensor_numel(t) * width;
    const closeness near = closeness_in(c, ob_tensor_dtype(t));
    char *found = ob_scope_alloc(c->scope, bytes + width), e_text[64], f_text[64];
    if (!found) return ob_scope_status(c->scope);
    if (bytes > 0) OB_TRY(ob_tensor_read(t, found, bytes));
    if (n * width > bytes)
        return OB_FAIL(OB_ERR_MISMATCH, "%s: expected %zu elements, found %zu", what, n,
                       bytes / width);
    for (size_t i = 0; i < n; i++) {
        element e;
        if (!element_parse(json_array_get(data, i), &e))
            return OB_FAIL(OB_ERR_PARSE, "%s: element %zu is not a number", what, i);
        const element f = element_load(ob_tensor_dtype(t), found + i * width);
        if (!element_close(e, f, &near))
            return OB_FAIL(OB_ERR_MISMATCH, "%s, element %zu: expected %s, found %s", what, i,
                           element_format(e, e_text, sizeof e_text),
                           element_format(f, f_text, sizeof f_text));
    }
    return OB_OK;
}

/* ---- outputs ---- */

/* Lists in lists of results, flat. */
typedef struct outputs {
    const json_t *expected[CHECK_OUTPUTS];
    ob_value found[CHECK_OUTPUTS];
    int n_expected, n_found;
} outputs;

static void flatten_expected(outputs *o, const json_t *list)
{
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item)
    {
        if (json_is_array(item))
            flatten_expected(o, item);
        else if (o->n_expected < CHECK_OUTPUTS)
            o->expected[o->n_expected++] = item;
    }
}

static void flatten_found(outputs *o, const ob_value *results, int n)
{
    for (int i = 0; i < n; i++) {
        const bool list = results[i].tag == OB_VALUE_TENSORS;
        for (uint32_t j = 0; j < (list ? results[i].count : 1) && o->n_found < CHECK_OUTPUTS; j++)
            o->found[o->n_found++] = list ? ob_value_tensor(results[i].u.tensors[j]) : results[i];
    }
}

/* "float32 [2, 3]", with strides where they are given. */
static char *format_type(const char *dtype, ob_ints sizes, const int64_t *strides, char *buf)
{
    char a[SIZES_BYTES], b[SIZES_BYTES];
    ob_sizes_format(sizes.data, (int)sizes.n, a, sizeof a);
    if (strides) ob_sizes_format(strides, (int)sizes.n, b, sizeof b);
    snprintf(buf, 3 * SIZES_BYTES, "%s %s%s%s", dtype, a, strides ? " strides " : "",
             strides ? b : "");
    return buf;
}

/* dtype, shape, and strides where they are listed and matter. */
static ob_status check_type(const replay_case *c, int i, const json_t *expected, const ob_tensor *t)
{
    int64_t sizes[OB_MAX_RANK] = { 0 }, strides[OB_MAX_RANK] = { 0 };
    char e[3 * SIZES_BYTES], f[3 * SIZES_BYTES];
    const json_t *shape = json_object_get(expected, "shape");
    const json_t *listed = check_of(c)->strides ? json_object_get(expected, "strides") : NULL;
    const ob_ints own = { ob_tensor_sizes(t), ob_tensor_rank(t) };
    const int64_t n = (int64_t)json_array_size(shape);
    for (int64_t d = 0; d < n && d < OB_MAX_RANK; d++) {
        sizes[d] = json_integer_value(json_array_get(shape, (size_t)d));
        strides[d] = json_integer_value(json_array_get(listed, (size_t)d));
    }
    format_type(replay_text(expected, "dtype"), (ob_ints){ sizes, n }, listed ? strides : NULL, e);
    format_type(ob_dtype_name(ob_tensor_dtype(t)), own, listed ? ob_tensor_strides(t) : NULL, f);
    if (strcmp(e, f) == 0) return OB_OK;
    return OB_FAIL(OB_ERR_MISMATCH, "output %d: expected %s, found %s", i, e, f);
}

static ob_status check_tensor(const replay_case *c, int i, const json_t *expected,
                              const ob_tensor *t)
{
    const struct check *check = check_of(c);
    const bool index = i > 0 && ob_tensor_dtype(t) == OB_I64;
    char what[32];
    snprintf(what, sizeof what, "output %d", i);
    OB_TRY(check_type(c, i, expected, t));
    if (ob_tensor_device(t).backend != c->device.backend)
        return OB_FAIL(OB_ERR_MISMATCH, "%s is not on the device of the arguments", what);
    if (!check->values || (index && !check->indices)) return OB_OK;
    const json_t *data = json_object_get(expected, "data");
    if ((int64_t)json_array_size(data) != ob_tensor_numel(t))
        return OB_FAIL(OB_ERR_MISMATCH, "%s: expected %zu elements, found %lld", what,
                       json_array_size(data), (long long)ob_tensor_numel(t));
    return check_elements(c, what, data, t);
}

/* A result that is no tensor: a number, a bool, or nothing. */
static ob_status check_plain(const replay_case *c, int i, const json_t *expected,
                             const ob_value *found)
{
    char text[128];
    element e, f = { 0 };
    if (json_is_null(expected) && found->tag == OB_VALUE_NONE) return OB_OK;
    const ob_scalar s = ob_value_as_scalar(found);
    const json_t *inner = json_object_get(expected, "scalar");
    const closeness near = closeness_in(c, OB_F64);
    f = (element){ s.tag == OB_SCALAR_INT || s.tag == OB_SCALAR_BOOL, ob_scalar_int(s),
                   ob_scalar_double(s), s.tag == OB_SCALAR_COMPLEX ? s.u.c[1] : 0 };
    if (s.tag != OB_SCALAR_NONE && element_parse(inner ? inner : expected, &e) &&
        element_close(e, f, &near))
        return OB_OK;
    char *json = json_dumps(expected, JSON_ENCODE_ANY);
    const ob_status st = OB_FAIL(OB_ERR_MISMATCH, "output %d: expected %.200s, found %s", i,
                                 json ? json : "?", ob_value_format(found, text, sizeof text));
    free(json);
    return st;
}

ob_status case_check_outputs(const replay_case *c)
{
    outputs o = { .n_found = 0 };
    flatten_expected(&o, expected_of(c, "outputs"));
    flatten_found(&o, c->results, c->schema->n_returns);
    if (o.n_expected != o.n_found)
        return OB_FAIL(OB_ERR_MISMATCH, "expected %d outputs, found %d", o.n_expected, o.n_found);
    for (int i = 0; i < o.n_found; i++) {
        if (o.found[i].tag == OB_VALUE_TENSOR && json_object_get(o.expected[i], "dtype"))
            OB_TRY(check_tensor(c, i, o.expected[i], o.found[i].u.tensor));
        else
            OB_TRY(check_plain(c, i, o.expected[i], &o.found[i]));
    }
    return OB_OK;
}

/* ---- memory ---- */

static ob_status check_store(const replay_case *c, const char *name, const json_t *data)
{
    char what[80];
    snprintf(what, sizeof what, "storage of %s", name);
    for (int i = 0; i < c->n_stores; i++) {
        if (strcmp(c->stores[i].name, name) != 0) continue;
        return check_elements(c, what, data, c->stores[i].flat);
    }
    return OB_FAIL(OB_ERR_MISMATCH, "%s: the case has no such storage", what);
}

ob_status case_check_storages(const replay_case *c)
{
    const char *name;
    json_t *data;
    json_object_foreach((json_t *)expected_of(c, "storage_after"), name, data)
        OB_TRY(check_store(c, name, data));
    return OB_OK;
}

/* ---- refusals ---- */

static ob_status check_class(const char *kind, ob_status found, const char *message)
{
    for (size_t i = 0; i < OB_COUNT(refusals); i++) {
        if (strcmp(refusals[i].kind, kind) != 0) continue;
        for (size_t j = 0; j < OB_COUNT(refusals[i].allowed); j++)
            if (refusals[i].allowed[j] == found) return OB_OK;
    }
    return OB_FAIL(OB_ERR_MISMATCH, "expected %s, found %s: %s", kind, ob_status_name(found),
                   message);
}

/* What can be checked of the words: that numbers are there when some must be given, and that every
 * dtype that must be named is. */
static ob_status check_words(const char *must_tell, const char *message)
{
    bool told = strncmp(must_tell, "gives", 5) != 0 || strpbrk(message, "0123456789") != NULL;
#define OB_X(id, number, name, brief, bytes, kind, ctype) \
    told = told && (!strstr(must_tell, name) || strstr(message, name));
    OB_DTYPE_LIST(OB_X)
#undef OB_X
    if (told && *message) return OB_OK;
    return OB_FAIL(OB_ERR_MISMATCH, "expected a message that %s, found '%s'", must_tell, message);
}

ob_status case_check_refusal(const replay_case *c, ob_status found)
{
    const json_t *error = expected_of(c, "error");
    const char *kind = replay_text(error, "kind"), *must_tell = replay_text(error, "must_tell");
    char message[OB_ERROR_MESSAGE_BYTES];
    if (found == OB_OK)
        return OB_FAIL(OB_ERR_MISMATCH, "expected %s that %s, found results", kind, must_tell);
    snprintf(message, sizeof message, "%s", ob_error_last()->message);
    OB_TRY(check_class(kind, found, message));
    OB_TRY(check_words(must_tell, message));
    for (int i = 0; i < c->n_stores; i++)
        OB_TRY(check_store(c, c->stores[i].name, c->stores[i].data));
    return case_check_storages(c);
}
