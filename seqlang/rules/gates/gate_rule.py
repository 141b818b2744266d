"""Rules about one gate, or about a group of gates: what showing it costs is computed from the program alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.computed import Computed, from_the_program, simplified
from seqlang.rules.gates.showings import NOT_MINE, Showings, in_all
from seqlang.rules.search import Offer, Search

Bound = PureBound | ConcentratedBound
Cost = Callable[[Program, Gate], Formula | str]
GroupCost = Callable[[Program, tuple[str, ...]], Formula | str]
"""The epsilon or rho of all showings together, of a gate or of the gates with these names; text: why there is none."""


def pure_rule(
    name: str, title: str, statement: str, cite: str, because: str,
    showings: Callable[[Program, Gate], Showings | str],
) -> tuple[Rule, Search]:  # fmt: skip
    """The showings of a gate are what `showings(program, gate)` says."""
    costs: dict[type[Bound], Cost] = {PureBound: lambda program, gate: in_all(showings(program, gate))}
    rule, search = gate_rule(name, title, statement, cite, because, costs)
    return rule, replace(search, showings=showings)


def gate_rule(
    name: str, title: str, statement: str, cite: str, because: str, costs: Mapping[type[Bound], Cost]
) -> tuple[Rule, Search]:
    """`costs`: for each notion that the rule concludes."""

    def of_one(notion: type[Bound]) -> GroupCost:
        def cost(program: Program, names: tuple[str, ...]) -> Formula | str:
            gate = gate_of(program, names)
            return gate if isinstance(gate, str) else costs[notion](program, gate)

        return cost

    rule, of_group = group_rule(name, title, statement, cite, because, {notion: of_one(notion) for notion in costs})

    def suggest(program: Program, gate: Gate) -> Offer:
        return of_group.suggest(program, (gate.name,))

    return rule, Search(name, ("gate",), suggest)


def gate_of(program: Program, names: tuple[str, ...]) -> Gate | str:
    """The only gate that is named; text where it is not one of the program's."""
    found = (gate for gate in program.gates if (gate.name,) == names)
    return next(found, "the rule is about one gate of the program")


def group_rule(
    name: str, title: str, statement: str, cite: str, because: str, costs: Mapping[type[Bound], GroupCost]
) -> tuple[Rule, Search]:
    """The same for several gates together."""

    def least(program: Program, asked: Bound, _: Derivation) -> Formula | str:
        return costs[type(asked)](program, asked.gates)

    made = Computed[Bound](name, title, statement, cite, tuple(costs), from_the_program, least)

    def suggest(program: Program, gates: tuple[str, ...]) -> tuple[Derivation, ...] | str:
        """The bounds of all showings together, or the first reason against one."""
        offers = [made.offer(program, _open(notion, gates), because) for notion in costs]
        found = tuple(simplified(program, offer) for offer in offers if isinstance(offer, Derivation))
        return found or next((offer for offer in offers if isinstance(offer, str) and offer), NOT_MINE)

    return made.rule, Search(name, ("gates",), suggest)


def rule_at_delta(
    name: str, title: str, statement: str, cite: str, because: str,
    cost: Callable[[Program, tuple[str, ...], Fraction], Formula | float | str],
) -> tuple[Rule, Search]:  # fmt: skip
    """`cost`: the epsilon of the gates with these names together at a delta; text: why there is none."""

    def least(program: Program, asked: ApproximateBound, _: Derivation) -> Formula | float | str:
        return cost(program, asked.gates, asked.delta)

    made = Computed(name, title, statement, cite, ApproximateBound, from_the_program, least)

    def suggest(program: Program, gates: tuple[str, ...], delta: Fraction) -> Derivation | str:
        return made.offer(program, ApproximateBound(gates, INFINITY, delta, None), because)

    return made.rule, Search(name, ("gates", "delta"), suggest)


def _open(notion: type[Bound], gates: tuple[str, ...]) -> Bound:
    return PureBound(gates, INFINITY) if notion is PureBound else ConcentratedBound(gates, INFINITY, None)
