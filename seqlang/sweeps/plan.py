"""The units of a sweep, and the row of the table that each of them belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, load
from seqlang.driver.loading import shown_in
from seqlang.record import record, replace
from seqlang.source import Source
from seqlang.sweeps.cells import Cell
from seqlang.sweeps.identity import identity
from seqlang.sweeps.unit import Unit


@record
class Row:
    """One cell under one model: every parameter's value, and the numbers of its units (None: not asked for)."""

    parameters: Mapping[str, float]
    model: str
    run: int | None
    solve: int | None


@record
class Plan:
    """`names` are the parameters that the sweep varies, in order."""

    algorithm: str
    title: str
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    units: tuple[Unit, ...]
    source: Source


def plan(
    source: Source,
    settings: Mapping[str, Fraction],
    cells: Sequence[Cell],
    models: Sequence[str],
    *,
    run: Mapping[str, Any] | None = None,
    solve: Mapping[str, Any] | None = None,
    listed: Source | None = None,
) -> Plan:
    """Each cell under its own model, else under `models`, else under every model of the file; simulated with the
    options `run` of `driver.run`, or solved with the options `solve` of `driver.solve`, or both.

    Every cell is elaborated here, so that a value outside its domain is found before the first unit begins; an error
    names its line in the list of cases, `listed`.
    """
    units: list[Unit] = []
    rows: list[Row] = []
    for cell in cells:
        loaded = _loaded(source, settings, cell, listed)
        name = identity(loaded.program)
        for model in _models(loaded, cell, models, None if run is None else run.get("cap"), simulated=run is not None):
            places: dict[str, int | None] = {"run": None, "solve": None}
            do: Literal["run", "solve"]
            for do, options in (("run", run), ("solve", solve)):
                if options is not None:
                    places[do] = len(units)
                    units.append(_unit(do, source, settings, cell, model, options, name))
            values = {p.name: float(p.value) for p in loaded.program.parameters}
            rows.append(Row(values, model, places["run"], places["solve"]))
    names = tuple(dict.fromkeys(name for cell in cells for name, _ in cell.values))
    return Plan(loaded.program.name, loaded.program.title, names, tuple(rows), tuple(units), source)


def _unit(
    do: Literal["run", "solve"],
    source: Source,
    settings: Mapping[str, Fraction],
    cell: Cell,
    model: str,
    options: Mapping[str, Any],
    name: str,
) -> Unit:
    own = {"seed": cell.seed, "runs": cell.runs} if do == "run" else {}
    chosen = {**options, **{key: value for key, value in own.items() if value is not None}}
    given = tuple({**settings, **dict(cell.values)}.items())
    return Unit(do, source.name, source.text, given, model, tuple(chosen.items()), name)


def _loaded(source: Source, settings: Mapping[str, Fraction], cell: Cell, listed: Source | None) -> Loaded:
    try:
        return load(source, {**settings, **dict(cell.values)})
    except SpecError as error:
        if listed is None or cell.line is None:
            raise
        note = f"in line {cell.line} of {listed.name}"
        noted = tuple(replace(d, notes=(*d.notes, note)) for d in error.diagnostics if d.severity == "error")
        raise SpecError(noted, source) from None


def _models(loaded: Loaded, cell: Cell, models: Sequence[str], cap: int | None, *, simulated: bool) -> list[str]:
    """Their names; refuses what no unit could do."""
    from seqlang.backends.montecarlo.stopping import chosen_model, require_end

    program = loaded.program
    names = (cell.model,) if cell.model is not None else tuple(models) or tuple(m.name for m in program.models)
    with shown_in(loaded.source):
        found = [chosen_model(program, name).name for name in names or (None,)]
        if simulated:
            require_end(program, cap)
    return found
