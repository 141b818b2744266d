"""Gates say the same as the statements that they stand for: both are evaluated on random steps and compared."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from elaborated import elaborated
from thorough import several

from seqlang.elaborate import elaborate
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.validate import validate
from seqlang.source import Source
from seqlang.syntax import parse

from .evaluation import Unsupported, World, apply

LIBRARY = sorted((Path(__file__).parents[2] / "specs").rglob("*.seq"))
HEAD = "algorithm t\nparam a = 1\nparam b = 2\nstream x in [0, 1], y in {0, 1}\npublic u in [0, 1]\n"
NOISE = "attach laplace(1) to a, b once\nattach gaussian(2) to b\nattach laplace(3) to x\n"
DRAWS = "draw z ~ laplace(1) once\ndraw w ~ laplace(2)\n"


def program_of(text: str) -> p.Program:
    program = elaborated(text)
    assert validate(program) == ()
    return program


def holds(world: World, test: p.Test) -> bool:
    match test:
        case p.Margin(value=value, terms=terms, strict=strict):
            total = linear(world, value, terms)
            return bool(total > 0 if strict else total >= 0)
        case p.PublicTest(expression=expression):
            return bool(world.of(expression))
        case p.And(parts=parts):
            return all(holds(world, part) for part in parts)
        case p.Or(parts=parts):
            return any(holds(world, part) for part in parts)
        case p.Not(part=part):
            return not holds(world, part)


def linear(world: World, value: m.Expression, terms: tuple[m.Term, ...]) -> object:
    total = world.of(value)
    for term in terms:
        total = apply("+", [total, apply("*", [world.of(term.factor), world.noise(term.noise, total)])])
    return total


def close(a: object, b: object) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str):
        return a == b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def statement_of(program: p.Program, gate: p.Gate) -> m.Expression | None:
    """What the body evaluates where the gate is seen."""
    for statement in program.body:
        match statement:
            case p.Report(name=name, when=when, value=None) if gate.name == name:
                return when
            case p.Report(name=name, value=value) if gate.name == name:
                return value
            case p.Report(name=name, when=when) if gate.name == f"{name} when":
                return when
            case p.Stop(index=index, when=when) if gate.name == f"stop {index}":
                return when if when is not None else m.Truth(True)
            case p.Stop(index=index, result=result) if gate.name == f"return {index}":
                return result
            case _:
                pass
    return None  # a hidden gate


def check(program: p.Program, gate: p.Gate, world: World) -> None:
    statement = statement_of(program, gate)
    if statement is None:
        return
    guard = True if isinstance(gate, p.PublicGate) or gate.guard is None else world.of(gate.guard)
    match gate:
        case p.PublicGate(expression=expression):
            assert expression is None or close(world.of(expression), world.of(statement))
        case p.CompareGate(test=test) if isinstance(statement, m.Choice) and gate.name in ("r", "return 1"):
            branch = statement.yes if holds(world, test) else statement.no
            assert close(world.of(branch), world.of(statement))
        case p.CompareGate(test=test) if gate.name == "r":
            assert holds(world, test) == world.of(statement)
        case p.CompareGate(test=test):
            assert (bool(guard) and holds(world, test)) == world.of(statement)
        case p.ReleaseGate(value=value, terms=terms, post=post):
            shown = linear(world, value, terms)
            if post is not None:
                world.made["the released value"] = shown
                shown = world.of(post)
            truth = world.of(statement)
            assert close(shown if isinstance(truth, list | float) else bool(guard and shown), truth)
        case p.ChooseGate(law=p.NoisyMaxLaw(of=of, terms=terms, sign=sign)):
            vector = linear(world, of, terms)
            assert close(apply("argmax" if sign > 0 else "argmin", [vector]), world.of(statement))
        case p.ChooseGate(law=p.FlipLaw(of=of, alphabet=alphabet)):
            noised = next(n for n in m.walk(statement) if isinstance(n, m.Noised))
            assert close(world.of(of), world.of(noised.base))
            assert len(set(alphabet)) > 1
        case p.ChooseGate() | p.OpaqueGate():
            return


def agree(program: p.Program, runs: int) -> int:
    """How many gates could be compared."""
    compared = 0
    for seed in range(runs):
        for gate in program.gates:
            try:
                check(program, gate, World(program, seed))
                compared += 1
            except Unsupported:
                pass
    return compared


CONDITIONS = [
    "x >= b",
    "x <= -a",
    "b > x",
    "-b < -x",
    "abs(x) >= b",
    "abs(x - a) <= b",
    "max(x, a) >= b",
    "min(x, 2 * a) < b",
    "b - max(abs(x), a) >= 0",
    "clip(x, -1, 2) >= b",
    "b - clip(x, 0, abs(a)) > 0",
    "x >= b + clip(z, -1, 1)",
    "x <= a - (if z >= -1 and z <= 1 then z else 0)",
    "(if x >= a then x else 2) < b",
    "(if u > 0.5 then clip(x, 0, 1) else y) >= b",
    "(if hot then x else clip(z, 0, 1)) >= b",
    "x >= b and step > 3",
    "x >= b or step > 3",
    "not (x >= b) and u > 0.5",
    "not (x >= b or x <= a)",
    "x - 2 * a >= b / 4",
    "(if u > 0.5 then x else a) >= b",
    "(if u > 0.5 then x >= b else x <= a)",
    "(x >= b) == (y == 1)",
    "(x >= b) != (step > 2)",
    "y == 1 and x >= b",
    "y != 1 or x >= b",
    "x + z >= b - w / 2",
    "u * x >= step * b",
    "s >= b",
    "abs(s) >= b",
    "t",
    "not t and x >= a",
    "x == b",
    "sum(x over steps) >= b",
    "sum(y over steps) >= b",
    "exp(x) >= 2",
    "exp(x) + a >= b",
    "x * y >= b",
    "flipped >= 1",
    "hot and x >= b",
    "hot",
    "step > 2",
    "previous(s, 0) >= b",
]
VALUES = [
    "x",
    "2 * x + 1",
    "x + z",
    "x + a",
    "if u > 0.5 then x else 0",
    "exp(x)",
    "max(x, 0)",
    "x / step",
    "y",
    "s",
    "abs(s)",
    "flipped",
    "hot",
    "u",
    "z",
    "x * y",
    "flipped + step",
    "if hot then x else 0",
    "x >= b",
    "floor(x * 3)",
    "x * a",
    "sum(y over steps) / step",
    "x >= b or x < a",
    "if x >= b then 1 else 0",
    "if x >= b then 1 else if abs(x) <= a then step else 0",
    "if x >= b then x else 0",
    "sum(x over steps)",
    "mean(flipped over steps)",
]
STATISTICS = (
    "statistic s = x - a\nstatistic t = x >= b\nstatistic flipped = if x > 0.5 then 1 else 0\n"
    "statistic hot = y == 1\nattach randomized_response(0.8) to hot, flipped\n"
)


@pytest.mark.parametrize("noise", ["", NOISE])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(condition: str, noise: str) -> None:
    program = program_of(f"{HEAD}{DRAWS}{STATISTICS}stop when {condition}\n{noise}")
    assert agree(program, 40) >= 40


@pytest.mark.parametrize("noise", ["", NOISE])
@pytest.mark.parametrize("value", VALUES)
def test_values(value: str, noise: str) -> None:
    program = program_of(f"{HEAD}{DRAWS}{STATISTICS}report r = {value} when u > 0.25\nstop when step >= 9\n{noise}")
    assert agree(program, 30) >= 30


@pytest.mark.parametrize("source", sorted({path.parent.name for path in LIBRARY}))
def test_library(source: str) -> None:
    for path in (path for path in LIBRARY if path.parent.name == source):
        agree(program_of(path.read_text("utf-8")), several(2, 10))


def _random_number(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(["x", "a", "b", "y", "u", "z", "w", "s", "step", "1", "2.5", "sum(y over steps)", "flipped"])
    first, second = _random_number(draw, depth - 1), _random_number(draw, depth - 1)
    form = draw.choice(["{0} + {1}", "{0} - {1}", "-{0}", "2 * {0}", "u * {0}", "abs({0})", "max({0}, {1})",
                        "min({0}, {1})", "(if u > 0.5 then {0} else {1})", "({0}) / 4",
                        "clip({0}, -1, 2)", "(if x >= a then {0} else {1})"])  # fmt: skip
    return form.format(f"({first})", f"({second})")


def _random_condition(draw: random.Random, depth: int) -> str:
    if depth == 0:
        sign = draw.choice([">=", "<=", ">", "<", "=="])
        return f"{_random_number(draw, draw.randrange(3))} {sign} {_random_number(draw, draw.randrange(3))}"
    first, second = _random_condition(draw, depth - 1), _random_condition(draw, draw.randrange(depth))
    return draw.choice(["({0}) and ({1})", "({0}) or ({1})", "not ({0})", "t and ({0})", "hot or ({0})"]).format(
        first, second
    )


@pytest.mark.parametrize("seed", range(60))
def test_random_conditions(seed: int) -> None:
    draw = random.Random(seed)
    condition = _random_condition(draw, draw.randrange(3))
    noise = draw.choice(["", NOISE, "attach laplace(1) to x\n", "attach z to a\nattach -z to b\n"])
    program = program_of(f"{HEAD}{DRAWS}{STATISTICS}stop when {condition}\n{noise}")
    assert agree(program, 15) >= 15


@pytest.mark.parametrize(
    ("labels", "slips"), [(("a_better", "b_better"), 0), (("arm1", "arm2"), 0), (("reject", "rejact"), 1)]
)
def test_labels_that_differ_in_a_word_of_one_letter_are_meant(labels: tuple[str, str], slips: int) -> None:
    text = f"{HEAD}stop when step > 9 return {labels[0]}\nstop when step > 5 return {labels[1]}\n"
    file, _ = parse(Source("test", text))
    assert file is not None
    _, found = elaborate(file)
    assert [d.code for d in found].count("W0602") == slips


def test_hidden_noise_inside_hidden_noise() -> None:
    """The maximum runs over a noisy count of flipped bits: the flip and the count both get a gate."""
    text = """algorithm nested
