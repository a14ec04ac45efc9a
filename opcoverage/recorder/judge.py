"""Runs a call and says how far its result binds another implementation.

Three runs: the recorded one; one with another seed and with fresh memory filled, which tells
whether the result depends on the arguments only; and one in float64, which tells how far the
CPU's own rounding is off.
"""

import contextlib
import re

import torch

from .call import NOT_RECORDED, copy_arguments, flat_tensors, invoke, map_tensors, short_name, written_arguments
from .corpus import Case
from .tokens import compact, dtype_name, storage_bytes

# rtol and atol of torch.testing.assert_close; absent dtypes compare exactly.
DEFAULT_TOLERANCE = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}

WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}

# How outputs of an operator are compared; first match wins, searched in its name. Else `close`.
COMPARISON = [
    ("meta", r"^(new_)?empty|^resize|^rand|^normal|^bernoulli|dropout|^multinomial|^exponential"),
    ("ties", r"^(max|min|sort|argsort|topk|kthvalue|(nan)?median|mode|argmax|argmin|cummax|cummin)$"
             r"|max_pool\dd_with_indices$"),
    ("eig", r"eig"),
    ("svd", r"svd"),
    ("qr", r"_qr|^qr|geqrf"),
    ("unique", r"unique"),
    ("loose", r"lstsq|pinv|lobpcg|low_?rank"),
    ("exact", r"_copy$|^copy_|^clone$|^cat$|^stack$|^gather|^index$|^index_select$|^where$|^fill"
              r"|^zeros|^ones|^full|^masked_fill|^flip|^roll|^repeat|^constant_pad_nd|^embedding$"),
]

# Calls that are left out: (overload, condition on the call, reason).
LEFT_OUT = [
    (r"^upsample_bilinear2d", lambda call: call.tensors()[0].dtype == torch.uint8,
     "the weights of bytes are rounded to fixed point, so that results are off by one"),
    (r"^addbmm_\.", lambda call: call.tensors()[0].dim() < 2, "self is resized in place"),
    (r"^(var|std)_mean", lambda call: call.level == "special" and call.tensors()[0].dtype ==
     torch.float64, "float64 sums overflow, PyTorch's running mean of the largest ones does not"),
]

ILL_SHARE = 0.05  # of the largest magnitude: a float64 miss beyond this is a branch, not rounding


def forward(op, arguments):
    """Run once: (outputs, written arguments after the call, the arguments).

    Written are the arguments that the schema marks, and those whose memory changed without such a
    mark: running statistics of native_batch_norm.
    """
    arguments, before = copy_arguments(arguments), copy_arguments(arguments)
    with torch.no_grad():
        outputs = invoke(op, arguments)
    names = [n for n in written_arguments(op) if n in arguments]
    names += [n for n in arguments if n not in names and memory(arguments[n]) != memory(before[n])]
    return outputs, {n: arguments[n] for n in names}, arguments


def memory(value):
    """The bytes of all storages of a value."""
    return [storage_bytes(t) for t in flat_tensors(value)]


@contextlib.contextmanager
def filled_memory():
    """Fresh memory is filled, so that a result that reads it shows."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@contextlib.contextmanager
def default_float64():
    """Results without a float argument are float64."""
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def bits_equal(a, b):
    """Whether two tensors have equal bits; every NaN equals every NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.numel() == 0:
        return True
    if a.is_complex():
        a, b = torch.view_as_real(a.resolve_conj()), torch.view_as_real(b.resolve_conj())
    both_nan = (a != a) & (b != b) if a.dtype.is_floating_point else torch.zeros(1).bool()
    a_bits, b_bits = (torch.empty(t.numel(), dtype=t.dtype).copy_(t.reshape(-1)).view(
        torch.uint8).view(t.numel(), -1) for t in (a, b))
    return bool(((a_bits == b_bits).all(1) | both_nan.reshape(-1)).all())


def same(values, others, equal):
    """Whether two nested results agree, tensors by `equal`."""
    if isinstance(values, torch.Tensor):
        return isinstance(others, torch.Tensor) and equal(values, others)
    if isinstance(values, (list, tuple)):
        return len(values) == len(others) and all(
            same(v, o, equal) for v, o in zip(values, others))
    return values == others or values != values and others != others


