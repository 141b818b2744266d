"""Weak (average-case) privacy in the report of `check`: the least epsilon, the pure loss, and the curve of delta."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlang.analyses.weak.words import in_words
from seqlang.report.document.document import Block, Heading, Line, Table, line, remark
from seqlang.report.numbers import shown, shown_down, shown_up
from seqlang.results.json_number import json_number

if TYPE_CHECKING:
    from seqlang.analyses.weak.summary import Curve, Least
    from seqlang.analyses.weak.worst import Worst


def weak_blocks(least: tuple[Least, ...], curves: tuple[Curve, ...]) -> Iterator[Block]:
    """One table of numbers over the models, and one of delta against epsilon for each curve."""
    if least:
        numbers: list[tuple[Line, ...]] = []
        for found in least:
            for name, worst in ((f"dp at delta {float(found.delta):g}", found.epsilon), ("pure", found.pure)):
                numbers.append((line(found.model), line(name), *_both(worst), line(_place(worst))))
        yield Heading("Weak privacy: the other entries drawn from the model, worst position and pair of values")
        yield Table(("model", "notion", "at most", "at least", "worst"), tuple(numbers), "lllll")
    for curve in curves:
        yield Heading(f"Weak privacy profile under {curve.model}: the least delta at epsilon")
        rows = [
            (line(shown(eps)), *_both(whole), *_both(step), line(_place(whole)))
            for eps, whole, step in zip(curve.epsilons, curve.arbitrary, curve.per_step, strict=True)
        ]
        head = ("epsilon", "delta at most", "at least", "per step at most", "at least", "worst")
        yield Table(head, tuple(rows), "rllll" + "l")
        yield remark("delta: for any set of transcripts; per step: for one stopping step at a time")


def curve_dict(curve: Curve) -> dict[str, Any]:
    """For `check --json`."""
    return {
        "model": curve.model,
        "epsilons": list(curve.epsilons),
        "delta": [_range(w) for w in curve.arbitrary],
        "per_step": [_range(w) for w in curve.per_step],
    }


def _range(worst: Worst) -> dict[str, Any]:
    return {"upper": json_number(worst.bound), "lower": json_number(worst.lower), "position": worst.position}


def _both(worst: Worst) -> tuple[Line, Line]:
    return line(shown_up(worst.bound, 6)), line(shown_down(worst.lower, 6))


def _place(worst: Worst) -> str:
    if worst.pair is None:
        return "-"
    first, second = map(in_words, worst.pair)
    return f"entry {worst.position}: {first} against {second}"
