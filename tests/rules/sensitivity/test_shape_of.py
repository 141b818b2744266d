"""The shape that is derived of an expression is that of every value that the interpreter finds for it."""

from __future__ import annotations

import random
from collections import Counter
from typing import get_args

import pytest

from seqlang.arithmetic.formula import enclose
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.values import EvaluationError, Value
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.model.expression import Expression, Label, Local, RealVectors, Records, ReleasedValue, walk
from seqlang.model.program import Draw, Noise, Program
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.shape import Shape
from seqlang.rules.sensitivity.facts.shapes import shape_of
from seqlang.source import Source

BEFORE = """algorithm t
param d in 1..3 = 2
public u in {0, 1}
stream x in [0, 1]
stream v in [-1, 1] ^ d
memory m = zeros(d)
memory k = 1
draw c ~ bernoulli([0.5, 0.25])
draw b ~ bernoulli([x / 2 + 0.1, 0.5])
draw z ~ l2_laplace(1, dim = d)
draw w ~ {[1, 2]: 1, [2, 3]: 2}
draw r ~ {i: i for i in 1..3}
statistic noisy = v
attach laplace(1) to noisy
statistic flipped = if x >= 0.5 then 1 else 0
attach randomized_response(0.75) to flipped
report R when u == 1
report V = noisy
"""
AFTER = """update m = m + V
update k = k + 1 when R
stop when step == 4
"""
VECTORS = ("v", "m", "c", "b", "z", "w", "noisy", "V", "zeros(d)", "[x, k]", "previous(v, zeros(d))",
           "sum(v over steps)",
           "sum(v where u == 1 over last 2)", "mean(v over steps)", "history(x, R)", "sum(v since R)")  # fmt: skip
NUMBERS = ("x", "u", "k", "d", "step", "r", "flipped", "1", "0.5", "count(R over steps)", "max(x over steps)",
           "previous(x, 0)", "sum(x over last 2)", "normal(0, 1).pdf(x)")  # fmt: skip
LISTS = ("[v, m]", "[[x, 1], [k, 2]]", "[c, b, w]", "history(v, R)", "[[x for j in 1..2] for i in 1..3]")
DEPTH = 3


def _number(r: random.Random, depth: int) -> str:
    if depth == 0:
        return r.choice(NUMBERS)
    n, v, t = (lambda: _number(r, depth - 1)), (lambda: _vector(r, depth - 1)), (lambda: _truth(r, depth - 1))
    i = r.choice("ij") + str(depth)
    return r.choice([
        lambda: f"({n()} {r.choice('+-*/')} {n()})",
        lambda: f"{r.choice(['abs', 'exp', 'floor'])}({n()})",
        lambda: f"{r.choice(['sum', 'mean', 'max', 'min', 'norm', 'length', 'argmax'])}({v()})",
        lambda: f"dot({v()}, {v()})",
        lambda: f"clip({n()}, 0, 1)",
        lambda: f"max({n()}, {n()})",
        lambda: f"(if {t()} then {n()} else {n()})",
        lambda: f"({v()})[{r.choice([1, 2])}]",
        lambda: f"{r.choice(['sum', 'mean', 'max'])}({n()} * {i} for {i} in 1..2)",
        lambda: f"count({t()} for {i} in {{1, 2, 3}})",
        lambda: f"argmax({n()} * {i} for {i} in {{1, 2, 3}})",
        lambda: f"length({_list(r, depth - 1)})",
    ])()  # fmt: skip


def _truth(r: random.Random, depth: int) -> str:
    return r.choice([
        lambda: f"{_number(r, depth)} {r.choice(['>=', '<', '=='])} {_number(r, depth)}",
        lambda: f"not ({_number(r, depth)} > 0)",
        lambda: r.choice(["R", "true"]),
    ])()  # fmt: skip


def _vector(r: random.Random, depth: int) -> str:
    if depth == 0:
        return r.choice(VECTORS)
    n, v, t = (lambda: _number(r, depth - 1)), (lambda: _vector(r, depth - 1)), (lambda: _truth(r, depth - 1))
    i = r.choice("ij") + str(depth)
    return r.choice([
        lambda: f"({v()} {r.choice('+-')} {v()})",
        lambda: f"({n()} * {v()})",
        lambda: f"({v()} / {n()})",
        lambda: f"(-{v()})",
        lambda: f"clip_norm({v()}, 1)",
        lambda: f"project({v()}, ball(1, d))",
        lambda: f"(if {t()} then {v()} else {v()})",
        lambda: f"[{', '.join(n() for _ in range(r.randint(1, 3)))}]",
        lambda: f"[{n()} * {i} for {i} in 1..{r.choice(['d', '3'])}]",
        lambda: f"[{n()} for {i} in 1..3 where {n()} > {i} - 1]",
        lambda: f"({_list(r, depth - 1)})[{r.choice([1, 2])}]",
        lambda: f"{r.choice(['sum', 'mean'])}({_list(r, depth - 1)})",
        lambda: f"sum({v()} for {i} in 1..2)",
    ])()  # fmt: skip


