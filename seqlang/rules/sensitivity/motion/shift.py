"""How a quantity moves between neighbours, as a value. Derived in this folder, read by every rule."""

from __future__ import annotations

from typing import Literal

from seqlang.arithmetic.formula import Formula
from seqlang.record import record

Kind = Literal[
    "none",            # does not move
    "uniform",         # one constant c from the changed entry on, |c| <= radius
    "single step",     # at the changed entry only
    "window",          # one constant c for some steps, then 0
    "same sign, not growing",   # between 0 and c, one sign, shrinking (CUSUM, running max, means)
    "same sign, not shrinking",
    "arbitrary",       # anything within the radius at each step
    "same direction",  # within the radius at each step, all of one sign
    "unbounded",
]  # fmt: skip


@record
class Shift:
    """`radius` is the largest |difference| (in `norm` for vectors: the sensitivity), INFINITY if unbounded; `note` says
    in a sentence what would bound it (clipping), or how it was found."""

    kind: Kind
    radius: Formula
    norm: Literal["abs", "l1", "l2", "linf"] = "abs"
    note: str = ""


@record
class Step:
    """One margin at the deciding step t. `before` = the largest of 0 and the differences at earlier non-firing steps
    of the segment, `at` = the difference at t (signed), for x -> x' as value(x') - value(x). In a segment all of whose
    steps have the same difference (a later one, under a uniform shift) `before` is that difference, below 0 too."""

    before: Formula
    at: Formula


@record
class Move:
    """One vertex of the joint shift class of several margins (same order). A run is cut into segments by the reports
    that reset or count; `within` speaks of the segment that holds the changed entry, `after` of every later segment
    (earlier ones do not move). For `every`-entry adjacency `everywhere` is True: each segment moves like `within`,
    with its own choice of vertex among the moves of the same `family` (one sign of a same-direction adjacency, say):
    two families never occur in one pair of neighbours."""

    within: tuple[Step, ...]
    after: tuple[Step, ...]
    everywhere: bool
    name: str
    family: str = ""
