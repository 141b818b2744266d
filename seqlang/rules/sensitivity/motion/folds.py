"""How accumulators move: sums, means, maxima over steps, windows and segments, and recursions."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import Formula, maximum
from seqlang.model.binding import element_of_cell, reads
from seqlang.model.domain import Finite
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Density,
    Expression,
    Field,
    Noised,
    Variable,
    children,
    walk,
)
from seqlang.model.program import AllSteps, Cell, Keep, LastSteps, Previous, SinceReport
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.ends import greatest, size_of
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.shapes import is_number, is_vector, nothing_like
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.functions.slopes import direction, slopes
from seqlang.rules.sensitivity.motion.motion import STATIC, Motion, scaled, unbounded
from seqlang.rules.sensitivity.motion.restarts import restart_of
from seqlang.rules.sensitivity.motion.shift import Kind
from seqlang.rules.sensitivity.motion.spreads import Entry, Norms, Weighted, moving_terms, spread
from seqlang.rules.sensitivity.ranges.ranges import range_in

NO_BOUND_KNOWN = (
    "no bound on what one entry changes is known: clip(.., low, high) gives it one, and changes nothing if the values "
    "lie between low and high anyway"
)
NO_SHAPE = "it is not known to be a number, or a list of numbers"
PRIVATE_WINDOW = "the length of the window depends on private data"


def element_of(value: CellValue, facts: Facts) -> Expression:
    """What one step adds to a sum or count: the body where the condition holds, else 0."""
    cell = element_of_cell(facts.cells[value.name], value.at)
    body = facts.expand(cell.body)
    where = None if cell.where is None else facts.expand(cell.where)
    if cell.operator == "count":
        return body if where is None else Apply("and", (where, body))
    return body if where is None else Choice(where, body, nothing_like(facts, body))


def local_motion(entry: Entry, pairs: Weighted) -> Motion:
    """A function of this step's entry alone: it moves where the entry does."""
    near = entry.near
    if near.resized:
        return unbounded("adding or removing an entry of a stream moves all later ones")
    moved = moved_by_one(entry, pairs)
    if moved.kind == "unbounded" or near.single:
        return moved
    if near.every and moved.sign is not None:
        return replace(moved, kind="same direction")
    return replace(moved, kind="arbitrary", sign=None)


def moved_by_one(entry: Entry, pairs: Weighted) -> Motion:
    """The motion of a quantity of one entry as if only this entry had changed."""
    facts = entry.facts
    if not all(is_number(facts, expression) for expression, _ in pairs):
        if not all(is_vector(facts, expression) for expression, _ in pairs):
            return unbounded(NO_SHAPE)
        from seqlang.rules.sensitivity.motion.coordinates import vector_norms

        total = Norms(ZERO, ZERO, ZERO)
        for expression, coefficient in pairs:
            one = vector_norms(entry, expression).times(size_of(facts, coefficient))
            total = one if len(pairs) == 1 else total.plus(one)
        if total.linf is None:
            return unbounded(why_unbounded(entry, pairs))
        return Motion("single step", total.linf, total)
    radius = spread(entry, pairs)
    if radius is None:
        return unbounded(why_unbounded(entry, pairs))
    return Motion("single step", radius, sign=sign_of(entry, pairs))


def why_unbounded(entry: Entry, pairs: Weighted) -> str:
    """In a sentence, what would bound it."""
    for expression, _ in moving_terms(entry, pairs):
        nodes = list(walk(expression))
        noised = next((node.name for node in nodes if isinstance(node, Noised)), None)
        if noised is not None:
            return f"it is read with the noise of `{noised}`, and how it moves without that noise is not looked at"
        if any(isinstance(node, Density) for node in nodes) and not _has_finite_data(entry.facts, nodes):
            return "one entry can change a log-likelihood ratio without bound: clip it, clip(.., -A, A)"
        note = range_in(entry.facts, expression).note
        if note:
            return note
    return NO_BOUND_KNOWN


def _has_finite_data(facts: Facts, nodes: Iterable[Expression]) -> bool:
    """Whether every field among these has a few values only: ratios of their chances have bounds then."""
    fields = [facts.inputs[node.name] for node in nodes if isinstance(node, Field) and node.name in facts.inputs]
    return bool(fields) and all(isinstance(field.domain, Finite) for field in fields)


def sign_of(entry: Entry, pairs: Weighted) -> tuple[object, int] | None:
    """What decides the sign of the difference: the direction in which the entry moved, or else the quantity itself."""
    facts, near = entry.facts, entry.near
    parts = moving_terms(entry, pairs)
    if not parts:
        return None
    if near.every:
        if not near.same_direction or near.plain is None:
            return None
        if not all(only_through(entry, part, near.plain) for part, _ in parts):
            return None
        turn = _direction(facts, parts, near.plain)
        return None if turn is None else (("adjacency",), turn)
    if not near.single:
        return None
    fields = {node for part, _ in parts for node in walk(part) if isinstance(node, Field) and entry.moves(node)}
    if len(fields) == 1:
        (field,) = fields
        turn = _direction(facts, parts, field) if is_number(facts, field) else None
        if turn is not None:
            return ("field", field.name), turn
    return ("quantity", frozenset(parts)), 1


