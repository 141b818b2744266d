"""Largest, smallest and mean values, over steps, of a quantity that itself moves in many steps.

The lemmas speak of one pair of neighbours with differences d_1, d_2, .. of the quantity, and of a set of steps that is
the same on both sides.
"""

from __future__ import annotations

from seqlang.record import replace
from seqlang.rules.sensitivity.motion.motion import Motion, unbounded


def over_steps(operator: str, body: Motion) -> Motion:
    """The motion of the largest, smallest or mean value over some steps so far.

    Each of them never falls in any of the values, and rises by c where all of them do. So its difference lies between
    the least and the largest d_j of these steps: it is at most the radius, and of their sign where all have one. It may
    grow from step to step, as the changed values come to be the largest.
    """
    if body.kind in ("none", "unbounded"):
        return body
    if body.norms is not None and operator != "mean":
        return unbounded("a largest or smallest vector")
    if body.one_sign:
        return replace(body, kind="same direction", report=None)
    return replace(body, kind="arbitrary", sign=None, report=None)


def less_its_body(body: Motion) -> Motion | None:
    """The motion of (such a value - the quantity itself), if the quantity moves by one constant c from some step on.

    The value of the steps so far moves by something between 0 and c, the quantity by c, or both by 0: the difference of
    the differences lies between -c and 0 in every step.
    """
    if body.kind != "uniform" or body.norms is not None:
        return None
    turned = None if body.sign is None else (body.sign[0], -body.sign[1])
    return replace(body, kind="same direction", sign=turned, report=None)
