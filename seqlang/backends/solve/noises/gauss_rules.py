"""Gauss quadrature for a law on an interval: n nodes that integrate polynomials of degree 2n - 1 exactly."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from seqlang.backends.solve.noises.family_laws import Normal, OfFamily
from seqlang.backends.solve.noises.legendre import legendre_rule
from seqlang.backends.solve.noises.scalar_law import Array, ScalarLaw
from seqlang.laws.law import law as law_of_family

TAIL = 1e-24
"""Mass that an interval leaves out on each infinite side: even with a huge value there it cannot be seen."""
FINE = 24
"""Nodes of one panel of the composite rule from which a rule is made."""
DENSE = 40
"""Rules with at most so many nodes are found without scipy."""


def rule(law: ScalarLaw, low: float, high: float, n: int) -> tuple[Array, Array]:
    """Nodes and weights (their sum is P(low <= X <= high)) for integrands that are smooth in between.

    The density must be smooth inside. Known laws share their rules across scales.
    """
    mass = float(law.between(low, high))
    if mass <= 0 or n <= 0:
        return np.zeros(0), np.zeros(0)
    shape, scale, centre = _unit(law)
    if shape is None:
        found = _made(law, low, high, n)
        return found[0], found[1] * mass
    x, w = _shared(shape, (low - centre) / scale, (high - centre) / scale, n)
    return centre + scale * x, w * mass


def _unit(law: ScalarLaw) -> tuple[str | None, float, float]:
    """(family, scale, centre): the law is centre + scale times that family's law with scale 1."""
    match law:
        case Normal():
            return "normal", law.sd, law.mean
        case OfFamily(name=name, arguments=(scale,)) if law.law.facts.unit_scale:
            return name, scale, 0.0
        case _:
            return None, 1.0, 0.0


@lru_cache(maxsize=20_000)
def _shared(shape: str, low: float, high: float, n: int) -> tuple[Array, Array]:
    unit = Normal(0.0, 1.0) if shape == "normal" else OfFamily(law_of_family(shape), 1.0)
    return _made(unit, low, high, n)


def _made(law: ScalarLaw, low: float, high: float, n: int) -> tuple[Array, Array]:
    """Stieltjes' procedure on a fine composite Legendre rule, then Golub and Welsch (1969). Weights sum to 1."""
    outer = law.effective_support(TAIL)
    inner_low, inner_high = max(low, outer[0]), min(high, outer[1])
    if not inner_low < inner_high:  # all of it in a far tail
        return np.array([min(max(law.centre, low), high)]), np.array([1.0])
    if n == 1 and not (math.isfinite(low) and math.isfinite(high)):
        n = 2
    x, w = _fine(law, inner_low, inner_high, n)
    total = w.sum()
    if not total > 0:
        return np.array([(inner_low + inner_high) / 2]), np.array([1.0])
    w = w / total
    middle, half = (inner_low + inner_high) / 2, (inner_high - inner_low) / 2
    t = (x - middle) / half
    diagonal, off = np.zeros(n), np.zeros(n)
    before, now = np.zeros(len(t)), np.sqrt(w)  # orthonormal polynomials times sqrt(weight)
    for k in range(n):
        diagonal[k] = np.sum(t * now * now)
        later = (t - diagonal[k]) * now - (off[k - 1] * before if k else 0.0)
        off[k] = math.sqrt(float(np.sum(later * later)))
        if off[k] < 1e-14:
            n = k + 1
            break
        before, now = now, later / off[k]
    nodes, weights = _eigen(diagonal[:n], off[: n - 1])
    return np.asarray(middle + half * nodes), np.asarray(weights / weights.sum())


def _eigen(diagonal: Array, off: Array) -> tuple[Array, Array]:
    """Eigenvalues of a symmetric tridiagonal matrix, and the squares of the first entries of their unit vectors."""
    if len(diagonal) > DENSE:
        from scipy.linalg import eigh_tridiagonal

        nodes, vectors = eigh_tridiagonal(diagonal, off)
    else:  # as a full matrix, which takes less time than to load scipy
        nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off, -1))
    return np.asarray(nodes), np.asarray(vectors[0] ** 2)


def _fine(law: ScalarLaw, low: float, high: float, n: int) -> tuple[Array, Array]:
    """A composite rule that integrates density * polynomial of degree 2n to rounding."""
    pieces = max(1, math.ceil((high - low) / law.scale), math.ceil(2 * n / 8))
    x, w = legendre_rule(FINE)
    edges = np.linspace(low, high, pieces + 1)
    half = np.diff(edges) / 2
    points = ((edges[:-1] + half)[:, None] + half[:, None] * x).ravel()
    return points, (half[:, None] * w).ravel() * law.density(points)
