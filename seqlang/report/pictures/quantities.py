"""What can be put on an axis of a sweep's picture: a parameter, or a quantity that every row has a value of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.model.program import Program
    from seqlang.results.sweep_row import SweepRow

Z95 = 1.959963984540054


@record
class Quantity:
    """`name` is the parameter, label, statistic or report."""

    kind: Literal["parameter", "steps", "return", "returned", "statistic", "report"]
    name: str = ""

    @property
    def title(self) -> str:
        """For an axis."""
        match self.kind:
            case "steps":
                return "mean steps"
            case "return":
                return f"P({self.name})"
            case "returned":
                return "mean of what is returned"
            case "statistic":
                return f"mean final {self.name}"
            case "report":
                return f"mean number of reports {self.name}"
            case _:
                return self.name


@record
class Point:
    """A value with its 95 % interval; `exact` is the exact value where that is known."""

    value: float
    low: float
    high: float
    exact: float | None = None


def quantities_of(program: Program, varied: Iterable[str]) -> tuple[Quantity, ...]:
    """Those of a spec: what can be asked for before anything was computed."""
    from seqlang.model.program import Define, Report

    statistics = [s.name for s in program.body if isinstance(s, Define) and s.kind == "statistic"]
    return (
        *(Quantity("parameter", name) for name in varied),
        Quantity("steps"),
        *(Quantity("return", label) for label in program.labels),
        Quantity("returned"),
        *(Quantity("statistic", name) for name in statistics),
        *(Quantity("report", s.name) for s in program.body if isinstance(s, Report)),
    )


def quantities_in(rows: Sequence[SweepRow], varied: Iterable[str]) -> tuple[Quantity, ...]:
    """Those that the rows hold."""
    found: dict[Quantity, None] = dict.fromkeys(Quantity("parameter", name) for name in varied)
    for row in rows:
        plain = row.run or row.exact or {}
        found[Quantity("steps")] = None
        found |= dict.fromkeys(Quantity("return", label) for label in plain["returns"])
        if plain.get("return_value") is not None:
            found[Quantity("returned")] = None
        found |= dict.fromkeys(Quantity("statistic", name) for name in plain.get("statistics", {}))
        found |= dict.fromkeys(Quantity("report", name) for name in plain.get("reports", {}))
    return tuple(found)


def quantity(text: str, known: Sequence[Quantity], option: str) -> Quantity:
    """The one that is meant by a name, or by `P(label)`; a parameter before a label before a statistic. Raises
    SpecError E0644."""
    names = {q.name or q.kind: q for q in reversed(known)}
    names |= {f"P({q.name})": q for q in known if q.kind == "return"}
    wanted = text.strip()
    if wanted in names:
        return names[wanted]
    listed = ", ".join(f"`{q.title if q.kind == 'return' else q.name or q.kind}`" for q in known)
    message = f"{option} {wanted}: there is no such axis"
    raise SpecError.of("E0644", message, help=hint(wanted, names) or f"there are {listed}")


def point(row: SweepRow, asked: Quantity) -> Point | None:
    """The row's value, or None where it has none: of the simulation, else of the exact law."""
    if asked.kind == "parameter":
        value = row.parameters[asked.name]
        return Point(value, value, value)
    exact = None if row.exact is None else _exact(row.exact, asked)
    if row.run is None:
        return None if exact is None else Point(exact, exact, exact)
    if asked.kind == "return":
        found = row.run["returns"].get(asked.name)
        return None if found is None else Point(found["probability"], found["ci95"][0], found["ci95"][1], exact)
    found = _moments(row.run, asked)
    mean = None if found is None else found["mean"]
    if found is None or not isinstance(mean, float | int) or not math.isfinite(mean):
        return None
    half = Z95 * found["se"] if isinstance(found["se"], float | int) else 0.0
    return Point(mean, mean - half, mean + half, exact)


def _moments(run: dict[str, Any], asked: Quantity) -> Any:
    match asked.kind:
        case "steps":
            return run["steps"]
        case "returned":
            return run.get("return_value")
        case "statistic":
            return run["statistics"].get(asked.name)
        case _:
            return run["reports"].get(asked.name)


def _exact(exact: dict[str, Any], asked: Quantity) -> float | None:
    value = exact["expected_steps"] if asked.kind == "steps" else None
    if asked.kind == "return":
        value = exact["returns"].get(asked.name)
    return float(value) if isinstance(value, float | int) else None


def refuse_pair(x: Quantity, y: Quantity, colour: str | None) -> None:
    """Raises SpecError E0644 for a quantity against itself, and for a colour where there is no map to colour."""
    if (x.kind, x.name) == (y.kind, y.name):
        raise SpecError.of("E0644", f"--x and --y are the same: {x.title}")
    if colour is not None and not x.kind == y.kind == "parameter":
        message, remedy = "--colour belongs to a map", "put two parameters on --x and --y"
        raise SpecError.of("E0644", message, help=remedy)
