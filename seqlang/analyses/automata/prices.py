"""What each mode of an automaton has paid at most: a number, and amounts for public counters and for the steps done.

The amounts solve linear inequalities: along each edge what was paid before and the price of the edge are at most what
the next mode has paid, and nowhere more than the epsilon. They are asked at the ends of the ranges of the counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from seqlang.analyses.automata.inline import plus
from seqlang.analyses.automata.simplex import Simplex
from seqlang.analyses.automata.solver import contradiction, largest
from seqlang.kernel.conditions import cases_of, parts_of, start_parts
from seqlang.kernel.core import Expression, Number, Op, Program, Read, Step
from seqlang.kernel.levels import Level, Levels
from seqlang.kernel.proof import Certificate, Edge
from seqlang.kernel.terms import FALSE, Linear, Sign, number, variable

Counter = Read | Step
ZERO = Fraction(0)


@dataclass(frozen=True)
class Counted:
    """Before a step along an edge a counter is from `low` to `high`, and the step adds at least `added`."""

    low: Fraction
    high: Fraction
    added: Fraction


def prices(proof: Certificate, edges: list[tuple[Edge, Fraction]]) -> list[Expression] | None:
    """One expression a mode, or None if no such amounts stay below the epsilon. `edges`: with their prices."""
    free = all(price == 0 or edge.outcome.stop is not None for edge, price in edges)
    return _Amounts(proof, [] if free else counters_of(proof.program)).solved(edges)


def counters_of(program: Program) -> list[Counter]:
    """Public numbers that are kept, and the steps done."""
    levels = Levels(program)
    cells = [Read("cell", c.index, 1) for c in program.cells if c.operator != "last"]
    memories = [Read("memory", k, 1) for k in range(len(program.memories))]
    return [Step(), *(r for r in (*cells, *memories) if levels.of(Read(r.kind, r.index)) == Level.SHOWN)]


def _at(counter: Counter, state: Mapping[Any, Any], count: Linear) -> Linear:
    value = count if isinstance(counter, Step) else state[counter.kind, counter.index]
    return value if isinstance(value, Linear) else number(0)


class _Amounts:
    """Variables: of each mode a fixed amount, and one for each counter."""

    def __init__(self, proof: Certificate, counters: list[Counter]) -> None:
        self.proof, self.counters = proof, counters
        self.unbounded: set[int] = set()
        pair = start_parts(proof, proof.modes[0], cases_of(proof.program, False)[0])[0]
        limit = largest(tuple(pair.space.known), pair.limit().times(Fraction(-1)))
        self.epsilon = number(ZERO if limit is None else -limit)

    def paid(self, mode: int, at: tuple[Fraction, ...]) -> Linear:
        first = mode * (1 + len(self.counters))
        found = variable(first)
        for j, value in enumerate(at):
            found = found + variable(first + 1 + j).times(value)
        return found

    def solved(self, edges: list[tuple[Edge, Fraction]]) -> list[Expression] | None:
        starts = self._starts()
        if starts is None:
            return None
        signs = [*starts, *(sign for edge, price in edges for sign in self._along(edge, price))]
        width, modes = 1 + len(self.counters), range(len(self.proof.modes))
        for mode in modes:
            for j in range(len(self.counters)):
                amount = variable(mode * width + 1 + j)
                signs.append(Sign(amount, False))
                if j in self.unbounded:
                    signs.append(Sign(amount.times(Fraction(-1)), False))
        simplex = Simplex()
        for sign in signs:
            if sign.term.is_constant:
                if sign.term.constant < 0:
                    return None
            elif simplex.add(sign) is not None:
                return None
        if simplex.conflict() is not None:
            return None
        return [self._written(simplex, mode * width) for mode in modes]

    def _written(self, simplex: Simplex, first: int) -> Expression:
        found: Expression = Number(simplex.value(variable(first))[0])
        for j, counter in enumerate(self.counters):
            value = simplex.value(variable(first + 1 + j))[0]
            if value:
                found = plus(found, Op("*", (Number(value), counter)))
        return found

    def _starts(self) -> list[Sign] | None:
        """Where a run begins, the kept draws have been paid for."""
        found: list[Sign] = []
        for k, mode in enumerate(self.proof.modes):
            for case in cases_of(self.proof.program, False) if mode.start else ():
                pair, price = start_parts(self.proof, mode, case)
                known = (*pair.sides(mode), *pair.moved, *pair.space.known)
                most = price.constant if price.is_constant else largest(known, price)
                if most is None:
                    if contradiction(known) is not None:
                        continue
                    return None
                at = tuple(_at(c, pair.states[0], pair.count).constant for c in self.counters)
                found.append(Sign(self.paid(k, at) - number(most), False))
        return found

    def _along(self, edge: Edge, price: Fraction) -> Iterator[Sign]:
        counted = self._counted(edge)
        if counted is None:
            return  # no step is made along the edge
        for at in product(*((c.low, c.high) for c in counted)):
            after = self.epsilon
            if edge.outcome.stop is None:
                after = self.paid(edge.target, tuple(n + c.added for n, c in zip(at, counted, strict=True)))
                yield Sign(self.epsilon - after, False)
            yield Sign(after - self.paid(edge.source, at) - number(price), False)

    def _counted(self, edge: Edge) -> list[Counted] | None:
        """By the first case of the entries; the kernel looks at all."""
        parts = parts_of(self.proof, edge, cases_of(self.proof.program, edge.changed)[0])
        known = parts.pair.condition("", (*parts.assumed, *parts.happened), FALSE).contradictory
        if contradiction(known) is not None:
            return None
        found: list[Counted] = []
        for j, counter in enumerate(self.counters):
            before = _at(counter, parts.before, parts.count)
            high, low = largest(known, before), largest(known, before.times(Fraction(-1)))
            if high is None or low is None:
                self.unbounded.add(j)
                found.append(Counted(ZERO, ZERO, ZERO))
                continue
            added = None
            if edge.outcome.stop is None:
                after = _at(counter, parts.pair.states[0], parts.pair.count)
                added = largest(known, before - after)
            found.append(Counted(-low, high, ZERO if added is None else -added))
        return found
