"""Gaussian threshold noise with Laplace or exponential fresh noise: (epsilon, delta) and RDP without a horizon.

Such fresh noise loses a factor of at most e^w, w = looks_epsilon = D / scale, when it is moved by D at the one look
that stops, and that factor is lost once however many looks there were.

At a delta (what `rules/stopping/mixed_gaussian` computes):
Down: P <= e^w Q, as only the stop itself is moved.
Up: of P - e^e Q, e >= 0, summands t < k are at most 0 (see threshold.py). For t >= k, P(t) - e^e Q(t)
<= int (p - e^e p(. + c))_+ A B_t, and sum_t A B_t <= 1: at most the profile at e of the Gaussian mechanism, mu = D /
sd(Z).
Up for an end with threshold noise mu, and down for another with w, threshold noises independent: with g_1, g_2 the
chances of outputs at either end given the first threshold (g_1 + g_2 <= 1), undoing the change by the first threshold
gives P - e^e Q <= int (p - e^e p(.+c)) g_1 + (p - e^(e-w) p(.+c)) g_2 <= int (p - e^(e-w) p(.+c))_+ : the profile at
e - w, so that the Gaussian mechanism's epsilon and w add up. A two-sided test has the larger of its two directions.
"""

from __future__ import annotations

from seqlang.accounting import arguments
from seqlang.accounting.interval import interval
from seqlang.accounting.noisy_test import threshold


def two_ends_renyi(order: float, mu: float, looks_epsilon: float) -> float:
    """RDP for a move that is up for one end and down for another, rounded up: the smaller of `threshold.renyi` with
    surcharge w, and without it plus w."""
    w = interval(arguments.not_negative("looks_epsilon", looks_epsilon))
    return min(threshold.renyi(order, mu, w.high), (w + threshold.renyi(order, mu)).high)
