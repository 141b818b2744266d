"""Programs that had two values once, with the one that exact arithmetic gives, and what every part makes of them.

`python -m one_value.cases` in `tests/properties` prints a table; with the PYTHONPATH of another version, that one's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import seqlang

ENGINES = ("interpreter", "numpy", "compiled")
Outcome = tuple[int, Fraction]
LONGEST = 4000
"""Steps."""


@dataclass(frozen=True)
class Case:
    """A program that ends with the same outcome (the step, and what is returned) whatever its entries are."""

    name: str
    text: str
    wanted: Outcome


def _case(name: str, text: str, step: int, value: int | str, letters: str = "0, 1") -> Case:
    head = f"algorithm a\nstream x in {{{letters}}}\nmodel even: x ~ uniform({{{letters}}})\n"
    return Case(name, head + text + "\n", (step, Fraction(value)))


def _returned(expression: str, value: int | str, letters: str = "0, 1", named: str = "") -> Case:
    """What a program returns in its first step."""
    return _case(named or expression, f"stop when step >= 1 return {expression}", 1, value, letters)


def _named(expression: str, value: int) -> Case:
    text = f"let k = {expression}\nstop when step >= 1 return k"
    return _case(f"let k = {expression}", text, 1, value)


CASES = (
    _case("floor(spent * 10) >= 10", "memory spent = 0\nupdate spent = spent + 0.1\n"
          "stop when floor(spent * 10) >= 10 return 1", 10, 1),
    _case("floor(step * 0.29) >= 29", "stop when floor(step * 0.29) >= 29 return 1", 100, 1),
    _case("(step * 0.1) % 0.3 == 0", "stop when (step * 0.1) % 0.3 == 0 return 1", 3, 1),
    _case("ceil(x * 100) >= 8", "stop when ceil(x * 100) >= 8 return 1\nstop when step >= 1 return 0", 1, 0,
          "0.06, 0.07"),
    _case("sum((0.7 % 0.1) over last 7)", "statistic s = sum((0.7 % 0.1) over last 7)\n"
          "stop when step >= 9 return s", 9, 0),
    _case("sum(ceil(x * 100) where step >= 3000 over steps)",
          "statistic s = sum(ceil(x * 100) where step >= 3000 over steps)\nstop when step >= 3002 return s", 3002, 21,
          "0.07"),
    *(
        _case(f"ceil({p} * step) > {q}", f"stop when ceil({p} * step) > {q} return 1", 101, 1)
        for p, q in (("0.07", 7), ("0.14", 14), ("0.28", 28), ("0.55", 55), ("0.56", 56))
    ),
    *(
        _case(f"floor({p} * step) >= {q}", f"stop when floor({p} * step) >= {q} return 1", 100, 1)
        for p, q in (("0.29", 29), ("0.57", 57), ("0.58", 58))
    ),
    _returned("argmax([0.3, 3 * abs(-0.1), 0.2])", 1),
    _returned("argmax([0.3, 3 * abs(-0.1)])", 1),
    _returned("if 3 % 0.1 > 0.05 then 1 else 0", 0),
    _returned("ceil((0.1 * min(step, 1) + 0.2) * 10)", 3),
    _returned("if sqrt(2) * sqrt(2) > 2 then 1 else 0", 0),
    _named("ceil(exp(log(3)))", 3),
    _named("ceil(project([3, 4], ball(1, 2))[1] * 5)", 3),
    _named("ceil(clip_norm([3, 4], 1)[1] * 5)", 3),
    _named("ceil(dot([0.1, 0.2], [1, 1]) * 10)", 3),
    _named("ceil(sum([0.1, 0.2]) * 10)", 3),
    _named("ceil(mean([0.1, 0.2, 0.3]) * 15)", 3),
    _case("bounds[step / 2]", "let bounds = [5, 7]\nstop when step >= 2 return bounds[step / 2]", 2, 5),
    _returned("[5, 7][2^0]", 5),
    _returned("[5, 7][mean([1, 3])]", 7),
    _returned("[5, 7][0.5 * 4]", 7),
)  # fmt: skip

SEVEN = """algorithm seven
stream harmed in {0, 1}
model usual: harmed ~ bernoulli(0.05)
statistic total = sum(harmed over steps)
stop when step % 100 == 0 and total >= ceil(0.07 * step) return halt
stop when step >= 300 return go
attach geometric(exp(-3)) to total
claim probability(halt) <= 0.2 under usual
"""
HALTS = 0.288294
"""The chance of `halt` with thresholds of 7, 14 and 21."""

_WEAK = """algorithm weak_one
stream x in {{0, 1}}
model m: x ~ bernoulli(0.5)
{}
attach geometric(exp(-5)) to r
stop when step >= 2
claim weak pure(0.1) under m
"""
_STRONG = """algorithm strong_one
param lw > 0 = 1
param b = 10
stream x in [0, 1]
{}
stop when total >= b
attach laplace(lw) to b once
attach laplace(lw) to total
claim strong pure(3 / lw)
"""
_REPORTED = """algorithm reported
stream x in {{0, 1}}
model m: x ~ bernoulli(0.5)
{}
report r = {}
attach geometric(exp(-1)) to r
stop when step >= 1
claim strong pure({})
"""
CLAIMS = (
    ("the chance that exact thresholds give", SEVEN, ("refuted",)),
    ("a largest price", _WEAK.format(
        "let price = [0.3, 3 * abs(-0.1)]\nreport r = if argmax(price) == 2 then 0 else x"), ("refuted",)),
    ("a remainder", _WEAK.format("report r = if 3 % 0.1 > 0.05 then 0 else x"), ("refuted",)),
    ("a rounded logarithm", _REPORTED.format("let k = ceil(exp(log(3)))", "k * x", 3), ("proved", "unknown")),
    ("a square of a root", _REPORTED.format(
        "let side = sqrt(2)", "(if side * side > 2 then 2 else 1) * x", 1), ("proved", "unknown")),
    *(
        (f"a coefficient {k}", _STRONG.format(
            f"let k = {k}\nstatistic total = sum((if step >= 3000 then k else 3) * x over steps)"), ("proved",))
        for k in ("ceil(project([3, 4], ball(1, 2))[1] * 5)", "ceil(clip_norm([3, 4], 1)[1] * 5)",
                  "ceil(dot([0.1, 0.2], [1, 1]) * 10)", "ceil(sum([0.1, 0.2]) * 10)",
                  "ceil(mean([0.1, 0.2, 0.3]) * 15)")
    ),
    ("a coefficient of the step", _STRONG.format(
        "statistic total = sum(ceil((0.1 * min(step, 1) + 0.2) * 10) * x over steps)"), ("proved",)),
)  # fmt: skip
"""Name, text, and the verdicts that are true of the program that every engine runs."""


class Unfinished(Exception):
    """The program has not ended, or its law has not come to the step in which it does."""


def by_run(case: Case, engine: Any) -> Outcome:
    found = seqlang.run(case.text, runs=50, engine=engine, cap=LONGEST)[0].to_dict()
    if not found["returns"]:
        raise Unfinished
    assert found["steps"]["min"] == found["steps"]["max"], "the runs differ"
    values = [Fraction(v) for v in found["returns"]]
    assert len(values) == 1, "the runs differ"
    return int(found["steps"]["min"]), values[0]


def by_solve(case: Case) -> Outcome:
    """Raises SpecError where there is no exact law, and Unfinished where it is not followed to its end."""
    solution = seqlang.solve(case.text)[0].solution
    places = [(int(step), int(outcome)) for step, outcome in zip(*solution.table.nonzero(), strict=True)]
    if not places:
        raise Unfinished
    ((step, outcome),) = places
    return step + 1, Fraction(solution.outcomes[outcome])


def by_release(case: Case) -> Outcome:
    """A run on one sequence of entries."""
    from seqlang.release.exact.run import ExactRun

    program = seqlang.load(case.text).loaded.program
    run, letter = ExactRun(program), Fraction(case.text.split("{")[1].split("}")[0].split(",")[0])
    for _ in range(LONGEST):
        look = run.advance({"x": letter.numerator if letter.denominator == 1 else letter})
        if look.stopped:
            return look.step, Fraction(look.result)
    raise Unfinished


def parts() -> Iterator[tuple[str, Callable[[Case], Outcome]]]:
    for engine in ENGINES:
        yield engine, lambda case, engine=engine: by_run(case, engine)
    yield "solve", by_solve
    yield "release", by_release


def verdict(text: str) -> str:
    """Of the one claim."""
    return str(seqlang.check(text).to_dict()["claims"][0]["verdict"])


def _told(part: Callable[[Case], Outcome], case: Case) -> str:
    try:
        step, value = part(case)
    except Exception as why:  # the table is also made of older versions, which end in errors of many kinds
        return f"{type(why).__name__} {str(why)[:40]}".replace("\n", " ")
    return f"{value} in step {step}"


def main() -> None:
    print("| program | exactly |", " | ".join(name for name, _ in parts()), "|")
    for case in CASES:
        step, value = case.wanted
        told = [_told(part, case) for _, part in parts()]
        print(f"| `{case.name}` | {value} in step {step} |", " | ".join(told), "|", flush=True)
    for name, text, allowed in CLAIMS:
        try:
            found = verdict(text)
        except Exception as why:  # see `_told`
            found = f"{type(why).__name__} {str(why)[:60]}".replace("\n", " ")
        print(f"| {name} | {' or '.join(allowed)} | {found} |", flush=True)
    print("halt:", seqlang.solve(SEVEN)[0].returns, *(seqlang.run(SEVEN, engine=e)[0].returns for e in ENGINES))


if __name__ == "__main__":
    main()
