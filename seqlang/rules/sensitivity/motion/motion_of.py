"""How any expression moves: by how its parts move, and by what the operator that joins them does to a difference.

This is the only place that goes through expressions and cells. Transfer functions (`courses`, `folds`) are given the
motions of the parts, and ask for none.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, number, root
from seqlang.model.binding import element_of_cell
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Expression,
    Index,
    Noised,
    Quantified,
    RealVectors,
    Sequence,
    StepNumber,
)
from seqlang.model.program import AllSteps, Cell, Keep, Previous
from seqlang.operators.groups import OF_SOMETHING, TOTALS
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.linear import flips
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT, ZERO
from seqlang.rules.sensitivity.facts.shapes import dimension, is_number, nothing_like, shape_of
from seqlang.rules.sensitivity.motion.elements import by_list, weighted
from seqlang.rules.sensitivity.motion.entry import Entry, Norms
from seqlang.rules.sensitivity.motion.extremes import less_its_body, over_steps
from seqlang.rules.sensitivity.motion.finite_recursions import finite_motion
from seqlang.rules.sensitivity.motion.folds import (
    NO_SHAPE,
    PRIVATE_WINDOW,
    element_of,
    is_one_element,
    is_steady,
    local_motion,
    moves_window,
    names,
    one_step_later,
    recursion_motion,
    selected,
    some_element,
    sum_of_local,
    sum_of_moving,
    why_unbounded,
)
from seqlang.rules.sensitivity.motion.motion import NONE, STATIC, Motion, added, scaled, unbounded
from seqlang.rules.sensitivity.motion.records import is_static, reads_records, reads_streams, records_motion
from seqlang.rules.sensitivity.motion.spreads import Weighted, moving_terms
from seqlang.rules.sensitivity.ranges.arithmetic import width
from seqlang.rules.sensitivity.ranges.lengths import length_is_private
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in


def motion_of(entry: Entry, expression: Expression) -> Motion:
    """The motion of an expanded expression."""
    if not entry.moves(expression):
        return NONE
    if entry.near.resized and reads_streams(entry.facts, expression):
        return unbounded("adding or removing an entry of a stream moves all later ones")
    found = _of_shape(entry, expression, _moving(entry, expression))
    if found.kind in ("unbounded", "arbitrary"):
        found = _of_shape(entry, expression, _among_states(entry, expression, found))
    if found.kind in ("none", "unbounded") or not reads_records(entry.facts, expression):
        return found
    # what is the same in every step moves by one constant
    return replace(found, kind="uniform", onset=STATIC) if is_static(entry.facts, expression) else found


def _of_shape(entry: Entry, expression: Expression, motion: Motion) -> Motion:
    """The motion, if it speaks of what the expression is: how far one number moves, or the norms of a list of numbers.
    Whatever rule found it, the bound of a number is none for a list, and nothing is known of any other shape."""
    if motion.kind in ("none", "unbounded"):
        return motion
    shape = shape_of(entry.facts, expression)
    if shape.is_vector and length_is_private(entry.facts, expression):
        return unbounded("how long the list is depends on private data")
    fits = shape.is_vector if motion.norms is not None else shape.is_number
    return motion if fits else unbounded(NO_SHAPE)


def _among_states(entry: Entry, expression: Expression, found: Motion) -> Motion:
    """Less than was found, it may be, where all states of the recursions that are read can be gone through."""
    from seqlang.rules.sensitivity.motion.coordinates import lesser

    listed = finite_motion(entry, expression)
    if listed is None or found.kind == "unbounded":
        return listed or found
    if listed.norms is None or found.norms is None:
        return listed if entry.facts.compare(listed.radius, found.radius) == "less" else found
    norms = lesser(entry.facts, found.norms, listed.norms)
    return replace(found, norms=norms, radius=norms.linf or found.radius)


def _minimiser(entry: Entry, expression: Expression) -> Motion | None:
    if not (isinstance(expression, Quantified) and isinstance(expression.domain, RealVectors)):
        return None
    from seqlang.rules.sensitivity.motion.minimiser import minimiser_motion

    return minimiser_motion(entry, expression, motion_of)


def _moving(entry: Entry, expression: Expression) -> Motion:
    name = entry.facts.recursions.get(expression)
    if name is not None:
        return recursion_motion(entry, name)
    found = _minimiser(entry, expression) or records_motion(entry, expression)
    if found is not None:
        return found
    if entry.is_local(expression):
        return local_motion(entry, ((expression, ONE),))
    if isinstance(expression, CellValue):
        return _cell(entry, expression)
    parts = moving_terms(entry, ((expression, ONE),))
    if len(parts) == 1 and parts[0][0] == expression:
        return _number(entry, expression) if is_number(entry.facts, expression) else _list(entry, expression)
    return combined_motion(entry, parts)


def combined_motion(entry: Entry, parts: Weighted) -> Motion:
    """The motion of sum of coefficient * part: sums over the same steps are first put under one sum; what the largest,
    smallest or mean value over steps adds is told from what it is of, where that moves less."""
    together = _under_sums(entry, parts)
    apart = _less_their_bodies(entry, parts)
    if apart is None:
        return together
    found = added([_under_sums(entry, apart[0]), *apart[1]], entry.facts)
    if together.kind == "unbounded":
        return found
    less = found.kind != "unbounded" and entry.facts.compare(found.radius, together.radius) == "less"
    return found if less else together


def _less_their_bodies(entry: Entry, parts: Weighted) -> tuple[Weighted, list[Motion]] | None:
    """c * extreme(body) as c * body and c * (extreme(body) - body), for the bodies of which that is known to move less:
    the parts put together again, and the motions of the differences. None if there is no such part."""
    whole: dict[Expression, Formula] = {}
    apart: list[Motion] = []
    for part, coefficient in parts:
        body = _extreme_of(entry, part)
        moved = None if body is None else less_its_body(motion_of(entry.from_start, body))
        if body is None or moved is None:
            whole[part] = whole.get(part, ZERO) + coefficient
            continue
        apart.append(scaled(entry.facts, moved, coefficient))
        for inner, times in moving_terms(entry, ((body, ONE),)):
            whole[inner] = whole.get(inner, ZERO) + times * coefficient
    left = tuple((part, coefficient) for part, coefficient in whole.items() if entry.facts.sign(coefficient) != 0)
    return (left, apart) if apart else None


def _extreme_of(entry: Entry, part: Expression) -> Expression | None:
    """The quantity of which the part is the largest, smallest or mean value over steps; every step, or some that are
    the same on both sides, and nothing is read by position."""
    if not isinstance(part, CellValue) or part.at or part in entry.fixed:
        return None
    cell = entry.facts.cells.get(part.name)
    if cell is None or cell.binders or cell.operator not in OF_SOMETHING or isinstance(cell.keep, Previous):
        return None
    where = None if cell.where is None else entry.facts.expand(cell.where)
    if moves_window(entry, cell.keep) or (where is not None and entry.from_start.moves(where)):
        return None
    return entry.facts.expand(cell.body)


def _under_sums(entry: Entry, parts: Weighted) -> Motion:
    lists, parts = by_list(entry, parts)
    motions = [_of_elements(entry, listed, weights) for listed, weights in lists.items()]
    for keep, members in grouped(entry, parts).items():
        if keep is None:
            motions.extend(scaled(entry.facts, motion_of(entry, part), c) for part, c in members)
        elif keep == LOCAL:
            motions.append(local_motion(entry, members))
        else:
            motions.append(_sum(entry, keep, members))  # type: ignore[arg-type]
    return added(motions, entry.facts)


def _of_elements(entry: Entry, listed: Expression, weights: list[Formula]) -> Motion:
    """The motion of a weighted sum of elements of a list, at constant places. Where one vector of differences lasts,
    so does what follows of it; the sign of the sum is not known."""
    moved = motion_of(entry, listed)
    if moved.kind in ("none", "unbounded"):
        return moved
    radius = None if moved.norms is None else weighted(entry.facts, moved.norms, weights)
    if radius is None:
        return unbounded("how far the elements of a list move is not known")
    kind = moved.kind if moved.kind in ("single step", "uniform", "window") else "arbitrary"
    return replace(moved, kind=kind, radius=radius, norms=None, sign=None)


LOCAL = "local"


def grouped(entry: Entry, parts: Weighted) -> dict[Keep | str | None, Weighted]:
    """Parts by the steps they sum over: (element, coefficient) under a keep; functions of this step's entry under
    LOCAL; everything else under None."""
    groups: dict[Keep | str | None, Weighted] = {}
    for part, coefficient in parts:
        if isinstance(part, CellValue) and _adds(entry, part):
            keep = element_of_cell(entry.facts.cells[part.name], part.at).keep
            groups[keep] = (*groups.get(keep, ()), (element_of(part, entry.facts), coefficient))
        elif entry.is_local(part) and part not in entry.facts.recursions:
            groups[LOCAL] = (*groups.get(LOCAL, ()), (part, coefficient))
        else:
            groups[None] = (*groups.get(None, ()), (part, coefficient))
    return groups


def _adds(entry: Entry, value: CellValue) -> bool:
    """True for a sum over steps of which the same element is read on both sides and in every step."""
    cell = entry.facts.cells.get(value.name)
    if cell is None or cell.operator not in TOTALS or value in entry.fixed:
        return False
    return not entry.moves_element(value) and is_one_element(entry.facts, value)


# ---- numbers


def _number(entry: Entry, part: Expression) -> Motion:
    """A number that does not split into a sum of multiples."""
    match part:
        case Noised(_, base, _) if not flips(entry.facts, part):
            return motion_of(entry, base)
        case Index(Sequence("list", items), at) if (item := _item(entry, items, at)) is not None:
            return motion_of(entry, item)
    return _within_range(entry, part, _of_parts(entry, part) or _unknown(entry, part))


def _item(entry: Entry, items: tuple[Expression, ...], at: Expression) -> Expression | None:
    """The item at a constant position of a list that is written out."""
    position = evaluate_number(entry.facts, at)
    return next((item for i, item in enumerate(items, 1) if position == number(i)), None)


def _of_parts(entry: Entry, part: Expression) -> Motion | None:
    """By the transfer function of what joins the parts; None if there is none, or nothing follows."""
    from seqlang.rules.sensitivity.motion.courses import either, element, transfer_of

    facts = entry.facts
    match part:
        case Apply("*", (StepNumber(), CellValue(name)) | (CellValue(name), StepNumber())) if _is_mean(entry, name):
            cell = facts.cells[name]  # step * (mean over steps) = sum over steps
            return _sum(entry, cell.keep, ((facts.expand(cell.body), ONE),))
        case Apply(operator, arguments) if (transfer := transfer_of(operator)) is not None:
            return transfer(entry, part, tuple(motion_of(entry, argument) for argument in arguments))
        case Choice(test, yes, no) if not entry.moves(test):
            return either(facts, motion_of(entry, yes), motion_of(entry, no))
        case Quantified():
            return _over_set(entry, part)
        case Index(base, at) if not entry.moves(at):
            return element(motion_of(entry, base), is_steady(facts, at))
    return None


def _is_mean(entry: Entry, name: str) -> bool:
    cell = entry.facts.cells[name]
    return cell.operator == "mean" and isinstance(cell.keep, AllSteps) and cell.where is None and not cell.binders


def _within_range(entry: Entry, part: Expression, motion: Motion) -> Motion:
    """Never more than the width of the range; that is all that is known of a function without a rule."""
    facts = entry.facts
    limit = width(facts, range_in(facts, part))
    if limit is None or motion.kind == "none":
        return motion
    if motion.kind == "unbounded":
        return Motion("arbitrary", limit)
    return replace(motion, radius=limit) if facts.compare(limit, motion.radius) == "less" else motion


def _over_set(entry: Entry, part: Quantified) -> Motion | None:
    """Folds over a constant set, with one cell (or one value) an element."""
    elements = evaluate(entry.facts, part.domain)
    if not isinstance(elements, tuple) or not elements:
        return None
    if part.where is None:
        from seqlang.rules.sensitivity.motion.courses import over_set

        return over_set(entry.facts, part.operator, _each(entry, part), number(len(elements)))
    if part.operator != "sum":
        return None
    body = Choice(part.where, part.body, nothing_like(entry.facts, part.body))
    return _over_set(entry, replace(part, body=body, where=None))


def _each(entry: Entry, part: Quantified) -> Motion:
    """The motion of the body for any element; its sign only if it is the same for all of them."""
    body = motion_of(entry, part.body)
    if body.sign is not None and body.sign[0] != ("adjacency",) and names(body.sign[0], part.variable):
        return replace(body, sign=None)
    return body


def _unknown(entry: Entry, part: Expression) -> Motion:
    return unbounded(why_unbounded(entry, ((part, ONE),)))


# ---- cells


def _cell(entry: Entry, value: CellValue) -> Motion:
    """The motion of a cell's value, at the place where it is read."""
    if entry.moves_element(value):
        return unbounded("which element of an accumulator is read depends on private data")
    if not is_one_element(entry.facts, value):
        variables = tuple(Bound(variable) for variable, _ in entry.facts.cells[value.name].binders)
        return some_element(value.name, entry.facts, _cell(entry, CellValue(value.name, variables)))
    read_from, entry = entry.facts.first, entry.from_start
    facts = entry.facts
    cell = element_of_cell(facts.cells[value.name], value.at)
    if moves_window(entry, cell.keep):
        return unbounded(PRIVATE_WINDOW)
    if isinstance(cell.keep, Previous):
        return _previous(entry, cell, cell.keep)
    if cell.operator in TOTALS:
        return _sum(entry, cell.keep, ((element_of(value, facts), ONE),))
    where = None if cell.where is None else facts.expand(cell.where)
    if where is not None and entry.moves(where):
        return unbounded(f"a changed entry may be left out of the {cell.operator}, which then has no known bound")
    if cell.operator not in OF_SOMETHING:
        kind = "list" if cell.operator == "list" else "position"
        return unbounded(f"a {kind} of private values is not bounded by a sensitivity")
    body = facts.expand(cell.body)
    if not entry.is_local(body):
        return over_steps(cell.operator, motion_of(entry, body))
    return selected(entry, cell, body, where is not None, read_from)