def _list(r: random.Random, depth: int) -> str:
    if depth == 0:
        return r.choice(LISTS)
    return r.choice([
        lambda: f"[{', '.join(_vector(r, depth - 1) for _ in range(r.randint(1, 3)))}]",
        lambda: f"[{_vector(r, depth - 1)} for i{depth} in 1..2]",
        lambda: f"(if {_truth(r, depth - 1)} then {_list(r, depth - 1)} else {_list(r, depth - 1)})",
    ])()  # fmt: skip


def _fits(program: Program, shape: Shape, value: Value) -> bool:
    match shape.kind:
        case "unknown":
            return True
        case "none":
            return False
        case "number":
            return isinstance(value, (int, float))
        case "list":
            if not isinstance(value, (tuple, range)) or shape.element is None:
                return False
            ends = (
                None if shape.length is None else enclose(shape.length, {p.name: p.value for p in program.parameters})
            )
            as_long = ends is None or ends.low <= len(value) <= ends.high
            return as_long and all(_fits(program, shape.element, each) for each in value)


def _tried(text: str, seed: int, seen: Counter[str], nodes: set[type]) -> None:
    """Runs the program, and compares the shape and the value of the statistic `e` in every step."""
    try:
        program = load(Source("t.seq", BEFORE + f"statistic e = {text}\n" + AFTER)).program
    except SpecError:
        return  # vectors of different dimensions, say
    facts = facts_of(program)
    e = facts.expand(Local("e"))
    r = random.Random(seed)
    machine = Machine(program, SeededRandomness(seed))
    for _ in range(4):
        entry = {"u": r.randint(0, 1), "x": r.random(), "v": (r.uniform(-1, 1), r.uniform(-1, 1))}
        try:
            machine.step(entry)
        except (EvaluationError, TypeError):  # TypeError: an element of the number 0 that a sum of no lists is
            return
        value = machine.statistics()["e"]
        if value is None:
            continue  # a report that was not made
        shape = shape_of(facts, e)
        assert _fits(program, shape, value), (text, shape, value)
        seen[shape.kind] += 1
        laws = (part.law for part in (*program.noises, *program.body) if isinstance(part, (Noise, Draw)))
        nodes.update(type(node) for expression in (e, *laws) for node in walk(expression))


def test_shapes_are_those_of_the_interpreters_values(examples: int = 150) -> None:
    r, seen, nodes = random.Random(20), Counter[str](), set[type]()
    for seed in range(examples):
        _tried(r.choice((_number, _vector, _list))(r, DEPTH), seed, seen, nodes)
    assert seen["number"] > 100
    assert seen["list"] > 100
    assert seen["unknown"] < (seen["number"] + seen["list"]) / 4
    beyond = {Label, Local, ReleasedValue}  # no numbers, and what is replaced by its definition
    assert nodes >= set(get_args(Expression)) - beyond - {Records, RealVectors}  # see below


@pytest.mark.parametrize("text", (*VECTORS, *NUMBERS, *LISTS, "R", "x >= 0.5"))
def test_the_shape_of_every_leaf_is_known(text: str) -> None:
    seen = Counter[str]()
    _tried(text, 1, seen, set())
    assert seen["list"] + seen["number"] >= 1


@pytest.mark.parametrize("adjacent", ["", "adjacent add or remove one\n"])
@pytest.mark.parametrize(
    "text",
    [
        "y", "y[1]", "sum(y)", "mean(y)", "sum(y[i] for i in records)", "[y[i] for i in records]", "length(y)",
        "[y[i][1] for i in records where y[i][1] > 0.5]", "sum(y[i] for i in batch)", "mean(t)", "max(t)", "t",
        "[i for i in records]", "sum(y[i][1] for i in batch where t[i] > 0.5)", "length(batch)", "argmax(t)",
        "argmin(norm(a - y[1]) ^ 2 for a in real ^ 2)", "norm(y[2])", "clip_norm(sum(y[i] for i in records), 1)",
    ],
)  # fmt: skip
def test_shapes_of_what_is_made_of_records(text: str, adjacent: str) -> None:
    program = load(Source("t.seq", f"algorithm t\ndataset y in [0, 1] ^ 2, t in [0, 1] size 3\n{adjacent}"
                   f"draw batch ~ sample(records, 0.5)\nstatistic e = {text}\nstop\n")).program  # fmt: skip
    facts = facts_of(program)
    for size in (3, 2) if adjacent else (3,):
        machine = Machine(program, SeededRandomness(1))
        machine.load({"y": ((0.25, 0.5), (1.0, 0.0), (0.75, 0.5))[:size], "t": (0.0, 0.5, 1.0)[:size]})
        machine.step({})
        shape = shape_of(facts, facts.expand(Local("e")))
        assert _fits(program, shape, machine.statistics()["e"])
        assert shape.kind != "unknown" or adjacent
