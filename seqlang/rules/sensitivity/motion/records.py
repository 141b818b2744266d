"""How functions of a dataset move: the records are all there from the start, so nothing depends on the step."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.formula import Formula, number, root
from seqlang.model.binding import reads, replaced
from seqlang.model.expression import (
    Apply,
    Bound,
    Choice,
    Drawn,
    Expression,
    Field,
    Index,
    Law,
    Quantified,
    Records,
    Variable,
    walk,
)
from seqlang.model.life import Once
from seqlang.operators.groups import EXTREMES, FOLDS, PLACES, SUMS
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import NOUGHT, ONE, ZERO
from seqlang.rules.sensitivity.facts.shapes import is_vector, nothing_like
from seqlang.rules.sensitivity.motion.folds import NO_BOUND_KNOWN, sign_of
from seqlang.rules.sensitivity.motion.motion import NONE, STATIC, Motion, unbounded
from seqlang.rules.sensitivity.motion.spreads import Entry, Norms, spread, vector_spread
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in

READ = FOLDS - PLACES | {"list"}


def reads_records(facts: Facts, expression: Expression) -> bool:
    """True if a whole dataset field occurs (not inside cells), or how many records there are where that differs."""
    return any(
        (isinstance(node, Field) and node.name + RECORD in facts.inputs)
        or (facts.resized and (isinstance(node, Records) or facts.is_sample(node)))
        for node in walk(expression)
    )


def reads_streams(facts: Facts, expression: Expression) -> bool:
    """True if the value depends on a private stream, also through cells."""
    fields = (leaf.name for leaf in facts.leaves(expression) if isinstance(leaf, Field))
    return any(name not in facts.inputs or facts.inputs[name].kind == "stream" for name in fields)


def is_static(facts: Facts, expression: Expression) -> bool:
    """True if the value is the same in every step of a run."""
    for leaf in facts.leaves(expression):
        match leaf:
            case Field(name):
                if name + RECORD not in facts.inputs and not name.endswith(RECORD):
                    return False
            case Drawn(name):
                if name not in facts.noises or not isinstance(facts.noises[name].life, Once):
                    return False
            case _ if type(leaf).__name__ in VARYING:
                return False
    return True


VARYING = frozenset({"StepNumber", "CellValue", "MemoryValue", "Reported", "Local"})


def records_motion(entry: Entry, expression: Expression) -> Motion | None:
    """The motion of a fold over the records, of one record, of all records; None if the expression is none of these."""
    facts = entry.facts
    if not reads_records(facts, expression):
        return None
    match expression:
        case Field(name) if name + RECORD in facts.inputs:
            return _fold(entry, expression, "list", Field(name + RECORD), None)
        case Index(Field(name), at) if name + RECORD in facts.inputs and not entry.moves(at):
            return _one_record(entry, expression, Field(name + RECORD))
        case Apply("length", (Field(name),)) if name + RECORD in facts.inputs:
            if not entry.near.resized:
                return NONE
            return Motion("uniform", entry.near.entries or ZERO, onset=STATIC)
        case Apply(operator, (Field(name),)) if operator in READ and name + RECORD in facts.inputs:
            return _fold(entry, expression, operator, Field(name + RECORD), None)
        case Quantified(operator, body, variable, domain, where) if operator in READ and is_index_set(facts, domain):
            if isinstance(domain, Apply) and not names_record(facts, (body, where), variable):
                return None  # a constant set that has nothing to do with the records
            one = one_record(entry, body, variable)
            kept = None if where is None else one_record(entry, where, variable)
            if one is None or (where is not None and kept is None):
                return unbounded(OTHERS)
            if facts.resized and any(reads(part, variable) for part in (one, kept) if part):
                return unbounded("adding or removing a record changes the numbers of the others")
            return _fold(entry, expression, operator, one, kept, domain)
    return None


def is_index_set(facts: Facts, domain: Expression) -> bool:
    """Every record occurs at most once in it, and its record stays the same where records are added or removed (the
    numbers of the later ones do not)."""
    match domain:
        case Records():
            return True
        case Apply(".."):
            return not facts.resized and not facts.is_private(domain)
        case Drawn(name):
            law = facts.noises[name].law if name in facts.noises else None
            return isinstance(law, Law) and law.family == "sample" and is_index_set(facts, law.arguments[0])
    return False


OTHERS = "every record's part depends on the other records"


def element(facts: Facts, body: Expression, variable: Variable) -> Expression:
    """The body with `x[i]` read as one record's value, where `i` is the variable."""
    return _with_record(facts, body, variable, lambda name: Field(name + RECORD))


