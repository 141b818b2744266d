"""The checker of programs finds what is broken on purpose."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from elaborated import elaborated

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.validate import validate

TEXT = """algorithm t
param b = 2
stream x in [0, 1]
memory w = 0
let double = 2 * w
statistic s = sum(x over steps)
update w = w + 1
stop when s >= b
attach laplace(1) to b once
claim strong pure(1)
"""


def made(text: str) -> p.Program:
    return elaborated(text)


@pytest.fixture
def program() -> p.Program:
    return made(TEXT)


def without(program: p.Program, kind: type) -> p.Program:
    return replace(program, body=tuple(s for s in program.body if not isinstance(s, kind)))


def changed(program: p.Program, old: type, **parts: object) -> p.Program:
    body = tuple(replace(s, **parts) if isinstance(s, old) else s for s in program.body)
    return replace(program, body=body)


def test_the_program_itself_is_fine(program: p.Program) -> None:
    assert validate(program) == ()


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (lambda q: without(q, p.Cell), "unknown cell"),
        (lambda q: without(q, p.Define), "before it has a value"),
        (lambda q: replace(q, noises=()), "unknown noise"),
        (lambda q: replace(q, parameters=()), "unknown parameter"),
        (lambda q: replace(q, memories=()), "unknown memory"),
        (lambda q: replace(q, inputs=()), "unknown field"),
        (lambda q: replace(q, gates=()), "has no gate"),
        (lambda q: replace(q, body=tuple(reversed(q.body))), "before it"),
        (lambda q: changed(q, p.Update, value=m.Field("x")), "is not public"),
        (lambda q: changed(q, p.Cell, level=p.Level.PUBLIC), "too low"),
        (lambda q: changed(q, p.Stop, when=m.Bound(m.Variable(7, "k"))), "outside of its binder"),
        (lambda q: changed(q, p.Stop, when=m.Apply("??", (m.Number(Fraction(1)),))), "unknown operator"),
        (lambda q: replace(q, noises=tuple(replace(n, law=m.Field("x")) for n in q.noises)), "is not constant"),
        (lambda q: replace(q, claims=tuple(replace(c, model="m") for c in q.claims)), "unknown model"),
    ],
)
def test_broken_programs(program: p.Program, broken: object, problem: str) -> None:
    found = validate(broken(program))
    assert any(problem in text for text in found), found


def twice(text: str, change: object) -> tuple[str, ...]:
    """The problems of a program after `change` was made to every fold over a set in its body."""
    program = made(text)
    define = program.define("s")
    assert isinstance(define.expression, m.Quantified)
    broken = replace(define, expression=change(define.expression))
    return validate(replace(program, body=tuple(broken if x is define else x for x in program.body)))


FOLDS = (
    "algorithm t\nstream x in [0, 1]\nstatistic s = sum(k * sum(j * x for j in 1..2) for k in 1..3)\nstop when s >= 1\n"
)


def test_a_number_stands_for_one_binder() -> None:
    def captured(e: m.Quantified) -> m.Expression:
        assert isinstance(e.body, m.Apply)
        inner = e.body.arguments[1]
        assert isinstance(inner, m.Quantified)
        return replace(e, body=m.Apply("*", (m.Bound(e.variable), replace(inner, variable=e.variable))))

    problems = twice(FOLDS, captured)
    assert any("number of another binder" in p for p in problems)
    assert any("outside of its binder" in p for p in problems)


def test_memory_is_read_in_the_version_of_its_place() -> None:
    program = made(
        "algorithm t\nstream x in [0, 1]\nmemory w = 0\nstatistic s = w * x\nupdate w = 1 - w\nstatistic t = w * x\n"
        "stop when s + t >= 1\n"
    )

    def other(e: m.Expression) -> m.Expression:
        return m.MemoryValue(e.name, not e.updated) if isinstance(e, m.MemoryValue) else m.rebuild(e, other)

    for name in ("s", "t"):
        define = program.define(name)
        wrong = replace(define, expression=other(define.expression))
        problems = validate(replace(program, body=tuple(wrong if x is define else x for x in program.body)))
        assert problems == (f"{name} reads the wrong version of the memory w",)


def test_an_accumulator_is_read_at_as_many_values_as_it_has_binders() -> None:
    problems = twice(
        "algorithm t\nstream x in [0, 1]\nstatistic s = [sum(x * k over steps) for k in 1..3]\nstop when step >= 2\n",
        lambda e: replace(e, body=m.CellValue("sum.1")),
    )
    assert problems == ("s reads 0 of the 1 indices of the cell sum.1",)
