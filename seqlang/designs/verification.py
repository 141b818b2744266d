"""The written program speaks for itself before a design is handed over: `check` proves its claims, `solve` computes its
law in its own way, `run` simulates it. Where they say otherwise than the design, nothing is handed over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from seqlang.analyses.contradictions import Contradiction
from seqlang.driver import check, load, run, solve
from seqlang.driver.contradicted import refuse
from seqlang.process.doing import doing
from seqlang.results.design import DesignResult
from seqlang.results.run import RunResult
from seqlang.results.solve import SolveResult
from seqlang.source import Source

AGREE = 1e-9
"""Of chances, and of expectations relative to their size: `solve` and the design compute in different orders."""
STEPS = 2_000_000
"""Steps of all simulated runs of a model together, about."""
FEWEST, MOST = 1_000, 10_000
"""Simulated runs of a model. A step of fewer costs hardly less."""
ERRORS = 5.0
"""Standard errors within which a simulation must lie; Bernstein's inequality adds to them where the law is skew."""
WRONG = {"null": "reject", "alternative": "accept"}


def verified(text: str, design: DesignResult) -> tuple[str | None, tuple[str, ...]]:
    """The verdict of the privacy claim (None: there is none), and what was found, in words. Raises Contradicted."""
    loaded = load(Source("the designed program", text))
    doing("checking the claims")
    verdicts = check(loaded).verdicts
    refuse(
        loaded, [_against(f"`{v.claim.text}`", "holds", "check", v.because) for v in verdicts if v.verdict == "refuted"]
    )
    doing("solving the program")
    laws = solve(loaded)
    for law in laws:
        refuse(loaded, list(_solved_otherwise(law, design)))
    doing("running the program")
    ending = tuple(law for law in laws if law.expected_steps != math.inf)  # the others cannot be run to their end
    mean = design.average if math.isfinite(design.average) else design.cost
    runs = int(min(MOST, max(FEWEST, STEPS // max(1.0, mean))))
    simulated = run(loaded, models=tuple(law.model for law in ending), runs=runs, engine="numpy")
    for found, law in zip(simulated, ending, strict=True):
        refuse(loaded, list(_ran_otherwise(found, law, runs)))
    open_ = [v.claim.text for v in verdicts if v.verdict != "proved"]
    private = next((v.verdict for v in verdicts if v.claim.kind == "strong"), None)
    return private, (
        f"check does not prove `{open_[0]}`" if open_ else "check proves all claims of the program",
        _solved(laws),
        f"{runs:,} simulated runs under {'each hypothesis' if ending == laws else 'the alternative'} agree",
    )


def _against(about: str, mine: str, other: str, theirs: str) -> Contradiction:
    return Contradiction(about, "design", mine, other, theirs)


def _solved(laws: Sequence[SolveResult]) -> str:
    left = max(map(_unresolved, laws))
    if left > AGREE:
        return f"solve computes the same errors in its own way, but for a mass of {left:.1g} that it leaves unresolved"
    return "solve computes the same errors and expected entries in its own way"


def _unresolved(law: SolveResult) -> float:
    found = law.solution
    return float(max(0.0, found.unresolved - found.never) + found.lost + found.outcome_error)


def _solved_otherwise(law: SolveResult, design: DesignResult) -> Iterator[Contradiction]:
    """What `solve` leaves unresolved counts for either outcome, and then it knows no expected step."""
    side, mean, left = law.model, law.expected_steps, _unresolved(law)
    wrong, error = _error_of(side, design)
    theirs = law.returns.get(wrong, 0.0)  # a test that goes on for ever accepts nowhere
    if not abs(theirs - error) <= AGREE + left:
        yield _against(f"P({wrong}) under {side}", repr(error), "solve", repr(theirs))
    if (mean is None and left > AGREE) or side not in design.expected_steps:
        return
    expected = design.expected_steps[side]
    if mean == expected == math.inf:
        return
    if mean is None or not abs(mean - expected) <= AGREE * expected:
        yield _against(f"the expected step under {side}", repr(expected), "solve", repr(mean))


def _error_of(model: str, design: DesignResult) -> tuple[str, float]:
    """The wrong decision under a model, and its chance. Where ends for futility are heeded, the null's is smaller than
    the error that is claimed."""
    if model == "null_ignored":
        return "reject", design.errors["null"]
    if model == "null" and design.heeded is not None:
        return "reject", design.heeded
    return WRONG[model], design.errors[model]


def _ran_otherwise(found: RunResult, law: SolveResult, runs: int) -> Iterator[Contradiction]:
    """The standard error is that of the exact law: rare long runs may be missing from a simulation."""
    told, wrong = found.to_dict(), WRONG.get(law.model, "reject")
    if wrong in law.returns:
        chance, seen = law.returns[wrong], told["returns"][wrong]["probability"]
        allowed = ERRORS * math.sqrt(chance * (1 - chance) / runs) + ERRORS**2 / (3 * runs)
        if abs(seen - chance) > allowed + _unresolved(law):
            yield _against(f"P({wrong}) under {found.model}", repr(chance), "run", f"{seen!r} of {runs:,} runs")
    mean, sd = law.expected_steps, law.sd_steps
    if mean is None or sd is None:
        return
    seen, se = told["steps"]["mean"], sd / math.sqrt(runs)
    if abs(seen - mean) > ERRORS * se + AGREE:
        yield _against(f"the expected step under {found.model}", repr(mean), "run", f"{seen!r}, standard error {se!r}")
