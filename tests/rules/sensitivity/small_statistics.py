"""Small random statistics: each as text of the language and, independently, as a Python function of a prefix."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.source import Source
from seqlang.syntax.parse import parse

Prefix = tuple[Fraction, ...]
Meaning = Callable[[Prefix], Fraction]
Statistic = tuple[str, Meaning]


def program(text: str) -> Program:
    source = Source("test", text)
    tree, problems = parse(source)
    assert tree is not None, problems
    made, problems = elaborate(tree, {})
    assert made is not None, [p.message for p in problems]
    return made


def show(value: Fraction) -> str:
    text = str(value) if value.denominator == 1 else f"({value.numerator} / {value.denominator})"
    return text if value >= 0 else f"({text})"


def entry_function(r: random.Random) -> Statistic:
    """A function g(x) of this step's entry."""
    a, b = Fraction(r.randint(-2, 2)), Fraction(r.randint(-3, 3), 2)
    return r.choice([
        ("x", lambda p: p[-1]),
        (f"({show(a)} * x + {show(b)})", lambda p: a * p[-1] + b),
        ("(x * x - x)", lambda p: p[-1] * p[-1] - p[-1]),
        (f"abs(x - {show(b)})", lambda p: abs(p[-1] - b)),
        (f"max(x, {show(b)})", lambda p: max(p[-1], b)),
        (f"clip(2 * x, {show(-abs(b))}, 1)", lambda p: min(max(2 * p[-1], -abs(b)), Fraction(1))),
        (f"(if x > {show(b)} then 1 else {show(a)})", lambda p: Fraction(1) if p[-1] > b else a),
        ("x * step", lambda p: p[-1] * len(p)),
        ("x / step", lambda p: p[-1] / len(p)),
    ])  # fmt: skip


def fold(r: random.Random) -> Statistic:
    """An accumulator over entry functions."""
    text, g = entry_function(r)
    m = r.randint(1, 3)
    a = Fraction(r.randint(-2, 4), 4)

    def values(p: Prefix) -> list[Fraction]:
        return [g(p[: i + 1]) for i in range(len(p))]

    def recursion(step: Callable[[Fraction, Fraction], Fraction]) -> Meaning:
        def run(p: Prefix) -> Fraction:
            state = Fraction(0)
            for v in values(p):
                state = step(state, v)
            return state

        return run

    return r.choice([
        (text, g),
        (f"sum({text} over steps)", lambda p: sum(values(p), Fraction(0))),
        (f"sum({text} over last {m})", lambda p: sum(values(p)[-m:], Fraction(0))),
        (f"mean({text} over steps)", lambda p: sum(values(p), Fraction(0)) / len(p)),
        (f"mean({text} over last {m})", lambda p: sum(values(p)[-m:], Fraction(0)) / len(values(p)[-m:])),
        (f"max({text} over steps)", lambda p: max(values(p))),
        (f"min({text} over last {m})", lambda p: min(values(p)[-m:])),
        (f"count({text} > 0 over steps)", lambda p: Fraction(sum(v > 0 for v in values(p)))),
        (f"sum({text} where x > 0 over steps)", lambda p: sum(positive(p, values(p)), Fraction(0))),
        (f"sum({text} since even)", lambda p: sum(segment(p, values(p)), Fraction(0))),
        (f"mean({text} since even)", lambda p: sum(segment(p, values(p)), Fraction(0)) / len(segment(p, values(p)))),
        (f"max({text} since even)", lambda p: max(segment(p, values(p)))),
        (f"previous({text}, 1)", lambda p: g(p[:-1]) if len(p) > 1 else Fraction(1)),
        (f"previous(sum({text} over steps), 0)", lambda p: sum(values(p[:-1]), Fraction(0))),
        (f"sum(previous({text}, 0) over steps)", lambda p: sum(values(p[:-1]), Fraction(0))),
        (f"RECURSION max(0, previous(SELF, 0) + {text})", recursion(lambda s, v: max(Fraction(0), s + v))),
        (f"RECURSION {show(a)} * previous(SELF, 0) + {text}", recursion(lambda s, v: a * s + v)),
        (f"RECURSION abs(previous(SELF, 0) - {text})", recursion(lambda s, v: abs(s - v))),
        (f"RECURSION clip(previous(SELF, 0) + {text}, -1, 2)",
         recursion(lambda s, v: min(max(s + v, Fraction(-1)), Fraction(2)))),
        (f"RECURSION (if x > 0 then previous(SELF, 0) + {text} else 0)",
         lambda p: recursion_if(p, values(p))),
    ])  # fmt: skip


def positive(p: Prefix, values: list[Fraction]) -> list[Fraction]:
    return [v for v, x in zip(values, p, strict=True) if x > 0]


