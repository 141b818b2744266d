"""Constants that are computed from rational numbers have one value: that of fractions, in every engine."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from seqlang import driver
from seqlang.analyses.trials.exactly import ExactCompiler
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import Members
from seqlang.backends.transcript.plain_values import PlainWriter
from seqlang.cli.__main__ import main
from seqlang.model.expression import Sequence
from seqlang.model.program import nodes_in
from seqlang.source import Source

Told = tuple[str, Fraction]
DECIMALS = ("0.1", "0.2", "0.3", "0.06", "0.07", "0.29", "0.7", "1", "2", "3", "5", "10", "0")


def decimal(rng: random.Random) -> Told:
    text = rng.choice(DECIMALS)
    return text, Fraction(text)


def number(rng: random.Random, depth: int, leaf: Callable[[random.Random], Told] = decimal) -> Told:
    """A random expression, and its value by fractions."""
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng)
    kind = rng.choice(["+", "-", "*", "/", "%", "^", "floor", "ceil", "abs", "max", "sum", "mean", "dot", "argmax",
                       "index", "clip", "project", "if", "sqrt", "count"])  # fmt: skip
    (a, x), (b, y), (c, z) = (number(rng, depth - 1, leaf) for _ in range(3))
    match kind:
        case "+" | "-" | "*":
            return f"({a} {kind} {b})", x + y if kind == "+" else x - y if kind == "-" else x * y
        case "/":
            return (f"({a} / {b})", x / y) if y else (a, x)
        case "%":
            return (f"({a} % {b})", x - y * math.floor(x / y)) if y else (a, x)
        case "^":
            return f"({a}) ^ 2", x * x
        case "floor" | "ceil" | "abs":
            return f"{kind}({a})", Fraction(getattr(math, kind)(x)) if kind != "abs" else abs(x)
        case "max":
            return f"max({a}, {b})", max(x, y)
        case "sum" | "mean":
            return f"{kind}([{a}, {b}, {c}])", (x + y + z) / (1 if kind == "sum" else 3)
        case "dot":
            return f"dot([{a}, {b}], [{b}, {c}])", x * y + y * z
        case "argmax":
            best = max(x, y, z)
            return f"argmax([{a}, {b}, {c}])", Fraction(1 + [x, y, z].index(best))
        case "index":
            return f"[{a}, {b}][if {c} >= {a} then 1 else 2]", x if z >= x else y
        case "clip":
            low, high = sorted([(x, a), (z, c)])
            return f"clip({b}, {low[1]}, {high[1]})", min(max(y, low[0]), high[0])
        case "project":
            size = abs(x) * 5
            shorter = 3 * x if size <= 2 else 3 * x * 2 / size
            return f"project([3 * {a}, 4 * {a}], ball(2, 2))[1]", shorter
        case "if":
            return f"(if {a} > {b} then {b} else {c})", y if x > y else z
        case "sqrt":
            return f"sqrt(({a}) ^ 2)", abs(x)
        case _:
            return f"count([{a} > {b}, {b} >= {c}, {a} == {c}])", Fraction((x > y) + (y >= z) + (x == z))


def texts(seed: int, count: int) -> list[Told]:
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        text, value = number(rng, 3)
        if max(abs(value.numerator), value.denominator) < 10**12 and "(" in text:
            found.append((text, value))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_one_value(seed: int) -> None:
    """In the interpreter, on which numpy and the kernels rely for constants, in transcripts, and with fractions."""
    told = texts(seed, 150)
    lines = "".join(f"report r{i} = {text} when step == {i + 1}\n" for i, (text, _) in enumerate(told))
    source = Source("a", f"algorithm a\nstream x in {{0, 1}}\n{lines}stop when step >= 999\n")
    program = driver.load(source).program
    values = [s.value for s in program.body if getattr(s, "name", "").startswith("r") and hasattr(s, "value")]
    assert len(values) == len(told)
    runs, rational, written = Compiler(program), ExactCompiler(program), PlainWriter(program)
    for (text, exact), expression in zip(told, values, strict=True):
        assert expression is not None
        assert float(runs.constant(expression)) == float(exact), text
        assert rational.constant(expression) == exact, text
        assert float(eval(written.write(expression), written.scope)) == float(exact), text


JUMPS = {
    "ceil(project([3, 4], ball(1, 2))[1] * 5)": 3,
    "ceil(dot([0.1, 0.2], [1, 1]) * 10)": 3,
    "ceil(sum([0.1, 0.2]) * 10)": 3,
    "ceil(mean([0.1, 0.2, 0.3]) * 15)": 3,
    "clip_norm([3, 4], 1)[1] * 5": 3,
    "argmax([0.3, 3 * abs(-0.1), 0.2])": 1,
    "if 3 % 0.1 > 0.05 then 1 else 2": 2,
    "floor(0.29 * 100)": 29,
    "length({1, 1, 2})": 2,
}


@pytest.mark.parametrize("text", JUMPS)
@pytest.mark.parametrize("engine", ["interpreter", "numpy"])
def test_runs_take_the_exact_value(text: str, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.seq"
    path.write_text(f"algorithm a\nlet k = {text}\nstream x in {{0, 1}}\nmodel m: x ~ bernoulli(1/2)\n"
                    "stop when step >= 1 return k\n")  # fmt: skip
    assert main(["run", str(path), "--engine", engine, "--runs", "10", "--seed", "1", "--json"]) == 0
    assert {float(v) for v in json.loads(capsys.readouterr().out)["returns"]} == {JUMPS[text]}


def test_sets_and_ranges_stay_what_they_are() -> None:
    """Each engine has a form of its own for them; a list of their values is another thing."""
    lines = ("algorithm a", "stream x in {0, 1}", "report r = length({1, 1, 2}) + sum(i for i in 1..3) when step == 1",
             "stop when step >= 2")  # fmt: skip
    program = driver.load(Source("a", "\n".join(lines))).program
    parts = nodes_in(program.body)
    found = [part for part in parts if isinstance(part, Sequence) or getattr(part, "operator", "") == ".."]
    values = {type(v): tuple(v) for v in map(Compiler(program).constant, found)}
    assert values == {Members: (1, 2), range: (1, 2, 3)}


@pytest.mark.parametrize("price", ["[0.3, 3 * abs(-0.1)]", "[0.05, 3 % 0.1]"])
def test_weak_claims_are_about_the_program_that_runs(
    price: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Exactly, the first number is the largest: x is shown, with a loss of 5. Floats took the second."""
    path = tmp_path / "a.seq"
    path.write_text(f"""algorithm a
stream x in {{0, 1}}
model m: x ~ bernoulli(0.5)
let price = {price}
report r = if argmax(price) == 2 then 0 else x
attach geometric(exp(-5)) to r
stop when step >= 2
claim weak pure(0.1) under m
""")
    assert main(["check", str(path), "--json"]) == 1
    assert [c["verdict"] for c in json.loads(capsys.readouterr().out)["claims"]] == ["refuted"]
