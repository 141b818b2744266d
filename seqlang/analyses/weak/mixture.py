"""The law given the likeliest entry as what the free law leaves: P = sum over a of P(X_n = a) P_a."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from seqlang.analyses.weak.course import ROUNDED, Course, ends
from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.profile import Law, Range
from seqlang.backends.solve.step.entries import entries, model_of, reads_step
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record


@record
class Mixture:
    """`chances` of the entries under the model, in the order of the scan's entries; `likeliest` is the place of one."""

    chances: tuple[float, ...]
    likeliest: int

    def rest(self, number: int, head: Range, free: Course, others: Mapping[int, Course]) -> Law:
        """The law given the likeliest entry at position `number`. Rounding errors are those of the free law, as much
        larger as the entry is rarer: absolute, so that small probabilities come with wide bounds."""
        share = self.chances[self.likeliest]
        rows = max(course.steps for course in others.values())
        tables = []
        for order in range(len(free.tables)):
            table = free.table(order, number - 1, rows)
            for place, course in others.items():
                table = table - self.chances[place] * course.table(order)
            tables.append(table / share)
        whole = free.table(-1, number - 1, rows) / share
        rounded = ROUNDED * (2 + rows / 1000) * whole
        low, high = ends(tables)
        lost = free.losts[-1] + sum(self.chances[k] * max(course.losts) for k, course in others.items())
        return Law(
            first=number,
            head=(max(0.0, 1.0 - head[1]), 1.0 - head[0]),
            low=np.maximum(low - rounded, 0.0),
            high=np.maximum(high + rounded, 0.0),
            beyond=min(1.0, free.lefts[number - 2 + rows] / share),
            never=(0.0, min(1.0, free.lefts[number - 2 + rows] / share)),
            lost=max(lost, *free.losts) / share,
        )


def mixture_of(program: Program, model: str, values: tuple[Entry, ...]) -> Mixture | None:
    """None where the model has a density, changes from step to step, or its values are cut off."""
    try:
        if reads_step(model_of(program, model)):
            return None
        drawn, missing = entries(program, model)
    except Unsolved:
        return None
    if missing > 0:
        return None
    known = {tuple(float(e.fields[f.name]) for f in program.inputs): e.chance for e in drawn}
    chances = tuple(known.pop(tuple(value.values()), 0.0) for value in values)
    return None if known else Mixture(chances, int(np.argmax(chances)))
