"""The laws of the released values of a block: those of sums of independent entries, with the noise added."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.blocks.block_plan import BlockPlan, ShownSum
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.states.enumerated_noises import TAIL
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.step.body import Given, Stage
from seqlang.backends.solve.step.entries import Entry, columns_of, entries, model_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program, expressions_in

FEWEST = 1e-30
"""A chance. Sums that are rarer are left out."""
WIDEST = 2_000_000
"""Values of a sum or a released value."""


class SumLaws:
    """The laws of all sums of a block. `growth`: by how much each clock grows in a step. What an entry adds may depend
    on the step through its remainder by `period`; all blocks are as long as some periods, so that all begin alike."""

    def __init__(self, chain: ExploredChain, plan: BlockPlan, model: str, among: Program | None = None) -> None:
        """`among`: the program that has the model, where it is another than that of the chain."""
        program = chain.program if among is None else among
        self.compiler = chain.setting.compiler
        self.growth: Mapping[str, float] = {name: self._growth(program.cell(name)) for name in plan.clocks}
        laws = [law for _, law in model_of(program, model).laws]
        self.period = _period([*laws, *(e for one in plan.sums for e in expressions_in(one.cell))], self.compiler)
        listed = [entries(program, model, step) for step in range(1, self.period + 1)]
        self.of = {one.shown: SumLaw(chain, one, listed) for one in plan.sums}
        for phase in range(self.period):
            if sum(law.varies[phase] for law in self.of.values()) > 1:
                raise Unsolved("an entry that is in several sums over a block")

    def shown(self, name: str, size: int) -> tuple[Array, Array, float]:
        """(values, chances, what is left out) of the released value of that name, for a block of that size."""
        if size % self.period:
            raise Unsolved("blocks that do not all begin at the same law of an entry")
        return self.of[name].shown(size // self.period)

    def ends(self, name: str, size: int) -> tuple[float, float]:
        """The least and the largest value that a block of that size can release, however rare."""
        return self.of[name].ends(size // self.period)

    def is_unbounded(self, name: str) -> bool:
        """Whether a block may release values beyond all that are listed."""
        return bool(self.of[name].plan.terms) or self.of[name].missing > 0

    def _growth(self, cell: Cell) -> float:
        return float(_contribution(cell, Stage(self.compiler, 1), self.compiler)[0])


LONGEST = 1_000
"""Steps of the longest period."""


def _period(expressions: Iterable[ir.Expression], compiler: Any) -> int:
    """After how many steps all is the same again."""
    found = 1
    for expression in expressions:
        parts = list(ir.walk(expression))
        remainders = [e for e in parts if isinstance(e, ir.Apply) and e.operator == "%" and e.arguments[0] == STEP]
        if sum(isinstance(e, ir.StepNumber) for e in parts) > len(remainders):
            raise Unsolved("entries that depend on the step otherwise than by a remainder")
        for e in remainders:
            if compiler.exact.compile(e.arguments[1]).reads:
                raise Unsolved("entries that depend on the step otherwise than by a remainder")
            length = compiler.exact.constant(e.arguments[1])
            if length != int(length) or not 1 <= length <= LONGEST:
                raise Unsolved("entries that depend on the step otherwise than by a remainder")
            found = math.lcm(found, int(length))
    if found > LONGEST:
        raise Unsolved("entries that depend on the step otherwise than by a remainder")
    return found


STEP = ir.StepNumber()
Listed = Sequence[tuple[Sequence[Entry], float]]
"""By step of a period: the entries, and what is missing."""


class SumLaw:
    """The law of one sum. `varies`, by step of a period: whether what an entry adds is not certain."""

    def __init__(self, chain: ExploredChain, plan: ShownSum, listed: Listed) -> None:
        self.chain, self.plan = chain, plan
        self.compiler = chain.setting.compiler
        self.least, self.missing, law = 0.0, 0.0, np.ones(1)
        self.varies: list[bool] = []
        for step, (one, missing) in enumerate(listed, 1):
            least, entry = self._entry(one, step)
            self.varies.append(int(np.count_nonzero(entry)) > 1)
            self.least, self.missing, law = self.least + least, self.missing + missing, np.convolve(law, entry)
        self.noise = self._noise()
        self._powers: dict[int, Array] = {1: law}

    def shown(self, periods: int) -> tuple[Array, Array, float]:
        """(values, chances, what is left out) of the released value of a block of so many periods."""
        law = self._power(periods)
        keep = law > FEWEST
        low, values = _on_integers(self._values(self.least * periods + np.arange(len(law))[keep]), law[keep])
        first, noise, missing = self.noise
        chances = np.convolve(values, noise)
        found = low + first + np.arange(len(chances), dtype=float)
        some = chances > FEWEST
        return found[some], chances[some], missing + periods * self.missing

    def _values(self, sums: NDArray[np.floating[Any]]) -> Array:
        """What is released of these sums, without the noise."""
        stage = Stage(self.compiler, len(sums))
        stage.cells = {self.plan.cell.name: Given(sums)}
        return np.broadcast_to(stage.numbers(self.compiler.compile(self.plan.value)), (stage.count,))

    def ends(self, periods: int) -> tuple[float, float]:
        """The least and the largest value that a block of so many periods can release."""
        plain = self._values(self.least * periods + np.arange(len(self._power(periods)), dtype=np.float64))
        first, noise, _ = self.noise
        return float(plain.min()) + first, float(plain.max()) + first + len(noise) - 1

    def _power(self, periods: int) -> Array:
        if periods not in self._powers:
            half = self._power(periods // 2)
            whole = np.convolve(half, half)
            if len(whole) > WIDEST:
                raise Unsolved("a sum of too many values")
            self._powers[periods] = np.convolve(whole, self._powers[1]) if periods % 2 else whole
        return self._powers[periods]

    def _entry(self, listed: Sequence[Entry], step: int) -> tuple[float, Array]:
        """The least number that an entry adds in this step of a period, and the chances of this and the next whole
        numbers."""
        stage = Stage(self.compiler, len(listed))
        stage.step_number = step
        names = sorted(listed[0].fields)
        stage.fields = columns_of([e.fields for e in listed], names, self.compiler.labels)
        values = _contribution(self.plan.cell, stage, self.compiler)
        return _on_integers(values, np.array([e.chance for e in listed]))

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
