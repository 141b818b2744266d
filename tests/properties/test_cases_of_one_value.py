"""Programs that once had two values: every part gives the exact one, and claims are judged by it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from one_value.cases import CASES, CLAIMS, ENGINES, HALTS, SEVEN, Case, Outcome, Unfinished, parts, verdict

import seqlang

NO_LAW = ("ceil((0.1 * min(step, 1) + 0.2) * 10)", "bounds[step / 2]")
"""`solve` lists what is returned where it is a constant."""


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
@pytest.mark.parametrize(("name", "part"), list(parts()), ids=[name for name, _ in parts()])
def test_every_part_gives_the_exact_value(name: str, part: Callable[[Case], Outcome], case: Case) -> None:
    if name == "solve" and case.name in NO_LAW:
        with pytest.raises(seqlang.SpecError, match="changes from run to run"):
            part(case)
        return
    if name == "solve" and case.wanted[0] > 1000:
        with pytest.raises(Unfinished):
            part(case)
        return
    assert part(case) == case.wanted


@pytest.mark.parametrize(("text", "allowed"), [pytest.param(text, allowed, id=name) for name, text, allowed in CLAIMS])
def test_claims_are_about_the_program_that_runs(text: str, allowed: tuple[str, ...]) -> None:
    assert verdict(text) in allowed


def test_thresholds_in_percent() -> None:
    """`solve` and the engines agree on the chance of a halt: within five standard errors of 10,000 runs."""
    assert seqlang.solve(SEVEN)[0].returns["halt"] == pytest.approx(HALTS, abs=1e-6)
    for engine in ENGINES:
        assert seqlang.run(SEVEN, engine=engine)[0].returns["halt"] == pytest.approx(HALTS, abs=0.0227)
