"""How far a value moves, in the norm that a noise needs; choices that other proofs pay for are held fixed."""

from __future__ import annotations

from typing import Literal

from seqlang.arithmetic.formula import Formula, function, product
from seqlang.model.expression import Expression
from seqlang.model.program import Program, Within
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.shapes import dimension
from seqlang.rules.sensitivity.motion.motion import ONE_SIGN
from seqlang.rules.sensitivity.motion.motion_of import motion_of
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.shifts import is_certain, shift_of
from seqlang.rules.sensitivity.motion.spreads import Entry


def radius_of(
    program: Program, value: Expression, norm: Literal["l1", "l2", "linf", "abs"], first: int = 1
) -> tuple[Formula, Shift] | str:
    """The radius in `norm` (numbers: the largest |difference|) and the shift; text: not known, or infinite. `first`:
    the earliest step in which the value is shown."""
    asked = None if norm == "abs" else norm
    shift = shift_of(program, value, norm=asked, first=first, revealed=revealed_choices(program))
    if shift.norm not in ("abs", norm):
        return "a vector, and the noise is for numbers"
    if shift.radius.is_infinite:
        return f"it can move without bound{': ' + shift.note if shift.note else ''}"
    return shift.radius, shift


def apart(program: Program, vector: Expression) -> tuple[Formula, Shift] | str:
    """How far two coordinates can move apart: what each can move, if all move in one direction; else twice that, or
    less where the moves of all coordinates together are known: what they add up to (l1), or the very distance."""
    return _apart(facts_of(program, 1, revealed_choices(program)), vector)


@remembered
def _apart(facts: Facts, vector: Expression) -> tuple[Formula, Shift] | str:
    program = facts.program
    shift = shift_of(program, vector, norm="linf", revealed=facts.revealed)
    if shift.kind in ("none", "unbounded"):
        return shift.radius, shift
    if shift.norm != "linf":
        return "no vector"
    near = neighbours_of(facts)
    if isinstance(near, str):
        return near
    expanded = facts.expand(vector)
    motion = motion_of(Entry(facts, near), expanded)
    aligned = (motion.sign is not None and motion.kind in ONE_SIGN) or _are_the_entries(program, expanded)
    best = shift.radius if aligned else 2 * shift.radius
    for joint in () if motion.norms is None else (motion.norms.l1, motion.norms.apart):
        if joint is not None and is_certain(facts, joint) and facts.compare(joint, best) == "less":
            best = joint
    return best, shift


def _are_the_entries(program: Program, vector: Expression) -> bool:
    """The coordinates are the records that the adjacency moves in one direction."""
    adjacency = program.adjacency
    return isinstance(adjacency, Within) and adjacency.same_direction and vector == adjacency.of


def about_their_mean(program: Program, vector: Expression) -> Formula | None:
    """The most that the squares of the moves of k coordinates add up to when each is taken from their mean, for all
    moves within an interval of length r: r^2 j (k - j) / k for j of them at one end, most at j = floor(k / 2)."""
    measured, facts = apart(program, vector), facts_of(program)
    size = dimension(facts, facts.expand(vector))
    if isinstance(measured, str) or measured[0].is_infinite or size is None or facts.sign(size) != 1:
        return None
    return product((measured[0] ** 2, function("floor", size / 2), function("ceil", size / 2), 1 / size))
