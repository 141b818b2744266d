"""What a gate stands for, and the name that is printed from it."""

from __future__ import annotations

import pytest
from elaborated import elaborated

from seqlang.model import program as p
from seqlang.model.expression import Field, ReleasedValue, walk
from seqlang.model.gate_source import (
    GateSource,
    OfCondition,
    OfDraw,
    OfEvent,
    OfNoise,
    OfResult,
    OfSeveral,
    OfStop,
    OfValue,
    is_hidden,
    name_of,
    report_of,
    stop_of,
)
from seqlang.model.validate import validate
from seqlang.record import replace

NAMES: list[tuple[GateSource, str, str | None, int | None, bool]] = [
    (OfStop(2), "stop 2", None, 2, False),
    (OfResult(2), "return 2", None, 2, False),
    (OfResult(2, 3), "return 2.3", None, 2, False),
    (OfEvent("r"), "r", "r", None, False),
    (OfCondition("r"), "r when", "r", None, False),
    (OfValue("r"), "r", "r", None, False),
    (OfValue("r", 2), "r.2", "r", None, False),
    (OfNoise("x"), "x", None, None, True),
    (OfDraw("d"), "d", None, None, True),
    (OfSeveral((OfValue("y"), OfEvent("z"))), "y and z", None, None, False),
]


@pytest.mark.parametrize(("source", "name", "report", "stop", "hidden"), NAMES)
def test_names(source: GateSource, name: str, report: str | None, stop: int | None, hidden: bool) -> None:
    assert (name_of(source), report_of(source), stop_of(source), is_hidden(source)) == (name, report, stop, hidden)


def _program(lines: str) -> p.Program:
    return elaborated(f"algorithm t\nparam b = 2\nstream x in {{0, 1}}\n{lines}")


def _sources(lines: str) -> list[GateSource]:
    program = _program(lines)
    assert [g.name for g in program.gates] == [name_of(g.source) for g in program.gates]
    return [g.source for g in program.gates]


def test_stops_and_what_they_return() -> None:
    assert _sources("stop when step >= 9\nstop return x\n") == [
        OfStop(1), OfStop(2), OfResult(2),
    ]  # fmt: skip


def test_reports() -> None:
    lines = "report e when x >= b\nreport v = x when e\nreport w = x when x >= 1 / 2\nstop when step >= 9\n"
    noise = "attach laplace(1) to b once\nattach laplace(1) to v\nattach laplace(1) to w\n"
    assert _sources(lines + noise) == [OfEvent("e"), OfValue("v"), OfCondition("w"), OfValue("w"), OfStop(1)]


def test_several_comparisons_of_one_value() -> None:
    lines = "report v = if x >= b then 1 else if x >= 1 then 2 else 3\nstop when step >= 9\nattach laplace(1) to b\n"
    assert _sources(lines) == [OfValue("v"), OfValue("v", 2), OfStop(1)]


def test_what_is_read_and_not_shown() -> None:
    lines = "draw d ~ bernoulli(x)\nstatistic s = sum(if d == 1 then x else 0 over steps)\n"
    assert _sources(f"{lines}report v = s\nstop when step >= 9\nattach laplace(1) to v\n")[0] == OfDraw("d")
    lines = "statistic s = sum(x over steps)\nreport v = s\nstop when step >= 9\n"
    assert _sources(f"{lines}attach randomized_response(3 / 4) to x\n")[0] == OfNoise("x")


def test_a_name_that_looks_like_another_gate_is_none() -> None:
    """`stop_1`, `return_1`: what a rule takes for a stop is what is one."""
    sources = _sources("report stop_1 when x >= b\nreport return_1 = x\nstop when step >= 9\n")
    assert sources == [OfEvent("stop_1"), OfValue("return_1"), OfStop(1)]


def test_a_released_value_has_its_place() -> None:
    """It stands in what is done to the value of its own gate, and validate finds it nowhere else."""
    program = _program("report v = max(0, x)\nstop when step >= 9\nattach laplace(1) to x\n")
    gate = program.gates[0]
    assert isinstance(gate, p.ReleaseGate)
    assert gate.post is not None
    assert ReleasedValue() in list(walk(gate.post))
    assert gate.value == Field("x")
    moved = replace(gate, guard=ReleasedValue(), post=None)
    problems = validate(replace(program, gates=(moved, *program.gates[1:])))
    assert any("before it is released" in problem for problem in problems)


def test_gates_belong_to_statements() -> None:
    program = _program("report v = x\nstop when step >= 9\nattach laplace(1) to v\n")
    assert not validate(program)
    other = replace(program.gates[0], source=OfValue("w"))
    problems = validate(replace(program, gates=(other, *program.gates[1:])))
    assert {"v has no gate", "gate w belongs to no statement"} <= set(problems)
