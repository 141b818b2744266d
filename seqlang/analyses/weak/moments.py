"""Weak Renyi bounds of noisy tests at every position, from moments of the test's own stopping time.

Setting: J stops, stop j fires iff value_j + Z_j + W_j(t) >= 0 with Z_j drawn once and W_j in each step, all
independent; two streams X_n = a and X_n = b with the other entries drawn alike; |value_j - value_j'| <= D_j.

Theorem. For every order o > 1 and gamma > 1, with r_j, v_j the Renyi curves of Z_j and W_j (v for the distance of the
look that stops: D_j where all differences have one sign, else 2 D_j),
    D_o <= sum_j r_j(1 + (o-1) gamma/(gamma-1)) + max_j v_j(o)
           + [ log(E_z[E[T | z]^gamma]) / gamma + log(J / p) ] / (o - 1),    p = P(X_n = a) under the model.

Proof. Move each Z_j by D_j to z' (where all differences have one sign, only if that sign makes firing likelier): then
the neighbour survives every look at least as surely, A_t(z, x) <= A_t'(z', x) for fixed other entries x, and the look
that stops is off by at most the distance of v_j. In one look at most J outcomes stop the run, each with a chance
u_j e_j where u_j <= u_j' is that no earlier stop fires and e_j that this one does; so the sum over outcomes of
P^o Q^(1-o) is at most A_t J e^((o-1) max v). Joint convexity over x, which has the same law under both, and the sum
over t give J e^((o-1) max v) int p(z)^o p'(z')^(1-o) E[T | z, X_n = a] dz; Hoelder's inequality against p gives the
rest, and E[T | z, X_n = a] <= E[T | z] / p. This is Zhu & Wang 2020, Theorem 8, with the other entries counted as
randomness of the test, and all ends stopped by the first that fires.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, log, log1p
from typing import Any

import numpy as np

from seqlang.accounting import renyi
from seqlang.accounting.noisy_test import zhu_wang
from seqlang.analyses.weak.mixture import mixture_of
from seqlang.analyses.weak.positions import Scan
from seqlang.arithmetic.formula import enclose
from seqlang.backends.solve.heavy_tails import beyond_the_nodes
from seqlang.model.program import Program, PublicGate, Replace
from seqlang.process.time_limit import poll
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.motion.motion import ONE_SIGN
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.stopping.ends import End, Source, ends_of

GAMMAS = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Exponents g of the moments E[E[T | z]^g] that are computed; a bound may use any of them."""
ENOUGH = 1e-13
"""Mass still running at which the recursion ends; the rest is bounded by the decay of the last steps."""
BEYOND = 1e-19
"""Total chance of the draws of the threshold noises that are rarer than every node."""
SAFETY = 3.0
"""Factor on what the steps past the last one computed add to E[T | z], at the decay of the last steps."""


def curve_of(program: Program, scan: Scan) -> Callable[[float], float] | None:
    """order -> a Renyi divergence that no position and pair exceeds; None where the theorem does not apply."""
    names = tuple(gate.name for gate in program.gates if not isinstance(gate, PublicGate))
    ends = ends_of(program, names)
    mixture = mixture_of(program, scan.model, scan.entries)
    if isinstance(ends, str) or not _one_entry(program) or mixture is None or min(mixture.chances) <= 0:
        return None
    rarest = min(mixture.chances)
    parts = [part for end in ends if (part := _parts(program, end)) is not None]
    if len(parts) < len(ends):
        return None
    moments = log_moments(scan.chains, GAMMAS, scan.work)

    @cache
    def bound(order: float) -> float:
        look = max(curve(order, distance) for _, curve, _, distance in parts)
        found = [inf]
        for gamma, log_moment in moments.items():
            if log_moment < inf:
                total = log_moment + gamma * log(len(parts) / rarest)
                found.append(zhu_wang.with_own_moment(order, lambda o: _thresholds(parts, o), look, gamma, total))
        return min(found)

    return bound


def _thresholds(parts: list[Any], order: float) -> float:
    return float(sum(curve(order, radius) for curve, _, radius, _ in parts)) * (1 + 1e-12)


Curve = Callable[[float, float], float]
"""order, distance -> Renyi divergence"""


def _parts(program: Program, end: End) -> tuple[Curve, Curve, float, float] | None:
    """Curves of the threshold's and of the look's noise, how far the value moves, how far the stopping look is off."""
    shift = shift_of(program, end.value)
    if shift.kind in ("none", "unbounded") or shift.norm != "abs":
        return None
    radius = enclose(shift.radius, parameter_values(program)).high
    threshold, look = _curve(program, end.threshold), _curve(program, end.look)
    if threshold is None or look is None or end.most != 1:
        return None
    return threshold, look, radius, radius * (1.0 if shift.kind in ONE_SIGN else 2.0)


def _curve(program: Program, source: Source) -> Curve | None:
    scale = enclose(source.scale, parameter_values(program)).low
    if source.family == "gaussian":
        return lambda order, distance: renyi.gaussian(scale, order, distance)
    if source.family == "laplace":
        return lambda order, distance: renyi.laplace(scale, order, distance)
    return None


def _one_entry(program: Program) -> bool:
    """Whether the shifts are those of one entry made arbitrary."""
    if not isinstance(program.adjacency, Replace):
        return False
    count = formula_of(program, program.adjacency.count)
    near = neighbours_of(facts_of(program))
    if count is None or isinstance(near, str) or not near.single:
        return False
    return enclose(count, parameter_values(program)).high == 1.0


def log_moments(chains: tuple[Any, ...], gammas: tuple[float, ...], work: float) -> dict[float, float]:
    """gamma -> log E_z[E[T | z]^gamma], rounded up: the larger of two orders and once more what they differ by; the
    rest after the last step is taken at the decay of the last steps, times SAFETY. inf where a node does not decay."""
    by_order = [_moments(chain, gammas, work) for chain in chains]
    found: dict[float, float] = {}
    for gamma in gammas:
        values = [moments[gamma] for moments in by_order]
        if max(values) == inf:
            found[gamma] = inf
        else:
            found[gamma] = max(values) + (max(values) - min(values)) + log1p(1e-9)
    return found


def _moments(chain: Any, gammas: tuple[float, ...], work: float) -> dict[float, float]:
    front = chain.begin()
    weights = np.array(front.survivors, dtype=float)
    total = np.zeros_like(weights)
    before = now = weights
    while float(now.sum()) > ENOUGH and work > 0:
        poll()
        total = total + now
        front, _ = chain.advance(front)
        before, now = now, np.asarray(front.survivors, dtype=float)
        work -= front.size
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(before > 0, now / before, 0.0)
        rest = np.where(now > 0, now / (1 - ratio), 0.0) * SAFETY
    if front.lost > 1e-9 or not np.all(ratio < 1):
        return dict.fromkeys(gammas, inf)
    mean = (total + rest + front.lost) / weights
    parts = {gamma: weights * mean**gamma for gamma in gammas}
    with np.errstate(divide="ignore"):
        return {g: float(np.log(p.sum() + beyond_the_nodes(weights, p, BEYOND))) for g, p in parts.items()}
