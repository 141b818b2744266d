"""Operators and functions on values. Their meaning is `backends/interpret/operators`; invalid is NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model import expression as ir
from seqlang.operators.catalogue import in_group, numerics
from seqlang.operators.groups import ADDITIVE, EQUALITIES, EXTREMES, OF_ELEMENTS, OF_SOMETHING, PLACES, SUMS, TOTALS
from seqlang.record import record

_OF_ONE, _OF_TWO = numerics(1), numerics(2)
START = {"sum": "0.0", "mean": "0.0", "count": "0.0", "max": "-math.inf", "min": "math.inf"}
"""Folds of nothing, before there is a term."""
ABREAST = 8
SHORT_TERM = 80
"""Characters: a longer term is not written out eight times."""
_FOLDS = in_group("fold")


def apply(scope: Scope, operator: str, values: Sequence[Value]) -> Value:
    """The value of an operator (not `and`, `or`, which are lazy)."""
    if operator in _FOLDS and len(values) == 1 and isinstance(values[0], List):
        return fold(scope, operator, values[0])
    if operator in EQUALITIES and isinstance(values[0], List):
        same = _same(scope, values[0], values[1])
        return same if operator == "==" else Scalar(f"(not {same.text})", "truth")
    if operator in _OF_TWO:
        return pairwise(scope, lambda a, b: _pair(scope, operator, a, b), values[0], values[1])
    if operator in _OF_ONE:
        return _each(lambda a: _of_one(operator, a), values[0])
    if operator == "not":
        return _each(lambda a: Scalar(f"(not {a.truth})", "truth"), values[0])
    if operator in EXTREMES:
        found = values[0]
        for other in values[1:]:
            found = pairwise(scope, lambda a, b: extreme(scope, operator, a, b), found, other)
        return found
    if operator == "clip":
        low = pairwise(scope, lambda a, b: extreme(scope, "max", a, b), values[0], values[1])
        return pairwise(scope, lambda a, b: extreme(scope, "min", a, b), low, values[2])
    if operator == "norm":
        return _norm(scope, values[0])
    if operator == "dot":
        return _dot(scope, values[0], values[1])
    if operator == "project" or operator == "clip_norm":
        return _project(scope, values[0], scalar(values[1], "a radius"))
    if operator == "sort":
        return _sorted(scope, values[0])
    if operator == "length":
        if not isinstance(values[0], List):
            raise CannotCompile("the length of a number")
        return Scalar(f"float({values[0].length})", whole=values[0].length)
    if operator in _FOLDS:
        return values[0]
    raise CannotCompile(f"`{operator}`")


def pairwise(scope: Scope, pair: Callable[[Scalar, Scalar], Scalar], a: Value, b: Value) -> Value:
    """Coordinate by coordinate; a number meets every coordinate."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return pair(a, b)
    if isinstance(a, List) and isinstance(b, List):
        return List(a.length, lambda i: pairwise(scope, pair, a.at(i), b.at(i)), a.grows)
    if isinstance(a, List):
        one = _kept(scope, b)
        return List(a.length, lambda i: pairwise(scope, pair, a.at(i), one), a.grows)
    assert isinstance(b, List)
    one, many = _kept(scope, a), b
    return List(many.length, lambda i: pairwise(scope, pair, one, many.at(i)), many.grows)


def _kept(scope: Scope, value: Value) -> Value:
    """A scalar that is computed once, not again in every round of a loop."""
    return value if isinstance(value, List) else scope.named(value)


def _each(change: Callable[[Scalar], Scalar], value: Value) -> Value:
    if isinstance(value, Scalar):
        return change(value)
    many = value
    return List(many.length, lambda i: _each(change, many.at(i)), many.grows)


def _pair(scope: Scope, operator: str, a: Scalar, b: Scalar) -> Scalar:
    numeric = _OF_TWO[operator]
    if operator in ir.COMPARISONS:
        if a.whole and b.whole and not (a.whole.isdigit() and b.whole.isdigit()):
            return Scalar(f"({a.whole} {operator} {b.whole})", "truth")
        left, right = (a.text, b.text) if a.kind == b.kind != "truth" else (a.number, b.number)
        return Scalar(numeric.kernel.format(left, right), "truth")
    finite = a.finite and b.finite
    if operator == "^" and b.whole in ("2", "3"):
        base = scope.writer.named(a.number)
        return Scalar(f"({' * '.join([base] * int(b.whole))})", "number", finite)
    whole = f"({a.whole} {operator} {b.whole})" if a.whole and b.whole and operator in ADDITIVE else None
    return Scalar(numeric.kernel.format(a.number, b.number), "number", finite and numeric.stays_finite, whole)


