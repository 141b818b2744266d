"""The exact law of an `Instance` on a stream, by quadrature over persistent noise; shares nothing with seqlang."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from instances import Gate, Instance, values
from noise_laws import Array, NoiseLaw, smooth

ERROR = 1e-14
"""By how much the probability of a rare outcome may be off."""

Outcome = tuple[tuple[int, int], ...]
"""The fired gates: (step, gate), in order; the run ends after the last one or goes on to the horizon."""


@cache
def _grid(law: NoiseLaw) -> tuple[Array, Array]:
    return law.quadrature()


def exact_law(instance: Instance, stream: Sequence[float]) -> dict[Outcome, float]:
    """P(outcome) for every outcome up to the length of the stream."""
    if instance.reports:
        return _repeated(instance, stream)
    if len(instance.gates) == 1 or not _coupled(instance):
        return _separate(instance, stream)
    return _joint(instance, stream)


def _coupled(instance: Instance) -> bool:
    """Whether the two gates share a persistent or a fresh noise."""
    a, b = instance.gates
    return (a.z is not None and a.z == b.z) or (a.w is not None and a.w == b.w)


def _shifted(gate: Gate, level: float, z: Array) -> Array:
    """The fresh noise (times its sign) must be at least (direction 1) or at most (-1) this for the gate to fire."""
    return gate.threshold + gate.z_sign * z - level


def _fires(instance: Instance, gate: Gate, bound: Array) -> Array:
    if gate.w is None:
        return (bound <= 0 if gate.direction > 0 else bound >= 0).astype(float)
    law = instance.fresh[gate.w]
    if gate.w_sign > 0:
        return law.at_least(bound) if gate.direction > 0 else law.at_most(bound)
    return law.at_most(-bound) if gate.direction > 0 else law.at_least(-bound)


def _nodes(instance: Instance, gate: Gate) -> tuple[Array, Array]:
    if gate.z is None:
        return np.zeros(1), np.ones(1)
    return _grid(instance.persistent[gate.z])


def _separate(instance: Instance, stream: Sequence[float]) -> dict[Outcome, float]:
    """Independent gates: the survival of each is its own integral, and the law is their product."""
    levels = values(instance.kind, stream, ())
    survive: list[list[float]] = []
    fire: list[list[float]] = []
    for gate in instance.gates:
        z, weight = _nodes(instance, gate)
        alive = weight.copy()
        survive.append([float(weight.sum())])
        fire.append([])
        for level in levels:
            p = _fires(instance, gate, _shifted(gate, level, z))
            fire[-1].append(float((alive * p).sum()))
            alive = alive * _complement(instance, gate, _shifted(gate, level, z))
            survive[-1].append(float(alive.sum()))
    out: dict[Outcome, float] = {}
    for t in range(1, len(levels) + 1):
        for j in range(len(instance.gates)):
            p = fire[j][t - 1]
            for i in range(len(instance.gates)):
                if i < j:
                    p *= survive[i][t]
                elif i > j:
                    p *= survive[i][t - 1]
            out[((t, j),)] = p
    out[()] = math.prod(s[len(levels)] for s in survive)
    return out


def _complement(instance: Instance, gate: Gate, bound: Array) -> Array:
    """P(not fire), without the cancellation of 1 - P."""
    if gate.w is None:
        return (bound > 0 if gate.direction > 0 else bound < 0).astype(float)
    law = instance.fresh[gate.w]
    up = gate.direction > 0
    edge = bound if gate.w_sign > 0 else -bound
    if up == (gate.w_sign > 0):
        return law.at_most(edge) if law.family != "geometric" else law.at_most(np.ceil(edge - 1e-9) - 1)
    return law.at_least(edge) if law.family != "geometric" else law.at_least(np.floor(edge + 1e-9) + 1)


def _joint(instance: Instance, stream: Sequence[float]) -> dict[Outcome, float]:
    """Two gates (the first upward, the second downward) that share a noise."""
    levels = values(instance.kind, stream, ())
    up, down = instance.gates
    za, wa = _nodes(instance, up)
    if up.z == down.z:
        a, b, weight = za, za, wa
    else:
        a, b, weight = _plane(instance)
    alive = weight.copy()
    out: dict[Outcome, float] = {}
    for t, level in enumerate(levels, 1):
        high, low = _shifted(up, level, a), _shifted(down, level, b)
        first = _fires(instance, up, high)
        if up.w == down.w and up.w is not None:
            law = instance.fresh[up.w]
            second = np.where(low >= high, law.at_most(high) - _atom(law, high), law.at_most(low))
            rest = np.clip(law.at_most(high) - _atom(law, high) - law.at_most(low), 0, None)
            rest = np.where(high > low, np.maximum(rest, _between(law, low, high)), 0.0)
        else:
            quiet = _complement(instance, up, high)
            second = quiet * _fires(instance, down, low)
            rest = quiet * _complement(instance, down, low)
        out[((t, 0),)] = float((alive * first).sum())
        out[((t, 1),)] = float((alive * second).sum())
        alive = alive * rest
    out[()] = float(alive.sum())
    return out


def _plane(instance: Instance) -> tuple[Array, Array, Array]:
    """Nodes for two independent kept noises whose gates share a fresh one. The one kink is where the two bounds meet:
    for Gaussian noise (all smooth) the second coordinate is the distance of the bounds."""
    up, down = instance.gates
    assert up.z is not None and down.z is not None and up.w is not None
    first, second = instance.persistent[up.z], instance.persistent[down.z]
    za, wa = _grid(first)
    if first.family == "geometric" == second.family:
        zb, wb = _grid(second)
        a, b = (m.ravel() for m in np.meshgrid(za, zb, indexing="ij"))
        return a, b, np.outer(wa, wb).ravel()
    assert first.family == second.family == instance.fresh[up.w].family == "gaussian"
    za, wa = smooth(9 * first.scale, first.scale)
    reach = abs(up.threshold - down.threshold) + 9 * math.hypot(first.scale, second.scale)
    d, wd = smooth(reach, first.scale)
    a, apart = (m.ravel() for m in np.meshgrid(za, d, indexing="ij"))
    b = down.z_sign * (up.threshold - down.threshold + up.z_sign * a - apart)
    return a, b, np.outer(wa, wd).ravel() * first.density(a) * second.density(b)


def _atom(law: NoiseLaw, x: Array) -> Array:
    if law.family != "geometric":
        return np.zeros_like(x)
    whole = np.abs(x - np.round(x)) < 1e-9
    return np.where(whole, (1 - law.scale) / (1 + law.scale) * law.scale ** np.abs(x), 0.0)


def _between(law: NoiseLaw, low: Array, high: Array) -> Array:
    """P(low < noise < high), from the tail that loses least."""
    right = law.at_least(low) - _atom(law, low) - law.at_least(high)
    left = law.at_most(high) - _atom(law, high) - law.at_most(low)
    return np.clip(np.where(low > 0, right, left), 0, None)


def _repeated(instance: Instance, stream: Sequence[float]) -> dict[Outcome, float]:
    """One gate that reports up to `reports` times; its noise is kept, or drawn anew after each report."""
    (gate,) = instance.gates
    z, weight = _nodes(instance, gate)
    out: dict[Outcome, float] = {}
    for steps in _report_steps(len(stream), instance.reports):
        levels = values(instance.kind, stream, steps)
        last = steps[-1] if len(steps) == instance.reports else len(stream)
        total, alive = 1.0, weight.copy()
        for t in range(1, last + 1):
            bound = _shifted(gate, levels[t - 1], z)
            if t in steps:
                alive = alive * _fires(instance, gate, bound)
                if instance.life != "once":
                    total *= float(alive.sum())
                    alive = weight.copy()
            else:
                alive = alive * _complement(instance, gate, bound)
        tail = 1.0 if instance.life != "once" and last in steps else float(alive.sum())
        out[tuple((s, 0) for s in steps)] = total * tail
    return out


def _report_steps(length: int, most: int) -> Iterator[tuple[int, ...]]:
    for k in range(most + 1):
        yield from itertools.combinations(range(1, length + 1), k)


def neighbours(instance: Instance, length: int) -> Iterator[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Every pair of neighbouring streams (each in one order)."""
    if instance.every:
        for first in itertools.product((0.0, 1.0), repeat=length):
            for moves in itertools.product((-1.0, 0.0, 1.0), repeat=length):
                second = tuple(x + m for x, m in zip(first, moves, strict=True))
                if first < second:
                    yield first, second
        return
    for first in itertools.product(instance.alphabet, repeat=length):
        for k, old in enumerate(first):
            for new in instance.alphabet:
                if new > old:
                    yield first, (*first[:k], new, *first[k + 1 :])


def exact_loss(instance: Instance, length: int) -> float:
    """The largest |log ratio| over all neighbours and outcomes; outcomes below 1e-11 in both laws do not count, and the
    ratio is rounded down for the quadrature's error."""
    law = cache(lambda stream: exact_law(instance, stream))
    worst = 0.0
    for first, second in neighbours(instance, length):
        p, q = law(first), law(second)
        for outcome in p.keys() | q.keys():
            a, b = p.get(outcome, 0.0), q.get(outcome, 0.0)
            if max(a, b) > 1e-11:
                small = min(a, b)
                worst = max(worst, math.inf if small == 0 else math.log((max(a, b) - ERROR) / (small + ERROR)))
    return worst
