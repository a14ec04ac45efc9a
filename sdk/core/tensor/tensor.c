/* Tensors: windows on storages. PyTorch: c10/core/TensorImpl.cpp.
 *
 * Invariant: a tensor's window lies within its storage, so numel, every stride times its extent and
 * every byte offset fit int64. It is checked where a window enters (check_window), and nowhere
 * else. */
#include "core/tensor/tensor.h"

#include <string.h>

#include "core/alloc.h"
#include "core/tensor/shape.h"
#include "ob/dispatch.h"
#include "ob/schema.h"

enum { SIZES_BYTES = 256 }; /* of printed sizes in messages */

/* ---- the object ---- */

ob_tensor *ob_tensor_retain(ob_tensor *t)
{
    if (t) atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void ob_tensor_release(ob_tensor *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1) return;
    ob_storage_release(t->storage);
    if (t->dims != t->inline_dims) ob_free(t->dims);
    ob_free(t);
}

/* Room for `rank` sizes and strides: the tensor's own or new memory; NULL when out. */
static int64_t *dims_for(ob_tensor *t, int rank)
{
    return rank <= OB_INLINE_RANK ? t->inline_dims : ob_alloc(2 * (size_t)rank, sizeof(int64_t));
}

static int64_t product(ob_ints sizes)
{
    int64_t numel = 1;
    for (int64_t d = 0; d < sizes.n; d++)
        numel *= sizes.data[d];
    return numel;
}

/* A tensor over `s` (retained) with a trusted window; strides.data NULL means row-major. */
static ob_status make_tensor(ob_storage *s, ob_dtype dtype, ob_ints sizes, ob_ints strides,
                             int64_t offset, ob_keyset keys, ob_tensor **out)
{
    ob_tensor *t = ob_alloc_uninitialised(sizeof *t);
    int64_t *dims = t ? dims_for(t, (int)sizes.n) : NULL;
    if (!dims) {
        ob_free(t);
        return OB_FAIL(OB_ERR_OOM, "tensor: no memory for a tensor of rank %lld",
                       (long long)sizes.n);
    }
    atomic_init(&t->refs, 1);
    t->rank = (uint8_t)sizes.n;
    t->wrapped_number = t->requires_grad = false;
    t->dtype = dtype;
    t->keys = keys;
    t->storage = ob_storage_retain(s);
    t->offset = offset;
    t->numel = product(sizes);
    t->dims = dims;
    t->autograd = NULL;
    for (int64_t d = 0; d < sizes.n; d++)
        dims[d] = sizes.data[d];
    if (strides.data)
        for (int64_t d = 0; d < sizes.n; d++)
            dims[sizes.n + d] = strides.data[d];
    else
        ob_shape_dense_strides(dims, (int)sizes.n, dims + sizes.n);
    *out = t;
    return OB_OK;
}

/* Keys of a new tensor of a backend. */
static ob_keyset new_keys(int32_t backend, bool inference)
{
    const ob_keyset keys = ob_keyset_of_tensor((ob_backend)backend);
    if (!inference) return keys;
    return ob_keyset_minus(keys, ob_keyset_autograd() | ob_keyset_of(OB_KEY_ADInplaceOrView));
}

ob_status ob_tensor_wrap(ob_storage *s, ob_dtype dtype, ob_ints sizes, ob_ints strides,
                         int64_t offset, bool inference, ob_tensor **out)
{
    *out = NULL;
    return make_tensor(s, dtype, sizes, strides, offset, new_keys(s->device.backend, inference),
                       out);
}

/* ---- windows ---- */

/* Check rank, extents and dtype; gives the bytes of the window's span. strides.data NULL means
 * row-major. */
static ob_status check_window(ob_ints sizes, ob_ints strides, int64_t offset, ob_dtype dtype,
                              size_t *span)
{
    int64_t dense[OB_MAX_RANK], numel = 0;
    *span = 0;
    if (sizes.n < 0 || sizes.n > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_ARG, "tensor: rank is %lld, should be from 0 to %d",
                       (long long)sizes.n, OB_MAX_RANK);
    if (strides.data && strides.n != sizes.n)
        return OB_FAIL(OB_ERR_ARG, "tensor: %lld strides for %lld sizes", (long long)strides.n,
                       (long long)sizes.n);
    if (!ob_dtype_is_known(dtype))
        return OB_FAIL(OB_ERR_DTYPE, "tensor: %s (number %d) is no dtype of Outboard",
                       ob_dtype_name(dtype), (int)dtype);
    const int rank = (int)sizes.n;
    OB_TRY(ob_shape_numel(sizes.data, rank, &numel));
    const int64_t *steps = strides.data ? strides.data : dense;
    if (!strides.data) ob_shape_dense_strides(sizes.data, rank, dense);
    return ob_shape_span_bytes(sizes.data, steps, rank, offset, ob_dtype_bytes(dtype), span);
}

