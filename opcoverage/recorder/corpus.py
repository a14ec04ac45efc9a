"""Golden corpora on disk: cases.tsv and blob.bin, each perhaps compressed with zstd."""

import dataclasses
import os
import subprocess

import torch

from . import tokens

ALIGNMENT = 64  # of every storage in blob.bin, in bytes


@dataclasses.dataclass
class Case:
    """One case, with live values; columns as in the format."""

    op: str  # `add.Tensor`
    bucket: str  # dtype of the first tensor argument, or of the first output
    kind: str  # fwd, grad or err
    attributes: dict
    arguments: dict
    outputs: list = dataclasses.field(default_factory=list)
    written: dict = dataclasses.field(default_factory=dict)  # state after the call
    upstream: list = dataclasses.field(default_factory=list)  # grad only
    gradients: dict = dataclasses.field(default_factory=dict)  # grad only


class Blob:
    """blob.bin while it is built; equal storages are kept once."""

    def __init__(self):
        self.data = bytearray()
        self.places = {}

    def place(self, content):
        """`offset+length` of a storage's bytes."""
        if not content:
            return "0+0"
        if content not in self.places:
            self.data.extend(b"\0" * (-len(self.data) % ALIGNMENT))
            self.places[content] = "%d+%d" % (len(self.data), len(content))
            self.data.extend(content)
        return self.places[content]


@dataclasses.dataclass
class Row:
    """A case as text, and the bytes of its storages."""

    head: list  # columns 2 to 5: overload, bucket, kind, attributes
    tail: list  # columns 7 to 10
    contents: list  # of the storages, in order of their numbers


def row_of(case):
    """The Row of a case."""
    storages = tokens.Storages()
    arguments = tokens.encode_named(case.arguments, storages)
    outputs = " ".join(tokens.encode(v, storages) for v in case.outputs) or "-"
    written = tokens.encode_named(case.written, storages)
    grad = "-"
    if case.kind == "grad":
        upstream = " ".join(tokens.encode(v, storages) for v in case.upstream)
        grad = upstream + " | " + tokens.encode_named(case.gradients, storages)
    attributes = ";".join("%s=%s" % item for item in case.attributes.items())
    head = [case.op, case.bucket, case.kind, attributes]
    return Row(head, [arguments, outputs, written, grad], storages.contents)


def write(folder, rows, seed, compress):
    """Write a corpus of Rows in order; a call that is there already is not written again.

    Returns (cases written, bytes of blob.bin).
    """
    blob, lines, seen = Blob(), [], set()
    for row in rows:
        table = ",".join(blob.place(content) for content in row.contents) or "-"
        key = row.head[0], row.head[2], table, row.tail[0]
        if key not in seen:
            seen.add(key)
            lines.append("\t".join(["%06d" % len(lines)] + row.head + [table] + row.tail))
    head = "#golden-corpus v1 torch=%s seed=%d cases=%d blob_bytes=%d"
    head %= torch.__version__.split("+")[0], seed, len(lines), len(blob.data)
    os.makedirs(folder, exist_ok=True)
    text = ("\n".join([head] + lines) + "\n").encode()
    for name, content in (("cases.tsv", text), ("blob.bin", bytes(blob.data))):
        write_file(os.path.join(folder, name), content, compress)
    return len(lines), len(blob.data)


def write_file(path, content, compress):
    """Write one file, as PATH or, compressed, as PATH.zst."""
    if not compress:
        with open(path, "wb") as file:
            file.write(content)
        return
    command = ["zstd", "-q", "-f", "-19", "--long=27", "-o", path + ".zst"]
    subprocess.run(command, input=content, check=True)


def read_file(path):
    """The content of PATH or, where only that exists, of PATH.zst."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    return subprocess.run(
        ["zstd", "-q", "-d", "--long=27", "-c", path + ".zst"], check=True, capture_output=True
    ).stdout


def read(folder):
    """Yield (id, Case) for every case of a corpus."""
    lines = read_file(os.path.join(folder, "cases.tsv")).decode().splitlines()
    blob = read_file(os.path.join(folder, "blob.bin"))
    if not lines[0].startswith("#golden-corpus v1 "):
        raise ValueError("%s: not a golden corpus of version 1" % folder)
    for line in lines[1:]:
        yield line[:6], parse(line.split("\t"), blob)


def parse(row, blob):
    """The Case of the ten columns of a line."""
    op, bucket, kind, attributes, table, arguments, outputs, written, grad = row[1:]
    places = [] if table == "-" else [place.split("+") for place in table.split(",")]
    parts = [blob[int(offset):int(offset) + int(length)] for offset, length in places]
    buffers = tokens.Buffers(parts)
    case = Case(op, bucket, kind, dict(item.split("=", 1) for item in attributes.split(";")),
                tokens.decode_named(arguments, buffers), tokens.decode_list(outputs, buffers),
                tokens.decode_named(written, buffers))
    if kind == "grad":
        upstream, gradients = grad.split(" | ")
        case.upstream = tokens.decode_list(upstream, buffers)
        case.gradients = tokens.decode_named(gradients, buffers)
    return case
