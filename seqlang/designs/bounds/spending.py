"""Boundaries of group-sequential tests without privacy, for scores that are normal with independent increments.

Armitage, McPherson & Rowe 1969: the law of the score B(t) = sqrt(t) Z(t) of those that have gone on is carried from
look to look by numerical integration. Information t is a part of that of the last look."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from seqlang.designs.problem.entry import Array

Spending = Callable[[float], float]
"""By information, the chance spent by then to reject where the null holds."""
POINTS = 601
"""Points of the integration between two boundaries (Simpson's rule): errors of about 1e-9."""
FURTHEST = 9.0
"""Standard deviations within which boundaries are looked for."""


def obrien_fleming_type(alpha: float) -> Spending:
    """2 (1 - Phi(z / sqrt(t))) on each side, where Phi(z) = 1 - alpha/4 (Lan & DeMets 1983, for alpha/2 a side)."""
    return lambda t: 4 * float(ndtr(ndtri(alpha / 4) / np.sqrt(t)))


def pocock_type(alpha: float) -> Spending:
    """alpha log(1 + (e - 1) t) (Lan & DeMets 1983)."""
    return lambda t: alpha * float(np.log1p((math.e - 1) * t))


def spending_bounds(information: Sequence[float], spending: Spending) -> tuple[float, ...]:
    """The boundaries c of |Z| with which a two-sided test has spent as much by each look. Information rises to 1."""
    _refuse_disorder(information)
    found: list[float] = []
    spent = 0.0
    state = _Going(information)
    for place, t in enumerate(information):
        wanted = spending(t) - spent
        bound = state.bound(place, wanted)
        spent += state.leaving(place, bound)
        state.go_on(place, bound)
        found.append(bound)
    return tuple(found)


def classic_bounds(
    information: Sequence[float], alpha: float, kind: Literal["obrien_fleming", "pocock"]
) -> tuple[float, ...]:
    """Boundaries c / sqrt(t) of |Z| (O'Brien & Fleming 1979) or c (Pocock 1977) with which a two-sided test rejects
    with chance alpha where the null holds."""
    _refuse_disorder(information)
    shape = [1 / np.sqrt(t) if kind == "obrien_fleming" else 1.0 for t in information]

    def rejects(c: float) -> float:
        state, total = _Going(information), 0.0
        for place, factor in enumerate(shape):
            total += state.leaving(place, c * factor)
            state.go_on(place, c * factor)
        return total

    c = float(brentq(lambda c: rejects(c) - alpha, 0.5, FURTHEST, xtol=1e-10))
    return tuple(c * float(factor) for factor in shape)


def _refuse_disorder(information: Sequence[float]) -> None:
    if not information or any(b <= a for a, b in zip((0.0, *information), information, strict=False)):
        raise ValueError("information must rise from above 0")


class _Going:
    """Those that have gone on so far: the score at `points`, with masses `weights` that are the density times the
    weights of the integration."""

    def __init__(self, information: Sequence[float]) -> None:
        self.information = information
        self.points: Array = np.zeros(1)
        self.weights: Array = np.ones(1)

    def _step(self, place: int) -> float:
        before = self.information[place - 1] if place else 0.0
        return float(np.sqrt(self.information[place] - before))

    def leaving(self, place: int, bound: float) -> float:
        """The chance to go on until then and to lie beyond the boundary."""
        edge, sd = bound * np.sqrt(self.information[place]), self._step(place)
        beyond = ndtr((-edge - self.points) / sd) + ndtr((self.points - edge) / sd)
        return float(self.weights @ beyond)

    def bound(self, place: int, wanted: float) -> float:
        """The boundary beyond which so much of them lies at this look."""
        return float(brentq(lambda c: self.leaving(place, c) - wanted, 0.0, FURTHEST, xtol=1e-10))

    def go_on(self, place: int, bound: float) -> None:
        """Keeps those between the boundaries."""
        edge, sd = bound * np.sqrt(self.information[place]), self._step(place)
        points = np.linspace(-edge, edge, POINTS)
        simpson = np.full(POINTS, 2.0)
        simpson[1::2], simpson[0], simpson[-1] = 4.0, 1.0, 1.0
        density = np.exp(-(((points[:, None] - self.points) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))
        self.weights = (density @ self.weights) * simpson * (points[1] - points[0]) / 3
        self.points = points
