"""Rows as arrays: every field's values, checked against its domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.inputs import leaves_domain
from seqlang.backends.interpret.data.columns import not_in
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model.domain import Ball, Domain
from seqlang.model.program import Program
from seqlang.record import record

Array = NDArray[Any]
Faulty = Callable[[int, Any], Exception]
"""(row from 0, its value) -> the error."""
PIECE = 1 << 14


@record
class Rows:
    """`fields`: name -> (n,) for a number, (n, d) for a vector; `name` is the file's, or a word for given arrays."""

    name: str
    fields: Mapping[str, Array]
    count: int

    def part(self, rows: Array | slice) -> Rows:
        """Some of the rows."""
        some = {name: values[rows] for name, values in self.fields.items()}
        return Rows(self.name, some, len(next(iter(some.values()))))


def rows_from_arrays(program: Program, given: Mapping[str, Any], *, clip: bool = False, name: str = "rows") -> Rows:
    """The rows that sequences of values make: one for each field of the program, vectors as (n, d).

    Raises SpecError: E0611 without rows, E0612 for a field that is missing or unknown, E0613 for what is no number,
    E0614 for a value outside its domain, E0617 for a wrong shape.
    """
    wanted = [i.name for i in program.inputs]
    for field in given:
        if field not in wanted:
            near = did_you_mean(field, wanted)
            raise problem(
                "E0612", f"`{program.name}` has no field `{field}`", f"did you mean `{near}`?" if near else None
            )
    checks = Checks(program)
    fields = {field: _as_array(given, field, checks.fields[field].domain.dimension, name) for field in wanted}
    counts = {len(v) for v in fields.values()}
    if len(counts) > 1:
        raise problem("E0617", f"the fields of the {name} have different numbers of rows")
    if 0 in counts:
        raise problem("E0611", f"the {name} are empty")

    for field, values in fields.items():

        def faulty(row: int, value: Any, field: str = field) -> Exception:
            domain = checks.fields[field].domain
            return SpecError((not_in(f"{name}, row {row + 1}: {field}", value, domain, "clip=True"),))

        if any(checks.fields[field].outside(part).any() for part in _parts(values)):
            fields[field] = values = values.copy()  # what was given stays as it is
            checks.place(field, values, faulty, move=clip)
    return Rows(name, fields, counts.pop())


def _as_array(given: Mapping[str, Any], field: str, dimension: int | None, name: str) -> Array:
    """The values of a field, as many a row as its domain has dimensions (None: a number)."""
    if field not in given:
        raise problem("E0612", f"the {name} have no field `{field}`")
    try:
        values = np.asarray(given[field], dtype=np.float64)
    except (TypeError, ValueError):
        raise problem("E0613", f"the field `{field}` of the {name} is not made of numbers") from None
    if dimension == 1 and values.ndim == 1:
        values = values[:, None]
    if values.shape[1:] != (() if dimension is None else (dimension,)) or values.ndim == 0:
        shape = "(rows,)" if dimension is None else f"(rows, {dimension})"
        raise problem("E0617", f"the field `{field}` of the {name} has the shape {values.shape}, not {shape}")
    return values


@record
class Check:
    """How one field's values are tested."""

    declared: Domain
    domain: CheckedDomain
    leaves: Callable[[Array], Array] | None
    radius: float | None

    def outside(self, part: Array) -> Array:
        """Which of the rows (n,) or (n, d) are outside, or not finite."""
        bad = ~finite(part)
        return bad if self.leaves is None else bad | np.asarray(self.leaves(part.T))

    def move(self, values: Array, bad: Array) -> None:
        """Moves the bad rows to the nearest value in the domain."""
        if self.radius is not None:
            part = values.T
            sizes = np.sqrt(np.add.reduce(np.square(part[:, bad]), axis=0))
            factors = np.ones(len(values))
            factors[bad] = self.radius / sizes
            part *= factors
            return
        for at in np.flatnonzero(bad):
            value = values[at]
            values[at] = self.domain.nearest(tuple(value.tolist()) if value.ndim else float(value))


class Checks:
    """The tests of all fields of a program."""

    def __init__(self, program: Program) -> None:
        compiler = VectorCompiler(program)
        self.fields: dict[str, Check] = {}
        for i in program.inputs:
            radius = float(compiler.exact.constant(i.domain.radius)) if isinstance(i.domain, Ball) else None
            domain = CheckedDomain(compiler.exact, i.domain)
            self.fields[i.name] = Check(i.domain, domain, leaves_domain(compiler, i.domain), radius)

    def place(self, field: str, values: Array, faulty: Faulty, *, move: bool) -> None:
        """Moves the rows of a field that are outside its domain into it, if `move` says so; otherwise, or if they are
        not finite, raises what `faulty` makes of the first."""
        check = self.fields[field]
        at = 0
        for part in _parts(values):
            outside = check.outside(part)
            faults = ~finite(part) if move else outside
            if faults.any():
                first = int(np.flatnonzero(faults)[0])
                raise faulty(at + first, part[first].tolist() if part.ndim == 1 else tuple(part[first].tolist()))
            if outside.any():
                check.move(part, outside)
            at += len(part)


def _parts(values: Array) -> Iterator[Array]:
    for start in range(0, len(values), PIECE):
        yield values[start : start + PIECE]


def finite(part: Array) -> Array:
    """Which rows (n,) or (n, d) are finite."""
    whole: Array = np.isfinite(part)
    return whole if whole.ndim == 1 else np.asarray(whole.all(axis=1))
