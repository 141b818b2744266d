"""Rules that say one bound in another notion, for the same gates and for no more steps: at orders, or at a delta."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.proof.derivation import (
    ApproximateBound,
    ConcentratedBound,
    Derivation,
    PureBound,
    RenyiBound,
    amount,
    steps_of,
)  # fmt: skip
from seqlang.proof.rule import Rule
from seqlang.rules.computed import Computed
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

_OTHER = "its premise is of another notion"
P = TypeVar("P", PureBound, ConcentratedBound)


def at_orders(
    name: str, title: str, statement: str, cite: str, because: str,
    premise: type[P], epsilon: Callable[[Formula], Formula],
) -> tuple[Rule, Search]:  # fmt: skip
    """From a pure or a zCDP bound; `epsilon(its amount)` is that of the RDP bound, over ORDER."""

    def least(_: Program, asked: RenyiBound, step: Derivation) -> Formula | str:
        bound = step.premises[0].conclusion
        return epsilon(amount(bound)) if isinstance(bound, premise) else _OTHER

    made = Computed(name, title, statement, cite, RenyiBound, mismatch, least)

    def suggest(program: Program, part: Derivation, orders: tuple[Fraction, ...]) -> tuple[Derivation, ...]:
        bound = part.conclusion
        if not isinstance(bound, premise):
            return ()
        asked = (RenyiBound(bound.gates, order, INFINITY, steps_of(bound)) for order in orders)
        offers = (made.offer(program, one, because, (part,)) for one in asked)
        return tuple(offer for offer in offers if isinstance(offer, Derivation))

    return made.rule, Search(name, ("part", "orders"), suggest)


def at_delta(
    name: str, title: str, statement: str, cite: str, because: str,
    epsilon: Callable[[Program, Derivation, float], float | str],
    symbolic: Callable[[Program, Derivation], Formula | None] | None = None,
) -> tuple[Rule, Search]:  # fmt: skip
    """`epsilon(program, part, delta)`, delta rounded down, is what follows from the bound `part`, rounded up; text: why
    nothing does. `symbolic(program, part)` is the same as a formula over DELTA, for reports."""

    def least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
        return epsilon(program, step.premises[0], fraction_down(asked.delta))

    def of_part(program: Program, step: Derivation) -> Formula | None:
        return None if symbolic is None else symbolic(program, step.premises[0])

    made = Computed(name, title, statement, cite, ApproximateBound, mismatch, least, symbolic=of_part)

    def suggest(program: Program, part: Derivation, delta: Fraction) -> Derivation | None:
        asked = ApproximateBound(part.conclusion.gates, INFINITY, delta, steps_of(part.conclusion))
        offer = made.offer(program, asked, because, (part,))
        return offer if isinstance(offer, Derivation) else None

    return made.rule, Search(name, ("part", "delta"), suggest)