def _direction(facts: Facts, parts: Weighted, leaf: Expression) -> int | None:
    found: set[int] = set()
    for part, coefficient in parts:
        d, s = direction(facts, part, leaf), facts.sign(coefficient)
        if d is None or s is None:
            return None
        found.add(d * s)
    found.discard(0)
    return found.pop() if len(found) == 1 else None


def only_through(entry: Entry, expression: Expression, plain: Expression) -> bool:
    """True if it moves only with what the adjacency bounds."""
    if expression == plain or not entry.moves(expression):
        return True
    inner = tuple(children(expression))
    return (
        bool(inner)
        and not isinstance(expression, CellValue)
        and all(only_through(entry, child, plain) for child in inner)
    )


def names(key: object, variable: Variable) -> bool:
    """True if a sign key speaks of the bound variable, so that it differs from element to element."""
    if not isinstance(key, tuple) or key[0] != "quantity":
        return False
    return any(reads(part, variable) for part, _ in key[1])


def selected(entry: Entry, cell: Cell, body: Expression, filtered: bool, read_from: int) -> Motion:
    """Running means, maxima and minima of a quantity of one entry."""
    moved = local_motion(entry, ((body, ONE),))
    near, keep = entry.near, cell.keep
    if moved.kind == "unbounded":
        return moved
    if moved.norms is not None and cell.operator != "mean":
        return unbounded("a largest or smallest vector")
    if near.every:
        return moved  # all entries move by at most the radius, so does their mean, maximum and minimum
    if not near.single:
        return scaled(entry.facts, moved, near.entries or ZERO) if cell.operator == "mean" else moved
    report = keep.report if isinstance(keep, SinceReport) else None
    if isinstance(keep, LastSteps) and (filtered or cell.operator != "mean" or not is_steady(entry.facts, keep.count)):
        # what else is in the window, or how long it is, changes, so the difference may grow again
        return replace(moved, kind="same direction")
    shrunk = replace(moved, kind="same sign, not growing", report=report)
    if cell.operator == "mean" and not filtered and (least := _fewest(entry.facts, keep, read_from)) > 1:
        return scaled(entry.facts, shrunk, ONE / least)
    return shrunk


def _fewest(facts: Facts, keep: Keep, read_from: int) -> int:
    """How many entries are kept at least, from this step on."""
    match keep:
        case AllSteps():
            return read_from
        case LastSteps(count):
            length = whole(facts, evaluate_number(facts, count))
            return 1 if length is None else min(length, read_from)
    return 1


def sum_of_local(entry: Entry, keep: Keep, pairs: Weighted) -> Motion:
    """The sum, over the kept steps, of a quantity of one entry: it moves by what the changed entries add."""
    moved = local_motion(entry, pairs)
    if moved.kind == "unbounded":
        return moved
    return in_every_step(entry, keep, moved) if entry.near.every else in_kept_steps(entry, keep, moved)


def sum_of_moving(entry: Entry, keep: Keep, moved: Motion) -> Motion:
    """The sum, over the kept steps, of something else that moves: bounded only if that moves in one step."""
    if moved.kind in ("none", "unbounded"):
        return moved
    if moved.kind == "single step":
        return in_kept_steps(entry, keep, moved)
    return unbounded("it adds up, step after step, what a changed entry moves in more than one step")


def some_element(name: str, facts: Facts, each: Motion) -> Motion:
    """Another element of a cell in each step, where `each` is how any one of them moves: all that lasts from step to
    step is the sign that all elements share."""
    if each.kind in ("none", "unbounded"):
        return each
    variables = tuple(variable for variable, _ in facts.cells[name].binders)
    shared = None if each.sign is None or any(names(each.sign[0], variable) for variable in variables) else each.sign
    if each.kind == "single step":
        return replace(each, sign=shared)
    kind: Kind = "same direction" if shared is not None and each.one_sign else "arbitrary"
    return replace(each, kind=kind, sign=shared if kind == "same direction" else None, report=None)


def one_step_later(before: Motion) -> Motion:
    """What a cell held one step ago moves as that did, one step later; it lasts beyond the report after which that
    starts anew."""
    if before.kind in ("none", "unbounded"):
        return before
    if before.onset == STATIC:  # it differs from step 2 on, whoever changed: in step 1 there is the same first value
        return replace(before, kind="same direction" if before.one_sign else "arbitrary", report=None)
    return replace(before, onset=before.onset + 1, report=None)


