"""Two persistent noises that fresh ones connect, against a brute-force grid that the code does not know."""

from __future__ import annotations

import numpy as np
import pytest

from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, of_family
from seqlang.backends.transcript.integrals.probability import log_probability
from seqlang.backends.transcript.integrals.quadrature import COARSE, FINE, FINEST


def law(family: str, *arguments: float) -> NoiseLaw:
    made = of_family(family, *arguments)
    assert made is not None
    return made


def brute(totals: list[float], last: float, scales: tuple[float, float, float], reach: float) -> float:
    """log P(-5 + za < total + w < 5 + zb in every step, then total + w >= 5 + zb, all noises Laplace)."""
    la, lb, lw = scales
    n = 2400
    step = 2 * reach / n
    grid = -reach + step * (np.arange(n) + 0.5)  # midpoints: no node on a kink of the densities

    def below(x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0) / lw), 1 - 0.5 * np.exp(-np.maximum(x, 0) / lw))

    found = np.exp(-abs(grid)[:, None] / la - abs(grid)[None, :] / lb) / (4 * la * lb)
    low, high = -5 + grid[:, None], 5 + grid[None, :]
    for t in totals:
        found = found * np.maximum(0.0, below(high - t) - below(low - t))
    return float(np.log((found * below(last - high)).sum() * step * step))


def system(totals: list[float], last: float) -> dict[object, int]:
    a, b, w = ("a",), ("b",), ("w", ...)
    steps: dict[object, int] = {}
    for t in totals:
        above = (5.0 - t, ((b, 1.0), (w, -1.0)), True)
        below = (t + 5.0, ((a, -1.0), (w, 1.0)), True)
        key = ((above, below),)
        steps[key] = steps.get(key, 0) + 1
    steps[(((last - 5.0, ((b, -1.0), (w, 1.0)), False),),)] = 1
    return steps


@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (2.0, 1.0, 3.0), (0.7, 2.0, 1.0)])
@pytest.mark.parametrize(("totals", "last"), [([0.0, 1.0, 4.0], 4.0), ([4.0, 6.0, 6.0, -3.0, -6.0], -6.0)])
def test_against_a_grid(scales: tuple[float, float, float], totals: list[float], last: float) -> None:
    laws: dict[object, NoiseLaw] = dict(zip("abw", (law("laplace", b) for b in scales), strict=True))
    truth = brute(totals, last, scales, 60 * max(scales) ** 0.5)
    for accuracy in (FINE, FINEST):
        answer = log_probability(system(totals, last), lambda key: laws[key[0]], accuracy)
        assert answer.error < 1e-2
        assert answer.log == pytest.approx(truth, abs=2e-3)
    rough = log_probability(system(totals, last), lambda key: laws[key[0]], COARSE)
    assert rough.log == pytest.approx(truth, abs=0.4)


def test_mass_far_out_is_not_cut_off() -> None:
    """Many steps far above the threshold push its noise beyond forty scales: a shift by one costs exactly 1."""
    laws = {"a": law("laplace", 1.0), "b": law("laplace", 1.0), "w": law("laplace", 1.0)}
    logs = [log_probability(system([t] * 48, t), lambda key: laws[key[0]], FINEST).log for t in (50.0, 51.0)]
    assert logs[0] - logs[1] == pytest.approx(1.0, abs=1e-6)


def test_gaussian_noises() -> None:
    """One step: P(-5 + za < w < 5 + zb) by the normal law of the two differences, nearly independent."""
    laws = {"a": law("gaussian", 1.0), "b": law("gaussian", 1.0), "w": law("gaussian", 1.0)}
    a, b, w = ("a",), ("b",), ("w", ...)
    key = (((5.0, ((b, 1.0), (w, -1.0)), True), (5.0, ((a, -1.0), (w, 1.0)), True)),)
    answer = log_probability({key: 1}, lambda key: laws[key[0]], FINEST)
    from math import erfc, log1p

    outside = erfc(5 / 2)  # each difference has variance 2: 2 * Q(5 / sqrt 2)
    assert answer.log == pytest.approx(log1p(-outside), abs=1e-6)
