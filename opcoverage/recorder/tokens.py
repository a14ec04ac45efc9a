"""Values of operator calls as text tokens, and back.

A tensor token names a storage of its case; `Storages` collects them while a case is written and
`Buffers` rebuilds them while one is read. Every other token stands for itself.
"""

import urllib.parse

import torch

MEMORY_FORMATS = {
    "contiguous": torch.contiguous_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
    "preserve": torch.preserve_format,
}


def dtype_name(dtype):
    """`float32` for torch.float32."""
    return str(dtype).removeprefix("torch.")


def storage_bytes(tensor):
    """The bytes of a tensor's whole storage."""
    view = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
    return view.numpy().tobytes()


def span(tensor):
    """Elements from a tensor's first to its last element in memory; 0 where it has none."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))


def compact(tensor):
    """A copy with the same sizes and strides on a storage of its own, gaps zeroed, offset 0."""
    base = torch.zeros(span(tensor) * tensor.element_size(), dtype=torch.uint8)
    copy = torch.empty(0, dtype=tensor.dtype)
    copy.set_(base.untyped_storage(), 0, tensor.shape, tensor.stride())
    if tensor.numel():
        overlap_free(copy).copy_(overlap_free(tensor))
    return copy


def overlap_free(tensor):
    """The tensor with every dimension of stride 0 cut to its first index."""
    for dim, stride in enumerate(tensor.stride()):
        if stride == 0 and tensor.size(dim) > 1:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor


class Storages:
    """The storages of one case, in order of first use."""

    def __init__(self):
        self.contents = []  # bytes of each storage
        self.kept = []  # tensors whose storages have a number: keeps addresses from being reused
        self.number_of = {}  # address of a storage -> its number

    def token(self, tensor):
        """The token of a tensor; tensors that share a storage share its number."""
        storage = tensor.untyped_storage()
        key = storage.data_ptr() if storage.nbytes() else id(tensor)
        if key not in self.number_of:
            self.number_of[key] = len(self.contents)
            self.contents.append(storage_bytes(tensor))
            self.kept.append(tensor)
        place = self.number_of[key], dtype_name(tensor.dtype), tensor.storage_offset()
        return "T%d:%s:%d:" % place + extents(tensor.shape) + ":" + extents(tensor.stride())


def extents(values):
    """Sizes or strides as `2,3`; `x` for a tensor of rank 0."""
    return ",".join(str(v) for v in values) or "x"


def number(value):
    """A float as C hex float, nan or inf."""
    return value.hex() if value == value and abs(value) != float("inf") else str(value)


def encode(value, storages):
    """Tokens of a value, separated by spaces."""
    if isinstance(value, (list, tuple)):
        return " ".join(["["] + [encode(v, storages) for v in value] + ["]"])
    if isinstance(value, torch.Tensor):
        return storages.token(value)
    if value is None or isinstance(value, torch.Generator):
        return "N"
    if isinstance(value, bool):
        return "b%d" % value
    if isinstance(value, int):
        return "i%d" % value
    if isinstance(value, float):
        return "f" + number(value)
    if isinstance(value, complex):
        return "c" + number(value.real) + "," + number(value.imag)
    if isinstance(value, str):
        return "s" + urllib.parse.quote(value, safe="")
    if isinstance(value, torch.dtype):
        return "d" + dtype_name(value)
    if isinstance(value, torch.memory_format):
        return "m" + next(k for k, v in MEMORY_FORMATS.items() if v == value)
    if isinstance(value, torch.layout):
        return "l" + str(value).removeprefix("torch.")
    if isinstance(value, torch.device):
        return "vcpu"
    raise TypeError("no token for %r" % (value,))


class Buffers:
    """The storages of one case while it is read; `parts` are their bytes."""

    def __init__(self, parts):
        self.parts = parts
        self.built = {}

    def tensor(self, token):
        """The tensor of a token; tokens with the same number share one buffer."""
        index, dtype, offset, sizes, strides = token[1:].split(":")
        if index not in self.built:
            part = bytearray(self.parts[int(index)])
            buffer = torch.empty(len(part), dtype=torch.uint8)
            if part:
                buffer.copy_(torch.frombuffer(part, dtype=torch.uint8))
            self.built[index] = buffer
        tensor = torch.empty(0, dtype=getattr(torch, dtype))
        storage = self.built[index].untyped_storage()
        return tensor.set_(storage, int(offset), numbers(sizes), numbers(strides))


def numbers(text):
    """Sizes or strides from text."""
    return [] if text == "x" else [int(v) for v in text.split(",")]


SIMPLE = {
    "N": lambda text: None,
    "b": lambda text: text == "1",
    "i": int,
    "f": float.fromhex,
    "c": lambda text: complex(*(float.fromhex(part) for part in text.split(","))),
    "s": urllib.parse.unquote,
    "d": lambda text: getattr(torch, text),
    "m": MEMORY_FORMATS.get,
    "l": lambda text: getattr(torch, text),
    "v": torch.device,
}


def decode(tokens, buffers):
    """The next value of a token iterator."""
    token = next(tokens)
    if token == "[":
        values = []
        while (value := decode(tokens, buffers)) is not CLOSE:
            values.append(value)
        return values
    if token == "]":
        return CLOSE
    if token[0] == "T":
        return buffers.tensor(token)
    return SIMPLE[token[0]](token[1:])


CLOSE = object()  # what decode answers for `]`


def encode_named(values, storages):
    """`name=value name=value`; `-` for an empty dict."""
    return " ".join(k + "=" + encode(v, storages) for k, v in values.items()) or "-"


def decode_named(text, buffers):
    """The dict written by encode_named."""
    values, tokens = {}, iter([] if text == "-" else text.split(" "))
    for token in tokens:
        name, first = token.split("=", 1)
        values[name] = decode(prepend(first, tokens), buffers)
    return values


def prepend(first, tokens):
    """An iterator over `first` and then what is left of `tokens`."""
    yield first
    yield from tokens


def decode_list(text, buffers):
    """The values of a column without names; `-` for none."""
    values, tokens = [], iter([] if text == "-" else text.split(" "))
    for token in tokens:
        values.append(decode(prepend(token, tokens), buffers))
    return values
