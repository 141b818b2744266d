"""How one quantity moves over a run, and how that changes when quantities are scaled, added, clipped and combined.

A `Motion` describes the sequence of differences delta_1, delta_2, .. (value on x' minus value on x) for all neighbours.
The classes, with k the step of the changed entry: uniform and window have one constant c; same sign, not growing has
delta between 0 and c with |delta| never rising from k on; same direction has all of one sign. Each class here contains
the ones before it, so replacing a class by a later one is always sound.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.record import record, replace
from seqlang.rules.sensitivity.facts.ends import greatest, size_of
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ZERO
from seqlang.rules.sensitivity.motion.shift import Kind
from seqlang.rules.sensitivity.motion.spreads import Norms

STATIC = -1  # the onset of what differs from the first step on: records of a dataset


@record
class Motion:
    """`radius` bounds every |delta|; for vectors `norms` does, and `radius` is the one that is shown.

    `sign`: (key, +1 or -1): all motions with one key move the same way, turned by the number, in any pair of
    neighbours. `onset`: how many steps after the changed entry it begins to move. `report`: it is still again in the
    step after this report. `norms` is None for numbers.
    """

    kind: Kind
    radius: Formula = ZERO
    norms: Norms | None = None
    sign: tuple[object, int] | None = None
    onset: int = 0
    report: str | None = None
    note: str = ""

    @property
    def one_sign(self) -> bool:
        return self.kind in ONE_SIGN


NONE = Motion("none")
SHRINKING: tuple[Kind, ...] = ("uniform", "window", "same sign, not growing")
ONE_SIGN: tuple[Kind, ...] = ("single step", *SHRINKING, "same sign, not shrinking", "same direction")


def unbounded(note: str) -> Motion:
    return Motion("unbounded", INFINITY, note=note)


def scaled(facts: Facts, motion: Motion, factor: Formula) -> Motion:
    """The motion of factor * quantity, for a constant factor."""
    if motion.kind in ("none", "unbounded"):
        return motion
    turn = facts.sign(factor)
    if turn == 0:
        return NONE
    sign = None if motion.sign is None or turn is None else (motion.sign[0], motion.sign[1] * turn)
    return replace(_times(motion, size_of(facts, factor)), sign=sign)


def varying(facts: Facts, motion: Motion, size: Formula | None, sign: int | None, shrinking: bool) -> Motion:
    """The motion of (public factor that changes over time) * quantity.

    `size` bounds |factor|; `sign` is its sign if it never changes; `shrinking`: |factor| never grows.
    """
    if motion.kind in ("none", "unbounded"):
        return motion
    if size is None:
        return unbounded("it is multiplied by a quantity without a known bound")
    larger = _times(motion, size)
    turned = None if motion.sign is None or sign is None else (motion.sign[0], motion.sign[1] * sign)
    larger = replace(larger, sign=turned)
    if motion.kind == "single step":
        return larger
    if sign is None or not motion.one_sign:
        return replace(larger, kind="arbitrary", sign=None)
    if shrinking and motion.kind in SHRINKING:
        return replace(larger, kind="same sign, not growing")
    return replace(larger, kind="same direction")


def _times(motion: Motion, factor: Formula) -> Motion:
    norms = None if motion.norms is None else motion.norms.times(factor)
    return replace(motion, radius=factor * motion.radius, norms=norms)


def added(motions: list[Motion], facts: Facts) -> Motion:
    """The motion of a sum of quantities of the same pair of neighbours."""
    moving = [motion for motion in motions if motion.kind != "none"]
    if not moving:
        return NONE
    stuck = next((motion for motion in moving if motion.kind == "unbounded"), None)
    if stuck is not None or len(moving) == 1:
        return stuck or moving[0]
    return _joined(moving, _sum([m.radius for m in moving]), _sum_norms(moving), adding=True)


def lipschitz(motions: list[Motion], facts: Facts, monotone: bool, extreme: bool = False) -> Motion:
    """The motion of f(quantities) with |f(a) - f(b)| <= sum |a_i - b_i| (`extreme`: <= max |a_i - b_i|).

    `monotone`: f never falls in any of them.
    """
    moving = [motion for motion in motions if motion.kind != "none"]
    if not moving:
        return NONE
    stuck = next((motion for motion in moving if motion.kind == "unbounded"), None)
    if stuck is not None:
        return stuck
    radii = [motion.radius for motion in moving]
    radius = greatest(facts, tuple(radii)) if extreme else _sum(radii)
    if len(moving) == 1:
        (only,) = moving
        if only.kind == "single step":
            return replace(only, sign=only.sign if monotone else None)
        if monotone and only.one_sign:
            return replace(only, kind="same direction", radius=radius)
        return replace(only, kind="arbitrary", radius=radius, sign=None)
    joined = _joined(moving, radius, None, adding=False)
    return joined if monotone or joined.kind == "single step" else replace(joined, kind="arbitrary", sign=None)


def _joined(moving: list[Motion], radius: Formula, norms: Norms | None, adding: bool) -> Motion:
    """What several motions of one pair of neighbours have in common."""
    kinds = {motion.kind for motion in moving}
    together = len({motion.onset for motion in moving}) == 1
    signs = {motion.sign for motion in moving}
    sign = signs.pop() if len(signs) == 1 else None
    reports = {motion.report for motion in moving}
    report = reports.pop() if len(reports) == 1 else None
    onset = min(motion.onset for motion in moving)
    note = next((motion.note for motion in moving if motion.note), "")
    kind: Kind = "arbitrary"
    if kinds == {"single step"} and together:
        kind = "single step"
    elif kinds == {"uniform"} and together and adding:
        kind = "uniform"
    elif sign is not None and together and adding and kinds <= set(SHRINKING):
        kind = "same sign, not growing"
    elif sign is not None and kinds <= set(ONE_SIGN):
        kind = "same direction"
    kept = sign if kind != "arbitrary" else None
    return Motion(kind, radius, norms, kept, onset, report, note)


def _sum(radii: list[Formula]) -> Formula:
    result: Formula = ZERO
    for radius in radii:
        result = result + radius
    return result


def _sum_norms(motions: list[Motion]) -> Norms | None:
    norms = [motion.norms for motion in motions]
    known = [n for n in norms if n is not None]
    if len(known) < len(norms):
        return None

    def total(parts: list[Formula | None]) -> Formula | None:
        numbers = [part for part in parts if part is not None]
        return _sum(numbers) if len(numbers) == len(parts) else None

    return Norms(total([n.l1 for n in known]), total([n.l2 for n in known]), total([n.linf for n in known]))