def close(a, b):
    """Whether two tensors agree within the default tolerance of their dtype."""
    rtol, atol = DEFAULT_TOLERANCE.get(a.dtype, (0, 0))
    return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(
        a.double() if a.dtype not in WIDER else a, b.double() if b.dtype not in WIDER else b,
        rtol=rtol, atol=atol, equal_nan=True)


def determinism(op, arguments, outputs, written):
    """The `det` attribute: 1, 2 or 0."""
    torch.default_generator.manual_seed(987654321)
    with filled_memory():
        again, written_again, _ = forward(op, arguments)
    first, second = [outputs, list(written.values())], [again, list(written_again.values())]
    if same(first, second, bits_equal):
        return 1
    return 2 if same(first, second, close) else 0


def opinfo_tolerance(info, dtype):
    """The largest (rtol, atol) by which an OpInfo overrides the default of a dtype, or None."""
    found = []
    for decorator in getattr(info, "decorators", None) or ():
        if getattr(decorator, "device_type", None) in (None, "cpu"):
            for inner in getattr(decorator, "decorators", [decorator]):  # toleranceOverride
                if dtype in getattr(inner, "overrides", ()):
                    found.append(inner.overrides[dtype])
    if not found:
        return None
    return max(t.rtol for t in found), max(t.atol for t in found)


def in_float64(op, arguments):
    """The outputs of the call evaluated in float64, or None where it has no such form."""
    if any(t.dtype.itemsize == 1 and t.is_floating_point()
           for v in arguments.values() for t in flat_tensors(v)):
        return None
    wide = {k: map_tensors(v, lambda t: t.to(WIDER.get(t.dtype, t.dtype)))
            for k, v in arguments.items()}
    wide = {k: WIDER.get(v, v) if isinstance(v, torch.dtype) else v for k, v in wide.items()}
    try:
        with default_float64(), torch.no_grad():
            return invoke(op, copy_arguments(wide))
    except Exception:  # an overload or argument that exists in the narrow type only
        return None


def misses(outputs, wide, tolerance):
    """Compare with the float64 evaluation: (largest error, largest error beyond tolerance, ill)."""
    error, beyond, ill = 0.0, 0.0, False
    pairs = zip(flat_tensors(outputs), flat_tensors(wide))
    for out, ref in pairs:
        if out.shape != ref.shape:
            return error, beyond, True
        if not (out.is_floating_point() or out.is_complex()):
            ill |= not torch.equal(out, ref.to(out.dtype))
            continue
        narrow = ref.to(out.dtype)
        out, ref = out.to(ref.dtype), narrow.to(ref.dtype)
        finite = out.isfinite() & ref.isfinite()
        ill |= not torch.equal(out.isnan(), ref.isnan())
        ill |= bool(((out != ref) & ~finite & ~out.isnan()).any())
        if finite.any():
            distance = (out - ref).abs()[finite]
            allowed = tolerance[0] * ref.abs()[finite] + tolerance[1]
            error = max(error, distance.max().item())
            if (distance > allowed).any():
                beyond = max(beyond, distance[distance > allowed].max().item())
                share = torch.finfo(narrow.dtype).eps * 64 + ILL_SHARE
                ill |= bool((distance > share * (1 + ref.abs()[finite].max())).any())
    return error, beyond, ill


def comparison(op, outputs):
    """The `cmp` attribute of an overload."""
    name = short_name(op).split(".")[0].rstrip("_")
    for kind, pattern in COMPARISON:
        if re.search(pattern, name):
            return kind
    floats = [t for t in flat_tensors(outputs) if t.is_floating_point() or t.is_complex()]
    return "close" if floats else "exact"


def aliases(outputs, arguments):
    """The `alias` attribute: outputs that share memory with an argument."""
    found = []
    for index, out in enumerate(outputs):
        for part in flat_tensors(out):
            for name, value in arguments.items():
                for t in flat_tensors(value):
                    if t.numel() and part.untyped_storage().data_ptr() == \
                            t.untyped_storage().data_ptr():
                        found.append("%d:%s:%d" % (index, name, part.storage_offset()))
    return ",".join(dict.fromkeys(found))


