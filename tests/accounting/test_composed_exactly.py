"""Sums of losses by Fourier transform against the same sums as powers of polynomials in ball arithmetic (Arb)."""

from __future__ import annotations

import numpy as np
import pytest

from seqlang.accounting.numeric.compose import Composed, composed
from seqlang.accounting.numeric.losses import Losses, losses
from seqlang.accounting.numeric.parts import Laplace, Part, Pure, Subsampled
from seqlang.accounting.numeric.search import by_orders, epsilon

flint = pytest.importorskip("flint")
arb, arb_poly = flint.arb, flint.arb_poly

CASES: list[tuple[tuple[Part, ...], float]] = [
    ((Pure(0.5, 20),), 0.05),
    ((Pure(0.1, 300),), 0.02),
    ((Laplace(0.3, 40), Pure(0.7, 5)), 0.03),
    ((Subsampled(0.1, 1.0, False, 64),), 0.05),
    ((Subsampled(0.3, 2.0, True, 30), Laplace(1.0, 7)), 0.05),
]


@pytest.fixture(autouse=True)
def precise() -> object:
    before = flint.ctx.prec
    flint.ctx.prec = 160
    yield None
    flint.ctx.prec = before


def exact_sum(parts: list[Losses]) -> tuple[int, list[object], object]:
    """(the first place, the chance of each place from there on, that of infinity at most) of the sum of all uses."""
    product, first, infinite = arb_poly([1]), 0, arb(0)
    for part in parts:
        product *= arb_poly([arb(m) for m in part.masses.tolist()]) ** part.count
        first += part.first * part.count
        infinite += part.count * arb(part.infinite)
    return first, list(product.coeffs()), infinite


def exact_delta(law: tuple[int, list[object], object], step: float, at: float) -> object:
    first, masses, infinite = law
    total = infinite
    for i, mass in enumerate(masses):
        over = (first + i) * arb(step) - arb(at)
        if over > 0:
            total += mass * (1 - (-over).exp())
    return total


@pytest.mark.parametrize("tilt", [0.5, 3.0])
@pytest.mark.parametrize(("parts", "step"), CASES)
def test_delta_is_above_the_exact_sum_and_close(parts: tuple[Part, ...], step: float, tilt: float) -> None:
    lent = [losses(part, step, 1e-20, False) for part in parts]
    law, exact = composed(tuple(lent), step, tilt, 3.0, 1 << 16), exact_sum(lent)
    checked = 0
    for at in np.linspace(0.0, 6.0, 13).tolist():
        found, truth = law.delta(at), exact_delta(exact, step, at - law.slack)
        assert arb(found) > truth
        if tilt < 1 and truth > 1e-12 and found < 1:  # a tilt too steep moves the window away: then folding adds
            assert arb(found) < truth * arb(1 + 1e-6) + arb(1e-13)
            checked += 1
    assert checked >= 3 or tilt > 1


@pytest.mark.parametrize(("parts", "step"), CASES)
def test_the_error_of_the_masses_is_within_its_bound(parts: tuple[Part, ...], step: float) -> None:
    """The l1 distance of the transform's masses from the exact convolution of the tilted ones, folded alike."""
    tilt = 1.0
    lent = tuple(losses(part, step, 1e-20, False) for part in parts)
    law = composed(lent, step, tilt, 3.0, 1 << 16)
    first, masses, _ = exact_sum(list(lent))
    size = len(law.masses)
    folded = [arb(0)] * size
    for i, mass in enumerate(masses):
        folded[(first + i - law.first) % size] += mass * ((first + i) * arb(step) * tilt - arb(law.log_sum)).exp()
    distance = sum((abs(arb(m) - e) for m, e in zip(law.masses.tolist(), folded, strict=True)), arb(0))
    rounding = arb(law.factor) - 1 + arb(law.log_error)
    assert distance < arb(law.error) + rounding * 2
    assert law.error < 1e-9


def distrusted(law: Composed) -> bool:
    return law.error == np.inf


def test_a_transform_of_single_precision_gives_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error that is counted is that of double precision: another transform is noticed, and not believed."""
    parts = (Pure(0.5, 20),)
    lent = tuple(losses(part, 0.05, 1e-20, False) for part in parts)
    assert not distrusted(composed(lent, 0.05, 1.0, 3.0, 1 << 16))
    real = np.fft.rfft
    monkeypatch.setattr(np.fft, "rfft", lambda x: real(x).astype(np.complex64).astype(np.complex128))
    law = composed(lent, 0.05, 1.0, 3.0, 1 << 16)
    assert distrusted(law)
    assert law.delta(1.0) == np.inf
    epsilon.cache_clear()
    assert epsilon(parts, 1e-6) == by_orders(parts, 1e-6)[0]
    epsilon.cache_clear()
