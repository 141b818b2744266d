"""Pictures of a simulation: when it stopped, and a few paths between their boundaries. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.report.pictures.figure import File, Sheet, add_legend, picture
from seqlang.report.pictures.fitting import fold
from seqlang.report.pictures.look import PLAIN, About, Look
from seqlang.report.pictures.paths import Path, sample_paths
from seqlang.report.pictures.series import HATCHES, MARKERS, STYLES, colour

if TYPE_CHECKING:
    from seqlang.results.run import RunResult

_PATHS = 12


def plot_runs(results: Sequence[RunResult], file: File | None = None, look: Look = PLAIN) -> Any:
    """A row a model: stopping-time histogram by returned label, and sample paths with their noisy boundaries where the
    stops compare one scalar statistic."""
    first = results[0]
    title = first.algorithm if first.origin is None else first.origin.heading
    source = None if first.origin is None else first.origin.source
    about = About(title, source, first.samples.seed, first.parameters)
    return picture(lambda sheet: _draw(sheet, results), about, file, look)


def _draw(sheet: Sheet, results: Sequence[RunResult]) -> None:
    found = [_paths_of(result) for result in results]
    columns = 2 if any(found) else 1
    axes = sheet.panels(columns, len(results), (6.2, 3.4))
    for row, result, paths in zip(axes, results, found, strict=True):
        numbers = {label: i for i, label in enumerate(result.samples.labels)}
        _histogram(row[0], result, numbers)
        if columns == 2:
            _paths(row[1], paths, result.model, numbers)
            sheet.note(f"paths: the first {_PATHS} runs, the mark is where one ends")


def _paths_of(result: RunResult) -> tuple[Path, ...]:
    if result.origin is None:
        return ()
    longest = int(result.to_dict()["steps"]["quantiles"]["0.95"] * 1.5) + 10
    return sample_paths(result.origin.program, result.model, _PATHS, result.samples.seed, longest)


def _histogram(axes: Any, result: RunResult, numbers: dict[str, int]) -> None:
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
    places = [numbers.get(name, 0) for name, _ in shown]
    _, _, parts = axes.hist([steps for _ in shown], bins=bins, weights=[times for _, times in shown], stacked=True,
                            label=names, color=[colour(n) for n in places])  # fmt: skip
    for number, bars in zip(places, parts if len(shown) > 1 else [parts], strict=True):
        for bar in bars:
            bar.set(hatch=HATCHES[number % len(HATCHES)], edgecolor="white", linewidth=0)
    mean = tally.made.mean
    axes.axvline(mean, color="black", linewidth=1, linestyle="--", label=f"mean {mean:.4g}")
    beyond = float(counts[steps > top].sum() / tally.runs)
    axes.set(xlabel="stopping step", ylabel="runs", title=f"under {result.model}")
    add_legend(axes, title=f"{beyond:.2%} further right" if beyond > 0 else None)


def _paths(axes: Any, paths: Sequence[Path], model: str, numbers: dict[str, int]) -> None:
    seen: set[str] = set()
    for path in paths:
        steps = range(1, len(path.values) + 1)
        number = numbers.get(path.result, len(numbers))
        label = path.result if path.result not in seen else None
        seen.add(path.result)
        look = {"color": colour(number), "linestyle": STYLES[number % len(STYLES)], "marker": MARKERS[number % 12]}
        axes.plot(steps, path.values, **look, markersize=4, markevery=[-1], linewidth=0.9, alpha=0.85, label=label)
    drawn = ", ".join(paths[0].boundaries) if paths else ""
    for path in paths:
        steps = range(1, len(path.values) + 1)
        for k in range(len(path.boundaries)):
            axes.plot(steps, [b[k] for b in path.levels], color="black", linewidth=0.5, alpha=0.35)
    if drawn:
        axes.plot([], [], color="black", linewidth=0.8, label=fold(f"{drawn} as drawn", 30))
    axes.set(xlabel="step", ylabel=paths[0].statistic if paths else "", title=f"sample paths under {model}")
    axes.locator_params(axis="x", integer=True)
    add_legend(axes, beside=True)