def bucket(arguments, outputs):
    """Dtype name of the first tensor argument, or of the first output, or `-`."""
    tensors = [t for v in list(arguments.values()) + [outputs] for t in flat_tensors(v)]
    return dtype_name(tensors[0].dtype) if tensors else "-"


def tolerance_attributes(call, outputs, kind):
    """rtol, atol, tol, err and ill of a forward case."""
    floats = [t.dtype for t in flat_tensors(outputs) if t.dtype in DEFAULT_TOLERANCE]
    if kind == "meta" or not floats:
        return {"rtol": "0", "atol": "0", "tol": "none"}
    dtype = max(floats, key=lambda d: DEFAULT_TOLERANCE[d][0])
    (rtol, atol), source = DEFAULT_TOLERANCE[dtype], "torch"
    override = opinfo_tolerance(call.opinfo, dtype)
    if override and override > (rtol, atol):
        (rtol, atol), source = override, "opinfo"
    extra = {}
    wide = in_float64(call.op, call.arguments)
    if wide is not None:
        error, beyond, ill = misses(outputs, wide, (rtol, atol))
        extra = {"err": "%.3g" % error, **({"ill": "1"} if ill else {})}
        if beyond:
            atol, source = max(atol, 4 * beyond), "widened"
    return {"rtol": "%.6g" % rtol, "atol": "%.6g" % atol, "tol": source, **extra}


def keep_written(before, after):
    """The state of a written argument with a storage of its own.

    The whole storage is kept where the call left its size alone, so that a reader can check the
    gaps around the view as well.
    """
    if before.untyped_storage().nbytes() == after.untyped_storage().nbytes():
        return copy_arguments({"t": after})["t"]
    return compact(after)


def judge(call, seed):
    """The forward Case of a call, or None where PyTorch refuses it or which is left out."""
    name = short_name(call.op)
    if any(re.search(op, name) and condition(call) for op, condition, _ in LEFT_OUT):
        return None
    torch.default_generator.manual_seed(seed)
    try:
        outputs, written, used = forward(call.op, call.arguments)
    except Exception:  # PyTorch refuses the call: not a forward case
        return None
    det = determinism(call.op, call.arguments, outputs, written)
    if det and call.expected is not None and not same(outputs, call.expected, close):
        return None  # PyTorch contradicts itself: softmax.out of float64 takes out= for row-major
    if any(not small(t) for t in flat_tensors(outputs)):
        return None
    kind = "meta" if det == 0 else comparison(call.op, outputs)
    det = 0 if kind == "meta" else det  # random values that agreed by chance
    attributes = {"src": call.src, "level": call.level, "det": det, "cmp": kind}
    attributes.update(tolerance_attributes(call, outputs, kind))
    if shared := aliases(outputs, used):
        attributes["alias"] = shared
    state = {name: [keep_written(b, a) for b, a in zip(
        flat_tensors(call.arguments[name]), flat_tensors(value))] for name, value in
        written.items()}
    state = {n: v if isinstance(written[n], (list, tuple)) else v[0] for n, v in state.items()}
    return Case(short_name(call.op), bucket(call.arguments, outputs), "fwd", attributes,
                call.arguments, map_tensors(outputs, compact), state)


def small(tensor):
    """Whether an output may enter the corpus."""
    return tensor.numel() <= 4000 and tensor.layout == torch.strided and not (
        tensor.is_conj() or tensor.is_neg() or tensor.dtype in NOT_RECORDED)


def judge_error(call):
    """The err Case of a call, or None where PyTorch accepts it or merely lacks a kernel."""
    try:
        forward(call.op, call.arguments)
    except Exception as error:
        text = (str(error).splitlines() or [""])[0]
        if "not implemented for" in text or "INTERNAL ASSERT" in text:
            return None
        for char in "%;=\t":
            text = text.replace(char, "%%%02X" % ord(char))
        attributes = {"src": call.src, "level": call.level, "det": 1, "cmp": "exact",
                      "exc": type(error).__name__, "msg": text[:160]}
        return Case(short_name(call.op), bucket(call.arguments, []), "err", attributes,
                    call.arguments)
    return None
