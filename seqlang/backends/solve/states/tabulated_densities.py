"""Densities that are evaluated once for each different argument, as many states share the arguments of a density.

`TabledCompiler(program)` is a `SteadyCompiler` whose densities are looked up where few rows differ in the arguments of
the law and in the place at which it is asked. Values are kept from one step to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.frame import Frame, Run
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Run as Form
from seqlang.model.program import Program
from seqlang.record import replace

Array = NDArray[Any]
FEW = 64
"""Fewer rows than this are evaluated as they are."""
WIDEST = 1 << 20
"""Combinations of whole numbers that are told apart by a table; more, or other numbers, by sorting."""
MOST_KEPT = 200_000


class TabledCompiler(SteadyCompiler):
    """See the module."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._lookups: dict[int, ir.Expression] = {}
        """Densities at numbers that are computed apart, in the form in which they are run."""

    def form(self, e: ir.Expression) -> Form:
        return e if id(e) in self._lookups else super().form(e)

    def compile(self, e: ir.Expression) -> Run:
        if isinstance(e, ir.Density) and isinstance(e.law, ir.Law):
            return self.once(e, lambda: self._tabled(e))
        return super().compile(e)

    def _tabled(self, e: ir.Density) -> Run:
        direct = super().compile(e)
        form = self.form(e)
        if not isinstance(form, ir.Density):
            return direct
        e = form
        tables = [part for part in ir.walk(e.law) if isinstance(part, ir.Weights | ir.WeightsOf)]
        if any(self.exact.compile(table).reads for table in tables):
            return direct  # a table of values that differ from run to run has no arguments to look it up by
        read: list[ir.Expression] = []
        law = self._with_arguments(e.law, read)
        at = self._argument(e.at, read)
        if not read or any(isinstance(x, ir.Bound) for part in read for x in ir.walk(part)):
            return direct
        looked_up = replace(e, law=law, at=at)
        self._lookups[id(looked_up)] = looked_up
        lookup = super().compile(looked_up)
        runs = [self.compile(part) for part in read]
        known: dict[tuple[float, ...], float] = {}

        def run(f: Frame) -> Any:
            if f.count < FEW:
                return direct(f)
            columns = [np.atleast_1d(np.asarray(part(f), dtype=np.float64)) for part in runs]
            if any(c.shape not in ((1,), (f.count,)) for c in columns) or any(np.isnan(c).any() for c in columns):
                return direct(f)
            found = distinct(columns, f.count)
            if found is None or len(found[0]) > f.count // 2:
                return direct(f)
            first, group = found
            rows = [np.broadcast_to(c, (f.count,))[first].tolist() for c in columns]
            keys = list(zip(*rows, strict=True))
            new = [key for key in dict.fromkeys(keys) if key not in known]
            if new:
                if len(known) > MOST_KEPT:
                    known.clear()
                    new = list(dict.fromkeys(keys))
                some = Frame(f.state, np.zeros(len(new), dtype=np.intp))
                some.bound = {
                    _placeholder(i).number: np.array(column) for i, column in enumerate(zip(*new, strict=True))
                }
                values = np.broadcast_to(np.asarray(lookup(some), dtype=np.float64), (len(new),))
                known.update(zip(new, values.tolist(), strict=True))
            return np.array([known[key] for key in keys])[group]

        return run

    def _with_arguments(self, law: ir.Expression, read: list[ir.Expression]) -> ir.Expression:
        """The law with its arguments replaced by bound variables; what they were is added to `read`."""
        if not isinstance(law, ir.Law):
            return law if isinstance(law, (ir.Weights, ir.WeightsOf)) else self._argument(law, read)
        return replace(law, arguments=tuple(self._with_arguments(a, read) for a in law.arguments))

    def _argument(self, e: ir.Expression, read: list[ir.Expression]) -> ir.Expression:
        if not self.exact.compile(e).reads:
            return e
        if e in read:
            return ir.Bound(_placeholder(read.index(e)))
        read.append(e)
        return ir.Bound(_placeholder(len(read) - 1))


def _placeholder(i: int) -> ir.Variable:
    """The variable that stands for argument i of a law; no binder of a program has a negative number."""
    return ir.Variable(-1 - i, f"argument {i + 1}")


def distinct(columns: Sequence[Array], count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """(first, group): rows that stand for the different ones, and the group of each row; exactly equal rows only."""
    key: Array = np.zeros(count, dtype=np.int64)
    size = 1
    for column in columns:
        if len(column) == 1:
            continue
        low, high = float(column.min()), float(column.max())
        if low == high:
            continue
        whole = np.rint(column)
        if high - low < WIDEST and np.array_equal(whole, column):
            ranks, width = (column - low).astype(np.int64), int(high - low) + 1
        else:
            values, ranks = np.unique(column, return_inverse=True)
            ranks, width = ranks.reshape(-1), len(values)
        if size * width > 1 << 60:
            return None
        key, size = key * width + ranks, size * width
    if size > WIDEST:
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        return first.astype(np.intp), group.reshape(-1).astype(np.intp)
    place = np.full(size, -1, dtype=np.intp)
    place[key] = np.arange(count)
    present = np.flatnonzero(place >= 0)
    first = place[present]
    place[present] = np.arange(len(present))
    return first, place[key]
