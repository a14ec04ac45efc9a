/* Padding. pads go from the last dim to the first: [left, right, top, bottom, ...]; a negative one
 * crops. PyTorch: aten/src/ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp. */
#include "ops/composites/look.h"

typedef enum pad_mode { PAD_REFLECT, PAD_REPLICATE, PAD_CIRCULAR } pad_mode;

/* Where element i of a dim of n comes from. */
static int64_t source_of(int64_t i, int64_t n, pad_mode mode)
{
    if (mode == PAD_CIRCULAR) return i < 0 ? i + n : i >= n ? i - n : i;
    if (mode == PAD_REPLICATE) return i < 0 ? 0 : i >= n ? n - 1 : i;
    return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

/* The positions to take along a dim, on x's device. */
static ob_tensor *positions(ob_scope *s, const ob_tensor *x, int64_t n, const int64_t pads[2],
                            pad_mode mode)
{
    const int64_t count = n + pads[0] + pads[1];
    int64_t *list = ob_scope_alloc(s, (size_t)(count > 0 ? count : 1) * sizeof *list);
    ob_tensor *index = NULL;
    if (!list) return NULL;
    for (int64_t i = 0; i < count; i++)
        list[i] = source_of(i - pads[0], n, mode);
    ob_status st = ob_tensor_create(OB_INTS(count), OB_I64, device_of(x), &index);
    if (st == OB_OK && !ob_tensor_is_meta(x))
        st = ob_tensor_write(index, list, (size_t)count * sizeof *list);
    ob_tensor *owned = ob_scope_own(s, index);
    ob_scope_fail(s, st);
    return owned;
}

static ob_tensor *pad_dim(ob_scope *s, ob_tensor *x, int64_t dim, const int64_t pads[2],
                          pad_mode mode)
{
    static const char *const names[] = { "reflect", "replicate", "circular" };
    const int64_t n = extent(x, dim);
    const int64_t limit = mode == PAD_REFLECT ? n - 1 : mode == PAD_CIRCULAR ? n : INT64_MAX;
    if (pads[0] == 0 && pads[1] == 0) return x;
    if (x && (pads[0] > limit || pads[1] > limit || n + pads[0] + pads[1] < 1 || n < 1))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE,
                       "pad: %s by (%lld, %lld) does not fit dim %lld, which has %lld "
                       "elements",
                       names[mode], (long long)pads[0], (long long)pads[1], (long long)dim,
                       (long long)n));
    return x ? ob_index_select(s, x, dim, positions(s, x, n, pads, mode)) : NULL;
}

/* Each dim in turn: the modes are separable. */
static ob_tensor *pad_dims(ob_scope *s, ob_tensor *x, ob_ints pads, pad_mode mode)
{
    if (x && (pads.n % 2 != 0 || pads.n / 2 > rank_of(x)))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "pad: %lld pads for a tensor of rank %d, must be two for each padded "
                       "dim",
                       (long long)pads.n, rank_of(x)));
    for (int64_t i = 0; i < pads.n / 2; i++)
        x = pad_dim(s, x, rank_of(x) - 1 - i, pads.data + 2 * i, mode);
    return x;
}

/* The last n dims of a tensor with one or two dims more. */
static ob_tensor *pad_image(ob_scope *s, ob_tensor *x, int n, ob_ints pads, pad_mode mode)
{
    const int more = rank_of(x) - n;
    if (x && (pads.n != 2 * n || more < 1 || more > 2))
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_SHAPE,
                                     "pad: %lld pads for a tensor of rank %d; the last %d dims of "
                                     "a tensor of rank %d or %d take %d",
                                     (long long)pads.n, rank_of(x), n, n + 1, n + 2, 2 * n));
    return pad_dims(s, x, pads, mode);
}

#define OB_PAD(name, n, mode)                                                  \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *self, ob_ints padding) \
    {                                                                          \
        return pad_image(s, self, n, padding, mode);                           \
    }
