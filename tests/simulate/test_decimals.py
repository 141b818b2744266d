"""Budgets in decimals: every engine and the exact solver stop where exact arithmetic does."""

from __future__ import annotations

import numpy as np
import pytest

import seqlang
from seqlang.backends.montecarlo.simulate import simulate

SPEC = """\
algorithm budget
stream x in {{0, 1}}
model fair: x ~ {{0: 1/2, 1: 1/2}}
{body}
"""
TEN = (
    "memory m = 0\nupdate m = m + 0.1\nstop when m >= 1",
    "stop when sum(0.1 over steps) >= 1",
    "stop when step * 0.7 >= 7",
    "param a = 0.1\nstop when step >= a * 3 * 10 + 7",
)


@pytest.mark.parametrize("engine", ["interpreter", "numpy", "kernel"])
@pytest.mark.parametrize("body", TEN)
def test_every_engine_makes_ten_steps(body, engine):
    program = seqlang.load(SPEC.format(body=body)).loaded.program
    assert set(np.asarray(simulate(program, "fair", runs=3, seed=1, cap=40, engine=engine).steps)) == {10}


@pytest.mark.parametrize("body", TEN)
def test_the_exact_law_says_the_same(body):
    (found,) = seqlang.solve(seqlang.load(SPEC.format(body=body)))
    assert found.expected_steps == pytest.approx(10)


@pytest.mark.parametrize("engine", ["interpreter", "numpy", "kernel"])
@pytest.mark.parametrize("inputs", ["stream x in {0, 1}", "stream x in 0..1"])
def test_what_is_computed_of_listed_inputs_is_compared_exactly(inputs, engine):
    """.1 + .2 is not more than .3, where the tenths are multiplied by data as well."""
    body = "stop when 0.1 * x + 0.2 * x > 0.3 return more\nstop when step >= 4 return equal"
    text = f"algorithm tenths\n{inputs}\nmodel ones: x ~ {{1: 1}}\n{body}\n"
    done = simulate(seqlang.load(text).loaded.program, "ones", runs=2, seed=1, cap=9, engine=engine)
    assert set(np.asarray(done.steps)) == {4}
