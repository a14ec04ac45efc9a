"""The calls that record.py records: (op, args, kwargs, check)."""

import torch

inf, nan = float("inf"), float("nan")


def t(*shape, dtype=torch.float32, seed=0, low=-2.0, high=2.0):
    """Values that repeat in every run, in [low, high)."""
    g = torch.Generator().manual_seed(seed + 7)
    values = torch.rand(shape, generator=g, dtype=torch.float64) * (high - low) + low
    return (values.round() if not dtype.is_floating_point else values).to(dtype)


def i64(values):
    return torch.tensor(values, dtype=torch.int64)


def f32(values):
    return torch.tensor(values, dtype=torch.float32)


def c(op, *args, check=None, **kwargs):
    return op, args, kwargs, check


def foreach():
    pair = lambda: [t(2, 3), t(4, seed=1)]
    for op in ("abs", "neg", "exp", "sqrt", "round", "sigmoid", "reciprocal", "zero", "clone"):
        yield c(f"_foreach_{op}", pair())
    for op in ("abs_", "zero_", "trunc_"):
        yield c(f"_foreach_{op}", pair())
    for op in ("add", "mul", "div", "sub", "maximum", "minimum", "clamp_max", "clamp_min", "pow"):
        yield c(f"_foreach_{op}.Scalar", pair(), 2.0)
        yield c(f"_foreach_{op}.ScalarList", pair(), [2.0, 3.0])
        yield c(f"_foreach_{op}.List", pair(), pair())
        yield c(f"_foreach_{op}_.List", pair(), pair())
        yield c(f"_foreach_{op}_.Scalar", pair(), 3)
    yield c("_foreach_add.List", pair(), pair(), alpha=2)
    yield c("_foreach_add.Tensor", pair(), t(seed=3), alpha=2)
    yield c("_foreach_mul_.Tensor", pair(), t(seed=3))
    yield c("_foreach_pow.ScalarAndTensor", 2.0, pair())
    yield c("_foreach_lerp.Scalar", pair(), pair()[::1], 0.25)
    yield c("_foreach_lerp.List", pair(), pair(), pair())
    yield c("_foreach_addcmul.Scalar", pair(), pair(), pair(), 0.5)
    yield c("_foreach_addcmul.ScalarList", pair(), pair(), pair(), [0.5, 2.0])
    yield c("_foreach_addcdiv_.Tensor", pair(), pair(), pair(), f32([0.5, 2.0]))
    yield c("_foreach_norm.Scalar", pair(), 1)
    yield c("_foreach_norm.Scalar", pair(), inf)
    yield c("_foreach_max", pair())
    yield c("_foreach_copy_", pair(), [t(2, 3, seed=8), t(4, seed=9)])
    yield c("_foreach_add.List", pair(), pair()[:1])
    yield c("_foreach_add.Scalar", [], 1)
    yield c("_foreach_add.Scalar", [t(2, dtype=torch.int64)], 1.5)
    yield c("_foreach_mm", [t(2, 3), t(1, 2)], [t(3, 2), t(2, 1)])


def views():
    yield c("select_backward", t(3), [3, 4], 1, 2)
    yield c("select_backward", t(3), [3, 4], -1, -1)
    yield c("slice_backward", t(3, 2), [3, 5], 1, 1, 5, 2)
    yield c("slice_backward", t(2, 5), [4, 5], 0, -2, 9223372036854775807, 1)
    yield c("diagonal_backward", t(3), [4, 4], -1, 0, 1)
    yield c("unfold_backward", t(3, 4), [8], 0, 4, 2)
    yield c("unfold_backward", t(2, 2, 3, 3), [2, 6, 3], 1, 3, 3)
    yield c("trace_backward", t(), [2, 3])
    yield c("index_select_backward", t(4, 2), [3, 2], 0, i64([0, 2, 2, 1]))
    yield c("value_selecting_reduction_backward", t(2), 1, i64([2, 0]), [2, 3], False)
    yield c("masked_select_backward", t(3), t(2, 3), torch.tensor([[True, False, True], [False, True, False]]))
    yield c("embedding_dense_backward", t(4, 2), i64([1, 0, 1, 2]), 4, 2, False)
    yield c("embedding_dense_backward", t(2, 2, 3), i64([[1, 0], [1, 1]]), 3, -1, True)
    yield c("select_scatter", t(2, 3), t(2, seed=1), 1, 0)
    yield c("slice_scatter", t(5, 2), t(2, 2, seed=1), 0, 0, 4, 2)
    yield c("diagonal_scatter", t(3, 3), t(2, seed=1), 1)
    yield c("as_strided_scatter", t(3, 3), t(2, 2, seed=1), [2, 2], [3, 1], 1)


