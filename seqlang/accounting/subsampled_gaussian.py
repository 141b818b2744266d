"""The Gaussian mechanism on a Poisson sample: each record is in the sum with probability q, independent of the others.

With the records' parts bounded by 1 in l2 norm and noise of deviation s, one of these pairs dominates any two
neighbours (phi_m: density of N(m, s^2)):

    add or remove   (1-q) phi_0 + q phi_1   and   phi_0                     in both orders
    replace         (1-q) phi_0 + q phi_1   and   (1-q) phi_0 + q phi_-1

Why: hockey-stick divergences are jointly convex, so the sample of the other records may be held fixed. The pair then
is P = (1-q) N(0) + q N(g), Q = (1-q) N(0) + q N(h) for vectors g, h of norm at most 1 (h = 0: no record). Let S be
where P's density is more than c times Q's, so that the divergence is P(S) - c Q(S), and turn h away from g at the
speed v: <v, h> = 0 and <v, g> <= 0. With S held fixed (it is optimal), Q(S) changes by -q times the integral of <v,
n> phi_h over the boundary, whose outward normal n is a positive multiple of -a g + b h, a, b > 0: so <v, n> >= 0, and
the divergence grows. Hence h opposite to g is worst. Then everything lies on a line, the quotient of the densities is
increasing, S is a half-line, and the masses of half-lines move apart as either norm grows. The first pair is also
Mironov, Talwar & Zhang 2019, Theorem 4; the second that of Koskela, Jalko & Honkela 2020.

The Renyi integrals are computed by the trapezoidal rule on the line. For f analytic in |Im z| < a with
N >= integral |f(x + iy)| dx there, its error is at most 2 N/(e^(2 pi a/h) - 1), h the distance of the nodes (Trefethen
& Weideman 2014, Theorem 5.1); what is cut off, and every rounding, is added. Orders are real.
"""

from __future__ import annotations

import math
from functools import lru_cache

from seqlang.accounting import arguments
from seqlang.accounting import renyi as curves
from seqlang.arithmetic.rounding import exp_up, up

ROUNDING = 2.0**-52
LARGEST = 600.0
MOST_NODES = 50_000
"""Renyi integrals above e^600, or with more nodes, are not computed: no bound comes from such orders."""
LEAST, MOST = 1e-4, 1e8
"""Outside these deviations the sample is taken to hide nothing: the loss is huge, or next to nothing, all the same."""


def renyi(rate: float, sigma: float, order: float) -> float:
    """Order-`order` RDP of one release under add or remove one, rounded up; infinite where it is of no use.

    `rate`: the chance q of each record, whose part has l2 norm at most 1. The order in which the
    record is removed is the larger one (Mironov, Talwar & Zhang 2019, Theorem 5); both are computed all the same.
    """
    a, q, s = _checked(rate, sigma, order)
    if q == 1 or not LEAST < s < MOST:
        return curves.gaussian(s, a) if s > 0 else math.inf
    return min(max(_divergence(a, q, s, a, 0), _divergence(a, q, s, 1 - a, 0)), curves.gaussian(s, a))


def renyi_replace(rate: float, sigma: float, order: float) -> float:
    """The same under replace one."""
    a, q, s = _checked(rate, sigma, order)
    if q == 1 or not LEAST < s < MOST:
        return curves.gaussian(s, a, 2.0) if s > 0 else math.inf
    return min(_divergence(a, q, s, a, 1 - a), curves.gaussian(s, a, 2.0))


def _checked(rate: float, sigma: float, order: float) -> tuple[float, float, float]:
    arguments.positive("rate", rate)
    if rate > 1:
        raise ValueError(f"rate must be a probability above 0, got {rate}")
    return arguments.renyi_order("order", order), float(rate), arguments.positive("sigma", sigma)


