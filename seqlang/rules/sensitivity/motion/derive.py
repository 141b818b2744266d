"""How any expression moves: by its parts, and by what the function that joins them does to a difference."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, function, number, root
from seqlang.model.binding import element_of_cell
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Expression,
    Index,
    Noised,
    Quantified,
    Sequence,
    StepNumber,
)
from seqlang.model.program import AllSteps, Keep
from seqlang.operators.operator import Real
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.ends import greatest
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.linear import flips
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT, ZERO
from seqlang.rules.sensitivity.facts.real_functions import real_function
from seqlang.rules.sensitivity.facts.shapes import dimension, is_number, nothing_like, shape_of
from seqlang.rules.sensitivity.functions.slopes import direction
from seqlang.rules.sensitivity.motion.coordinates import lesser
from seqlang.rules.sensitivity.motion.folds import (
    NO_SHAPE,
    cell_motion,
    element_of,
    is_one_element,
    is_steady,
    local_motion,
    names,
    recursion_motion,
    sum_motion,
    why_unbounded,
)
from seqlang.rules.sensitivity.motion.lists_of_sums import joint_motion
from seqlang.rules.sensitivity.motion.minimiser import minimiser_motion
from seqlang.rules.sensitivity.motion.motion import (
    NONE,
    ONE_SIGN,
    STATIC,
    Motion,
    added,
    lipschitz,
    scaled,
    unbounded,
    varying,
)
from seqlang.rules.sensitivity.motion.records import is_static, reads_records, reads_streams, records_motion
from seqlang.rules.sensitivity.motion.shift import Kind
from seqlang.rules.sensitivity.motion.spreads import Entry, Norms, Weighted, moving_terms
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude, width
from seqlang.rules.sensitivity.ranges.function_ranges import steepest
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in


def motion_of(entry: Entry, expression: Expression) -> Motion:
    """The motion of an expanded expression."""
    if not entry.moves(expression):
        return NONE
    if entry.near.resized and reads_streams(entry.facts, expression):
        return unbounded("adding or removing an entry of a stream moves all later ones")
    found = _of_shape(entry, expression, _moving(entry, expression))
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
    fits = shape.is_vector if motion.norms is not None else shape.is_number
    return motion if fits else unbounded(NO_SHAPE)


def _moving(entry: Entry, expression: Expression) -> Motion:
    name = entry.facts.recursions.get(expression)
    if name is not None:
        return recursion_motion(entry, name)
    found = minimiser_motion(entry, expression, motion_of) or records_motion(entry, expression)
    if found is not None:
        return found
    if entry.is_local(expression):
        return local_motion(entry, ((expression, ONE),))
    if isinstance(expression, CellValue):
        return cell_motion(entry, expression, motion_of)
    parts = moving_terms(entry, ((expression, ONE),))
    if len(parts) == 1 and parts[0][0] == expression:
        return _part(entry, expression) if is_number(entry.facts, expression) else _vector(entry, expression)
    return combined_motion(entry, parts)


def combined_motion(entry: Entry, parts: Weighted) -> Motion:
    """The motion of sum of coefficient * part: sums over the same steps are first put under one sum."""
    motions: list[Motion] = []
    for keep, members in grouped(entry, parts).items():
        if keep is None:
            motions.extend(scaled(entry.facts, motion_of(entry, part), c) for part, c in members)
        elif keep == LOCAL:
            motions.append(local_motion(entry, members))
        else:
            motions.append(sum_motion(entry, keep, members, motion_of))  # type: ignore[arg-type]
    return added(motions, entry.facts)


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
    if cell is None or cell.operator not in ("sum", "count") or value in entry.fixed:
        return False
    return not entry.moves_element(value) and is_one_element(entry.facts, value)


# ---- functions of moving numbers


def _part(entry: Entry, part: Expression) -> Motion:
    facts = entry.facts

    def of(inner: Expression) -> Motion:
        return motion_of(entry, inner)

    match part:
        case Apply("max" | "min", arguments) if len(arguments) > 1:
            return _bounded(entry, part, lipschitz([of(a) for a in arguments], facts, True, extreme=True))
        case Apply("clip", arguments):
            return _bounded(entry, part, lipschitz([of(a) for a in arguments], facts, True, extreme=True))
        case Apply("*", (StepNumber(), CellValue(name)) | (CellValue(name), StepNumber())) if _is_mean(entry, name):
            cell = facts.cells[name]  # step * (mean over steps) = sum over steps
            return sum_motion(entry, cell.keep, ((facts.expand(cell.body), ONE),), motion_of)
        case Apply("*", (a, b)) if not (entry.moves(a) and entry.moves(b)):
            moving, still = (a, b) if entry.moves(a) else (b, a)
            return _bounded(entry, part, _times_public(entry, of(moving), still))
        case Apply("/", (a, b)) if not entry.moves(b):
            return _bounded(entry, part, _times_public(entry, of(a), Apply("/", (UNIT, b))))
        case Apply("floor" | "ceil", (a,)):
            moved = lipschitz([of(a)], facts, True)
            known = moved.kind not in ("none", "unbounded")
            return _bounded(entry, part, replace(moved, radius=function("ceil", moved.radius)) if known else moved)
        case Apply(operator, (a,)) if (real := real_function(operator)) is not None:
            return _bounded(entry, part, _curved(entry, part, real, a))
        case Choice(test, yes, no) if not entry.moves(test):
            return _bounded(entry, part, _either(entry, of(yes), of(no)))
        case Noised(_, base, _) if not flips(facts, part):
            return of(base)
        case Quantified():
            return _bounded(entry, part, _over_set(entry, part))
        case Index(Sequence("list", items), at):
            position = evaluate_number(facts, at)
            place = next((i for i in range(len(items)) if position == number(i + 1)), None)
            if place is not None:
                return of(items[place])
        case _:
            pass
    return _bounded(entry, part, _of_vector(entry, part))


def _curved(entry: Entry, part: Expression, real: Real, argument: Expression) -> Motion:
    """f(argument) moves by at most its steepest slope times the motion, one way if it keeps or turns every order."""
    facts = entry.facts
    steep = steepest(facts, real, range_in(facts, argument))
    if steep is None:
        return _unknown(entry, part)
    moved = lipschitz([motion_of(entry, argument)], facts, real.monotone != 0)
    return scaled(facts, moved, steep * (real.monotone or 1))


def _is_mean(entry: Entry, name: str) -> bool:
    cell = entry.facts.cells[name]
    return cell.operator == "mean" and isinstance(cell.keep, AllSteps) and cell.where is None and not cell.binders


def _bounded(entry: Entry, part: Expression, motion: Motion) -> Motion:
    """Never more than the width of the range; that is all that is known of a function without a rule."""
    facts = entry.facts
    limit = width(facts, range_in(facts, part))
    if limit is None or motion.kind == "none":
        return motion
    if motion.kind == "unbounded":
        return Motion("arbitrary", limit)
    return replace(motion, radius=limit) if facts.compare(limit, motion.radius) == "less" else motion


def _times_public(entry: Entry, motion: Motion, factor: Expression) -> Motion:
    facts = entry.facts
    constant = evaluate_number(facts, factor)
    if constant is not None:
        return scaled(facts, motion, constant)
    bounds = range_in(facts, factor)
    sign = None
    if bounds.low is not None and facts.sign(bounds.low) in (0, 1):
        sign = 1
    elif bounds.high is not None and facts.sign(bounds.high) in (0, -1):
        sign = -1
    return varying(facts, motion, magnitude(facts, bounds), sign, sign == 1 and _shrinks(facts, factor))


def _shrinks(facts: Facts, factor: Expression) -> bool:
    """True for a factor >= 0 that is known never to grow from step to step, such as 1 / step."""
    leaves = [leaf for leaf in facts.leaves(factor) if evaluate_number(facts, leaf) is None]
    if leaves != [StepNumber()]:
        return False
    match factor:
        case Apply("/", (a, b)):
            top, bottom = evaluate_number(facts, a), range_in(facts, b)
            growing = direction(facts, b, StepNumber()) == 1
            positive = bottom.low is not None and facts.sign(bottom.low) == 1
            return top is not None and facts.sign(top) in (0, 1) and growing and positive
    return direction(facts, factor, StepNumber()) == -1


def _either(entry: Entry, yes: Motion, no: Motion) -> Motion:
    """In each step one of two, as public or hidden things decide."""
    facts = entry.facts
    moving = [motion for motion in (yes, no) if motion.kind != "none"]
    stuck = next((motion for motion in moving if motion.kind == "unbounded"), None)
    if stuck is not None or not moving:
        return stuck or NONE
    radius = greatest(facts, tuple(motion.radius for motion in moving))
    signs, onsets = {motion.sign for motion in moving}, {motion.onset for motion in moving}
    kind: Kind = "arbitrary"
    if {motion.kind for motion in moving} == {"single step"} and len(onsets) == 1:
        kind = "single step"
    elif all(motion.kind in ONE_SIGN for motion in moving) and (len(moving) == 1 or signs not in ({None},)):
        kind = "same direction" if len(signs) == 1 else "arbitrary"
    sign = signs.pop() if len(signs) == 1 and kind != "arbitrary" else None
    return Motion(kind, radius, None, sign, min(onsets))


def _over_set(entry: Entry, part: Quantified) -> Motion:
    """Folds over a constant set, with one cell (or one value) an element."""
    facts = entry.facts
    elements = evaluate(facts, part.domain)
    if not isinstance(elements, tuple) or not elements or part.where is not None:
        return _sum_where(entry, part, elements) if part.operator == "sum" else _unknown(entry, part)
    body = _each(entry, part)
    if body.kind in ("none", "unbounded"):
        return body
    match part.operator:
        case "max" | "min":
            if body.kind == "single step":
                return body
            aligned = body.sign is not None and body.kind in ONE_SIGN
            return replace(body, kind="same direction" if aligned else "arbitrary", sign=body.sign if aligned else None)
        case "sum" | "mean":
            size = number(len(elements)) if part.operator == "sum" else ONE
            if body.kind in ("single step", "uniform") or (body.sign is not None and body.kind in ONE_SIGN):
                return scaled(facts, body, size)
            return replace(scaled(facts, body, size), kind="arbitrary", sign=None)
    return _unknown(entry, part)


def _each(entry: Entry, part: Quantified) -> Motion:
    """The motion of the body for any element; its sign only if it is the same for all of them."""
    body = motion_of(entry, part.body)
    if body.sign is not None and body.sign[0] != ("adjacency",) and names(body.sign[0], part.variable):
        return replace(body, sign=None)
    return body


def _sum_where(entry: Entry, part: Quantified, elements: object) -> Motion:
    if part.where is None or not isinstance(elements, tuple):
        return _unknown(entry, part)
    body = Choice(part.where, part.body, nothing_like(entry.facts, part.body))
    return _over_set(entry, replace(part, body=body, where=None))


def _unknown(entry: Entry, part: Expression) -> Motion:
    return unbounded(why_unbounded(entry, ((part, ONE),)))


def _of_vector(entry: Entry, part: Expression) -> Motion:
    """Numbers computed from a moving vector."""
    facts = entry.facts
    match part:
        case Apply("max" | "min", (a,)):
            motion = motion_of(entry, a)
            if motion.kind in ("none", "unbounded"):
                return motion
            aligned = motion.sign is not None and motion.kind in ONE_SIGN
            kind: Kind = "same direction" if aligned else "arbitrary"
            return _from_norm(motion, "linf", "single step" if motion.kind == "single step" else kind)
        case Apply("sum", (a,)):
            motion = motion_of(entry, a)
            return _from_norm(motion, "l1", motion.kind if _adds_up(motion) else "arbitrary")
        case Apply("mean", (a,)):
            motion, size = motion_of(entry, a), dimension(facts, a)
            if size is None or facts.sign(size) != 1:
                return _unknown(entry, part)
            return scaled(facts, _from_norm(motion, "l1", motion.kind if _adds_up(motion) else "arbitrary"), ONE / size)
        case Apply("norm", (a,)):
            motion = motion_of(entry, a)
            single: Kind = "single step" if motion.kind == "single step" else "arbitrary"
            return _from_norm(motion, "l2", single, signed=False)
        case Index(base, at) if not entry.moves(at):
            motion = motion_of(entry, base)
            if is_steady(facts, at) or motion.kind == "single step":
                return _from_norm(motion, "linf", motion.kind)
            # another coordinate in each step: they move one way only if all of them do
            aligned = motion.sign is not None and motion.kind in ONE_SIGN
            return _from_norm(motion, "linf", "same direction" if aligned else "arbitrary")
    return _unknown(entry, part)


def _adds_up(motion: Motion) -> bool:
    return motion.kind in ("uniform", "single step") or (motion.sign is not None and motion.kind in ONE_SIGN)


def _from_norm(motion: Motion, norm: str, kind: Kind, signed: bool = True) -> Motion:
    if motion.kind in ("none", "unbounded"):
        return motion
    radius: Formula | None = None if motion.norms is None else getattr(motion.norms, norm)
    if radius is None:
        return unbounded(f"how far the vector moves in {norm} norm is not known")
    sign = motion.sign if signed and kind != "arbitrary" else None
    return Motion(kind, radius, None, sign, motion.onset, motion.report, motion.note)


# ---- vectors


def _vector(entry: Entry, expression: Expression) -> Motion:
    found, joint = _by_coordinate(entry, expression), joint_motion(entry, expression)
    if joint is None or found.kind == "none":
        return found
    if found.kind == "unbounded" or found.norms is None or joint.norms is None:
        return joint
    norms = lesser(entry.facts, joint.norms, found.norms)
    steadier = joint if found.kind == "arbitrary" else found
    return replace(steadier, norms=norms, radius=norms.linf or found.radius)


def _by_coordinate(entry: Entry, expression: Expression) -> Motion:
    facts = entry.facts
    match expression:
        case Sequence("list", items):
            return _list_of([motion_of(entry, item) for item in items], facts)
        case Quantified("list", body, _, domain, None) if is_number(facts, body):
            elements = evaluate(facts, domain)
            if isinstance(elements, tuple) and elements:
                return _repeated(_each(entry, expression), number(len(elements)))
        case Apply("*", (a, b)) if not (entry.moves(a) and entry.moves(b)):
            moving, still = (a, b) if entry.moves(a) else (b, a)
            if is_number(facts, still):
                return _times_public(entry, motion_of(entry, moving), still)
        case Apply("/", (a, b)) if not entry.moves(b) and is_number(facts, b):
            return _times_public(entry, motion_of(entry, a), Apply("/", (UNIT, b)))
        case Noised(_, base, _) if not flips(facts, expression):
            return motion_of(entry, base)
    bound, size = norm_bound(facts, expression), dimension(facts, expression)
    if bound is None or size is None:  # of two lists that are not as long as each other there is no difference
        return _unknown(entry, expression)
    radius = bound * 2
    return Motion("arbitrary", radius, Norms(root(size) * radius, radius, radius))


def _list_of(motions: list[Motion], facts: Facts) -> Motion:
    joined = added(motions, facts)
    if joined.kind in ("none", "unbounded"):
        return joined
    radii = [motion.radius for motion in motions if motion.kind != "none"]  # not empty: the sum of them moves
    total, squares = ZERO + ZERO, ZERO + ZERO
    for radius in radii:
        total, squares = total + radius, squares + radius * radius
    norms = Norms(total, root(squares), greatest(facts, tuple(radii)))
    return replace(joined, radius=total, norms=norms)


def _repeated(body: Motion, size: Formula) -> Motion:
    """A list of `size` numbers that all move like the body."""
    if body.kind in ("none", "unbounded"):
        return body
    kind: Kind = "arbitrary"
    if body.kind in ("uniform", "single step"):
        kind = body.kind
    elif body.sign is not None and body.kind in ONE_SIGN:
        kind = "same direction"
    norms = Norms(size * body.radius, root(size) * body.radius, body.radius)
    return replace(body, kind=kind, norms=norms, sign=body.sign if kind != "arbitrary" else None)
