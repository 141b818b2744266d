"""A statistical audit in words and as JSON: evidence from simulated runs, labelled as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlang.report.numbers import shown, shown_down
from seqlang.report.streams import stream_words
from seqlang.results.json_number import json_number

if TYPE_CHECKING:
    from seqlang.analyses.audit import Audit
    from seqlang.analyses.audit.runs import Sight


def audit_words(audit: Audit) -> str:
    """The bound, its confidence, and the counts it rests on."""
    if audit.epsilon <= 0:
        return f"{audit.pairs} pairs of neighbours, {audit.runs:,} runs each of the best: nothing told them apart"
    first, second = (stream_words(s) for s in audit.streams)
    event = " or ".join(_sight(sight, audit.labels) for sight in audit.event)
    bound = f"epsilon is at least {shown_down(audit.epsilon)} with confidence {audit.confidence:.1%}"
    return (
        f"{bound} (statistical, no proof): "
        f"{event} in {audit.hits[0]:,} and {audit.hits[1]:,} of {audit.runs:,} simulated runs on {first} and {second}"
    )


def _sight(sight: Sight, labels: tuple[str, ...]) -> str:
    low, high = sight.steps
    when = f"step {low}" if low == high else f"steps {low} to {high}"
    parts = ["not stopped by" if sight.stopped is False else "stopping in", when]
    if sight.result is not None:
        parts.append(f"with {labels[sight.result]}")
    if sight.value is not None:
        parts.append(f"with a value in [{shown(sight.value[0])}, {shown(sight.value[1])}]")
    if sight.reports is not None:
        parts.append(f"with {sight.reports[1]} reports of {sight.reports[0]}")
    return " ".join(parts)


def audit_dict(audit: Audit) -> dict[str, Any]:
    """For `check --json`."""
    return {
        "epsilon": json_number(audit.epsilon),
        "confidence": audit.confidence,
        "streams": [list(s) for s in audit.streams],
        "event": [_sight(sight, audit.labels) for sight in audit.event],
        "hits": list(audit.hits),
        "runs": audit.runs,
        "p_low": audit.p_low,
        "q_high": audit.q_high,
        "events_tested": audit.tested,
        "pairs_tried": audit.pairs,
        "seed": audit.seed,
    }
