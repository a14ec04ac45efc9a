"""Hand-made calls, continued: copies, views, indexing, joining, factories. See samples.py."""

import itertools

import torch

F32 = (torch.float32,)
FEW = (torch.float32, torch.int64, torch.bool, torch.float16)
FACTORY_DTYPES = (torch.float32, torch.int64, torch.bool, torch.float16, torch.int32)
COPY_DTYPES = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
               torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
               torch.float8_e4m3fn)
CONTIGUOUS, PRESERVE = torch.contiguous_format, torch.preserve_format


def source(m):
    """Values that every dtype holds, as the dtype of `m`."""
    return torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.5, 1.75]]).to(m.dtype)


COPY_ROWS = [
    ("_to_copy.default", COPY_DTYPES, lambda m, d=dtype: {"self": source(m), "dtype": d})
    for dtype in COPY_DTYPES
] + [
    ("copy_.default", COPY_DTYPES, lambda m, d=dtype: {
        "self": torch.zeros(2, 3, dtype=d), "src": source(m)})
    for dtype in COPY_DTYPES
] + [
    ("copy_.default", F32, lambda m: {"self": m(2, 3), "src": m(3)}),
    ("copy_.default", F32, lambda m: {"self": m(3, 2).t(), "src": m(2, 1)}),
    ("copy_.default", F32, lambda m: {"self": m(4, 6)[1:3, ::2], "src": m(2, 3)}),
    ("_to_copy.default", F32, lambda m: {
        "self": m(1, 2, 3, 4), "memory_format": torch.channels_last}),
    ("clone.default", FEW, lambda m: {"self": m(3, 2).t()}),
    ("clone.default", F32, lambda m: {"self": m(3, 2).t(), "memory_format": CONTIGUOUS}),
    ("clone.default", F32, lambda m: {"self": m(3, 1).expand(3, 4), "memory_format": PRESERVE}),
    ("contiguous.default", F32, lambda m: {"self": m(3, 2).t()}),
    ("contiguous.default", F32, lambda m: {"self": m(3, 2)}),
]

VIEW_ROWS = [
    ("view.default", FEW, lambda m: {"self": m(4, 6), "size": [2, -1, 3]}),
    ("view.default", F32, lambda m: {"self": m(), "size": [1, 1]}),
    ("view.default", F32, lambda m: {"self": m(0, 4), "size": [2, 0, 2]}),
    ("view.default", F32, lambda m: {"self": m(4, 6)[1:3], "size": [12]}),
    ("view.dtype", F32, lambda m: {"self": m(2, 3), "dtype": torch.int32}),
    ("_unsafe_view.default", F32, lambda m: {"self": m(4, 6), "size": [24]}),
    ("reshape.default", F32, lambda m: {"self": m(4, 6).t(), "shape": [8, 3]}),
    ("expand.default", FEW, lambda m: {"self": m(3, 1), "size": [2, -1, 4]}),
    ("expand.default", F32, lambda m: {"self": m(), "size": [2, 3]}),
    ("permute.default", FEW, lambda m: {"self": m(2, 3, 4), "dims": [2, 0, -2]}),
    ("transpose.int", FEW, lambda m: {"self": m(2, 3, 4), "dim0": 0, "dim1": -1}),
    ("t.default", F32, lambda m: {"self": m(2, 3)}),
    ("t.default", F32, lambda m: {"self": m(3)}),
    ("select.int", FEW, lambda m: {"self": m(2, 3, 4), "dim": 1, "index": -1}),
    ("slice.Tensor", FEW, lambda m: {
        "self": m(5, 4), "dim": 0, "start": -4, "end": 100, "step": 2}),
    ("slice.Tensor", F32, lambda m: {"self": m(5, 4), "dim": -1, "start": 3, "end": 1}),
    ("slice.Tensor", F32, lambda m: {"self": m(5, 4)}),
    ("split.Tensor", F32, lambda m: {"self": m(5, 4), "split_size": 2}),
    ("split_with_sizes.default", F32, lambda m: {
        "self": m(5, 4), "split_sizes": [1, 0, 4], "dim": 0}),
    ("unbind.int", F32, lambda m: {"self": m(3, 2), "dim": -1}),
    ("squeeze.default", F32, lambda m: {"self": m(1, 3, 1, 2)}),
    ("squeeze.dim", F32, lambda m: {"self": m(1, 3, 1, 2), "dim": 1}),
    ("squeeze.dims", F32, lambda m: {"self": m(1, 3, 1, 2), "dim": [0, 1, -2]}),
    ("unsqueeze.default", FEW, lambda m: {"self": m(3, 2), "dim": -1}),
    ("unsqueeze.default", F32, lambda m: {"self": m(), "dim": 0}),
    ("diagonal.default", F32, lambda m: {"self": m(3, 4), "offset": 1}),
    ("diagonal.default", F32, lambda m: {"self": m(2, 3, 4), "offset": -1, "dim1": 2, "dim2": 1}),
    ("unfold.default", F32, lambda m: {"self": m(2, 7), "dimension": 1, "size": 3, "step": 2}),
    ("as_strided.default", F32, lambda m: {
        "self": m(12), "size": [2, 3], "stride": [1, 2], "storage_offset": 4}),
    ("alias.default", F32, lambda m: {"self": m(2, 3)[:, 1:]}),
    ("detach.default", F32, lambda m: {"self": m(2, 3)}),
    ("transpose_.default", F32, lambda m: {"self": m(2, 3), "dim0": 0, "dim1": 1}),
    ("unsqueeze_.default", F32, lambda m: {"self": m(2, 3), "dim": 1}),
    ("squeeze_.default", F32, lambda m: {"self": m(2, 1)}),
    ("view_copy.default", F32, lambda m: {"self": m(4, 6), "size": [24]}),
]

