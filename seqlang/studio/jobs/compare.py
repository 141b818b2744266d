"""Several settings of one text side by side: what is proved, how long it takes, what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, check, run, solve
from seqlang.report.numbers import shown, shown_down, shown_up
from seqlang.studio.jobs.check import SECONDS
from seqlang.studio.jobs.texts import loaded_of

RUNS = 2_000
"""Where there is no exact law."""
MOST = 8
"""Settings."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`rows`: (what, value in each column ..); `columns` are the settings in words. A value that is estimated from
    simulated runs begins with ≈; a text that one of the settings does not fit has its error there."""
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
    strong = result.to_dict()["strong"]
    for name, found in (("pure epsilon", strong["pure"]), (f"epsilon at delta {strong['dp']['delta']:g}", strong["dp"]),
                        ("zCDP rho", strong["zcdp"])):  # fmt: skip
        yield f"{name}, proved at most", _number(found["upper"], shown_up)
        if found.get("lower") is not None:
            yield f"{name}, witnessed at least", _number(found["lower"], shown_down)
    for verdict in result.verdicts:
        yield verdict.claim.text, verdict.verdict


def _number(value: Any, form: Callable[[float], str]) -> str:
    return "∞" if value is None or value == "inf" else form(float(value))


def _laws(loaded: Loaded) -> Iterator[tuple[str, str]]:
    for model in (m.name for m in loaded.program.models):
        try:
            (law,) = solve(loaded, models=(model,))
        except SpecError:
            yield from _simulated(loaded, model)
            continue
        steps = law.expected_steps
        yield f"expected steps under {model}", "unknown" if steps is None else _number(steps, shown)
        yield from ((f"P({name}) under {model}", shown(chance)) for name, chance in law.returns.items())


def _simulated(loaded: Loaded, model: str) -> Iterator[tuple[str, str]]:
    try:
        found = run(loaded, models=(model,), runs=RUNS)[0].to_dict()
    except SpecError as error:
        yield f"expected steps under {model}", error.diagnostics[0].message
        return
    yield f"expected steps under {model}", f"≈ {shown(found['steps']['mean'], 4)}"
    for name, one in found["returns"].items():
        yield f"P({name}) under {model}", f"≈ {shown(one['probability'], 4)}"
