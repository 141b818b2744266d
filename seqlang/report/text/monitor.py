"""The report of `monitor` as people read it: what was released, what it says, what may come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.report.document.document import Block, Heading, first_line, remark, row, table_of
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.results.monitor import MonitorResult


def monitor_blocks(result: MonitorResult) -> Iterator[Block]:
    """The whole report."""
    ended = f"ended: {result.decision}" if result.decision is not None else f"next block: {result.next_block} entries"
    yield first_line("monitor", f"  {result.algorithm}, {ended}", f"after {len(result.blocks)} blocks")
    if result.blocks:
        yield Heading("Released so far")
        names = list(result.state)
        rows = [
            row(str(b.number), str(b.size), str(b.released), *(shown(b.state[n], 8) for n in names), b.decision or "")
            for b in result.blocks
        ]
        yield table_of(("block", "entries", "released", *names, "decision"), rows)
    yield Heading("What it says")
    yield remark(f"p-value of the null, at whatever time one looks: {shown(result.p_value, 4)}")
    if result.interval is not None:
        low, high = (shown(end, 4) for end in result.interval)
        yield remark(
            f"the chance of a 1 lies between {low} and {high}, at all looks together with probability "
            f"{shown(result.level, 4)} at least"
        )
    if result.decision is not None:
        yield remark("the decision errs as often as the design says; what holds at all times is more cautious")
    yield remark("all of this is a function of what was released: looking at it costs no privacy")
    if result.outlooks:
        yield Heading("What may come")
        labels = sorted({label for o in result.outlooks for label in o.returns})
        levels = list(result.outlooks[0].quantiles)
        rows = [
            row(
                o.under, *(shown(o.returns.get(label, 0.0), 4) for label in labels),
                "-" if o.expected is None else shown(o.expected, 4),
                *("-" if n is None else str(n) for n in o.quantiles.values()),
            )
            for o in result.outlooks
        ]  # fmt: skip
        yield table_of(("under", *labels, "further entries", *(f"{float(q):.0%}" for q in levels)), rows)
