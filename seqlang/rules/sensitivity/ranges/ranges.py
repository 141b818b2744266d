"""Between which values an expression stays, over all data, all noise and the whole run.

Ends are formulas over the parameters, right at the program's parameter values; None is "no bound known". The rules are
those of interval arithmetic; where an expression has finitely many values they are all computed.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, number, root
from seqlang.model.expression import (
    COMPARISONS,
    LOGIC,
    Apply,
    Bound,
    CellValue,
    Choice,
    Density,
    Drawn,
    Expression,
    Field,
    Index,
    Law,
    MemoryValue,
    Noised,
    Quantified,
    Reported,
    Sequence,
    StepNumber,
    Truth,
)
from seqlang.model.program import Program, Report, Update
from seqlang.operators.groups import COUNTS, EXTREMES, OF_SOMETHING, ROUNDINGS, SUMS
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.ends import greatest
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.finite import extremes, values_of
from seqlang.rules.sensitivity.facts.linear import Linear, flips, linear
from seqlang.rules.sensitivity.facts.list_elements import element_of_list
from seqlang.rules.sensitivity.facts.log_ratios import log_ratio
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.shapes import dimension, is_number, is_vector, shape_of
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.ranges.aggregates import WHOLE, cell_range, may_be_empty, quantified_range
from seqlang.rules.sensitivity.ranges.arithmetic import hull, magnitude, of_function, of_values, plus, reciprocal, times
from seqlang.rules.sensitivity.ranges.inner_products import projected
from seqlang.rules.sensitivity.ranges.range import ANYTHING, BIT, NOTHING, Range
from seqlang.rules.sensitivity.ranges.supports import domain_range, support


def range_of(program: Program, expression: Expression) -> Range:
    """The range of an expression of the program, evaluated in any step of any run on any data."""
    facts = facts_of(program)
    return range_in(facts, facts.expand(expression))


def range_in(facts: Facts, expression: Expression, visiting: frozenset[str] = frozenset()) -> Range:
    """The same for an expanded expression; `visiting` are the cells whose range is being computed."""
    return _range(facts, expression, visiting)


@remembered
def _range(facts: Facts, expression: Expression, visiting: frozenset[str]) -> Range:
    picked = element_of_list(expression) if isinstance(expression, Index) else None
    if picked is not None:
        return range_in(facts, picked, visiting)
    listed = extremes(facts, expression)
    if listed is not None and all(isinstance(v, Formula) for v in listed):
        return of_values(facts, tuple(v for v in listed if isinstance(v, Formula)))
    shape = shape_of(facts, expression)
    if shape.kind == "list":
        return _vector(facts, expression, visiting)
    if not shape.is_number:
        return ANYTHING
    split = linear(facts, expression)
    if split.is_constant:
        return Range(split.constant, split.constant, values=(split.constant,))
    if len(split.terms) == 1 and split.terms[0][0] == expression:
        return _part(facts, expression, visiting)
    result = Range(split.constant, split.constant, whole(facts, split.constant) is not None)
    for part, coefficient in split.terms:
        inner = _part(facts, part, visiting) if part != expression else ANYTHING
        factor = Range(coefficient, coefficient, whole(facts, coefficient) is not None)
        result = plus(facts, result, times(facts, factor, inner))
    return _beside_an_extreme(facts, split, result)


def _beside_an_extreme(facts: Facts, split: Linear, found: Range) -> Range:
    """The range of a sum, where it is a number's distance from the largest (smallest) of several, it among them."""
    if len(split.terms) != 2 or facts.compare(split.terms[0][1], -split.terms[1][1]) != "equal":
        return found
    for (inner, coefficient), (extreme, _) in (split.terms, split.terms[::-1]):
        match extreme:
            case Apply("max" | "min" as which, arguments) if len(arguments) > 1 and inner in arguments:
                side = facts.sign(coefficient)
                if side in (1, -1):
                    below = (side == 1) == (which == "max")
                    return replace(found, high=split.constant) if below else replace(found, low=split.constant)
            case _:
                pass
    return found


# ---- parts


