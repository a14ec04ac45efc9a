/* Other shapes of the same elements. PyTorch: aten/src/ATen/native/TensorShape.cpp. */
#include "core/tensor/shape.h"
#include "ops/composites/look.h"

/* True when sizes (one of which may be -1) can be had without a copy. A wrong request counts as a
 * view: the view op then says what is wrong with it. */
static bool is_view(const ob_tensor *t, ob_ints shape)
{
    int64_t sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
    if (!t || shape.n > OB_MAX_RANK) return true;
    for (int64_t i = 0; i < shape.n; i++)
        sizes[i] = shape.data[i];
    if (ob_shape_infer("reshape", sizes, (int)shape.n, ob_tensor_numel(t)) != OB_OK) return true;
    return ob_shape_view_strides(ob_tensor_sizes(t), ob_tensor_strides(t), ob_tensor_rank(t), sizes,
                                 (int)shape.n, strides);
}

/* reshape: a view where strides allow, else a copy */
ob_tensor *composite_reshape(ob_scope *s, ob_tensor *self, ob_ints shape)
{
    if (is_view(self, shape)) return ob_view(s, self, shape);
    return ob_unsafe_view(s, ob_clone(s, self, OB_MEMORY_FORMAT_CONTIGUOUS), shape);
}

ob_tensor *composite_reshape_as(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    return ob_reshape(s, self, sizes_of(other));
}

ob_tensor *composite_view_as(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    return ob_view(s, self, sizes_of(other));
}

ob_tensor *composite_expand_as(ob_scope *s, ob_tensor *self, ob_tensor *other)
{
    return ob_expand(s, self, sizes_of(other));
}

ob_tensor *composite_broadcast_to(ob_scope *s, ob_tensor *self, ob_ints size)
{
    return ob_expand(s, self, size);
}

ob_tensor *composite_ravel(ob_scope *s, ob_tensor *self)
{
    return ob_reshape(s, self, OB_INTS(-1));
}

/* flatten: dims start..end become one */
ob_tensor *composite_flatten(ob_scope *s, ob_tensor *self, int64_t start_dim, int64_t end_dim)
{
    const int64_t rank = rank_of(self), start = wrapped(self, start_dim),
                  end = wrapped(self, end_dim);
    if (rank == 0) return ob_reshape(s, self, OB_INTS(1));
    if (start < 0 || start >= rank || end < start || end >= rank)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "flatten: start_dim %lld and end_dim %lld must be in order and in a "
                       "tensor of rank %lld",
                       (long long)start_dim, (long long)end_dim, (long long)rank));
    if (start == end) return self;
    int64_t *sizes = sizes_copy(s, self, 0);
    for (int64_t i = start + 1; sizes && i < rank; i++) {
        if (i <= end)
            sizes[start] *= extent(self, i);
        else
            sizes[start + i - end] = extent(self, i);
    }
    return ob_reshape(s, self, (ob_ints){ sizes, rank - (end - start) });
}

/* unflatten: dim becomes `sizes`, one of which may be -1 */
ob_tensor *composite_unflatten(ob_scope *s, ob_tensor *self, int64_t dim, ob_ints sizes)
{
    const int64_t at = wrapped(self, dim), rank = rank_of(self);
    int64_t *list = sizes_copy(s, self, sizes.n);
    if (!list || at < 0 || at >= rank || rank - 1 + sizes.n > OB_MAX_RANK)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "unflatten: dim %lld of a tensor of rank %lld",
                                        (long long)dim, (long long)rank));
    int64_t parts[OB_MAX_RANK];
    for (int64_t i = 0; i < sizes.n; i++)
        parts[i] = sizes.data[i];
    ob_scope_fail(s, ob_shape_infer("unflatten", parts, (int)sizes.n, extent(self, at)));
    for (int64_t i = rank - 1; i > at; i--)
        list[i + sizes.n - 1] = extent(self, i);
    for (int64_t i = 0; i < sizes.n; i++)
        list[at + i] = parts[i];
    return ob_view(s, self, (ob_ints){ list, rank - 1 + sizes.n });
}

