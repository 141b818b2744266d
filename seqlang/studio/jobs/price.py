"""The price of privacy: a figure along a parameter, for the spec and for the same spec without its noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, load, run, solve
from seqlang.driver.given import whole
from seqlang.driver.questions import without_noise
from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow
from seqlang.studio.jobs.pictures import with_pictures
from seqlang.studio.jobs.texts import loaded_of, models_of, settings_of, source_of, values_of

TWIN = "without noise"
MOST = 1_000_000
"""Runs at each value."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`report`, `rows`, `pictures` of the figure `figure` (`steps`, `P(label)`, a statistic ..) for `parameter` at
    `count` values `from` .. `to`: exact where `exact` is asked for, else of `runs` runs each. `kind`: what the numbers
    are, "computed" or "simulated"."""
    loaded, name = loaded_of(argument), str(argument["parameter"])
    known = {p.name for p in loaded.program.parameters}
    if name not in known:
        raise SpecError.of("E0601", f"there is no parameter `{name[:60]}`")
    kept = {n: v for n, v in settings_of(argument).items() if n in known and n != name}
    values, rows = values_of(argument), []
    for place, value in enumerate(values):
        private = load(source_of(argument), {**kept, name: value})
        for words, one in ((None, private), (TWIN, without_noise(private))):
            rows += _rows(one, words, argument, models_of(argument, loaded))
        tell({"share": (place + 1) / len(values)})
    found = SweepResult(loaded.program.name, (name,), tuple(rows), title=loaded.program.title or "")
    kind = "computed" if argument.get("exact") else "simulated"
    answer = {"report": str(found), "rows": found.frame(), "kind": kind}
    figure = str(argument.get("figure") or "steps")
    return with_pictures(answer, lambda file: found.plot(file, name, figure), tell)


def _rows(loaded: Loaded, words: str | None, argument: Mapping[str, Any], models: tuple[str, ...]) -> list[SweepRow]:
    values = {p.name: float(p.value) for p in loaded.program.parameters}
    named = [(model, model if words is None else f"{model}, {words}") for model in models]
    if argument.get("exact"):
        exact = [(title, solve(loaded, models=(model,))[0].to_dict()) for model, title in named]
        return [SweepRow(values, title, None, found) for title, found in exact]
    runs = min(MOST, whole(argument.get("runs") or 2_000, "runs"))
    cap = whole(argument.get("cap") or None, "cap")
    simulated = [(title, run(loaded, models=(model,), runs=runs, cap=cap)[0].to_dict()) for model, title in named]
    return [SweepRow(values, title, found) for title, found in simulated]
