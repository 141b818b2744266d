"""What a neighbour makes of released numbers, at what the same numbers cost: where each number that is shown has a
discrete Laplace noise of its own, the noise on the neighbour is the first one shifted by the difference of what is
noised. The shifts of one whole run, each at its rate, cost at most the loss that is claimed and proved."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

import pytest
from released import loaded
from replays import RELEASED, Pair, released, replayed

from seqlang.model import expression as ir
from seqlang.model.life import EachStep
from seqlang.model.program import Program, Report, Stop
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.functions import Value
from seqlang.release.exact.plan import is_private
from seqlang.release.rows import Form

QUICK = ("suite/smartsum", "suite/histogram")


def rates(program: Program) -> dict[str, Fraction] | None:
    """What a shift by one costs, for each private number that is shown; None where another private thing is."""
    found: dict[str, Fraction] = {}
    noises = set()
    for statement in program.body:
        if not isinstance(statement, Report | Stop):
            continue
        name, value = (
            (statement.name, statement.value)
            if isinstance(statement, Report)
            else (f"stop {statement.index}", statement.result)
        )
        if statement.when is not None and is_private(program, statement.when):
            return None
        if value is None or not is_private(program, value):
            continue
        rate = _rate(program, value)
        if rate is None or not isinstance(value, ir.Noised) or value.terms[0].noise in noises:
            return None
        noises.add(value.terms[0].noise)
        found[name] = rate
    return found


def _rate(program: Program, value: ir.Expression) -> Fraction | None:
    match value:
        case ir.Noised(_, _, (ir.Term(name, ir.Number(Fraction(numerator=1, denominator=1))),)):
            noise = program.noise(name)
            match noise.law:
                case ir.Law("geometric", (ir.Apply("exp", (rate,)),)) if isinstance(noise.life, EachStep):
                    return -Fraction(Compiler(program).constant(rate))
    return None


def cost(program: Program, pair: Pair) -> Fraction:
    """Of all shifts of the run."""
    known, total = rates(program) or {}, Fraction(0)
    for (where, (_, mine)), (same, (_, other)) in zip(pair.first.decisions, pair.forced.decisions, strict=True):
        assert where == same
        total += known[where[1]] * sum(abs(a - b) for a, b in zip(numbers(mine), numbers(other), strict=True))
    return total


def numbers(value: Value) -> list[Fraction]:
    return list(chain(*map(numbers, value))) if isinstance(value, tuple) else [] if value is None else [Fraction(value)]


def claimed(program: Program) -> list[Value]:
    """The epsilons of its pure claims."""
    made = [c.privacy for c in program.claims if c.kind == "strong" and c.privacy and c.privacy.notion == "pure"]
    return [Compiler(program).constant(privacy.arguments[0]) for privacy in made]


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.long) for n in RELEASED])
def test_the_library(name: str) -> None:
    made, form = released(name)
    if not rates(made.program):
        pytest.skip("it shows more than numbers with a discrete Laplace noise of their own")
    pairs = [replayed(made, form, seed) for seed in range(12)]
    found = [cost(made.program, pair) for pair in pairs]
    assert max(found) <= min(claimed(made.program))
    assert max(found) > 0 or not any(fired for pair in pairs for _, (fired, _) in pair.first.decisions)


def test_that_too_little_noise_is_noticed() -> None:
    """Sums of entries up to 3 at a rate of 1/2, with a claim of 1."""
    made = loaded("algorithm a\nstream x in 0..3\nreport r = sum(x over last 2) when step % 2 == 0\n"
                  "stop when step >= 8\nattach geometric(exp(-1 / 2)) to r\nclaim strong pure(1)\n")  # fmt: skip
    found = [cost(made.program, replayed(made, Form(), seed, 8)) for seed in range(12)]
    assert max(found) > claimed(made.program)[0]
