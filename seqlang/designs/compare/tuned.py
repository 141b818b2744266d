"""Rows of tests that look after every entry: their noise is the least that the privacy asks for, and their other
parameters are searched as `design FILE --free` searches those of any spec.

Ends that fall make the difference. At .3 against .7, eps 1 and errors .05, DP-SPRT with ends that stay needs 47.6
entries, whatever the split of the budget; with a look after every 22 entries 43.5 (41.3 to 43.0 are published for
"tuned"); with ends that fall by 1.4 an entry 27.3. A falling end is public: it costs no privacy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.designs.compare.figures import missing, proved, said, too_often
from seqlang.designs.compare.walks import WALKS, Walk, coarse, free_of, walk_text
from seqlang.designs.design import QUANTILES
from seqlang.designs.problem.problem import Problem
from seqlang.designs.tuning.free import free_parameters
from seqlang.designs.tuning.objective import with_objective
from seqlang.designs.tuning.oracle import Oracle
from seqlang.designs.tuning.search import Tried
from seqlang.designs.tuning.tune import INTERRUPT, searched
from seqlang.designs.tuning.written import with_defaults
from seqlang.diagnostics import SpecError
from seqlang.driver import calibrate, load, solve
from seqlang.process.doing import doing
from seqlang.process.time_limit import left
from seqlang.record import replace
from seqlang.results.design import ComparedDesign
from seqlang.results.solve import SolveResult
from seqlang.source import Source

SECONDS = 60.0
"""CPU time that the search of one row may take."""
REST = 5.0
"""CPU time that is left of a limit for what comes after the search of a row."""
ROUGH, TOLERANCE = 1e-4, 1e-8
"""Asked of exact laws in the search, and of what was found."""
SPARE = Fraction(1, 1000)
"""The search aims at errors that are smaller by this part, so that `check` can tell that they are kept."""
NO_ARMS = "is for one stream: the exact law of a sum over arms that take turns takes too long to be searched"
WRONG = {"null": "reject", "alternative": "accept"}


def tuned_rows(problem: Problem) -> Iterator[ComparedDesign]:
    """One row a mechanism; none where no privacy is asked for."""
    if problem.privacy.notion == "none":
        return
    stopped = ""
    for walk in WALKS:
        name = f"{walk.name}, tuned"
        seconds = min(SECONDS, left() - REST)
        if problem.arms:
            yield missing(name, problem, NO_ARMS)
        elif stopped or seconds <= 0:
            yield missing(name, problem, stopped or "not tried, for lack of time")
        else:
            doing(f"tuning {walk.name}")
            row, interrupted = _tuned(name, walk, coarse(problem), seconds)
            stopped = "not tried: interrupted" if interrupted else ""
            yield row


def _tuned(name: str, walk: Walk, problem: Problem, seconds: float) -> tuple[ComparedDesign, bool]:
    """The row, and whether an interrupt ended its search."""
    try:
        noise = _noise(walk, problem)
        aimed = replace(problem, alpha=problem.alpha * (1 - SPARE), beta=problem.beta * (1 - SPARE))
        loaded, free = load(Source(name, walk_text(walk, aimed, noise))), free_of(problem)
        oracle = Oracle(with_objective(loaded, "expected(step)"), {}, free, ROUGH)
        best, cut = searched(Tried(oracle), free_parameters(loaded.program, free), seconds)
        cut_short = f"before {cut}" if cut else ""
        if best is None:
            return missing(name, problem, f"no ends found {cut_short}".rstrip()), cut == INTERRUPT
        text = with_defaults(Source(name, walk_text(walk, problem, noise)), best.values)
        return _row(name, problem, text, f"the best {cut_short}" if cut else ""), cut == INTERRUPT
    except SpecError as why:
        return missing(name, problem, f"not found: {why.diagnostics[0].message}"), False


def _noise(walk: Walk, problem: Problem) -> Fraction:
    """The least with which the privacy is proved."""
    start = load(Source(walk.name, walk_text(walk, problem, Fraction(1))))
    return calibrate(start, "noise", problem.privacy.text).found.value


def _row(name: str, problem: Problem, text: str, note: str) -> ComparedDesign:
    laws = {law.model: law for law in solve(load(Source(name, text)), tolerance=TOLERANCE)}
    errors = {side: laws[side].returns[wrong] for side, wrong in WRONG.items()}
    exceeded = too_often(errors, problem)
    return ComparedDesign(
        name, problem.privacy.text, errors, {side: laws[side].expected_steps for side in WRONG},
        {side: _quantiles(laws[side]) for side in WRONG}, None, proved(text), not exceeded,
        "; ".join(part for part in (note, said(exceeded)) if part), text,
    )  # fmt: skip


def _quantiles(law: SolveResult) -> dict[str, int | None]:
    return {str(level): law.quantile(level) for level in QUANTILES}
