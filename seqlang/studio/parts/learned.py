"""What was learnt: charts that follow the run, the metrics at its end, and what the mechanism itself releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui

from seqlang.backends.train import METRICS
from seqlang.report.numbers import shown
from seqlang.studio.parts.chart import REMARK, Chart
from seqlang.studio.session import Session

TITLES = {
    "validation": "Accuracy on the validation rows",
    "next rows": "Accuracy on the rows that come next",
    "test": "Accuracy on the test rows",
    "bought": "Labels bought",
    "predicted": "Predicted labels of the test rows",
    "time": "Label against time: the latest rows of the first order",
    "metrics": "Metrics on the test rows",
}


class Learned:
    """Charts only where figures without noise may be shown."""

    def __init__(self, session: Session) -> None:
        self._charts = []
        self._table: ui.html | None = None
        if not session.settings.released_only:
            with ui.element("div").classes("seq-charts"):
                self._charts = [Chart(session, name, title) for name, title in TITLES.items()]
            self._table = _table("metrics at the end")
        ui.html("What the mechanism releases", sanitize=False, tag="h2")
        self._empty = ui.label("Nothing was learnt yet.").classes("seq-soft")
        self._released = _table("what is released")

    def show(self, answer: Mapping[str, Any]) -> None:
        """An answer of the job, or a part of it."""
        if "numbers" in answer:
            for chart in self._charts:
                chart.show(answer["numbers"])
            if self._table is not None:
                self._table.set_content(_metrics(answer["numbers"]["variants"]))
        if "released" in answer:
            self._empty.set_visibility(False)
            self._released.set_content(_released(answer["released"]))


def _table(label: str) -> ui.html:
    return ui.html("", sanitize=False).classes("seq-wide").props(f'tabindex=0 role=region aria-label="{label}"')


def _metrics(variants: Mapping[str, Any]) -> str:
    """A row a learner: each mean with its interval."""
    if not any(one["metrics"] for one in variants.values()):
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in METRICS)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{_interval(one['metrics'].get(metric))}</td>" for metric in METRICS) + "</tr>"
        for name, one in variants.items()
    )  # fmt: skip
    caption = f"{REMARK}; mean with 95 % interval over the orders"
    return (f'<table class="seq-table"><caption class="seq-private">{caption}</caption><thead><tr>'
            f'<th scope="col">learner</th>{head}</tr></thead><tbody>{rows}</tbody></table>')  # fmt: skip


def _interval(point: Mapping[str, Any] | None) -> str:
    if not point or point["mean"] is None:
        return "–"
    ends = point["ci95"]
    return f"{point['mean']:.3f}" + (f"<br><small>{ends[0]:.3f} .. {ends[1]:.3f}</small>" if ends else "")


def _released(found: Mapping[str, Any]) -> str:
    """Of the first order; how many there were is said, as each of them costs what is claimed."""
    cost = f"{found['orders']} orders were gone through, each of which spends what the spec claims; the first is shown."
    if found["orders"] == 1:
        cost = "One order was gone through, which spends what the spec claims."
    stop = "It did not stop" if found["steps"] is None else f"It stopped after step {found['steps']:,}"
    reports = ", ".join(f"{escape(name)} {times:,} times" for name, times in found["reports"].items())
    numbers = ", ".join(f"{escape(name)} = {shown(value)}" for name, value in found["numbers"].items())
    said = "; ".join(part for part in (stop, f"it reported {reports}" if reports else "", numbers) if part)
    return f"<p>{cost}</p><p>{said}.</p>{_weights(found['weights'])}"


def _weights(weights: Sequence[tuple[str, float]]) -> str:
    if not weights:
        return ""
    rows = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{weight:.4g}</td></tr>' for name, weight in weights)
    head = '<tr><th scope="col">attribute</th><th scope="col">weight</th></tr>'
    table = f'<table class="seq-table"><thead>{head}</thead><tbody>{rows}</tbody></table>'
    return f"<details><summary>the {len(weights)} weights</summary>{table}</details>"
