"""What compiled kernels draw, against laws in closed form and the exact solver: z-values below 4.5."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_kernels import program_of
from scipy import stats

from seqlang.backends.kernels.runs import ByKernel
from seqlang.backends.simulate.chunks import Chunk, Watch, returned_labels
from seqlang.backends.solve import solve
from seqlang.driver import load, read

pytest.importorskip("numba")
RUNS = 200_000
LAWS = """
algorithm laws
param b > 0 = 2
param sd > 0 = 1.5
stream x in {0, 1}, normals in real, uniforms in real, binomials in 0..7, poissons in 0.., exponentials in real
stream among in {1, 2, 5}, weighted in {0, 3, 7}, cut in real, cut_whole in -2..3, mixed in real, points in 0..9
stream chosen in real, many in 0..12, far in real, ball in ball(2, 3)
model law: x ~ bernoulli(0.3), normals ~ normal(1, sd), uniforms ~ uniform(-1, 3), binomials ~ binomial(7, 0.3),
    poissons ~ poisson(2.5), exponentials ~ exponential(b), among ~ uniform({1, 2, 5}), weighted ~ {0: 1, 3: 0, 7: 3},
    cut ~ conditioned(normal(0, sd), 0.5, 2), cut_whole ~ conditioned(geometric(0.5), -2, 3),
    mixed ~ convolve(bernoulli(0.3), geometric(0.4)), points ~ point(3),
    chosen ~ if x == 1 then normal(5, 1) else uniform(0, 1), many ~ {k: exp(-k / 3) for k in 0..12},
    far ~ conditioned(laplace(b), 3, 4), ball ~ uniform(ball(2, 3))
statistic zero = 0 * x
statistic laplaces = zero
statistic gaussians = zero
statistic geometrics = zero
statistic discretes = zero
statistic stairs = zero
statistic gumbels = zero
statistic trees = zero
statistic lasting = zero
statistic flat = [zero, zero, zero]
statistic coin = x
statistic letter = among
statistic truth = x == 1
draw choice ~ {i: exp(x * i / 4) for i in 1..12}
draw few ~ {1: 1, 2: x, 3: 0, 4: 2}
draw law ~ if x == 1 then bernoulli(0.9) else {5: 1, 6: 1}
draw picked ~ bernoulli(0.2 + 0.5 * x)
report r1 = laplaces
report r2 = gaussians
report r3 = geometrics
report r4 = discretes
report r5 = stairs
report r6 = gumbels
report r7 = trees
report r8 = flat
report r9 = coin
report r10 = letter
report r11 = if truth then 1 else 0
report r12 = choice
report r13 = few
report r14 = law
report r15 = picked
report r16 = lasting
statistic names = normals + 0 * (uniforms + binomials + poissons + exponentials)
stop when step >= 3 return if x == 1 then one else if among == 1 then two else three
attach laplace(b) to laplaces
attach gaussian(sd) to gaussians
attach geometric(0.6) to geometrics
attach discrete_gaussian(sd) to discretes
attach staircase(1, 2, 0.3) to stairs
attach gumbel(b) to gumbels
attach tree(gaussian(sd)) to trees
attach l2_laplace(b) to flat
attach randomized_response(0.7) to coin, letter, truth
attach randomized_response(0.6) to return
attach laplace(b) to lasting once
"""


def watch() -> Watch:
    return Watch(np.zeros(1, np.int64), lambda: None)


@pytest.fixture(scope="module")
def drawn() -> tuple[Any, Chunk]:
    program = program_of(LAWS + "\n".join(f"statistic s_{name} = {name}" for name in FIELDS).join(("", "\n")))
    return program, ByKernel(program, program.models[0], 5).run(0, RUNS, None, watch())


FIELDS = (
    "normals uniforms binomials poissons exponentials among weighted cut cut_whole mixed points chosen many far ball"
).split()


def proportion(seen: Any, chance: float) -> None:
    n, k = len(seen), int(np.count_nonzero(seen))
    if chance <= 0 or chance >= 1:
        assert k == n * chance
        return
    assert abs(k - n * chance) < 4.5 * math.sqrt(n * chance * (1 - chance)), (k / n, chance)


def masses(values: Any, law: dict[float, float]) -> None:
    for value, chance in law.items():
        proportion(values == value, chance)
    if sum(law.values()) > 1 - 1e-12:
        assert set(np.unique(values)) <= set(law)


def below(values: Any, cdf: Callable[[float], float], places: tuple[float, ...]) -> None:
    for place in places:
        proportion(values <= place, float(cdf(place)))


def geometric(ratio: float, reach: int = 9) -> dict[float, float]:
    return {float(k): (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-reach, reach + 1)}
