"""The law of a stopping step as a picture: one curve a model, in the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqlang.results.solve import SolveResult

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 620, 240, 42, 34, 12
DASHES = ("", "7 4", "2 3", "9 3 2 3")
"""The lines of models differ without colour."""
MOST_STEPS = 2_000
SHOWN = 0.995
"""The axis ends where so much of every law lies before, or at its last step."""


def law_picture(text: str, seconds: float) -> str:
    """The picture of a spec as SVG; empty where it has no exact law that takes no more than so many seconds of CPU, or
    one that ends in its first step."""
    from seqlang import driver
    from seqlang.diagnostics import SpecError
    from seqlang.process.time_limit import OutOfTime, limited
    from seqlang.source import Source

    try:
        with limited(seconds):
            results = driver.solve(driver.load(Source("spec", text), {}), tolerance=1e-6)
    except (SpecError, OutOfTime):
        return ""
    curves = {result.model: _stopped(result) for result in results}
    return drawn(curves) if max(map(len, curves.values())) > 2 else ""


def _stopped(result: SolveResult) -> list[float]:
    """P(T <= n) for n = 1, 2, .."""
    sums = list(accumulate(float(row) for row in result.solution.table.sum(axis=1)))
    last = next((n for n, chance in enumerate(sums) if chance >= SHOWN), len(sums) - 1)
    return sums[: min(last + 1, MOST_STEPS)]


def drawn(curves: Mapping[str, Sequence[float]]) -> str:
    """The curves, chances by step from 1 on, with axes from 0 to 1 and from 0 to the last step."""
    last = max(map(len, curves.values()))
    across, up = WIDTH - LEFT - 130, HEIGHT - BELOW - ABOVE
    parts = [_axes(last, across, up)]
    for at, (model, chances) in enumerate(curves.items()):
        points = [(0, 0.0)]
        for n, chance in enumerate(chances, 1):
            points += [(n, points[-1][1]), (n, chance)]
        points.append((last, chances[-1]))
        path = " ".join(f"{LEFT + across * n / last:.1f},{ABOVE + up * (1 - c):.1f}" for n, c in points)
        dash = DASHES[at % len(DASHES)]
        height = ABOVE + 14 + 18 * at
        line = f'class="line" stroke-dasharray="{dash}"'
        parts.append(f'<polyline {line} points="{path}"/>')
        parts.append(f'<line {line} x1="{WIDTH - 120}" x2="{WIDTH - 92}" y1="{height - 4}" y2="{height - 4}"/>')
        parts.append(f'<text x="{WIDTH - 86}" y="{height}">{escape(model)}</text>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="law of the stopping step">{"".join(parts)}</svg>'
    )


def _axes(last: int, across: int, up: int) -> str:
    parts = []
    for chance in (0.0, 0.5, 1.0):
        y = ABOVE + up * (1 - chance)
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{LEFT + across}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{chance:g}</text>')
    parts += (
        f'<text x="{LEFT + across * n / last:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{n}</text>'
        for n in sorted({0, last // 2, last})
    )
    return "".join(parts)