def one_record(entry: Entry, body: Expression, variable: Variable) -> Expression | None:
    """The same, if the body moves with the record of that number only; None if something else in it moves too.

    A record's part that reads anything else that moves (a fold over all records, the record of an enclosing fold) is
    changed in every term of the fold, not only in that of the changed record.
    """
    if entry.moves(_with_record(entry.facts, body, variable, lambda _: NOUGHT)):
        return None
    return element(entry.facts, body, variable)


def names_record(facts: Facts, parts: tuple[Expression | None, ...], variable: Variable) -> bool:
    """True if `x[i]` occurs in one of the parts, where `i` is the variable."""
    return any(part is not None and element(facts, part, variable) != part for part in parts)


def _with_record(facts: Facts, body: Expression, variable: Variable, by: Callable[[str], Expression]) -> Expression:
    for name in facts.inputs:
        if name + RECORD in facts.inputs:
            body = replaced(body, Index(Field(name), Bound(variable)), by(name))
    return body


def _one_record(entry: Entry, expression: Expression, record: Field) -> Motion:
    if entry.near.resized:
        return unbounded("adding or removing a record changes which record has this number")
    if is_vector(entry.facts, record):
        norms = vector_spread(entry, record)
        return _of(entry, expression, norms.l2, norms)
    return _of(entry, expression, spread(entry, ((record, ONE),)), None)


def _of(entry: Entry, expression: Expression, radius: Formula | None, norms: Norms | None) -> Motion:
    if radius is None and (norms is None or norms.linf is None):
        return unbounded(NO_BOUND_KNOWN)
    static = is_static(entry.facts, expression)
    return Motion("uniform" if static else "arbitrary", radius or ZERO, norms, onset=STATIC)


def _fold(
    entry: Entry,
    expression: Expression,
    operator: str,
    part: Expression,
    where: Expression | None,
    domain: Expression | None = None,
) -> Motion:
    facts = entry.facts
    parts = (part,) if where is None else (part, where)
    if not all(entry.is_local(each) for each in parts):
        return unbounded(OTHERS)
    if operator == "count":
        part, operator = (part if where is None else Apply("and", (where, part))), "sum"
    elif where is not None:
        if operator == "sum":
            part = Choice(where, part, nothing_like(facts, part))
        elif entry.moves(where):
            return unbounded(f"a changed record may be left out of the {operator}, which then has no known bound")
    if operator == "list":
        return _listed(entry, expression, part)
    if entry.near.resized:
        if operator == "sum":
            return _resized(entry, expression, part)
        return _resized_selection(entry, expression, operator, part, domain, where)
    if is_vector(facts, part):
        factor = _factor(entry, operator, domain, where)
        if operator not in SUMS or factor is None:
            return unbounded("how far this vector moves is not known")
        from seqlang.rules.sensitivity.motion.coordinates import vector_norms

        moved = vector_norms(entry, part).times(factor)
        return _of(entry, expression, moved.l2, moved)
    each = spread(entry, ((part, ONE),))
    factor = _factor(entry, operator, domain, where)
    return _of(entry, expression, None if each is None or factor is None else factor * each, None)


def changed_parts(entry: Entry, operator: str, domain: Expression) -> Formula | None:
    """How many records' parts of a sum change, or of a mean, each of which counts 1/n; None: not known."""
    return _factor(entry, operator, domain, None)


def _factor(entry: Entry, operator: str, domain: Expression | None, where: Expression | None) -> Formula | None:
    """By how much the change of one record's part is multiplied."""
    if operator in EXTREMES:
        return ONE
    changed = records_in(entry.facts, domain) if entry.near.every else entry.near.entries
    if changed is None:
        return None
    if operator == "sum":
        return changed
    # a mean over a sample, or over the records that fulfil a condition, has at least one element
    if isinstance(domain, Drawn) or where is not None:
        return ONE if entry.near.every else changed
    size = records_in(entry.facts, domain)
    return None if size is None or entry.facts.sign(size) != 1 else changed / size


