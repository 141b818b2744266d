"""A simulation: when it stops, what it returns, and a few sample paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from seqlang.driver import run
from seqlang.driver.given import whole
from seqlang.report.pictures.simulation import plot_runs
from seqlang.studio.jobs.pictures import with_pictures
from seqlang.studio.jobs.texts import loaded_of, models_of

if TYPE_CHECKING:
    from seqlang.results.run import RunResult

MOST = 10_000_000
"""Runs."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`report`: as text; `rows`: how often each step was the last, by return; `pictures`. Of `model`, or of all."""
    loaded = loaded_of(argument)
    models = models_of(argument, loaded)
    runs = min(MOST, whole(argument.get("runs") or 10_000, "runs"))
    seed, cap = whole(argument.get("seed") or 1, "seed", 0), whole(argument.get("cap") or None, "cap")
    results: list[RunResult] = []
    for place, name in enumerate(models or ("",)):
        tell({"doing": f"running under {name}" if name else "running"})

        def heard(progress: Any, place: int = place) -> None:
            done = progress.runs_done / max(1, progress.runs)
            tell({"share": (place + done) / max(1, len(models))})

        results += run(loaded, models=(name,) if name else (), runs=runs, seed=seed, cap=cap, progress=heard)
    answer = {"report": "\n\n".join(map(str, results)), "rows": [row for one in results for row in _rows(one)]}
    return with_pictures(answer, lambda file: plot_runs(results, file), tell)


def _rows(result: RunResult) -> list[dict[str, Any]]:
    tally = result.samples.tally
    kinds = ("not stopped", "stop", *tally.labels)
    values, counts = tally.steps.values.tolist(), tally.steps.counts.tolist()
    return [
        {"model": result.model, "step": int(step), **dict(zip(kinds, found, strict=True))}
        for step, found in zip(values, counts, strict=True)
    ]
