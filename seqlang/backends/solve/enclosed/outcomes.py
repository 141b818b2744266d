"""The probability of some of the outcomes, enclosed more closely where a program only stops.

Statement. Let a program do nothing but sum up entries and stop. Let S be some of its stops. Follow each run so that a
stop in S fires as soon as its condition holds for *some* value of the noises in their panels, and a stop that is not in
S only where its condition holds for *all* of them. The probability that a run so followed ends with a stop in S is at
least the true one.

Proof. Fix the entries, the fresh noises, and values of the persistent noises in a panel. Say that the true run ends
with a stop in S, at some place of some step. No stop that is not in S has fired before, so none of them holds for all
values of the panel, and the followed run has not ended with one of them. The stop in S holds for some value. So the
followed run ends there, or has ended with another stop in S before. The sums do not depend on what stops. []

With the other stops in place of S the same gives the lower bound.
"""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.enclosure import Enclosure
from seqlang.backends.solve.enclosed.law import EnclosedLaw, enclosed
from seqlang.backends.solve.solution import Outcome
from seqlang.backends.solve.stops.outcomes import stops_returning
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program


def probability_of_outcomes(
    program: Program, model: str, wanted: Callable[[Outcome], bool], *, panels: int, clear: bool
) -> Enclosure:
    """Where the probability lies that a run stops and returns a wanted outcome. `clear`: whether a chance that is
    computed as 0 is 0; else no run counts as one that never stops. Raises Unsolved where the program does more than
    stop, or a stop may return wanted outcomes and others."""
    inside, outside = stops_returning(program, wanted)
    most = enclosed(program, model, panels=panels, favoured=inside)
    least = enclosed(program, model, panels=panels, favoured=outside)
    if any(len(law.table) == 0 for law in (most, least)):
        raise Unsolved("no step was followed")

    def mass(law: EnclosedLaw, those: bool) -> float:
        return sum(float(law.table[:, k].sum()) for k, o in enumerate(law.outcomes) if wanted(o) == those)

    low = mass(least, True) - least.rounding
    never = most.never if clear or most.bounds_never else 0.0
    high = 1.0 - mass(most, False) - never + most.rounding
    return Enclosure(max(0.0, low), min(1.0, high))
