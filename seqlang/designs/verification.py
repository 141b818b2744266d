"""The written program speaks for itself before a design is handed over: `check` proves its claims, `solve` computes its
law in its own way, `run` simulates it. Where they say otherwise than the design, nothing is handed over. What the time
limit cut short is not compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from seqlang.analyses.contradictions import Contradiction
from seqlang.designs.in_time import in_time
from seqlang.diagnostics import SpecError
from seqlang.driver import check, load, run, solve
from seqlang.driver.contradicted import refuse
from seqlang.driver.loading import Loaded
from seqlang.process.time_limit import OutOfTime, lack
from seqlang.record import record
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


@record
class Verified:
    """`verdict` of the privacy claim (None: there is none, or it was not decided); `said`: what was found, in words;
    `cut_short` names what the time limit ended."""

    verdict: str | None
    said: tuple[str, ...]
    cut_short: tuple[str, ...] = ()


def verified(text: str, design: DesignResult, longest: Mapping[str, float]) -> Verified:
    """`longest`: by hypothesis, an upper end of the further entries that a run expects, wherever it stands. Raises
    Contradicted."""
    loaded = load(Source("the designed program", text))
    cut_short: list[str] = []
    verdict, *said = in_time("`check` of the program", cut_short, lambda: _checked(loaded)) or (None,)
    try:
        laws = in_time("`solve` of the program", cut_short, lambda: solve(loaded)) or ()
    except SpecError as why:
        said.append(f"no figure is computed in a second way: {why.diagnostics[0].message}")
        return Verified(verdict, tuple(filter(None, said)), tuple(cut_short))
    for law in laws:
        refuse(loaded, list(_solved_otherwise(law, design, longest)))
    if laws:
        said.append(_solved(laws))
    runs = in_time("simulated runs of the program", cut_short, lambda: _ran(loaded, design, laws))
    return Verified(verdict, tuple(filter(None, [*said, runs])), tuple(cut_short))


def _checked(loaded: Loaded) -> tuple[str | None, str]:
    """The verdict of the privacy claim, and what was found."""
    verdicts = check(loaded).verdicts
    refuse(
        loaded, [_against(f"`{v.claim.text}`", "holds", "check", v.because) for v in verdicts if v.verdict == "refuted"]
    )
    open_ = [v.claim.text for v in verdicts if v.verdict != "proved"]
    private = next((v.verdict for v in verdicts if v.claim.kind == "strong"), None)
    return private, f"check does not prove `{open_[0]}`" if open_ else "check proves all claims of the program"


def _ran(loaded: Loaded, design: DesignResult, laws: Sequence[SolveResult]) -> str:
    """What was found. Raises OutOfTime where not all runs were made: those that an interrupt leaves are the shorter
    ones."""
    ending = tuple(law for law in laws if _ends(law, design))  # the others cannot be run to their end
    mean = design.average if math.isfinite(design.average) else design.cost
    runs = int(min(MOST, max(FEWEST, STEPS // max(1.0, mean))))
    simulated = run(loaded, models=tuple(law.model for law in ending), runs=runs, engine="numpy")
    if any(one.samples.interrupted for one in simulated):
        raise OutOfTime(lack())
    for found, law in zip(simulated, ending, strict=True):
        refuse(loaded, list(_ran_otherwise(found, law, runs)))
    return f"{runs:,} simulated runs under {'each hypothesis' if ending == laws else 'the alternative'} agree"


def _ends(law: SolveResult, design: DesignResult) -> bool:
    return math.inf not in (law.expected_steps, design.expected_steps.get(law.model))


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


def _solved_otherwise(law: SolveResult, design: DesignResult, longest: Mapping[str, float]) -> Iterator[Contradiction]:
    """What `solve` leaves unresolved may come to either outcome, and takes at most so many entries as the design says
    of the score that takes longest."""
    side, left = law.model, _unresolved(law)
    wrong, error = _error_of(side, design)
    theirs = law.returns.get(wrong, 0.0)  # a test that goes on for ever accepts nowhere
    if not theirs - AGREE - law.solution.outcome_error <= error <= theirs + AGREE + left:
        yield _against(f"P({wrong}) under {side}", repr(error), "solve", _between(theirs, theirs + left))
    if side not in design.expected_steps:
        return
    expected = design.expected_steps[side]
    if expected == math.inf:
        if law.expected_steps not in (None, math.inf):
            yield _against(f"the expected step under {side}", repr(expected), "solve", repr(law.expected_steps))
        return
    low = math.inf if law.expected_steps == math.inf else law.steps_so_far
    late = longest.get(side, math.inf) + len(law.solution.table)
    high = low + (left * late if left > 0 else 0.0)
    if not low - AGREE * expected <= expected <= high + AGREE * expected:
        yield _against(f"the expected step under {side}", repr(expected), "solve", _between(low, high))


def _between(low: float, high: float) -> str:
    return repr(low) if low == high else f"{low!r} to {high!r}"


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
