"""Hand-made calls for overloads, or corners of them, that PyTorch's operator samples do not reach.

A row of a table is (overload, dtypes, arguments); arguments is a function of a `Make`, which
draws tensors of the dtype in question, and answers the arguments by schema name. The recorder
seeds each row by itself, so rows may be added anywhere.
"""

import zlib

import torch

from recorder.call import Call, find
from samples_shape import SHAPE_ROWS

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
F32 = (torch.float32,)
REALS = FLOATS + (torch.int64, torch.int32, torch.uint8, torch.bool)
NAN = float("nan")


class Make:
    """Draws tensors of one dtype."""

    def __init__(self, dtype, seed):
        self.dtype = dtype
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, *sizes, dtype=None):
        """A tensor of small values: floats in [-2, 2), integers in [-4, 5) or [0, 5)."""
        dtype = dtype or self.dtype
        if dtype.is_floating_point or dtype.is_complex:
            drawn = torch.rand(sizes, generator=self.generator, dtype=torch.float64) * 4 - 2
            return drawn.to(dtype)
        low = 0 if dtype in (torch.bool, torch.uint8) else -4
        high = 2 if dtype == torch.bool else 5
        return torch.randint(low, high, sizes, generator=self.generator).to(dtype)

    def positive(self, *sizes):
        """A tensor of values in [0.5, 1.5)."""
        return (torch.rand(sizes, generator=self.generator, dtype=torch.float64) + 0.5).to(
            self.dtype)

    def full(self, value, *sizes):
        """A tensor of one value."""
        return torch.full(sizes, value, dtype=self.dtype)

    def index(self, high, *sizes):
        """An int64 tensor of values in [0, high)."""
        return torch.randint(0, high, sizes, generator=self.generator)


def conv(x, w, bias, stride, padding, dilation, transposed=False, extra=(0,), groups=1):
    """Arguments of `convolution`."""
    return {"input": x, "weight": w, "bias": bias, "stride": stride, "padding": padding,
            "dilation": dilation, "transposed": transposed, "output_padding": list(extra),
            "groups": groups}


def norm_state(m, channels):
    """Affine parameters and running statistics of a batch norm."""
    return {"weight": m.positive(channels), "bias": m(channels),
            "running_mean": m(channels), "running_var": m.positive(channels)}


CONV_ROWS = [
    ("convolution.default", FLOATS, lambda m: conv(m(2, 3, 9), m(4, 3, 3), m(4), [1], [1], [1])),
    ("convolution.default", FLOATS, lambda m: conv(
        m(1, 4, 10), m(6, 2, 3), None, [2], [2], [2], groups=2)),
    ("convolution.default", FLOATS, lambda m: conv(
        m(2, 3, 6, 5), m(4, 3, 3, 2), m(4), [1, 1], [0, 0], [1, 1], extra=(0, 0))),
    ("convolution.default", FLOATS, lambda m: conv(
        m(1, 4, 7, 7), m(4, 1, 3, 3), m(4), [2, 2], [1, 1], [1, 1], extra=(0, 0), groups=4)),
    ("convolution.default", F32, lambda m: conv(
        m(1, 2, 9, 8), m(3, 2, 3, 3), None, [1, 2], [2, 1], [2, 1], extra=(0, 0))),
    ("convolution.default", F32, lambda m: conv(
        m(1, 3, 5), m(3, 2, 3), m(2), [2], [1], [1], True, (1,))),
    ("convolution.default", FLOATS, lambda m: conv(
        m(1, 4, 4, 5), m(4, 2, 3, 3), m(4), [2, 2], [1, 0], [1, 1], True, (1, 0), 2)),
    ("convolution.default", F32, lambda m: conv(
        m(1, 2, 4, 4), m(2, 3, 2, 2), None, [1, 1], [0, 0], [2, 2], True, (0, 0))),
    ("convolution.default", F32, lambda m: conv(
        m(1, 2, 3, 4, 3), m(2, 2, 2, 2, 2), m(2), [1] * 3, [0] * 3, [1] * 3, extra=(0, 0, 0))),
    ("convolution.default", F32, lambda m: conv(
        m(2, 8, 5, 5), m(4, 8, 1, 1), m(4), [1, 1], [0, 0], [1, 1], extra=(0, 0))),
    ("convolution.default", F32, lambda m: conv(
        m(0, 3, 5, 5), m(4, 3, 3, 3), m(4), [1, 1], [0, 0], [1, 1], extra=(0, 0))),
]


