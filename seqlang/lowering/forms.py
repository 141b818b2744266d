"""Linear forms of values: plain part plus noise terms with public factors, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from seqlang.lowering.contents import Reader
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.noise_factors import ONE, ZERO, add, combine, divide, multiply, negate, scale, subtract
from seqlang.record import field, mutable_record

Truth = Callable[[m.Expression], p.Test]

MOST_MARGINS = 64
"""More comparisons than this in one statement are no test that a proof could follow."""


class Form(NamedTuple):
    """value + sum of factor * noise."""

    value: m.Expression
    terms: Mapping[str, m.Expression]

    def as_terms(self) -> tuple[m.Term, ...]:
        return tuple(m.Term(noise, factor) for noise, factor in self.terms.items())


class Unfit(Exception):
    """Noise stands where no term can hold it; the reason is a phrase. Caught where the gate is made."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


@mutable_record
class Place:
    """One statement of the body: where it stands, and which hidden things its gate reads as if they were shown:
    in every step, but for those of `only_where`, which nobody can tell from anything unless their guard holds."""

    reader: Reader
    index: int
    updates: Mapping[str, int]
    hidden: dict[str, m.Noised | str] = field(default_factory=dict)
    only_where: dict[str, m.Expression] = field(default_factory=dict)
    margins: int = 0

    def reveal(self, expression: m.Expression) -> None:
        """Note the choices, flips and noisy cell bodies on which the expression depends."""
        found = self.reader.contents(expression)
        for reading in sorted((*found.flips, *found.celled), key=lambda r: r.name):
            self._hide(reading.name, reading, None)
        for name in sorted(found.choices):
            self._hide(name, name, None)

    def reveal_all(self, expression: m.Expression, guard: m.Expression | None) -> None:
        """Also note the noisy readings of this step, where the guard holds: elsewhere nothing is made of them. What
        cells, flips and choices hold may be older than this step, so that it counts in every step."""
        self.reveal(expression)
        for reading in sorted(self.reader.contents(expression).noised, key=lambda r: r.name):
            if reading.name not in self.hidden:
                self._hide(reading.name, reading, guard)

    def _hide(self, name: str, what: m.Noised | str, guard: m.Expression | None) -> None:
        self.hidden[name] = what
        if guard is None:
            self.only_where.pop(name, None)
        else:
            self.only_where[name] = guard

    def definition(self, name: str) -> m.Expression:
        """The expression of a statistic, if it still has the same value here (the memory it reads is not updated)."""
        at, define = self.reader.defines[name]
        if self._changed_since(at, define.expression):
            raise Unfit(f"`{name}` reads memory that was updated since")
        return define.expression

    def _changed_since(self, at: int, expression: m.Expression) -> bool:
        for node in m.walk(expression):
            if isinstance(node, m.MemoryValue) and at < self.updates.get(node.name, -1) < self.index:
                return True
        return False


def linear(place: Place, e: m.Expression) -> Form:
    """The linear form of a number or vector. Raises Unfit."""
    contents = place.reader.contents(e)
    if not contents.noisy:
        if contents.celled and contents.plain:
            raise Unfit("an accumulator holds both noised and plain data")
        place.reveal(e)
        return Form(e, {})
    match e:
        case m.Noised(base=base, terms=terms):
            form = linear(place, base)
            return Form(form.value, combine(form.terms, {t.noise: t.factor for t in terms}))
        case m.Drawn(name=name):
            return Form(ZERO, {name: ONE})
        case m.Local() if contents.celled:  # a noisy value that is kept, such as the largest noisy entry so far
            place.reveal(e)
            return Form(e, {})
        case m.Local(name=name):
            return linear(place, place.definition(name))
        case m.Apply(operator="negate", arguments=(operand,)):
            form = linear(place, operand)
            return Form(negate(form.value), scale(form.terms, m.Number(-ONE.value)))
        case m.Apply(operator="+" | "-" as operator, arguments=(left, right)):
            return _sum(linear(place, left), linear(place, right), operator)
        case m.Apply(operator="*" | "/" as operator, arguments=(left, right)):
            return _scaled(place, operator, left, right)
        case m.Choice(test=test, yes=yes, no=no) if place.reader.contents(test).settled:
            place.reveal(test)
            return _chosen(test, linear(place, yes), linear(place, no))
        case m.Apply(operator=operator):
            raise Unfit(f"noise inside `{operator}`")
        case m.CellValue():
            raise Unfit("noise inside an accumulator")
        case m.Choice():
            raise Unfit("a noisy or private `if` around noise")
        case m.Index():
            raise Unfit("one element of a noised vector")
        case _:
            raise Unfit("noise inside an expression that is not linear in it")


def _sum(a: Form, b: Form, operator: str) -> Form:
    if operator == "+":
        return Form(add(a.value, b.value), combine(a.terms, b.terms))
    return Form(subtract(a.value, b.value), combine(a.terms, scale(b.terms, m.Number(-ONE.value))))


