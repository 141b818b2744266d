"""Kernels read nothing that they have not written: poisoned memory gives the same numbers, every time."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from lane_kernels import outcomes, same
from plain_kernels import as_python, program_of
from poison import PoisonedNumpy, poison, poisoned

from seqlang.backends.kernels import runs
from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.lanes.kernel import lane_text
from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import Lowered, lower
from seqlang.backends.kernels.one_by_one import scalar_text
from seqlang.backends.montecarlo.simulate import simulate

CUT = """
algorithm cut
stream x in {0, 1}
model a: x ~ if step < 2 then bernoulli(0.3) else bernoulli(0.5)
statistic s = sum(x over steps)
stop when s >= 3 return r0
stop when step >= 3 return r2
"""
"""The step is cut between the two draws, and only what follows can meet an error."""
LAWS = (
    "bernoulli(0.3)", "uniform({0, 1})", "{0: 1, 1: 2}", "point(step % 2)", "conditioned(binomial(3, 0.2), 0, 1)",
    "{0: 0.5, 1: step}",
)  # fmt: skip


def lowered_of(text: str) -> Lowered:
    program = program_of(text)
    return lower(program, ModelInputs(program.models[0]))


def random_model(rng: random.Random) -> str:
    """A program whose model draws by conditions on the step, on another field and on what was drawn before."""

    def law(depth: int, tests: tuple[str, ...]) -> str:
        if depth == 0 or rng.random() < 0.3:
            return rng.choice(LAWS)
        return f"if {rng.choice(tests)} then {law(depth - 1, tests)} else {law(depth - 1, tests)}"

    tests = ("step < 3", "step % 2 == 0", "step > 4")
    noise = rng.choice(("", "attach laplace(1) to T each r\n", "attach geometric(0.5) to s each r\n"))
    return (
        "algorithm random_model\nparam T = 4\nstream x in {0, 1}, y in {0, 1}\n"
        f"model a: x ~ {law(2, tests)}, y ~ {law(2, (*tests, 'x == 1'))}\n"
        "statistic s = sum(x + y over steps)\nreport r when s >= T\n"
        f"{noise}stop when count(r over steps) >= 2 return often\n"
        f"stop when s >= {rng.randrange(3, 9)} return high\nstop when step >= {rng.randrange(2, 9)} return late\n"
    )


@pytest.mark.parametrize("text", [CUT, *(random_model(random.Random(seed)) for seed in range(12))])
def test_lanes_and_single_runs_agree_whatever_was_in_memory(text: str) -> None:
    lowered = lowered_of(text)
    lanes = lane_text(lowered.kernel)
    single = outcomes(as_python(scalar_text(lowered.kernel)), lowered.kernel, lowered.constants, 90)
    assert single["fault"].tolist() == [0, 0, 0], "the model never leaves its domain"
    assert single["steps"].max() <= 8
    if lanes is not None:
        same(single, outcomes(as_python(lanes), lowered.kernel, lowered.constants, 90))


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 2000, 50))
def test_many_lanes_and_single_runs_agree_whatever_was_in_memory(first: int) -> None:
    for seed in range(first, first + 50):
        test_lanes_and_single_runs_agree_whatever_was_in_memory(random_model(random.Random(1000 + seed)))


def test_compiled_lanes_give_the_same_numbers_a_hundred_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps, so P(r0) = 0.3 * 0.5 * 0.5; under poison, and as memory happens to be."""
    program = program_of(CUT)

    def once() -> tuple[Any, ...]:
        found = simulate(program, None, runs=20_000, seed=1, engine="compiled", threads=1)
        return found.steps.tobytes(), found.codes.tobytes(), found.statistics["s"].tobytes()

    first = once()
    assert abs(np.mean(np.frombuffer(first[1], np.int64) == 0) - 0.075) < 5 * np.sqrt(0.075 * 0.925 / 20_000)
    assert all(once() == first for _ in range(100))
    plain = build.source
    monkeypatch.setattr(build, "source", lambda kernel: poisoned(plain(kernel)))
    monkeypatch.setattr(runs, "np", PoisonedNumpy(("empty",)))
    assert all(once() == first for _ in range(3))


def test_poison_is_no_number_and_no_index() -> None:
    assert np.isnan(poison(3)).all()
    assert poison((2, 2), np.int64).max() < -(1 << 40)
    text = poisoned("a = np.empty(k + 8, np.int64)\nb = np.zeros((2, m), np.float64)\nc = np.empty(4, np.uint64)\n")
    assert "np.empty" not in text
    assert "np.zeros" not in text
