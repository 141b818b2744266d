"""Specs by hand and by chance, for the tests of rare returns."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from lattice_oracle import Case, Noise

from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.source import Source
from seqlang.syntax import parse


def program(text: str, **values: Any) -> Program:
    """The typed model of a text."""
    tree, problems = parse(Source("<text>", text))
    assert tree is not None, problems
    found, diagnostics = elaborate(tree, {k: Fraction(str(v)) for k, v in values.items()})
    assert found is not None, diagnostics
    return found


SPRT = """
algorithm sprt
param p0 in (0, 1) = 0.4
param p1 in (0, 1) = 0.6
param h > 0 = 40
stream x in {0, 1}
model null:        x ~ bernoulli(p0)
model alternative: x ~ bernoulli(p1)
statistic llr = sum(log(alternative.pmf(x) / null.pmf(x)) over steps)
stop when llr >= h return reject
stop when llr <= -h return accept
"""

LAPLACE = {
    size: Case((-1, 1), (0.7, 0.3), 8.0, 30.0, "high", Noise("laplace", size), "walk", Noise("gaussian", 1.0))
    for size in (0.3, 1.18, 4.0)
}
SUMMED = {LAPLACE[1.18]: 1.6159866126031933e-10, LAPLACE[4.0]: 3.7940031590869325e-4}
"""What `lattice_oracle.chance_of_reject` says after seconds of work; with `--long` it says it again."""

NOISY = Case((-1, 1), (0.7, 0.3), 20.0, 48.15, "high", Noise("gaussian", 2.0), "apart", Noise("gaussian", 4.0))
"""The chance to reject is 6.8e-15."""


def random_test(seed: int) -> Case:
    """A walk between two ends, with or without noise of either life."""
    r = random.Random(seed)
    letters = r.choice([(-1, 1), (-1, 1), (-1, 0, 1), (-2, 1), (-1, 2), (-2, -1, 0, 3)])
    weights = [r.uniform(0.2, 1) * (5 if v < 0 else 1) for v in letters]
    chances = [round(w / sum(weights), 3) for w in weights]
    chances[0] = round(1 - sum(chances[1:]), 3)
    a, b = float(r.randint(3, 12)), float(r.randint(4, 24))
    once = r.choice(["none", "high", "same", "wide"])
    step = r.choice(["none", "apart", "walk"])
    once_noise = None if once == "none" else Noise(r.choice(["laplace", "gaussian"]), round(r.uniform(0.8, 5), 2))
    step_noise = None if step == "none" else Noise(r.choice(["laplace", "gaussian"]), round(r.uniform(1.5, 6), 2))
    return Case(letters, tuple(chances), a, b, once, once_noise, step, step_noise)