/* As check_window(), and the span must lie within `bytes`. */
static ob_status check_window_in(ob_ints sizes, ob_ints strides, int64_t offset, ob_dtype dtype,
                                 size_t bytes)
{
    size_t span = 0;
    OB_TRY(check_window(sizes, strides, offset, dtype, &span));
    if (span <= bytes) return OB_OK;
    char text[SIZES_BYTES], steps[SIZES_BYTES];
    return OB_FAIL(OB_ERR_ARG,
                   "view: sizes %s, strides %s, offset %lld of %s need %zu bytes, the storage has "
                   "%zu",
                   ob_sizes_format(sizes.data, (int)sizes.n, text, sizeof text),
                   ob_sizes_format(strides.data, (int)sizes.n, steps, sizeof steps),
                   (long long)offset, ob_dtype_name(dtype), span, bytes);
}

static ob_status create(ob_ints sizes, ob_ints strides, ob_dtype dtype, ob_device device,
                        ob_tensor **out)
{
    size_t bytes = 0;
    ob_storage *s = NULL;
    *out = NULL;
    OB_TRY(check_window(sizes, strides, 0, dtype, &bytes));
    OB_TRY(ob_storage_create(device, bytes, &s));
    const bool inference = ob_dispatch_state_get().inference_mode;
    const ob_status st =
        make_tensor(s, dtype, sizes, strides, 0, new_keys(s->device.backend, inference), out);
    ob_storage_release(s);
    return st;
}

ob_status ob_tensor_create(ob_ints sizes, ob_dtype dtype, ob_device device, ob_tensor **out)
{
    return create(sizes, (ob_ints){ NULL, 0 }, dtype, device, out);
}

ob_status ob_tensor_create_strided(ob_ints sizes, ob_ints strides, ob_dtype dtype, ob_device device,
                                   ob_tensor **out)
{
    static const int64_t none[1] = { 0 }; /* NULL would mean row-major */
    return create(sizes, strides.data ? strides : (ob_ints){ none, strides.n }, dtype, device, out);
}

ob_status ob_tensor_view_of(ob_tensor *base, ob_ints sizes, ob_ints strides, int64_t offset,
                            ob_tensor **out)
{
    return ob_tensor_view_dtype(base, base->dtype, sizes, strides, offset, out);
}

ob_status ob_tensor_view_dtype(ob_tensor *base, ob_dtype dtype, ob_ints sizes, ob_ints strides,
                               int64_t offset, ob_tensor **out)
{
    static const int64_t none[1] = { 0 };
    *out = NULL;
    if (!strides.data) strides.data = none;
    OB_TRY(check_window_in(sizes, strides, offset, dtype, base->storage->bytes));
    return make_tensor(base->storage, dtype, sizes, strides, offset, base->keys, out);
}

ob_status ob_tensor_from_memory(void *data, size_t bytes, ob_ints sizes, ob_ints strides,
                                int64_t offset, ob_dtype dtype, void (*release)(void *context),
                                void *context, ob_tensor **out)
{
    static const int64_t none[1] = { 0 };
    ob_storage *s = NULL;
    *out = NULL;
    if (!strides.data) strides.data = none;
    OB_TRY(check_window_in(sizes, strides, offset, dtype, bytes));
    OB_TRY(ob_storage_from_memory(data, bytes, NULL, NULL, &s));
    const bool inference = ob_dispatch_state_get().inference_mode;
    const ob_status st = ob_tensor_wrap(s, dtype, sizes, strides, offset, inference, out);
    /* only now: on failure the memory stays the caller's, and release() is not called */
    if (st == OB_OK) {
        s->release = release;
        s->context = context;
    }
    ob_storage_release(s);
    return st;
}

/* Put a checked window into `t`; `dims` is from dims_for(). Sizes may point into t's own dims. */
static void put_window(ob_tensor *t, int64_t *dims, ob_ints sizes, ob_ints strides, int64_t offset)
{
    int64_t window[2 * OB_MAX_RANK];
    const size_t n = (size_t)sizes.n;
    for (size_t d = 0; d < n; d++) {
        window[d] = sizes.data[d];
        window[n + d] = strides.data[d];
    }
    if (t->dims != t->inline_dims && t->dims != dims) ob_free(t->dims);
    memcpy(dims, window, 2 * n * sizeof *dims);
    t->dims = dims;
    t->rank = (uint8_t)n;
    t->offset = offset;
    t->numel = product((ob_ints){ dims, sizes.n });
}

