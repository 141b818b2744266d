"""The charts as pictures to take along: PNG, SVG and PDF by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seqlang.backends.train import METRICS
from seqlang.report.pictures.figure import Sheet, add_legend, picture
from seqlang.report.pictures.look import About
from seqlang.report.pictures.series import filled, marked
from seqlang.studio.jobs.pictures import drawn
from seqlang.studio.learning.numbers import Numbers, bars_of, label_rows, series_of

SIZE = (5.6, 3.6)
"""Inches."""
INTERVALS = "bars: 95 % intervals (Student's t) of the mean over the orders"


def pictured(numbers: Numbers, name: str, title: str, kind: str) -> bytes:
    """One chart in one format. Raises SpecError E0605 without matplotlib."""
    draw = {"predicted": _bars, "metrics": _bars, "time": _time}.get(name, _lines)
    return drawn(lambda file: picture(lambda sheet: draw(sheet, numbers, name), About(title), file), (kind,))[kind]


def _lines(sheet: Sheet, numbers: Numbers, name: str) -> None:
    (axis,) = sheet.panels(1, 1, SIZE).flat
    for number, (variant, points) in enumerate(series_of(numbers, name).items()):
        steps, means = [p[0] for p in points], [p[1] for p in points]
        look = {**marked(number, len(points)), "markevery": None}
        axis.errorbar(steps, means, yerr=_errors([p[1:] for p in points]), capsize=3, **look, label=variant)
    sheet.note(INTERVALS)
    axis.set(xlabel="rows read", ylabel="labels bought" if name == "bought" else f"accuracy, {name}")
    axis.set_xlim(0, 1.04 * numbers["marks"][-1])
    if name != "bought":
        axis.set_ylim(-0.02, 1.02)
    add_legend(axis)


def _errors(bars: Sequence[Sequence[float]]) -> list[list[float]]:
    """Below and above."""
    return [[value - low for value, low, _ in bars], [high - value for value, _, high in bars]]


def _bars(sheet: Sheet, numbers: Numbers, name: str) -> None:
    names = METRICS if name == "metrics" else ("positive", "negative")
    (axis,) = sheet.panels(1, 1, (7.2, 3.6)).flat
    groups: Mapping[str, Any] = bars_of(numbers, name)
    width = 0.8 / max(1, len(groups))
    for number, (label, found) in enumerate(groups.items()):
        bars = [bar or (np.nan,) * 3 for bar in found]
        places = np.arange(len(names)) + (number - (len(groups) - 1) / 2) * width
        axis.bar(places, [b[0] for b in bars], width, yerr=_errors(bars), capsize=3, label=label, **filled(number))
    axis.set_xticks(range(len(names)), names)
    axis.set(ylabel="on the test rows" if name == "metrics" else "test rows")
    if name == "metrics":
        sheet.note(INTERVALS)
    add_legend(axis, beside=True)


def _time(sheet: Sheet, numbers: Numbers, name: str) -> None:
    """A line for each learner, above each other."""
    (axis,) = sheet.panels(1, 1, SIZE).flat
    rows = label_rows(numbers)
    for number, labels in enumerate(rows.values()):
        base = len(rows) - 1 - number
        look = {**marked(number, len(labels)), "marker": None}
        axis.step([step for step, _ in labels], [base + 0.6 * said for _, said in labels], where="post", **look)
    places = {len(rows) - 1 - number + at: f"{who} {sign}" for number, who in enumerate(rows) for at, sign in
              ((0.0, "−"), (0.6, "+"))}  # fmt: skip
    axis.set_yticks(list(places), list(places.values()))
    axis.set(xlabel="row (first order)")
