"""Pictures of a simulation: when it stopped, and a few paths between their boundaries. Needs the extra `plot`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import COLOURS, add_legend, new_figure, write_figure
from seqlang.report.pictures.paths import Path, sample_paths

if TYPE_CHECKING:
    from seqlang.model.program import Program
    from seqlang.results.run import RunResult

_PATHS = 12


def plot_runs(program: Program, results: Sequence[RunResult], file: str, seed: int) -> None:
    """Writes one picture: a row a model; stopping-time histogram by returned label, and sample paths with their noisy
    boundaries where the stops compare one scalar statistic. The format follows the file's ending (png, pdf, svg).
    Raises SpecError E0605 where matplotlib is missing or the file cannot be written."""
    paths = {r.model: sample_paths(program, r.model, _PATHS, seed, _longest(r)) for r in results}
    columns = 2 if any(paths.values()) else 1
    title = f"{program.name}: {program.title}" if program.title else program.name
    figure, axes, pyplot = new_figure(columns, len(results), title, (6.2, 3.4))
    for row, result in zip(axes, results, strict=True):
        colours = {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(result.samples.labels)}
        _histogram(row[0], result, colours)
        if columns == 2:
            _paths(row[1], paths[result.model], result.model, colours)
    write_figure(figure, pyplot, file)


def _longest(result: RunResult) -> int:
    return int(result.to_dict()["steps"]["quantiles"]["0.95"] * 1.5) + 10


def _histogram(axes: Any, result: RunResult, colours: dict[str, str]) -> None:
    import numpy as np

    tally = result.samples.tally
    steps, counts = tally.steps.values, tally.steps.counts
    top = int(tally.steps.quantile(Fraction(995, 1000))) + 1
    bins = np.arange(0.5, top + 1.5, max(1, (top + 1) // 60))
    groups: list[tuple[str, Any]] = [(label, counts[:, 2 + i]) for i, label in enumerate(tally.labels)] or [
        ("stopped", counts.sum(axis=1))
    ]
    shown = [(name, times) for name, times in groups if times.any()]
    names = [f"{n} ({times.sum() / tally.runs:.1%})" for n, times in shown]
    axes.hist([steps for _ in shown], bins=bins, weights=[times for _, times in shown], stacked=True, label=names,
              color=[colours.get(name, COLOURS[0]) for name, _ in shown])  # fmt: skip
    mean = tally.made.mean
    axes.axvline(mean, color="black", linewidth=1, linestyle="--", label=f"mean {mean:.4g}")
    beyond = float(counts[steps > top].sum() / tally.runs)
    axes.set(xlabel="stopping step", ylabel="runs", title=f"under {result.model}")
    add_legend(axes, title=f"{beyond:.2%} further right" if beyond > 0 else None)


def _paths(axes: Any, paths: Sequence[Path], model: str, colours: dict[str, str]) -> None:
    seen: set[str] = set()
    for path in paths:
        steps = range(1, len(path.values) + 1)
        colour = colours.get(path.result, "dimgray")
        label = path.result if path.result not in seen else None
        seen.add(path.result)
        axes.plot(steps, path.values, color=colour, linewidth=0.9, alpha=0.8, label=label)
        axes.plot(len(path.values), path.values[-1], "o", color=colour, markersize=3)
    drawn = ", ".join(paths[0].boundaries) if paths else ""
    for path in paths:
        steps = range(1, len(path.values) + 1)
        for k in range(len(path.boundaries)):
            axes.plot(steps, [b[k] for b in path.levels], color="black", linewidth=0.5, alpha=0.35)
    if drawn:
        axes.plot([], [], color="black", linewidth=0.8, label=textwrap.fill(f"{drawn} as drawn", 30))
    axes.set(xlabel="step", ylabel=paths[0].statistic if paths else "", title=f"sample paths under {model}")
    axes.locator_params(axis="x", integer=True)
    add_legend(axes, beside=True)
