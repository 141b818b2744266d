"""Every operator in every engine gives the value of mpmath, or its entry declares the hole with its reason.

Constants and proofs compute with exact numbers, the engines with floats; kernels are run as Python text, which the
tests of the kernels compare with compiled code.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from calls import CALLS
from plain_kernels import interpreted, program_of
from random_programs.engine_paths import Refused, Rows, by_kernel, by_numpy, compare_transcript

from seqlang.arithmetic.enclosure import enclose_with
from seqlang.arithmetic.ends import Decimals
from seqlang.arithmetic.formula import Formula
from seqlang.model import constants
from seqlang.model.expression import OPERATORS as OF_THE_MODEL
from seqlang.operators.catalogue import OPERATORS
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import facts_of

Point = tuple[float, float, float]
PRECISION = 1e-13
"""Relative, and absolute below 1: log and exp of large numbers lose a digit or two."""

LARGE = 100.0
"""Above, a float and a float plus 1 may be the same."""


def _rows(points: tuple[Point, ...]) -> list[Rows]:
    return [[dict(zip("xyz", point, strict=True))] for point in points]


def _of_entries(text: str) -> str:
    return (
        f"algorithm a\nstream x in real, y in real, z in real\nstatistic s = {text}\nstop when step >= 1 return high\n"
    )


def _of_constants(text: str, point: Point) -> str:
    params = "".join(f"param {name} = {value!r}\n" for name, value in zip("xyz", point, strict=True))
    return f"algorithm a\n{params}stream w in [0, 1]\nstatistic s = {text}\nstop when step >= 1\n"


def by_constants(text: str, points: tuple[Point, ...]) -> list[float]:
    found = []
    for point in points:
        program = program_of(_of_constants(text, point))
        values = constants.Values()
        values.update({p.name: p.value for p in program.parameters})
        value = constants.number(program.define("s").expression, values)
        if value is None:
            raise Refused("no constant")
        found.append(float(value))
    return found


def by_proofs(text: str, points: tuple[Point, ...]) -> list[float]:
    """Where 50 digits enclose the value of the formula, which they do narrowly."""
    found = []
    for point in points:
        program = program_of(_of_constants(text, point))
        facts = facts_of(program)
        value = evaluate_number(facts, facts.expand(program.define("s").expression))
        if not isinstance(value, Formula):
            raise Refused("no formula")
        low, high = enclose_with(Decimals(50), value, facts.values)
        assert low <= high <= low + abs(low) * Decimal("1e-20"), (point, low, high)
        found.append(float(low))
    return found


def by_interpreter(text: str, points: tuple[Point, ...]) -> list[float]:
    program = program_of(_of_entries(text))
    return [next(interpreted(program, rows, 1)).statistics["s"] for rows in _rows(points)]


def by_arrays(text: str, points: tuple[Point, ...]) -> list[float]:
    return [after.statistics["s"] for after in by_numpy(program_of(_of_entries(text)), _rows(points), 1)[0]]


def by_compiled(text: str, points: tuple[Point, ...]) -> list[float]:
    return [after.statistics["s"] for after in by_kernel(program_of(_of_entries(text)), _rows(points), 1)[0]]


def by_transcript(text: str, points: tuple[Point, ...]) -> list[float]:
    """The transcript that the interpreter wrote is certain, and another value is impossible."""
    for rows in _rows(tuple(point for point in points if abs(point[0]) <= LARGE)):
        wrong = compare_transcript(_of_entries(text), rows, random.Random(1))
        assert wrong is None, wrong
    return by_interpreter(text, points)


ENGINES: dict[str, Callable[[str, tuple[Point, ...]], list[float]]] = {
    "constants": by_constants,
    "proofs": by_proofs,
    "interpreter": by_interpreter,
    "numpy": by_arrays,
    "compiled": by_compiled,
    "transcript": by_transcript,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_in_an_engine(name: str, engine: str) -> None:
    call = CALLS[name]
    hole = OPERATORS[name].holes.get(engine)
    try:
        found = ENGINES[engine](call.text, call.points)
    except Refused as why:
        assert hole, f"{engine} refuses `{name}` ({why}), and the entry does not say so"
        return
    assert hole is None, f"{engine} has `{name}`; the entry says: {hole}"
    with mpmath.workdps(30):
        for point, value in zip(call.points, found, strict=True):
            true = float(call.value(*map(mpmath.mpf, point)))
            assert value == pytest.approx(true, rel=PRECISION, abs=PRECISION * min(1.0, abs(true))), point


def test_every_operator_has_a_row() -> None:
    assert CALLS.keys() == OPERATORS.keys()


def test_what_the_model_knows() -> None:
    """All but what elaboration writes by others."""
    assert {name for name, entry in OPERATORS.items() if entry.written is None} == OF_THE_MODEL
    assert OPERATORS.keys() - OF_THE_MODEL == {"round"}


@pytest.mark.parametrize(("text", "value"), [("norm([3, 4])", 5), ("max(-[3, 4])", -3), ("sum([1, 2] - [3, 5])", -5)])
def test_constants_of_vectors(text: str, value: int) -> None:
    program = program_of(f"algorithm a\nparam p = {text}\nstream x in [0, 1]\nreport y = p\nstop when step >= 1\n")
    assert [p.value for p in program.parameters] == [Fraction(value)]
