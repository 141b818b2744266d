"""A suspicion that arose in floating point, looked at once more: with exact numbers, or close by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from seqlang.analyses.trials.exactly import ExactCompiler, exact_pair, exactly, is_exact
from seqlang.analyses.trials.fits import SLACK, Seen
from seqlang.analyses.trials.pairs import Pair, Rows
from seqlang.analyses.trials.play import STEPS_WITH_VALUES, Drawn, Duel, Shared
from seqlang.analyses.trials.quantities import Quantity
from seqlang.analyses.witnesses.neighbours import are_neighbours, rows_inside
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import numbers_in
from seqlang.model.domain import Ball, Domain, Interval, Power
from seqlang.model.expression import Apply, Expression, Quantified
from seqlang.model.growths import UNIT
from seqlang.model.jumps import jumps_of
from seqlang.model.program import Program, expressions_read
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import record, replace

JUMPS = frozenset(name for name, entry in OPERATORS.items() if entry.jumps)
COARSE = 1e-7  # of the largest number: what iterated functions (roots, minimisers) may be off
STEPS_ASIDE = (2e-6, 1e-5, 7e-5)  # parts of the way to the middle of what the input holds


Judge = Callable[[Mapping[int, list[Seen]], bool, float], tuple[int, str] | None]
"""From what was seen of each quantity, whether in exact numbers, and the part of the largest number that rounding may
make: the step in which a claim fails, and how."""


Found = tuple[Seen, str]
"""The step with both values (of the first quantity), and how the claim fails."""


@record
class Suspicion:
    """A claim about quantities that failed in floating point on a pair, with the noise that was drawn there. `reads`
    is what the claim speaks of."""

    program: Program
    quantities: Sequence[Quantity]
    reads: Sequence[Expression]
    judge: Judge
    revealed: frozenset[str]
    pair: Pair
    drawn: Drawn
    steps: int


def confirmed(of: Suspicion) -> Found | None:
    """How the claim fails; None if it may have been rounding."""
    if not is_pair(of.program, of.pair):
        return None
    parts = tuple(expressions_read(of.program, of.reads))
    if is_exact(iter(parts)) or not of.quantities:  # whether a step has values is asked of numbers, not of floats
        draws = {key: exactly(value, True) for key, value in of.drawn.items()}
        for positions in (False, True):
            try:
                answer = _judged(replace(of, pair=exact_pair(of.pair, positions), drawn=draws), True)
            except (TypeError, ValueError):  # a function of the interpreter that has no rational numbers
                continue
            if answer is not None:
                return answer
        return None
    found = _judged(of, False)
    if found is None or not _jumps(parts):
        return found
    aside = (_contracted(of.program, of.pair, share) for share in STEPS_ASIDE)
    return found if any(p != of.pair and _judged(replace(of, pair=p), False) is not None for p in aside) else None


def in_floats(of: Suspicion) -> Found | None:
    """How the claim fails in floats by more than they are rounded, though it may hold in exact numbers."""
    return _judged(of, False) if is_pair(of.program, of.pair) else None


def _judged(of: Suspicion, exact: bool) -> Found | None:
    duel = Duel(of.program, of.quantities, of.revealed, ExactCompiler if exact else Compiler)
    seen = duel.play(of.pair, Shared(None, of.pair.noisy, of.drawn), of.steps)
    ends = ((s.first, s.second) for every in seen.values() for s in every)
    if exact and any(isinstance(v, float) for two in ends for v in numbers_in(two)):
        return None
    found = of.judge(seen, exact, SLACK if exact else max(COARSE, _rounded(of, seen)))
    if found is None:
        return None
    both = (*seen.get(0, ()), *seen.get(STEPS_WITH_VALUES, ()))
    return next((s for s in both if s.step == found[0]), Seen(found[0], "", "", 0, frozenset())), found[1]


def _rounded(of: Suspicion, seen: Mapping[int, Sequence[Seen]]) -> float:
    """What rounding may make of a quantity, as a part of its largest number, where a bound of it is known."""
    smooth, found = jumps_of(of.program).smooth, 0.0
    for index, every in seen.items():
        e = of.quantities[index].expression if 0 <= index < len(of.quantities) else None
        if e is None or not smooth.grids.of(e).exact or not smooth.are_numbers(e, vectors=True):
            continue
        numbers = (n for s in every for v in (s.first, s.second) for n in numbers_in(v))
        largest = max((abs(n) for n in numbers if abs(n) < inf), default=0.0)
        if largest > 0:
            found = max(found, 2 * smooth.precision.growths.of(e).error.at(of.steps) * UNIT / largest)
    return found


def is_pair(program: Program, pair: Pair) -> bool:
    """By the letter of the adjacency and of the domains."""
    if not rows_inside(program, (row for rows in (*pair.records, *pair.entries) for row in rows)):
        return False
    if not pair.records[0] and not pair.records[1]:
        return are_neighbours(program, *pair.entries)
    beside = replace(program, inputs=tuple(i for i in program.inputs if i.kind == "dataset"))
    return pair.entries[0] == pair.entries[1] and are_neighbours(beside, *pair.records)


def _jumps(parts: Sequence[Expression]) -> bool:
    """True if a tie may decide it: rounding then does more than a little."""
    return any(
        (isinstance(node, Apply) and node.operator in JUMPS)
        or (isinstance(node, Quantified) and node.operator in JUMPS)
        or getattr(node, "where", None) is not None
        for node in parts
    )


def _contracted(program: Program, pair: Pair, share: float) -> Pair:
    """All real numbers a little nearer to a middle: equal ones stay equal, neighbours neighbours, and no domain is
    left. Whole numbers and listed values stay where they are."""
    real = {i.name for i in program.inputs if _is_real(i.domain)}
    rows = [row for rows in (*pair.records, *pair.entries) for row in rows]
    middle = {name: _middle([row[name] for row in rows if name in row]) for name in real}

    def moved(rows: Rows) -> Rows:
        return tuple(
            {name: _towards(value, middle[name], share) if name in real else value for name, value in row.items()}
            for row in rows
        )

    first, second = pair.records
    one, other = pair.entries
    return replace(pair, records=(moved(first), moved(second)), entries=(moved(one), moved(other)))


def _is_real(domain: Domain) -> bool:
    return isinstance(domain, Interval | Ball) or (isinstance(domain, Power) and isinstance(domain.of, Interval))


def _middle(values: Sequence[Any]) -> float:
    numbers = [n for value in values for n in numbers_in(value)]
    return 0.37 * min(numbers) + 0.63 * max(numbers) if numbers else 0.0


def _towards(value: Any, middle: float, share: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_towards(v, middle, share) for v in value)
    return value + share * (middle - value)
