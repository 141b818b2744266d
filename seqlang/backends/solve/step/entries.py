"""The finitely many entries a model draws, with their chances.

`entries(program, model)` is what spaces with discrete data call. `entries(.., step, memory)` is the law of that step
where the memories hold these values; only a space whose states hold the memories may ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.values import Value, from_constant
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import as_index, is_vector
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.domain import Finite
from seqlang.model.program import Model, Program
from seqlang.record import record

NEXT_TO = 5e-12
"""Relative to the larger number."""
RARE = 1e-18
"""A probability. Values of an unbounded law (Poisson, geometric) are listed until what is left is below this."""
MOST = 20_000
"""Different entries of one step; a model with more is not listed."""


@record
class Entry:
    """One value of all fields, and its chance."""

    chance: float
    fields: Mapping[str, Any]


def model_named(program: Program, name: str) -> Model:
    for model in program.models:
        if model.name == name:
            return model
    raise Unsolved(f"there is no model `{name}`")


def model_of(program: Program, name: str) -> Model:
    """The model, if its entries are independent: Unsolved if their laws read memory."""
    model = model_named(program, name)
    if model.memories:
        raise Unsolved(f"the law of the entries reads the memory `{model.memories[0]}`")
    return model


def reads_step(model: Model) -> bool:
    return any(isinstance(e, ir.StepNumber) for _, law in model.laws for e in ir.walk(law))


def entries(
    program: Program, model: str, step: int = 1, memory: Mapping[str, Any] | None = None
) -> tuple[tuple[Entry, ...], float]:
    """All entries of positive chance, and the mass of values left out. Raises Unsolved for laws with a density, and for
    laws that read memory unless `memory` says what it holds at the beginning of the step."""
    laws = (model_of(program, model) if memory is None else model_named(program, model)).laws
    if program.size is not None or any(i.kind == "dataset" for i in program.inputs):
        raise Unsolved("a dataset: all records are there from the start")
    state = PartialState(step_number=step, memory={} if memory is None else memory)
    compiler = Compiler(program)
    domains = {i.name: CheckedDomain(compiler, i.domain) for i in program.inputs}
    listed = {i.name for i in program.inputs if isinstance(i.domain, Finite)}
    found: list[tuple[float, dict[str, Any]]] = [(1.0, {})]
    missing = 0.0
    for name, law in laws:
        code = compiler.compile(law)
        longer: list[tuple[float, dict[str, Any]]] = []
        for chance, fields in found:
            state.fields = fields
            made = code.run(state)
            if domains[name].dimension is not None and not made.joint and not is_vector((made.support() or (0,))[0]):
                raise Unsolved(f"`{name}` is a vector of independent coordinates")
            points, left = values_of(made)
            if name in listed:
                _require_apart(name, [value for value, _ in points])
            missing += chance * left
            longer += [(chance * p, {**fields, name: value}) for value, p in points]
        if not longer:
            raise Unsolved(f"the model gives `{name}` no value that is listed")
        if len(longer) > MOST:
            raise Unsolved(f"the model has more than {MOST} different entries")
        found = longer
    absent = [i.name for i in program.inputs if i.name not in found[0][1]]
    if absent:
        raise Unsolved(f"the model says nothing about `{absent[0]}`")
    for _, fields in found:
        for name, value in fields.items():
            if not domains[name].contains(value):
                raise Unsolved(f"the model draws {value} for `{name}`, which is outside its domain")
    return tuple(Entry(chance, fields) for chance, fields in found), missing


def _require_apart(name: str, values: list[Any]) -> None:
    """Raises Unsolved for entries so near to each other that sums of them look equal."""
    numbers = sorted({float(value) for value in values if isinstance(value, int | float)})
    if any(b - a <= NEXT_TO * max(abs(a), abs(b)) for a, b in pairwise(numbers)):
        raise Unsolved(f"values of `{name}` are next to each other")


def values_of(law: LawValue) -> tuple[list[tuple[Any, float]], float]:
    """((value, chance), ..) of a discrete law, and the chance of what was left out."""
    if not law.discrete:
        raise Unsolved(f"data with a density ({law.name})")
    support = law.support()
    if support is not None:
        if len(support) > MOST:
            raise Unsolved(f"a law with {len(support)} values")
        merged = {value: float(law.pmf(value)) for value in dict.fromkeys(support)}
        return [(value, p) for value, p in merged.items() if p > 0], 0.0
    return _outwards(law)


def _outwards(law: LawValue) -> tuple[list[tuple[Any, float]], float]:
    """Integers from the centre to both sides, until a side's tail is below RARE."""
    if isinstance(law.centre(), tuple):
        raise Unsolved("a law of vectors")
    centre = as_index(law.centre()) if law.centre() == int(law.centre()) else int(law.centre())
    found: dict[Any, float] = {}
    for direction in (1, -1):
        at, fading = centre, 0
        while fading < 30 and len(found) <= MOST:  # thirty values in a row below RARE: the law has decayed
            p = float(law.pmf(at))
            fading = fading + 1 if p < RARE * 1e-2 else 0
            if p > 0:
                found[at] = p
            at += direction
    if len(found) > MOST:
        raise Unsolved("a law with too many values")
    points = sorted(found.items())
    return points, max(RARE * 1e-2, 1.0 - sum(p for _, p in points))  # there are more values, however rare


def columns_of(listed: Iterable[Mapping[str, Any]], names: Iterable[str], labels: dict[str, int]) -> dict[str, Value]:
    """The entries side by side: for each of these fields an array whose last axis counts the entries."""
    rows = list(listed)
    return {
        name: np.concatenate([_column(from_constant(row[name], labels)) for row in rows], axis=-1) for name in names
    }


def _column(value: Value) -> NDArray[np.float64]:
    array = np.asarray(value, dtype=np.float64)
    return array.reshape(1) if array.ndim == 0 else array
