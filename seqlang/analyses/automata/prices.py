"""What each mode of an automaton has paid at most: a number, and amounts for public counters and for the steps done.

The amounts solve linear inequalities: along each edge what was paid before and the price of the edge are at most what
the next mode has paid, and nowhere more than the epsilon. They are asked at the ends of the ranges of the counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from seqlang.analyses.automata.inline import plus
from seqlang.analyses.automata.simplex import Simplex
from seqlang.analyses.automata.solver import contradiction, largest
from seqlang.kernel.conditions import Parts, cases_of, parts_of, start_parts
from seqlang.kernel.core import Expression, Number, Op, Program, Read, Step
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.levels import Levels
from seqlang.kernel.proof import Certificate, Edge
from seqlang.kernel.terms import FALSE, Formula, Linear, Sign, number, variable
from seqlang.kernel.values import Reader, Space, Value

Counter = Expression
"""Of what was shown, as a proof reads it: a counter of run 1, or the steps done."""
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
    found = _Amounts(proof, [] if free else counters_of(proof.program)).solved(edges)
    return found if found is not None or free else _by_one_counter(proof, edges)


def _by_one_counter(proof: Certificate, edges: list[tuple[Edge, Fraction]]) -> list[Expression] | None:
    """A multiple of a counter that grows by as much as each step costs, whatever that is."""
    for counter in counters_of(proof.program):
        for draw in proof.program.draws:
            scale = closed_value(draw.arguments[0])
            if scale.low == scale.high > 0 and _pays(proof, edges, counter, 1 / scale.low):
                return [Op("*", (Number(1 / scale.low), counter))] * len(proof.modes)
    return None


def _pays(proof: Certificate, edges: list[tuple[Edge, Fraction]], counter: Counter, rate: Fraction) -> bool:
    for edge, _ in edges:
        if edge.outcome.stop is not None:
            continue
        for case in cases_of(proof.program, edge.changed):
            parts = parts_of(proof, edge, case)
            before = _at(counter, parts.before, parts.count, parts.pair.space)
            after = _at(counter, parts.pair.states[0], parts.pair.count, parts.pair.space)
            short = parts.price - (after - before).times(rate)
            known = known_in(parts)
            if any(
                contradiction((*known, Sign(e, True))) is None for e in (short, after.times(rate) - parts.pair.limit())
            ):
                return False
    return True


def counters_of(program: Program) -> list[Counter]:
    """Public numbers that are kept, no further than to constants that they are compared with, and the steps done."""
    levels = Levels(program)
    cells = [Read("cell", c.index) for c in program.cells if c.operator != "last"]
    memories = [Read("memory", k) for k in range(len(program.memories))]
    kept = [r for r in (*cells, *memories) if levels.is_shown(r)]
    ends = [(r, end) for r, end in _compared(program) if r in kept]
    return [Step(), *map(_of_run_1, kept), *(Op("min", (_of_run_1(r), Number(end))) for r, end in ends)]


def _of_run_1(read: Read) -> Read:
    return replace(read, run=1)


def _compared(part: Any) -> Iterator[tuple[Read, Fraction]]:
    """What is compared with a constant to see whether it is below."""
    match part:
        case Op("<" | "<=", (Read() as read, Number(value))) | Op(">" | ">=", (Number(value), Read() as read)):
            yield read, value
        case tuple():
            for item in part:
                yield from _compared(item)
        case _ if is_dataclass(part):
            for one in fields(part):
                yield from _compared(getattr(part, one.name))


def _at(counter: Counter, state: Mapping[Any, Any], count: Linear, space: Space) -> Linear:
    def read(what: Read | Step) -> Value:
        value = count if isinstance(what, Step) else state[what.kind, what.index]
        return value if isinstance(value, Linear) else number(0)

    return Reader(space, read).number(counter)


def known_in(parts: Parts) -> tuple[Formula, ...]:
    """All that holds where the step is made along the edge."""
    assumed = (*parts.assumed, *parts.happened, *parts.pair.space.known)
    return parts.pair.condition("", assumed, FALSE).contradictory


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
                at = tuple(_at(c, pair.states[0], pair.count, pair.space).constant for c in self.counters)
                found.append(Sign(self.paid(k, at) - number(most), False))
        return found

    def _along(self, edge: Edge, price: Fraction) -> Iterator[Sign]:
        counted = self._counted(edge)
        if counted is None:
            return  # no step is made along the edge
        left = ZERO if edge.outcome.stop is None else self._left(edge, price)
        for at in product(*((c.low, c.high) for c in counted)):
            if edge.outcome.stop is None:
                after = self.paid(edge.target, tuple(n + c.added for n, c in zip(at, counted, strict=True)))
                yield Sign(self.epsilon - after, False)
                yield Sign(after - self.paid(edge.source, at) - number(price), False)
            else:
                yield Sign(number(left) - self.paid(edge.source, at), False)

    def _left(self, edge: Edge, price: Fraction) -> Fraction:
        """What may have been paid before a step that ends the run: irrational constants cancel."""
        left: list[Fraction] = []
        for case in cases_of(self.proof.program, edge.changed):
            parts = parts_of(self.proof, edge, case)
            known, over = known_in(parts), parts.price - parts.pair.limit()
            most = over.constant if over.is_constant else largest(known, over)
            if most is None and contradiction(known) is None:
                return self.epsilon.constant - price
            left.append(self.epsilon.constant if most is None else -most)
        return min(left)

    def _counted(self, edge: Edge) -> list[Counted] | None:
        """By the first case of the entries; the kernel looks at all."""
        parts = parts_of(self.proof, edge, cases_of(self.proof.program, edge.changed)[0])
        known = known_in(parts)
        if contradiction(known) is not None:
            return None
        found: list[Counted] = []
        for j, counter in enumerate(self.counters):
            before = _at(counter, parts.before, parts.count, parts.pair.space)
            ended = edge.outcome.stop is not None
            after = before if ended else _at(counter, parts.pair.states[0], parts.pair.count, parts.pair.space)
            known = known_in(parts)
            high, low = largest(known, before), largest(known, before.times(Fraction(-1)))
            if high is None or low is None:
                self.unbounded.add(j)
                found.append(Counted(ZERO, ZERO, ZERO))
                continue
            added = None if ended else largest(known, before - after)
            found.append(Counted(-low, high, ZERO if added is None else -added))
        return found