/* narrow: `length` elements of dim from `start`, which may count from the end */
ob_tensor *composite_narrow(ob_scope *s, ob_tensor *self, int64_t dim, int64_t start,
                            int64_t length)
{
    const int64_t n = extent(self, dim), from = start < 0 ? start + n : start;
    if (self && (rank_of(self) == 0 || length < 0 || from < 0 || from > n - length))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "narrow: start %lld and length %lld are outside dim %lld, which has "
                       "%lld elements",
                       (long long)start, (long long)length, (long long)dim, (long long)n));
    return ob_slice(s, self, dim, OB_SOME_INT(from), OB_SOME_INT(from + length));
}

/* narrow_copy.out writes row-major from out's first element on, whatever out's strides are: so does
 * PyTorch's kernel */
ob_tensor *composite_narrow_copy_out(ob_scope *s, ob_tensor *self, int64_t dim, int64_t start,
                                     int64_t length, ob_tensor *out)
{
    ob_tensor *part = ob_clone(s, ob_narrow(s, self, dim, start, length),
                               .memory_format = OB_MEMORY_FORMAT_CONTIGUOUS);
    if (!part) return NULL;
    if (dtype_of(out) != dtype_of(part))
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_DTYPE, "narrow_copy: out is %s, self is %s",
                                     ob_dtype_name(dtype_of(out)), ob_dtype_name(dtype_of(part))));
    (void)ob_resize_(s, out, sizes_of(part));
    const ob_ints strides = { ob_tensor_strides(part), rank_of(part) };
    ob_tensor *window =
        ob_as_strided(s, out, sizes_of(part), strides, OB_SOME_INT(ob_tensor_offset(out)));
    (void)ob_copy_(s, window, part);
    return out;
}

/* movedim: dims source[i] go to destination[i], the others keep their order */
ob_tensor *composite_movedim_intlist(ob_scope *s, ob_tensor *self, ob_ints source,
                                     ob_ints destination)
{
    int64_t order[OB_MAX_RANK];
    bool taken[OB_MAX_RANK] = { false }, placed[OB_MAX_RANK] = { false };
    const int rank = rank_of(self);
    for (int64_t i = 0; i < source.n; i++) {
        const int64_t from = wrapped(self, source.data[i]);
        const int64_t to = i < destination.n ? wrapped(self, destination.data[i]) : -1;
        if (source.n != destination.n || from < 0 || from >= rank || to < 0 || to >= rank ||
            taken[from] || placed[to])
            return ob_scope_fail(
                s, OB_FAIL(OB_ERR_ARG,
                           "movedim: source and destination must be as many dims of a "
                           "tensor of rank %d, each once",
                           rank));
        order[to] = from;
        taken[from] = placed[to] = true;
    }
    int64_t from = 0;
    for (int to = 0; to < rank; to++) {
        if (placed[to]) continue;
        while (taken[from])
            from++;
        order[to] = from++;
    }
    return ob_permute(s, self, (ob_ints){ order, rank });
}

ob_tensor *composite_movedim(ob_scope *s, ob_tensor *self, int64_t source, int64_t destination)
{
    return ob_movedim_intlist(s, self, OB_INTS(source), OB_INTS(destination));
}

/* x.mT: the last two dims swapped */
ob_tensor *composite_mT(ob_scope *s, ob_tensor *self)
{
    return ob_transpose(s, self, -2, -1);
}

/* x.mH: the last two dims swapped, conjugated */
ob_tensor *composite_mH(ob_scope *s, ob_tensor *self)
{
    return ob_conj(s, ob_transpose(s, self, -2, -1));
}

/* x.T: all dims in reverse */
ob_tensor *composite_numpy_T(ob_scope *s, ob_tensor *self)
{
    int64_t order[OB_MAX_RANK];
    const int rank = rank_of(self);
    for (int i = 0; i < rank; i++)
        order[i] = rank - 1 - i;
    return ob_permute(s, self, (ob_ints){ order, rank });
}

