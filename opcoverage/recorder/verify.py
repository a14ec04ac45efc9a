"""Runs a corpus again from its files alone and reports what differs."""

import torch

from . import corpus, judge
from .call import find, flat_tensors
from .gradients import product


def agrees(case, recorded, found):
    """Whether a result agrees with the recorded one as far as the case binds it."""
    det = case.attributes["det"]
    if det == "1":
        return judge.same(recorded, found, judge.bits_equal)
    if det == "2":
        return judge.same(recorded, found, judge.close)
    return judge.same(recorded, found, lambda a, b: (a.shape, a.dtype) == (b.shape, b.dtype))


def strides_agree(case, outputs):
    """Whether outputs that alias an argument have the recorded strides."""
    if "alias" not in case.attributes:
        return True
    shared = {int(part.split(":")[0]) for part in case.attributes["alias"].split(",")}
    for i in shared:
        for a, b in zip(flat_tensors(case.outputs[i]), flat_tensors(outputs[i])):
            if a.stride() != b.stride():
                return False
    return True


def check_error(case):
    """None where the call still fails, else a reason."""
    try:
        judge.forward(find(case.op), case.arguments)
    except Exception:
        return None
    return "the call succeeds"


def check(case):
    """None where PyTorch still answers what the case says, else a reason."""
    if case.kind == "err":
        return check_error(case)
    if case.kind == "grad":
        outputs, mask, _, gradients = product(find(case.op), case.arguments, case.upstream)
        recorded = [case.outputs, list(case.gradients.values())]
        if mask != case.attributes["gmask"] or list(gradients) != list(case.gradients):
            return "other outputs or arguments are differentiated"
        ok = agrees(case, recorded, [outputs, list(gradients.values())])
        return None if ok else "forward or gradients differ"
    outputs, written, _ = judge.forward(find(case.op), case.arguments)
    if not agrees(case, case.outputs, outputs):
        return "outputs differ"
    if not agrees(case, list(case.written.values()), list(written.values())):
        return "written arguments differ"
    return None if strides_agree(case, outputs) else "strides of a view differ"


def verify(folder):
    """Print every case that fails; answers (cases, failures)."""
    total = failures = 0
    for ident, case in corpus.read(folder):
        torch.default_generator.manual_seed(int(ident))
        total += 1
        try:
            reason = check(case)
        except Exception as error:
            reason = "%s: %s" % (type(error).__name__, str(error).splitlines()[0])
        if reason:
            failures += 1
            print("%s %s %s %s: %s" % (ident, case.op, case.bucket, case.kind, reason))
    return total, failures
