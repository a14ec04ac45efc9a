"""Further calls derived from one call: other layouts, planted values, siblings, errors."""

import itertools
import re

import torch

from .call import copy_arguments, find, invoke, short_name, written_arguments

SENTINEL = {"float": float("nan"), "int": 77, "bool": True}  # fills gaps: reading one shows

REDUCTION = re.compile(r"sum|mean|prod|amax|amin|aminmax|^max$|^min$|argm|^any$|^all$|^var|^std"
                       r"|norm|softmax|logsumexp|cum|median|sort|topk|kthvalue|count_nonzero")

PROMOTIONS = [  # (dtype, rank) of self and other
    (("float32", 1), ("int64", 0)), (("int64", 1), ("float32", 0)), (("int32", 1), ("float32", 1)),
    (("uint8", 1), ("int8", 1)), (("float16", 1), ("bfloat16", 1)), (("bool", 1), ("int32", 1)),
    (("float16", 1), ("float64", 0)), (("int64", 1), ("float16", 0)), (("int8", 0), ("int16", 1)),
    (("float32", 0), ("float64", 0)), (("bool", 1), ("bool", 1)),
    (("float32", 1), ("complex64", 0)),
]


def is_pointwise(op):
    return torch.Tag.pointwise in op.tags


def is_reduction(op):
    return bool(REDUCTION.search(short_name(op).split(".")[0]))


def sentinel(dtype):
    """A value of the dtype that no correct kernel reads."""
    if dtype == torch.bool:
        return SENTINEL["bool"]
    return SENTINEL["float" if dtype.is_floating_point or dtype.is_complex else "int"]


def scattered(tensor):
    """The same values, dimensions in reversed order in memory, with gaps, an offset and a tail."""
    strides, step = [], 2
    for size in tensor.shape:
        strides.append(step)
        step *= max(size, 1)
    base = torch.full((step + 5,), sentinel(tensor.dtype), dtype=tensor.dtype)
    view = base.as_strided(tensor.shape, strides, 3)
    view.copy_(tensor)
    return view


def expanded_row(tensor):
    """The first slice of a tensor, expanded to its size."""
    return tensor[:1].clone().expand_as(tensor)


def layouts(call):
    """The call on transposed, gapped storages and, if pointwise, on expanded arguments."""
    if any(t.dim() for t in call.tensors()):
        yield call.mapped("layout", scattered)
    if is_pointwise(call.op):
        written = set(written_arguments(call.op))
        for name, value in reversed(call.arguments.items()):
            if isinstance(value, torch.Tensor) and value.dim() and name not in written:
                yield call.replaced("layout", {name: expanded_row(value)})
                break


def special_values(dtype, extremes=True, highest=True):
    """The values of a dtype at which formulas go wrong.

    Without `extremes` no two have a quotient that overflows: PyTorch's vectorised remainder makes
    NaN of those, and lcm and gcd of the lowest integer overflow, which ends the process. Without
    the `highest` integer no two have a product that overflows: the absolute value that lcm takes
    of it, C++ does not define.
    """
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if dtype.is_floating_point:
        info = torch.finfo(dtype)
        values = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0,
                  1.5, -7.0]
        if extremes:
            values += [info.smallest_normal / 4, info.tiny, info.max, info.min]
        return torch.tensor(values, dtype=torch.float64).to(dtype)
    info = torch.iinfo(dtype)
    edge = ([info.min] if extremes else []) + ([info.max] if highest else [])
    return torch.tensor(edge + [0, 1, 2, 7, 3] + ([-1, -7, -2] if info.min else [5]), dtype=dtype)


def specials(call):
    """Calls with NaN, infinities, signed zeros, denormals and extremes planted."""
    tensors = [n for n, v in call.arguments.items() if isinstance(v, torch.Tensor)]
    if is_pointwise(call.op):
        yield from special_pointwise(call, tensors)
    elif tensors and is_reduction(call.op):
        yield from special_reduction(call, tensors[0])


def special_pointwise(call, names):
    """All pairs of special values in the first two tensor arguments, rolled in the others."""
    extremes = not re.search(r"div|rem|mod|lcm|gcd", short_name(call.op))
    highest = "lcm" not in short_name(call.op)
    values = [special_values(call.arguments[n].dtype, extremes, highest) for n in names
              if not call.arguments[n].is_complex()]
    if not values or len(values) < len(names):
        return
    planted = {}
    if len(names) > 1:
        pairs = torch.cartesian_prod(torch.arange(len(values[0])), torch.arange(len(values[1])))
        planted = {n: v[pairs[:, i]] for i, (n, v) in enumerate(zip(names[:2], values))}
        for i, name in enumerate(names[2:]):
            place = (torch.arange(len(pairs)) * 7 + i) % len(values[i + 2])
            planted[name] = values[i + 2][place]
    else:
        planted = {names[0]: values[0]}
    yield call.replaced("special", planted)
    if not values[-1].is_floating_point() and len(names) > 1:  # division by zero raises
        keep = planted[names[1]] != 0
        yield call.replaced("special", {n: v[keep] for n, v in planted.items()})