def conv_backward(m, transposed, mask):
    """Arguments of `convolution_backward` for a small 2-d convolution."""
    x, w = m(2, 4, 5, 5), m(4, 2, 3, 3)
    forward = conv(x, w, None, [2, 2], [1, 1], [1, 1], transposed, (0, 0), 2)
    grad = torch.rand_like(find("convolution.default")(**forward))
    del forward["bias"]
    return {"grad_output": grad, **forward, "bias_sizes": [4], "output_mask": mask}


CONV_ROWS += [
    ("convolution_backward.default", F32, lambda m: conv_backward(m, False, [True, True, True])),
    ("convolution_backward.default", F32, lambda m: conv_backward(m, True, [True, True, False])),
    ("convolution_backward.default", F32, lambda m: conv_backward(m, False, [False, True, False])),
]

NORM_ROWS = [
    ("native_layer_norm.default", FLOATS, lambda m: {
        "input": m(2, 3, 8), "normalized_shape": [8], "weight": m.positive(8), "bias": m(8),
        "eps": 1e-5}),
    ("native_layer_norm.default", FLOATS, lambda m: {
        "input": m(3, 2, 5), "normalized_shape": [2, 5], "weight": None, "bias": None,
        "eps": 1e-3}),
    ("native_layer_norm.default", F32, lambda m: {
        "input": m(0, 4), "normalized_shape": [4], "weight": m(4), "bias": None, "eps": 1e-5}),
    ("native_group_norm.default", FLOATS, lambda m: {
        "input": m(2, 6, 3, 3), "weight": m.positive(6), "bias": m(6), "N": 2, "C": 6, "HxW": 9,
        "group": 3, "eps": 1e-5}),
    ("native_batch_norm.default", F32, lambda m: {
        "input": m(4, 3, 2, 2), **norm_state(m, 3), "training": True, "momentum": 0.1,
        "eps": 1e-5}),
    ("native_batch_norm.default", FLOATS, lambda m: {
        "input": m(4, 3, 5), **norm_state(m, 3), "training": False, "momentum": 0.1, "eps": 1e-5}),
    ("_native_batch_norm_legit_no_training.default", FLOATS, lambda m: {
        "input": m(2, 3, 4, 4), **norm_state(m, 3), "momentum": 0.1, "eps": 1e-5}),
    ("_native_batch_norm_legit_no_training.default", F32, lambda m: {
        "input": m(5, 3), **{**norm_state(m, 3), "weight": None, "bias": None}, "momentum": 0.1,
        "eps": 1e-3}),
    ("_native_batch_norm_legit_functional.default", F32, lambda m: {
        "input": m(4, 3, 2, 2), **norm_state(m, 3), "training": True, "momentum": 0.1,
        "eps": 1e-5}),
    ("_native_batch_norm_legit.no_stats", F32, lambda m: {
        "input": m(4, 3, 5), "weight": m.positive(3), "bias": m(3), "training": True,
        "momentum": 0.1, "eps": 1e-5}),
]

MATRIX_ROWS = [
    ("addmm.default", FLOATS, lambda m: {
        "self": m.full(NAN, 3, 5), "mat1": m(3, 4), "mat2": m(4, 5), "beta": 0}),
    ("addmm.default", FLOATS, lambda m: {
        "self": m(5), "mat1": m(3, 4), "mat2": m(4, 5), "beta": 0.5, "alpha": 2}),
    ("addmm.default", F32, lambda m: {
        "self": m(3, 1), "mat1": m(3, 0), "mat2": m(0, 5), "beta": 3}),
    ("baddbmm.default", FLOATS, lambda m: {
        "self": m.full(NAN, 2, 3, 5), "batch1": m(2, 3, 4), "batch2": m(2, 4, 5), "beta": 0}),
    ("baddbmm.default", FLOATS, lambda m: {
        "self": m(1, 3, 1), "batch1": m(2, 3, 4), "batch2": m(2, 4, 5), "beta": 0.5, "alpha": 2}),
    ("addmv.default", FLOATS, lambda m: {
        "self": m.full(NAN, 3), "mat": m(3, 4), "vec": m(4), "beta": 0}),
    ("mm.default", REALS, lambda m: {"self": m(4, 6), "mat2": m(6, 3)}),
    ("mm.default", F32, lambda m: {"self": m(6, 4).t(), "mat2": m(3, 6).t()}),
    ("mm.default", F32, lambda m: {"self": m(4, 0), "mat2": m(0, 3)}),
    ("mm.default", F32, lambda m: {"self": m(0, 4), "mat2": m(4, 3)}),
    ("mm.default", F32, lambda m: {"self": m(33, 17), "mat2": m(17, 35)}),
    ("bmm.default", REALS, lambda m: {"self": m(2, 3, 4), "mat2": m(2, 4, 5)}),
    ("bmm.default", F32, lambda m: {"self": m(3, 2, 4).transpose(0, 1), "mat2": m(2, 4, 5)}),
    ("mv.default", FLOATS, lambda m: {"self": m(5, 7), "vec": m(7)}),
    ("linear.default", FLOATS, lambda m: {"input": m(2, 3, 5), "weight": m(4, 5), "bias": m(4)}),
]