def _sum(entry: Entry, keep: Keep, pairs: Weighted) -> Motion:
    """The motion of the sum, over the kept steps, of sum of coefficient * element."""
    entry = entry.from_start
    if moves_window(entry, keep):
        return unbounded(PRIVATE_WINDOW)
    if all(entry.is_local(summed) for summed, _ in pairs):
        return sum_of_local(entry, keep, pairs)
    if entry.near.every:
        return unbounded("it adds up what moves in every step")
    moved = [scaled(entry.facts, sum_of_moving(entry, keep, motion_of(entry, summed)), c) for summed, c in pairs]
    return added(moved, entry.facts)


def _previous(entry: Entry, cell: Cell, keep: Previous) -> Motion:
    facts = entry.facts
    if entry.moves(facts.expand(keep.initial)):
        return unbounded("the first value of `previous` depends on private data")
    if not any(isinstance(leaf, CellValue) and leaf.name == cell.name for leaf in facts.leaves(cell.body)):
        return one_step_later(motion_of(entry, facts.expand(cell.body)))
    if facts.cells[cell.name].binders:
        return unbounded("a recursion inside a binder")
    return one_step_later(recursion_motion(entry, cell.name))


# ---- lists


def _list(entry: Entry, expression: Expression) -> Motion:
    from seqlang.rules.sensitivity.motion.coordinates import lesser
    from seqlang.rules.sensitivity.motion.lists_of_sums import motion_of_sums

    found, together = _by_coordinate(entry, expression), motion_of_sums(entry, expression)
    if together is None or found.kind == "none":
        return found
    if found.kind == "unbounded" or found.norms is None or together.norms is None:
        return together
    norms = lesser(entry.facts, together.norms, found.norms)
    steadier = together if found.kind == "arbitrary" else found
    return replace(steadier, norms=norms, radius=norms.linf or found.radius)


