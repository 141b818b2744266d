"""Gaussian threshold noise with Laplace or exponential fresh noise: (epsilon, delta) and RDP without a horizon.

Such fresh noise loses a factor of at most e^w, w = looks_epsilon = D / scale, when it is moved by D at the one look
that stops, and that factor is lost once however many looks there were.
"""

from __future__ import annotations

from seqlang.accounting import arguments, gaussian
from seqlang.accounting.interval import interval
from seqlang.accounting.noisy_test import threshold


def one_end(delta: float, mu: float, looks_epsilon: float) -> float:
    """The epsilon of a one-sided test at `delta`: the larger of w and the Gaussian mechanism's, rounded up.

    Up: threshold.hockey_stick. Down: P <= e^w Q, as only the stop itself is moved.
    """
    return max(arguments.not_negative("looks_epsilon", looks_epsilon), gaussian.epsilon_at(_delta(delta), mu))


def two_ends(delta: float, mu: float, looks_epsilon: float) -> float:
    """The epsilon for a move that is up for an end with threshold noise mu and down for another with w: w plus the
    Gaussian mechanism's epsilon at `delta`, rounded up. The ends' threshold noises are independent.

    With g_1, g_2 the chances of outputs at either end given the first threshold (g_1 + g_2 <= 1), undoing the change by
    the first threshold gives P - e^e Q <= int (p - e^e p(.+c)) g_1 + (p - e^(e-w) p(.+c)) g_2
    <= int (p - e^(e-w) p(.+c))_+ : the profile at e - w. A two-sided test has the larger of its two directions.
    """
    w = interval(arguments.not_negative("looks_epsilon", looks_epsilon))
    return (w + gaussian.epsilon_at(_delta(delta), mu)).high


def two_ends_renyi(order: float, mu: float, looks_epsilon: float) -> float:
    """RDP for the same move, rounded up: the smaller of `threshold.renyi` with surcharge w, and without it plus w."""
    w = interval(arguments.not_negative("looks_epsilon", looks_epsilon))
    return min(threshold.renyi(order, mu, w.high), (w + threshold.renyi(order, mu)).high)


def _delta(delta: float) -> float:
    return arguments.inside_unit("delta", delta)
