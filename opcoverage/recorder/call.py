"""A call of one ATen overload: its arguments under schema names, copied and run safely."""

import collections
import dataclasses

import torch

from . import tokens

MAX_NUMEL = 256  # of a tensor that may enter the corpus
NOT_RECORDED = (torch.complex32, torch.complex128)  # no such element types in the SDK
MAX_STORAGE = 16384  # bytes of a storage that is kept whole; larger ones are cut to the tensor


@dataclasses.dataclass
class Call:
    """An overload, its arguments, and where they come from."""

    op: torch._ops.OpOverload
    arguments: dict
    level: str  # top, nested, low, special, layout, synth, hand
    src: str  # name of the OpInfo, or `hand`
    opinfo: object = None
    expected: list = None  # outputs of the functional form, for an out= call

    def tensors(self):
        """All tensor arguments, those in lists too."""
        return [t for v in self.arguments.values() for t in flat_tensors(v)]

    def replaced(self, level, changed, op=None):
        """The same call with another level, `changed` arguments and perhaps another overload."""
        merged = {**self.arguments, **changed}
        return dataclasses.replace(self, op=op or self.op, arguments=merged, level=level)

    def mapped(self, level, change):
        """The same call with every tensor t replaced by change(t)."""
        changed = {k: map_tensors(v, change) for k, v in self.arguments.items()}
        return dataclasses.replace(self, arguments=changed, level=level)


def flat_tensors(value):
    """The tensors of a value: itself, or those of a list."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in flat_tensors(v)]
    return []


def map_tensors(value, change):
    """The value with every tensor t replaced by change(t)."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [map_tensors(v, change) for v in value]
    return value


def short_name(op):
    """`add.Tensor` of an OpOverload."""
    return str(op).removeprefix("aten.")


def find(name):
    """The OpOverload of `add.Tensor` or `relu.default`."""
    packet, overload = name.split(".", 1)
    return getattr(getattr(torch.ops.aten, packet), overload)


def written_arguments(op):
    """Names of the arguments that the schema marks as written."""
    return [a.name for a in op._schema.arguments if a.alias_info and a.alias_info.is_write]


def bind(op, args, kwargs):
    """The arguments of a call under schema names."""
    names = [a.name for a in op._schema.arguments]
    return {**dict(zip(names, args)), **kwargs}


def recordable(arguments):
    """Whether all values have tokens and all tensors are small, dense CPU tensors."""
    try:
        for value in arguments.values():
            for t in flat_tensors(value):
                if not plain(t):
                    return False
            tokens.encode(map_tensors(value, lambda t: None), None)
    except TypeError:
        return False
    return True


def plain(tensor):
    """Whether a tensor is a small strided CPU tensor without lazy conjugation or negation."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout == torch.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and not tensor.is_nested
        and tensor.dtype not in NOT_RECORDED
        and not tensor.is_conj()
        and not tensor.is_neg()
        and tensor.numel() <= MAX_NUMEL
    )


def copy_arguments(arguments):
    """A deep copy that shares nothing with the original and keeps which arguments share memory."""
    groups = collections.Counter(
        t.untyped_storage().data_ptr() for v in arguments.values() for t in flat_tensors(v)
    )
    storages = {}

    def copy(t):
        t = t.detach()
        key = t.untyped_storage().data_ptr()
        if groups[key] == 1 and t.untyped_storage().nbytes() > MAX_STORAGE or key == 0:
            return tokens.compact(t)
        if key not in storages:
            storages[key] = t.untyped_storage().clone()
        fresh = torch.empty(0, dtype=t.dtype)
        return fresh.set_(storages[key], t.storage_offset(), t.shape, t.stride())

    return {k: map_tensors(v, copy) for k, v in arguments.items()}


def invoke(op, arguments):
    """Call an overload by schema names; its results as a list."""
    result = op(**arguments)
    if isinstance(result, tuple):
        return list(result)
    return [] if result is None and not op._schema.returns else [result]


class Siblings:
    """Finds the functional, in-place, out= and _copy overloads of one computation."""

    def __init__(self, overloads):
        """`overloads`: what record_aten.load_overloads answers."""
        self.rows = {}
        self.groups = collections.defaultdict(list)
        for row in overloads:
            stem = row.stem.removesuffix("_copy")
            self.rows[row.name + "." + (row.overload or "default")] = stem, row.signature()
            self.groups[stem, row.signature()].append(row)

    def of(self, name):
        """[(name, form)] of the other overloads; form is functional, inplace or out."""
        found = []
        for row in self.groups[self.rows[name]]:
            other = row.name + "." + (row.overload or "default")
            form = "out" if row.out else "inplace" if row.inplace else "functional"
            if other != name:
                found.append((other, form))
        return found