SOFTMAX_ROWS = [
    (name, FLOATS, lambda m, d=dim: {"self": m(3, 4, 5), "dim": d, "half_to_float": False})
    for name in ("_softmax.default", "_log_softmax.default") for dim in (-1, 0, 1)
] + [
    (name, F32, lambda m: {"self": m(), "dim": 0, "half_to_float": False})
    for name in ("_softmax.default", "_log_softmax.default")
] + [
    (name, F32, lambda m: {
        "self": m.full(-float("inf"), 2, 3), "dim": -1, "half_to_float": False})
    for name in ("_softmax.default", "_log_softmax.default")
]

POOL_ROWS = [
    ("max_pool2d_with_indices.default", FLOATS, lambda m: {
        "self": m(2, 3, 7, 6), "kernel_size": [3, 2], "stride": [2, 2], "padding": [1, 1]}),
    ("max_pool2d_with_indices.default", F32, lambda m: {
        "self": m(3, 8, 8), "kernel_size": [3], "dilation": [2], "ceil_mode": True}),
    ("max_pool2d_with_indices.default", F32, lambda m: {
        "self": torch.where(m(1, 2, 4, 4) > 1, NAN, m(1, 2, 4, 4)), "kernel_size": [2, 2]}),
    ("avg_pool2d.default", FLOATS, lambda m: {
        "self": m(2, 3, 7, 6), "kernel_size": [3, 2], "stride": [2, 2], "padding": [1, 1]}),
    ("avg_pool2d.default", F32, lambda m: {
        "self": m(1, 2, 7, 7), "kernel_size": [3], "stride": [2], "padding": [1],
        "ceil_mode": True, "count_include_pad": False}),
    ("avg_pool2d.default", F32, lambda m: {
        "self": m(1, 2, 4, 4), "kernel_size": [2], "divisor_override": 3}),
    ("avg_pool1d.default", FLOATS, lambda m: {
        "self": m(2, 3, 9), "kernel_size": [3], "stride": [2], "padding": [1]}),
    ("_adaptive_avg_pool2d.default", FLOATS, lambda m: {
        "self": m(2, 3, 7, 5), "output_size": [3, 2]}),
    ("adaptive_avg_pool1d.default", F32, lambda m: {"self": m(2, 3, 7), "output_size": [4]}),
    ("upsample_nearest2d.default", FLOATS, lambda m: {
        "self": m(1, 2, 3, 4), "output_size": [6, 8]}),
    ("upsample_nearest2d.default", F32, lambda m: {
        "self": m(1, 2, 5, 4), "output_size": [3, 7]}),
    ("upsample_nearest2d.vec", F32, lambda m: {
        "input": m(1, 2, 3, 4), "output_size": None, "scale_factors": [2.0, 1.5]}),
    ("upsample_bilinear2d.default", F32, lambda m: {
        "self": m(1, 2, 3, 4), "output_size": [5, 7], "align_corners": False}),
    ("upsample_bilinear2d.default", F32, lambda m: {
        "self": m(1, 2, 3, 4), "output_size": [5, 7], "align_corners": True}),
]


def calls(dtypes, seed):
    """All hand-made calls of the given dtypes."""
    rows = CONV_ROWS + NORM_ROWS + MATRIX_ROWS + SOFTMAX_ROWS + POOL_ROWS + SHAPE_ROWS
    for number, (name, row_dtypes, arguments) in enumerate(rows):
        for dtype in row_dtypes:
            if dtype in dtypes:
                key = zlib.crc32(("%s %s %d" % (name, dtype, number)).encode()) + seed
                torch.default_generator.manual_seed(key)
                yield Call(find(name), arguments(Make(dtype, key)), "hand", "hand")
