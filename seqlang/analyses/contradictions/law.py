"""The exact law of a program under a model, against what is known of it without any distribution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.analyses.contradictions.contradiction import Contradiction
from seqlang.analyses.operating.almost_surely import surely_stops
from seqlang.model.program import Program
from seqlang.rules.claims import longest_run

if TYPE_CHECKING:
    from seqlang.backends.solve import Solution

ROUNDING = 1e-9
"""Of a chance, forgiven on top of the error that the law states."""


def law_contradictions(program: Program, model: str, solution: Solution) -> tuple[Contradiction, ...]:
    """Runs that a public stop has ended, chances that do not add up to 1, endless runs that cannot be."""
    by = f"the exact law under {model}"
    return (*_lengths(program, by, solution), *_total(by, solution), *_endless(program, model, by, solution))


def _lengths(program: Program, by: str, solution: Solution) -> Iterator[Contradiction]:
    end = longest_run(program)
    if end is None:
        return
    late = float(solution.table[end:].sum()) + solution.never
    late += 0.0 if solution.tail is None else float(solution.tail.outcomes.sum())
    if late > solution.error + ROUNDING:
        yield Contradiction(
            "the length of a run", "the file", f"at most {end} steps", by, f"more with chance {late:.6g}"
        )


def _total(by: str, solution: Solution) -> Iterator[Contradiction]:
    known = float(solution.table.sum()) + (0.0 if solution.tail is None else float(solution.tail.outcomes.sum()))
    allowed = solution.error + solution.outcome_error + ROUNDING
    missing = solution.unresolved + solution.lost
    if known > 1 + allowed or known + missing < 1 - allowed:
        added = f"{known:.12g} and {missing:.6g} that is not resolved"
        yield Contradiction("the chances of all outcomes", "arithmetic", "1", by, added)


def _endless(program: Program, model: str, by: str, solution: Solution) -> Iterator[Contradiction]:
    """Runs that never stop, where the law of large numbers says that all stop."""
    for claim in program.claims:
        if claim.kind == "operating" and claim.model in (None, model) and solution.never > solution.error + ROUNDING:
            surely = surely_stops(program, claim, model)
            if surely is not None:
                never = f"it never stops with chance {solution.never:.6g}"
                yield Contradiction(f"`{claim.text}`", surely, "that it holds", by, never)
