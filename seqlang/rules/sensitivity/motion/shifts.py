"""How a quantity of the program moves between neighbours, as the rules and the report read it.

The derivation is syntax-directed and searches for nothing, so a replayed proof computes the same shift. Where a rule is
missing the answer is "unbounded": that can only make a proof fail.
"""

from __future__ import annotations

from typing import Literal

from seqlang.arithmetic.formula import INFINITY, ZERO, Formula, enclose, root
from seqlang.arithmetic.simplify import simplify
from seqlang.model.expression import Expression
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_bounds
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.shapes import dimension
from seqlang.rules.sensitivity.motion.motion import Motion, unbounded
from seqlang.rules.sensitivity.motion.motion_of import motion_of
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.spreads import Entry, Norms
from seqlang.rules.sensitivity.totality.values import lack_of_value

Norm = Literal["l1", "l2", "linf"]


def shift_of(
    program: Program,
    expression: Expression,
    *,
    norm: Norm | None = None,
    first: int = 1,
    revealed: frozenset[str] = frozenset(),
) -> Shift:
    """The shift of an expression between neighbours, for one transcript and one value of all noise.

    `norm` asks for the radius of a vector in that norm (default: the one that says most; Shift.norm tells). `first` is
    the earliest step in which the value is read: means shrink until then. `revealed` are randomised choices (names with
    randomised response, draws from private laws) that the caller's proof shows to the observer and pays for: they count
    as equal on both sides. Without that a flipped name moves like its base.
    """
    return _shift(facts_of(program, first, revealed), expression, norm)


@remembered
def _shift(facts: Facts, expression: Expression, norm: Norm | None) -> Shift:
    near = neighbours_of(facts)
    expanded = facts.expand(expression)
    motion = unbounded(near) if isinstance(near, str) else motion_of(Entry(facts, near), expanded)
    lack = "" if motion.kind == "unbounded" else lack_of_value(facts.program, expression)
    if lack:
        motion = unbounded(lack)
    return _shown(facts, motion, norm, expanded)


def _shown(facts: Facts, motion: Motion, norm: Norm | None, expression: Expression) -> Shift:
    if motion.kind == "none":
        return Shift("none", ZERO)
    note = motion.note or ("" if motion.report is None else f"starts anew after each {motion.report}")
    if motion.kind == "unbounded":
        return Shift("unbounded", INFINITY, note=note)
    if motion.norms is None:
        radius: Formula | None = motion.radius
        shown: Literal["abs", "l1", "l2", "linf"] = "abs"
    else:
        shown = norm or natural(motion.norms)
        radius = in_norm(motion.norms, shown, dimension(facts, expression))
    if radius is None or not is_certain(facts, radius):
        return Shift("unbounded", INFINITY, shown, note or "the vector's length or range is not known")
    return Shift(motion.kind, simplify(radius, parameter_bounds(facts.program)), shown, note)


def is_certain(facts: Facts, radius: Formula) -> bool:
    """True if the radius has a finite value at the program's parameters."""
    return not radius.is_infinite and enclose(radius, facts.values).is_finite


def natural(norms: Norms) -> Norm:
    """One coordinate moves: l1; a ball: l2; every coordinate on its own: linf."""
    if norms.l1 is not None and norms.l1 == norms.linf:
        return "l1"
    return "l2" if norms.l2 is not None and norms.l2 == norms.linf else "linf"


def in_norm(norms: Norms, wanted: Norm, size: Formula | None) -> Formula | None:
    """A bound in the wanted norm for a vector of `size` coordinates (None: not known)."""
    known = {"l1": norms.l1, "l2": norms.l2, "linf": norms.linf}[wanted]
    if known is not None:
        return known
    if wanted != "l1" and norms.l1 is not None:
        return norms.l1
    if wanted == "linf":
        return norms.l2
    if norms.l2 is not None and size is not None:
        return root(size) * norms.l2
    if norms.linf is not None and size is not None:
        return (size if wanted == "l1" else root(size)) * norms.linf
    return None
