/* The copy behind everything: between dtypes, strides, broadcasts and devices. Contract: copy.h.
 * Same device: the backend's native copy_ kernel, called with src expanded to dst's sizes and
 * results[0] = dst. Otherwise the elements pass through host memory, converted there. */
#include "ops/create/copy.h"

#include "core/alloc.h"
#include "core/tensor/copy.h"
#include "core/tensor/shape.h"
#include "ops/aten.h"
#include "ops/native.h"

static bool is_on(const ob_tensor *t, ob_backend backend)
{
    return ob_tensor_device(t).backend == (int32_t)backend;
}

/* Strides of src expanded to dst's sizes. */
static ob_status expand(const ob_tensor *dst, const ob_tensor *src, int64_t *strides)
{
    const int rank = ob_tensor_rank(dst), lead = rank - ob_tensor_rank(src);
    bool fits = lead >= 0;
    for (int d = 0; d < rank && fits; d++) {
        const int64_t extent = d < lead ? 1 : ob_tensor_sizes(src)[d - lead];
        strides[d] = d < lead || extent == 1 ? 0 : ob_tensor_strides(src)[d - lead];
        if (ob_tensor_sizes(dst)[d] == 1) strides[d] = 0;
        fits = extent == 1 || extent == ob_tensor_sizes(dst)[d];
    }
    if (fits) return OB_OK;
    char a[256], b[256];
    return OB_FAIL(OB_ERR_SHAPE, "copy_: src is %s and does not broadcast to self, which is %s",
                   ob_sizes_format(ob_tensor_sizes(src), ob_tensor_rank(src), a, sizeof a),
                   ob_sizes_format(ob_tensor_sizes(dst), rank, b, sizeof b));
}

static bool same_window(const ob_tensor *a, const ob_tensor *b)
{
    const int rank = ob_tensor_rank(a);
    bool same = rank == ob_tensor_rank(b) && ob_tensor_offset(a) == ob_tensor_offset(b) &&
                ob_tensor_dtype(a) == ob_tensor_dtype(b);
    for (int d = 0; d < rank && same; d++)
        same = ob_tensor_sizes(a)[d] == ob_tensor_sizes(b)[d] &&
               ob_tensor_strides(a)[d] == ob_tensor_strides(b)[d];
    return same;
}

/* The backend's copy_ kernel; OB_ERR_DECLINED when it has none or does not serve this. */
static ob_status copy_native(ob_tensor *dst, ob_tensor *src)
{
    ob_op *op = ob_aten_op(OB_ROW_copy_);
    const ob_backend backend = (ob_backend)ob_tensor_device(dst).backend;
    const ob_kernel *kernel = op ? ob_native_kernel(op, backend) : NULL;
    if (!kernel) return OB_ERR_DECLINED;
    const ob_dtypes serves = kernel->dtypes;
    const ob_dtypes needs = OB_DTYPES(ob_tensor_dtype(dst)) | OB_DTYPES(ob_tensor_dtype(src));
    if (serves && (serves & needs) != needs) return OB_ERR_DECLINED;
    const ob_value args[] = { ob_value_tensor(dst), ob_value_tensor(src), ob_value_bool(false) };
    ob_value result = ob_value_tensor(dst);
    ob_frame frame = { .op = op,
                       .user = kernel->user,
                       .keys = ob_keyset_of(ob_key_of(OB_KEY_Dense, backend)),
                       .args = args,
                       .results = &result,
                       .n_args = 3,
                       .n_results = 1 };
    return kernel->fn(&frame);
}

static ob_span span_of(const ob_tensor *t)
{
    return (ob_span){ ob_tensor_data(t), ob_tensor_strides(t), ob_tensor_dtype(t) };
}

/* Elements of a tensor in row-major host memory: `dense` strides; *memory is owned. */
static ob_status read_dense(const ob_tensor *t, const int64_t *dense, void **memory, ob_span *out)
{
    const size_t width = ob_dtype_bytes(ob_tensor_dtype(t)), n = (size_t)ob_tensor_numel(t);
    *memory = ob_alloc(n, width);
    if (!*memory) return OB_FAIL(OB_ERR_OOM, "copy_: no memory for %zu elements on the host", n);
    *out = (ob_span){ *memory, dense, ob_tensor_dtype(t) };
    return ob_tensor_read(t, *memory, n * width);
}