def losses():
    for n in (0, 1, 2):
        grad = t(2, 3, seed=5) if n == 0 else t(seed=5)
        x, y = t(2, 3), t(2, 3, seed=1)
        yield c("mse_loss_backward", grad, x, y, n)
        yield c("smooth_l1_loss_backward", grad, x, y, n, 0.5)
        yield c("huber_loss_backward", grad, x, y, n, 0.5)
        yield c("soft_margin_loss", x, y.sign(), n)
        yield c("soft_margin_loss_backward", grad, x, y.sign(), n)
        p = t(2, 3, low=0.05, high=0.95)
        yield c("binary_cross_entropy_backward", grad, p, t(2, 3, low=0, high=1, seed=2), t(2, 3, seed=3), n)
        yield c("margin_ranking_loss", t(4), t(4, seed=1), f32([1, -1, 1, -1]), 0.5, n)
        yield c("hinge_embedding_loss", t(4), f32([1, -1, 1, -1]), 1.0, n)
        yield c("cosine_embedding_loss", t(4, 3), t(4, 3, seed=1), f32([1, -1, 1, -1]), 0.1, n)
        yield c("triplet_margin_loss", t(2, 4), t(2, 4, seed=1), t(2, 4, seed=2), 1.0, 2.0, 1e-6, True, n)
        yield c("poisson_nll_loss", t(4), t(4, seed=1, low=0, high=5), True, True, 1e-8, n)
        grad1 = t(3, seed=6) if n == 0 else t(seed=6)
        yield c("nll_loss_backward", grad1, t(3, 2), i64([1, 0, -100]), f32([0.5, 2]), n, -100, f32(2.5))
        grad2 = t(1, 2, 2, seed=6) if n == 0 else t(seed=6)
        yield c("nll_loss2d_backward", grad2, t(1, 3, 2, 2), i64([[[0, 2], [1, 1]]]), None, n, 1, f32(2.0))


def activations():
    yield c("glu_backward", t(2, 2), t(2, 4), 1)
    yield c("mish_backward", t(5), t(5, seed=1))
    yield c("log_sigmoid_backward", t(5), t(5, seed=1), t(5, seed=1).abs().neg().exp())
    yield c("_prelu_kernel_backward", t(2, 3), t(2, 3, seed=1), t(1, 3, seed=2))
    yield c("rrelu_with_noise_backward", t(3), t(3, seed=1), t(3, seed=2), 0.1, 0.3, False, False)


def norms():
    x, g = t(2, 3, 4), t(2, 3, 4, seed=1)
    mean, rstd = t(2, 3, 1, seed=2), t(2, 3, 1, seed=3, low=0.5)
    for mask in ([True, True, True], [True, False, True]):
        yield c("native_layer_norm_backward", g, x, [4], mean, rstd, t(4, seed=4), t(4, seed=5), mask)
        yield c("native_group_norm_backward", t(2, 4, 3), t(2, 4, 3, seed=1), t(2, 2, seed=2),
                t(2, 2, seed=3), t(4, seed=4), 2, 4, 3, 2, mask)
        for train in (True, False):
            yield c("native_batch_norm_backward", g, x, t(3, seed=6), t(3, seed=7),
                    t(3, seed=8, low=0.5), t(3, seed=9), t(3, seed=10, low=0.5), train, 1e-5, mask)


