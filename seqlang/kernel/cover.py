"""Cover: for every pair of neighbours and every transcript the automaton has a path.

Ghosts are bound in the step in which the one changed entry stands, by expressions of the certificate and not of the
path; so they are functions of the neighbours and the transcript, and so are their signs. For each combination of signs
(a ghost that is 0 has both) the automaton must read every word of outcomes with at most one changed entry; of an
adjacency that changes every entry, every word with changed entries only. The rows of a data set change before the first
step: no step has a changed entry then. Relations play no part here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from seqlang.kernel.core import Program, Within
from seqlang.kernel.proof import Certificate, Outcome, Side
from seqlang.kernel.refused import Refused

MOST_OUTCOMES = 1 << 12
MOST_SETS = 1 << 14

Words = tuple[tuple[bool, ...], int | None]
"""One outcome of a step: which reports are made, and which stop happens."""


def check_cover(proof: Certificate) -> None:
    """Raises Refused with a combination of signs and an outcome for which there is no path."""
    every = isinstance(proof.program.adjacency, Within) and proof.program.adjacency.every
    data_set = proof.program.rows is not None
    if every and proof.ghosts and not data_set:
        raise Refused("every entry may change, and a ghost can be bound only once")
    outcomes = list(outcomes_of(proof.program))
    for signs in _signs(proof):
        _check(proof, signs, outcomes, (0,) if data_set else (1,) if every else (0, 1))


def outcomes_of(program: Program) -> Iterator[Words]:
    """All that a step can show, and more: a report below a stop that happens is counted as not made."""
    reports, stops = len(program.reports), program.stops
    if 2**reports * (len(stops) + 1) > MOST_OUTCOMES:
        raise Refused("too many combinations of reports and stops")
    places = {id(s): k for k, s in enumerate(program.body)}
    for stop in (None, *stops):
        above = [r.index for r in program.reports if stop is None or places[id(r)] < places[id(stop)]]
        for made in product((False, True), repeat=len(above)):
            shown = [False] * reports
            for index, value in zip(above, made, strict=True):
                shown[index] = value
            yield tuple(shown), None if stop is None else stop.index


def _signs(proof: Certificate) -> Iterator[dict[int | None, bool]]:
    signed = sorted({s.ghost for m in proof.modes for s in m.sides if s.ghost is not None})
    if any(not 0 <= ghost < len(proof.ghosts) for ghost in signed):
        raise Refused("a sign of a ghost that does not exist")
    adjacency = proof.program.adjacency
    directed = any(s.ghost is None for m in proof.modes for s in m.sides)
    if directed and not (isinstance(adjacency, Within) and adjacency.one_direction):
        raise Refused("entries move in no one direction")
    names: list[int | None] = [*signed, *([None] if directed else [])]
    for values in product((False, True), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def _agrees(sides: tuple[Side, ...], signs: dict[int | None, bool]) -> bool:
    return all(signs[side.ghost] == side.positive for side in sides)


def _covers(outcome: Outcome, words: Words) -> bool:
    made, stop = words
    return outcome.stop == stop and all(a is None or a == b for a, b in zip(outcome.reports, made, strict=True))


def _check(proof: Certificate, signs: dict[int | None, bool], outcomes: list[Words], kinds: tuple[int, ...]) -> None:
    """`kinds`: of steps, 0 without a changed entry and 1 with one; of the latter a word has one if there are both."""
    edges = [e for e in proof.edges if _agrees(proof.modes[e.source].sides, signs)]
    begin = frozenset(k for k, mode in enumerate(proof.modes) if mode.start and _agrees(mode.sides, signs))
    waiting, seen = [(begin, 0)], {(begin, 0)}
    while waiting:
        modes, changes = waiting.pop()
        for changed in kinds[: 1 if changes else None]:
            for words in outcomes:
                after = frozenset(
                    e.target for e in edges
                    if e.source in modes and e.changed == changed and _covers(e.outcome, words)
                )  # fmt: skip
                if not after:
                    raise Refused(f"no path reads {words} at a step that is {'changed' if changed else 'the same'}")
                state = (after, changes + changed if len(kinds) > 1 else 0)
                if words[1] is None and state not in seen:
                    if len(seen) >= MOST_SETS:
                        raise Refused("too many sets of modes")
                    seen.add(state)
                    waiting.append(state)
