"""The core program shows what the interpreter of specs shows, from the same entries and draws."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from core_interpreter import CoreRun

from seqlang.analyses.automata.lists import Beyond
from seqlang.analyses.automata.lower import Lowered, lowered_with_names
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.values import EvaluationError
from seqlang.driver.loading import library, load, read
from seqlang.kernel import core
from seqlang.kernel.refused import Refused
from seqlang.model.program import Program
from seqlang.source import Source

STEPS, RUNS = 12, 15


class SameDraws:
    """Draws by name and life, which the core program reads too."""

    def __init__(self, rng: random.Random, program: Program) -> None:
        self.rng, self.program = rng, program
        self.drawn: dict[tuple[str, int | None, int], Fraction] = {}
        self.picked: dict[tuple[str, int | None, int], tuple[Any, Any]] = {}

    def of(self, name: str, element: int | None, life: int, family: str) -> Fraction:
        if (name, element, life) not in self.drawn:
            size = self.rng.choice((1, 1, 5, 30))
            value = Fraction(self.rng.randint(-size, size))
            if family != "geometric":
                value += Fraction(self.rng.randint(-512, 512), 1024)
            self.drawn[name, element, life] = abs(value) if family == "exponential" else value
        return self.drawn[name, element, life]

    def pick(self, name: str, element: int | None, step: int, pick: core.Pick, weights: list[Any]) -> int:
        """The place of what the spec's interpreter drew; its law has the chances that the weights say."""
        law, value = self.picked.get((name, element, step), (None, None))
        if law is None:
            return self.rng.randrange(len(weights))  # nobody reads it in the spec
        total = float(sum(weights))
        if law.name == "randomized_response":  # the truth is where the first part of the weight is
            truth = next(k for k, w in enumerate(weights) if float(w) / total == pytest.approx(law.truth, abs=1e-12))
            return (truth + int(value)) % len(weights)
        assert law.pmf(value) == pytest.approx(float(weights[pick.values.index(Fraction(str(value)))]) / total)
        return pick.values.index(Fraction(str(value)))

    def one(self, name: str, element: int | None, life: int, law: Any) -> Any:
        self.picked[name, element, life] = law, law.sample(self.rng)
        return self.picked[name, element, life][1]

    def noise(self, noise: Any, life: int, law: Any, shape: tuple[int, ...]) -> Any:
        if law.name in ("randomized_response", "uniform", "bernoulli", "weights"):
            elements = [None] if shape == () else list(range(*shape))
            found = tuple(self.one(noise.name, k, life, law) for k in elements)
            return found if shape else found[0]
        if shape == ():
            return float(self.of(noise.name, None, life, noise.law.family))
        assert len(shape) == 1
        return tuple(float(self.of(noise.name, k, life, noise.law.family)) for k in range(shape[0]))

    def draw(self, draw: Any, life: int, law: Any) -> Any:
        return self.one(draw.name, None, life, law)

    def entry(self, field: str, step: int, law: Any) -> float:
        raise AssertionError("entries are given")


def entry(rng: random.Random, domain: core.Letters | core.Range) -> Fraction:
    if isinstance(domain, core.Letters):
        return rng.choice(domain.values)
    low = Fraction(-8) if domain.low is None else domain.low
    high = low + 16 if domain.high is None else domain.high
    whole = Fraction(rng.randint(0, 64), 64) * (high - low) + low
    return Fraction(round(whole)) if domain.whole else whole


def named(names: Sequence[tuple[str, int | None]], values: Sequence[Fraction]) -> dict[str, Any]:
    """The numbers of an entry or a row by name; those of a list together."""
    found: dict[str, Any] = {}
    for (name, element), value in zip(names, values, strict=True):
        found[name] = float(value) if element is None else (*found.get(name, ()), float(value))
    return found


def close(one: Any, other: Any) -> bool:
    if isinstance(other, tuple):
        return len(one) == len(other) and all(map(close, one, other))
    return bool(one == pytest.approx(other, abs=1e-9)) if isinstance(one, float) else True


def compare(program: Program, lowered: Lowered, seed: int) -> int:
    """How many steps were compared."""
    rng = random.Random(seed)
    draws = SameDraws(rng, program)
    small = lowered.program
    reports = program.report_names
    machine = Machine(program, draws)
    rows = (
        [] if small.rows is None else [[entry(rng, d) for d in small.rows.fields] for _ in range(small.rows.size or 5)]
    )
    if rows:
        records = [named(lowered.rows, row) for row in rows]
        machine.load({name: [record[name] for record in records] for name in records[0]})
    run = CoreRun(
        small, lambda k, life: draws.of(*lowered.draws[k], life, small.draws[k].law), rows,
        lambda k, step, weights: draws.pick(*lowered.picks[k], step, small.picks[k], weights),
    )  # fmt: skip
    for step in range(1, STEPS + 1):
        given = [entry(rng, declared.domain) for declared in small.inputs]
        try:
            found = machine.step(named(lowered.inputs, given))
        except EvaluationError:
            return step - 1
        shown, stopped = run.go(dict(enumerate(given)))
        assert [reports[k] for k in sorted(shown)] == [name for name, _ in found.reports]
        for (_, value), k in zip(found.reports, sorted(shown), strict=True):
            assert close(value, shown[k])
        assert found.stopped == (stopped is not None)
        if stopped is not None:
            assert close(found.result, stopped[1])
            return step
    return STEPS


def test_lists_over_the_rows_are_not_read_below_a_change() -> None:
    """The memory is 1 where the list is made, and 2 where it is added up."""
    text = (
        "algorithm a\ndataset x in [0, 1] size 3\nmemory w = 1\nstatistic scaled = [w * x[i] for i in records]\n"
        "update w = w + 1\nreport r = sum(scaled)\nstop when step >= 3\n"
    )
    program = load(Source("a.seq", text)).program
    for seed in range(RUNS):
        compare(program, lowered_with_names(program), seed)


def test_the_library() -> None:
    programs, steps = 0, 0
    for number, name in enumerate(library()):
        program = load(read(f"@{name}")).program
        try:
            small = lowered_with_names(program)
        except (Beyond, Refused):
            continue
        programs += 1
        steps += sum(compare(program, small, 1000 * number + seed) for seed in range(RUNS))
    assert programs >= 110
    assert steps >= 5000