@lru_cache(maxsize=4096)
def _divergence(order: float, q: float, s: float, u_power: float, v_power: float) -> float:
    """log of the integral of phi_0 u^u_power v^v_power, over (order - 1), rounded up. u and v are the densities of the
    mixtures with N(1) and N(-1), relative to phi_0: u(x) = 1 - q + q e^((x - 1/2)/s^2), v(x) = u(-x)."""
    total = _integral(q, s, u_power, v_power)
    return up(max(0.0, up(math.log(total), 4)) / (order - 1), 4) if total < math.inf else math.inf


def _integral(q: float, s: float, u_power: float, v_power: float) -> float:
    """The integral of phi_0 u^u_power v^v_power, rounded up.

    The bound N: |phi(x + iy)| = phi(x) e^(y^2/2s^2); |u(x + iy)| lies between u(x) cos(y/2s^2) and u(x). So N is the
    integral itself times e^(a^2/2s^2) cos(a/2s^2)^(the negative powers), for a < pi s^2. Far out u <= max(1, e^t) and
    u >= 1 - q, so that the integrand is at most e^grown times a normal density around 0 or around the power of u.
    """
    variance = math.nextafter(s * s, 0.0)  # a little less noise
    reach, bottoms = max(0.0, u_power), -sum(p for p in (u_power, v_power) if p < 0)
    shifted = (reach * reach - reach) / (2 * variance)
    largest = max(0.0, shifted + reach * math.log(q))
    grown = shifted + bottoms * -math.log1p(-q)
    if not largest <= LARGEST:
        return math.inf
    step, error = _step(variance, bottoms)
    width = math.sqrt(2 * variance * (45 + max(0.0, grown - largest))) + 2 * step
    if not error < 1e-15 or not reach + 2 * width < MOST_NODES * step:
        return math.inf
    first, last = math.floor(-width / step), math.ceil((reach + width) / step)
    density = -0.5 * math.log(2 * math.pi * variance)
    values, slack = [], []
    for i in range(first, last + 1):
        x = i * step
        square = x * x / (2 * variance)
        log_u, u_error = _log_mixture(q, x, variance)
        log_v, v_error = _log_mixture(q, -x, variance) if v_power else (0.0, 0.0)
        exponent = density - square + u_power * log_u + v_power * log_v
        if exponent > LARGEST + 50:
            return math.inf
        value = math.exp(exponent)
        values.append(value)
        slack.append(value * (8 * (2 + square + abs(exponent)) + abs(u_power) * u_error + abs(v_power) * v_error))
    total = step * (math.fsum(values) + math.fsum(slack) * ROUNDING)
    cut = 4 * math.exp(grown - 0.5 * (width - step) ** 2 / variance)
    return (total / (1 - error) + cut) * (1 + 16 * ROUNDING)


def _step(variance: float, bottoms: float) -> tuple[float, float]:
    """The distance of the nodes, as large as keeps the relative error of the rule below 4e-18, and that error."""
    best = 0.0, 1.0
    for part in (0.999, 0.5):
        widest = part * math.pi * variance
        for strip in (widest, min(widest, 9 * math.sqrt(variance))):
            growth = strip * strip / (2 * variance) - bottoms * math.log(math.cos(strip / (2 * variance)))
            step = 2 * math.pi * strip / (growth + 41)
            if step > best[0]:
                best = step, 2.1 * exp_up(growth - 2 * math.pi * strip / step)
    return best


def _log_mixture(q: float, x: float, variance: float) -> tuple[float, float]:
    """log u(x), and a bound on its error in units of ROUNDING, the error of the node included."""
    t = (x - 0.5) / variance
    moved = 4 * (abs(x) + 1) / variance
    if t > 30:
        found = t + math.log(q) + (math.log1p((1 - q) / q * math.exp(-t)) if t < 700 else 0.0)
        return found, 4 * (2 + abs(t) + abs(math.log(q))) + moved
    part = q * math.exp(t)
    mixed = (1 - q) + part
    found = math.log(mixed)
    return found, 4 * (2 + abs(found)) + moved * part / mixed