def _part(facts: Facts, expression: Expression, visiting: frozenset[str]) -> Range:
    def of(inner: Expression) -> Range:
        return range_in(facts, inner, visiting)

    match expression:
        case Truth(value):
            return Range(ONE, ONE, True) if value else Range(ZERO, ZERO, True)
        case Field(name):
            return domain_range(facts, facts.inputs[name].domain) if name in facts.inputs else ANYTHING
        case StepNumber():
            return Range(number(facts.first), None, True)
        case Bound():
            values = values_of(facts, expression)
            numbers = [v for v in values or () if isinstance(v, Formula)]
            return of_values(facts, tuple(numbers)) if numbers and len(numbers) == len(values or ()) else ANYTHING
        case Drawn(name):
            drawn = facts.noises.get(name) or facts.draws.get(name)
            return ANYTHING if drawn is None else support(facts.from_start, drawn.law)
        case Noised(_, _, terms):
            if not flips(facts, expression) or len(terms) != 1:
                return ANYTHING
            return _of_answers(facts, expression)
        case Reported(name):
            events = (s for s in facts.program.body if isinstance(s, Report) and s.value is None)
            return BIT if any(event.name == name for event in events) else ANYTHING
        case CellValue(name, _):
            if name in visiting and WHOLE + name in visiting:
                return Range(integer=True)  # of an earlier step, by induction
            if name in visiting or name not in facts.cells:
                return ANYTHING
            return cell_range(range_in, facts, name, visiting | {name})
        case MemoryValue(name):
            return _memory(facts, name, visiting)
        case Choice(_, yes, no):
            return hull(facts, [of(yes), of(no)])
        case Index(base, _):
            return _coordinate(facts, base, visiting)
        case Density(method, _, _):
            return Range(ZERO, None if method == "pdf" else ONE)
        case Quantified():
            return quantified_range(range_in, facts, expression, visiting)
        case Apply():
            return _applied(facts, expression, visiting)
    return ANYTHING


def _of_answers(facts: Facts, flipped: Noised) -> Range:
    """The answers of randomised response, which may be values that the base itself never takes."""
    answers = values_of(facts, flipped)
    if answers is None:
        return ANYTHING
    if all(isinstance(answer, bool) for answer in answers):
        return BIT
    numbers = tuple(answer for answer in answers if isinstance(answer, Formula))
    return of_values(facts, numbers) if len(numbers) == len(answers) else ANYTHING


def _memory(facts: Facts, name: str, visiting: frozenset[str]) -> Range:
    """Memory is a number if it begins as one; it holds that number or what its update gave it."""
    program, seen = facts.program, f"memory {name}"
    start = next((evaluate_number(facts, m.initial) for m in program.memories if m.name == name), None)
    if start is None or seen in visiting:
        return ANYTHING
    updates = (s for s in program.body if isinstance(s, Update) and s.memory == name)
    facts = facts.from_start
    later = [range_in(facts, facts.expand(update.value), visiting | {seen}) for update in updates]
    return hull(facts, [Range(start, start, whole(facts, start) is not None), *later])


def _applied(facts: Facts, expression: Apply, visiting: frozenset[str]) -> Range:
    operator, arguments = expression.operator, expression.arguments
    if operator in COMPARISONS or operator in LOGIC:
        return BIT
    ratio = ratio_polynomial(facts, expression, visiting)
    if ratio is not None:
        return range_in(facts, ratio, visiting)
    if operator == "norm" or operator == "dot":
        bound = norm_bound(facts, arguments[0], visiting)
        if operator == "dot":
            bound = _both(bound, norm_bound(facts, arguments[1], visiting), "*")
        return Range(ZERO if operator == "norm" else None if bound is None else -bound, bound)
    across = projected(expression)
    if across is not None and (bound := norm_bound(facts, across, visiting)) is not None:
        return Range(ZERO if _is_absolute(arguments[0]) else -bound, bound)
    if operator == "length" or operator in COUNTS:
        size = dimension(facts, arguments[0]) if len(arguments) == 1 else None
        least = size if operator == "length" else ONE if operator != "count" else ZERO
        return Range(least or ZERO, size, True)
    if operator in OF_SOMETHING and len(arguments) == 1 and may_be_empty(facts, arguments[0]):
        return NOTHING
    if operator in SUMS:
        inner = _coordinate(facts, arguments[0], visiting)
        if operator == "mean":
            return Range(inner.low, inner.high)
        size = dimension(facts, arguments[0])
        return ANYTHING if size is None else times(facts, Range(size, size, True), inner)
    ranges = [range_in(facts, argument, visiting) for argument in arguments]
    if operator in EXTREMES and len(arguments) == 1:
        return _coordinate(facts, arguments[0], visiting)
    found = of_function(facts, operator, ranges)
    if operator in ROUNDINGS and evaluate_number(facts, arguments[0]) is not None:
        # a constant that doubles may round to the next whole number, or its value would be known
        return replace(found, low=_moved(found.low, -1), high=_moved(found.high, 1))
    return found


def _moved(end: Formula | None, by: int) -> Formula | None:
    return None if end is None else end + by


