"""What is certain of the law of one program under one model, in a form to be shown beside the estimates of `solve`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import isinf
from typing import TYPE_CHECKING

from seqlang.analyses.operating.possible import zeros_are_exact
from seqlang.analyses.operating.quantities import certain
from seqlang.arithmetic.enclosure import Enclosure
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.rules.claims import longest_run

if TYPE_CHECKING:
    from seqlang.backends.solve.solution import Outcome

PANELS, WORK = 64, 2e7
"""Of an enclosure beside an estimate: a fraction of a second."""


@record
class CertainLaw:
    """`returns`: the probability of each outcome; `steps`: the expected stopping step, with an infinite upper end where
    no theorem bounds it; `steps_by`: the theorem; `undecided`: the probability of all that was not followed to its
    end, at most."""

    returns: Mapping[Outcome, Enclosure]
    steps: Enclosure
    steps_by: str
    undecided: float


def certain_law(program: Program, model: str, *, panels: int = PANELS, work: float = WORK) -> CertainLaw | None:
    """Enclosures of the law; None where nothing is enclosed."""
    from seqlang.backends.solve import Unsolved
    from seqlang.backends.solve.enclosed.drift import expected_steps
    from seqlang.backends.solve.enclosed.law import enclosed
    from seqlang.backends.solve.enclosed.stopping_time import stopping_time

    try:
        law = enclosed(program, model, panels=panels, work=work)
    except Unsolved:
        return None
    clear = zeros_are_exact(program, model, whole=True)
    stops = stopping_time(program, model, longest_run(program), clear=clear)
    masses = certain(program, model, law, lambda: stops)
    steps, by = Enclosure(*masses.steps()), stops.by
    if isinf(steps.high) and not isinf(steps.low):
        with suppress(Unsolved):
            steps, by = expected_steps(program, model, panels)
    sums = law.table.sum(axis=0)
    returns = {
        outcome: Enclosure(max(0.0, float(low) - masses.slack), min(1.0, float(low) + masses.slack + masses.open))
        for outcome, low in zip(law.outcomes, sums, strict=True)
    }
    return CertainLaw(returns, steps, by, law.undecided)
