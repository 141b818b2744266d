"""Charts of what is learnt, as SVG whose colours are the page's: drawn in a millisecond, so that they follow a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from seqlang.backends.train import METRICS
from seqlang.report.numbers import shown
from seqlang.studio.learning.numbers import Numbers, Series, bars_of, label_rows, series_of

WIDTH, HEIGHT = 360, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 26, 36
"""Margins, of numbers and names."""
Point = tuple[float, float]


def chart(numbers: Numbers, name: str) -> str:
    """Of one of `numbers.NAMES`; "" where nothing is known of it yet."""
    if name == "time":
        return _time(numbers)
    if name in ("predicted", "metrics"):
        names = METRICS if name == "metrics" else ("positive", "negative")
        return _bars(bars_of(numbers, name), names, unit=name == "metrics")
    return _lines(series_of(numbers, name), numbers["marks"][-1], unit=name != "bought")


class _Frame:
    """Between values and places: x from 0 to `right`, y from `low` to `high`."""

    def __init__(self, right: float, low: float, high: float) -> None:
        self.right, self.low, self.high = right, low, high

    def x(self, value: float) -> float:
        """From the left edge."""
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self.right

    def y(self, value: float) -> float:
        """From the upper edge."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)

    def levels(self) -> str:
        """Lines across, with their numbers."""
        step = _round(self.high - self.low)
        values = [step * i for i in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]
        return "".join(
            f'<line class="seq-rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{self.y(v):.1f}" y2="{self.y(v):.1f}"/>'
            f'<text x="{LEFT - 6}" y="{self.y(v) + 4:.1f}" text-anchor="end">{shown(v)}</text>' for v in values
        )  # fmt: skip


def _round(span: float) -> float:
    """1, 2 or 5 times a power of ten, of which four to eight are in the span."""
    power = 10.0 ** math.floor(math.log10(span))
    return power / next(by for by in (1, 2, 5, 10) if span * by / power >= 4)


def _svg(inside: str, names: Sequence[str]) -> str:
    """With a legend above."""
    keys, at = [], LEFT
    for number, name in enumerate(names):
        keys.append(f'<rect class="seq-fill seq-c{number}" x="{at}" y="7" width="12" height="8"/>'
                    f'<text x="{at + 17}" y="15">{escape(name)}</text>')  # fmt: skip
        at += 34 + 7 * len(name)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" class="seq-chart">{"".join(keys)}{inside}</svg>'


def _lines(series: Mapping[str, Series], last: float, *, unit: bool) -> str:
    points = [point for one in series.values() for point in one]
    if not points:
        return ""
    frame = _Frame(1.02 * last, 0.0, 1.0 if unit else max(1.0, 1.1 * max(high for _, _, _, high in points)))
    drawn = "".join(_line(frame, one, number) for number, one in enumerate(series.values()))
    ticks = "".join(f'<text x="{frame.x(last * i / 4):.1f}" y="{HEIGHT - 20}" text-anchor="middle">'
                    f"{shown(round(last * i / 4))}</text>" for i in range(5))  # fmt: skip
    name = f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 4}" text-anchor="middle">rows read</text>'
    return _svg(frame.levels() + ticks + name + drawn, list(series))


def _line(frame: _Frame, points: Series, number: int) -> str:
    path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y, _, _ in points)
    ends = "".join(f'<line class="seq-stroke seq-c{number}" x1="{frame.x(x):.1f}" x2="{frame.x(x):.1f}" '
                   f'y1="{frame.y(low):.1f}" y2="{frame.y(high):.1f}"/>' for x, _, low, high in points)  # fmt: skip
    dots = "".join(f'<circle class="seq-fill seq-c{number}" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="3"/>'
                   for x, y, _, _ in points)  # fmt: skip
    return f'<polyline class="seq-stroke seq-c{number}" points="{path}"/>{ends}{dots}'


def _bars(groups: Mapping[str, Sequence[Any]], names: Sequence[str], *, unit: bool) -> str:
    values = [value for bars in groups.values() for value in bars if value is not None]
    if not values:
        return ""
    low = min(0.0, *(bottom for _, bottom, _ in values))
    frame = _Frame(len(names), -1.0 if low < -0.05 else 0.0, 1.0 if unit else max(1.0, *(top for _, _, top in values)))
    wide = 0.8 / len(groups)
    drawn = ""
    for number, bars in enumerate(groups.values()):
        for place, bar in enumerate(bars):
            if bar is not None:
                drawn += _bar(frame, place + 0.1 + number * wide, wide, bar, number)
    ticks = "".join(f'<text x="{frame.x(i + 0.5):.1f}" y="{HEIGHT - 20}" text-anchor="middle">{name}</text>'
                    for i, name in enumerate(names))  # fmt: skip
    return _svg(frame.levels() + drawn + ticks, list(groups))


def _bar(frame: _Frame, left: float, wide: float, bar: tuple[float, float, float], number: int) -> str:
    value, low, high = bar
    top, bottom = sorted((frame.y(value), frame.y(0)))
    middle = frame.x(left + wide / 2)
    return (f'<rect class="seq-fill seq-c{number}" x="{frame.x(left):.1f}" y="{top:.1f}" height="{bottom - top:.1f}" '
            f'width="{frame.x(wide) - frame.x(0):.1f}"/><line class="seq-ink" x1="{middle:.1f}" x2="{middle:.1f}" '
            f'y1="{frame.y(low):.1f}" y2="{frame.y(high):.1f}"/>')  # fmt: skip


def _time(numbers: Numbers) -> str:
    """A line for each learner and one for the truth: up where the label is positive."""
    rows = label_rows(numbers)
    if not rows:
        return ""
    steps = [step for labels in rows.values() for step, _ in labels]
    first, last = min(steps), max(steps)
    frame = _Frame(max(1, last - first + 1), 0.0, float(len(rows)))
    drawn = ""
    for number, labels in enumerate(rows.values()):
        base = len(rows) - 1 - number
        path = " ".join(f"{frame.x(step - first):.1f},{frame.y(base + (0.72 if said else 0.12)):.1f} "
                        f"{frame.x(step - first + 1):.1f},{frame.y(base + (0.72 if said else 0.12)):.1f}"
                        for step, said in labels)  # fmt: skip
        drawn += f'<polyline class="seq-stroke seq-whole seq-c{number}" points="{path}"/>'
        for sign, at in (("+", 0.72), ("−", 0.12)):
            drawn += f'<text x="{LEFT - 8}" y="{frame.y(base + at) + 4:.1f}" text-anchor="end">{sign}</text>'
    ends = "".join(f'<text x="{frame.x(step - first):.1f}" y="{HEIGHT - 20}" text-anchor="{anchor}">row {step}</text>'
                   for step, anchor in ((first, "start"), (last, "end")))  # fmt: skip
    return _svg(drawn + ends, list(rows))