def _is_absolute(expression: Expression) -> bool:
    return isinstance(expression, Apply) and expression.operator == "abs"


def ratio_polynomial(facts: Facts, expression: Expression, visiting: frozenset[str] = frozenset()) -> Expression | None:
    """A log-likelihood ratio as a polynomial of the observation, if that is right on the observation's whole range."""
    found = log_ratio(facts, expression)
    if found is None:
        return None
    polynomial, at, where = found
    if where == "real":
        return polynomial
    observed = range_in(facts, at, visiting)
    if observed.low is None or facts.sign(observed.low) not in (0, 1):
        return None
    if where == "positive":
        return polynomial
    if not observed.integer:
        return None
    if where == "whole":
        return polynomial
    largest = ONE if where == "bit" else _count_limit(facts, expression)
    inside = largest is not None and observed.high is not None and facts.at_most(observed.high, largest)
    return polynomial if inside else None


def _count_limit(facts: Facts, expression: Expression) -> Formula | None:
    match expression:
        case Apply("log", (Apply("/", (Density(_, Law("binomial", (n, _)), _), _)),)):
            return evaluate_number(facts, n)
    return None


# ---- vectors


def _vector(facts: Facts, expression: Expression, visiting: frozenset[str]) -> Range:
    inner = _coordinate(facts, expression, visiting)
    return Range(inner.low, inner.high, inner.integer, None, norm_bound(facts, expression, visiting), inner.note)


def _coordinate(facts: Facts, expression: Expression, visiting: frozenset[str]) -> Range:
    """The range of every element."""
    match expression:
        case Field(name) if name in facts.inputs:
            return domain_range(facts, facts.inputs[name].domain)
        case Sequence(_, items) if items:
            return hull(facts, [range_in(facts, item, visiting) for item in items])
        case Quantified("list" | "set", body):
            return range_in(facts, body, visiting)
        case CellValue(name) if name in facts.cells and name not in visiting:
            return cell_range(range_in, facts, name, visiting | {name})
        case Apply("sort", (a,)):
            return _coordinate(facts, a, visiting)
        case Apply("zeros"):
            return Range(ZERO, ZERO, True)
    bound = norm_bound(facts, expression, visiting)
    return ANYTHING if bound is None else Range(-bound, bound, norm=bound)


def norm_bound(facts: Facts, expression: Expression, visiting: frozenset[str] = frozenset()) -> Formula | None:
    """A bound on the l2 norm of a vector, or on |value| of a number."""
    if is_number(facts, expression):
        return magnitude(facts, range_in(facts, expression, visiting))
    if not is_vector(facts, expression):
        return None
    match expression:
        case Field(name):
            whole_dataset = facts.inputs[name].kind == "dataset" and not name.endswith(RECORD)
            return None if whole_dataset else domain_range(facts, facts.inputs[name].domain).norm
        case Apply("zeros"):
            return ZERO
        case Apply("project" | "clip_norm", (_, radius)):
            return magnitude(facts, range_in(facts, radius, visiting))  # a negative radius turns the vector round
        case Apply("negate" | "sort", (a,)):
            return norm_bound(facts, a, visiting)
        case Apply("+" | "-", (a, b)) if is_vector(facts, a) and is_vector(facts, b):
            return _both(norm_bound(facts, a, visiting), norm_bound(facts, b, visiting), "+")
        case Apply("*", (a, b)) if is_number(facts, a) or is_number(facts, b):
            return _both(norm_bound(facts, a, visiting), norm_bound(facts, b, visiting), "*")
        case Apply("/", (a, b)) if is_number(facts, b):
            inverse = magnitude(facts, reciprocal(facts, range_in(facts, b, visiting)))
            return _both(norm_bound(facts, a, visiting), inverse, "*")
        case Choice(_, yes, no):
            branches = [norm_bound(facts, branch, visiting) for branch in (yes, no)]
            return None if None in branches else greatest(facts, tuple(b for b in branches if b is not None))
        case Index(Field(name), _) if name + RECORD in facts.inputs:
            return domain_range(facts, facts.inputs[name].domain).norm
        case Sequence("list", items):
            bounds = [norm_bound(facts, item, visiting) for item in items]
            squares = [b * b for b in bounds if b is not None]
            return root(sum(squares, start=ZERO)) if len(squares) == len(items) else None
        case Quantified("list", body):
            size, each = dimension(facts, expression), norm_bound(facts, body, visiting)
            return None if size is None or each is None else root(size) * each
    return None


def _both(a: Formula | None, b: Formula | None, operator: str) -> Formula | None:
    if a is None or b is None:
        return None
    return a + b if operator == "+" else a * b