def search():
    seq, x = f32([1, 2, 2, 4]), f32([[0, 2, 5], [nan, inf, 4]])
    yield c("isin.Tensor_Tensor", i64([1, 2, 3, 4]), i64([[2, 9], [4, 4]]))
    yield c("isin.Tensor_Tensor", f32([1, nan]), f32([nan, 2]), invert=True)
    yield c("isin.Tensor_Tensor", i64([1, 2]), i64([]))
    yield c("isin.Tensor_Scalar", t(3, dtype=torch.int64), 1)
    yield c("isin.Scalar_Tensor", 2, i64([2, 3]))
    yield c("isin.Tensor_Tensor", i64([1, 2]), f32([1.5, 2.0]))
    for right in (False, True):
        yield c("searchsorted.Tensor", seq, x, right=right)
        yield c("bucketize.Tensor", x, seq, right=right, out_int32=True)
        yield c("searchsorted.Scalar", seq, 2, right=right)
    yield c("searchsorted.Tensor", t(2, 4).sort().values, t(2, 3, seed=1), side="right")
    yield c("searchsorted.Tensor", f32([3, 1, 2]), f32([2]), sorter=i64([1, 2, 0]))
    yield c("searchsorted.Tensor", seq, i64([1]))
    yield c("searchsorted.Tensor", t(2, 4), t(3, 4))
    yield c("bucketize.Scalar", 3, seq)
    yield c("bucketize.Tensor", seq, t(2, 2))
    yield c("searchsorted.Tensor", seq, seq, side="left", right=True)
    yield c("aminmax", f32([[1, nan], [3, 2]]), dim=1)
    yield c("aminmax", t(2, 3), dim=0, keepdim=True)
    yield c("aminmax", t(2, 3))
    yield c("aminmax", t(0))
    yield c("histc", f32([0, 1, 2, 2.5, 3, nan, 9]), 3, 0, 3)
    yield c("histc", t(10), 4)
    yield c("histc", f32([2, 2]), 4)
    yield c("histc", t(3), 0)
    yield c("histc", t(3), 2, 3, 1)
    yield c("histc", i64([1, 2]), 2)
    yield c("bincount", i64([1, 3, 3]))
    yield c("bincount", i64([1, 3, 3]), f32([0.5, 1, 2]), 6)
    yield c("bincount", i64([]), None, 2)
    yield c("bincount", i64([-1]))
    yield c("count_nonzero", f32([[0, 1], [nan, 0]]))
    yield c("count_nonzero.dim_IntList", f32([[0, 1], [nan, 0]]), [1])
    yield c("argwhere", f32([[0, 1], [2, 0]]))


def unique():
    x = i64([3, 1, 3, 2, 1, 1])
    yield c("_unique2", x, True, True, True)
    yield c("_unique2", f32([[2, nan], [nan, 2]]), True, True, True)
    yield c("_unique2", x)
    yield c("_unique", x, True, True)
    yield c("unique_consecutive", i64([1, 1, 2, 1, 1]), True, True)
    yield c("unique_consecutive", i64([[1, 1], [1, 1], [2, 0]]), True, True, 0)
    yield c("unique_dim", i64([[2, 1], [1, 2], [2, 1], [1, 0]]), 0, True, True, True)
    yield c("unique_dim", i64([[2, 1, 2], [1, 2, 1]]), 1, True, True, True)
    yield c("_unique2", i64([]), True, True, True)