ob_status ob_tensor_set_window(ob_tensor *t, ob_ints sizes, ob_ints strides, int64_t offset,
                               bool grow)
{
    static const int64_t none[1] = { 0 };
    size_t span = 0;
    if (!strides.data) strides.data = none;
    if (grow)
        OB_TRY(check_window(sizes, strides, offset, t->dtype, &span));
    else
        OB_TRY(check_window_in(sizes, strides, offset, t->dtype, t->storage->bytes));
    int64_t *dims = dims_for(t, (int)sizes.n);
    if (!dims) return OB_FAIL(OB_ERR_OOM, "tensor: no memory for rank %lld", (long long)sizes.n);
    const ob_status st = ob_storage_grow(t->storage, span);
    if (st != OB_OK) {
        if (dims != t->inline_dims) ob_free(dims);
        return ob_error_via(st, __FILE__, __LINE__);
    }
    put_window(t, dims, sizes, strides, offset);
    return OB_OK;
}

ob_status ob_tensor_set_storage(ob_tensor *t, ob_tensor *source)
{
    const ob_ints sizes = { source->dims, source->rank };
    const ob_ints strides = { source->dims + source->rank, source->rank };
    if (t->dtype != source->dtype)
        return OB_FAIL(OB_ERR_DTYPE, "set_: self is %s but source is %s", ob_dtype_name(t->dtype),
                       ob_dtype_name(source->dtype));
    const ob_device a = t->storage->device, b = source->storage->device;
    if (a.backend != b.backend || a.index != b.index) {
        char to[64], from[64];
        return OB_FAIL(OB_ERR_ARG, "set_: self is on %s but source is on %s",
                       ob_device_format(a, to, sizeof to), ob_device_format(b, from, sizeof from));
    }
    if (t == source) return OB_OK;
    int64_t *dims = dims_for(t, source->rank);
    if (!dims) return OB_FAIL(OB_ERR_OOM, "tensor: no memory for rank %d", (int)source->rank);
    ob_storage *old = t->storage;
    t->storage = ob_storage_retain(source->storage);
    put_window(t, dims, sizes, strides, source->offset);
    ob_storage_release(old);
    return OB_OK;
}

/* ---- facts ---- */

int ob_tensor_rank(const ob_tensor *t)
{
    return t->rank;
}

const int64_t *ob_tensor_sizes(const ob_tensor *t)
{
    return t->dims;
}

const int64_t *ob_tensor_strides(const ob_tensor *t)
{
    return t->dims + t->rank;
}

int64_t ob_tensor_size(const ob_tensor *t, int64_t dim)
{
    const int64_t d = dim < 0 ? dim + t->rank : dim;
    return d >= 0 && d < t->rank ? t->dims[d] : 1;
}

int64_t ob_tensor_numel(const ob_tensor *t)
{
    return t->numel;
}

int64_t ob_tensor_offset(const ob_tensor *t)
{
    return t->offset;
}

ob_dtype ob_tensor_dtype(const ob_tensor *t)
{
    return t->dtype;
}

ob_device ob_tensor_device(const ob_tensor *t)
{
    return t->storage->device;
}

ob_keyset ob_tensor_keys(const ob_tensor *t)
{
    return t->keys;
}

bool ob_tensor_is_meta(const ob_tensor *t)
{
    return t->storage->device.backend == OB_BACKEND_Meta;
}

bool ob_tensor_is_wrapped_number(const ob_tensor *t)
{
    return t->wrapped_number;
}

bool ob_tensor_requires_grad(const ob_tensor *t)
{
    return t->requires_grad;
}

void ob_tensor_set_requires_grad(ob_tensor *t, bool on)
{
    t->requires_grad = on;
}

bool ob_tensor_is_contiguous(const ob_tensor *t)
{
    return ob_shape_is_contiguous(t->dims, t->dims + t->rank, t->rank);
}

bool ob_tensor_is_dense(const ob_tensor *t)
{
    return ob_shape_is_dense(t->dims, t->dims + t->rank, t->rank);
}

uint64_t ob_tensor_version(const ob_tensor *t)
{
    return atomic_load_explicit(&t->storage->version, memory_order_relaxed);
}

void ob_tensor_bump_version(ob_tensor *t)
{
    atomic_fetch_add_explicit(&t->storage->version, 1, memory_order_relaxed);
}

ob_storage *ob_tensor_storage(const ob_tensor *t)
{
    return t->storage;
}

ob_buffer *ob_tensor_buffer(const ob_tensor *t)
{
    return t->storage->buffer;
}

size_t ob_tensor_storage_bytes(const ob_tensor *t)
{
    return t->storage->bytes;
}

void *ob_tensor_data(const ob_tensor *t)
{
    char *host = t->storage->host;
    /* an empty window may start past the end; its address is never read, but must be one */
    if (!host || t->numel == 0) return host;
    return host + (size_t)t->offset * ob_dtype_bytes(t->dtype);
}
