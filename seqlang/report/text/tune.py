"""The report of a tuned spec as people read it: the values, what they gain, what holds there."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from seqlang.proof.verdict import shown_verdict
from seqlang.report.document.document import (
    Block,
    Heading,
    Paragraph,
    doubt,
    first_line,
    line,
    remark,
    row,
    table_of,
)
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.results.tune import Interval, TunedClaim, TuneResult


def tune_blocks(result: TuneResult) -> Iterator[Block]:
    """The whole report."""
    about = f"  {result.algorithm}: " + ("parameters" if result.found else "no parameters found")
    yield first_line("design", about, f"{result.evaluations} points, {result.seconds:.1f} s")
    if result.cut_short is not None:
        yield doubt(f"the search was ended by {result.cut_short}: this is the best so far")
    if not result.found:
        missed = [c for c in result.claims if c.expect is None and c.verdict != "proved"]
        what = "; ".join(c.text.removeprefix("claim ") for c in missed) or "the objective has no upper bound"
        yield doubt(f"at none of the values that were tried are all claims proved; at the nearest is not: {what}")
    yield Heading("Values" if result.found else "The nearest values")
    rows = [row(name, shown(float(value), 12)) for name, value in result.parameters.items()]
    yield table_of(("parameter", "value"), rows)
    yield Heading("Minimised")
    before = "" if result.proved_before else ", where not every claim is proved"
    yield Paragraph(line(f"{result.minimised}  {_number(result.after)}"), 2)
    yield remark(f"where the search began: {_number(result.before)}{before}")
    yield Heading("Claims")
    for claim in result.claims:
        yield from _claim(claim)
    yield remark("found by a search from several starts: nothing proves that no other values are better")


def _claim(claim: TunedClaim) -> Iterator[Block]:
    shown_as = shown_verdict(claim.verdict)
    more = f" (expected {claim.expect}: no constraint)" if claim.expect else ", binds" if claim.binds else ""
    yield Paragraph(line((f"{shown_as.mark} {claim.verdict}", shown_as.tone), f"  {claim.text}", (more, "quiet")), 2)
    if claim.because:
        yield Paragraph(line((claim.because, "quiet")), 6, 0)


def _number(value: Interval) -> str:
    """An interval, rounded up where its ends agree to six digits."""
    low, high = value
    if high == inf:
        return "not known"
    return shown(high) if shown(low) == shown(high) else f"between {shown(low, 8)} and {shown(high, 8)}"
