"""Texts of a figure that must not be cut off: they are broken into lines, and the figure grows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

_LEAST = 8
"""Letters in a line."""
_A_LINE = 0.17
"""Inches of a line of the title."""


def fold(text: str, letters: int) -> str:
    """Lines of at most so many letters; breaks words only where they are longer."""
    return "\n".join(textwrap.fill(part, letters) for part in text.split("\n"))


def fit(figure: Any, title: Any, note: Any, axes: Sequence[Any], *, grows: bool) -> None:
    """Breaks title and note (None: there is none), and the titles of the axes and their names, so that they lie inside;
    `grows`: a title of many lines makes the figure higher. Texts are shown as they are written, without formulas
    between dollars."""
    for axis in axes:
        legend = axis.get_legend()
        for text in (axis.title, axis.xaxis.label, axis.yaxis.label, *(legend.get_texts() if legend else ())):
            text.set_parse_math(False)
    width = figure.bbox.width
    for text in (title, note):
        if text is not None:
            _within(text, 0.96 * width)
    lines = title.get_text().count("\n")
    if grows and lines:
        across, high = figure.get_size_inches()
        figure.set_size_inches(across, high + _A_LINE * lines)
    figure.draw_without_rendering()  # the layout gives the axes their places
    for axis in axes:
        box = axis.get_window_extent()
        _within(axis.title, box.width)
        _within(axis.xaxis.label, box.width)
        _within(axis.yaxis.label, box.height, upright=True)


def _within(text: Any, room: float, *, upright: bool = False) -> None:
    """Fewer letters a line until the text is no longer than the room (dots)."""
    whole = text.get_text()
    letters = len(whole)
    while letters > _LEAST:
        box = text.get_window_extent()
        length = box.height if upright else box.width
        if length <= room:
            return
        longest = max(map(len, text.get_text().split("\n")))
        letters = max(_LEAST, min(letters - 1, int(longest * room / length)))
        text.set_text(fold(whole, letters))
