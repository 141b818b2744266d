"""The checker of programs finds what is broken on purpose."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from seqlang.elaborate import elaborate
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.validate import validate
from seqlang.source import Source
from seqlang.syntax import parse

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


@pytest.fixture
def program() -> p.Program:
    file, _ = parse(Source("test", TEXT))
    assert file is not None
    made, _ = elaborate(file)
    assert made is not None
    return made


def without(program: p.Program, kind: type) -> p.Program:
    return replace(program, body=tuple(s for s in program.body if not isinstance(s, kind)))


def changed(program: p.Program, old: type, **parts: object) -> p.Program:
    body = tuple(replace(s, **parts) if isinstance(s, old) else s for s in program.body)  # type: ignore[type-var]
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
    found = validate(broken(program))  # type: ignore[operator]
    assert any(problem in text for text in found), found
