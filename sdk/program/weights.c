/* Weights: raw storages of the archive to tensors on the program's device. A storage that several
 * names share is uploaded once, and the names stay views of it. */
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/shape.h"
#include "program/graph.h"

/* One of the two folders of weights. */
typedef struct ob_folder {
    const char *name, *config_name;
    json_t *config;      /* owned; NULL when the archive has none */
    json_t *bases;       /* "path:dtype" -> index into `tensors`; owned */
    ob_tensor **tensors; /* owned: whole storages, one-dimensional */
    int n_tensors;
} ob_folder;

static ob_status open_folder(ob_archive *a, ob_reader *r, ob_folder *f)
{
    char entry[128];
    void *text = NULL;
    size_t bytes = 0;
    json_t *root = NULL;
    f->bases = json_object();
    snprintf(entry, sizeof entry, "data/%s/%s", f->name, f->config_name);
    if (!ob_archive_has(a, entry)) return OB_OK;
    OB_TRY(ob_archive_read(a, entry, &text, &bytes));
    r->entry = f->config_name;
    const ob_status st = ob_json_parse(r, text, bytes, &root);
    ob_free(text);
    OB_TRY(st);
    f->config = json_incref(json_object_get(root, "config"));
    json_decref(root);
    f->tensors = ob_alloc(json_object_size(f->config) + 1, sizeof(ob_tensor *));
    return f->tensors ? OB_OK : ob_reader_fail(r, OB_ERR_OOM, "no memory for the weights");
}

static void close_folder(ob_folder *f)
{
    for (int i = 0; i < f->n_tensors; i++)
        ob_tensor_release(f->tensors[i]);
    ob_free(f->tensors);
    json_decref(f->config);
    json_decref(f->bases);
}

static bool plain_name(const char *name)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return *name && *name != '.' && name[strspn(name, good)] == 0;
}

/* The whole storage `file` as a one-dimensional tensor on the device. */
static ob_status load_base(ob_program *p, ob_archive *a, const ob_reader *r, const ob_folder *f,
                           const char *file, ob_dtype dtype, ob_tensor **out)
{
    char entry[256];
    void *data = NULL;
    size_t bytes = 0;
    *out = NULL;
    if (!plain_name(file) || strlen(file) > 100)
        return ob_reader_fail(r, OB_ERR_PARSE, "path_name '%.40s' is not a plain file name", file);
    snprintf(entry, sizeof entry, "data/%s/%s", f->name, file);
    OB_TRY(ob_archive_read(a, entry, &data, &bytes));
    const size_t step = ob_dtype_bytes(dtype);
    if (bytes % step != 0) {
        ob_free(data);
        return ob_reader_fail(r, OB_ERR_PARSE, "%s has %zu bytes, not a multiple of the %zu of %s",
                              entry, bytes, step, ob_dtype_name(dtype));
    }
    ob_tensor *host = NULL;
    ob_status st = ob_tensor_create(OB_INTS((int64_t)(bytes / step)), dtype, p->device, &host);
    if (st == OB_OK && bytes > 0) st = ob_tensor_write(host, data, bytes);
    ob_free(data);
    if (st != OB_OK) {
        ob_tensor_release(host);
        return st;
    }
    *out = host;
    return OB_OK;
}

static ob_status find_base(ob_program *p, ob_archive *a, const ob_reader *r, ob_folder *f,
                           const char *file, ob_dtype dtype, ob_tensor **out)
{
    char key[160];
    snprintf(key, sizeof key, "%.120s:%d", file, (int)dtype);
    const json_t *known = json_object_get(f->bases, key);
    if (known) {
        *out = f->tensors[json_integer_value(known)];
        return OB_OK;
    }
    OB_TRY(load_base(p, a, r, f, file, dtype, out));
    f->tensors[f->n_tensors] = *out;
    if (json_object_set_new(f->bases, key, json_integer(f->n_tensors++)) != 0)
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for '%s'", file);
    return OB_OK;
}

static ob_status read_ints(const ob_reader *r, const json_t *meta, const char *key, int rank,
                           int64_t *out)
{
    json_t *list = NULL;
    OB_TRY(ob_json_array(r, meta, key, &list));
    if ((int)json_array_size(list) != rank)
        return ob_reader_fail(r, OB_ERR_PARSE, "%zu %s for rank %d", json_array_size(list), key,
                              rank);
    for (int i = 0; i < rank; i++) {
        OB_TRY(ob_json_int(r, json_array_get(list, (size_t)i), "as_int", &out[i]));
        if (out[i] < 0)
            return ob_reader_fail(r, OB_ERR_PARSE, "%s has %lld", key, (long long)out[i]);
    }
    return OB_OK;
}

