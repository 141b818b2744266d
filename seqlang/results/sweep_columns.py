"""The rows of a sweep with one value a column: what CSV and Parquet files, and data frames, hold.

Times are not among them: the same sweep gives the same file, however often it was interrupted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seqlang.results.solve import chance_interval
from seqlang.results.sweep_row import SweepRow
from seqlang.results.z_scores import return_scores, steps_score

Value = str | int | float | None


def flat(row: SweepRow, names: Sequence[str]) -> dict[str, Value]:
    """Column -> value. The parameters come first, those that vary before the others. Vectors have no column."""
    order = dict.fromkeys((*names, *row.parameters))
    columns: dict[str, Any] = {name: row.parameters[name] for name in order}
    columns["model"] = row.model
    columns |= dict(_simulated(row.run)) if row.run is not None else {}
    columns |= dict(_exact(row.exact)) if row.exact is not None else {}
    if row.run is not None and row.exact is not None:
        columns["steps.z"] = steps_score(row.run, row.exact)
        columns |= {f"returns.{label}.z": z for label, z in return_scores(row.run, row.exact).items()}
    if row.unsolved is not None:
        columns["exact.why_not"] = row.unsolved
    return {name: _number(value) for name, value in columns.items()}


def table(rows: Sequence[Mapping[str, Value]]) -> tuple[list[str], list[list[Value]]]:
    """(columns, rows): a column that a row lacks is None there."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return columns, [[row.get(name) for name in columns] for row in rows]


def _simulated(run: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in ("runs", "seed", "cap", "unstopped"):
        yield name, run[name]
    yield from _moments("steps", run["steps"])
    for label, found in run["returns"].items():
        low, high = found["ci95"]
        yield f"returns.{label}", found["probability"]
        yield f"returns.{label}.low", low
        yield f"returns.{label}.high", high
    yield from _moments("returned", run.get("return_value"))
    for name, found in run["reports"].items():
        yield from _moments(f"reports.{name}", found)
        yield from _moments(f"reports.{name}.last", found.get("last_value"))
    for name, found in run["statistics"].items():
        yield from _moments(f"statistics.{name}", found)


def _moments(name: str, found: Mapping[str, Any] | None) -> Iterator[tuple[str, Any]]:
    for key, value in (found or {}).items():
        if key == "quantiles":
            yield from ((f"{name}.{level}", v) for level, v in value.items())
        elif not isinstance(value, list | dict):
            yield f"{name}.{key}", value


def _exact(exact: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "exact.steps", exact["expected_steps"]
    yield "exact.steps.sd", exact["sd_steps"]
    for label, p in exact["returns"].items():
        low, high = chance_interval(exact, label)
        yield f"exact.returns.{label}", p
        yield f"exact.returns.{label}.low", low
        yield f"exact.returns.{label}.high", high
    yield "exact.returns.error", exact["returns_error"]
    yield "exact.unresolved", exact["mass_unresolved"]
    yield "exact.never_stops", exact["never_stops"]


def _number(value: Any) -> Value:
    """JSON's "inf" is a number here."""
    number: Value = {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value
    return number
