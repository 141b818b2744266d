"""What a number and the bound of its error hold is computed once, and the step of an error is its own."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import seqlang
from seqlang.backends.arrays import compiler as arrays
from seqlang.backends.arrays.frame import Frame
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.model.expression import Apply, Number, StepNumber

BLOCKS = """\
algorithm blocks
stream x in {0, 1}
model m: x ~ bernoulli(0.5)
let few  = {k: if k == 0 then 0.7 else 0.1 for k in 0..3}
let many = {k: if k == 3 then 0.7 else 0.1 for k in 0..3}
memory score = 0
let P0 = convolve(sum_of(3, few), geometric(exp(-1)))
let P1 = convolve(sum_of(3, many), geometric(exp(-1)))
report block when sum(1 since block) >= 3
report ones = sum(x since block) when block
update score = score + floor(log(P1.pmf(clip(ones, 0, 9)) / P0.pmf(clip(ones, 0, 9))) / 0.02 + 1 / 2) when block
stop when step >= 30 return score
attach geometric(exp(-1)) to ones
"""


def test_each_mass_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two in each of the ten blocks of a run; the bounds hold them 100 times."""
    calls = []
    real = arrays.density

    def counted(law: Any, method: str, x: Any) -> Any:
        calls.append(method)
        return real(law, method, x)

    monkeypatch.setattr(arrays, "density", counted)
    seqlang.run(BLOCKS, runs=1, seed=1, engine="numpy")
    assert len(calls) == 20


def test_the_step_of_an_error_is_its_own() -> None:
    """Where laws are the same in each step, an error is that of late steps, whatever the step is."""
    compiler = SteadyCompiler(seqlang.load(BLOCKS).loaded.program)
    twice = Apply("*", (StepNumber(), Number(Fraction(2))))
    compiler._shared = arrays._Shared()
    state: Any = SimpleNamespace(count=1, step_number=7)
    frame = Frame(state, np.zeros(1, dtype=np.intp))
    plain = compiler.compile(twice)
    error = compiler.bound(twice, Number(Fraction(1)), step=20.0)
    assert plain(frame) == 14 and error(frame) == 40 and plain(frame) == 14