def order():
    x = f32([[1, 3, 3, 2, nan, 5, nan], [2, -inf, 2, 7, 7, 1, 0]])
    for op in ("cummax", "cummin"):
        yield c(op, x, 1)
        yield c(op, x, 0)
        yield c(op, i64([3, 1, 3, 0]), 0)
        yield c(op, t(), 0)
        yield c(op, t(2), 1)
    yield c("logcumsumexp", t(2, 7), 1)
    yield c("logcumsumexp", f32([-inf, 1, 1000, 2]), 0)
    yield c("logcumsumexp", f32([nan, 1]), 0)
    for op in ("median", "nanmedian"):
        yield c(op, x)
        yield c(op, t(6))
        yield c(op, t(0))
        yield c(f"{op}.dim", x, 1, check="values_only")
        yield c(f"{op}.dim", t(4, 3), 0, True)
        yield c(f"{op}.dim", f32([[nan, nan], [nan, 1]]), 1, check="values_only")
        yield c(f"{op}.dim", t(2, 0), 1)
    yield c("kthvalue", x, 2, 1, check="values_only")
    yield c("kthvalue", t(5), 5)
    yield c("kthvalue", t(5), 6)
    yield c("mode", i64([[1, 2, 2, 1], [3, 4, 5, 3]]), 1, check="values_only")
    yield c("mode", i64([[1, 2], [1, 4]]), 0, True, check="values_only")


def pick():
    mask = torch.tensor([[True, False, True], [False, True, True]])
    yield c("masked_scatter", t(2, 3), mask, t(5, seed=1))
    yield c("masked_scatter_", t(2, 3), mask[:1], t(5, seed=1))
    yield c("masked_scatter", t(2, 3), mask, t(3, seed=1))
    yield c("masked_scatter", t(2, 3), mask, t(5, dtype=torch.int64))
    yield c("take", t(2, 3), i64([[0, 5], [-1, 2]]))
    yield c("take", t(2, 3), i64([6]))
    yield c("take", t(2, 3), torch.tensor([1], dtype=torch.int32))
    yield c("put", t(2, 3), i64([0, -1]), t(2, seed=1))
    yield c("put_", t(2, 3), i64([[1], [1]]), t(2, seed=1), True)
    yield c("put", t(2, 3), i64([7]), t(1))
    yield c("index_fill.int_Scalar", t(2, 3), 1, i64([0, 2]), 7)
    yield c("index_fill_.int_Scalar", t(3, 2), 0, i64([-1]), 7)
    yield c("index_fill.int_Tensor", t(2, 3), 0, i64([1]), t(seed=1))
    yield c("index_fill.int_Scalar", t(2, 3), 1, i64([3]), 7)
    for reduce in ("prod", "mean", "amax", "amin"):
        for self in (True, False):
            yield c("index_reduce", t(3, 2), 0, i64([0, 2, 0]), t(3, 2, seed=1), reduce, include_self=self)
    yield c("renorm", t(3, 4), 2, 0, 1.0)
    yield c("renorm_", t(3, 4), 1, 1, 2.0)


