"""How far two laws of the transcript are apart, from tables with error bounds: every number comes as (lower, upper).

A transcript is (step, outcome) or "never stops". `Law` holds what is known of one law P: P(T = t, outcome) lies in
[low, high + e] where the e of all entries add up to at most `lost`. All losses are from P to Q; callers swap the two
for the other direction. Sums are rounded against the caller: lower ends down, upper ends up.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log, log1p

import numpy as np
from numpy.typing import NDArray

from seqlang.record import record, replace

Array = NDArray[np.float64]
Range = tuple[float, float]
"""(lower, upper)"""

SLACK = 1e-14
"""What rounding can add to a sum of some thousand numbers that add up to at most 1."""
ROUNDING = 1e-12
"""The same relative to a sum of powers, which are taken by way of logarithms."""
CUTS = 500
"""As many places to tell the rarest entries from the others are tried."""
CLEAR = 1e-12
"""A probability above this is no rounding error."""


@record
class Law:
    """Bounds of one law. `first` is the step of the tables' first row, `head` bounds P(T < first); `low`, `high` have
    shape (steps, outcomes). `beyond` is at least the chance of stopping after the last row or never; `never` bounds the
    chance of never stopping. `lost` is mass of which it is not known where it is. An entry with high = 0 may be as
    large as `blind` after all (a positive number too small for floats, or what quadrature nodes do not see)."""

    first: int
    head: Range
    low: Array
    high: Array
    beyond: float
    never: Range = (0.0, 0.0)
    lost: float = 0.0
    blind: float = 0.0

    @property
    def most(self) -> Array:
        """high, with everything that could be in an entry."""
        return np.where(self.high > 0, self.high, self.blind) + self.lost


LARGEST = 700.0
"""Epsilons above are taken as this for the upper end, which they only lower; the lower end is 0 then."""


def delta(p: Law, q: Law, epsilon: float) -> Range:
    """max over sets S of P(S) - e^epsilon Q(S), for epsilon >= 0. Below `first` the laws agree: that adds nothing.

    Upper end, beyond the table: later stops can all lie in S and have no mass under Q; of "never" at least the lower
    ends of both are known, so the two together add at most beyond_P - min(never_P, e^epsilon never_Q)."""
    factor = exp(min(epsilon, LARGEST))
    above = float(np.maximum(p.high - factor * q.low, 0.0).sum())
    above += p.lost + p.beyond - min(p.never[0], factor * q.never[0])
    below = float(np.maximum(p.low - factor * q.high, 0.0).sum()) - factor * q.lost
    below = max(below, 0.0) + max(p.never[0] - factor * q.never[1], 0.0)
    return _probability(below if epsilon <= LARGEST else 0.0, above)


def delta_per_step(p: Law, q: Law, epsilon: float) -> Range:
    """max over stopping steps K and sets O of returns of P(T = K, O) - e^epsilon Q(T = K, O)."""
    factor = exp(min(epsilon, LARGEST))
    above = np.maximum(p.high - factor * q.low, 0.0).sum(axis=1).max(initial=0.0) + p.lost
    below = np.maximum(p.low - factor * q.high, 0.0).sum(axis=1).max(initial=0.0) - factor * q.lost
    return _probability(float(below) if epsilon <= LARGEST else 0.0, max(float(above), p.beyond - p.never[0]))


def _probability(below: float, above: float) -> Range:
    return max(below - SLACK, 0.0), min(above + SLACK, 1.0)


def epsilon_at(p: Law, q: Law, target: float, measure: Callable[[Law, Law, float], Range] = delta) -> Range:
    """Bounds of the least epsilon >= 0 at which the measure is at most `target`."""
    most = _last_finite(p, q)
    lower, _ = _least(lambda e: measure(p, q, e)[0] <= target, most)
    _, upper = _least(lambda e: measure(p, q, e)[1] <= target, most)
    return min(lower, most) if q.lost > 0 else lower, upper


def _last_finite(p: Law, q: Law) -> float:
    """An epsilon above every finite loss of an entry: past it the measures only change by error terms."""
    both = (q.low > 0) & (p.high > 0)
    largest = np.log(p.high[both] / q.low[both]).max(initial=0.0)
    never = log(p.never[1] / q.never[0]) if p.never[1] > 0 < q.never[0] else 0.0
    return min(max(float(largest), never, 0.0) + 1e-9, 700.0)


def _least(holds: Callable[[float], bool], most: float) -> Range:
    """(last epsilon that fails, first that holds), by bisection; both 0 if 0 holds, both inf if `most` fails."""
    if holds(0.0):
        return 0.0, 0.0
    if not holds(most):
        return inf, inf
    low, high = 0.0, most
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def pure(p: Law, q: Law) -> Range:
    """max over transcripts of log(P / Q). Infinite from below only where Q has exactly no mass and P clearly some."""
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(_sure(p, q) > 0, np.log(p.low) - np.log(q.most), -inf).max(initial=-inf)
        above = np.where(p.high + p.lost > 0, np.log(p.high + p.lost) - np.log(q.low), -inf).max(initial=-inf)
    worst = [float(above)]
    if p.beyond > p.never[0] or p.lost > 0:
        worst.append(inf)  # a later stop may be one that Q cannot make
    if p.never[1] > 0:
        worst.append(log(p.never[1] / q.never[0]) if q.never[0] > 0 else inf)
    least = [float(below)]
    if p.never[0] > 0:
        least.append(log(p.never[0] / q.never[1]) if q.never[1] > 0 else inf)
    return max(_down(max(least)), 0.0), max(_up(max(worst)), 0.0)


def pure_per_step(p: Law, q: Law) -> Range:
    """The same for the reading with one stopping step at a time: its sets hold the single returns, but not "never"."""
    return pure(_without_never(p), _without_never(q))


def _without_never(law: Law) -> Law:
    return replace(law, never=(0.0, 0.0), beyond=law.beyond - law.never[0])


def _sure(p: Law, q: Law) -> Array:
    """P's lower ends; 0 where Q has none and P so little that it may be a rounding error."""
    return np.where((q.most > 0) | (p.low > CLEAR), p.low, 0.0)


