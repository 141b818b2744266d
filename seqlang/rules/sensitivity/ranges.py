"""Between which values an expression stays, over all data, all noise and the whole run.

Ends are formulas over the parameters, right at the program's parameter values; None is "no bound known". The rules are
those of interval arithmetic; where an expression has finitely many values they are all computed.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import (
    INFINITY,
    MINUS_INFINITY,
    Formula,
    Infinite,
    absolute,
    function,
    maximum,
    minimum,
    number,
    root,
)
from seqlang.model.domain import Ball, Domain, Finite, Integers, Interval, Power
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
    RealVectors,
    Records,
    Reported,
    Sequence,
    StepNumber,
    Truth,
    Weights,
)
from seqlang.model.program import AtReports, LastSteps, Previous, Program, Report, Update
from seqlang.record import record
from seqlang.rules.sensitivity.angles import projected
from seqlang.rules.sensitivity.evaluate import evaluate, evaluate_number, whole
from seqlang.rules.sensitivity.facts import ONE, RECORD, ZERO, Facts, facts_of
from seqlang.rules.sensitivity.finite import extremes, law_values, values_of
from seqlang.rules.sensitivity.likelihood import log_ratio
from seqlang.rules.sensitivity.linear import flips, linear


@record
class Range:
    """low <= value <= high (a vector: every coordinate). `norm` bounds the l2 norm of a vector; `values` are all values
    if they are known and finitely many; `note` says what is missing for a bound."""

    low: Formula | None = None
    high: Formula | None = None
    integer: bool = False
    values: tuple[Formula, ...] | None = None
    norm: Formula | None = None
    note: str = ""

    @property
    def is_bounded(self) -> bool:
        return self.low is not None and self.high is not None


ANYTHING = Range()
BIT = Range(ZERO, ONE, True, (ZERO, ONE))
NOTHING = Range(note="it may be of no element at all, and then it has no value")


def range_of(program: Program, expression: Expression) -> Range:
    """The range of an expression of the program, evaluated in any step of any run on any data."""
    facts = facts_of(program)
    facts.learn(expression)
    return range_in(facts, facts.expand(expression))


def range_in(facts: Facts, expression: Expression, visiting: frozenset[str] = frozenset()) -> Range:
    """The same for an expanded expression; `visiting` are the cells whose range is being computed."""
    known = facts.ranges.get((expression, visiting))
    if isinstance(known, Range):
        return known
    found = _range(facts, expression, visiting)
    facts.ranges[expression, visiting] = found
    return found


def _range(facts: Facts, expression: Expression, visiting: frozenset[str]) -> Range:
    listed = extremes(facts, expression)
    if listed is not None and all(isinstance(v, Formula) for v in listed):
        return _of_values(facts, tuple(v for v in listed if isinstance(v, Formula)))
    if is_vector(facts, expression):
        return _vector(facts, expression, visiting)
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
    return result


def _of_values(facts: Facts, values: tuple[Formula, ...]) -> Range:
    kept = tuple(dict.fromkeys(values))
    whole_numbers = all(whole(facts, value) is not None for value in kept)
    return Range(least(facts, kept), greatest(facts, kept), whole_numbers, kept)


# ---- arithmetic on ends: an infinite formula stands for "no bound" while computing


def least(facts: Facts, ends: tuple[Formula, ...]) -> Formula:
    return _extreme(facts, ends, "less")


def greatest(facts: Facts, ends: tuple[Formula, ...]) -> Formula:
    return _extreme(facts, ends, "greater")


def _extreme(facts: Facts, ends: tuple[Formula, ...], wanted: str) -> Formula:
    """The one that wins at the parameter values; where that is undecided, max or min of the candidates."""
    best: list[Formula] = []
    for end in ends:
        relations = [facts.compare(end, other) for other in best]
        if any(r == "equal" or (r is not None and r != wanted) for r in relations):
            continue
        best = [other for other, r in zip(best, relations, strict=True) if r is None] + [end]
    if len(best) == 1:
        return best[0]
    return maximum(*best) if wanted == "greater" else minimum(*best)


def _low(r: Range) -> Formula:
    return MINUS_INFINITY if r.low is None else r.low


def _high(r: Range) -> Formula:
    return INFINITY if r.high is None else r.high


def between(low: Formula, high: Formula, integer: bool = False, note: str = "") -> Range:
    return Range(None if low.is_infinite else low, None if high.is_infinite else high, integer, note=note)


def plus(facts: Facts, a: Range, b: Range) -> Range:
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Range(low, high, a.integer and b.integer, note=a.note or b.note)


def times(facts: Facts, a: Range, b: Range) -> Range:
    ends = [_product(facts, x, y) for x in (_low(a), _high(a)) for y in (_low(b), _high(b))]
    known = tuple(end for end in ends if end is not None)
    note = a.note or b.note
    if len(known) < len(ends):
        return Range(note=note)
    return between(least(facts, known), greatest(facts, known), a.integer and b.integer, note)


def _product(facts: Facts, a: Formula, b: Formula) -> Formula | None:
    if not a.is_infinite and not b.is_infinite:
        return a * b
    signs = [(1 if x == INFINITY else -1) if isinstance(x, Infinite) else facts.sign(x) for x in (a, b)]
    if 0 in signs:
        return ZERO
    if signs[0] is None or signs[1] is None:
        return None
    return INFINITY if signs[0] == signs[1] else MINUS_INFINITY


def hull(facts: Facts, ranges: list[Range]) -> Range:
    low = least(facts, tuple(_low(r) for r in ranges))
    high = greatest(facts, tuple(_high(r) for r in ranges))
    return between(low, high, all(r.integer for r in ranges), next((r.note for r in ranges if r.note), ""))


def magnitude(facts: Facts, r: Range) -> Formula | None:
    """The largest |value|."""
    if r.low is None or r.high is None:
        return None
    return greatest(facts, (size_of(facts, r.low), size_of(facts, r.high)))


def size_of(facts: Facts, formula: Formula) -> Formula:
    """|formula|, without the bars where the sign is known."""
    sign = facts.sign(formula)
    return absolute(formula) if sign is None else -formula if sign == -1 else formula


def width(facts: Facts, r: Range) -> Formula | None:
    return None if r.low is None or r.high is None else r.high - r.low


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
            return _of_values(facts, tuple(numbers)) if numbers and len(numbers) == len(values or ()) else ANYTHING
        case Drawn(name):
            drawn = facts.noises.get(name) or facts.draws.get(name)
            return ANYTHING if drawn is None else _support(facts.from_start, drawn.law)
        case Noised(_, base, terms):
            if not flips(facts, expression):
                return ANYTHING
            return hull(facts, [of(base)]) if len(terms) == 1 else ANYTHING
        case Reported(name):
            events = (s for s in facts.program.body if isinstance(s, Report) and s.value is None)
            return BIT if any(event.name == name for event in events) else ANYTHING
        case CellValue(name):
            return ANYTHING if name in visiting or name not in facts.cells else _cell(facts, name, visiting | {name})
        case MemoryValue(name):
            return _memory(facts, name, visiting)
        case Choice(_, yes, no):
            return hull(facts, [of(yes), of(no)])
        case Index(base, _):
            return _coordinate(facts, base, visiting)
        case Density(method, _, _):
            return Range(ZERO, None if method == "pdf" else ONE)
        case Quantified():
            return _quantified(facts, expression, visiting)
        case Apply():
            return _applied(facts, expression, visiting)
    return ANYTHING


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


def domain_range(facts: Facts, domain: Domain) -> Range:
    """The range of a field (of a coordinate, for a vector domain)."""
    match domain:
        case Interval(low, high):
            ends = [None if end is None else evaluate_number(facts, end) for end in (low, high)]
            note = "" if None not in ends else "its domain has no bound: clip it"
            return Range(ends[0], ends[1], note=note)
        case Integers(low, high):
            ends = [None if end is None else evaluate_number(facts, end) for end in (low, high)]
            note = "" if None not in ends else "its domain has no bound: clip it"
            return Range(ends[0], ends[1], True, note=note)
        case Finite(values):
            numbers = [evaluate_number(facts, value) for value in values]
            return ANYTHING if None in numbers else _of_values(facts, tuple(v for v in numbers if v is not None))
        case Ball(radius, _):
            r = evaluate_number(facts, radius)
            return ANYTHING if r is None else Range(-r, r, norm=r)
        case Power(of, dimension):
            inner, d = domain_range(facts, of), evaluate_number(facts, dimension)
            size = magnitude(facts, inner)
            norm = None if size is None or d is None else root(d) * size
            return Range(inner.low, inner.high, inner.integer, None, norm, inner.note)


def _support(facts: Facts, law: Expression) -> Range:
    listed = law_values(facts, law)
    if listed is not None:
        numbers = tuple(v for v in listed if isinstance(v, Formula))
        return _of_values(facts, numbers) if numbers and len(numbers) == len(listed) else ANYTHING
    match law:
        case Law("uniform", (low, high)):
            return Range(evaluate_number(facts, low), evaluate_number(facts, high))
        case Law("exponential"):
            return Range(ZERO, None)
        case Law("conditioned", (_, low, high)):
            return Range(evaluate_number(facts, low), evaluate_number(facts, high))
        case Law("binomial", (n, _)):
            return Range(ZERO, evaluate_number(facts, n), True)
        case Law("poisson"):
            return Range(ZERO, None, True)
        case Law("geometric" | "discrete_gaussian"):
            return Range(None, None, True)
        case Weights():
            return ANYTHING
    return ANYTHING


def _cell(facts: Facts, name: str, visiting: frozenset[str]) -> Range:
    facts = facts.from_start
    cell = facts.cells[name]
    body = range_in(facts, facts.expand(cell.body), visiting)
    match cell.operator, cell.keep:
        case "last", Previous(initial):
            return hull(facts, [body, range_in(facts, facts.expand(initial), visiting)])
        case (("max" | "min" | "mean"), _):
            if cell.where is not None and facts.is_private(facts.expand(cell.where)):
                return NOTHING
            return Range(body.low, body.high, body.integer and cell.operator != "mean")
        case "list", AtReports():
            return body
        case (("argmax" | "argmin"), _):
            return Range(ONE, None, True)
        case (("sum" | "count"), keep):
            element = BIT if cell.operator == "count" else hull(facts, [body, Range(ZERO, ZERO, True)])
            limit = evaluate_number(facts, keep.count) if isinstance(keep, LastSteps) else None
            return times(facts, Range(ZERO, limit, True), element)
    return ANYTHING


def _quantified(facts: Facts, expression: Quantified, visiting: frozenset[str]) -> Range:
    body = range_in(facts, expression.body, visiting)
    domain = evaluate(facts, expression.domain)
    size = number(len(domain)) if isinstance(domain, tuple) else None
    if expression.operator in ("max", "min", "mean") and _may_be_empty(facts, expression):
        return NOTHING
    match expression.operator:
        case "max" | "min" | "list" | "set":
            return body
        case "mean":
            return Range(body.low, body.high)
        case "sum" | "count":
            element = BIT if expression.operator == "count" else hull(facts, [body, Range(ZERO, ZERO, True)])
            return times(facts, Range(ZERO, size, True), element)
    if isinstance(domain, tuple) and all(isinstance(v, Formula) for v in domain) and domain:
        return _of_values(facts, tuple(v for v in domain if isinstance(v, Formula)))
    return ANYTHING


def _may_be_empty(facts: Facts, expression: Quantified) -> bool:
    """Whether there is an element may depend on the data."""
    if expression.where is not None and facts.is_private(expression.where):
        return True
    return facts.resized and (isinstance(expression.domain, Records) or facts.is_sample(expression.domain))


def _applied(facts: Facts, expression: Apply, visiting: frozenset[str]) -> Range:
    operator, arguments = expression.operator, expression.arguments
    if operator in COMPARISONS or operator in LOGIC:
        return BIT
    ratio = ratio_polynomial(facts, expression, visiting)
    if ratio is not None:
        return range_in(facts, ratio, visiting)
    if operator in ("norm", "dot"):
        bound = norm_bound(facts, arguments[0], visiting)
        if operator == "dot":
            bound = _both(bound, norm_bound(facts, arguments[1], visiting), "*")
        return Range(ZERO if operator == "norm" else None if bound is None else -bound, bound)
    across = projected(expression)
    if across is not None and (bound := norm_bound(facts, across, visiting)) is not None:
        return Range(ZERO if _is_absolute(arguments[0]) else -bound, bound)
    if operator in ("length", "count", "argmax", "argmin"):
        return Range(ZERO, None, True)
    if operator in ("sum", "mean"):
        inner = _coordinate(facts, arguments[0], visiting)
        if operator == "mean":
            return Range(inner.low, inner.high)
        size = dimension(facts, arguments[0])
        return ANYTHING if size is None else times(facts, Range(size, size, True), inner)
    ranges = [range_in(facts, argument, visiting) for argument in arguments]
    if operator in ("max", "min") and len(arguments) == 1:
        return _coordinate(facts, arguments[0], visiting)
    return _function(facts, operator, ranges)


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


def _function(facts: Facts, operator: str, ranges: list[Range]) -> Range:
    note = next((r.note for r in ranges if r.note), "")
    lows, highs = tuple(_low(r) for r in ranges), tuple(_high(r) for r in ranges)
    low, high = lows[0], highs[0]
    integer = all(r.integer for r in ranges)
    match operator:
        case "*":
            return times(facts, ranges[0], ranges[1])
        case "/":
            return times(facts, ranges[0], _reciprocal(facts, ranges[1]))
        case "%":
            return _remainder(facts, ranges[1], integer)
        case "^":
            return _power(facts, ranges[0], ranges[1])
        case "max":
            return between(greatest(facts, lows), greatest(facts, highs), integer, note)
        case "min":
            return between(least(facts, lows), least(facts, highs), integer, note)
        case "clip":
            return _clip(facts, ranges)
        case "abs":
            return _absolute(facts, ranges[0])
        case "exp":
            below = ZERO if low.is_infinite else function("exp", low)
            return between(below, high if high.is_infinite else function("exp", high), note=note)
        case "log" | "log2":
            positive = not low.is_infinite and facts.sign(low) == 1
            above = not high.is_infinite and facts.sign(high) == 1
            return Range(
                function(operator, low) if positive else None,
                function(operator, high) if above else None,
                note=note or ("" if positive and above else "the logarithm has no bound near 0: clip it"),
            )
        case "sqrt":
            least_root = ZERO if low.is_infinite or facts.sign(low) != 1 else root(low)
            known = not high.is_infinite and facts.sign(high) in (0, 1)
            return Range(least_root, root(high) if known else None, note=note)
        case "floor" | "ceil":
            ends = [end if end.is_infinite else function(operator, end) for end in (low, high)]
            return between(ends[0], ends[1], True, note)
    return Range(note=note)


def _reciprocal(facts: Facts, r: Range) -> Range:
    low, high = _low(r), _high(r)
    if not low.is_infinite and facts.sign(low) == 1:
        return Range(ZERO if high.is_infinite else ONE / high, ONE / low, note=r.note)
    if not high.is_infinite and facts.sign(high) == -1:
        return Range(ONE / high, ZERO if low.is_infinite else ONE / low, note=r.note)
    return ANYTHING


def _remainder(facts: Facts, divisor: Range, integer: bool) -> Range:
    """x % m has the sign of m and is smaller than it."""
    if divisor.low is None or facts.sign(divisor.low) != 1 or divisor.high is None:
        return ANYTHING
    return Range(ZERO, divisor.high - 1 if integer else divisor.high, integer)


def _power(facts: Facts, base: Range, exponent: Range) -> Range:
    """Constant exponents only; an even whole power of anything, any power of something that is not negative."""
    if exponent.low is None or exponent.low != exponent.high:
        return ANYTHING
    e, sign = exponent.low, facts.sign(exponent.low)
    n = whole(facts, e)
    if n is not None and n > 0 and n % 2 == 0:
        size = _absolute(facts, base)
        low = ZERO if size.low is None else size.low**e
        return Range(low, None if size.high is None else size.high**e, base.integer)
    if n is not None and n > 0:
        ends = [None if end is None else end**e for end in (base.low, base.high)]
        return Range(ends[0], ends[1], base.integer)
    if base.low is None or sign is None:
        return ANYTHING
    if sign == 1 and facts.sign(base.low) in (0, 1):
        return Range(base.low**e, None if base.high is None else base.high**e)
    if sign == -1 and facts.sign(base.low) == 1:
        return Range(ZERO if base.high is None else base.high**e, base.low**e)
    return ANYTHING


def _clip(facts: Facts, ranges: list[Range]) -> Range:
    value, low, high = ranges
    inner_low = least(facts, (greatest(facts, (_low(value), _low(low))), _low(high)))
    inner_high = least(facts, (greatest(facts, (_high(value), _high(low))), _high(high)))
    return between(inner_low, inner_high, all(r.integer for r in ranges))


def _absolute(facts: Facts, r: Range) -> Range:
    if r.low is not None and facts.sign(r.low) in (0, 1):
        return r
    if r.high is not None and facts.sign(r.high) in (0, -1):
        return Range(-r.high, None if r.low is None else -r.low, r.integer, note=r.note)
    size = magnitude(facts, r)
    return Range(ZERO, size, r.integer, note=r.note)


# ---- vectors


def is_vector(facts: Facts, expression: Expression) -> bool:
    """True if the (expanded) expression is a vector or list; scalars and truth values are not."""
    match expression:
        case Field(name):
            source = facts.inputs.get(name)
            return source is not None and (
                isinstance(source.domain, (Ball, Power)) or (source.kind == "dataset" and not name.endswith(RECORD))
            )
        case Sequence() | Quantified("list" | "set") | RealVectors() | Apply("zeros" | "project" | "clip_norm"):
            return True
        case Quantified("sum" | "mean", body):
            return is_vector(facts, body)
        case Quantified("argmin" | "argmax", _, _, RealVectors()):
            return True
        case Apply("+" | "-" | "*" | "/" | "negate" | "clip" | "^", arguments):
            return any(is_vector(facts, argument) for argument in arguments)
        case Apply("abs" | "exp" | "log" | "sqrt" | "floor" | "ceil" | "log2", (argument,)):
            return is_vector(facts, argument)
        case Apply("max" | "min", arguments) if len(arguments) > 1:
            return any(is_vector(facts, argument) for argument in arguments)
        case Choice(_, yes, no):
            return is_vector(facts, yes) or is_vector(facts, no)
        case Noised(_, base, _):
            return is_vector(facts, base)
        case Index(base, _):
            return _holds_vectors(facts, base)
        case Drawn(name):
            law = facts.noises[name].law if name in facts.noises else None
            return isinstance(law, Law) and law.family in ("l2_laplace", "sample")
        case CellValue(name):
            return name in facts.cells and _vector_cell(facts, name)
    return False


def _holds_vectors(facts: Facts, base: Expression) -> bool:
    match base:
        case Field(name):
            source = facts.inputs.get(name)
            return source is not None and source.kind == "dataset" and isinstance(source.domain, (Ball, Power))
        case Sequence(_, items):
            return any(is_vector(facts, item) for item in items)
        case Quantified("list", body):
            return is_vector(facts, body)
    return False


def _vector_cell(facts: Facts, name: str) -> bool:
    cell = facts.cells[name]
    if isinstance(cell.keep, AtReports):
        return True
    if isinstance(cell.keep, Previous):
        return is_vector(facts, facts.expand(cell.keep.initial))
    return is_vector(facts, facts.expand(cell.body))


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
            return _cell(facts, name, visiting | {name})
        case Apply("zeros"):
            return Range(ZERO, ZERO, True)
    bound = norm_bound(facts, expression, visiting)
    return ANYTHING if bound is None else Range(-bound, bound, norm=bound)


def norm_bound(facts: Facts, expression: Expression, visiting: frozenset[str] = frozenset()) -> Formula | None:
    """A bound on the l2 norm of a vector, or on |value| of a number."""
    if not is_vector(facts, expression):
        return magnitude(facts, range_in(facts, expression, visiting))
    match expression:
        case Field(name):
            whole_dataset = facts.inputs[name].kind == "dataset" and not name.endswith(RECORD)
            return None if whole_dataset else domain_range(facts, facts.inputs[name].domain).norm
        case Apply("zeros"):
            return ZERO
        case Apply("project" | "clip_norm", (_, radius)):
            return magnitude(facts, range_in(facts, radius, visiting))  # a negative radius turns the vector round
        case Apply("negate", (a,)):
            return norm_bound(facts, a, visiting)
        case Apply("+" | "-", (a, b)) if is_vector(facts, a) and is_vector(facts, b):
            return _both(norm_bound(facts, a, visiting), norm_bound(facts, b, visiting), "+")
        case Apply("*", (a, b)) if is_vector(facts, a) != is_vector(facts, b):
            return _both(norm_bound(facts, a, visiting), norm_bound(facts, b, visiting), "*")
        case Apply("/", (a, b)) if not is_vector(facts, b):
            inverse = magnitude(facts, _reciprocal(facts, range_in(facts, b, visiting)))
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


def dimension(facts: Facts, expression: Expression) -> Formula | None:
    """How many coordinates a vector has, if that is constant."""
    match expression:
        case Field(name) if name in facts.inputs:
            source = facts.inputs[name]
            if source.kind == "dataset" and not name.endswith(RECORD):
                return None if facts.program.size is None else evaluate_number(facts, facts.program.size)
            if isinstance(source.domain, (Ball, Power)):
                return evaluate_number(facts, source.domain.dimension)
        case Sequence("list", items):
            return number(len(items))
        case Quantified("list", _, _, domain, None):
            values = evaluate(facts, domain)
            return number(len(values)) if isinstance(values, tuple) else None
        case Apply("zeros", (size,)):
            return evaluate_number(facts, size)
        case Apply("+" | "-" | "*" | "/" | "negate" | "project" | "clip_norm" | "clip" | "abs", arguments):
            found = [dimension(facts, argument) for argument in arguments if is_vector(facts, argument)]
            return found[0] if found else None
        case Choice(_, yes, no):
            return dimension(facts, yes) or dimension(facts, no)
        case Noised(_, base, _):
            return dimension(facts, base)
        case CellValue(name) if name in facts.cells and not isinstance(facts.cells[name].keep, AtReports):
            return dimension(facts, facts.expand(facts.cells[name].body))
    return None