def _of_one(operator: str, a: Scalar) -> Scalar:
    numeric = _OF_ONE[operator]
    return Scalar(numeric.kernel.format(a.number), "number", a.finite and numeric.stays_finite)


def extreme(scope: Scope, operator: str, a: Scalar, b: Scalar) -> Scalar:
    """As numpy's maximum: not a number, if one side is none."""
    left, right = scope.writer.named(a.number), scope.writer.named(b.number)
    sign = ">" if operator == "max" else "<"
    if a.finite and b.finite:
        return Scalar(f"({left} if {left} {sign} {right} else {right})", "number")
    return Scalar(f"({left} if {left} {sign} {right} or {left} != {left} else {right})", "number", False)


def _same(scope: Scope, a: Value, b: Value) -> Scalar:
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return _pair(scope, "==", a, b)
    if not (isinstance(a, List) and isinstance(b, List)):
        raise CannotCompile("a comparison of a list with a number")
    w = scope.writer
    same = w.assign(w.fresh(), f"{a.length} == {b.length}", "truth")
    with w.block(f"if {same}:"), w.loop(a.length) as i:
        one = _same(scope, a.at(i), b.at(i))
        w.assign(same, f"{same} and {one.text}", "truth")
    return Scalar(same, "truth")


def _norm(scope: Scope, v: Value) -> Scalar:
    if isinstance(v, Scalar):
        return Scalar(f"abs({v.number})", "number", v.finite)
    w = scope.writer
    square = scalar(_dot(scope, v, v), "a square")
    return Scalar(w.named(f"math.sqrt({square.text})"), "number", square.finite)


def _dot(scope: Scope, a: Value, b: Value) -> Value:
    """Of numbers, their product."""
    product = pairwise(scope, lambda x, y: _pair(scope, "*", x, y), a, b)
    return fold(scope, "sum", product) if isinstance(product, List) else product


def _project(scope: Scope, v: Value, radius: Scalar) -> Value:
    if isinstance(v, List) and v.array is None:  # it would be computed twice: for the norm, and as the result
        v = scope.stored(v, "a vector")
    w, size = scope.writer, _norm(scope, v)
    kept = f"{size.text} <= {radius.number} or {size.text} == 0.0"
    factor = w.assign(w.fresh(), f"(1.0 if {kept} else {radius.number} / {size.text})")
    one = Scalar(factor, "number", size.finite)
    return pairwise(scope, lambda a, b: _pair(scope, "*", a, b), v, one)


def _sorted(scope: Scope, v: Value) -> Value:
    if not isinstance(v, List):
        return v
    kept = scope.stored(v, "an element")  # a copy, and nothing that is no number is in it
    scope.writer.text(f"{kept.array}.sort()")
    return kept


@record
class Terms:
    """What is folded: `at(i)` for i below `length` where `where(i)` holds (None: all of them). `element(i)` is what
    argmax and argmin give for it."""

    length: str
    at: Callable[[str], Value]
    where: Callable[[str], Scalar | None] | None
    element: Callable[[str], Value]


def fold(scope: Scope, operator: str, values: List) -> Scalar | List:
    """OP over the elements of a list, in order. argmax and argmin give the position from 1."""
    terms = Terms(values.length, values.at, None, lambda i: Scalar(f"float({i} + 1)", whole=f"({i} + 1)"))
    return folded(scope, operator, terms)


def folded(scope: Scope, operator: str, terms: Terms) -> Scalar | List:
    """OP over the terms."""
    if operator in PLACES:
        return _best(scope, operator, terms)
    body = scope.peek(lambda: terms.at("0"))
    if isinstance(body, List):
        return _folded_vectors(scope, operator, terms, body)
    finite = body.finite and operator in TOTALS
    if operator == "sum" and terms.where is None:
        abreast = _summed_abreast(scope, terms)
        if abreast is not None:
            return Scalar(abreast, "number", finite)
    return _folded_numbers(scope, operator, terms, finite)