OB_PAD(reflection_pad1d, 1, PAD_REFLECT)
OB_PAD(reflection_pad2d, 2, PAD_REFLECT)
OB_PAD(reflection_pad3d, 3, PAD_REFLECT)
OB_PAD(replication_pad1d, 1, PAD_REPLICATE)
OB_PAD(replication_pad2d, 2, PAD_REPLICATE)
OB_PAD(replication_pad3d, 3, PAD_REPLICATE)
#undef OB_PAD

ob_tensor *composite_pad_circular(ob_scope *s, ob_tensor *self, ob_ints pad)
{
    return pad_dims(s, self, pad, PAD_CIRCULAR);
}

/* constant: crop where a pad is negative, then copy into a filled tensor */
ob_tensor *composite_constant_pad_nd(ob_scope *s, ob_tensor *self, ob_ints pad, ob_scalar value)
{
    int64_t *sizes = sizes_copy(s, self, 0);
    if (self && (pad.n % 2 != 0 || pad.n / 2 > rank_of(self)))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "constant_pad_nd: %lld pads for a tensor of rank %d, must be two for "
                       "each padded dim",
                       (long long)pad.n, rank_of(self)));
    if (!sizes || !self) return NULL;
    for (int64_t i = 0; i < pad.n / 2; i++) {
        const int64_t dim = rank_of(self) - 1 - i;
        sizes[dim] += pad.data[2 * i] + pad.data[2 * i + 1];
        if (sizes[dim] < 0)
            return ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE,
                                            "constant_pad_nd: dim %lld would have %lld elements",
                                            (long long)dim, (long long)sizes[dim]));
    }
    ob_tensor *out = ob_full(s, (ob_ints){ sizes, rank_of(self) }, value, .dtype = dtype_of(self),
                             .device = device_of(self));
    ob_tensor *from = self, *to = out;
    for (int64_t i = 0; i < pad.n / 2; i++) {
        const int64_t dim = rank_of(self) - 1 - i, left = pad.data[2 * i],
                      right = pad.data[2 * i + 1];
        if (left < 0 || right < 0)
            from = ob_narrow(s, from, dim, left < 0 ? -left : 0,
                             extent(from, dim) + (left < 0 ? left : 0) + (right < 0 ? right : 0));
        if (left > 0 || right > 0)
            to = ob_narrow(s, to, dim, left > 0 ? left : 0,
                           extent(to, dim) - (left > 0 ? left : 0) - (right > 0 ? right : 0));
    }
    (void)ob_copy_(s, to, from);
    return out;
}

/* By mode. reflect and replicate pad the last pads/2 dims of a tensor with one or two dims more. */
ob_tensor *composite_pad(ob_scope *s, ob_tensor *self, ob_ints pad, const char *mode,
                         ob_opt_double value)
{
    const char *m = mode ? mode : "constant";
    if (strcmp(m, "constant") == 0)
        return ob_constant_pad_nd(s, self, pad, ob_double(value.has ? value.value : 0));
    const bool reflect = strcmp(m, "reflect") == 0, circular = strcmp(m, "circular") == 0;
    const int64_t dims = pad.n / 2, more = rank_of(self) - dims;
    if ((!reflect && !circular && strcmp(m, "replicate") != 0) || value.has || dims < 1 ||
        dims > 3 || more < 1 || more > 2)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_UNSUPPORTED,
                       "pad: mode \"%s\" with %lld pads for a tensor of rank %d; constant, "
                       "reflect, replicate and circular pad the last 1 to 3 of up to two "
                       "more dims",
                       m, (long long)pad.n, rank_of(self)));
    if (circular) return ob_pad_circular(s, self, pad);
    if (dims == 1)
        return reflect ? ob_reflection_pad1d(s, self, pad) : ob_replication_pad1d(s, self, pad);
    if (dims == 2)
        return reflect ? ob_reflection_pad2d(s, self, pad) : ob_replication_pad2d(s, self, pad);
    return reflect ? ob_reflection_pad3d(s, self, pad) : ob_replication_pad3d(s, self, pad);
}
