"""The law of the released value of a block: that of a sum of independent entries, with the noise added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.backends.solve.blocks.block_plan import BlockPlan
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.states.enumerated_noises import TAIL
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.step.body import Given, Stage
from seqlang.backends.solve.step.entries import columns_of, entries, model_of, reads_step
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Cell

FEWEST = 1e-30
"""A chance. Sums that are rarer are left out."""
WIDEST = 2_000_000
"""Values of a sum or a released value."""


class SumLaw:
    """`growth`: by how much each clock grows in a step."""

    def __init__(self, chain: ExploredChain, plan: BlockPlan, model: str) -> None:
        program = chain.program
        if reads_step(model_of(program, model)):
            raise Unsolved("the model depends on the step")
        self.chain, self.plan = chain, plan
        self.compiler = chain.setting.compiler
        self.growth: Mapping[str, float] = {name: self._growth(program.cell(name)) for name in plan.clocks}
        self.least, self.entry, self.missing = self._entry(model)
        self.noise = self._noise()
        self._powers: dict[int, Array] = {1: self.entry}

    def shown(self, size: int) -> tuple[Array, Array, float]:
        """(values, chances, what is left out) of the released value of a block of that size."""
        law = self._power(size)
        sums = self.least * size + np.arange(len(law))
        keep = law > FEWEST
        stage = Stage(self.compiler, int(keep.sum()))
        stage.cells = {self.plan.sum_.name: Given(sums[keep])}
        base = np.broadcast_to(stage.numbers(self.compiler.compile(self.plan.value)), (stage.count,))
        low, values = _on_integers(base, law[keep])
        first, noise, missing = self.noise
        chances = np.convolve(values, noise)
        found = low + first + np.arange(len(chances), dtype=float)
        some = chances > FEWEST
        return found[some], chances[some], missing + size * self.missing

    def _power(self, size: int) -> Array:
        if size not in self._powers:
            half = self._power(size // 2)
            whole = np.convolve(half, half)
            if len(whole) > WIDEST:
                raise Unsolved("a sum of too many values")
            self._powers[size] = np.convolve(whole, self.entry) if size % 2 else whole
        return self._powers[size]

    def _growth(self, cell: Cell) -> float:
        stage = Stage(self.compiler, 1)
        return float(_contribution(cell, stage, self.compiler)[0])

    def _entry(self, model: str) -> tuple[float, Array, float]:
        """The least number that an entry adds, the chances of this and the next whole numbers, and what is missing."""
        listed, missing = entries(self.chain.program, model)
        stage = Stage(self.compiler, len(listed))
        names = sorted(listed[0].fields)
        stage.fields = columns_of([e.fields for e in listed], names, self.compiler.labels)
        values = _contribution(self.plan.sum_, stage, self.compiler)
        return (*_on_integers(values, np.array([e.chance for e in listed])), missing)

    def _noise(self) -> tuple[float, Array, float]:
        """The least value of the sum of all noises, the chances of this and the next whole numbers, what is missing."""
        least, law, missing = 0.0, np.ones(1), 0.0
        for term in self.plan.terms:
            read = self.compiler.exact.compile(term.factor)
            scalar = self.chain.plan.laws.get(term.noise)
            if read.reads or scalar is None or not scalar.discrete:
                raise Unsolved("noise that is not a multiple of a discrete law")
            points, chances = scalar.atoms(TAIL)
            low, one = _on_integers(points * float(self.compiler.exact.constant(term.factor)), chances)
            least, law, missing = least + low, np.convolve(law, one), missing + max(0.0, 1 - float(chances.sum()))
        return least, law, missing


def _contribution(cell: Cell, stage: Stage, compiler: Any) -> Array:
    """What the cell adds in a step, (rows,)."""
    value = stage.numbers(compiler.compile(cell.body))
    taken = None if cell.where is None else stage.numbers(compiler.compile(cell.where))
    value = np.broadcast_to(value, (stage.count,))
    if cell.operator == "count":
        value = (value != 0).astype(float)
    return value if taken is None else np.where(np.broadcast_to(taken, (stage.count,)) != 0, value, 0.0)


def _on_integers(values: Array, chances: Array) -> tuple[float, Array]:
    """The least of these whole numbers, and the chances of it and of the next ones. Raises Unsolved for others."""
    whole = np.rint(values)
    if not np.array_equal(whole, values) or not len(values) or np.ptp(whole) > WIDEST:
        raise Unsolved("sums over blocks that are not whole numbers")
    least = whole.min()
    return float(least), np.asarray(np.bincount((whole - least).astype(np.int64), weights=chances), dtype=np.float64)