def records_in(facts: Facts, domain: Expression | None) -> Formula | None:
    """How many records a fold has at most."""
    if isinstance(domain, Apply):
        listed = evaluate(facts, domain)
        return number(len(listed)) if isinstance(listed, tuple) else None
    return None if facts.program.size is None else evaluate_number(facts, facts.program.size)


def _resized_selection(
    entry: Entry, expression: Expression, operator: str, element: Expression, domain: Expression | None,
    where: Expression | None,
) -> Motion:  # fmt: skip
    """A mean, maximum or minimum over n records on one side and n - j >= 1 of them on the other, 1 <= j <= k.

    With the mean m of the parts that stay, and y_1, .., y_j of those that go, the means differ by sum (y_i - m) / n,
    and m is a mixture of parts: at most k / n times what two records' parts differ by. The largest (smallest) of all
    and of some are the parts of two records.
    """
    facts, count, size = entry.facts, entry.near.entries, records_in(entry.facts, None)
    unknown = unbounded(f"by how much a record added or removed moves this {operator} is not known")
    if where is not None or not isinstance(domain, Records | None) or count is None or size is None:
        return unknown
    factor = ONE if operator in EXTREMES else count / size
    replaced_entry = replace(entry, near=replace(entry.near, resized=False))
    if facts.sign(size - count) != 1 or (is_vector(facts, element) and operator != "mean"):
        return unknown
    if is_vector(facts, element):
        from seqlang.rules.sensitivity.motion.coordinates import vector_norms

        moved = vector_norms(replaced_entry, element).times(factor)
        return _of(entry, expression, moved.l2, moved)
    each = spread(replaced_entry, ((element, ONE),))
    return _of(entry, expression, None if each is None else factor * each, None)


def _resized(entry: Entry, expression: Expression, element: Expression) -> Motion:
    """A record is there or not: a sum moves by its part, whatever that is."""
    count = entry.near.entries
    bound = norm_bound(entry.facts, element)
    if bound is None or count is None:
        return unbounded("by how much a record added or removed moves this sum is not known")
    if is_vector(entry.facts, element):
        from seqlang.rules.sensitivity.motion.coordinates import coordinates_of, vector_norms

        norms = vector_norms(entry, element) if coordinates_of(entry, element) else Norms(None, bound, bound)
        return _of(entry, expression, count * bound, norms.times(count))
    moved, turn = _of(entry, expression, count * bound, None), _sign_of_all(entry.facts, element)
    if not entry.near.single or turn is None:
        return moved
    # one record more never makes the sum fall (rise), whatever it is of: all such sums move one way together
    kind = "uniform" if moved.kind == "uniform" else "same direction"
    return replace(moved, kind=kind, sign=(("resized",), turn))


def _sign_of_all(facts: Facts, element: Expression) -> int | None:
    """1 if the element is never below 0, -1 if never above; truth values count as 0 and 1."""
    r = range_in(facts, element)
    if r.low is not None and facts.sign(r.low) in (0, 1):
        return 1
    return -1 if r.high is not None and facts.sign(r.high) in (0, -1) else None


def _listed(entry: Entry, expression: Expression, element: Expression) -> Motion:
    """One coordinate a record."""
    facts, near = entry.facts, entry.near
    if near.resized:
        return unbounded("adding or removing a record changes the length")
    size = records_in(facts, None)
    if is_vector(facts, element):
        norms = vector_spread(entry, element)
        return _of(entry, expression, norms.l2, norms) if near.single else unbounded("a list of vectors")
    each = spread(entry, ((element, ONE),))
    changed = size if near.entries is None else near.entries
    if each is None:
        return unbounded(NO_BOUND_KNOWN)
    if changed is None:
        return _of(entry, expression, None, Norms(None, None, each))
    if near.single:
        return _of(entry, expression, each, Norms(each, each, each))
    moved = _of(entry, expression, each, Norms(changed * each, root(changed) * each, each))
    # one sign of all coordinates, if the adjacency moves all records in one direction and the element follows it
    return replace(moved, sign=sign_of(entry, ((element, ONE),))) if near.every else moved
