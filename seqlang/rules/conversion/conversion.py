"""Rules that say one bound in another notion, for the same gates and for no more steps: at orders, or at a delta."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import TypeVar

from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import horizon_of, value_up
from seqlang.rules.computed import Computed
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

_OTHER = "its premise is of another notion"
P = TypeVar("P", PureBound, ConcentratedBound)


def at_orders(
    name: str, title: str, statement: str, cite: str, because: str,
    premise: type[P], epsilon: Callable[[float, float], float],
) -> tuple[Rule, Search]:  # fmt: skip
    """From a pure or a zCDP bound; `epsilon(its amount, order)` is that of the RDP bound, rounded up."""

    def least(program: Program, asked: RenyiBound, step: Derivation) -> float | str:
        bound = step.premises[0].conclusion
        return epsilon(amount_up(program, bound), asked.order) if isinstance(bound, premise) else _OTHER

    made = Computed(name, title, statement, cite, RenyiBound, mismatch, least)

    def suggest(program: Program, part: Derivation, orders: tuple[float, ...]) -> tuple[Derivation, ...]:
        bound = part.conclusion
        if not isinstance(bound, premise):
            return ()
        asked = (RenyiBound(bound.gates, order, nan, horizon_of(bound)) for order in orders)
        offers = (made.offer(program, one, because, (part,)) for one in asked)
        return tuple(offer for offer in offers if isinstance(offer, Derivation))

    return made.rule, Search(name, ("part", "orders"), suggest)


def amount_up(program: Program, bound: PureBound | ConcentratedBound) -> float:
    """The epsilon or rho, as a number that is rounded up."""
    return value_up(program, bound.epsilon if isinstance(bound, PureBound) else bound.rho)


def at_delta(
    name: str, title: str, statement: str, cite: str, because: str,
    epsilon: Callable[[Program, Derivation, float], float | str],
) -> tuple[Rule, Search]:  # fmt: skip
    """`epsilon(program, part, delta)` is what follows from the bound `part`, rounded up; text: why nothing does."""

    def least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
        return epsilon(program, step.premises[0], asked.delta)

    made = Computed(name, title, statement, cite, ApproximateBound, mismatch, least)

    def suggest(program: Program, part: Derivation, delta: float) -> Derivation | None:
        asked = ApproximateBound(part.conclusion.gates, nan, delta, horizon_of(part.conclusion))
        offer = made.offer(program, asked, because, (part,))
        return offer if isinstance(offer, Derivation) else None

    return made.rule, Search(name, ("part", "delta"), suggest)
