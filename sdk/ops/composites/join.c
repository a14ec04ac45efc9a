/* Cutting into pieces and joining. PyTorch: aten/src/ATen/native/TensorShape.cpp. */
#include "ops/composites/look.h"

/* Pieces of dim that end at ends[0..n-1], the last at the end of the dim. */
static ob_tensors pieces(ob_scope *s, ob_tensor *self, int64_t dim, const int64_t *ends, int64_t n)
{
    ob_tensor **list = ob_scope_alloc(s, (size_t)(n + 1) * sizeof *list);
    int64_t from = 0;
    for (int64_t i = 0; list && i <= n; i++) {
        const int64_t to = i < n ? ends[i] : extent(self, dim);
        list[i] = ob_slice(s, self, dim, OB_SOME_INT(from), OB_SOME_INT(to));
        from = to;
    }
    return (ob_tensors){ list, list ? n + 1 : 0 };
}

/* tensor_split at indices: [0, i_0), [i_0, i_1), ..., [i_n, end) */
ob_tensors composite_tensor_split_indices(ob_scope *s, ob_tensor *self, ob_ints indices,
                                          int64_t dim)
{
    return pieces(s, self, dim, indices.data, indices.n);
}

/* tensor_split into sections; the first n % sections ones have one more */
ob_tensors composite_tensor_split_sections(ob_scope *s, ob_tensor *self, int64_t sections,
                                           int64_t dim)
{
    const int64_t n = extent(self, dim);
    if (sections <= 0) {
        ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "tensor_split: %lld sections, must be 1 or more",
                                 (long long)sections));
        return (ob_tensors){ NULL, 0 };
    }
    int64_t *ends = ob_scope_alloc(s, (size_t)sections * sizeof *ends);
    for (int64_t i = 0; ends && i + 1 < sections; i++)
        ends[i] = (i ? ends[i - 1] : 0) + n / sections + (i < n % sections);
    return ends ? pieces(s, self, dim, ends, sections - 1) : (ob_tensors){ NULL, 0 };
}

static ob_tensors split_evenly(ob_scope *s, const char *op, ob_tensor *self, int64_t sections,
                               int64_t dim)
{
    if (sections > 0 && extent(self, dim) % sections == 0)
        return ob_tensor_split_sections(s, self, sections, dim);
    ob_scope_fail(
        s, OB_FAIL(OB_ERR_ARG, "%s: dim %lld has %lld elements, which %lld sections do not divide",
                   op, (long long)dim, (long long)extent(self, dim), (long long)sections));
    return (ob_tensors){ NULL, 0 };
}

ob_tensors composite_hsplit(ob_scope *s, ob_tensor *self, int64_t sections)
{
    return split_evenly(s, "hsplit", self, sections, rank_of(self) == 1 ? 0 : 1);
}
ob_tensors composite_hsplit_array(ob_scope *s, ob_tensor *self, ob_ints indices)
{
    return ob_tensor_split_indices(s, self, indices, rank_of(self) == 1 ? 0 : 1);
}
ob_tensors composite_vsplit(ob_scope *s, ob_tensor *self, int64_t sections)
{
    return split_evenly(s, "vsplit", self, sections, 0);
}
ob_tensors composite_vsplit_array(ob_scope *s, ob_tensor *self, ob_ints indices)
{
    return ob_tensor_split_indices(s, self, indices, 0);
}
ob_tensors composite_dsplit(ob_scope *s, ob_tensor *self, int64_t sections)
{
    return split_evenly(s, "dsplit", self, sections, 2);
}
ob_tensors composite_dsplit_array(ob_scope *s, ob_tensor *self, ob_ints indices)
{
    return ob_tensor_split_indices(s, self, indices, 2);
}

/* split.sizes */
ob_tensors composite_split_sizes(ob_scope *s, ob_tensor *self, ob_ints split_size, int64_t dim)
{
    return ob_split_with_sizes(s, self, split_size, dim);
}

/* chunk: pieces of ceil(n / chunks); an empty dim gives `chunks` empty ones */
ob_tensors composite_chunk(ob_scope *s, ob_tensor *self, int64_t chunks, int64_t dim)
{
    const int64_t n = extent(self, dim);
    if (chunks <= 0) {
        ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG, "chunk: %lld chunks, must be 1 or more", (long long)chunks));
        return (ob_tensors){ NULL, 0 };
    }
    if (n == 0) return ob_split_with_sizes(s, self, repeated(s, 0, chunks), dim);
    return ob_split(s, self, n / chunks + (n % chunks != 0), dim);
}

ob_tensors composite_unsafe_chunk(ob_scope *s, ob_tensor *self, int64_t chunks, int64_t dim)
{
    return ob_chunk(s, self, chunks, dim);
}

/* Each tensor of the list changed by `each`. */
static ob_tensors mapped(ob_scope *s, ob_tensors list,
                         ob_tensor *(*each)(ob_scope *s, ob_tensor *t))
{
    ob_tensor **out = ob_scope_alloc(s, (size_t)(list.n + 1) * sizeof *out);
    for (int64_t i = 0; out && i < list.n; i++)
        out[i] = each(s, list.data[i]);
    return (ob_tensors){ out, out ? list.n : 0 };
}

