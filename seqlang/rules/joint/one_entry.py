"""Numbers with noises of their own, and what one changed entry moves in all of them, showing by showing.

Every shown number is a sum of parts that hold what one entry adds: a sum over time holds it from the step of the entry
on, over the last m steps for m steps; a function of this step's entry in its step alone; a sum over records in every
step. So the entry of step k moves the number that gate g shows in step t by c_g(t) d_g(k) where it is felt, and not
otherwise: d_g(k) is the difference of what the entry adds, and c_g(t) is constant or depends on the step. Given all
that was shown before, the showing costs |c_g(t) d_g(k)| / b_g; where the noise is multiplied by f_g(t), that divided by
|f_g(t)|, which counts as a part of c_g(t). A comparison with noise of its own costs what showing its number would. On
each transcript this adds up to at most

    sum over g of W_g(k) |d_g(k)|,     W_g(k) = sum of |c_g(t)| / b_g over the steps t in which g can show and k is felt

and the d_g(k) are differences of functions of one entry, with what is public as it is in its step: the largest sum over
what the entry and these can be is the l1 norm of one vector. Gaussian noise: half of the squared l2 norm, with the
squares of c_g and b_g in the weights; that it holds on each transcript is what Feldman & Zrnic 2021 need.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import (
    ZERO,
    Formula,
    enclose,
    maximum,
    number,
    of_float,
    product,
    root,
    total,
)
from seqlang.model.binding import replaced
from seqlang.model.expression import (
    Expression,
    Number,
    StepNumber,
    walk,
)
from seqlang.model.junctions import conjuncts
from seqlang.model.program import LastSteps, Program, Within
from seqlang.proof.derivation import ConcentratedBound, PureBound
from seqlang.rules.gates.gate_rule import group_rule
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.joint.noisy_numbers import MOST_STEPS, Held, NotKnown, Part, Power, parts_of, shown_by
from seqlang.rules.reading.guards import at_step
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.partition import exclude_each_other
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.ends import size_of
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.coordinates import (
    Coordinate,
    Coordinates,
    norms_of,
    weighted_test,
)
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shifts import is_certain
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude, width
from seqlang.rules.sensitivity.ranges.ranges import range_in

MOST_GATES = 12
FEW = 8
"""So many numbers that are not rational stay in a sum as they are."""


def _cost(program: Program, names: tuple[str, ...], power: Power) -> Formula | str:
    gates = [gate for gate in program.gates if gate.name in names]
    releases = [shown for gate in gates if (shown := shown_by(gate)) is not None]
    if not 1 <= len(releases) == len(names) <= MOST_GATES:
        return NOT_MINE
    if isinstance(program.adjacency, Within) and program.adjacency.extent == "every":
        return NOT_MINE
    entries, single = single_entry(program)
    signs = Signs(parameter_values(program))
    facts = facts_of(single, 1, revealed_choices(single))
    near = neighbours_of(facts)
    if isinstance(near, str) or entries.is_infinite:
        return NOT_MINE
    entry = Entry(facts, near)
    try:
        parts = tuple(part for gate in releases for part in parts_of(entry, gate, power, signs))
        return product((*(entries,) * power, _worst(entry, parts, power, signs)))
    except NotKnown:
        return NOT_MINE  # the rules about single gates say what is missing


# ---- what one entry costs


def _worst(entry: Entry, parts: Sequence[Part], power: Power, signs: Signs) -> Formula:
    """The most that an entry in any position costs."""
    seen: dict[object, Formula] = {}
    for k in _positions(entry, parts):
        active = tuple((part, weight) for part in parts if (weight := _weight(part, k, signs)) != ZERO)
        if power == 2 and len({part.place for part, _ in active}) < len(active):
            raise NotKnown("a number of which two parts move differently, and squares of them")
        here = tuple((_in_position(part.coordinate, k), weight) for part, weight in active)
        key = tuple((c.parts, tuple(c.given.items()), weight) for c, weight in here)
        if key not in seen:
            seen[key] = _together(entry, here, power, signs)
    return _largest(tuple(dict.fromkeys(seen.values())), signs)


def _positions(entry: Entry, parts: Sequence[Part]) -> range:
    """The steps of entries that differ in what they cost; later ones cost what one of these does."""
    changing = any(isinstance(e, StepNumber) for part in parts for p, _ in part.coordinate.parts for e in walk(p))
    endless = [part.schedule for part in parts if not part.schedule.ends]
    if changing and (endless or any(part.held == "always" for part in parts)):
        raise NotKnown("what an entry adds changes with its step, and nothing bounds the steps")
    last = max([1, *(part.schedule.known for part in parts)]) + (lcm(*(s.period for s in endless)) if endless else 0)
    if last > MOST_STEPS:
        raise NotKnown("too many positions of an entry")
    return range(1, last + 1)


def _weight(part: Part, k: int, signs: Signs) -> Formula:
    """What a difference of 1 of what the entry of step k adds costs in all showings."""
    if part.held == "tree":
        return part.unit * part.most
    first, last = (1, None) if part.held == "always" else (k, _last(part.held, k))
    if part.factors is not None:
        felt = [factor for t, factor in part.factors if first <= t and (last is None or t <= last)]
        return part.unit * _added_up(felt, part.most, signs)
    if last is None and not part.schedule.ends:
        times = part.most
    else:
        end = part.schedule.known if last is None else last
        times = least([number(part.schedule.up_to(end) - part.schedule.up_to(first - 1)), part.most], signs)
    if times.is_infinite:
        raise NotKnown("nothing limits how often a changed entry is shown")
    return part.unit * times


def _last(held: Held, k: int) -> int | None:
    """The last step in which the entry of step k is felt."""
    match held:
        case "entry":
            return k
        case LastSteps(Number(length)) if length.denominator == 1:
            return k + max(int(length), 0) - 1  # a window of less than one step keeps none
    return None


def _added_up(factors: Sequence[Formula], most: Formula, signs: Signs) -> Formula:
    """The sum, or the largest so many times if that is less."""
    if not factors:
        return ZERO
    exact = [exact_value(factor, {}) for factor in factors]
    rational = number(sum((value for value in exact if value is not None), start=Fraction(0)))
    others = [factor for factor, value in zip(factors, exact, strict=True) if value is None]
    rest = total(others)
    added = rational + (rest if len(others) <= FEW else of_float(enclose(rest, signs.values).high))
    return added if most.is_infinite else least([added, most * _largest(factors, signs)], signs)


def _in_position(coordinate: Coordinate, k: int) -> Coordinate:
    return Coordinate(tuple((at_step(e, k), c) for e, c in coordinate.parts), coordinate.given)


def _together(entry: Entry, active: Sequence[tuple[Coordinate, Formula]], power: Power, signs: Signs) -> Formula:
    """The largest sum of weight * |difference|, or of weight * difference^2, over what an entry can be changed to."""
    if power == 1:
        scaled = tuple(
            Coordinate(tuple((element, c * weight) for element, c in one.parts), one.given) for one, weight in active
        )
        return _norm(entry, scaled, 1)
    # the sum over levels of weight of (this level less the one below) * (squares of what weighs so much or more)
    weights: list[Formula] = []
    for _, weight in active:
        place = next((i for i, other in enumerate(weights) if signs.at_least(other, weight)), len(weights))
        if place < len(weights) and signs.equal(weights[place], weight):
            continue
        if not all(signs.at_least(weight, lower) for lower in weights[:place]):
            raise NotKnown("weights that cannot be compared")
        weights.insert(place, weight)
    below: Formula = ZERO
    result: Formula = ZERO
    for weight in weights:
        heavy = tuple(one for one, own in active if signs.at_least(own, weight))
        result, below = result + (weight - below) * _norm(entry, heavy, 2) ** 2, weight
    return result


def _norm(entry: Entry, coordinates: tuple[Coordinate, ...], power: Power) -> Formula:
    if not coordinates:
        return ZERO
    assert all(entry.is_local(element) for one in coordinates for element, _ in one.parts)
    norms = norms_of(entry, Coordinates(coordinates, None))
    found = [norms.l1 if power == 1 else norms.l2, _of_cells(entry, coordinates, power)]
    known = [bound for bound in found if bound is not None and is_certain(entry.facts, bound)]
    if not known:
        raise NotKnown("how far the numbers move together is not known")
    return least(known, Signs(entry.facts.values))


def _of_cells(entry: Entry, coordinates: tuple[Coordinate, ...], power: Power) -> Formula | None:
    """The norm where each number takes the entries that pass a test, and no entry passes two: one number moves, by the
    width of what it takes; or two, each by what the entry is or was there."""
    facts, cells = entry.facts, [_cell(entry, one) for one in coordinates]
    tests = [cell[0] for cell in cells if cell is not None]
    apart = all(_exclude(facts.program, a, b) for i, a in enumerate(tests) for b in tests[:i])
    if len(tests) < len(cells) or not apart:
        return None
    signs = Signs(facts.values)
    widths = [cell[1] for cell in cells if cell is not None]
    sizes = [cell[2] for cell in cells if cell is not None]
    if entry.near.resized:
        return _largest(sizes, signs)
    largest = _largest(widths, signs)
    if not any(entry.moves(test) for test in tests):
        return largest
    pairs = [a + b if power == 1 else root(a * a + b * b) for i, a in enumerate(sizes) for b in sizes[:i]]
    return _largest((largest, *sizes, *dict.fromkeys(pairs)), signs)


def _cell(entry: Entry, coordinate: Coordinate) -> tuple[Expression, Formula, Formula] | None:
    """The test, the width of what the entries that pass it add, and the size of that."""
    if len(coordinate.parts) != 1:
        return None
    ((element, factor),) = coordinate.parts
    for variable, value in coordinate.given.items():
        exact = exact_value(value, entry.facts.values) if isinstance(value, Formula) else None
        if exact is None:
            return None
        element = replaced(element, variable, Number(exact))
    test, weight = weighted_test(element)
    added = range_in(entry.facts, weight)
    size, gap = magnitude(entry.facts, added), width(entry.facts, added)
    if test is None or size is None or gap is None:
        return None
    scale = size_of(entry.facts, factor)
    return test, gap * scale, size * scale


def _exclude(program: Program, a: Expression, b: Expression) -> bool:
    return any(exclude_each_other(program, x, y) for x in conjuncts(a) for y in conjuncts(b))


def _largest(costs: Sequence[Formula], signs: Signs) -> Formula:
    best: Formula = ZERO
    for cost in costs:
        if signs.at_least(cost, best):
            best = cost
        elif not signs.at_least(best, cost):
            best = maximum(best, cost)
    return best


STATEMENT = """
    gate g shows v_g + f_g(t) * noise of its own of scale b_g, drawn anew, in steps of the schedule S_g, or compares it
    the entry of step k moves v_g in step t by f_g(t) c_g(t) d_g(k) if it is felt there, else not
    -----------------------------------------------------------------------------------------------------
    together (max over k and pairs of entries of  sum over g of W_g(k) |d_g(k)|)-DP,
                                                  W_g(k) = sum over t in S_g, k felt, of |c_g(t)| / b_g

Gaussian noise: rho-zCDP with the squares of c_g(t), d_g(k) and b_g, and 1/2. An entry is felt from its step on (sums
over steps, since R; means, with c_g(t) = 1/t), for m steps (over last m), in its step (functions of this step's entry),
in all steps (records), in the showings that are counted for a tree. Geometric noise: log(1/ratio) for 1/b_g, for values
that move by whole numbers. Neighbours in k entries: k times (k^2 times). Epsilon in nats.
"""

RULE, SEARCH = group_rule(
    "joint/one_entry",
    "What one entry moves in all showings",
    STATEMENT,
    "Dwork, McSherry, Nissim & Smith 2006; Feldman & Zrnic 2021 for squares; proof in seqlang/rules/joint/one_entry.py",
    "one changed entry moves the numbers only where it is felt, and all of them together by what it adds",
    {
        PureBound: lambda program, names: _cost(program, names, 1),
        ConcentratedBound: lambda program, names: _cost(program, names, 2),
    },
)