INDEX_ROWS = [
    ("index.Tensor", FEW, lambda m: {"self": m(4, 3, 5), "indices": [None, m.index(3, 2), None]}),
    ("index.Tensor", F32, lambda m: {
        "self": m(4, 3, 5), "indices": [m.index(4, 2), None, m.index(5, 2)]}),
    ("index.Tensor", F32, lambda m: {
        "self": m(4, 3), "indices": [m.index(4, 2, 1) - 4, m.index(3, 3)]}),
    ("index.Tensor", F32, lambda m: {"self": m(4, 3), "indices": [m(4) > 0]}),
    ("index.Tensor", F32, lambda m: {"self": m(4, 3), "indices": [m(4, 3) > 0]}),
    ("index.Tensor", F32, lambda m: {"self": m(4, 3), "indices": [m.index(4, 0)]}),
    ("index_put.default", FEW, lambda m: {
        "self": m(4, 3), "indices": [torch.tensor([0, 2])], "values": m(2, 3)}),
    ("index_put.default", F32, lambda m: {
        "self": m(4, 3), "indices": [None, torch.tensor([1, 1])], "values": m(1),
        "accumulate": True}),
    ("index_put_.default", F32, lambda m: {
        "self": m(4, 3), "indices": [m(4) > 0], "values": m()}),
    ("gather.default", FEW, lambda m: {"self": m(3, 4), "dim": 1, "index": m.index(4, 2, 3)}),
    ("gather.default", F32, lambda m: {"self": m(), "dim": 0, "index": m.index(1)}),
    ("scatter.src", F32, lambda m: {
        "self": m(3, 4), "dim": 0, "index": torch.tensor([[0, 1, 2, 0]]), "src": m(2, 4)}),
    ("scatter_add.default", F32, lambda m: {
        "self": m(3, 4), "dim": 1, "index": m.index(4, 3, 6), "src": m(3, 6)}),
    ("index_select.default", FEW, lambda m: {"self": m(4, 3), "dim": 0, "index": m.index(4, 5)}),
    ("index_select.default", F32, lambda m: {"self": m(), "dim": 0, "index": m.index(1, 1)}),
    ("embedding.default", F32, lambda m: {"weight": m(5, 3), "indices": m.index(5, 2, 4)}),
    ("embedding.default", F32, lambda m: {
        "weight": m(5, 3), "indices": m.index(5, 2, 2).int(), "padding_idx": 1}),
    ("embedding_dense_backward.default", F32, lambda m: {
        "grad_output": m(2, 4, 3), "indices": m.index(5, 2, 4), "num_weights": 5,
        "padding_idx": 1, "scale_grad_by_freq": False}),
    ("where.self", FEW, lambda m: {"condition": m(3, 1) > 0, "self": m(4), "other": m(3, 4)}),
    ("where.self", F32, lambda m: {
        "condition": m(3) > 0, "self": m(3), "other": torch.tensor(2)}),
    ("where.ScalarSelf", F32, lambda m: {"condition": m(3) > 0, "self": 1.5, "other": m(3)}),
    ("where.ScalarOther", F32, lambda m: {"condition": m(3) > 0, "self": m(3), "other": 2}),
    ("where.Scalar", F32, lambda m: {"condition": m(3) > 0, "self": 1, "other": 2.5}),
    ("masked_fill.Scalar", FEW, lambda m: {"self": m(3, 4), "mask": m(4) > 0, "value": 1}),
    ("constant_pad_nd.default", FEW, lambda m: {"self": m(2, 3), "pad": [1, 2, 0, 1], "value": 1}),
    ("constant_pad_nd.default", F32, lambda m: {"self": m(4, 5), "pad": [-1, 2, 1, -2]}),
]

