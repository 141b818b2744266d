"""The core program shows what the interpreter of specs shows, from the same entries and draws."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from core_interpreter import CoreRun

from seqlang.analyses.automata.lower import Beyond, lowered
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.values import EvaluationError
from seqlang.driver.loading import library, load, read
from seqlang.kernel import core
from seqlang.kernel.refused import Refused
from seqlang.model.program import Program

STEPS, RUNS = 12, 15


class SameDraws:
    """Draws by name and life, which the core program reads too."""

    def __init__(self, rng: random.Random, program: Program) -> None:
        self.rng, self.program = rng, program
        self.drawn: dict[tuple[str, int], Fraction] = {}

    def of(self, name: str, life: int, family: str) -> Fraction:
        if (name, life) not in self.drawn:
            size = self.rng.choice((1, 1, 5, 30))
            value = Fraction(self.rng.randint(-size, size))
            if family != "geometric":
                value += Fraction(self.rng.randint(-512, 512), 1024)
            self.drawn[name, life] = abs(value) if family == "exponential" else value
        return self.drawn[name, life]

    def noise(self, noise: Any, life: int, law: Any, shape: tuple[int, ...]) -> float:
        assert shape == ()
        return float(self.of(noise.name, life, noise.law.family))

    def draw(self, draw: Any, life: int, law: Any) -> float:
        raise AssertionError("core programs have no choices")

    def entry(self, field: str, step: int, law: Any) -> float:
        raise AssertionError("entries are given")


def entry(rng: random.Random, declared: core.Input) -> Fraction:
    domain = declared.domain
    if isinstance(domain, core.Letters):
        return rng.choice(domain.values)
    low = Fraction(-8) if domain.low is None else domain.low
    high = low + 16 if domain.high is None else domain.high
    whole = Fraction(rng.randint(0, 64), 64) * (high - low) + low
    return Fraction(round(whole)) if domain.whole else whole


def compare(program: Program, small: core.Program, seed: int) -> int:
    """How many steps were compared."""
    rng = random.Random(seed)
    draws = SameDraws(rng, program)
    names = [(n.name, n.law.family) for n in program.noises]
    reports = program.report_names
    machine = Machine(program, draws)
    run = CoreRun(small, lambda k, life: draws.of(names[k][0], life, names[k][1]))
    for step in range(1, STEPS + 1):
        given = [entry(rng, declared) for declared in small.inputs]
        try:
            found = machine.step({f.name: float(v) for f, v in zip(program.inputs, given, strict=True)})
        except EvaluationError:
            return step - 1
        shown, stopped = run.go(dict(enumerate(given)))
        assert [reports[k] for k in sorted(shown)] == [name for name, _ in found.reports]
        for (_, value), k in zip(found.reports, sorted(shown), strict=True):
            assert value == pytest.approx(shown[k], abs=1e-9)
        assert found.stopped == (stopped is not None)
        if stopped is not None:
            result = found.result
            assert (result == pytest.approx(stopped[1], abs=1e-9)) if isinstance(result, float) else True
            return step
    return STEPS


def test_the_library() -> None:
    programs, steps = 0, 0
    for number, name in enumerate(library()):
        program = load(read(f"@{name}")).program
        try:
            small = lowered(program)
        except (Beyond, Refused):
            continue
        programs += 1
        steps += sum(compare(program, small, 1000 * number + seed) for seed in range(RUNS))
    assert programs >= 80
    assert steps >= 5000
