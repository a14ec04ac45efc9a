"""Records calls of ATen ops with PyTorch 2.13 on the CPU, in the format of ops.jsonl.

    python record.py > more.jsonl && zstd -19 more.jsonl

`calls.py` lists the calls. A call that PyTorch refuses is recorded as refused.
"""

import json
import math

import torch

NAMES = {dtype: str(dtype).removeprefix("torch.") for dtype in
         (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.float16, torch.bfloat16, torch.float32, torch.float64)}
TOLERANCE = {torch.float16: (1e-2, 1e-3), torch.bfloat16: (2e-2, 8e-3),
             torch.float32: (1e-5, 1e-5), torch.float64: (1e-10, 1e-10)}


def number(x):
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    if isinstance(x, float) and x == int(x) and abs(x) < 1e15:
        return float(x)
    return float(f"{x:.17g}") if isinstance(x, float) else x


def storage_of(tensor):
    n = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = torch.empty(0, dtype=tensor.dtype)
    flat.set_(tensor.untyped_storage(), 0, (n,), (1,))
    return [number(x) for x in flat.tolist()]


def tensor_in(tensor):
    out = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data": storage_of(tensor)}
    if not tensor.is_contiguous() or tensor.storage_offset():
        out["strides"] = list(tensor.stride())
        out["storage_offset"] = tensor.storage_offset()
    return out


def argument(x):
    if isinstance(x, torch.Tensor):
        return tensor_in(x)
    if isinstance(x, torch.dtype):
        return {"dtype_arg": NAMES[x]}
    if isinstance(x, (list, tuple)):
        return [argument(item) for item in x]
    if isinstance(x, float) and not math.isfinite(x):
        return {"scalar": number(x)}
    return x


def output(x):
    if isinstance(x, torch.Tensor):
        data = [number(v) for v in x.detach().reshape(-1).tolist()]
        return {"dtype": NAMES[x.dtype], "shape": list(x.shape), "data": data}
    if isinstance(x, (list, tuple)):
        return [output(item) for item in x]
    return x


def written(op, args, kwargs):
    """(name, tensor) of every argument that the op writes."""
    for i, arg in enumerate(op._schema.arguments):
        value = args[i] if i < len(args) else kwargs.get(arg.name)
        if arg.alias_info is None or not arg.alias_info.is_write or value is None:
            continue
        if isinstance(value, torch.Tensor):
            yield arg.name, value
        else:
            yield from ((f"{arg.name}[{k}]", t) for k, t in enumerate(value))


def record(name, args, kwargs, check=None, tol=None):
    base, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, base), overload or "default")
    line = {"op": f"aten.{base}.{overload or 'default'}", "args": [argument(a) for a in args]}
    if kwargs:
        line["kwargs"] = {k: argument(v) for k, v in kwargs.items()}
    try:
        result = op(*args, **kwargs)
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        kind = type(error).__name__
        line["expect"] = {"error": {"kind": kind, "must_tell": str(error).split("\n")[0][:200]}}
        return line
    result = [] if result is None else result if isinstance(result, tuple) else (result,)
    line["expect"] = {"outputs": [output(x) for x in result]}
    flat = [t for x in result for t in (x if isinstance(x, (list, tuple)) else [x])]
    dtypes = {t.dtype for t in flat if isinstance(t, torch.Tensor)} & TOLERANCE.keys()
    if dtypes or tol:
        rtol, atol = max(TOLERANCE[d] for d in dtypes) if not tol else tol
        line["expect"]["tol"] = {"rtol": rtol, "atol": atol}
    after = {key: storage_of(t) for key, t in written(op, args, kwargs)}
    if after:
        line["expect"]["storage_after"] = after
    if check:
        line["expect"]["check"] = check
    return line


def main():
    import calls
    torch.manual_seed(1)
    for number_, (name, args, kwargs, check) in enumerate(calls.calls()):
        line = {"id": f"op-m{number_:03d}"}
        line.update(record(name, args, kwargs, check))
        print(json.dumps(line))


if __name__ == "__main__":
    main()
