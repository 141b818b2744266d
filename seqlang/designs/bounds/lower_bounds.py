"""What no test with these errors can beat, private or not.

Let X be entries under P, Z under any law R, coupled so that they differ with chance TV(P, R), and Y under Q. A
transcript M of an eps-private test, which stops after N entries, has at most eps times the number of differing entries
as its log ratio between X and Z. By data processing, and by Wald's identity for the pair (X, Z),

    kl(decision under P || decision under Q) <= E_P[N] * D,  D = min over R of (KL(R || Q) + eps * TV(P, R)),

and the left side is at least kl(1 - error under P, error under Q). Without privacy R = P, which is Wald's bound. The
divergence D is that of Azize and others (arXiv 2505.05613) and Jourdan & Azize (arXiv 2510.17348), who have it for
bandits. What follows from it:

- A test with an end, with looks at given times, or on levels of the entries is one of the tests spoken of, so that no
  constraint makes the bound wrong. P and Q are laws of the entries and not of levels: a level is a function of an
  entry, and its divergence is smaller (data processing), so that laws of levels would bound fewer tests.
- Two arms in turn: the first N entries hold (N + 1) // 2 of the first arm and N // 2 of the second, each with its own
  R. The sum of their divergences is at most E[N] (D1 + D2) / 2 + max(0, D1 - D2) / 2. A neighbour differs in one
  outcome of either arm.
- At a law P between the hypotheses let a be the chance to reject there. Both kl(a || alpha) / D(P, null) where a is
  above alpha, and kl(1 - a || beta) / D(P, alternative) where 1 - a is above beta, are at most E_P[N]: the least over a
  of the larger one bounds it. The largest expectation between the hypotheses is at least that at any place.
- If N <= n with chance q under the null, the test that stops at n and then rejects errs at most with alpha + 1 - q
  under the null and beta under the alternative; it has n entries at most, of which n D is at least the divergence of
  its decisions. (Under the alternative it accepts then.)

Divergences are rounded up by `LOOSE`, more than their rounding, and so bounds down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from seqlang.designs.data.data_law import compared
from seqlang.designs.problem.entry import Array, Entry, coin
from seqlang.designs.problem.problem import Problem
from seqlang.results.design import LowerBound

LOOSE = {"points": 1e-9, "density": 1e-6}
"""Of a divergence, relatively: a sum over values; a sum over 20,000 narrow intervals, with an error of their square."""
PLACES = 40
"""Laws between the hypotheses that are looked at, for the largest expectation there."""


def binary_divergence(p: float, q: float) -> float:
    """kl(p, q) of two coins."""
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def private_divergence(p: Entry, q: Entry, eps: float) -> float:
    """min over R of KL(R || Q) + eps * TV(P, R), for laws on the same values.

    The best R is proportional to Q where P lies within a band around it: with r = p / q, R / Q is the ratio r clipped
    to [a, b], where log(b / a) is at most eps (the derivatives of both terms are log(R / Q) + constant and a slope in
    [-eps / 2, eps / 2]). The one free number, where the band lies, is set by R adding up to 1."""
    ps, qs = _chances(p, q)
    if not (qs > 0).all() or not (ps > 0).all():
        raise ValueError("laws without common support")
    logs = np.log(ps / qs)
    if float(np.ptp(logs)) <= eps:
        return float(ps @ logs)
    low, high = float(logs.min()) - eps, float(logs.max())
    for _ in range(200):  # the total mass grows with the band's lower end
        middle = (low + high) / 2
        if float((qs * np.exp(np.clip(logs, middle, middle + eps))).sum()) < 1:
            low = middle
        else:
            high = middle
    ratio = np.clip(logs, low, low + eps)
    mass = qs * np.exp(ratio)
    return float(mass @ ratio + eps * np.abs(ps - mass).sum() / 2)


def lower_bounds(problem: Problem) -> tuple[LowerBound, ...]:
    """Bounds on the criterion, without privacy and with it."""
    found = [LowerBound("Wald's bound without privacy", _bound(problem, math.inf))]
    if problem.privacy.notion == "pure":
        found.append(LowerBound("kl / D_eps", _bound(problem, float(problem.privacy.arguments[0]))))
    return tuple(bound for bound in found if bound.value > 0)


def _bound(problem: Problem, eps: float) -> float:
    alpha, beta = problem.errors
    null, alternative, criterion = problem.null, problem.alternative, problem.criterion
    if criterion.level is not None:
        under = criterion.weights.index(max(criterion.weights))
        more = [error + (1 - criterion.level) * (side == under) for side, error in enumerate((alpha, beta))]
        return max(_entries(null, alternative, more, eps), _entries(alternative, null, more[::-1], eps))
    if criterion.places:
        p0, p1 = float(null.chances[1]), float(alternative.chances[1])
        listed = [Fraction(f"{p0 + (p1 - p0) * i / PLACES:.9f}") for i in range(1, PLACES)] if criterion.worst else []
        return max(_between(problem, place, eps) for place in (*criterion.places, *listed))
    w0, w1 = criterion.weights
    sides = _entries(null, alternative, (alpha, beta), eps), _entries(alternative, null, (beta, alpha), eps)
    return w0 * sides[0] + w1 * sides[1]


def _entries(p: Entry, q: Entry, errors: Sequence[float], eps: float) -> float:
    """Of E_P[N], where a test errs with these chances under P and Q."""
    if sum(errors) >= 1:
        return 0.0
    first, *second = _rates(p, q, eps)
    need = binary_divergence(1 - errors[0], errors[1]) * (1 - LOOSE["points"])
    rest = second[0] if second else first
    return max(0.0, (2 * need - max(0.0, first - rest)) / (first + rest))


def _rates(p: Entry, q: Entry, eps: float) -> Iterator[float]:
    """What an entry tells at most, by arm."""
    loose = LOOSE["points"] if p.law is None or p.law.values is not None else LOOSE["density"]
    sides = zip(_by_arm(p), _by_arm(q), strict=True)
    return (private_divergence(*pair, eps) * (1 + loose) for pair in sides)


def distances(p: Entry, q: Entry) -> tuple[float, ...]:
    """Between the laws of an entry, by arm, in total variation, not below."""
    loose = LOOSE["points"] if p.law is None or p.law.values is not None else LOOSE["density"]
    pairs = (_chances(*pair) for pair in zip(_by_arm(p), _by_arm(q), strict=True))
    return tuple(min(1.0, float(np.abs(a - b).sum()) / 2 * (1 + loose)) for a, b in pairs)


def _chances(p: Entry, q: Entry) -> tuple[Array, Array]:
    """On the same values; of the entries themselves, as levels tell less."""
    if p.law is not None and q.law is not None:
        _, ps, qs = compared(p.law, q.law)
    else:
        ps, qs = (np.array([float(c) for c in law.chances]) for law in (p, q))
    return ps, qs


def _by_arm(side: Entry) -> tuple[Entry, ...]:
    return (side,) if side.second is None else tuple(Entry("", chances) for chances in side.arms)


def _between(problem: Problem, place: Fraction, eps: float) -> float:
    """Of the expected entries where an entry is 1 with chance `place`."""
    between = coin(place)
    rates = [next(_rates(between, side, eps)) for side in (problem.null, problem.alternative)]

    def against(side: int) -> Callable[[float], float]:
        error = problem.errors[side]
        return lambda chance: binary_divergence(chance, error) / rates[side] if chance > error else 0.0

    rejected, accepted = against(0), against(1)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if rejected(middle) < accepted(1 - middle):
            low = middle
        else:
            high = middle
    least = min(rejected(low), accepted(1 - high))
    return least * (1 - LOOSE["points"])
