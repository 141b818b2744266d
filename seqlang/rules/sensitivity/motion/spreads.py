"""By how much a function of one entry can move when that entry is changed as the adjacency allows.

Everything else (other entries, memory, noise, cells in `fixed`) is the same on both sides. Two bounds are at work: the
exact one, by enumeration, where the entry has finitely many values; and a structural one (1-Lipschitz functions,
products with bounded factors, width of the range) elsewhere. Results are right at the program's parameter values.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, absolute, number, root
from seqlang.model.domain import Ball, Power
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Density,
    Expression,
    Field,
    Index,
    Noised,
    Quantified,
    Sequence,
    walk,
)
from seqlang.model.program import Norm
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.ends import greatest, greatest_known, size_of, smaller
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.finite import combinations, variables
from seqlang.rules.sensitivity.facts.linear import flips, linear
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.shapes import dimension, is_number, is_vector, nothing_like
from seqlang.rules.sensitivity.motion.distances import clip_width, is_test, lemma_of
from seqlang.rules.sensitivity.motion.elements import by_list, weighted
from seqlang.rules.sensitivity.motion.entry import Entry as Entry
from seqlang.rules.sensitivity.motion.entry import Norms as Norms
from seqlang.rules.sensitivity.motion.entry import larger
from seqlang.rules.sensitivity.ranges.arithmetic import width
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in, ratio_polynomial
from seqlang.rules.sensitivity.ranges.supports import domain_range

Weighted = tuple[tuple[Expression, Formula], ...]
LARGEST_PAIRS = 24


def spread(entry: Entry, pairs: Weighted) -> Formula | None:
    """The largest |difference| of sum of coefficient * expression (scalars); None if no bound is known."""
    facts = entry.facts
    if not all(is_number(facts, expression) for expression, _ in pairs):
        return None
    parts = moving_terms(entry, pairs)
    if not parts:
        return ZERO
    if not all(entry.is_local(part) for part, _ in parts):
        return None
    matched = _matched(entry, parts)
    if matched is not None:
        limit = _structural(entry, parts)
        return limit if limit is not None and facts.compare(limit, matched) == "less" else matched
    if len(parts) == 1:
        ((part, coefficient),) = parts
        return _scaled(facts, part_spread(entry, part), coefficient)
    exact = table_spread(entry, parts)
    return exact if exact is not None else _structural(entry, parts)


def _structural(entry: Entry, parts: Weighted) -> Formula | None:
    lists, parts = by_list(entry, parts)
    total: Formula = ZERO
    for listed, weights in lists.items():
        together = weighted(entry.facts, vector_spread(entry, listed), weights)
        if together is None:
            return None
        total = total + together
    for part, coefficient in parts:
        one = _scaled(entry.facts, part_spread(entry, part), coefficient)
        if one is None:
            return None
        total = total + one
    return total


def moving_terms(entry: Entry, pairs: Weighted) -> Weighted:
    """The linear parts that move, each once, with their coefficients."""
    collected: dict[Expression, Formula] = {}
    recursions = entry.facts.recursions.items()
    whole = frozenset(body for body, name in recursions if CellValue(name) not in entry.fixed)
    for expression, coefficient in pairs:
        for part, inner in linear(entry.facts, expression, whole).terms:
            if entry.moves(part):
                product = coefficient * inner
                collected[part] = collected[part] + product if part in collected else product
    return tuple((part, c) for part, c in collected.items() if entry.facts.sign(c) != 0)


def _scaled(facts: Facts, radius: Formula | None, coefficient: Formula) -> Formula | None:
    return None if radius is None else size_of(facts, coefficient) * radius


def _matched(entry: Entry, parts: Weighted) -> Formula | None:
    """|factor| * radius if the parts are factor * (what the adjacency bounds)."""
    of, radius = entry.near.of, entry.near.radius
    if of is None or radius is None:
        return None
    factor = proportion(entry.facts, parts, of.terms)
    return None if factor is None else size_of(entry.facts, factor) * radius


def proportion(facts: Facts, parts: Weighted, terms: Weighted) -> Formula | None:
    """The factor with parts = factor * terms, if there is one."""
    wanted, given = dict(terms), dict(parts)
    if not wanted or wanted.keys() != given.keys():
        return None
    first = next(iter(wanted))
    if facts.sign(wanted[first]) not in (1, -1):
        return None
    factor = given[first] / wanted[first]
    same = all(facts.compare(given[p] * wanted[first], wanted[p] * given[first]) == "equal" for p in wanted)
    return factor if same else None


# ---- exact, by enumeration


def table_spread(entry: Entry, parts: Weighted) -> Formula | None:
    """The exact largest difference where all values can be listed."""
    differences = table_differences(entry, (parts,))
    if differences is None:
        return None
    if len({row[0] for row in differences} | {-row[0] for row in differences}) <= 2:
        return absolute(differences[0][0]) if differences else ZERO
    return greatest(entry.facts, tuple(size_of(entry.facts, row[0]) for row in differences))


def table_differences(entry: Entry, groups: tuple[Weighted, ...]) -> list[tuple[Formula, ...]] | None:
    """All joint differences (after - before) of several quantities of one entry, each once; None if not finite."""
    facts = entry.facts
    leaves: dict[Expression, None] = {}
    for parts in groups:
        for part, _ in parts:
            found = variables(facts, part)
            if found is None:
                return None
            leaves.update(dict.fromkeys(found))
    moving = tuple(leaf for leaf in leaves if entry.moves(leaf))
    still = tuple(leaf for leaf in leaves if not entry.moves(leaf))
    befores, others = combinations(facts, moving), combinations(facts, still)
    if befores is None or others is None or len(befores) * len(others) > LARGEST_PAIRS**2:
        return None
    result: dict[tuple[Formula, ...], None] = {}
    for other in others:
        rows = _rows(facts, groups, befores, other)
        if rows is None:
            return None
        kept = list(dict.fromkeys(rows)) if entry.near.of is None else rows
        if len(kept) > LARGEST_PAIRS:
            if len(groups) > 1:
                return None
            ends = tuple(row[0] for row in kept)
            gap = greatest(facts, ends) - greatest(facts, tuple(-end for end in ends)) * -1
            result[(gap,)] = None
            continue
        for i, a in enumerate(kept):
            for j, b in enumerate(kept):
                if i != j and (entry.near.of is None or not too_far(entry, befores[i], befores[j])):
                    result[tuple(y - x for x, y in zip(a, b, strict=True))] = None
    return list(result)


def _rows(
    facts: Facts, groups: tuple[Weighted, ...], befores: list[Assignment], other: Assignment
) -> list[tuple[Formula, ...]] | None:
    rows: list[tuple[Formula, ...]] = []
    for before in befores:
        row = [weighted_sum(facts, parts, {**before, **other}) for parts in groups]
        known = tuple(value for value in row if value is not None)
        if len(known) < len(row):
            return None
        rows.append(known)
    return rows


def weighted_sum(facts: Facts, parts: Weighted, given: Assignment) -> Formula | None:
    """The sum of the parts, each times its coefficient; None where one of them has no value."""
    total: Formula = ZERO
    for part, coefficient in parts:
        value = evaluate_number(facts, part, given)
        if value is None:
            return None
        total = total + coefficient * value
    return total


def too_far(entry: Entry, a: Assignment, b: Assignment) -> bool:
    """True if these two entries are certainly no neighbours."""
    plain, radius = entry.near.plain, entry.near.radius
    if plain is None or radius is None:
        return False
    x, y = evaluate_number(entry.facts, plain, a), evaluate_number(entry.facts, plain, b)
    return x is not None and y is not None and entry.facts.compare(size_of(entry.facts, y - x), radius) == "greater"


# ---- by structure


def part_spread(entry: Entry, part: Expression) -> Formula | None:
    """The largest |difference| of one part that does not split linearly."""
    facts = entry.facts
    if not entry.moves(part):
        return ZERO
    if not is_number(facts, part) or not entry.is_local(part):
        return None
    matched = _matched(entry, ((part, ONE),))
    by_range = _width(facts, part)
    if matched is not None:
        return smaller(facts, matched, by_range)
    if isinstance(part, Apply) and part.operator == "clip" and any(isinstance(node, Density) for node in walk(part)):
        limits = clip_width(entry, part)
        if limits is not None:
            return limits  # 2*A for whatever the densities are, so that the reader sees the clip and not the model
    exact = table_spread(entry, ((part, ONE),))
    if exact is not None:
        return exact
    return smaller(facts, _by_rule(entry, part), by_range)


def _width(facts: Facts, part: Expression) -> Formula | None:
    return width(facts, range_in(facts, part))


def _by_rule(entry: Entry, part: Expression) -> Formula | None:
    facts = entry.facts

    def of(inner: Expression) -> Formula | None:
        return spread(entry, ((inner, ONE),))

    polynomial = ratio_polynomial(facts, part)
    if polynomial is not None:
        return of(polynomial)
    match part:
        case Apply(operator, arguments):
            if is_test(part):
                return ONE
            lemma = lemma_of(operator)
            return None if lemma is None else lemma(entry, part, tuple(distance(entry, a) for a in arguments))
        case Choice(test, yes, no) if not entry.moves(test):
            return greatest_known(facts, [of(yes), of(no)])
        case Index(base, at) if not entry.moves(at):
            return vector_spread(entry, base).linf
        case Noised(_, base, _) if not flips(facts, part):
            return of(base)
        case Noised():
            return _width(facts, part)
        case Quantified("max" | "min", body, _, domain, None) if not entry.moves(domain):
            return of(body)
        case Quantified("sum" | "mean", body, _, domain, where) if not entry.moves(domain):
            return _over_set(entry, part.operator, body, domain, where)
    return None


def _over_set(
    entry: Entry, operator: str, body: Expression, domain: Expression, where: Expression | None
) -> Formula | None:
    """A sum over a constant set moves by at most the number of elements times one element."""
    if where is not None:
        if operator == "mean":
            return None
        body = Choice(where, body, nothing_like(entry.facts, body))
    listed, one = evaluate(entry.facts, domain), spread(entry, ((body, ONE),))
    if not isinstance(listed, tuple) or one is None:
        return None
    return one * len(listed) if operator == "sum" else one


def distance(entry: Entry, expression: Expression) -> Norms:
    """How far a number or a list of numbers, computed from one entry, can move."""
    if not is_number(entry.facts, expression):
        return vector_spread(entry, expression)
    radius = spread(entry, ((expression, ONE),))
    return Norms(radius, radius, radius)


# ---- vectors


STILL = Norms(ZERO, ZERO, ZERO)
UNKNOWN = Norms(None, None, None)


def vector_spread(entry: Entry, expression: Expression) -> Norms:
    """How far a vector function of one entry can move."""
    facts = entry.facts
    if not entry.moves(expression):
        return STILL
    if not entry.is_local(expression) or not is_vector(facts, expression):
        return UNKNOWN
    parts = moving_terms(entry, ((expression, ONE),))
    if not parts:
        return STILL
    matched = _matched(entry, parts)
    if matched is not None:
        return _in_norm(facts, entry.near.norm, matched, dimension(facts, expression))
    total = STILL
    for part, coefficient in parts:
        total = total.plus(_vector_part(entry, part).times(size_of(facts, coefficient)))
    return total


def _vector_part(entry: Entry, part: Expression) -> Norms:
    facts = entry.facts
    if not is_vector(facts, part):
        return UNKNOWN
    matched = _matched(entry, ((part, ONE),))
    if matched is not None:
        return _in_norm(facts, entry.near.norm, matched, dimension(facts, part))
    match part:
        case Field(name):
            return _field(facts, name)
        case Sequence("list", items):
            moved = [spread(entry, ((item, ONE),)) for item in items]
            known = tuple(radius for radius in moved if radius is not None)
            if len(known) < len(moved):
                return UNKNOWN
            squares = sum((radius * radius for radius in known), start=ZERO)
            return Norms(sum(known, start=ZERO), root(squares), greatest(facts, known))
        case Quantified("list", body, _, domain, None) if not entry.moves(domain) and is_number(facts, body):
            each = spread(entry, ((body, ONE),))
            return UNKNOWN if each is None else _per_coordinate(facts, each, dimension(facts, part))
        case Choice(test, yes, no) if not entry.moves(test):
            return larger(facts, [vector_spread(entry, yes), vector_spread(entry, no)])
        case Noised(_, base, _) if not flips(facts, part):
            return vector_spread(entry, base)
        case Apply("sort", (a,)):  # in every norm sorted lists differ by no more than the lists: `courses`
            return vector_spread(entry, a)
    bound, size = norm_bound(facts, part), dimension(facts, part)
    # of two lists that are not as long as each other there is no difference
    return UNKNOWN if bound is None or size is None else _l2(facts, bound * 2, size)


def _field(facts: Facts, name: str) -> Norms:
    domain = facts.inputs[name].domain
    match domain:
        case Ball():
            r = domain_range(facts, domain).norm
            return UNKNOWN if r is None else _l2(facts, r * 2, evaluate_number(facts, domain.dimension))
        case Power():
            gap = width(facts, domain_range(facts, domain))
            return UNKNOWN if gap is None else _per_coordinate(facts, gap, evaluate_number(facts, domain.dimension))
    return UNKNOWN


def _in_norm(facts: Facts, norm: Norm, radius: Formula, size: Formula | None) -> Norms:
    """A vector that moves by at most `radius` in that norm. Two coordinates d, e of the move lie at most |d| + |e|
    apart, which is at most its l1 norm, and at most sqrt(2) times its l2 norm (Cauchy-Schwarz inequality)."""
    match norm:
        case "linf":
            return _per_coordinate(facts, radius, size)
        case "l2":
            return replace(_l2(facts, radius, size), apart=root(number(2)) * radius)
        case "l1":
            return Norms(radius, radius, radius, radius)


def _l2(facts: Facts, radius: Formula, size: Formula | None) -> Norms:
    """A vector that moves by at most `radius` in l2."""
    return Norms(None if size is None else root(size) * radius, radius, radius)


def _per_coordinate(facts: Facts, radius: Formula, size: Formula | None) -> Norms:
    """A vector each coordinate of which moves by at most `radius`."""
    if size is None:
        return Norms(None, None, radius)
    return Norms(size * radius, root(size) * radius, radius)