def resize():
    x1, x2, x3 = t(1, 2, 7), t(1, 2, 5, 4), t(1, 1, 3, 4, 2)
    for op in ("upsample_nearest", "_upsample_nearest_exact"):
        for out in (11, 3, 7):
            yield c(f"{op}1d", x1, [out])
            yield c(f"{op}1d_backward", t(1, 2, out), [out], [1, 2, 7])
        yield c(f"{op}2d", x2, [7, 3])
        yield c(f"{op}2d", x2, [10, 6], 2.0, 1.5)
        yield c(f"{op}2d.vec", x2, None, [1.7, 0.6])
        yield c(f"{op}2d.vec", x2, [3, 3], None)
        yield c(f"{op}2d_backward", t(1, 2, 7, 3), [7, 3], [1, 2, 5, 4])
        yield c(f"{op}3d", x3, [4, 3, 5])
        yield c(f"{op}3d_backward", t(1, 1, 4, 3, 5), [4, 3, 5], [1, 1, 3, 4, 2])
    yield c("upsample_nearest1d", x1, [4, 4])
    yield c("upsample_nearest2d", x1, [4, 4])
    yield c("upsample_nearest1d", x1, [0])
    yield c("upsample_nearest1d", t(1, 2, 3, dtype=torch.int64), [5])
    yield c("upsample_nearest1d", t(1, 2, 3, dtype=torch.uint8, low=0, high=255), [5])
    for align in (True, False):
        for out in (11, 3, 1):
            yield c("upsample_linear1d", x1, [out], align)
        yield c("upsample_linear1d_backward", t(1, 2, 11), [11], [1, 2, 7], align)
        for op in ("upsample_bilinear2d", "upsample_bicubic2d"):
            yield c(op, x2, [7, 3], align)
            yield c(op, x2.double(), [3, 9], align, None, 2.1)
            yield c(op, x2.half(), [3, 9], align)
            yield c(f"{op}.vec", x2, None, align, [1.7, 0.6])
            yield c(f"{op}_backward", t(1, 2, 7, 3), [7, 3], [1, 2, 5, 4], align)
        yield c("upsample_trilinear3d", x3, [4, 3, 5], align)
        yield c("upsample_trilinear3d_backward", t(1, 1, 4, 3, 5), [4, 3, 5], [1, 1, 3, 4, 2], align)
    for op in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        yield c(op, x2, [3, 2], False)
        yield c(op, x2, [8, 9], False)
        yield c(f"{op}_backward", t(1, 2, 3, 2), [3, 2], [1, 2, 5, 4], False)


def pools():
    x = t(2, 3, 5, 6)
    for args in (([2, 2], [2, 2], [0, 0], False, True, None), ([3, 2], [2, 1], [1, 1], True, False, None),
                 ([3], [], [1], False, True, 5)):
        y = torch.ops.aten.avg_pool2d(x, *args)
        yield c("avg_pool2d_backward", t(*y.shape, seed=1), x, *args)
    y = torch.ops.aten.avg_pool3d(t(1, 2, 4, 5, 3), [2], [2], [1], True, False, None)
    yield c("avg_pool3d_backward", t(*y.shape, seed=1), t(1, 2, 4, 5, 3), [2], [2], [1], True, False, None)
    yield c("_adaptive_avg_pool2d_backward", t(2, 3, 3, 4, seed=1), x)
    yield c("_adaptive_avg_pool3d_backward", t(1, 2, 2, 3, 1, seed=1), t(1, 2, 4, 5, 3))
    args = ([3, 2], [2, 1], [1, 1], [1, 1], True)
    y, at = torch.ops.aten.max_pool2d_with_indices(x, *args)
    yield c("max_pool2d_with_indices_backward", t(*y.shape, seed=1), x, *args, at)
    y, at = torch.ops.aten.adaptive_max_pool2d(x, [3, 2])
    yield c("adaptive_max_pool2d_backward", t(*y.shape, seed=1), x, at)
    y, at = torch.ops.aten.max_pool2d_with_indices(x, [2, 2], [2, 2])
    yield c("max_unpool2d", y, at, [5, 6])
    y, at = torch.ops.aten.max_pool3d_with_indices(t(1, 2, 4, 4, 4), [2, 2, 2])
    yield c("max_pool3d_with_indices_backward", t(*y.shape, seed=1), t(1, 2, 4, 4, 4), [2] * 3, [2] * 3,
            [0] * 3, [1] * 3, False, at)
    for mode in ("reflection", "replication"):
        yield c(f"{mode}_pad1d_backward", t(2, 3, 8), t(2, 3, 5), [2, 1])
        yield c(f"{mode}_pad2d_backward", t(2, 3, 5, 8), t(2, 3, 4, 5), [2, 1, 1, 0])
        yield c(f"{mode}_pad3d_backward", t(2, 3, 3, 4, 8), t(2, 3, 2, 4, 5), [2, 1, 0, 0, 1, 0])
    yield c("reflection_pad1d_backward", t(2, 3, 9), t(2, 3, 5), [2, 1])


