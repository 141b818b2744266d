"""The table of ways to compose, and what bounds owe to group privacy and post-processing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlang.analyses.compositions import Composed, compositions
from seqlang.report.document.document import Block, Heading, Paragraph, Table, line
from seqlang.report.numbers import shown_up
from seqlang.rules.composition import group_privacy, hypothetical_transcript, post_processing

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def composition_blocks(result: CheckResult, explain: bool) -> Iterator[Block]:
    """Nothing where one bound of one showing is all there is; the numerical way in any case only with `explain`."""
    found = compositions(result.program, result.bounds, numerical=explain)
    if len(found) > 1:
        yield Heading(f"Composition: epsilon at delta {float(result.delta):g}, by each theorem")
        rows = ((line(c.way), line(shown_up(c.epsilon)), line(_word(c)), line((c.source, "quiet"))) for c in found)
        yield Table(("way", "epsilon", "", "source"), tuple(rows), "lrll")
    for words in dict.fromkeys(_said(result)):
        yield Paragraph(line(words), 2, 4)


def composition_rows(result: CheckResult) -> list[dict[str, Any]]:
    """The same for JSON."""
    from seqlang.results.json_number import json_number

    return [
        {"way": c.way, "upper": json_number(c.epsilon), "used": c.used, "cite": c.source}
        for c in compositions(result.program, result.bounds)
    ]


def _word(composed: Composed) -> str:
    return "used" if composed.used else ""


def _said(result: CheckResult) -> Iterator[str]:
    """A line for each use of group privacy, and of post-processing where it changes what a bound is about."""
    bounds = result.bounds
    waiting = [d for d in (bounds.pure, bounds.dp, bounds.zcdp, *bounds.rdp) if d is not None]
    while waiting:
        step = waiting.pop(0)
        waiting += step.premises
        now = set(step.conclusion.gates)
        before = {gate for premise in step.premises for gate in premise.conclusion.gates}
        if step.rule == group_privacy.NAME:
            yield f"group privacy: {step.because} (Dwork & Roth 2014, Theorem 2.2)"
        elif step.rule == hypothetical_transcript.NAME:
            hidden = ", ".join(sorted(before - now))
            yield f"post-processing: {hidden} counts as shown, and leaving it out tells less ({_PROCESSED})"
        elif step.rule == post_processing.NAME and now != before:
            added = ", ".join(sorted(now - before))
            yield f"post-processing: {added} can be computed from the rest ({_PROCESSED})"


_PROCESSED = "Dwork & Roth 2014, Proposition 2.1"