def nothing_known(mass: float) -> float:
    """A bound for the Renyi sum over transcripts of P-mass `mass` when nothing is known of their losses."""
    return inf if mass > 0 else 0.0


def renyi(p: Law, q: Law, order: float, later: Callable[[float], float] = nothing_known) -> Range:
    """The Renyi divergence of `order` > 1: log(sum of P^order Q^(1 - order)) / (order - 1), in nats.

    `later(m)` must bound that sum over any set of transcripts that has at most mass m under P; it serves the rarest
    entries, and what is beyond the table, from where the result is least. Unknown places of lost mass e enter by
    Minkowski in L^order(Q): ||(P + e)/Q|| <= ||P/Q|| + ||e/Q||, ||e/Q||^order <= lost^order * (least Q)^(1 - order)."""
    below = _logs(_sure(p, q), q.most, order).ravel()
    if p.never[0] > 0:
        below = np.append(below, _logs(np.array(p.never[0]), np.array(q.never[1] + q.lost), order))
    if np.any(below == inf):
        return inf, inf
    least = _log_sum(np.append(below, log(p.head[0]) if p.head[0] > 0 else -inf))
    with np.errstate(over="ignore", invalid="ignore"):
        likeliest = np.argsort(-q.low, axis=None, kind="stable")
        many, few = p.high.ravel()[likeliest], q.low.ravel()[likeliest]
        upto = np.concatenate([[0.0], np.cumsum(_powers(many, few, order))])
        if p.lost > 0:
            astray = _powers(np.full(len(few), p.lost), few, order)
            upto[1:] = (upto[1:] ** (1 / order) + astray ** (1 / order)) ** order
        rest = p.beyond + np.concatenate([np.cumsum(many[::-1])[::-1], [0.0]])
        cuts = [k for k in range(len(upto)) if upto[k] < inf]
    cuts = sorted({*cuts[:: -(-len(cuts) // CUTS) or 1], *cuts[-1:]})
    ends = [float(upto[k]) + later(float(rest[k]) + p.lost if rest[k] > 0 else 0.0) for k in cuts]
    upper = (min(ends, default=inf) + p.head[1]) * (1 + ROUNDING) + SLACK
    finite = exp(min(least, LARGEST)) * (1 - ROUNDING) - SLACK
    lower = log1p(max(finite - 1.0, 0.0)) if least <= LARGEST else least + log1p(-ROUNDING)
    return (
        max(_down(lower / (order - 1)), 0.0),
        inf if upper == inf else max(_up(log(max(upper, 1.0)) / (order - 1)), 0.0),
    )


def _logs(p: Array, q: Array, order: float) -> Array:
    """log(p^order q^(1 - order)), -infinite where p = 0, infinite where only q is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, order * np.log(p) + (1 - order) * np.log(q), -inf)


def _log_sum(logs: Array) -> float:
    most = float(logs.max(initial=-inf))
    return most + log(float(np.exp(logs - most).sum())) if most > -inf else -inf


def _powers(p: Array, q: Array, order: float) -> Array:
    """p^order q^(1 - order), 0 where p = 0, infinite where only q is 0; in logarithms, as both can be tiny."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(p > 0, np.exp(order * np.log(p) + (1 - order) * np.log(q)), 0.0)


def _down(x: float) -> float:
    return x - 1e-14 * (1 + abs(x)) if abs(x) < inf else x


def _up(x: float) -> float:
    return x + 1e-14 * (1 + abs(x)) if abs(x) < inf else x
