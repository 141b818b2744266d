"""The reports of `solve` as people read them: as many digits as the estimated error supports, and what is certain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.report.document.document import Block, Table, doubt, first_line, line, remark, row, table_of
from seqlang.report.numbers import shown, shown_up
from seqlang.report.text.kinds import returns_of, steps_of

if TYPE_CHECKING:
    from seqlang.results.solve import SolveResult


def solve_blocks(result: SolveResult) -> Iterator[Block]:
    """One model: the returns, the steps, and how far both can be from the truth."""
    solution = result.solution
    how = f"law by {solution.method}, {result.seconds:.3f} s"
    yield first_line(result.algorithm, f" under {result.model}", how)
    left = max(0.0, solution.unresolved - solution.never) + solution.lost
    if solution.never > 0:
        yield doubt(f"a share of {shown(solution.never, 8)} of the runs never stops")
    if not result.resolved:
        yield doubt(f"after {len(solution.table):,} steps a share of {shown_up(left, 4)} of the runs has not stopped")
    for name in result.excluded:
        yield doubt(f"the estimate of P({name}) is outside of what is certain, and not shown")
    rows = [(line(f.name), line(f.estimate), line((f.certain or "-", "quiet"))) for f in returns_of(result)]
    if rows:
        yield Table(("return", "probability", "certainly between"), tuple(rows), "lrr")
    yield _steps(result)
    chances = f"{shown_up(solution.outcome_error, 2)} in P(return), {shown_up(solution.error, 2)} in any probability"
    bounds = f"estimated error {chances}{_steps_error(result)}"
    later = ", taken to go on stopping as before" if left > 0 and result.resolved else ""
    yield remark(f"{bounds}; mass not resolved {shown_up(left, 2)}{later}")
    if "expected steps squared" in solution.moments and "noise that persists" in solution.method and result.resolved:
        second = shown_up(solution.moments["expected steps squared"], 8)
        yield remark(f"E_z[E[T | z]^2] = {second}, z the noise that persists")
    for note in solution.notes:
        if "never stop" in note:
            continue  # said above
        yield remark(note)


def _steps_error(result: SolveResult) -> str:
    if result.expected_steps is None or math.isinf(result.expected_steps):
        return ""
    return f", {shown_up(result.solution.steps_error, 2)} in the expected step"


def _steps(result: SolveResult) -> Table:
    from seqlang.results.solve import QUANTILES

    sd = result.sd_steps
    head = ("steps", "expected", "sd", *(f"{q:.0%}" for q in QUANTILES), "expected, certainly")
    figure = steps_of(result)
    found = [result.quantile(q) for q in QUANTILES]
    cells = ("", figure.estimate, "-" if sd is None else shown(sd, 8), *("-" if q is None else str(q) for q in found))
    cells = (*cells, figure.certain or "-")
    return table_of(head, [row(*cells)])
