"""Specs of the library with a few changes: of their text, which mostly break it, and of their meaning, which do not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

LIBRARY = [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parents[2] / "specs").rglob("*.seq"))]

TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_]\w*|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\.|[<>=!]=|#[^\n]*|\S')
NUMBERS = "0 1 -1 2 0.5 1e300 1e-300 1e999 1e9 2^64 1/3 0..1 1.. real true 99999999999999999999 0.000001".split()
CHARACTERS = ["é", "∞", "≤", "\u200b", "\ufeff", "\u2028", "“", "\x00", "\t", "\r", "(", ")", "]", "{", '"', "#",
              "\x1b[31m", "\x9b31m", "\u202e"]  # fmt: skip
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

# ---- of the meaning

VALUES = "0 1 2 3 5 10 0.5 0.1 0.01 0.999 1/3 100 1000 1e-3 1e-9 1e4 1e6 1e12 1e100 1e300 -1 -0.5 -1e300".split()
KINDS = [
    ["laplace", "gaussian", "exponential", "gumbel", "point", "l2_laplace"],
    ["geometric", "discrete_gaussian", "bernoulli", "randomized_response"],
    ["+", "-", "*", "/", "^", "%"],
    ["<=", ">=", "<", ">"],
    ["sum", "mean", "max", "min", "count"],
    ["argmax", "argmin"],
    ["abs", "exp", "log", "sqrt", "floor", "ceil", "log2"],
    ["and", "or"],
    ["real", "{0, 1}", "[0, 1]", "1..5", "[-1, 1]", "0..", "{-1, 0, 1}", "ball(1, 2)", "[0, 1e300]"],
    ["once", "each step", ""],
    ["steps", "last 2"],
]
WRAPPED = [
    "({})", "abs({})", "-({})", "2 * ({})", "({}) / step", "({}) + step", "sqrt(abs({}))", "exp({})",
    "log(1 + abs({}))",
    "previous({}, 0)", "max({}, 1)", "min({}, 0)", "if step < 3 then {} else 0", "clip({}, -1, 1)", "floor({})",
    "({}) * 1e300", "({}) / 1e300", "({}) ^ 2", "1 / ({})", "({}) - ({})", "sum({} over steps)", "max({} over last 2)",
    "sum({} for k in 1..3)", "[{}, {}]", "sum([{}, {}])", "max([{}, 0])",
]  # fmt: skip
ADDED = [
    "claim strong pure(1)", "claim strong dp(1, 1e-6)", "claim strong rdp(2, 1) within 10 steps",
    "claim strong zcdp(1)", "claim strong pure(1) within 3 steps", "claim weak dp(1, 0.01) under null",
    "claim expected(step) <= 10 under null", "claim probability(step >= 3) <= 0.5 under null",
    "claim probability(stops) >= 1 under null", "stop when step >= 3", "stop when step >= 5 return late",
    "adjacent replace 2", "adjacent replace one", "adjacent add or remove one", "adjacent one x within 1",
    "adjacent every x within 1e300", "attach laplace(1) to x", "attach gaussian(2) to x once",
    "attach geometric(0.5) to x", "attach randomized_response(0.8) to return", "report also = step",
    "report also when step > 2", "report seen = x", "statistic extra = sum(x over steps)",
    "memory w = 1\nupdate w = w / 2", "draw coin ~ bernoulli(0.5) once", "model other: x ~ bernoulli(0.3)",
    "model other: x ~ normal(0, 1)", "model other: x ~ point(1e300)", "param extra in [0, 1] = 1/2",
]  # fmt: skip
_DECLARED = re.compile(r"^\s*(param|let|stream|dataset|statistic|draw|memory|report|public|model)\s+(\w+)", re.M)


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
        case "add":
            lines.insert(rng.randrange(2, len(lines) + 1) if len(lines) > 2 else at, rng.choice(ADDED))
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


def _same_kind(rng: random.Random, text: str) -> str:
    """A word, an operator or a domain in the place of another that can mostly stand there."""
    kind = rng.choice(KINDS)
    pattern = "|".join(
        re.escape(word) if not word[:1].isalpha() else rf"\b{re.escape(word)}\b" for word in kind if word
    )
    places = [found for found in re.finditer(pattern, text) if text.rfind('"', 0, found.start()) < 0 or
              text.count('"', 0, found.start()) % 2 == 0]  # fmt: skip
    return _put(text, rng.choice(places), rng.choice(kind)) if places else text


def _number(rng: random.Random, text: str) -> str:
    return _put(text, _token(rng, text, str.isdigit), rng.choice(VALUES))


def _name(rng: random.Random, text: str) -> str:
    """A name where another one stands that was declared by the same word."""
    declared: dict[str, list[str]] = {}
    for word, name in _DECLARED.findall(text):
        declared.setdefault(word, []).append(name)
    names = rng.choice([*declared.values()] or [["x"]])
    places = list(re.finditer("|".join(rf"\b{name}\b" for name in names), text))
    return _put(text, rng.choice(places), rng.choice(names)) if places else text


def _wrapped(rng: random.Random, text: str) -> str:
    """A name or a number inside an expression."""
    found = _token(rng, text, str.isalnum)
    word = found.group()
    return _put(text, found, rng.choice(WRAPPED).replace("{}", word))


MEANINGS: list[Callable[[random.Random, str], str]] = [
    _same_kind, _same_kind, _same_kind, _number, _number, _name, _wrapped, _wrapped,
    lambda rng, text: _line(rng, text, "add"), lambda rng, text: _line(rng, text, "add"),
    lambda rng, text: _line(rng, text, "delete"),
]  # fmt: skip


def syntactic(rng: random.Random) -> str:
    """A spec of the library with one to four changes of its text; half of the mutants have one."""
    text = rng.choice(LIBRARY)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if _tokens(text):
            text = rng.choice(CHANGES)(rng, text)
    return text


def semantic(rng: random.Random) -> str:
    """A spec of the library with one to five changes, each of which leaves it a spec, if one of some tries does."""
    text = rng.choice(LIBRARY)
    for _ in range(rng.choice((1, 2, 3, 5))):
        for _ in range(8):
            changed = rng.choice(MEANINGS)(rng, text)
            if changed != text and is_spec(changed):
                text = changed
                break
    return text


@cache
def is_spec(text: str) -> bool:
    """Whether it can be used; an error of ours is for the commands to find, and counts as one."""
    from seqlang.diagnostics import SpecError
    from seqlang.driver import load
    from seqlang.source import Source

    try:
        load(Source("mutant", text))
    except SpecError:
        return False
    except Exception:
        return True
    return True