def in_kept_steps(entry: Entry, keep: Keep, moved: Motion) -> Motion:
    """Sums of what moves in the changed entries only."""
    if not entry.near.single:
        return replace(scaled(entry.facts, moved, entry.near.entries or ZERO), kind="arbitrary", sign=None)
    match keep:
        case AllSteps():
            return replace(moved, kind="uniform")
        case SinceReport(report):
            return replace(moved, kind="window", report=report if moved.onset == 0 else None)
        case LastSteps(count):
            steady = is_steady(entry.facts, count)
            return replace(moved, kind="window" if steady else "same direction")
    return unbounded("an accumulator that is not known")


def is_steady(facts: Facts, expression: Expression) -> bool:
    """True if a window's length, or the position at which a list is read, is the same in every step: it is made of
    constants and bound variables."""
    nodes = tuple(walk(facts.expand(expression)))
    inside = [n for n in nodes if isinstance(n, CellValue) or not any(True for _ in children(n))]
    steady = all(isinstance(node, Bound) or evaluate_number(facts, node) is not None for node in inside)
    return steady and not any(isinstance(node, Noised) for node in nodes)


def moves_window(entry: Entry, keep: Keep) -> bool:
    """True if it may differ between the two sides how many steps are kept."""
    return isinstance(keep, LastSteps) and entry.moves(entry.facts.expand(keep.count))


def is_one_element(facts: Facts, value: CellValue) -> bool:
    """True if it is the same element of the accumulator that is read in every step. Only then is its value what one
    accumulator holds: what earlier steps put into it was computed for this element."""
    return all(is_steady(facts, position) for position in value.at)


def in_every_step(entry: Entry, keep: Keep, moved: Motion) -> Motion:
    """Sums of what may move in every entry."""
    if not isinstance(keep, LastSteps):
        return unbounded("every entry may move, and the sum adds all these differences up")
    length = range_in(entry.facts, entry.facts.expand(keep.count)).high
    if length is None:
        return unbounded("every entry may move, and the window has no known length")
    if not at_most(ZERO, length, entry.facts.values):
        length = maximum(ZERO, length)  # a window of less than one step keeps none
    return scaled(entry.facts, moved, length)


# ---- recursions


def recursion_motion(entry: Entry, name: str) -> Motion:
    """The motion of the body of a recursion v = F(previous(v), entry).

    If F never falls in its first argument and is 1-Lipschitz in it, a difference once made keeps its sign and never
    grows; what makes it is the spread of F in the entry. If F does not read its first argument in the step after a
    report, the difference ends with that report.
    """
    entry = entry.from_start
    facts = entry.facts
    cell = facts.cells[name]
    own = CellValue(name)
    body = facts.expand(cell.body)
    assert isinstance(cell.keep, Previous)
    inner = Entry(facts, entry.near, entry.fixed | {own})
    if entry.moves(facts.expand(cell.keep.initial)):
        return unbounded("the first value of `previous` depends on private data")
    if not is_number(facts, body) or not inner.is_local(body):
        return unbounded("a recursion that reads more than its last value and this step's entry")
    restart = None if entry.near.every or not entry.near.single else restart_of(entry, body, own)
    bounds = slopes(facts, body if restart is None else restart.body, own)
    if bounds is None:
        return unbounded("the recursion is not known to be continuous in its last value")
    low, high = bounds
    if not facts.at_most(high, ONE) or not facts.at_most(-ONE, low):
        return unbounded("the recursion may make a difference grow")
    moved = local_motion(inner, ((body, ONE),))
    if moved.kind == "unbounded":
        return moved
    monotone = facts.at_most(ZERO, low)
    if entry.near.every:
        return _accumulated(facts, moved, low, high, monotone)
    if not entry.near.single:
        return replace(scaled(facts, moved, entry.near.entries or ZERO), kind="arbitrary", sign=None)
    ends = None if restart is None else restart.report
    if facts.compare(low, ONE) == "equal":
        return replace(moved, kind="uniform" if ends is None else "window", report=ends)
    if monotone:
        return replace(moved, kind="same sign, not growing", report=ends)
    return replace(moved, kind="arbitrary", sign=None, report=ends)


def _accumulated(facts: Facts, moved: Motion, low: Formula, high: Formula, monotone: bool) -> Motion:
    """Every entry moves: a geometric series, if the recursion forgets."""
    rate = greatest(facts, (size_of(facts, low), size_of(facts, high)))
    if facts.compare(rate, ONE) != "less":
        return unbounded("every entry may move, and the recursion adds these differences up")
    larger = scaled(facts, moved, ONE / (ONE - rate))
    return larger if monotone else replace(larger, kind="arbitrary", sign=None)