/* conj: a real tensor is its own conjugate */
ob_tensor *composite_conj(ob_scope *s, ob_tensor *self)
{
    return kind_of(self) == OB_KIND_COMPLEX ? ob_priv_conj_physical(s, self) : self;
}

ob_tensor *composite_conj_physical(ob_scope *s, ob_tensor *self)
{
    return kind_of(self) == OB_KIND_COMPLEX ? ob_priv_conj_physical(s, self) : self;
}

ob_tensor *composite_real(ob_scope *s, ob_tensor *self)
{
    return kind_of(self) == OB_KIND_COMPLEX ? ob_select(s, ob_view_as_real(s, self), -1, 0) : self;
}

/* repeat: [r_0, s_0, r_1, s_1, ...] by expanding, then [r_0 s_0, ...] */
ob_tensor *composite_repeat(ob_scope *s, ob_tensor *self, ob_ints repeats)
{
    int64_t seen[OB_MAX_RANK], wide[OB_MAX_RANK], out[OB_MAX_RANK];
    const int64_t rank = rank_of(self), more = repeats.n - rank;
    if (more < 0 || 2 * repeats.n > OB_MAX_RANK)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "repeat: %lld repeats for a tensor of rank %lld, which must not be "
                       "more",
                       (long long)repeats.n, (long long)rank));
    for (int64_t i = 0; i < repeats.n; i++) {
        const int64_t n = i < more ? 1 : extent(self, i - more);
        seen[2 * i] = 1;
        seen[2 * i + 1] = wide[2 * i + 1] = n;
        wide[2 * i] = repeats.data[i];
        out[i] = n * repeats.data[i];
    }
    ob_tensor *x = ob_expand(s, ob_reshape(s, self, (ob_ints){ seen, 2 * repeats.n }),
                             (ob_ints){ wide, 2 * repeats.n });
    return ob_unsafe_view(s, ob_clone(s, x, OB_MEMORY_FORMAT_CONTIGUOUS),
                          (ob_ints){ out, repeats.n });
}

/* tile: repeat, with ones in front of a list that is too short */
ob_tensor *composite_tile(ob_scope *s, ob_tensor *self, ob_ints dims)
{
    int64_t list[OB_MAX_RANK];
    const int64_t more = rank_of(self) - dims.n;
    if (more <= 0) return ob_repeat(s, self, dims);
    for (int64_t i = 0; i < rank_of(self); i++)
        list[i] = i < more ? 1 : dims.data[i - more];
    return ob_repeat(s, self, (ob_ints){ list, rank_of(self) });
}

/* repeat_interleave: each element of dim `repeats` times in a row; without dim, of the flat tensor
 */
ob_tensor *composite_repeat_interleave_self_int(ob_scope *s, ob_tensor *self, int64_t repeats,
                                                ob_opt_int dim, ob_opt_int output_size)
{
    (void)output_size;
    ob_tensor *x = dim.has && self && rank_of(self) > 0 ? self : ob_flatten(s, self);
    const int64_t at = dim.has ? wrapped(x, dim.value) : 0;
    int64_t *sizes = sizes_copy(s, x, 1);
    if (!sizes) return NULL;
    if (at < 0 || at >= rank_of(x) || rank_of(x) == OB_MAX_RANK)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                        "repeat_interleave: dim %lld of a tensor of %d dims, which "
                                        "may be %d at most",
                                        (long long)dim.value, rank_of(x), OB_MAX_RANK - 1));
    for (int64_t i = rank_of(x); i > at + 1; i--)
        sizes[i] = sizes[i - 1];
    sizes[at + 1] = repeats;
    ob_tensor *wide = ob_expand(s, ob_unsqueeze(s, x, at + 1), (ob_ints){ sizes, rank_of(x) + 1 });
    return ob_flatten(s, ob_clone(s, wide, OB_MEMORY_FORMAT_CONTIGUOUS), at, at + 1);
}

/* x itself; bools have no sign */
ob_tensor *composite_positive(ob_scope *s, ob_tensor *self)
{
    if (self && dtype_of(self) == OB_BOOL)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "positive: self is bool, must be a number"));
    return self;
}