def _folded_numbers(scope: Scope, operator: str, terms: Terms, finite: bool) -> Scalar:
    w = scope.writer
    total = w.assign(w.fresh("f"), START[operator])
    number = w.assign(w.fresh("f"), "0.0") if operator in OF_SOMETHING else ""
    with _each_term(scope, terms) as i:
        value = scalar(terms.at(i), "an element")
        match operator:
            case "count":
                w.assign(total, f"{total} + (1.0 if {value.truth} else 0.0)")
            case "sum" | "mean":
                w.assign(total, f"{total} + {value.number}")
            case _:
                w.assign(total, extreme(scope, operator, Scalar(total, finite=False), value).text)
        if number:
            w.assign(number, f"{number} + 1.0")
    if operator == "mean":
        return Scalar(w.assign(w.fresh("f"), f"{total} / {number}"), "number", False)
    if operator in EXTREMES:
        return Scalar(w.assign(w.fresh("f"), f"({total} if {number} > 0.0 else math.nan)"), "number", False)
    return Scalar(total, "number", finite)


@contextmanager
def _each_term(scope: Scope, terms: Terms) -> Iterator[str]:
    """What is written inside is done for each term that counts."""
    with scope.writer.loop(terms.length) as i:
        mask = None if terms.where is None else terms.where(i)
        with scope.writer.where(None if mask is None else mask.truth):
            yield i


def _summed_abreast(scope: Scope, terms: Terms) -> str | None:
    """A sum in eight parts side by side, which the processor adds at once; None if terms need lines of their own."""
    w = scope.writer
    i = w.fresh("i")
    parts = [w.fresh("f") for _ in range(ABREAST)]
    items, found = w.capture(lambda: [scalar(terms.at(f"({i} + {j})"), "a term") for j in range(ABREAST)])
    if items or len(found[0].number) > SHORT_TERM:
        return None
    for part in parts:
        w.assign(part, "0.0")
    even = w.named(f"{terms.length} - {terms.length} % {ABREAST}", "label")
    with w.block(f"for {i} in range(0, {even}, {ABREAST}):"):
        for part, term in zip(parts, found, strict=True):
            w.assign(part, f"{part} + {term.number}")
    with w.block(f"for {i} in range({even}, {terms.length}):"):
        w.assign(parts[0], f"{parts[0]} + {scalar(terms.at(i), 'a term').number}")
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [w.assign(w.fresh("f"), f"{a} + {b}") for a, b in zip(parts[:half], parts[half:], strict=True)]
    return parts[0]


def _folded_vectors(scope: Scope, operator: str, terms: Terms, body: List) -> List:
    if operator not in OF_ELEMENTS:
        raise CannotCompile(f"`{operator}` of vectors")
    w = scope.writer
    dimensions, _, finite = scope.outline(body)
    if len(dimensions) != 1:
        raise CannotCompile("a fold over lists of vectors")
    buffer = scope.buffer(dimensions)
    w.text(f"{buffer}[:] = {START[operator]}")
    number = w.assign(w.fresh("f"), "0.0")
    with _each_term(scope, terms) as i:
        vector = terms.at(i)
        assert isinstance(vector, List)
        w.assign(number, f"{number} + 1.0")
        with w.loop(dimensions[0]) as j:
            gather(scope, operator, f"{buffer}[{j}]", scalar(vector.at(j), "a coordinate"))
    if operator == "mean":
        with w.loop(dimensions[0]) as j:
            w.text(f"{buffer}[{j}] = {buffer}[{j}] / {number}")
    return List(dimensions[0], lambda q: Scalar(f"{buffer}[{q}]", "number", finite and operator == "sum"))


def gather(scope: Scope, operator: str, so_far: str, one: Scalar) -> None:
    """Writes how a number joins the sum, or the largest or smallest so far, at a place of an array."""
    if operator in SUMS:
        scope.writer.text(f"{so_far} = {so_far} + {one.number}")
    else:
        scope.writer.text(f"{so_far} = {extreme(scope, operator, Scalar(so_far, finite=False), one).text}")


def _best(scope: Scope, operator: str, terms: Terms) -> Scalar:
    """The first best element; not a number if a value is none, or nothing is there."""
    w = scope.writer
    best = w.assign(w.fresh("f"), "-math.inf")
    chosen = w.assign(w.fresh("f"), "math.nan")
    bad = w.assign(w.fresh("f"), "False", "truth")
    sign = "" if operator == "argmax" else "-"
    with _each_term(scope, terms) as i:
        score = w.named(f"{sign}({scalar(terms.at(i), 'a score').number})")
        w.assign(bad, f"{bad} or {score} != {score}", "truth")
        value = scalar(terms.element(i), "an element of an argmax")
        if value.kind != "number":
            raise CannotCompile("an argmax over something else than numbers")
        with w.block(f"if {score} > {best} or {chosen} != {chosen}:"):
            w.assign(best, score)
            w.assign(chosen, value.number)
    return Scalar(w.assign(w.fresh("f"), f"(math.nan if {bad} else {chosen})"), "number", False)
