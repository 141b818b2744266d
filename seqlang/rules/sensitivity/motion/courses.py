"""How the value of an operator moves over a run, from how its operands move: one transfer function for each.

Each lemma is about one pair of neighbours. It bounds the difference of the value in a step by the differences of the
operands in that step, and says to which class of `motion` the sequence of these differences belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seqlang.arithmetic.formula import Formula, function, root, total
from seqlang.model.expression import Apply, Expression, StepNumber
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.ends import greatest, least, size_of, times_known
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT
from seqlang.rules.sensitivity.facts.real_functions import real_function
from seqlang.rules.sensitivity.facts.shapes import dimension
from seqlang.rules.sensitivity.functions.slopes import direction
from seqlang.rules.sensitivity.motion.entry import Entry, Norms
from seqlang.rules.sensitivity.motion.motion import NONE, ONE_SIGN, Motion, added, lipschitz, scaled, unbounded, varying
from seqlang.rules.sensitivity.motion.shift import Kind
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude
from seqlang.rules.sensitivity.ranges.function_ranges import steepest
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in

Operands = tuple[Motion, ...]
"""How each operand moves, in their order."""
Transfer = Callable[[Entry, Apply, Operands], Motion | None]
"""None: nothing follows from how the operands move."""


def transfer_of(operator: str) -> Transfer | None:
    """What is known of the operator."""
    if operator in TRANSFERS:
        return TRANSFERS[operator]
    return None if real_function(operator) is None else _of_real_function


def _extreme(entry: Entry, part: Apply, operands: Operands) -> Motion:
    """Of several numbers: max and min are 1-Lipschitz for the largest difference of their operands and never fall when
    one rises, and so is clip, which is made of them. Of the elements of one list: likewise, in linf."""
    if len(operands) > 1:
        return lipschitz(list(operands), entry.facts, True, extreme=True)
    (motion,) = operands
    return _from_norm(motion, "linf", motion.kind if motion.kind == "single step" else _aligned(motion))


def _product(entry: Entry, part: Apply, operands: Operands) -> Motion | None:
    """a x with a factor a that does not move: each difference is multiplied by a."""
    a, b = part.arguments
    if entry.moves(a) and entry.moves(b):
        return None
    moving, still = (operands[0], b) if entry.moves(a) else (operands[1], a)
    return times_public(entry.facts, moving, still)


def _quotient(entry: Entry, part: Apply, operands: Operands) -> Motion | None:
    """x / a with a divisor a that does not move: the factor is 1 / a."""
    divisor = part.arguments[1]
    return None if entry.moves(divisor) else times_public(entry.facts, operands[0], Apply("/", (UNIT, divisor)))


def _rounded(entry: Entry, _: Apply, operands: Operands) -> Motion:
    """|floor(x) - floor(y)| <= ceil(|x - y|), and floor never falls when x rises; the same for ceil."""
    moved = lipschitz(list(operands), entry.facts, True)
    known = moved.kind not in ("none", "unbounded")
    return replace(moved, radius=function("ceil", moved.radius)) if known else moved


def _of_real_function(entry: Entry, part: Apply, operands: Operands) -> Motion | None:
    """f(x) moves by at most the steepest slope of f times the motion of x, one way if f keeps or turns every order."""
    facts, real = entry.facts, real_function(part.operator)
    if real is None or len(part.arguments) != 1:
        return None
    steep = steepest(facts, real, range_in(facts, part.arguments[0]))
    if steep is None:
        return None
    return scaled(facts, lipschitz(list(operands), facts, real.monotone != 0), steep * (real.monotone or 1))


def _sum(_: Entry, __: Apply, operands: Operands) -> Motion:
    """The difference of the sum of a list is the sum of its differences, at most their l1 norm."""
    (motion,) = operands
    return _from_norm(motion, "l1", motion.kind if _adds_up(motion) else "arbitrary")


def _mean(entry: Entry, part: Apply, operands: Operands) -> Motion | None:
    """The sum divided by how many there are, if both sides have equally many, and some."""
    size = dimension(entry.facts, part.arguments[0])
    if size is None or entry.facts.sign(size) != 1:
        return None
    return scaled(entry.facts, _sum(entry, part, operands), ONE / size)


def _norm(_: Entry, __: Apply, operands: Operands) -> Motion:
    """||a| - |b|| <= |a - b|; which of the two is longer may change from step to step."""
    (motion,) = operands
    return _from_norm(motion, "l2", "single step" if motion.kind == "single step" else "arbitrary", signed=False)


def _sort(_: Entry, __: Apply, operands: Operands) -> Motion:
    """The k-th smallest element never falls when one rises, and rises by c when all do: where all elements move by
    amounts in [a, b], so do all places of the sorted list, and what they move apart is at most b - a. In every norm the
    sorted lists differ by no more than the lists (rearrangement inequality: sorting both pairs them best)."""
    (motion,) = operands
    if motion.kind in ("none", "unbounded", "single step"):
        return motion
    kind = _aligned(motion)
    return replace(motion, kind=kind, sign=motion.sign if kind == "same direction" else None)


def _dot(entry: Entry, part: Apply, operands: Operands) -> Motion | None:
    """<a, v> - <b, v> = <a - b, v> for a list v that does not move (Hoelder's inequality): of a difference that is the
    same in all steps the same multiple, if v is constant."""
    a, b = part.arguments
    if entry.moves(a) and entry.moves(b):
        return None
    motion, still = (operands[0], b) if entry.moves(a) else (operands[1], a)
    if motion.kind in ("none", "unbounded") or motion.norms is None:
        return None
    facts, listed = entry.facts, evaluate(entry.facts, still)
    pairs = [(motion.norms.l2, norm_bound(facts, still))]
    sizes = tuple(size_of(facts, v) for v in listed if isinstance(v, Formula)) if isinstance(listed, tuple) else ()
    constant = isinstance(listed, tuple) and 0 < len(sizes) == len(listed)
    if constant:
        pairs += [(motion.norms.linf, total(sizes)), (motion.norms.l1, greatest(facts, sizes))]
    bounds = tuple(bound for moved, size in pairs if (bound := times_known(moved, size)) is not None)
    if not bounds:
        return None
    kept = motion.kind == "single step" or (constant and motion.kind == "uniform")
    kind = motion.kind if kept else "arbitrary"
    return Motion(kind, least(facts, bounds), None, None, motion.onset, motion.report, motion.note)


TRANSFERS: Mapping[str, Transfer] = {
    "max": _extreme, "min": _extreme, "clip": _extreme, "*": _product, "/": _quotient,
    "floor": _rounded, "ceil": _rounded, "sum": _sum, "mean": _mean, "norm": _norm, "dot": _dot, "sort": _sort,
}  # fmt: skip
"""Functions of one real number follow from what the catalogue of operators declares: `transfer_of`."""


# ---- what is no operator


def element(motion: Motion, steady: bool) -> Motion:
    """One element of a list. `steady`: the same in every step, or else they move one way only if all of them do."""
    if steady or motion.kind == "single step":
        return _from_norm(motion, "linf", motion.kind)
    return _from_norm(motion, "linf", _aligned(motion))


def over_set(facts: Facts, operator: str, body: Motion, size: Formula) -> Motion | None:
    """A fold over a constant set of `size` elements, where `body` is how the part of any one of them moves: an extreme
    moves as one of them, a sum by at most `size` times that, a mean by at most that."""
    if body.kind in ("none", "unbounded"):
        return body
    match operator:
        case "max" | "min":
            if body.kind == "single step":
                return body
            kind = _aligned(body)
            return replace(body, kind=kind, sign=body.sign if kind == "same direction" else None)
        case "sum" | "mean":
            larger = scaled(facts, body, size if operator == "sum" else ONE)
            return larger if _adds_up(body) else replace(larger, kind="arbitrary", sign=None)
    return None


def either(facts: Facts, yes: Motion, no: Motion) -> Motion:
    """In each step one of two, as public or hidden things decide."""
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


def times_public(facts: Facts, motion: Motion, factor: Expression) -> Motion:
    """A quantity times a factor that does not move, in every step."""
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


def _aligned(motion: Motion) -> Kind:
    """What remains of a class where one step may show one element, another step another."""
    return "same direction" if motion.sign is not None and motion.one_sign else "arbitrary"


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


# ---- lists


def list_of(motions: list[Motion], facts: Facts) -> Motion:
    """A list of numbers that move so: in each norm, the norm of how far they do."""
    joined = added(motions, facts)
    if joined.kind in ("none", "unbounded"):
        return joined
    radii = [motion.radius for motion in motions if motion.kind != "none"]  # not empty: the sum of them moves
    squares = total(radius * radius for radius in radii)
    norms = Norms(total(radii), root(squares), greatest(facts, tuple(radii)))
    return replace(joined, radius=total(radii), norms=norms)


def repeated(body: Motion, size: Formula) -> Motion:
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
