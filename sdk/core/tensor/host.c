/* Between host memory and a tensor on any device, whatever its strides.
 *
 * Host tensors are copied in place. On other devices a row-major window is one backend write or
 * read; any other is staged: its span (first byte to last byte of the window) is read to the host
 * and gathered from there, or changed there and written back. A write reads the span first only
 * when the window leaves gaps in it. */
#include <string.h>

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"
#include "ob/schema.h"

/* The bytes of a storage that a window covers, gaps included. */
typedef struct covered {
    size_t begin, bytes;
} covered;

/* The window was checked when it was made, so this cannot overflow. */
static covered covered_by(const ob_tensor *t)
{
    const size_t width = ob_dtype_bytes(t->dtype);
    int64_t last = 0;
    for (int d = 0; d < t->rank; d++)
        last += (t->dims[d] - 1) * t->dims[t->rank + d];
    return (covered){ (size_t)t->offset * width, ((size_t)last + 1) * width };
}

/* The window's elements, the first of which lies at `first`. */
static ob_span window_at(const ob_tensor *t, void *first)
{
    return (ob_span){ first, t->dims + t->rank, t->dtype };
}

/* `data` as row-major elements of t's sizes; `strides` has room for t's rank. */
static ob_span dense_at(const ob_tensor *t, void *data, int64_t *strides)
{
    ob_shape_dense_strides(t->dims, t->rank, strides);
    return (ob_span){ data, strides, t->dtype };
}

static ob_status check_bytes(const ob_tensor *t, const char *what, size_t bytes)
{
    const size_t needed = (size_t)t->numel * ob_dtype_bytes(t->dtype);
    if (ob_tensor_is_meta(t))
        return OB_FAIL(OB_ERR_UNSUPPORTED, "%s: a meta tensor has no data", what);
    if (bytes != needed)
        return OB_FAIL(OB_ERR_ARG, "%s: %zu bytes are given, %lld elements of %s are %zu", what,
                       bytes, (long long)t->numel, ob_dtype_name(t->dtype), needed);
    return OB_OK;
}

static ob_status staging(size_t bytes, void **out)
{
    *out = ob_alloc_uninitialised(bytes);
    if (!*out) return OB_FAIL(OB_ERR_OOM, "tensor: no host memory to stage %zu bytes", bytes);
    return OB_OK;
}

/* Change the window's elements in a host copy of its span, and write the span back. */
static ob_status write_staged(ob_tensor *t, ob_span from)
{
    const ob_storage *s = t->storage;
    const covered span = covered_by(t);
    void *stage = NULL;
    ob_status st = OB_OK;
    OB_TRY(staging(span.bytes, &stage));
    if (!ob_tensor_is_dense(t))
        st = s->api->read(s->self, s->buffer, span.begin, stage, span.bytes);
    if (st == OB_OK) {
        ob_copy_strided(window_at(t, stage), from, t->dims, t->rank);
        st = s->api->write(s->self, s->buffer, span.begin, stage, span.bytes);
    }
    ob_free(stage);
    return st;
}

ob_status ob_tensor_write(ob_tensor *t, const void *data, size_t bytes)
{
    int64_t strides[OB_MAX_RANK];
    OB_TRY(check_bytes(t, "write", bytes));
    if (ob_shape_may_overlap(t->dims, t->dims + t->rank, t->rank)) {
        char text[256];
        return OB_FAIL(OB_ERR_ARG,
                       "write: several elements of the tensor %s share memory; write to "
                       "a copy of it",
                       ob_sizes_format(t->dims, t->rank, text, sizeof text));
    }
    if (bytes == 0) return OB_OK;
    const ob_storage *s = t->storage;
    /* a source is only read, but spans have one type for both sides */
    const ob_span from = dense_at(t, (void *)(uintptr_t)data, strides);
    if (s->host)
        ob_copy_strided(window_at(t, ob_tensor_data(t)), from, t->dims, t->rank);
    else if (ob_tensor_is_contiguous(t))
        OB_TRY(s->api->write(s->self, s->buffer, covered_by(t).begin, data, bytes));
    else
        OB_TRY(write_staged(t, from));
    ob_tensor_bump_version(t);
    return OB_OK;
}

/* Read the window's span to the host and gather its elements from there. */
static ob_status read_staged(const ob_tensor *t, ob_span to)
{
    const ob_storage *s = t->storage;
    const covered span = covered_by(t);
    void *stage = NULL;
    OB_TRY(staging(span.bytes, &stage));
    const ob_status st = s->api->read(s->self, s->buffer, span.begin, stage, span.bytes);
    if (st == OB_OK) ob_copy_strided(to, window_at(t, stage), t->dims, t->rank);
    ob_free(stage);
    return st;
}

ob_status ob_tensor_read(const ob_tensor *t, void *data, size_t bytes)
{
    int64_t strides[OB_MAX_RANK];
    OB_TRY(check_bytes(t, "read", bytes));
    if (bytes == 0) return OB_OK;
    const ob_storage *s = t->storage;
    const ob_span to = dense_at(t, data, strides);
    if (s->host)
        ob_copy_strided(to, window_at(t, ob_tensor_data(t)), t->dims, t->rank);
    else if (ob_tensor_is_contiguous(t))
        OB_TRY(s->api->read(s->self, s->buffer, covered_by(t).begin, data, bytes));
    else
        OB_TRY(read_staged(t, to));
    return OB_OK;
}

/* Copy all elements of `from` into the dense tensor `to` of the same sizes and dtype. */
static ob_status copy_across(ob_tensor *to, const ob_tensor *from)
{
    const ob_storage *d = to->storage, *s = from->storage;
    const size_t bytes = (size_t)to->numel * ob_dtype_bytes(to->dtype);
    if (bytes == 0) return OB_OK;
    if (d->host) return ob_tensor_read(from, d->host, bytes);
    const bool dense = ob_tensor_is_contiguous(from);
    if (s->host && dense) return ob_tensor_write(to, ob_tensor_data(from), bytes);
    if (s->api == d->api && s->self == d->self && dense)
        return d->api->copy(d->self, d->buffer, 0, s->buffer, covered_by(from).begin, bytes);
    void *stage = NULL;
    OB_TRY(staging(bytes, &stage));
    ob_status st = ob_tensor_read(from, stage, bytes);
    if (st == OB_OK) st = ob_tensor_write(to, stage, bytes);
    ob_free(stage);
    return st;
}

ob_status ob_tensor_to_device(ob_tensor *t, ob_device device, ob_tensor **out)
{
    ob_tensor *made = NULL;
    *out = NULL;
    OB_TRY(ob_tensor_create((ob_ints){ t->dims, t->rank }, t->dtype, device, &made));
    const bool to_meta = ob_tensor_is_meta(made);
    ob_status st = OB_OK;
    if (ob_tensor_is_meta(t) && !to_meta)
        st = OB_FAIL(OB_ERR_UNSUPPORTED, "to: a meta tensor has no data to copy to another device");
    else if (!to_meta)
        st = copy_across(made, t);
    if (st != OB_OK) {
        ob_tensor_release(made);
        return ob_error_via(st, __FILE__, __LINE__);
    }
    *out = made;
    return OB_OK;
}
