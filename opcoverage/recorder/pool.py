"""Which calls are kept: a few for each cell of overload x dtype x level."""

import collections
import dataclasses

from .call import copy_arguments, short_name

CANDIDATES = 4  # calls remembered for each one that a cell may hold
INNER_LEVELS = {"nested", "low"}  # calls that another operator makes: fewer are kept
INNER_PER_CELL = 1


class Pool:
    """Calls of one unit of work, grouped in cells."""

    def __init__(self, per_cell, counts):
        """`counts`: how many cases of each cell earlier units have recorded."""
        self.per_cell, self.counts = per_cell, counts
        self.cells = collections.defaultdict(list)

    def room(self, cell):
        """How many cases the cell may still take.

        Pieces of work run side by side, so a cell may hold more than its limit already.
        """
        if cell[2] == "hand":
            return 1000
        limit = INNER_PER_CELL if cell[2] in INNER_LEVELS else self.per_cell
        return max(limit - self.counts[cell], 0)

    def offer(self, call):
        """Copy and keep a call, if its cell has room."""
        cell = cell_of(call)
        if len(self.cells[cell]) < self.room(cell) * CANDIDATES:
            copy = copy_arguments(call.arguments)
            self.cells[cell].append(dataclasses.replace(call, arguments=copy))

    def chosen(self):
        """Yield the calls of each cell, spread over what was offered."""
        for cell in sorted(self.cells):
            calls = self.cells[cell]
            count = min(self.room(cell), len(calls))
            if count:
                yield [calls[i * len(calls) // count] for i in range(count)]


def cell_of(call):
    """(overload, dtype, level) of a call; dtype of its first tensor, `None` without one."""
    tensors = call.tensors()
    return short_name(call.op), str(tensors[0].dtype if tensors else None), call.level
