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
    yield c("native_layer_norm_backward", g.half(), x.half(), [4], mean, rstd, t(4, seed=4).half(), None,
            [True, True, True])


def calls():
    for group in (foreach, views, losses, activations, norms):
        yield from group()
