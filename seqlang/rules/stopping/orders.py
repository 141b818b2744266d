"""Rules that bound a group of noisy tests at Renyi orders."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.computed import Computed, from_the_program
from seqlang.rules.search import Search

Gates = tuple[str, ...]


def at_orders(
    name: str, title: str, statement: str, cite: str, because: str,
    gates: Callable[[Program], Gates],
    epsilon: Callable[[Program, Gates, int | None], Formula | str],
) -> tuple[Rule, Search]:  # fmt: skip
    """`epsilon(program, gates, horizon)` is that of the gates together, over ORDER, within so many steps (None: any
    number); `gates(program)` are those that the search asks about."""

    def least(program: Program, asked: RenyiBound, _: Derivation) -> Formula | str:
        return epsilon(program, asked.gates, asked.horizon)

    made = Computed(name, title, statement, cite, RenyiBound, from_the_program, least)

    def suggest(program: Program, orders: tuple[Fraction, ...], horizon: int | None) -> tuple[Derivation, ...]:
        """One bound an order, for any number of steps if there is one; nothing where some order has none."""
        found: list[Derivation] = []
        for order in orders:
            asked = (RenyiBound(gates(program), order, INFINITY, steps) for steps in dict.fromkeys((None, horizon)))
            offers = (made.offer(program, one, because) for one in asked)
            first = next((offer for offer in offers if isinstance(offer, Derivation)), None)
            if first is None:
                return ()
            found.append(first)
        return tuple(found)

    return made.rule, Search(name, ("orders", "horizon"), suggest)