JOIN_ROWS = [
    ("cat.default", FEW, lambda m: {"tensors": [m(2, 3), m(1, 3)], "dim": 0}),
    ("cat.default", F32, lambda m: {"tensors": [m(0), m(2, 3), m(0)], "dim": 1}),
    ("cat.default", F32, lambda m: {"tensors": [m(2, 0), m(2, 3)], "dim": -1}),
    ("cat.default", F32, lambda m: {"tensors": [m(0), m(0)]}),
    ("cat.default", F32, lambda m: {"tensors": [m(3, 2).t(), m(4, 3)[::2]], "dim": 0}),
    ("stack.default", FEW, lambda m: {"tensors": [m(2, 3), m(2, 3)], "dim": -1}),
] + [
    ("cat.default", F32, lambda m, d=dtype: {"tensors": [m(2), m(2, dtype=d)]})
    for dtype in (torch.int64, torch.float16, torch.bool, torch.float64)
]

FACTORY_ROWS = [
    ("full.default", F32, lambda m, d=dtype, v=value: {
        "size": [2, 3], "fill_value": v, "dtype": d})
    for dtype, value in itertools.product(FACTORY_DTYPES, (1, 2.5))
] + [
    (name, F32, lambda m, d=dtype: {"size": [2, 3], "dtype": d})
    for name, dtype in itertools.product(("zeros.default", "ones.default"), FACTORY_DTYPES)
] + [
    ("scalar_tensor.default", F32, lambda m, d=dtype: {"s": 3, "dtype": d})
    for dtype in FACTORY_DTYPES
] + [
    ("full.default", F32, lambda m: {"size": [], "fill_value": True}),
    ("full.default", F32, lambda m: {"size": [0, 2], "fill_value": 2}),
    ("scalar_tensor.default", F32, lambda m: {"s": 2.5}),
    ("arange.default", F32, lambda m: {"end": 5}),
    ("arange.default", F32, lambda m: {"end": 2.5}),
    ("arange.start", F32, lambda m: {"start": 2, "end": 7}),
    ("arange.start_step", F32, lambda m: {"start": 1, "end": 2, "step": 0.25}),
    ("arange.start_step", F32, lambda m: {"start": 5, "end": -3, "step": -2}),
    ("arange.start_step", F32, lambda m: {
        "start": 0, "end": 6, "step": 1, "dtype": torch.float16}),
    ("linspace.default", F32, lambda m: {"start": -1, "end": 2, "steps": 7}),
    ("eye.m", F32, lambda m: {"n": 2, "m": 3}),
    ("full_like.default", FEW, lambda m: {"self": m(3, 2).t(), "fill_value": 1}),
    ("full_like.default", F32, lambda m: {
        "self": m(3, 2), "fill_value": 2.5, "dtype": torch.float64}),
    ("zeros_like.default", FEW, lambda m: {"self": m(3, 2).t()}),
    ("empty.memory_format", F32, lambda m: {"size": [2, 3], "dtype": torch.int32}),
    ("empty_like.default", F32, lambda m: {"self": m(3, 2).t()}),
    ("empty_permuted.default", F32, lambda m: {
        "size": [2, 3, 4], "physical_layout": [0, 2, 1]}),
    ("empty_strided.default", F32, lambda m: {"size": [2, 3], "stride": [1, 2]}),
]

SHAPE_ROWS = COPY_ROWS + VIEW_ROWS + INDEX_ROWS + JOIN_ROWS + FACTORY_ROWS