def special_reduction(call, name):
    """One special value, or only such values, among ordinary ones."""
    tensor = call.arguments[name]
    if not tensor.is_floating_point() or tensor.numel() < 2:
        return
    inf, nan = float("inf"), float("nan")
    for plant in ([nan], [inf, -inf], [-inf], [torch.finfo(tensor.dtype).max] * 2):
        changed = tensor.clone()
        spread = torch.tensor(plant, dtype=tensor.dtype).repeat(tensor.numel())
        flat = changed.view(-1) if changed.is_contiguous() else changed.reshape(-1)
        flat[1:1 + len(plant)] = spread[:min(len(plant), len(flat) - 1)]
        yield call.replaced("special", {name: flat.view(tensor.shape)})
    for fill in (-inf, -0.0):
        yield call.replaced("special", {name: torch.full_like(tensor, fill)})


def shapes(call):
    """Rank 0, no elements, and mixed dtypes, for pointwise calls; no elements for reductions."""
    if not any(t.numel() for t in call.tensors()):
        return
    if is_pointwise(call.op):
        yield call.mapped("hand", lambda t: t.reshape(-1)[0].clone() if t.numel() else t)
    if is_pointwise(call.op) or is_reduction(call.op) and len(call.tensors()) == 1:
        yield call.mapped("hand", lambda t: torch.empty((0, 3), dtype=t.dtype))
        yield call.mapped("hand", lambda t: torch.empty((2, 0), dtype=t.dtype))


def promotions(call):
    """Mixed dtypes and ranks for calls of two tensors."""
    names = [n for n, v in call.arguments.items() if isinstance(v, torch.Tensor)]
    if not is_pointwise(call.op) or names[:2] != ["self", "other"] or len(names) > 2:
        return
    base = torch.tensor([1, 3, 2, 5, 0, 7])
    for (left, left_rank), (right, right_rank) in PROMOTIONS:
        first = base.to(getattr(torch, left)) if left_rank else torch.tensor(3).to(
            getattr(torch, left))
        second = (base.flip(0) + 1).to(getattr(torch, right)) if right_rank else torch.tensor(
            2).to(getattr(torch, right))
        yield call.replaced("hand", {"self": first, "other": second})


def siblings(call, index, wanted, full):
    """The in-place, out= and _copy forms of a functional call, where wanted.

    `full` asks for every kind of out=.
    """
    try:
        with torch.no_grad():
            outputs = invoke(call.op, copy_arguments(call.arguments))
    except Exception:  # PyTorch refuses the call, hence its siblings too
        return
    for name, form in index.of(short_name(call.op)):
        if name not in wanted:
            continue
        op = find(name)
        if form == "out":
            yield from itertools.islice(out_forms(call, op, outputs), None if full else 1)
        elif form == "inplace" or form == "functional":
            yield call.replaced("synth", {}, op)


def out_forms(call, op, outputs):
    """out= into a tensor of the right size, one with gaps, and an empty one that is resized."""
    names = written_arguments(op)
    accepted = {a.name for a in op._schema.arguments}
    kept = {k: v for k, v in call.arguments.items() if k in accepted}
    if len(names) != len(outputs) or not all(isinstance(t, torch.Tensor) for t in outputs):
        return
    makers = (
        lambda t: torch.full(t.shape, sentinel(t.dtype), dtype=t.dtype),
        lambda t: scattered(torch.full(t.shape, sentinel(t.dtype), dtype=t.dtype)),
        lambda t: torch.empty(0, dtype=t.dtype),
    )
    for make in makers:
        made = call.replaced("synth", dict(zip(names, map(make, outputs))), op)
        made.arguments = {**kept, **{n: made.arguments[n] for n in names}}
        made.expected = outputs
        yield made


def errors(call):
    """Calls that PyTorch ought to refuse; the judge drops those that it accepts."""
    tensors = [n for n, v in call.arguments.items() if isinstance(v, torch.Tensor)]
    for argument in call.op._schema.arguments:
        if argument.name == "dim" and str(argument.type) in ("int", "Optional[int]"):
            yield call.replaced("hand", {"dim": 99})
    for name in tensors[1:2]:
        first = call.arguments[tensors[0]]
        wrong = torch.ones([n + 3 for n in first.shape] or [2, 3], dtype=first.dtype)
        yield call.replaced("hand", {name: wrong, tensors[0]: torch.ones((2, 4)).to(first.dtype)})
    if tensors:
        first = call.arguments[tensors[0]]
        other = torch.int64 if first.is_floating_point() else torch.float32
        yield call.replaced("hand", {tensors[0]: torch.ones(first.shape).to(other)})
        yield call.replaced("hand", {tensors[0]: torch.ones(2, 1, 1, 1, 1, 1).to(first.dtype)})
    for name in written_arguments(call.op):
        value = call.arguments.get(name)
        if isinstance(value, torch.Tensor) and value.dim():
            yield call.replaced("hand", {name: expanded_row(torch.ones(2, *value.shape[1:],
                                                                         dtype=value.dtype))})
    for name in ("index", "indices"):  # not those of pooling: their kernels do not check them
        value = call.arguments.get(name) if "pool" not in str(call.op) else None
        if isinstance(value, torch.Tensor) and value.dtype == torch.int64:
            yield call.replaced("hand", {name: value + 100000})