def segment(p: Prefix, values: list[Fraction]) -> list[Fraction]:
    """The steps since the last earlier even step."""
    return values[(len(p) - 1) // 2 * 2 :]


def recursion_if(p: Prefix, values: list[Fraction]) -> Fraction:
    state = Fraction(0)
    for x, v in zip(p, values, strict=True):
        state = state + v if x > 0 else Fraction(0)
    return state


def combination(r: random.Random, names: list[str], meanings: list[Meaning]) -> Statistic:
    """A function of named statistics."""
    i, j = r.randrange(len(names)), r.randrange(len(names))
    (n, f), (k, g) = (names[i], meanings[i]), (names[j], meanings[j])
    a, b = Fraction(r.randint(-2, 2)), Fraction(r.randint(-3, 3), 2)
    return r.choice([
        (n, f),
        (f"{show(a)} * {n} + {show(b)}", lambda p: a * f(p) + b),
        (f"{n} - {k}", lambda p: f(p) - g(p)),
        (f"{n} + 2 * {k}", lambda p: f(p) + 2 * g(p)),
        (f"abs({n} - {show(b)})", lambda p: abs(f(p) - b)),
        (f"max({n}, {show(b)})", lambda p: max(f(p), b)),
        (f"min({n}, {k})", lambda p: min(f(p), g(p))),
        (f"clip({n}, -1, 1)", lambda p: min(max(f(p), Fraction(-1)), Fraction(1))),
        (f"{n} / step", lambda p: f(p) / len(p)),
        (f"{n} / (step + 1)", lambda p: f(p) / (len(p) + 1)),
        (f"(if step % 2 == 0 then {n} else {k})", lambda p: f(p) if len(p) % 2 == 0 else g(p)),
        (f"(if {n} > {show(b)} then 1 else 0)", lambda p: Fraction(f(p) > b)),
        (f"floor({n})", lambda p: Fraction(f(p) // 1)),
        (f"max([{n}, {k}])", lambda p: max(f(p), g(p))),
        (f"sum([{n}, {k}])", lambda p: f(p) + g(p)),
    ])  # fmt: skip


def text_of(adjacency: str, body: str, domain: str = "{-1, 0, 2}") -> str:
    """A program with these statements; `even` is a public report in every second step."""
    return (
        f'algorithm t "t"\nstream x in {domain}\nadjacent {adjacency}\n{body}\n'
        "report even when step % 2 == 0\nstop when step >= 4"
    )


def draw(r: random.Random) -> tuple[str, list[str], list[Meaning]]:
    """Statements that define a few statistics, their names, and what they mean."""
    names: list[str] = []
    meanings: list[Meaning] = []
    lines: list[str] = []
    for i in range(2):
        name = f"s{i}"
        text, meaning = fold(r)
        lines.append(f"statistic {name} = {text.removeprefix('RECURSION ').replace('SELF', name)}")
        names.append(name)
        meanings.append(meaning)
    for i in range(2):
        name = f"t{i}"
        text, meaning = combination(r, names, meanings)
        lines.append(f"statistic {name} = {text}")
        names.append(name)
        meanings.append(meaning)
    return "\n".join(lines), names, meanings


def extreme(r: random.Random, name: str, f: Meaning) -> Statistic:
    """The largest, smallest or mean value over steps of a named statistic."""
    m = r.randint(1, 3)
    operator, pick = r.choice([("max", max), ("min", min), ("mean", lambda v: sum(v, Fraction(0)) / len(v))])

    def values(p: Prefix) -> list[Fraction]:
        return [f(p[: i + 1]) for i in range(len(p))]

    return r.choice([
        (f"{operator}({name} over steps)", lambda p: pick(values(p))),
        (f"{operator}({name} over last {m})", lambda p: pick(values(p)[-m:])),
        (f"{operator}({name} since even)", lambda p: pick(segment(p, values(p)))),
    ])  # fmt: skip


def draw_extremes(r: random.Random) -> tuple[str, list[str], list[Meaning]]:
    """Folds, extremes of them over steps, and sums of multiples of both."""
    lines, names, meanings = draw(r)
    i = r.randrange(2)
    a, b, c = (Fraction(r.choice((-2, -1, 1, 2))) for _ in range(3))
    base, f = names[i], meanings[i]
    inner, meaning = r.choice([(base, f), (f"{show(a)} * {base}", lambda p: a * f(p))])
    text, g = extreme(r, inner, meaning)
    other, h = names[1 - i], meanings[1 - i]
    made = [
        ("e", text, g),
        ("u", f"{show(b)} * {base} - {show(b)} * e", lambda p: b * f(p) - b * g(p)),
        ("v", f"{show(b)} * {base} + {show(c)} * e", lambda p: b * f(p) + c * g(p)),
        ("w", f"{base} - e + {show(c)} * {other}", lambda p: f(p) - g(p) + c * h(p)),
    ]
    lines += "".join(f"\nstatistic {name} = {words}" for name, words, _ in made)
    return lines, [*names, *(name for name, _, _ in made)], [*meanings, *(says for _, _, says in made)]
