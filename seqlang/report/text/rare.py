"""The report of `run --rare`: the estimate, how sharp it is, and whether to believe it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.report.document.document import Block, Paragraph, Table, doubt, first_line, line, remark, row
from seqlang.report.numbers import shown, shown_down, shown_up

if TYPE_CHECKING:
    from seqlang.backends.rare import Estimate
    from seqlang.results.rare import RareResult

_ENOUGH = 100
"""Of plain runs, if so many reach the return, its chance is known to about 10 %."""


def rare_blocks(result: RareResult) -> Iterator[Block]:
    """One model: a row for each return."""
    first = result.rare[0]
    seconds = sum(e.seconds for e in result.rare)
    head = f"{first.runs:,} weighted runs, seed {first.seed}, {seconds:.2f} s"
    yield first_line(result.algorithm, f" under {result.model}", head)
    for e in result.rare:
        for warning in e.warnings:
            yield doubt(f"P({e.label}) is not to be trusted: {warning}")
    rows = tuple(row(*_cells(e)) for e in result.rare)
    head_row = ("return", "probability", "95 % interval", "relative error", "effective runs", "largest share")
    yield Table(head_row, rows, "lrrrrr")
    cap = f"within {first.cap:,} steps; " if first.cap is not None else ""
    yield remark(cap + first.method)
    for e in result.rare:
        if e.trusted and e.runs * e.probability >= _ENOUGH:
            plain = math.sqrt(max(0.0, 1 - e.probability) / (e.probability * e.runs))
            enough = f"{e.runs:,} plain runs, without --rare, would tell it to about {100 * plain:.2g} %"
            yield remark(f"P({e.label}) is not rare: {enough}")
    if not result.trusted:
        yield Paragraph(line("`seqlang solve` computes it where there is an exact law; more --runs may help"), 2)


def _cells(e: Estimate) -> tuple[str, ...]:
    low, high = e.interval
    return (
        e.label,
        shown(min(1.0, e.probability), _digits(e)),  # a mean of weights may come out above
        f"{shown_down(low, _digits(e) + 1)} .. {shown_up(high, _digits(e) + 1)}",
        f"{e.relative_error:.2g}",
        f"{e.effective:,.0f}",
        f"{e.largest_share:.2g}",
    )


def _digits(e: Estimate) -> int:
    """As many as the standard error leaves, at least two."""
    if not 0 < e.relative_error < 1:
        return 2 if e.relative_error >= 1 else 6
    return max(2, min(6, 1 + math.ceil(-math.log10(e.relative_error))))