def folds():
    x = t(2, 3, 5, 6)
    for args in (([2, 2], [1, 1], [0, 0], [1, 1]), ([3, 2], [1, 2], [1, 0], [2, 1])):
        y = torch.ops.aten.im2col(x, *args)
        yield c("im2col", x, *args)
        yield c("im2col", x[0], *args)
        yield c("col2im", t(*y.shape), [5, 6], *args)
        yield c("col2im", t(*y.shape[1:]), [5, 6], *args)
    yield c("im2col", x, [7, 7], [1, 1], [0, 0], [1, 1])
    yield c("col2im", t(2, 12, 19), [5, 6], [2, 2], [1, 1], [0, 0], [1, 1])


def convs():
    for transposed in (False, True):
        for shape, weight, args in (
                ([2, 4, 7], [6, 2, 3] if not transposed else [4, 3, 3], ([2], [1], [1], transposed, [0], 2)),
                ([2, 2, 5, 6], [3, 2, 2, 3] if not transposed else [2, 3, 2, 3],
                 ([2, 1], [1, 2], [1, 2], transposed, [0, 0], 1)),
                ([1, 2, 4, 3, 4], [2, 1, 2, 2, 2], ([1, 2, 1], [0, 1, 0], [1, 1, 1], transposed, [0, 0, 0], 2))):
            x, w = t(*shape), t(*weight, seed=1)
            y = torch.ops.aten.convolution(x, w, None, *args)
            yield c("convolution_backward", t(*y.shape, seed=2), x, w, [y.shape[1]], *args, [True, True, True])
    yield c("convolution_backward", t(1, 3, 4), t(1, 2, 5), t(3, 2, 2), None, [1], [0], [1], False, [0], 1,
            [False, True, False])


def matrices():
    yield c("diag_embed", t(2, 3), 1, 0, 2)
    yield c("diag_embed", t(2), -1)
    yield c("diag_embed", t(2), 0, 1, 1)
    yield c("diag", t(3), -1)
    yield c("diag", t(3, 4), 1)
    yield c("diag", t(2, 2, 2))
    yield c("diagflat", t(2, 2), 1)
    yield c("trace", t(3, 4))
    yield c("trace", t(2, 2, dtype=torch.int32))
    yield c("trace", t(3))
    yield c("fill_diagonal_", t(3, 4), 9)
    yield c("fill_diagonal_", t(7, 3), 9, True)
    yield c("fill_diagonal_", t(3, 3, 3), 9)
    yield c("fill_diagonal_", t(3), 9)
    yield c("tril_indices", 3, 4, 1)
    yield c("triu_indices", 3, 2, -1, dtype=torch.int32)
    for k in (-1, 0, 1, 2, 3, 5):
        yield c("rot90", t(2, 3), k)
    yield c("rot90", t(2, 3, 2), 1, [-1, 0])
    yield c("rot90", t(2, 3), 1, [0, 0])
    yield c("kron", t(2, 3), t(2, 2, seed=1))
    yield c("kron", t(2), t(2, 2, 2, seed=1))
    yield c("cross", t(2, 3), t(2, 3, seed=1))
    yield c("linalg_cross", t(3, 2), t(3, 2, seed=1), dim=0)
    yield c("linalg_cross", t(2, 2), t(2, 2))
    yield c("addbmm", t(2, 4), t(3, 2, 5), t(3, 5, 4, seed=1), beta=0.5, alpha=2)
    yield c("addbmm", f32([[nan]]), t(3, 1, 5), t(3, 5, 1, seed=1), beta=0)
    yield c("tensordot", t(2, 3, 4), t(4, 3, 5, seed=1), [1, 2], [1, 0])
    yield c("tensordot", t(2, 3), t(4, seed=1), [], [])