static ob_status load_state(ob_program *p, ob_archive *a, const ob_reader *r, ob_folder *f,
                            const json_t *record, ob_state *s)
{
    const char *file = NULL;
    json_t *meta = NULL, *list = NULL, *offset_union = NULL;
    int64_t number = 0, offset = 0, sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
    ob_dtype dtype;
    ob_tensor *base = NULL;
    if (json_is_true(json_object_get(record, "use_pickle")))
        return ob_reader_fail(
            r, OB_ERR_UNSUPPORTED,
            "the weight is pickled (a tensor subclass), which is never unpickled");
    OB_TRY(ob_json_string(r, record, "path_name", &file));
    OB_TRY(ob_json_object(r, record, "tensor_meta", &meta));
    OB_TRY(ob_json_int(r, meta, "dtype", &number));
    OB_TRY(ob_json_dtype(r, number, &dtype));
    OB_TRY(ob_json_array(r, meta, "sizes", &list));
    if (json_array_size(list) > OB_MAX_RANK)
        return ob_reader_fail(r, OB_ERR_PARSE, "rank %zu", json_array_size(list));
    const int rank = (int)json_array_size(list);
    OB_TRY(read_ints(r, meta, "sizes", rank, sizes));
    OB_TRY(read_ints(r, meta, "strides", rank, strides));
    OB_TRY(ob_json_object(r, meta, "storage_offset", &offset_union));
    OB_TRY(ob_json_int(r, offset_union, "as_int", &offset));
    int64_t numel = 0;
    OB_TRY(ob_shape_numel(sizes, rank, &numel));
    if (numel == 0) return ob_tensor_create((ob_ints){ sizes, rank }, dtype, p->device, &s->tensor);
    OB_TRY(find_base(p, a, r, f, file, dtype, &base));
    return ob_tensor_view_of(base, (ob_ints){ sizes, rank }, (ob_ints){ strides, rank }, offset,
                             &s->tensor);
}

static ob_status find_state(ob_program *p, ob_archive *a, ob_reader *r, ob_folder *folders,
                            ob_state *s)
{
    for (int k = 0; k < 2; k++) {
        const int at =
            s->is_constant ? 1 - k : k; /* non-persistent buffers are among the constants */
        const json_t *record = json_object_get(folders[at].config, s->fqn);
        if (!record) continue;
        r->entry = folders[at].config_name;
        ob_reader_at(r, "'%.120s'", s->fqn);
        const ob_status st = load_state(p, a, r, &folders[at], record, s);
        return st == OB_OK ? OB_OK : ob_error_prefix(st, "weight '%s'", s->fqn);
    }
    return OB_FAIL(OB_ERR_PARSE, "%s: weight '%s' is in neither config", p->path, s->fqn);
}

ob_status ob_program_read_states(ob_program *p, ob_archive *a)
{
    ob_folder folders[2] = { { .name = "weights", .config_name = "model_weights_config.json" },
                             { .name = "constants",
                               .config_name = "model_constants_config.json" } };
    const char *model = NULL;
    ob_reader r = { .path = p->path };
    ob_status st = ob_archive_model(a, &model);
    /* models/NAME.json has its weights in NAME_weights_config.json */
    char names[2][300];
    const int n = model ? (int)strlen(model) - 12 : 0;
    for (int k = 0; k < 2; k++) {
        snprintf(names[k], sizeof names[k], "%.*s_%s_config.json", n, model ? model + 7 : "",
                 folders[k].name);
        folders[k].config_name = names[k];
    }
    for (int k = 0; k < 2 && st == OB_OK; k++)
        st = open_folder(a, &r, &folders[k]);
    for (int i = 0; i < p->n_states && st == OB_OK; i++) {
        st = find_state(p, a, &r, folders, &p->states[i]);
        if (st == OB_OK) p->env[p->states[i].value] = ob_value_tensor(p->states[i].tensor);
    }
    for (int k = 0; k < 2; k++)
        close_folder(&folders[k]);
    return st;
}
