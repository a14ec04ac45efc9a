#!/usr/bin/env python3
"""Write sdk/ops/aten.inc, the one table of ATen overloads, from an installed PyTorch.

Run by hand when the SDK moves to another PyTorch release; its output is committed, so the build
needs neither Python nor PyTorch. A row holds what the SDK takes from PyTorch as a fact: the schema
as the dispatcher prints it, how the overload is registered (class), and its tags. Two columns are
our own: the C name (`ob_<c_name>`) and the family, which decides what is in scope.

    python opcoverage/record_aten.py [--out sdk/ops/aten.inc]
"""

import argparse
import collections
import os
import re
import sys

import torch

# Overloads that take the bare C name of their operator, where no rule below would choose them.
PRIMARY = {
    "empty": "memory_format",
    "flatten": "using_ints",
    "pow": "Tensor_Tensor",
    "scatter": "src",
    "unflatten": "int",
    "where": "self",
}

# Overload names to use in C names instead of PyTorch's, where those would clash.
RENAMED = {
    "aten::scatter.reduce": "src_reduce",
    "aten::scatter_.reduce": "src_reduce",
    "aten::where": "condition",
}

# Parts of an overload name that say nothing a C programmer needs, dropped where that stays unique.
NOISE = {"intlist", "tensor", "int", "default"}

# Keyword arguments that every factory has; they do not tell two overloads apart.
FACTORY_ARGS = {"dtype", "layout", "device", "pin_memory", "memory_format"}

CLASS_OF_ALIAS_KEY = [
    ("CompositeExplicitAutogradNonFunctional", "CEANF"),
    ("CompositeExplicitAutograd", "CEA"),
    ("CompositeImplicitAutograd", "CIA"),
]

# First match wins; searched in the operator name. Everything else is DENSE.
FAMILY_RULES = [
    ("DENSE", r"^max_pool[123]d_with_indices$|^tri[lu]_indices$"),
    ("TEST", r"^_test_|^_foobar$|^_debug_has_internal_overlap$|^_spdiags$"),
    ("FOREACH", r"foreach"),
    ("FUSED_OPTIM", r"^_fused_(adagrad|adam|adamw|sgd)_?$"),
    ("MOBILE", r"mps|vulkan"),
    ("VENDOR", r"cudnn|miopen|cufft|cslt"),
    ("MKLDNN", r"mkldnn"),
    ("QUANTIZED", r"quant(?!ile)|fbgemm|qparams|int[48]pack|matmul_4bit|pack_4bit|^q_|^qscheme$"
                  r"|^int_repr$"),
    ("NESTED", r"nested|jagged"),
    ("SPARSE", r"sparse|[a-z]_indices(_copy)?$|^_?(indices|values)$|^(indices|values)_copy$"
               r"|coalesce|^_nnz$|^hspmm$|^sspaddmm$|_csr$|_csc$|^_?to_dense|^_to_cpu$"
               r"|_csr_to_|_coo_to_"),
    ("ATTENTION", r"scaled_dot_product|attention|_fused_sdp_choice|_grouped_mm|_scaled_mm"
                  r"|_scaled_dot|transformer_encoder_layer"),
    ("SYMBOLIC", r"^sym_|assert|sym_constrain|_make_dep_token|^_print$|_propagate_xla_data"),
    ("SPECIAL", r"^special_"),
    ("LINALG", r"^_?linalg_"),
    ("FFT", r"^_?fft_"),
]

HEADER = """\
/* clang-format off */
/*
 * Every ATen overload of PyTorch {version}, sorted by name and overload; written by
 * opcoverage/record_aten.py: do not edit.
 *
 * OB_ATEN(c_name, schema, class, family, tags): the op's C function is ob_<c_name>. class says how
 * PyTorch registers it: NATIVE (per backend), STRUCTURED (the out= kernel that carries the shape
 * rule), DELEGATE (served by that kernel), CEA / CEANF / CIA (CompositeExplicitAutograd,
 * its NonFunctional kind, CompositeImplicitAutograd). tags are PyTorch's own.
 */
"""


class Overload:
    """One overload: its schema and what its name says about it."""

    def __init__(self, schema):
        self.schema = schema
        self.name = schema.name.removeprefix("aten::")
        self.overload = schema.overload_name
        self.written = [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write]
        self.tags = packet_overload(self).tags
        self.out = torch.Tag.out in self.tags
        dunder = self.name.startswith("__")
        self.inplace = self.name.endswith("_") and not dunder and not self.out
        stem = re.sub(r"^__(.*)__$", r"dunder_\1", self.name)
        self.stem = stem.removesuffix("_")
        self.trailing = "_" if self.name.endswith("_") and not dunder else ""

    def qualified(self):
        """`aten::name.overload`, as the dispatcher spells it."""
        return self.schema.name + ("." + self.overload if self.overload else "")

    def signature(self):
        """Names and types of the arguments that tell overloads apart, without written outputs."""
        outs = set(self.written) if self.out else set()
        return tuple(
            (a.name, str(a.type))
            for a in self.schema.arguments
            if a.name not in outs and a.name not in FACTORY_ARGS
        )


def packet_overload(op):
    """The torch.ops object of an Overload."""
    return getattr(getattr(torch.ops.aten, op.name), op.overload or "default")


