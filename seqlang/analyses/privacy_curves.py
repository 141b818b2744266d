"""What each rule proves at many orders and at many deltas, for pictures."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf

from seqlang.analyses.prove import prove
from seqlang.analyses.witnesses.confirm import epsilon_at
from seqlang.model.program import Program
from seqlang.process.doing import doing
from seqlang.process.time_limit import over
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.proof.witness import Witness
from seqlang.record import record
from seqlang.rules.computed import bound_up

GRID = tuple(Fraction(round(100 + 10 * 1.25**i), 100) for i in range(32))
"""Orders from 1.1 to 102, closer to each other near 1."""
DELTAS = tuple(Fraction(1, 10**i) for i in range(1, 13))

Points = tuple[tuple[float, float], ...]
"""(order, epsilon), or (delta, epsilon); epsilons in nats, rounded up."""


@record
class PrivacyCurves:
    """Of every rule that bounds all gates together, by its name. `best` are the least of these bounds; `pure` is the
    pure epsilon (infinite: none is proved); `witnessed` what a witness forces, (delta, epsilon), rounded down."""

    at_orders: dict[str, Points]
    best_at_orders: Points
    at_deltas: dict[str, Points]
    best_at_deltas: Points
    pure: float
    witnessed: Points


def privacy_curves(program: Program, horizon: int | None, witness: Witness | None) -> PrivacyCurves:
    """Proves the program once for all orders and once for each delta; ends early where the time is over."""
    doing("bounds at many orders")
    bounds = prove(program, horizon=horizon, orders=GRID)
    pure = inf if bounds.pure is None else bound_up(program, bounds.pure.conclusion)
    orders: dict[str, dict[float, float]] = {}
    _enter(orders, program, (*bounds.rdp, *bounds.alternatives), RenyiBound)
    deltas: dict[str, dict[float, float]] = {}
    for delta in DELTAS:
        if over():
            break
        doing(f"bounds at delta {float(delta):g}")
        found = prove(program, delta=delta, horizon=horizon)
        _enter(deltas, program, (*(d for d in (found.dp,) if d is not None), *found.alternatives), ApproximateBound)
    forced = () if witness is None else tuple((float(d), epsilon_at(witness, float(d))) for d in DELTAS)
    return PrivacyCurves(
        at_orders={rule: _points(line) for rule, line in orders.items()},
        best_at_orders=_least(orders),
        at_deltas={rule: _points(line) for rule, line in deltas.items()},
        best_at_deltas=_least(deltas),
        pure=pure,
        witnessed=tuple((delta, epsilon) for delta, epsilon in forced if epsilon > 0),
    )


def _enter(lines: dict[str, dict[float, float]], program: Program, found: Iterable[Derivation], notion: type) -> None:
    """The least that each rule gives at each order or delta."""
    for derivation in found:
        bound = derivation.conclusion
        if isinstance(bound, notion) and isinstance(bound, RenyiBound | ApproximateBound):
            at = float(bound.order if isinstance(bound, RenyiBound) else bound.delta)
            line = lines.setdefault(derivation.rule, {})
            line[at] = min(line.get(at, inf), bound_up(program, bound))


def _points(line: dict[float, float]) -> Points:
    return tuple(sorted((at, epsilon) for at, epsilon in line.items() if epsilon < inf))


def _least(lines: dict[str, dict[float, float]]) -> Points:
    joined: dict[float, float] = {}
    for line in lines.values():
        for at, epsilon in line.items():
            joined[at] = min(joined.get(at, inf), epsilon)
    return _points(joined)