param T = 3
stream x in {0, 1}
statistic bit = x >= 1
statistic s = count(bit over steps)
statistic t = max(s over steps)
stop when t >= T
attach randomized_response(3 / 4) to bit
attach geometric(1 / 2) to s
"""
    tree, _ = parse(Source("<text>", text))
    assert tree is not None
    program, problems = elaborate(tree)
    assert program is not None, problems
    assert {gate.name for gate in program.gates} == {"bit", "s", "stop 1"}


def test_a_release_whose_public_part_is_not_public_reads_its_noise_again() -> None:
    """What is shown besides the noisy x reads the noise of a kept reading, which another gate relies on."""
    text = """algorithm shown_beside
stream x in 0..2
statistic s0 = previous(x, 0)
report e0 when s0 >= 0
statistic s1 = x + (if s0 >= 2 then 1 else 0)
statistic s2 = max(s1 over last 2)
stop when step >= 1 return max(x, s2)
attach laplace(1) to x each e0
attach laplace(1) to s0, s1
"""
    program = program_of(text)
    (gate,) = (g for g in program.gates if g.name == "return 1")
    assert isinstance(gate, p.OpaqueGate) and gate.reason.startswith("its public part")
    readings = [e for e in m.walk(gate.expression) if isinstance(e, m.Noised)]
    assert [(r.name, r.base) for r in readings] == [("x", m.Field("x"))]