def load_overloads():
    """All aten overloads that the dispatcher knows, sorted by (name, overload)."""
    schemas = {}
    for schema in torch._C._jit_get_all_schemas():
        schemas[schema.name + ("." + schema.overload_name if schema.overload_name else "")] = schema
    names = [n for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")]
    return sorted((Overload(schemas[n]) for n in names), key=lambda op: (op.name, op.overload))


def structured_overloads():
    """(structured, delegates): qualified names read from the native_functions.yaml of the wheel.

    The file is read line by line, not as YAML: only two flags are wanted, and PyTorch does not
    install a YAML reader.
    """
    root = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "torchgen", "packaged")
    structured, delegates, current = set(), set(), None
    with open(os.path.join(root, "ATen", "native", "native_functions.yaml")) as lines:
        for line in lines:
            if match := re.match(r"- func: ([\w.]+)\(", line):
                current = "aten::" + match[1]
            elif re.match(r"  structured: True", line):
                structured.add(current)
            elif re.match(r"  structured_delegate: ", line):
                delegates.add(current)
    return structured, delegates


def class_of(op, structured, delegates):
    """The class column of an overload."""
    if op.qualified() in structured:
        return "STRUCTURED"
    if op.qualified() in delegates:
        return "DELEGATE"
    for key, name in CLASS_OF_ALIAS_KEY:
        if torch._C._dispatch_has_kernel_for_dispatch_key(op.qualified(), key):
            return name
    return "NATIVE"


def family_of(op):
    """The family column of an overload."""
    return next((f for f, pattern in FAMILY_RULES if re.search(pattern, op.name)), "DENSE")


def tags_of(op):
    """The tags column of an overload: an or-expression, or 0."""
    names = sorted(str(tag).split(".")[-1].removesuffix("_tag").upper() for tag in op.tags)
    return " | ".join("OB_TAG_" + name for name in names) or "0"


def public_stems(ops):
    """C stem of every operator name: `_x` becomes x, or priv_x where x is an operator itself."""
    taken = {op.stem for op in ops if not op.stem.startswith("_")}
    stems = {}
    for op in ops:
        bare = op.stem.lstrip("_")
        stem = "priv_" + bare if op.stem.startswith("_") and bare in taken else bare
        stems[op.name] = re.sub(r"_+", "_", stem)
    return stems


def primary_overload(name, overloads):
    """The overload of an operator that takes the bare name, or None."""
    if name in PRIMARY:
        return PRIMARY[name]
    functional = [op.overload for op in overloads if not op.out]
    for candidate in ("", "Tensor", "int"):
        if candidate in functional:
            return candidate
    return functional[0] if len(functional) == 1 else None


def suffix_of(op, terse):
    """`_suffix` of an overload's name; terse drops the noise words."""
    overload = RENAMED.get(op.qualified(), op.overload)
    parts = [p for p in overload.lower().split("_") if p and not (terse and p in NOISE)]
    return "".join("_" + p for p in parts)


def unique_names(wanted, fallback):
    """Map key -> wanted[key] where that is unique, else fallback[key]."""
    count = collections.Counter(wanted.values())
    return {key: name if count[name] == 1 else fallback[key] for key, name in wanted.items()}


def c_names(ops):
    """Map overload -> C name.

    A functional overload is named after its operator and overload. An out= or in-place overload
    is named after the functional one with the same arguments, plus `_out` or `_`; only where
    there is none, after its own overload.
    """
    stems, by_name = public_stems(ops), collections.defaultdict(list)
    for op in ops:
        by_name[op.name].append(op)
    terse, full = {}, {}
    for name, overloads in by_name.items():
        primary = primary_overload(name, overloads)
        for op in overloads:
            bare = op.overload == primary
            tail = op.trailing
            terse[op] = stems[name] + ("" if bare else suffix_of(op, True)) + tail
            full[op] = stems[name] + ("" if bare else suffix_of(op, False)) + tail
    functional = [op for op in ops if not op.out and not op.inplace]
    names = unique_names({op: terse[op] for op in functional}, full)
    base = {(stems[op.name], op.signature()): names[op] for op in functional}
    derived, own = {}, {}
    for op in ops:
        if op not in names:
            sibling = base.get((stems[op.name], op.signature()))
            ending = ("_out" if op.out else "") + op.trailing
            derived[op] = sibling + ending if sibling else terse[op]
            own[op] = full[op]
    names.update(unique_names(derived, own))
    return names


def check_names(names):
    """Stop unless the C names are unique and free of what C++ reserves."""
    count = collections.Counter(names.values())
    bad = [n for n in count if count[n] > 1 or "__" in n or n.startswith("_")]
    bad += [n for n in count if not re.fullmatch(r"[a-z][A-Za-z0-9_]*", n)]
    if bad:
        rows = sorted((n, op.qualified()) for op, n in names.items() if n in bad)
        sys.exit("record_aten: C names that clash or are reserved: %s" % rows)


def c_string(text):
    """A C string literal."""
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def write_table(ops, out):
    """Write the table to the text stream `out`."""
    names = c_names(ops)
    check_names(names)
    structured, delegates = structured_overloads()
    out.write(HEADER.format(version=torch.__version__.split("+")[0]))
    for op in ops:
        columns = (names[op] + ",").ljust(36), c_string(str(op.schema)) + ","
        columns += class_of(op, structured, delegates) + ",", family_of(op) + ",", tags_of(op)
        out.write("OB_ATEN( %s %s %-11s %-12s %s )\n" % columns)
    out.write("/* clang-format on */\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="sdk/ops/aten.inc", help="file to write")
    options = parser.parse_args()
    ops = load_overloads()
    with open(options.out, "w") as out:
        write_table(ops, out)
    print("%s: %d overloads of PyTorch %s" % (options.out, len(ops), torch.__version__))


if __name__ == "__main__":
    main()
