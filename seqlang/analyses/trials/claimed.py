"""What the derivation says of how a quantity moves, as numbers that observed differences can be held against."""

from __future__ import annotations

from math import inf
from typing import Literal

from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Expression
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.motion_of import motion_of
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shift import Kind
from seqlang.rules.sensitivity.motion.shifts import shift_of

Norm = Literal["abs", "l1", "l2", "linf", "apart"]
"""`apart`: how far two coordinates move apart."""
NORMS: tuple[Literal["l1", "l2", "linf"], ...] = ("l1", "l2", "linf")


@record
class Claimed:
    """`radii`: the most that a difference measures in each norm, rounded up. `onset`: how many steps after the changed
    entry it begins (below 0: it is there from the first step). `report`: after it the difference is 0. `sign`: what
    decides the sign of all differences, and whether with (1) or against (-1) it; None: nothing is said."""

    kind: Kind
    radii: tuple[tuple[Norm, float], ...]
    onset: int
    report: str | None
    sign: tuple[object, int] | None


def claimed(program: Program, expression: Expression, revealed: frozenset[str]) -> Claimed | None:
    """The derived shift, for the choices `revealed` equal on both sides; None if it is said to be unbounded."""
    shift = shift_of(program, expression, revealed=revealed)
    if shift.kind == "none":
        return Claimed("none", (), 0, None, None)
    facts = facts_of(program, 1, revealed)
    near = neighbours_of(facts)
    if shift.kind == "unbounded" or isinstance(near, str):
        return None
    values = parameter_values(program)
    radii: dict[Norm, float] = {shift.norm: enclose(shift.radius, values).high}
    if shift.norm != "abs":
        for norm in NORMS:
            other = shift_of(program, expression, norm=norm, revealed=revealed)
            if other.kind != "unbounded":
                radii[other.norm] = min(radii.get(other.norm, inf), enclose(other.radius, values).high)
    motion = motion_of(Entry(facts, near), facts.expand(expression))
    return Claimed(shift.kind, tuple(radii.items()), motion.onset, motion.report, motion.sign)


def in_words(claim: Claimed) -> str:
    """`at most 1, uniformly`, as the report has it."""
    if claim.kind == "none":
        return "it does not move"
    sizes = ", ".join(f"{radius:.10g}" + (f" in {norm}" if norm in NORMS else "") for norm, radius in claim.radii)
    return f"it moves by at most {sizes} ({claim.kind})"
