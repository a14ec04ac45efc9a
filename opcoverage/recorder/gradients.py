"""Forward calls with a vector-Jacobian product: the grad cases."""

import torch

from . import judge
from .call import copy_arguments, flat_tensors, invoke, map_tensors, short_name
from .corpus import Case
from .tokens import compact


def product(op, arguments, upstream=None):
    """Run forward and backward: (outputs, gmask, upstream gradients, gradients by argument).

    `upstream` None draws them. Every float tensor argument is differentiated; a gradient that
    autograd leaves undefined is None.
    """
    arguments = copy_arguments(arguments)
    names = [n for n, v in arguments.items() if any(t.is_floating_point() for t in flat_tensors(v))]
    leaves = [t for n in names for t in flat_tensors(arguments[n]) if t.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_(True)
    with torch.enable_grad():
        outputs = [t for out in invoke(op, arguments) for t in flat_tensors(out)]
    needing = [t for t in outputs if t.requires_grad]
    if upstream is None:
        upstream = [torch.rand(t.shape, dtype=torch.float64).to(t.dtype) - 0.5 for t in needing]
    results = iter(torch.autograd.grad(needing, leaves, upstream, allow_unused=True))
    take = lambda t: next(results) if t.is_floating_point() else None
    gradients = {n: map_tensors(arguments[n], take) for n in names}
    mask = "".join("%d" % t.requires_grad for t in outputs)
    return [t.detach() for t in outputs], mask, upstream, gradients


def widened(op, arguments, upstream, gradients, tolerance):
    """(err, miss, ill) of the gradients against a float64 evaluation, or None without one."""
    wide = lambda t: t.to(judge.WIDER.get(t.dtype, t.dtype))
    try:
        with judge.default_float64():
            _, _, _, precise = product(op, {k: map_tensors(v, wide) for k, v in arguments.items()},
                                       [wide(t) for t in upstream])
    except Exception:  # the overload or an argument of it exists in the narrow type only
        return None
    narrow, precise = list(gradients.values()), list(precise.values())
    return judge.misses(narrow, precise, tolerance)


def judge_gradient(call, seed):
    """The grad Case of a functional call, or None where PyTorch has no derivative for it."""
    torch.default_generator.manual_seed(seed)
    try:
        outputs, mask, upstream, gradients = product(call.op, call.arguments)
        again = product(call.op, call.arguments, upstream)
    except Exception:  # not differentiable
        return None
    if "1" not in mask or not all(judge.small(t) for t in flat_tensors(outputs)):
        return None
    values, others = list(gradients.values()), list(again[3].values())
    if not judge.same([outputs, values], [again[0], others], judge.bits_equal):
        return None
    dtype = upstream[0].dtype
    (rtol, atol), source = judge.DEFAULT_TOLERANCE.get(dtype, (0, 0)), "torch"
    attributes = {"src": call.src, "level": call.level, "det": 1, "cmp": "close", "gmask": mask}
    found = widened(call.op, call.arguments, upstream, gradients, (rtol, atol))
    extra = {}
    if found:
        extra = {"err": "%.3g" % found[0], **({"ill": "1"} if found[2] else {})}
        if found[1]:
            atol, source = max(atol, 4 * found[1]), "widened"
    attributes.update(rtol="%.6g" % rtol, atol="%.6g" % atol, tol=source, **extra)
    return Case(short_name(call.op), judge.bucket(call.arguments, outputs), "grad", attributes,
                call.arguments, map_tensors(outputs, compact), {}, upstream,
                {n: map_tensors(v, compact) for n, v in gradients.items()})