def _by_coordinate(entry: Entry, expression: Expression) -> Motion:
    from seqlang.rules.sensitivity.motion.courses import list_of, repeated, times_public, transfer_of

    facts = entry.facts
    match expression:
        case Sequence("list", items):
            return list_of([motion_of(entry, item) for item in items], facts)
        case Quantified("list", body, _, domain, None) if is_number(facts, body):
            elements = evaluate(facts, domain)
            if isinstance(elements, tuple) and elements:
                return repeated(_each(entry, expression), number(len(elements)))
        case Apply("*", (a, b)) if not (entry.moves(a) and entry.moves(b)):
            moving, still = (a, b) if entry.moves(a) else (b, a)
            if is_number(facts, still):
                return times_public(facts, motion_of(entry, moving), still)
        case Apply("/", (a, b)) if not entry.moves(b) and is_number(facts, b):
            return times_public(facts, motion_of(entry, a), Apply("/", (UNIT, b)))
        case Noised(_, base, _) if not flips(facts, expression):
            return motion_of(entry, base)
        case Apply("sort" as operator, (a,)) if (transfer := transfer_of(operator)) is not None:
            return transfer(entry, expression, (motion_of(entry, a),)) or _unknown(entry, expression)
    bound, size = norm_bound(facts, expression), dimension(facts, expression)
    if bound is None or size is None:  # of two lists that are not as long as each other there is no difference
        return _unknown(entry, expression)
    radius = bound * 2
    return Motion("arbitrary", radius, Norms(root(size) * radius, radius, radius))
