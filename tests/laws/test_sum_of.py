"""sum_of(n, P) in every engine, against all ways to draw the n values."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from seqlang.backends.arrays import laws as arrays
from seqlang.backends.arrays.streams import Source, Streams
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.laws import make_law
from seqlang.backends.interpret.laws.listed import Table
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.transcript import finite_laws
from seqlang.diagnostics import SpecError
from seqlang.driver.loading import load
from seqlang.source import NOWHERE
from seqlang.source import Source as Text

VALUES = ((-1, Fraction(1, 2)), (0, Fraction(3, 10)), (2, Fraction(1, 5)))
PAIRS = tuple((v, float(p)) for v, p in VALUES)
NOISE = 0.4


def masses(n: int) -> dict[int, float]:
    """By listing all 3^n ways."""
    found: dict[int, Fraction] = {}
    for way in itertools.product(VALUES, repeat=n):
        total = sum(v for v, _ in way)
        found[total] = found.get(total, Fraction(0)) + math.prod((p for _, p in way), start=Fraction(1))
    return {total: float(p) for total, p in found.items()}


def noisy(n: int, x: int) -> float:
    return sum(p * (1 - NOISE) / (1 + NOISE) * NOISE ** abs(x - s) for s, p in masses(n).items())


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_masses_in_every_engine(n: int) -> None:
    true = masses(n)
    one = make_law("sum_of", (n, Table(PAIRS)), NOWHERE)
    many = arrays.make("sum_of", float(n), arrays.Table([v for v, _ in PAIRS], [p for _, p in PAIRS]))
    raw = ("sum_of", n, ("weights", PAIRS))
    for x in range(-7, 12):
        below = sum(p for s, p in true.items() if s <= x)
        assert one.pmf(x) == pytest.approx(true.get(x, 0.0), abs=1e-15)
        assert one.cdf(x) == pytest.approx(below, abs=1e-15)
        assert float(many.pmf(np.array([float(x)]))[0]) == pytest.approx(true.get(x, 0.0), abs=1e-15)
        assert float(many.cdf(np.array([x + 0.5]))[0]) == pytest.approx(below, abs=1e-15)
        assert finite_laws.mass(raw, x) == pytest.approx(true.get(x, 0.0), abs=1e-15)
        together = finite_laws.mass(("convolve", ("geometric", NOISE), raw), x)
        assert together == pytest.approx(noisy(n, x), rel=1e-13)
    assert set(one.support() or ()) == set(true)
    assert one.pmf(0.5) == 0 and float(many.pmf(np.array([0.5]))[0]) == 0


def test_counts_that_differ_from_run_to_run() -> None:
    counts, at = np.array([1.0, 3.0, 0.0, 3.0]), np.array([-1.0, 2.0, 0.0, -9.0])
    table = arrays.Table([v for v, _ in PAIRS], [p for _, p in PAIRS])
    found = arrays.make("convolve", arrays.make("sum_of", counts, table), arrays.make("geometric", NOISE)).pmf(at)
    assert found == pytest.approx([noisy(int(n), int(x)) for n, x in zip(counts, at, strict=True)], rel=1e-12)


def test_draws() -> None:
    """Mean and variance of 5 values are 5 times those of one, -1/10 and 129/100."""
    random, one = Random(1), make_law("sum_of", (5, Table(PAIRS)), NOWHERE)
    many = arrays.make("sum_of", np.full(4000, 5.0), arrays.Table([v for v, _ in PAIRS], [p for _, p in PAIRS]))
    source = Source(Streams(3, np.arange(4000), "noise"), None)
    for drawn in (np.array([one.sample(random) for _ in range(4000)]), many.sample(source, ())):
        assert abs(drawn.mean() + 0.5) < 5 * math.sqrt(6.45 / 4000)
        assert abs(drawn.var() - 6.45) < 0.8


def test_what_has_no_masses_says_so() -> None:
    with pytest.raises(EvaluationError, match="whole number of variables"):
        make_law("sum_of", (1.5, Table(PAIRS)), NOWHERE)
    with pytest.raises(EvaluationError, match="finitely many whole values"):
        make_law("sum_of", (2, Table(((0.5, 1.0),))), NOWHERE).pmf(1)
    with pytest.raises(CannotVectorise):
        arrays.make("sum_of", 2.0, arrays.Table([0.5], [1.0])).pmf(np.array([1.0]))


@pytest.mark.parametrize(
    ("law", "said"),
    [("sum_of(3, {0: 1, 1: 1})", "leaves its domain"), ("sum_of(-1, bernoulli(1 / 2))", "whole number from 0"),
     ("sum_of(2, 0.5)", "law")],
)  # fmt: skip
def test_the_elaborator_knows_it(law: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        load(Text("a", f"algorithm a\nstream x in 0..2\nmodel data: x ~ {law}\nstop when x >= 3"))
