"""Numbers with noises of their own, and what one changed entry moves in all of them, showing by showing.

Every shown number is a sum of parts that hold what one entry adds: a sum over time holds it from the step of the entry
on, over the last m steps for m steps; a function of this step's entry in its step alone; a sum over records in every
step. So the entry of step k moves the number that gate g shows in step t by c_g(t) d_g(k) where it is felt, and not
otherwise: d_g(k) is the difference of what the entry adds, and c_g(t) is constant or depends on the step. Given all
that was shown before, the showing costs |c_g(t) d_g(k)| / b_g. On each transcript this adds up to at most

    sum over g of W_g(k) |d_g(k)|,     W_g(k) = sum of |c_g(t)| / b_g over the steps t in which g can show and k is felt

and the d_g(k) are differences of functions of one entry, with what is public as it is in its step: the largest sum over
what the entry and these can be is the l1 norm of one vector. Gaussian noise: half of the squared l2 norm, with the
squares of c_g and b_g in the weights; that it holds on each transcript is what Feldman & Zrnic 2021 need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Literal

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import (
    ONE,
    ZERO,
    Formula,
    absolute,
    enclose,
    function,
    logarithm,
    maximum,
    number,
    product,
    root,
    total,
)
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.binding import replaced
from seqlang.model.expression import (
    CellValue,
    Drawn,
    Expression,
    Field,
    Law,
    MemoryValue,
    Number,
    Reported,
    StepNumber,
    walk,
)
from seqlang.model.junctions import conjuncts
from seqlang.model.program import AllSteps, Keep, LastSteps, Program, ReleaseGate, SinceReport, Within
from seqlang.proof.derivation import ConcentratedBound, PureBound
from seqlang.record import record, replace
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.gate_rule import group_rule
from seqlang.rules.gates.noise import noises_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.mechanism.release import running_sum
from seqlang.rules.reading.clock import schedule_of
from seqlang.rules.reading.guards import at_step
from seqlang.rules.reading.limits import horizon_of, least
from seqlang.rules.reading.partition import exclude_each_other
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.schedule import Schedule
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.sensitivity.facts.ends import size_of
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.shapes import is_vector
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.motion.coordinates import (
    Coordinate,
    Coordinates,
    coordinates_of,
    norms_of,
    weighted_test,
)
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.lists_of_sums import element_added
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.records import reads_records
from seqlang.rules.sensitivity.motion.shifts import is_certain, shift_of
from seqlang.rules.sensitivity.motion.spreads import Weighted, moving_terms
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude, width
from seqlang.rules.sensitivity.ranges.ranges import range_in

Power = Literal[1, 2]
Held = Keep | Literal["entry", "always", "tree"]
"""Where an entry is felt: in a fold over steps, in its own step, in all steps, in the nodes of a tree."""
MOST_GATES = 12
MOST_STEPS = 600
"""Of more steps with a showing, or positions of an entry, not each is looked at."""
FEW = 8
"""So many numbers that are not rational stay in a sum as they are."""


@record
class Part:
    """What an entry adds to one number of a gate. `place`: of which one. `factors`: what it is multiplied by in each
    step that shows it, to the power of the losses; None: by 1. `unit`: what a difference of 1 costs. `most`: in so many
    steps at most."""

    place: tuple[str, int]
    coordinate: Coordinate
    held: Held
    schedule: Schedule
    unit: Formula
    factors: tuple[tuple[int, Formula], ...] | None
    most: Formula


class NotKnown(Exception):
    """Why the rule says nothing, in a phrase."""


def _cost(program: Program, names: tuple[str, ...], power: Power) -> Formula | str:
    gates = [gate for gate in program.gates if gate.name in names]
    releases = [gate for gate in gates if isinstance(gate, ReleaseGate) and gate.terms]
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
        parts = tuple(part for gate in releases for part in _parts(entry, gate, power, signs))
        return product((*(entries,) * power, _worst(entry, parts, power, signs)))
    except NotKnown:
        return NOT_MINE  # the rules about single gates say what is missing


# ---- what the gates show


def _parts(entry: Entry, gate: ReleaseGate, power: Power, signs: Signs) -> Iterator[Part]:
    program = entry.facts.program
    law, unit, once = _noise(program, gate, power, signs)
    shift = shift_of(program, gate.value, revealed=revealed_choices(program))
    if shift.kind == "none":
        return
    value = entry.facts.expand(gate.value)
    place_of_gate = program.place_of(gate.source)
    schedule = schedule_of(program, gate.guard, place_of_gate)
    if shift.radius.is_infinite:
        _bounded_in_each(program, value, schedule)
    if law == "tree":
        schedule = schedule_of(program, None, place_of_gate)
        steps, added = horizon_of(program, signs), running_sum(program, gate.value)
        if isinstance(added, str) or steps.is_infinite:
            raise NotKnown(added if isinstance(added, str) else "nothing bounds the number of steps")
        levels = function("floor", function("log2", steps)) + ONE
        for place, coordinate in enumerate(_coordinates(entry, entry.facts.expand(added))):
            if not all(entry.is_local(e) for e, _ in coordinate.parts):
                raise NotKnown("tree noise on a sum of things that more than one step remembers")
            yield Part((gate.name, place), coordinate, "tree", schedule, unit, None, levels)
        return
    most = ONE if once else touched(program, gate, (gate.value,), shift, signs)
    if any(isinstance(e, StepNumber) for e in walk(value)) or _reads_mean(entry, value):
        yield from _changing(entry, gate.name, value, schedule, unit, most, power)
        return
    for place, coordinate in enumerate(_coordinates(entry, value)):
        for held, elements in _by_source(entry, coordinate, None).items():
            yield Part((gate.name, place), Coordinate(elements, coordinate.given), held, schedule, unit, None, most)


def _bounded_in_each(program: Program, value: Expression, schedule: Schedule) -> None:
    """What has no bound over all steps, since the step has none, has one in each step that shows it."""
    listed = schedule.listed if schedule.ends and len(schedule.listed) <= MOST_STEPS else ()
    shifts = [shift_of(program, at_step(value, t), first=t, revealed=revealed_choices(program)) for t in listed]
    if not shifts or any(shift.radius.is_infinite for shift in shifts):
        raise NotKnown("it can move without bound")


def _noise(program: Program, gate: ReleaseGate, power: Power, signs: Signs) -> tuple[str, Formula, bool]:
    """ "tree" or "", what a difference of 1 costs, and whether one draw serves all steps."""
    added = noises_of(program, gate, gate.terms, signs)
    for one in () if isinstance(added, str) else added:
        law, tree = one.law, one.law.family == "tree"
        if tree:
            inner = law.arguments[0] if law.arguments else None
            if not isinstance(inner, Law):
                continue
            law = inner
        unit = _unit(program, gate, law, one.factor, power, signs)
        if unit is not None:
            return "tree" if tree else "", unit, one.once
    raise NotKnown(NOT_MINE)


def _unit(program: Program, gate: ReleaseGate, law: Law, factor: Formula, power: Power, signs: Signs) -> Formula | None:
    scale = formula_of(program, law.arguments[0]) if law.arguments else None
    if scale is None or signs.of(scale) != 1:
        return None
    if power == 2:
        return (ONE / (scale * factor)) ** 2 / 2 if law.family == "gaussian" else None
    declared = facts_of_law(law.family).translation
    if declared is None or declared.norm != "l1":
        return None
    if declared.kind == "linear":
        return ONE / (scale * factor)
    if declared.kind == "whole" and factor == ONE and signs.of(ONE - scale) == 1:
        return -logarithm(scale) if moves_by_whole_numbers(program, gate.value) else None
    return None


def _coordinates(entry: Entry, value: Expression) -> tuple[Coordinate, ...]:
    if not is_vector(entry.facts, value):
        return (Coordinate(moving_terms(entry, ((value, ONE),)), {}),)
    found = coordinates_of(entry, value)
    if found is None:
        raise NotKnown("a list that is not made coordinate by coordinate")
    return found.each


def _by_source(entry: Entry, coordinate: Coordinate, step: int | None) -> dict[Held, Weighted]:
    """What an entry adds to the number, by where it is held; `step`: in which it is shown, if that matters."""
    found: dict[Held, Weighted] = {}
    for part, factor in coordinate.parts:
        element, held, divisor = _element(entry, part, step)
        if not entry.is_local(element):
            raise NotKnown("what a step adds depends on earlier entries")
        found[held] = (*found.get(held, ()), (element, factor / divisor))
    return found


def _element(entry: Entry, part: Expression, step: int | None) -> tuple[Expression, Held, Formula]:
    facts = entry.facts
    if isinstance(part, CellValue) and step is not None and _is_mean(entry, part):
        cell = facts.cells[part.name]
        return facts.expand(cell.body), _window(entry, cell.keep), number(_length(entry, cell.keep, step))
    added = element_added(entry, part)
    if added is not None:
        (kind, over), element = added
        if kind == "steps":
            assert isinstance(over, AllSteps | LastSteps | SinceReport)
            return element, _window(entry, over), ONE
        if any(isinstance(e, VARYING) or _is_public(entry, e) for e in walk(element)):
            raise NotKnown("what a record adds changes with the step")
        return element, "always", ONE
    if entry.is_local(part) and not reads_records(facts, part):
        return part, "entry", ONE
    raise NotKnown("a number that is not made of sums and of this step's entry")


def _window(entry: Entry, keep: Keep) -> Keep:
    """With its length as a number, if that is constant; else the entry counts as felt for ever."""
    if not isinstance(keep, LastSteps):
        return keep
    length = whole(entry.facts, evaluate_number(entry.facts, keep.count))
    return AllSteps() if length is None else LastSteps(Number(Fraction(length)))


VARYING = (MemoryValue, Reported, StepNumber, CellValue, Drawn)


def _is_public(entry: Entry, e: Expression) -> bool:
    return isinstance(e, Field) and e.name in entry.facts.inputs and entry.facts.inputs[e.name].kind == "public"


def _reads_mean(entry: Entry, value: Expression) -> bool:
    return any(isinstance(e, CellValue) and _is_mean(entry, e) for e in walk(value))


def _is_mean(entry: Entry, value: CellValue) -> bool:
    """The mean over all steps, or over the last few."""
    cell = entry.facts.cells.get(value.name)
    if cell is None or cell.operator != "mean" or cell.where is not None or cell.binders:
        return False
    if isinstance(cell.keep, LastSteps):
        return whole(entry.facts, evaluate_number(entry.facts, cell.keep.count)) is not None
    return isinstance(cell.keep, AllSteps)


def _length(entry: Entry, keep: Keep, step: int) -> int:
    """How many entries the mean is of in this step."""
    if isinstance(keep, LastSteps):
        length = whole(entry.facts, evaluate_number(entry.facts, keep.count))
        assert length is not None
        return min(length, step)
    return step


def _changing(
    entry: Entry, gate: str, value: Expression, schedule: Schedule, unit: Formula, most: Formula, power: Power
) -> Iterator[Part]:
    """What is shown differs from step to step: each step by itself."""
    if not schedule.ends or len(schedule.listed) > MOST_STEPS:
        raise NotKnown("what is shown changes with the step, and nothing bounds the steps")
    found: dict[object, tuple[Part, list[tuple[int, Formula]]]] = {}
    for t in schedule.listed:
        for place, coordinate in enumerate(_coordinates(entry, at_step(value, t))):
            for held, elements in _by_source(entry, coordinate, t).items():
                first = elements[0][1]
                apart = len(elements) > 1 or entry.facts.sign(first) not in (1, -1)
                pieces = elements if apart else ((elements[0][0], ONE),)
                key = (place, pieces, held, tuple(coordinate.given.items()))
                part = Part((gate, place), Coordinate(pieces, coordinate.given), held, schedule, unit, (), most)
                factor = ONE if apart else absolute(first) ** power
                found.setdefault(key, (part, []))[1].append((t, factor))
    for part, factors in found.values():
        yield replace(part, factors=tuple(factors))


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
            return k + int(length) - 1
    return None


def _added_up(factors: Sequence[Formula], most: Formula, signs: Signs) -> Formula:
    """The sum, or the largest so many times if that is less."""
    if not factors:
        return ZERO
    exact = [exact_value(factor, {}) for factor in factors]
    rational = [value for value in exact if value is not None]
    if len(rational) == len(factors):
        added: Formula = number(sum(rational, start=Fraction(0)))
    elif len(factors) <= FEW:
        added = total(factors)
    else:
        added = number(Fraction(enclose(total(factors), signs.values).high))
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
    gate g shows v_g + noise of its own of scale b_g, drawn anew, in steps of the schedule S_g
    the entry of step k moves v_g in step t by c_g(t) d_g(k) if it is felt there, else not
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
