"""What an alignment must satisfy: the constraints of one segment of a run, for every way in which it can end.

With u the translations of the persistent noises and w those of the deciding step's fresh noises, q' - q = m (the
largest difference at earlier steps) and d (at the deciding step) for each margin q + factors . noises >= 0:

    before the deciding step      factors . u <= -m             what did not fire still does not
    fires at the deciding step    factors . (u, w) >= -d        what fires still fires
    does not, but is asked        factors . (u, w) <= -d        gates above a firing stop, and reports
    released at that step         factors . (u, w)  = -d        the same number comes out
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Literal

from seqlang.arithmetic.formula import ZERO, Formula
from seqlang.record import record
from seqlang.rules.alignment.events import Event
from seqlang.rules.alignment.layout import Layout
from seqlang.rules.sensitivity.motion.shift import Move, Step

Fired = tuple[tuple[str, int], ...]
Place = Literal["before", "within", "after"]
MOST_OUTPUTS = 512


@record
class Row:
    """sum of coefficient * translation >= bound (== bound if `exact`)."""

    coefficients: tuple[tuple[str, Fraction], ...]
    bound: Formula
    exact: bool = False


@record
class Piece:
    """One kind of segment: where it lies relative to the changed entry, how its margins move, and what fires at its end
    (gate and branch; nothing for a segment that a public event or the end of the horizon cuts)."""

    place: Place
    steps: tuple[Step, ...]
    fired: Fired


@record
class Scenario:
    """The kinds of segments that runs of one kind are made of; one translation of the kept noises must serve them all.

    `everywhere`: every segment may hold changed entries, and all pieces have the place "within".
    """

    name: str
    everywhere: bool
    pieces: tuple[Piece, ...]


def outputs_of(layout: Layout) -> tuple[Fired, ...]:
    """Every way in which something fires in a step: any reports, then at most one stop that stands below them; without
    those that a guard excludes, which speaks of what else is reported in the step."""
    return tuple(fired for fired in _outputs(layout) if _possible(layout, dict(fired)))


def _possible(layout: Layout, fired: dict[str, int]) -> bool:
    asked = all(layout.asks(event, fired) for event in layout.gates.events if event.name in fired)
    return asked and layout.silent(fired) is not None


def _outputs(layout: Layout) -> tuple[Fired, ...]:
    found: list[Fired] = []
    reports: list[Event] = []
    for event in layout.gates.events:
        if event.stops:
            for made in _combinations(reports):
                found.extend((*made, (event.name, branch)) for branch in range(len(event.branches)))
        else:
            reports.append(event)
    return (*(made for made in _combinations(reports) if made), *found)


def _combinations(reports: list[Event]) -> Iterator[Fired]:
    for chosen in product(*(range(-1, len(o.branches)) for o in reports)):
        yield tuple((o.name, branch) for o, branch in zip(reports, chosen, strict=True) if branch >= 0)


def scenarios_of(layout: Layout, moves: tuple[Move, ...]) -> tuple[Scenario, ...] | str:
    """Together these cover every run, every pair of neighbours and every transcript."""
    outputs = outputs_of(layout)
    if len(outputs) > MOST_OUTPUTS:
        return "too many combinations of gates can fire in one step"
    if any(
        len(move.within) != len(layout.gates.margins) or len(move.after) != len(layout.gates.margins) for move in moves
    ):
        return "the moves do not fit the margins"
    once = layout.decides_once
    alone = once and layout.segments.each_decides
    return tuple(
        Scenario(_named(name, chosen), everywhere, tuple(dict.fromkeys(_pieces(layout, family, chosen, alone, once))))
        for name, everywhere, family in _pairs(moves, alone)
        for chosen in (((output,) for output in outputs) if once else (outputs,))
    )


def _named(move: str, outputs: tuple[Fired, ...]) -> str:
    if len(outputs) != 1:
        return f'"{move}"'
    return f'"{move}", then {" and ".join(gate for gate, _ in outputs[0])}'


def _pairs(moves: tuple[Move, ...], alone: bool) -> Iterator[tuple[str, bool, tuple[Move, ...]]]:
    """One entry changes: its move comes first in the list; the rest of its family is what later segments may show.
    Every entry changes: each segment chooses within a family, and if there is only one segment it is free."""
    for move in moves:
        if not move.everywhere or alone:
            family = (m for m in moves if m.family == move.family and m is not move)
            yield move.name, move.everywhere, (move, *family)
    if not alone:
        for name in dict.fromkeys(move.family for move in moves if move.everywhere):
            yield name or "every entry", True, tuple(m for m in moves if m.everywhere and m.family == name)


def _pieces(
    layout: Layout, family: tuple[Move, ...], outputs: tuple[Fired, ...], alone: bool, once: bool
) -> Iterator[Piece]:
    ends: tuple[Fired, ...] = outputs if layout.segments.each_decides else ((), *outputs)
    first = family[0]
    if alone:
        yield from (Piece("within", first.within, end) for end in ends)
        return
    if first.everywhere:
        yield from (Piece("within", move.within, end) for move in family for end in ends)
        return
    still = tuple(Step(ZERO, ZERO) for _ in layout.gates.margins)
    # after the one decision of a run that decides once, no entry is read
    yield from (Piece("before", still, end) for end in ends if not (once and end))
    yield from (Piece("within", first.within, end) for end in ends)
    later = [move.after for move in family]
    if layout.segments.mixed_later:
        later += [move.within for move in family]
    yield from (Piece("after", steps, end) for steps in later for end in ends)


def rows_of(layout: Layout, piece: Piece) -> tuple[Row, ...]:
    """The constraints of one segment, over its own persistent and fresh noises."""
    rows = {_quiet(layout, i, piece.steps[i]): None for i in layout.silent({}) or ()}
    if piece.fired:
        rows.update(dict.fromkeys(deciding_rows(layout, piece)))
    return tuple(rows)


def _quiet(layout: Layout, margin: int, step: Step) -> Row:
    persistent = layout.noises.persistent
    return Row(tuple((z, -f) for z, f in layout.gates.factors[margin] if z in persistent), step.before)


def deciding_rows(layout: Layout, piece: Piece) -> Iterator[Row]:
    """The constraints of one step in which these events fire and the others do not."""
    fired = dict(piece.fired)
    for i in layout.silent(fired) or ():
        yield Row(tuple((z, -f) for z, f in layout.gates.factors[i]), piece.steps[i].at)
    for event in layout.gates.events:
        for i in event.branches[fired[event.name]] if event.name in fired else ():
            yield Row(layout.gates.factors[i], -piece.steps[i].at)
    for release in layout.gates.releases:
        if not release.with_ or release.with_ & fired.keys():
            yield Row(layout.gates.factors[release.margin], -piece.steps[release.margin].at, exact=True)
