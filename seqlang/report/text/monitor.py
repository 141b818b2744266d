"""The report of `monitor` as people read it: what was released, what it says, what may come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.report.document.document import Block, Heading, first_line, remark, row, table_of
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.results.monitor import AfterStop, Interval, MonitorResult


def monitor_blocks(result: MonitorResult) -> Iterator[Block]:
    """The whole report."""
    ended = f"ended: {result.decision}" if result.decision is not None else f"next block: {result.next_block} entries"
    level = shown(result.level, 4)
    yield first_line("monitor", f"  {result.algorithm}, {ended}", f"after {len(result.blocks)} blocks")
    yield from _allocation(result)
    if result.blocks:
        yield Heading("Released so far")
        names, released = list(result.state), result.sums if len(result.sums) > 1 else ("released",)
        counted = [f"in {name}" for name in result.sums] if result.blocks[0].counted else []
        rows = [
            row(
                *map(str, (b.number, b.size, *b.counted, *b.released)), *(shown(b.state[n], 8) for n in names),
                b.decision or "",
            )
            for b in result.blocks
        ]  # fmt: skip
        yield table_of(("block", "entries", *counted, *released, *names, "decision"), rows)
    if result.unheeded is not None:
        yield remark(
            f"the end after block {result.unheeded} was not heeded, which it need not be: all of this is of the test "
            "that heeds none of these ends"
        )
    yield Heading("At every look, however often one looks")
    yield remark(f"p-value of the null: {shown(result.p_value, 4)}")
    yield remark(_told(result.interval_at_all_looks, f"at all looks together with probability {level} at least"))
    if result.after_stop is not None:
        yield Heading("Now that the test has ended, by the stage at which it did")
        yield from _after(result.after_stop, level)
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


def _allocation(result: MonitorResult) -> Iterator[Block]:
    """Whether the entries in each arm are known to be as designed."""
    if result.in_turn == "told":
        yield remark("each arm has as many entries as the test is designed for: the numbers given are those")
    elif result.in_turn == "released":
        yield remark("each arm has as many entries as the test is designed for: the release read the arm of each entry")
    elif result.in_turn == "assumed":
        yield remark(
            f"nobody has said how many entries are in {' and in '.join(result.sums)}: it is taken for granted that "
            "there are as many as the test is designed for. If a coin assigned them, no figure here holds. To say how "
            "many there are, block by block: --arms N:N,N:N"
        )


def _told(interval: Interval, how: str) -> str:
    if interval.ends is None:
        return f"no interval: {interval.why_not}"
    low, high = (shown(end, 4) for end in interval.ends)
    return f"{interval.about} lies between {low} and {high}, {how}"


def _after(found: AfterStop, level: str) -> Iterator[Block]:
    """Where it differs from what holds at every look: it is for the one end that the plan has."""
    if found.p_value is None:
        yield remark(f"no p-value: {found.interval.why_not}")
        return
    yield remark(
        f"p-value of the null: {shown(found.p_value, 4)}; earlier rejections and larger scores speak more against it; "
        "it is at most the chance to reject under the null exactly where the test rejects"
    )
    if found.estimate is not None:
        about = found.interval.about
        given = "" if found.mean is None else f", if the mean of both is the most likely, {shown(found.mean, 4)}"
        yield remark(f"estimate of {about}: {shown(found.estimate, 4)}, too high as often as too low{given}")
    yield remark(_told(found.interval, f"with probability {level} at least"))
    if found.heeding:
        yield remark("p-value and interval hold whether ends for futility are heeded or not, the estimate if they are")
    yield remark("use these for a test that ran to its end by the plan, and what holds at every look for any other")
