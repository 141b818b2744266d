"""Who is a neighbour, in the form that the derivation of shifts reads."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Expression, Field, children, rebuild
from seqlang.model.program import AddRemove, Norm, Replace, Within
from seqlang.record import record
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.linear import Linear, linear
from seqlang.rules.sensitivity.facts.numbers import ONE
from seqlang.rules.sensitivity.facts.remembered import remembered


@record
class Neighbours:
    """`entries`: how many entries differ (None: any number); `single`: certainly not more than one; `resized`: by
    adding or removing them. `of` (`plain` is the same unsplit) moves by at most `radius` (None: an entry may become
    anything in its domain), in `norm` where it is a vector, in one direction at all entries if `same_direction`.
    """

    entries: Formula | None
    single: bool
    resized: bool = False
    of: Linear | None = None
    plain: Expression | None = None
    radius: Formula | None = None
    same_direction: bool = False
    norm: Norm = "linf"

    @property
    def every(self) -> bool:
        return self.entries is None


@remembered
def neighbours_of(facts: Facts) -> Neighbours | str:
    """The adjacency of the program, or why it cannot be used."""
    match facts.program.adjacency:
        case Replace(count):
            entries = evaluate_number(facts, count)
            return _counted(facts, entries, False)
        case AddRemove(count):
            entries = evaluate_number(facts, count)
            return _counted(facts, entries, True)
        case Within(of, radius, extent, same_direction, norm):
            r = evaluate_number(facts, radius)
            if r is None or facts.sign(r) not in (0, 1):
                return "the radius of the adjacency is not known to be a number >= 0"
            moved = as_entry(facts, facts.expand(of))
            split = linear(facts, moved)
            one = extent == "one"
            return Neighbours(ONE if one else None, one, False, split, moved, r, same_direction and not one, norm)


def _counted(facts: Facts, entries: Formula | None, resized: bool) -> Neighbours | str:
    if entries is None or facts.sign(entries) not in (0, 1):
        return "the number of differing entries is not known"
    return Neighbours(entries, facts.at_most(entries, ONE), resized)


def as_entry(facts: Facts, expression: Expression) -> Expression:
    """In an adjacency a dataset field means one record's value."""
    if isinstance(expression, Field) and expression.name + RECORD in facts.inputs:
        return Field(expression.name + RECORD)
    if not any(True for _ in children(expression)):
        return expression
    return rebuild(expression, lambda child: as_entry(facts, child))
