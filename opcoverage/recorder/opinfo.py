"""Calls taken from PyTorch's own operator samples (torch.testing's op_db).

Every sample runs three times under a mode that sees each operator call: below autograd's key, so
that composites arrive whole (level top; what they call then is nested); as an ordinary call
(nested); and with a backward pass (low).
"""

import random
import zlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .call import Call, bind, copy_arguments, recordable, short_name

MAX_SAMPLES = 6  # of one OpInfo and dtype, spread evenly over what it yields
MAX_OTHERS = 2  # the same for dtypes that are not recorded in full
IN_FULL = (torch.float32, torch.int64)
MAX_YIELD = 32  # samples drawn from one OpInfo at most


class Recorder(TorchDispatchMode):
    """Offers every aten call of a wanted overload to `keep(op, arguments)` before it runs.

    The arguments are borrowed: keep copies what it takes.
    """

    def __init__(self, wanted, keep):
        super().__init__()
        self.wanted, self.keep = wanted, keep

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func.namespace == "aten" and short_name(func) in self.wanted:
            arguments = bind(func, args, kwargs)
            if recordable(arguments):
                self.keep(func, arguments)
        return func(*args, **kwargs)


def seed_all(text, seed):
    """Seed every generator that samples draw from, by a name."""
    value = (zlib.crc32(text.encode()) + seed) % 2**31
    torch.default_generator.manual_seed(value)
    random.seed(value)
    try:
        import numpy

        numpy.random.seed(value)
    except ImportError:
        pass


def samples_of(info, dtype, seed):
    """Up to MAX_SAMPLES samples of an OpInfo, fewer where PyTorch cannot make them."""
    seed_all(info.full_name + str(dtype), seed)
    drawn = []
    try:
        for sample in info.sample_inputs("cpu", dtype, requires_grad=False):
            drawn.append(sample)
            if len(drawn) == MAX_YIELD:
                break
    except Exception:  # a sample that PyTorch cannot make on this build is not a case
        pass
    count = min(MAX_SAMPLES if dtype in IN_FULL else MAX_OTHERS, len(drawn))
    return [drawn[(2 * i + 1) * len(drawn) // (2 * count)] for i in range(count)]


def run_sample(function, sample, recorder, below_autograd):
    """Run a function on one sample under the recorder; failures are not cases."""
    try:
        arguments = copy_arguments({"i": sample.input, "a": sample.args})
        with recorder, torch.no_grad():
            if below_autograd:
                with torch._C._AutoDispatchBelowAutograd():
                    function(arguments["i"], *arguments["a"], **sample.kwargs)
            else:
                function(arguments["i"], *arguments["a"], **sample.kwargs)
    except Exception:
        pass


def run_backward(info, sample, recorder):
    """Run one sample forward, then its backward pass under the recorder."""
    try:
        def needs(tensor):
            return tensor.detach().clone().requires_grad_(tensor.is_floating_point())

        result = info.op(
            needs(sample.input), *[needs(a) if is_tensor(a) else a for a in sample.args],
            **sample.kwargs)
        first = result if is_tensor(result) else result[0]
        with recorder:
            first.backward(torch.rand_like(first))
    except Exception:
        pass


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def capture(info, dtype, wanted, pool, seed):
    """Offer the calls of wanted overloads that the samples of an OpInfo make to a pool.

    Answers whether there was any.
    """
    seen = set()

    def keeper(level):
        def keep(op, arguments):
            seen.add(short_name(op))
            pool.offer(Call(op, arguments, level, info.full_name, info))

        return keep

    for sample in samples_of(info, dtype, seed):
        for function in (info.op, *(alias.op for alias in info.aliases)):
            run_sample(function, sample, Recorder(wanted, keeper("top")), True)
        rest = wanted - seen
        if dtype in IN_FULL:
            run_sample(info.op, sample, Recorder(rest, keeper("nested")), False)
        if dtype == torch.float32:
            run_backward(info, sample, Recorder(rest, keeper("low")))
    return bool(seen)