/* Same sizes, different devices or no native kernel: read, convert, write. */
static ob_status copy_through_host(ob_tensor *dst, ob_tensor *src)
{
    const int rank = ob_tensor_rank(dst);
    const int64_t *sizes = ob_tensor_sizes(dst);
    const size_t n = (size_t)ob_tensor_numel(dst), width = ob_dtype_bytes(ob_tensor_dtype(dst));
    int64_t dense[OB_MAX_RANK];
    ob_shape_dense_strides(sizes, rank, dense);
    void *read = NULL, *converted = NULL;
    ob_span from = span_of(src);
    ob_status st = OB_OK;
    if (!is_on(src, OB_BACKEND_CPU)) st = read_dense(src, dense, &read, &from);
    if (st != OB_OK) goto done;
    if (is_on(dst, OB_BACKEND_CPU)) {
        ob_copy_strided(span_of(dst), from, sizes, rank);
        goto done;
    }
    if (from.dtype != ob_tensor_dtype(dst) || (!read && !ob_tensor_is_contiguous(src))) {
        converted = ob_alloc(n, width);
        if (!converted) {
            st = OB_FAIL(OB_ERR_OOM, "copy_: no memory for %zu elements on the host", n);
            goto done;
        }
        const ob_span to = { converted, dense, ob_tensor_dtype(dst) };
        ob_copy_strided(to, from, sizes, rank);
        from = to;
    }
    st = ob_tensor_write(dst, from.data, n * width);
done:
    ob_free(read);
    ob_free(converted);
    return st;
}

/* Same sizes, no hazards. */
static ob_status copy_plain(ob_tensor *dst, ob_tensor *src)
{
    if (is_on(dst, OB_BACKEND_CPU) && is_on(src, OB_BACKEND_CPU)) {
        ob_copy_strided(span_of(dst), span_of(src), ob_tensor_sizes(dst), ob_tensor_rank(dst));
        return OB_OK;
    }
    const ob_device a = ob_tensor_device(dst), b = ob_tensor_device(src);
    if (a.backend == b.backend && a.index == b.index) {
        const ob_status st = copy_native(dst, src);
        if (st != OB_ERR_DECLINED) return st;
    }
    return copy_through_host(dst, src);
}

ob_status ob_copy_into(ob_tensor *dst, ob_tensor *src)
{
    int64_t strides[OB_MAX_RANK];
    const int rank = ob_tensor_rank(dst);
    OB_TRY(expand(dst, src, strides));
    if (ob_tensor_numel(dst) == 0 || ob_tensor_is_meta(dst)) return OB_OK;
    if (ob_tensor_is_meta(src))
        return OB_FAIL(OB_ERR_ARG, "copy_: src is a meta tensor and has no data to copy");
    if (ob_tensor_storage(dst) == ob_tensor_storage(src)) {
        if (same_window(dst, src)) return OB_OK;
        ob_tensor *apart = NULL;
        const ob_copy_to to = { ob_tensor_dtype(src), ob_tensor_device(src),
                                OB_MEMORY_FORMAT_CONTIGUOUS };
        OB_TRY(ob_copy_of(src, to, &apart));
        const ob_status st = ob_copy_into(dst, apart);
        ob_tensor_release(apart);
        return st;
    }
    bool expanded = rank != ob_tensor_rank(src);
    for (int d = 0; d < rank && !expanded; d++)
        expanded = ob_tensor_sizes(src)[d] != ob_tensor_sizes(dst)[d];
    if (!expanded) return copy_plain(dst, src);
    ob_tensor *view = NULL;
    OB_TRY(ob_tensor_view_of(src, (ob_ints){ ob_tensor_sizes(dst), rank },
                             (ob_ints){ strides, rank }, ob_tensor_offset(src), &view));
    const ob_status st = copy_plain(dst, view);
    ob_tensor_release(view);
    return st;
}

ob_status ob_copy_of(ob_tensor *src, ob_copy_to to, ob_tensor **out)
{
    ob_tensor *made = NULL;
    *out = NULL;
    OB_TRY(ob_empty_like_of(src, to, &made));
    const ob_status st = ob_copy_into(made, src);
    if (st == OB_OK)
        *out = made;
    else
        ob_tensor_release(made);
    return st;
}