ob_tensor *composite_atleast_1d(ob_scope *s, ob_tensor *self)
{
    return rank_of(self) == 0 ? ob_reshape(s, self, OB_INTS(1)) : self;
}

ob_tensor *composite_atleast_2d(ob_scope *s, ob_tensor *self)
{
    if (rank_of(self) == 0) return ob_reshape(s, self, OB_INTS(1, 1));
    return rank_of(self) == 1 ? ob_unsqueeze(s, self, 0) : self;
}

ob_tensor *composite_atleast_3d(ob_scope *s, ob_tensor *self)
{
    if (rank_of(self) == 0) return ob_reshape(s, self, OB_INTS(1, 1, 1));
    if (rank_of(self) == 1) return ob_unsqueeze(s, ob_unsqueeze(s, self, 0), -1);
    return rank_of(self) == 2 ? ob_unsqueeze(s, self, -1) : self;
}

ob_tensors composite_atleast_1d_sequence(ob_scope *s, ob_tensors tensors)
{
    return mapped(s, tensors, composite_atleast_1d);
}
ob_tensors composite_atleast_2d_sequence(ob_scope *s, ob_tensors tensors)
{
    return mapped(s, tensors, composite_atleast_2d);
}
ob_tensors composite_atleast_3d_sequence(ob_scope *s, ob_tensors tensors)
{
    return mapped(s, tensors, composite_atleast_3d);
}

/* stack: cat along a new dim */
ob_tensor *composite_stack(ob_scope *s, ob_tensors tensors, int64_t dim)
{
    ob_tensor **list = ob_scope_alloc(s, (size_t)(tensors.n + 1) * sizeof *list);
    for (int64_t i = 0; list && i < tensors.n; i++)
        list[i] = ob_unsqueeze(s, tensors.data[i], dim);
    const int64_t at = tensors.n > 0 && dim < 0 ? dim + rank_of(tensors.data[0]) + 1 : dim;
    return ob_cat(s, (ob_tensors){ list, list ? tensors.n : 0 }, at);
}

ob_tensor *composite_hstack(ob_scope *s, ob_tensors tensors)
{
    const bool vectors = tensors.n > 0 && rank_of(tensors.data[0]) <= 1;
    return ob_cat(s, mapped(s, tensors, composite_atleast_1d), vectors ? 0 : 1);
}

ob_tensor *composite_vstack(ob_scope *s, ob_tensors tensors)
{
    return ob_cat(s, mapped(s, tensors, composite_atleast_2d), 0);
}

ob_tensor *composite_dstack(ob_scope *s, ob_tensors tensors)
{
    return ob_cat(s, mapped(s, tensors, composite_atleast_3d), 2);
}

/* A scalar or a vector as a column. */
static ob_tensor *column(ob_scope *s, ob_tensor *t)
{
    return rank_of(t) <= 1 ? ob_reshape(s, t, OB_INTS(numel_of(t), 1)) : t;
}

ob_tensor *composite_column_stack(ob_scope *s, ob_tensors tensors)
{
    return ob_cat(s, mapped(s, tensors, column), 1);
}

/* meshgrid: t_i varies along dim i (indexing "ij"); "xy" swaps the first two dims */
ob_tensors composite_meshgrid_indexing(ob_scope *s, ob_tensors tensors, const char *indexing)
{
    const bool swap = indexing && strcmp(indexing, "xy") == 0 && tensors.n >= 2;
    ob_tensor **out = ob_scope_alloc(s, (size_t)(tensors.n + 1) * sizeof *out);
    int64_t full[OB_MAX_RANK], one[OB_MAX_RANK];
    if (!out || tensors.n > OB_MAX_RANK) return (ob_tensors){ NULL, 0 };
    for (int64_t i = 0; i < tensors.n; i++)
        full[swap && i < 2 ? 1 - i : i] = numel_of(tensors.data[i]);
    for (int64_t i = 0; i < tensors.n; i++) {
        for (int64_t k = 0; k < tensors.n; k++)
            one[k] = 1;
        one[swap && i < 2 ? 1 - i : i] = -1;
        out[i] = ob_expand(s, ob_reshape(s, tensors.data[i], (ob_ints){ one, tensors.n }),
                           (ob_ints){ full, tensors.n });
    }
    return (ob_tensors){ out, tensors.n };
}

ob_tensors composite_meshgrid(ob_scope *s, ob_tensors tensors)
{
    return ob_meshgrid_indexing(s, tensors, "ij");
}

ob_tensor *composite_fliplr(ob_scope *s, ob_tensor *self)
{
    return ob_flip(s, self, OB_INTS(1));
}

ob_tensor *composite_flipud(ob_scope *s, ob_tensor *self)
{
    return ob_flip(s, self, OB_INTS(0));
}
