"""The transfer function of every operator of the catalogue holds on real neighbours, and half of what it says does not.

Each operator is applied to this step's entry, to running sums, and to lists of these. The interpreter computes it on
neighbouring inputs; nothing that it says comes from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from seqlang import driver
from seqlang.analyses.shifts import statistics
from seqlang.analyses.trials import failures, trials
from seqlang.analyses.trials.claimed import Claimed, claimed
from seqlang.arithmetic.formula import Formula
from seqlang.arithmetic.formula import number as formula
from seqlang.model.expression import Apply, Expression
from seqlang.model.program import Program
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.operator import Operator
from seqlang.rules.sensitivity.motion import courses, distances
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.motion import Motion, scaled
from seqlang.source import Source

WORK = 4_000
QUARTER = formula(Fraction(1, 4))
ADJACENCIES = ("replace one", "every x within 1 same direction")
ENTRIES = ("x", "sum(x over last 2)", "max(x since even)")
"""A quantity of one entry; two that last longer, for which the transfer functions over steps are asked."""
FACTOR = "(if step > 2 then 1 else 2)"
"""Public, and no constant: a constant one is taken out before any operator is looked at."""
OF_CONSTANTS = {"..": "its ends are constants", "zeros": "how many there are is a constant"}
MOVING = sorted(OPERATORS.keys() - OF_CONSTANTS.keys())
NOTICED = 3
"""Of the six programs of an operator: the bounds of the others are more than twice what ever happens."""


def number(operator: Operator, quantity: str) -> str:
    """The quantity, moved to where a function of one number is defined and its slope is finite."""
    above = None if operator.analytic is None else operator.analytic.above
    return quantity if above is None else f"({quantity} + {above + 3})"


def applied(operator: Operator, quantity: str) -> str:
    """The operator, written with the quantity among its operands."""
    name, moving = operator.name, number(operator, quantity)
    vector = f"[{moving}, 2 * {moving}]"
    match operator.group, operator.arguments:
        case "comparison", _:
            return f"(if {moving} {name} 1 then 1 else 0)"
        case "logic", ((_, _),):
            return f"(if not {moving} > 0 then 1 else 0)"
        case "logic", _:
            return f"(if {moving} > 0 {name} {moving} > 1 then 1 else 0)"
        case "arithmetic", ((_, _),):
            return f"-{moving}"
        case "arithmetic", _:
            return f"({moving} {name} {FACTOR if name in ('*', '/') else 2})"
        case "fold", _:
            return f"count([{moving} > 0, {moving} > 1])" if name == "count" else f"{name}({vector})"
    operands = {"number": moving, "vector": vector, "collection": vector, "ball": "ball(1, 2)"}
    given = [operands[kind] for _, kind in operator.arguments or ()]
    still = {"clip": [given[0], "0", "1.5"], "dot": [vector, "[1, 1]"], "clip_norm": [vector, "1"]}.get(name, given)
    return f"{name}({', '.join(still)})"


def program(adjacency: str, statistic: str) -> Program:
    text = (
        f'algorithm t "t"\nstream x in [-1, 2]\nadjacent {adjacency}\nstatistic s = {statistic}\n'
        "report even when step % 2 == 0\nstop when step >= 4"
    )
    return driver.load(Source("operator.seq", text)).program


def programs(name: str, quantities: tuple[str, ...] = ENTRIES) -> Iterator[Program]:
    for adjacency, quantity in product(ADJACENCIES, quantities):
        yield program(adjacency, applied(OPERATORS[name], quantity))


def bounded(made: Program) -> bool:
    return all(statistic.shift.kind != "unbounded" for statistic in statistics(made))


def smaller(made: Program, expression: Expression, revealed: frozenset[str]) -> Claimed | None:
    """Less than half of what is derived."""
    found = claimed(made, expression, revealed)
    if found is None:
        return None
    return Claimed(found.kind, tuple((n, 0.45 * r) for n, r in found.radii), found.onset, found.report, found.sign)


@pytest.mark.parametrize("name", MOVING)
def test_what_is_derived_holds(name: str) -> None:
    for made in programs(name):
        assert bounded(made)
        assert failures(made, work=WORK) == ()


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in MOVING if name != "length"])
def test_less_than_half_of_it_does_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "claimed", smaller)
    assert sum(bool(failures(made, work=4 * WORK)) for made in programs(name)) >= NOTICED


@pytest.mark.parametrize("name", sorted(courses.TRANSFERS))
def test_every_transfer_function_is_tried(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is wrong is noticed on what lasts longer than a step."""
    right = courses.TRANSFERS[name]

    def wrong(entry: Entry, part: Apply, operands: courses.Operands) -> Motion | None:
        found = right(entry, part, operands)
        return None if found is None else scaled(entry.facts, found, QUARTER)

    monkeypatch.setitem(courses.TRANSFERS, name, wrong)
    assert any(failures(made, work=WORK) for made in programs(name, ENTRIES[1:]))


@pytest.mark.parametrize("name", sorted(distances.LEMMAS))
def test_every_lemma_of_distances_is_tried(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is wrong is noticed on functions of one entry."""
    right = distances.LEMMAS[name]

    def wrong(entry: Entry, part: Apply, moved: distances.Distances) -> Formula | None:
        found = right(entry, part, moved)
        return None if found is None else found * QUARTER

    monkeypatch.setitem(distances.LEMMAS, name, wrong)
    assert any(failures(made, work=WORK) for made in programs(name, ENTRIES[:1]))
