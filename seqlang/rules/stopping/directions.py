"""Which ends of a test a change pushes up and which down, and how far: for ends whose values move by one constant."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import Formula, maximum, total
from seqlang.model.program import CompareGate, Margin, Program
from seqlang.record import record
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.numbers import ZERO
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program
from seqlang.rules.sensitivity.motion.moves import moves
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.stopping.ends import End


@record
class Directions:
    """`radii`: how far each end's value moves at most. `patterns`: all combinations of signs in which the
    ends move together, each the sign of every end's move; None: any combination."""

    radii: tuple[Formula, ...]
    patterns: tuple[tuple[int, ...], ...] | None


def directions_of(program: Program, ends: Sequence[End]) -> Directions | str:
    """Why not, if some end's value does not move by one constant from the changed entry on.

    The bounds of the two directions grow with the size of the move. So if all joint moves lie on one line through 0,
    its two ends are the worst pairs; if not, each end is taken at its own worst.
    """
    return _directions(program, tuple(ends))


@remembered_of_program  # it is asked at many orders
def _directions(program: Program, ends: tuple[End, ...]) -> Directions | str:
    radii: list[Formula] = []
    for end in ends:
        shift = shift_of(program, end.value)
        if shift.kind not in ("none", "uniform") or shift.norm != "abs":
            return f"the quantity compared in {end.gate} moves otherwise than by one constant ({shift.kind})"
        radii.append(shift.radius if shift.kind == "uniform" else ZERO)
    gates = {g.name: g for g in program.gates if isinstance(g, CompareGate)}
    margins = [gates[end.gate].test for end in ends]
    joint = moves(program, [m for m in margins if isinstance(m, Margin)])
    if isinstance(joint, str):
        return joint
    if any(move.everywhere for move in joint):
        return "neighbours differ in more than one entry"
    vectors = [tuple(step.at for step in move.within) for move in joint]
    return Directions(tuple(radii), _on_one_line(program, vectors))


def _on_one_line(program: Program, vectors: Sequence[tuple[Formula, ...]]) -> tuple[tuple[int, ...], ...] | None:
    facts = facts_of(program)
    first = next((v for v in vectors if any(facts.sign(c) != 0 for c in v)), None)
    if first is None:
        return None
    for vector in vectors:
        same = all(facts.compare(a, b) == "equal" for a, b in zip(vector, first, strict=True))
        turned = all(facts.compare(a, ZERO - b) == "equal" for a, b in zip(vector, first, strict=True))
        still = all(facts.sign(c) == 0 for c in vector)
        if not (same or turned or still):
            return None
    signs = [facts.sign(c) for c in first]
    if None in signs:
        return None
    one = tuple(s for s in signs if s is not None)
    return one, tuple(-s for s in one)


def worst(directions: Directions, up: Sequence[Formula], down: Sequence[Formula]) -> Formula:
    """The largest total over the patterns, given each end's cost in each direction."""
    if directions.patterns is None:
        return total(maximum(u, d) for u, d in zip(up, down, strict=True))
    return maximum(
        *(
            total(u if s > 0 else d if s < 0 else ZERO for s, u, d in zip(pattern, up, down, strict=True))
            for pattern in directions.patterns
        )
    )
