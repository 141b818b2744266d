"""Bounds for neighbours that differ in several entries, from those for one: where nothing speaks of several at once."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from seqlang.analyses.bounds import Bounds
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation
from seqlang.record import replace
from seqlang.rules.composition import group_privacy

TRIES = 4

Prove = Callable[[Program, Fraction, tuple[Fraction, ...]], Bounds]
"""The search for bounds of a program at a delta and at Renyi orders."""


def grown(program: Program, delta: Fraction, orders: tuple[Fraction, ...], prove: Prove) -> tuple[Derivation, ...]:
    """Bounds of all gates of the program; nothing if its neighbours differ in one entry, or in an unknown number."""
    one, size = group_privacy.single(program), group_privacy.size_of(program)
    if one is None or size is None or size < 2:
        return ()
    needed = sorted({at for order in orders for at in group_privacy.orders_below(program, order)})
    bounds = prove(one, delta, tuple(needed))
    known = [part for part in (bounds.pure, bounds.zcdp) if part is not None]
    found = [group_privacy.suggest(program, part) for part in known]
    found += [group_privacy.suggest_renyi(program, bounds.rdp, order) for order in orders]
    found.append(_at_delta(program, one, delta, bounds, prove))
    return tuple(d for d in found if d is not None)


def _at_delta(program: Program, one: Program, delta: Fraction, bounds: Bounds, prove: Prove) -> Derivation | None:
    """For one entry a smaller delta is asked, so that what it grows to is at most `delta`."""
    share = delta
    for _ in range(TRIES):
        if bounds.dp is None:
            return None
        found = group_privacy.suggest(program, bounds.dp)
        if found is None or not isinstance(found.conclusion, ApproximateBound):
            return None
        if found.conclusion.delta <= delta:
            return replace(found, conclusion=replace(found.conclusion, delta=delta))
        share = share * delta / found.conclusion.delta * Fraction(99, 100)
        bounds = prove(one, share, ())
    return None
