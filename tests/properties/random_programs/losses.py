"""The privacy loss of what a program shows, by arithmetic on plain values.

Each noise is independent of the others, so for one pair of neighbours the losses of all showings add up. It is a lower
bound of the truth, as only some inputs are tried, and the truth itself where the inputs are all there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from random_programs.inputs import Inputs
from random_programs.showing import Showing
from random_programs.syntax import Noise, Program

Array = NDArray[np.float64]
ORDERS = (2.0, 8.0)
CONCENTRATED = (1.001, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0)
"""Orders at which the concentrated bound is tried: divergence / order is at most rho at each."""


@dataclass(frozen=True)
class Losses:
    """`pure`, `rdp` (at ORDERS), `zcdp` in nats; `gaussian`: the largest distance in standard deviations, if all noise
    is Gaussian. `row`: the pair of neighbours where `pure` is reached."""

    pure: float
    rdp: tuple[float, ...]
    zcdp: float
    gaussian: float | None
    row: int

    def delta(self, epsilon: float) -> float | None:
        """The least delta for Gaussian noise (Balle & Wang 2018, Theorem 8)."""
        if self.gaussian is None:
            return None
        if self.gaussian == 0:
            return 0.0
        a, b = self.gaussian / 2 - epsilon / self.gaussian, -self.gaussian / 2 - epsilon / self.gaussian
        return float(norm.cdf(a) - math.exp(epsilon + float(norm.logcdf(b))))


@dataclass
class Pairs:
    """Losses added up, one place for each pair of neighbours. `renyi`: order -> divergences."""

    pure: Array
    renyi: dict[float, Array]
    square: Array
    gaussian: bool = True


def losses(program: Program, inputs: Inputs, shown: Sequence[Showing]) -> Losses:
    """Raises AssertionError for noise that this oracle does not know."""
    size = len(inputs.first)
    pairs = Pairs(np.zeros(size), {a: np.zeros(size) for a in (*ORDERS, *CONCENTRATED)}, np.zeros(size))
    noises = {target: n for n in program.noises for target in n.targets}
    names = list(dict.fromkeys(s.name for s in shown))
    for name in names:
        mine = [s for s in shown if s.name == name]
        moves = [s.numbers[inputs.first] - s.numbers[inputs.second] for s in mine]
        if mine[0].choice:
            for s in mine:
                _chosen(pairs, s.numbers[inputs.first], s.numbers[inputs.second])
        elif name not in noises:
            _plain(pairs, moves)
        elif noises[name].law[0] == "tree":
            _tree(pairs, noises[name], {s.step: m for s, m in zip(mine, moves, strict=True)})
        elif noises[name].name:
            if name == noises[name].targets[0]:
                _shared(pairs, noises[name], shown, inputs)
        elif noises[name].life == "once":
            _kept(pairs, noises[name], moves)
        else:
            for move in moves:
                _add(pairs, noises[name], move)
    if not size:
        return Losses(0.0, tuple(0.0 for _ in ORDERS), 0.0, None, 0)
    zcdp = max(float(pairs.renyi[a].max()) / a for a in CONCENTRATED)
    return Losses(
        float(pairs.pure.max()), tuple(float(pairs.renyi[a].max()) for a in ORDERS), zcdp,
        math.sqrt(float(pairs.square.max())) if pairs.gaussian else None, int(pairs.pure.argmax()),
    )  # fmt: skip


def worst(found: Sequence[Losses]) -> Losses:
    """Of several courses of the public inputs."""
    largest = max(found, key=lambda f: f.pure)
    rdp = tuple(max(f.rdp[i] for f in found) for i in range(len(ORDERS)))
    distances = [f.gaussian for f in found if f.gaussian is not None]
    gaussian = max(distances) if len(distances) == len(found) else None
    return Losses(largest.pure, rdp, max(f.zcdp for f in found), gaussian, largest.row)


def _plain(pairs: Pairs, moves: list[Array]) -> None:
    """Shown without noise: any difference tells all."""
    differs = np.any([np.any(move != 0, axis=1) for move in moves], axis=0)
    _infinite(pairs, differs)


def _tree(pairs: Pairs, noise: Noise, moves: dict[int, Array]) -> None:
    """A prefix sum through a binary tree: what is shown at t less what is shown at t without its lowest bit has the
    noise of one node of its own. Every step must be shown (AssertionError)."""
    assert sorted(moves) == list(range(1, len(moves) + 1))
    for t, move in moves.items():
        before = t - (t & -t)
        _add(pairs, replace(noise, law=noise.law[1]), move - moves[before] if before else move)


def _shared(pairs: Pairs, noise: Noise, shown: Sequence[Showing], inputs: Inputs) -> None:
    """One draw a step for several numbers, each with a factor: differences between them are plain."""
    for step in sorted({s.step for s in shown}):
        moves = [(s.numbers[inputs.first] - s.numbers[inputs.second]) / noise.factors[noise.targets.index(s.name)]
                 for s in shown if s.step == step and s.name in noise.targets]  # fmt: skip
        if moves:
            _kept(pairs, replace(noise, name=""), moves)


def _infinite(pairs: Pairs, where: Array) -> None:
    pairs.pure[where] = math.inf
    for order in pairs.renyi:
        pairs.renyi[order][where] = math.inf
    pairs.square[where] = math.inf


def _kept(pairs: Pairs, noise: Noise, moves: list[Array]) -> None:
    """One draw for all showings: differences between them are plain. Coordinates have draws of their own."""
    differs = np.any([np.any(np.abs(move - moves[0]) > 1e-12, axis=1) for move in moves], axis=0)
    _add(pairs, noise, moves[0])
    _infinite(pairs, differs)


def _add(pairs: Pairs, noise: Noise, move: Array) -> None:
    """One showing of a vector: `move` is pairs times coordinates."""
    family, scale = noise.law[0], noise.law[1]
    size = np.abs(move)
    if family == "gaussian":
        square = (size**2).sum(axis=1) / scale**2
        pairs.square += square
        pairs.pure[square > 0] = math.inf
        for order in pairs.renyi:
            pairs.renyi[order] += order * square / 2
        return
    pairs.gaussian = False
    if family == "laplace":
        pairs.pure += size.sum(axis=1) / scale
        for order in pairs.renyi:
            pairs.renyi[order] += laplace_divergence(size / scale, order).sum(axis=1)
    elif family == "geometric":
        whole = np.all(np.abs(size - np.rint(size)) < 1e-9, axis=1)
        pairs.pure += np.where(whole, size.sum(axis=1) * -math.log(scale), math.inf)
        for order in pairs.renyi:
            pairs.renyi[order] += geometric_divergence(np.rint(size), scale, order).sum(axis=1)
    elif family == "l2_laplace":
        pairs.pure += np.sqrt((size**2).sum(axis=1)) / scale
        _no_divergence(pairs)
    elif family == "staircase":
        # what is log density c for |z| < gamma D falls by eps at once, and by eps again after every D
        pairs.pure += (np.ceil(size / noise.law[2] - 1e-9) * scale).sum(axis=1)
        _no_divergence(pairs)
    elif family == "discrete_gaussian":
        whole = np.all(np.abs(size - np.rint(size)) < 1e-9, axis=1)
        pairs.pure[size.any(axis=1)] = math.inf
        for order in pairs.renyi:
            pairs.renyi[order] += np.where(
                whole, discrete_gaussian_divergence(np.rint(size), scale, order).sum(axis=1), math.inf
            )
    elif family == "gumbel":
        pairs.pure[size.any(axis=1)] = math.inf
        for order in pairs.renyi:
            pairs.renyi[order] += gumbel_divergence(move / scale, order).sum(axis=1)
    elif family == "exponential":
        pairs.pure[size.any(axis=1)] = math.inf
        _no_divergence(pairs)
    elif family == "randomized_response":
        differs = (size > 0).sum(axis=1)
        odds = math.log(scale / (1 - scale))
        pairs.pure += differs * abs(odds)
        for order in pairs.renyi:
            pairs.renyi[order] += differs * finite_divergence((scale, 1 - scale), (1 - scale, scale), order)
    else:
        raise AssertionError(family)


def _no_divergence(pairs: Pairs) -> None:
    """A divergence that is not computed counts as nothing: the sum stays a lower bound."""


def _chosen(pairs: Pairs, a: Array, b: Array) -> None:
    pairs.gaussian = False
    pairs.pure += np.abs(a - b).max(axis=1)
    for order in pairs.renyi:
        one = np.logaddexp.reduce(order * a + (1 - order) * b, axis=1) / (order - 1)
        other = np.logaddexp.reduce(order * b + (1 - order) * a, axis=1) / (order - 1)
        pairs.renyi[order] += np.maximum(
            np.minimum(one, other), 0
        )  # one direction for all showings: the smaller is safe


def laplace_divergence(t: Array, order: float) -> Array:
    """Mironov 2017, Table II: a shift by t scales."""
    a = order
    first = math.log(a / (2 * a - 1)) + (a - 1) * t
    second = math.log((a - 1) / (2 * a - 1)) - a * t
    return np.asarray(np.maximum(np.logaddexp(first, second) / (a - 1), 0.0))


def gumbel_divergence(t: Array, order: float) -> Array:
    """A shift by t scales, in the direction that is smaller: with u = exp(-z), exp(-u) du is integrated against
    exp((1 - a) t) and exp(-u (a + (1 - a) e^t - 1))."""

    def one_way(t: Array) -> Array:
        rate = order + (1 - order) * np.exp(t)
        known = ((1 - order) * t - np.log(np.maximum(rate, 1e-300))) / (order - 1)
        return np.where(rate > 0, known, math.inf)

    return np.maximum(np.minimum(one_way(t), one_way(-t)), 0.0)


def geometric_divergence(shift: Array, ratio: float, order: float) -> Array:
    """Of two-sided geometric noise moved by a whole number, by summing the three pieces of the line."""
    out = np.zeros_like(shift)
    for d in np.unique(shift):
        k = np.arange(-200, 201 + int(d))
        p, q = np.abs(k), np.abs(k - d)
        exponents = (order * p + (1.0 - order) * q) * math.log(ratio)
        total = math.log((1 - ratio) / (1 + ratio)) + np.logaddexp.reduce(exponents)
        out[shift == d] = max(0.0, total / (order - 1))
    return out


def discrete_gaussian_divergence(shift: Array, sd: float, order: float) -> Array:
    """Of discrete Gaussian noise moved by a whole number, by summing."""
    out = np.zeros_like(shift)
    reach = math.ceil(40 * sd) + 40
    for d in np.unique(shift):
        k = np.arange(-reach - int(order * d), reach + int(order * d) + 1, dtype=float)
        p, q = -(k**2) / (2 * sd**2), -((k - d) ** 2) / (2 * sd**2)
        total = np.logaddexp.reduce(order * p + (1 - order) * q) - np.logaddexp.reduce(p)
        out[shift == d] = max(0.0, float(total) / (order - 1))
    return out


def finite_divergence(p: Sequence[float], q: Sequence[float], order: float) -> float:
    return math.log(sum(x**order * y ** (1 - order) for x, y in zip(p, q, strict=True))) / (order - 1)
