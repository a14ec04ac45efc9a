#!/usr/bin/env python3
"""Record a golden corpus from an installed PyTorch, or run one again.

    python opcoverage/record.py --ops opcoverage/ops.txt --out opcoverage/goldens --zstd
    python opcoverage/record.py --verify opcoverage/goldens

The corpus is what `ob coverage --goldens` reads, so that neither Python nor PyTorch is needed
there. The same PyTorch, options and seed write the same bytes.
"""

import argparse
import collections
import functools
import os
import re
import signal
import sys
import warnings

os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # calls that warn are recorded on purpose
import torch

import record_aten
import samples
from recorder import apart, corpus, judge, opinfo, verify
from recorder.call import Siblings, short_name
from recorder.cases import cases_of
from recorder.pool import Pool, cell_of

DTYPES = ("bool,uint8,int8,int16,int32,int64,float16,bfloat16,float32,float64,complex64,"
          "float8_e4m3fn")

def read_wanted(text):
    """Overload names from a file with one a line, or all that match a regular expression."""
    if os.path.exists(text):
        with open(text) as lines:
            names = [line.split("#")[0].strip() for line in lines]
        return {name for name in names if name}
    rows = record_aten.load_overloads()
    names = [row.name + "." + (row.overload or "default") for row in rows]
    return {name for name in names if re.search(text, name)}


class Recording:
    """What all pieces of work share, and what they have recorded so far."""

    def __init__(self, options):
        self.options = options
        self.dtypes = [getattr(torch, name) for name in options.dtypes.split(",")]
        self.wanted = read_wanted(options.ops)
        self.index = Siblings(record_aten.load_overloads())
        self.sources = self.wanted | {  # a sibling is derived from its functional form
            n for w in self.wanted for n, form in self.index.of(w) if form == "functional"}
        self.counts = collections.Counter()  # cases of each cell
        self.rows = []

    def rows_of(self, pool):
        """(counts, rows) of the cases of a pool."""
        counts, rows = collections.Counter(), []
        for calls in pool.chosen():
            counts[cell_of(calls[0])] += len(calls)
            cases = cases_of(calls, self.index, self.wanted, self.options.seed)
            rows.extend(map(corpus.row_of, cases))
        return counts, rows

    def hand(self, calls):
        """The piece of work of the hand-made calls of one overload."""
        pool = Pool(self.options.max_per_cell, self.counts)
        for call in calls:
            pool.offer(call)
        return self.rows_of(pool)

    def opinfo(self, info):
        """The piece of work of one OpInfo."""
        pool = Pool(self.options.max_per_cell, self.counts)
        supported = [d for d in self.dtypes if d in info.supported_dtypes("cpu")]
        for dtype in sorted(supported, key=lambda d: d != torch.float32):
            if not opinfo.capture(info, dtype, self.sources, pool, self.options.seed):
                break  # no wanted overload in it, whatever the dtype
        return self.rows_of(pool)

    def take(self, name, result):
        """Keep the result of a piece of work."""
        if result is None:
            print("lost: " + name)
            return
        self.counts.update(result[0])
        self.rows.extend(result[1])
        if self.options.progress:
            print("%6d cases  %s" % (len(self.rows), name), flush=True)

    def pieces(self):
        """Yield (name, work): hand-made calls first, then PyTorch's own samples."""
        groups = collections.defaultdict(list)
        for call in samples.calls(self.dtypes, self.options.seed):
            if short_name(call.op) in self.wanted:
                groups[short_name(call.op)].append(call)
        for name, calls in groups.items():
            yield name, functools.partial(self.hand, calls)

        from torch.testing._internal.common_methods_invocations import op_db  # slow to import

        for info in op_db:
            if re.search(self.options.opinfos, info.full_name):
                yield info.full_name, functools.partial(self.opinfo, info)


def record(options):
    """Record a corpus."""
    recording = Recording(options)
    with judge.filled_memory():  # imports much at its first use: once here, not in every piece
        pass
    try:
        apart.run(recording.pieces(), recording.take)
    except KeyboardInterrupt:
        print("interrupted: the corpus holds what was recorded so far")
    rows = sorted(recording.rows, key=lambda row: row.head[:3])
    count, size = corpus.write(options.out, rows, options.seed, options.zstd)
    missing = sorted(recording.wanted - {row.head[0] for row in rows})
    print("%s: %d cases, blob %d bytes" % (options.out, count, size))
    print("without a case: %d of %d overloads" % (len(missing), len(recording.wanted)))
    for name in missing:
        print("  " + name)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops", help="file with one overload a line, or a regular expression")
    parser.add_argument("--opinfos", default="", metavar="REGEX",
                        help="use only these of PyTorch's operator samples")
    parser.add_argument("--dtypes", default=DTYPES, help="comma list (default: %(default)s)")
    parser.add_argument("--max-per-cell", type=int, default=2, metavar="N",
                        help="base cases for each overload, dtype and level (default: 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="folder to write the corpus to")
    parser.add_argument("--progress", action="store_true", help="print each piece of work done")
    parser.add_argument("--zstd", action="store_true", help="write .zst files")
    parser.add_argument("--verify", metavar="DIR", help="run the corpus in DIR again")
    options = parser.parse_args()
    if not options.verify and not (options.ops and options.out):
        parser.error("either --verify DIR, or --ops and --out")
    return options


def main():
    options = parse_options()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if options.verify:
        total, failures = verify.verify(options.verify)
        print("%s: %d cases, %d differ" % (options.verify, total, failures))
        return 1 if failures else 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    record(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
