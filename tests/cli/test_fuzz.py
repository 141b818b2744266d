"""Mutated specs of the library: whatever is in a file, every command ends soon with 0, 1 or 2 and no traceback."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

LIBRARY = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parents[2] / "specs").rglob("*.seq"))]
LONGEST = 10.0  # seconds; a mutant takes a tenth of one, machines differ
MUTANTS = 150
BATCH = 15

TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_]\w*|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\.|[<>=!]=|#[^\n]*|\S')
NUMBERS = "0 1 -1 2 0.5 1e300 1e-300 1e999 1e9 2^64 1/3 0..1 1.. real true 99999999999999999999 0.000001".split()
CHARACTERS = ["é", "∞", "≤", "\u200b", "\ufeff", "\u2028", "“", "\x00", "\t", "\r", "(", ")", "]", "{", '"', "#"]
PIECES = [
    "sum(x over steps)", "previous(x, 0)", "history(x, r)", "[1, 2]", "{1, 2}", "{0: 0.5, 1: 0.5}", "not 1",
    "if true then 1 else 2", "laplace(1)", "gaussian(0)", "zeros(3)", "1..1000", "ball(1, 2)", "step", "records",
    "argmax(k for k in 1..3)", "sample(1..3, 0.5)", "tree(laplace(1))", "convolve(point(1), point(2))",
    "null.pmf(1)", "x[1]", "step / 0", "log(0)", "sqrt(-1)", "exp(1000)", "length([1])", "(-1) ^ 0.5",
    "10 ^ 10 ^ 10", "mean(x since r)", "min(x over last 3)", "min(x over last step)", "count(true over steps)",
]  # fmt: skip
STATEMENTS = [
    "stop", "stop when true", "report r when true", "report r = x", "memory m = 0\nupdate m = m + 1",
    "draw z ~ laplace(1) once", "draw z ~ bernoulli(x)", "attach laplace(1) to x", "attach laplace(1) to return",
    "attach randomized_response(0.7) to return", "claim strong pure(1)", "claim strong rdp(2, 1) within 10 steps",
    "claim strong zcdp(1)", "claim weak pure(1) under null", "claim expected(step) <= 1", "adjacent replace 2",
    "adjacent every x within 1", "adjacent add or remove one", "public u in real", "let f(a) = f(a)", "statistic s = s",
    "dataset y in real size 3", "model m: x ~ point(0)",
]  # fmt: skip


def _tokens(text: str) -> list[re.Match[str]]:
    return [found for found in TOKEN.finditer(text) if not found.group().startswith("#")]


def _put(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


def _token(rng: random.Random, text: str, first: Callable[[str], bool] = lambda c: True) -> re.Match[str]:
    return rng.choice([t for t in _tokens(text) if first(t.group()[0])] or _tokens(text))


def _line(rng: random.Random, text: str, change: str) -> str:
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match change:
        case "delete":
            del lines[at]
        case "double":
            lines.insert(other, lines[at])
        case "exchange":
            lines[at], lines[other] = lines[other], lines[at]
        case "insert":
            lines.insert(at, rng.choice(STATEMENTS))
        case _:  # from another spec
            lines.insert(at, rng.choice(rng.choice(LIBRARY).split("\n")))
    return "\n".join(lines)


CHANGES: list[Callable[[random.Random, str], str]] = [
    lambda rng, text: _put(text, _token(rng, text), ""),
    lambda rng, text: _put(text, _token(rng, text), _token(rng, text).group()),
    lambda rng, text: _put(text, _token(rng, text), _token(rng, rng.choice(LIBRARY)).group()),
    lambda rng, text: _put(text, _token(rng, text, str.isdigit), rng.choice(NUMBERS)),
    lambda rng, text: _put(text, _token(rng, text, str.isalpha), _token(rng, text, str.isalpha).group()),
    lambda rng, text: _put(text, _token(rng, text, str.isalnum), rng.choice(PIECES)),
    lambda rng, text: _put(text, _token(rng, text, "+-*/%^<>=".__contains__), rng.choice("+-*/%^<>")),
    lambda rng, text: _put(text, _token(rng, text), rng.choice(CHARACTERS)),
    *(lambda rng, text, how=how: _line(rng, text, how) for how in ("delete", "double", "exchange", "insert", "other")),
]  # fmt: skip


def mutant(seed: int) -> str:
    """A spec of the library with one to four changes; half of the mutants have one, and many of these are valid."""
    rng = random.Random(seed)
    text = rng.choice(LIBRARY)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if _tokens(text):
            text = rng.choice(CHANGES)(rng, text)
    return text


@pytest.mark.parametrize("first", range(0, MUTANTS, BATCH))
def test_mutants(first: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mutant.seq"
    for seed in range(first, first + BATCH):
        for command in (["check"], ["run", "--runs", "20", "--cap", "50"], ["fmt", "--check"]):
            file.write_bytes(mutant(seed).encode())
            began = time.perf_counter()
            code = main([*command, str(file)])
            seconds = time.perf_counter() - began
            said = capsys.readouterr()
            assert code in (0, 1, 2), f"mutant {seed}, {command}: {said.err}"
            assert "Traceback" not in said.out + said.err
            assert code != 2 or "error" in said.err, f"mutant {seed}, {command}: exit 2 without a word"
            assert seconds < LONGEST, f"mutant {seed}, {command}: {seconds:.1f} s"


def test_many_mutants_are_valid() -> None:
    """Else only the parser would be tried."""
    from seqlang.driver import load
    from seqlang.source import Source

    def valid(seed: int) -> bool:
        from seqlang.diagnostics import SpecError

        try:
            load(Source("mutant", mutant(seed)))
        except SpecError:
            return False
        return True

    assert sum(map(valid, range(MUTANTS))) > MUTANTS // 10
