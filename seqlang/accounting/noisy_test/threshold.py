"""Up: the value grows by c > 0 from some look k on, Gaussian threshold noise Z, any independent fresh noise, any
horizon.

Write p for the density of Z, A(z) for the chance to survive the looks before k given Z = z (it does not fall with z, as
a higher threshold stops later), and B_t(z) for the chance, given survival to k, to stop at t >= k (or never). Moving
Z to Z + c undoes the change from k on exactly, and before k only makes stopping less likely, so for t >= k
    P(t) = int p(z) A(z) B_t(z) dz,   Q(t) >= int p(z + c) A(z) B_t(z) dz,   sum_t B_t(z) = 1;
for t < k, P(t) = Q(t).
"""

from __future__ import annotations

from seqlang.accounting import arguments
from seqlang.accounting.interval import interval, log_sum
from seqlang.accounting.normal import log_cdf


def renyi(order: float, mu: float, surcharge: float = 0.0) -> float:
    """D_order(P || Q), rounded up: log[ Phi(s) + e^(w + a(a-1) mu^2/2) Phi((a-1) mu - s) ] / (a - 1) with
    w = (a-1) surcharge and s = -mu/2 - surcharge/mu; without surcharge this is
    log[ Phi(-mu/2) + e^(a(a-1) mu^2/2) Phi((a-1/2) mu) ] / (a - 1).

    By joint convexity of u^a v^(1-a), sum_t P^a Q^(1-a) <= int p (1 - A) + int p^a p(.+c)^(1-a) e^w A, where
    e^surcharge bounds what else an output costs (mixed.py). The right side is largest at A = 1 where the second
    density is the larger one: the integral of max(p, e^w p^a p(.+c)^(1-a)), an f-divergence, which grows with c
    because a Gaussian pair is post-processed to any closer pair. More than the Gaussian mechanism's a mu^2/2: for
    small mu it is of first order in mu, since the runs that stopped before k carry no loss but the survivors do.
    """
    a = interval(arguments.renyi_order("order", order))
    m = interval(arguments.positive("mu", mu))
    extra = interval(arguments.not_negative("surcharge", surcharge))
    s = m * -0.5 - extra / m
    outer = (a - 1) * extra + a * (a - 1) * m * m * 0.5
    both = log_sum([log_cdf(s), outer + log_cdf((a - 1) * m - s)])
    return max(0.0, (both / (a - 1)).high)
