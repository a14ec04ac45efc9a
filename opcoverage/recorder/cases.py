"""The cases of a cell: its calls, what is derived from them, their gradients and errors."""

import zlib

from . import gradients, judge, variants
from .call import short_name, written_arguments

FULL_DTYPES = {"torch.float32", "torch.int64", "None"}  # these get every derived kind of case


def seed_of(call, seed):
    """A seed that depends on the overload only, not on what was recorded before."""
    return (zlib.crc32((short_name(call.op) + call.level).encode()) + seed) % 2**31


def derived(calls, index, wanted, full):
    """Calls derived from the base calls of a cell; `full` asks for every kind."""
    functional = [c for c in calls if not written_arguments(c.op)]
    for call in functional[:2 if full else 1]:
        yield from variants.siblings(call, index, wanted, full)
    first = next((c for c in calls if any(t.dim() > 1 for t in c.tensors())), calls[0])
    yield from variants.layouts(first)
    yield from variants.specials(first)
    if full:
        yield from variants.shapes(first)
        yield from variants.promotions(first)


def cases_of(calls, index, wanted, seed):
    """Yield the cases of a cell.

    calls   Base calls, all of one overload, dtype and level.
    index   A call.Siblings.
    wanted  Overloads that are recorded; base calls of others only serve to derive from.
    """
    tensors = calls[0].tensors()
    full = str(tensors[0].dtype if tensors else None) in FULL_DTYPES
    outer = calls[0].level in ("top", "hand")
    more = list(derived(calls, index, wanted, full)) if outer else []
    for call in calls + more:
        if short_name(call.op) in wanted:
            if case := judge.judge(call, seed_of(call, seed)):
                yield case
    if full and outer and short_name(calls[0].op) in wanted:
        for call in calls if not written_arguments(calls[0].op) else []:
            if case := gradients.judge_gradient(call, seed_of(call, seed)):
                yield case
    if full and outer:
        tried = [c for c in calls[:1] + one_of_each(more) if short_name(c.op) in wanted]
        for call in tried if "backward" not in str(calls[0].op) else []:
            yield from filter(None, map(judge.judge_error, variants.errors(call)))


def one_of_each(calls):
    """The first call of each overload among the calls of level synth."""
    return list({c.op: c for c in reversed(calls) if c.level == "synth"}.values())
