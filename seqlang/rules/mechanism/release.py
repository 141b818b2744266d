"""A number or vector released with noise of bounded translation cost (Dwork, McSherry, Nissim & Smith 2006)."""

from __future__ import annotations

from typing import assert_never

from seqlang.arithmetic.formula import ONE, Formula, function, logarithm, number
from seqlang.laws.facts import facts
from seqlang.model.expression import Bound, CellValue, Expression, Law, Local, Quantified
from seqlang.model.program import AllSteps, Gate, Level, Program, ReleaseGate, Within
from seqlang.operators.groups import TOTALS
from seqlang.record import replace
from seqlang.rules.gates.exposure import never_changes, touched
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.noise import Added, noises_of
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE, Showings, in_all
from seqlang.rules.reading.guards import earliest_step
from seqlang.rules.reading.limits import horizon_of, least
from seqlang.rules.reading.read_sets import cells_read
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.motion.folds import element_of
from seqlang.rules.sensitivity.motion.shift import Shift


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """What one showing costs, for the noise that hides most."""
    if not isinstance(gate, ReleaseGate):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    added = noises_of(program, gate, gate.terms, signs)
    if isinstance(added, str):
        return added
    found = [_with(single, gate, entries, one, signs) for one in added]
    known = {in_all(showings): showings for showings in found if isinstance(showings, Showings)}
    costs = {cost: known[cost] for cost in known if isinstance(cost, Formula)}
    if not costs:
        return next((text for text in (*found, *known) if isinstance(text, str)), NOT_MINE)
    best = least(list(costs), signs)
    return costs.get(best) or next(iter(costs.values()))


def _with(program: Program, gate: ReleaseGate, entries: Formula, added: Added, signs: Signs) -> Showings | str:
    if added.law.family == "tree":
        return _tree(program, gate, entries, added, signs)
    first = earliest_step(program, gate.guard, program.place_of(gate.source), signs)
    one = one_showing(program, gate.value, added, signs, first)
    if isinstance(one, str):
        return one
    cost, shift = one
    times = ONE if added.once else touched(program, gate, (gate.value,), shift, signs)
    return Showings(entries, times, cost)


def one_showing(
    program: Program, value: Expression, added: Added, signs: Signs, first: int = 1
) -> tuple[Formula, Shift] | str:
    """What one showing of the value costs, from this step on."""
    declared = facts(added.law.family).translation
    if declared is None or declared.kind == "upwards":
        return f"{added.name}: {added.law.family} noise gives no pure bound{_meant(added.law.family)}"
    measured = radius_of(program, value, declared.norm, first)
    if isinstance(measured, str):
        return measured
    radius, shift = measured
    arguments = [formula_of(program, a) for a in added.law.arguments]
    scale = arguments[0] if arguments else None
    if scale is None or signs.of(scale) != 1:
        return f"{added.name}: no positive constant scale"
    match declared.kind:
        case "linear":
            return radius / (scale * added.factor), shift
        case "whole":
            if signs.of(number(1) - scale) != 1 or added.factor != ONE:
                return f"{added.name}: its ratio must lie in (0, 1) and its factor be 1 or -1"
            if not moves_by_whole_numbers(program, value):
                return "geometric noise on a value that does not move by whole numbers"
            return -logarithm(scale) * radius, shift
        case "stairs":
            width = arguments[1]
            if width is None or signs.of(width) != 1:
                return f"{added.name}: no positive sensitivity"
            return scale * function("ceil", radius / (width * added.factor)), shift
        case _ as never:
            assert_never(never)


def _meant(family: str) -> str:
    return ": write `gaussian(sd)`, `normal` is for models" if family == "normal" else ""


def _tree(program: Program, gate: ReleaseGate, entries: Formula, added: Added, signs: Signs) -> Showings | str:
    """Every prefix sum is made of noisy sums over the nodes of a binary tree; an entry is in one node a level."""
    cell = running_sum(program, gate.value)
    inner = added.law.arguments[0] if added.law.arguments else None
    if isinstance(cell, str):
        return cell
    steps = horizon_of(program, signs)
    if steps.is_infinite:
        return "nothing bounds the number of steps, so neither the number of levels of the tree"
    if not isinstance(inner, Law):
        return "a tree of a law that is not known"
    if isinstance(program.adjacency, Within) and program.adjacency.extent == "every":
        return "tree noise, and every entry may change"
    one = one_showing(program, cell, Added(added.name, inner, added.factor, False), signs)
    if isinstance(one, str):
        return one
    if one[1].kind not in ("single step", "none"):
        return "tree noise on a sum of things that more than one step remembers"
    return Showings(entries, function("floor", function("log2", steps)) + 1, one[0])


def running_sum(program: Program, value: Expression) -> Expression | str:
    """What is summed, if the value is a sum over all steps of something that one entry touches in one step only, or a
    list of such sums."""
    while isinstance(value, Local):
        value = program.define(value.name).expression
    match value:
        case CellValue(_, ()):
            read = value
        case Quantified("list", CellValue(_, (Bound(at),)) as inside, variable, _, None) if at == variable:
            read = inside
        case _:
            return "tree noise on a value that is no sum over steps"
    cell = program.cell(read.name)
    if cell.operator not in TOTALS or not isinstance(cell.keep, AllSteps):
        return "tree noise on a value that is no plain sum over steps"
    facts = facts_of(program)
    added = element_of(read, facts)
    if any(c.level != Level.PUBLIC for c in cells_read(program, (added,))) or never_changes(program, (added,)):
        return "tree noise on a sum of things that remember earlier entries"
    return added if read is value else replace(value, body=added)


STATEMENT = """
    neighbours move the value by at most s;   noise of scale b, a new draw at every showing
    ----------------------------------------------------------------------------------------
              the gate is (T s/b)-DP, where a changed entry touches at most T showings

s is the l1 norm for independent Laplace or logistic coordinates, the l2 norm for l2_laplace. Geometric noise: T s
log(1/ratio), for values that move by whole numbers. Staircase: T eps ceil(s/D). Tree noise: (floor(log2 n) + 1) s/b for
n steps, since an entry is in one node a level. T = 1 for a value of one step, and for one made of sums since R shown
when R is made (the showings then speak of disjoint entries); else the number of showings. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/release",
    "Release with noise",
    STATEMENT,
    "Dwork, McSherry, Nissim & Smith 2006; parallel composition: McSherry 2009; trees: Chan, Shi & Song 2011",
    "each showing that a changed entry touches costs its sensitivity over the noise scale",
    showings_of,
)
