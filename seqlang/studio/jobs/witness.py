"""The two inputs that differ most, as a page shows them."""

from __future__ import annotations

from typing import Any

from seqlang.proof.witness import Event, Witness
from seqlang.report.check_json import witness_dict
from seqlang.report.text.check import witness_words
from seqlang.report.text.family import family_words
from seqlang.results.check import CheckResult


def witness_of(result: CheckResult) -> dict[str, Any] | None:
    """Of the largest loss: `streams`, `words` as of the text report, `moment` (the
    step in which the event is decided, or None), `unit` of an entry, `family` in words, or empty."""
    witness = result.witness
    if witness is None:
        return None
    records = all(i.kind != "stream" for i in result.program.inputs)
    return {
        "streams": witness_dict(witness)["streams"],
        "words": witness_words(witness),
        "moment": None if records else _moment(witness.event),
        "unit": "record" if records else "step",
        "family": _family(witness),
    }


def _moment(event: Event) -> int | None:
    last = max((step for step, _, _ in event.reports), default=None)
    return event.stopped_at or event.not_by or last


def _family(witness: Witness) -> str:
    return "" if witness.family is None else family_words(witness.family)