def shuffles():
    yield c("repeat_interleave.Tensor", i64([2, 0, 3]))
    yield c("repeat_interleave.Tensor", i64([2, -1]))
    yield c("repeat_interleave.self_Tensor", t(3, 2), i64([2, 0, 3]), 0)
    yield c("repeat_interleave.self_Tensor", t(3, 2), i64([2]), 1)
    yield c("repeat_interleave.self_Tensor", t(2, 2), i64([2, 0, 3, 1]))
    yield c("repeat_interleave.self_Tensor", t(3, 2), i64([2, 0]), 0)
    yield c("pixel_shuffle", t(2, 8, 2, 3), 2)
    yield c("pixel_shuffle", t(6, 2, 3), 2)
    yield c("pixel_unshuffle", t(2, 2, 4, 6), 2)
    yield c("pixel_unshuffle", t(2, 2, 4, 6), 4)
    yield c("channel_shuffle", t(2, 6, 2, 2), 3)
    yield c("channel_shuffle", t(2, 6, 2, 2), 4)


def statistics():
    x = f32([[1, nan, 3, 2], [5, 0, -1, 7]])
    yield c("nanmean", x, [1])
    yield c("nanmean", x)
    yield c("nanmean", i64([1]))
    yield c("std_mean", t(3, 4))
    yield c("var_mean", t(3, 4), False)
    yield c("std_mean.dim", t(3, 4), [1], True, True)
    yield c("var_mean.dim", t(3, 4), [0], False)
    for op in ("quantile", "nanquantile"):
        for rule in ("linear", "lower", "higher", "midpoint", "nearest"):
            yield c(op, x, f32([0.1, 0.5, 0.9]), 1, interpolation=rule)
        yield c(op, x, f32(0.3))
        yield c(f"{op}.scalar", t(4, 3), 0.7, 0, True)
        yield c(op, t(4, 3), f32([0.25, 1]), None, True)
        yield c(op, t(4), f32([1.5]))
        yield c(op, t(0), f32([0.5]))
    yield c("dist", t(2, 3), t(2, 3, seed=1), 3)
    for p in (0.0, 1.0, 2.0, 3.0, inf):
        yield c("cdist", t(2, 4, 3), t(2, 5, 3, seed=1), p)
        yield c("_pdist_forward", t(4, 3), p)
    yield c("cdist", t(4, 3), t(5, 2))
    yield c("trapezoid.dx", t(2, 5), dx=0.5)
    yield c("trapezoid.x", t(2, 5), t(5, seed=1), dim=-1)
    yield c("cumulative_trapezoid.dx", t(2, 5), dim=0)
    yield c("cumulative_trapezoid.x", t(2, 5), t(2, 5, seed=1))
    yield c("trapz.dx", t(0))
    yield c("float_power.Tensor_Tensor", t(4, low=0.1), t(4, seed=1))
    yield c("float_power.Tensor_Scalar", i64([2, 3]), -1)
    yield c("float_power.Scalar", 2, i64([2, 3]))
    yield c("ldexp.Tensor", t(3), i64([1, -2, 3]))
    yield c("sum_to_size", t(2, 3, 4), [3, 1])
    yield c("sum_to_size", t(2, 3), [2, 3])
    yield c("sum_to_size", t(2, 3), [3, 3])


def grids():
    grid = t(2, 3, 2, 2, low=-1.4, high=1.4)
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            for align in (True, False):
                yield c("grid_sampler_2d", t(2, 2, 4, 5), grid, mode, padding, align)
    yield c("grid_sampler", t(2, 2, 4, 5), t(2, 3, 2, 3), 0, 0, False)
    for align in (True, False):
        yield c("affine_grid_generator", t(2, 2, 3), [2, 1, 3, 4], align)
        yield c("affine_grid_generator", t(1, 3, 4), [1, 1, 2, 3, 2], align)


def calls():
    for group in (matrices, shuffles, statistics, grids, pools, folds, convs, resize, foreach, views, losses, activations, norms, search, unique, order, pick):
        yield from group()
