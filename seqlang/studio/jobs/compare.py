"""Several settings of one text side by side: what is proved, how long it takes, what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, check, run, solve
from seqlang.report.numbers import shown
from seqlang.report.text.kinds import bounds_of, proved, returns_of, simulated, steps_of, witnessed
from seqlang.studio.jobs.check import SECONDS
from seqlang.studio.jobs.texts import loaded_of

RUNS = 2_000
"""Where there is no exact law."""
NORMAL = 1.959964
"""Standard errors to either side of a mean, for a 95 % interval."""
MOST = 8
"""Settings."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`rows`: (what, value in each column ..); `columns` are the settings in words. Every number says of which kind it
    is (see `report/text/kinds.py`), and a bound for how many steps it holds; a text that one of the settings does not
    fit has its error there."""
    settings = list(argument["kept"])[:MOST]
    columns: list[dict[str, str]] = []
    for place, given in enumerate(settings):
        tell({"doing": f"setting {place + 1} of {len(settings)}"})
        columns.append(_column({**argument, "settings": given}))
        tell({"share": (place + 1) / len(settings)})
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [{"": name, **{str(i + 1): column.get(name, "") for i, column in enumerate(columns)}} for name in names]
    return {"rows": rows, "settings": settings}


def _column(argument: Mapping[str, Any]) -> dict[str, str]:
    try:
        loaded = loaded_of(argument)
    except SpecError as error:
        return {"error": "; ".join(d.message for d in error.diagnostics)}
    return dict([*_parameters(loaded), *_bounds(loaded), *_laws(loaded)])


def _parameters(loaded: Loaded) -> Iterator[tuple[str, str]]:
    for parameter in loaded.program.parameters:
        yield parameter.name, shown(float(parameter.value))


def _bounds(loaded: Loaded) -> Iterator[tuple[str, str]]:
    result = check(loaded, time_limit=SECONDS)
    for name, found in bounds_of(result.to_dict()["strong"]):
        yield f"{name}, proved at most", proved(found)
        if found.get("lower") is not None:
            yield f"{name}, witnessed at least", witnessed(found["lower"])
    for verdict in result.verdicts:
        yield verdict.claim.text, verdict.shown.words


def _laws(loaded: Loaded) -> Iterator[tuple[str, str]]:
    for model in (m.name for m in loaded.program.models):
        try:
            (law,) = solve(loaded, models=(model,))
        except SpecError:
            yield from _simulated(loaded, model)
            continue
        yield f"expected steps under {model}", steps_of(law).words
        yield from ((f"P({figure.name}) under {model}", figure.words) for figure in returns_of(law))


def _simulated(loaded: Loaded, model: str) -> Iterator[tuple[str, str]]:
    try:
        found = run(loaded, models=(model,), runs=RUNS)[0].to_dict()
    except SpecError as error:
        yield f"expected steps under {model}", error.diagnostics[0].message
        return
    mean, half = found["steps"]["mean"], NORMAL * found["steps"]["se"]
    yield f"expected steps under {model}", simulated(mean, mean - half, mean + half)
    for name, one in found["returns"].items():
        yield f"P({name}) under {model}", simulated(one["probability"], *one["ci95"])
