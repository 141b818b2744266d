"""What no test with these errors can beat, private or not.

Let X be entries under P, Z under any law R, coupled so that they differ with chance TV(P, R), and Y under Q. A
transcript M of an eps-private test, which stops after N entries, has at most eps times the number of differing entries
as its log ratio between X and Z. By data processing, and by Wald's identity for the pair (X, Z),

    kl(decision under P || decision under Q) <= E_P[N] * min over R of (KL(R || Q) + eps * TV(P, R)),

and the left side is at least kl(1 - error under P, error under Q). Without privacy R = P, which is Wald's bound. The
divergence on the right is that of Azize and others (arXiv 2505.05613) and Jourdan & Azize (arXiv 2510.17348), who have
it for bandits.
"""

from __future__ import annotations

import math

import numpy as np

from seqlang.designs.data.data_law import compared
from seqlang.designs.problem.entry import Entry
from seqlang.designs.problem.problem import Problem
from seqlang.results.design import LowerBound


def binary_divergence(p: float, q: float) -> float:
    """kl(p, q) of two coins."""
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def private_divergence(p: Entry, q: Entry, eps: float) -> float:
    """min over R of KL(R || Q) + eps * TV(P, R), for laws on the same values.

    The best R is proportional to Q where P lies within a band around it: with r = p / q, R / Q is the ratio r clipped
    to [a, b], where log(b / a) is at most eps (the derivatives of both terms are log(R / Q) + constant and a slope in
    [-eps / 2, eps / 2]). The one free number, where the band lies, is set by R adding up to 1."""
    ps, qs = (np.array([float(c) for c in law.chances]) for law in (p, q))
    if p.law is not None and q.law is not None:  # of the entries themselves: levels tell less
        _, ps, qs = compared(p.law, q.law)
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
    ratio = np.clip(logs, low, low + eps)  # the lower end: the mass is below 1, and so is the bound
    mass = qs * np.exp(ratio)
    return float(mass @ ratio + eps * np.abs(ps - mass).sum() / 2)


def _by_arm(side: Entry) -> tuple[Entry, ...]:
    """An entry is in one arm, and tells no more than one in the arm that tells most."""
    return (side,) if side.second is None else tuple(Entry("", chances) for chances in side.arms)


def lower_bounds(problem: Problem) -> tuple[LowerBound, ...]:
    """Bounds on the criterion, without privacy and with it; none on quantiles, and between the hypotheses."""
    if problem.criterion.level is not None or sum(problem.weights) == 0:
        return ()
    alpha, beta = problem.errors
    w0, w1 = problem.weights
    needs = binary_divergence(1 - alpha, beta), binary_divergence(1 - beta, alpha)

    def bound(eps: float) -> float:
        null, alternative = (_by_arm(side) for side in (problem.null, problem.alternative))
        rates = (
            max(private_divergence(p, q, eps) for p, q in zip(null, alternative, strict=True)),
            max(private_divergence(q, p, eps) for p, q in zip(null, alternative, strict=True)),
        )
        return w0 * needs[0] / rates[0] + w1 * needs[1] / rates[1]

    found = [LowerBound("Wald's bound without privacy", bound(math.inf))]
    if problem.privacy.notion == "pure":
        found.append(LowerBound("kl / D_eps", bound(float(problem.privacy.arguments[0]))))
    return tuple(found)