def _scaled(place: Place, operator: str, left: m.Expression, right: m.Expression) -> Form:
    """A product or quotient by a factor that is public (or known once the hidden choices are)."""
    if operator == "*" and place.reader.contents(left).settled:
        factor, rest = left, right
    else:
        factor, rest = right, left
    if not place.reader.contents(factor).settled:
        raise Unfit("noise is scaled by something that is not public")
    place.reveal(factor)
    form = linear(place, rest)
    if operator == "*":
        return Form(multiply(factor, form.value), scale(form.terms, factor))
    return Form(
        divide(form.value, factor),
        {noise: divide(own, factor) for noise, own in form.terms.items()},
    )


def _chosen(test: m.Expression, yes: Form, no: Form) -> Form:
    value = yes.value if yes.value == no.value else m.Choice(test, yes.value, no.value)
    names = dict.fromkeys([*yes.terms, *no.terms])
    terms: dict[str, m.Expression] = {}
    for name in names:
        a, b = yes.terms.get(name, ZERO), no.terms.get(name, ZERO)
        terms[name] = a if a == b else m.Choice(test, a, b)
    return Form(value, terms)


def difference(place: Place, left: m.Expression, right: m.Expression, strict: bool, truth: Truth) -> p.Test:
    """left - right >= 0 (> 0): a margin, or several where noise stands inside `abs`, `max`, `min`, `clip` or `if`;
    `truth` makes the tests of these `if`s. Raises Unfit."""
    return _test(place, subtract(left, right), strict, truth)


def _test(place: Place, e: m.Expression, strict: bool, truth: Truth) -> p.Test:
    place.margins += 1
    if place.margins > MOST_MARGINS:
        raise Unfit("the condition falls into too many cases")
    found = _find(place, e, 1)
    if found is None:
        form = linear(place, e)
        return p.Margin(form.value, form.as_terms(), strict)
    if _occurrences(e, found.node) > 1:
        raise Unfit("one `abs`, `max`, `min`, `clip` or `if` of noise stands in a sum several times")
    tests = tuple(_test(place, _put(e, found.node, part), strict, truth) for part in found.parts)
    if found.test is not None:
        (yes, no), first = tests, truth(found.test)
        return p.Or((p.And((first, yes)), p.And((p.Not(first), no))))
    return p.Or(tests) if found.any_of else p.And(tests)


class Split(NamedTuple):
    """A value that falls into cases: the node, what to put in its place, and whether one of these suffices (abs(u) >=
    c: u >= c or -u >= c; abs(u) <= c: both). With a `test` there are two parts: where it holds, and elsewhere."""

    node: m.Expression
    parts: tuple[m.Expression, ...]
    any_of: bool
    test: m.Expression | None = None


def _find(place: Place, e: m.Expression, sign: int) -> Split | None:
    """A noisy `abs`, `max`, `min`, `clip` or `if` that enters with factor 1 or -1."""
    if not place.reader.contents(e).noisy:
        return None
    match e:
        case m.Apply(operator="+", arguments=(left, right)):
            return _find(place, left, sign) or _find(place, right, sign)
        case m.Apply(operator="-", arguments=(left, right)):
            return _find(place, left, sign) or _find(place, right, -sign)
        case m.Apply(operator="negate", arguments=(operand,)):
            return _find(place, operand, -sign)
        case m.Apply(operator="abs", arguments=(operand,)):
            return Split(e, (operand, negate(operand)), sign > 0)
        case m.Apply(operator="max" | "min" as operator, arguments=(_, _, *_) as arguments):
            return Split(e, arguments, (operator == "max") == (sign > 0))
        case m.Apply(operator="clip", arguments=(operand, low, high)):
            return Split(e, (m.Apply("max", (operand, low)), high), sign < 0)  # as min(max(operand, low), high)
        case m.Choice(test=test, yes=yes, no=no):
            if place.reader.contents(test).settled and not (_find(place, yes, sign) or _find(place, no, sign)):
                return None  # one margin will do
            return Split(e, (yes, no), True, test)
        case m.Local(name=name) if not place.reader.contents(e).celled:
            inner = place.definition(name)
            return None if _find(place, inner, sign) is None else Split(e, (inner,), True)
        case _:
            return None


def _occurrences(e: m.Expression, node: m.Expression) -> int:
    """How often `_put` would replace it: an argument of an inlined function is one object in several places."""
    return 1 if e is node else sum(_occurrences(child, node) for child in m.children(e))


def _put(e: m.Expression, node: m.Expression, part: m.Expression) -> m.Expression:
    """`e` with `part` for `node`, along the sums that lead there."""
    if e is node:
        return part
    match e:
        case m.Apply(operator="+" | "-" | "negate" as operator, arguments=arguments):
            put = [_put(a, node, part) for a in arguments]
            if operator == "negate":
                return negate(put[0])
            return add(*put) if operator == "+" else subtract(*put)
        case _:
            return e
