"""Values of expressions for all draws and entries at once: linear terms, formulas and words.

A `Space` numbers the variables of one condition and collects what is known of them. What is not linear becomes a new
variable, the same one for the same function of the same arguments: both runs then share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, Protocol

from seqlang.kernel.core import Choose, Expression, Number, Op, Read, Step, Tag, Truth
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import (
    FALSE,
    TRUE,
    Both,
    Either,
    Formula,
    Linear,
    Sign,
    above,
    at_least,
    denied,
    equal,
    holds_all,
    holds_one,
    number,
    same_truth,
    variable,
)

Value = Linear | Formula | str
"""A number, a truth value, or a word."""
ZERO = number(0)


@dataclass
class Space:
    """`known`: formulas that hold of the variables. `needed`: what must hold so that every expression has a value.
    `whole`: the variables that take whole values only."""

    names: list[str] = field(default_factory=list)
    whole: set[int] = field(default_factory=set)
    known: list[Formula] = field(default_factory=list)
    needed: list[Formula] = field(default_factory=list)
    _made: dict[tuple[object, ...], Linear] = field(default_factory=dict)
    _constants: dict[int, Expression] = field(default_factory=dict)
    _from: dict[int, frozenset[int]] = field(default_factory=dict)

    def new(self, name: str, whole: bool = False) -> Linear:
        index = len(self.names)
        self.names.append(name)
        if whole:
            self.whole.add(index)
        return variable(index)

    def sources(self, value: object) -> frozenset[int]:
        """The variables that a term or a formula depends on, through functions and choices too."""
        match value:
            case Linear(parts, _):
                return frozenset().union(*(self._from.get(v, frozenset((v,))) for v, _ in parts))
            case Sign(term, _):
                return self.sources(term)
            case Both(parts) | Either(parts):
                return frozenset().union(*map(self.sources, parts))
        return frozenset()

    def is_whole(self, term: Linear) -> bool:
        """Whether it is plain that the term takes whole values only."""
        return term.constant.denominator == 1 and all(v in self.whole and c.denominator == 1 for v, c in term.parts)

    def chosen(self, test: Formula, yes: Linear, no: Linear) -> Linear:
        """`yes` where the test holds, else `no`."""
        if yes == no or test == TRUE:
            return yes
        if test == FALSE:
            return no

        def define(found: Linear) -> list[Formula]:
            where, elsewhere = (test, equal(found, yes)), (denied(test), equal(found, no))
            return [holds_one((holds_all(where), holds_all(elsewhere)))]

        return self._once(("if", test, yes, no), self.is_whole(yes) and self.is_whole(no), define)

    def larger(self, left: Linear, right: Linear) -> Linear:
        return self.chosen(at_least(left, right), left, right)

    def smaller(self, left: Linear, right: Linear) -> Linear:
        return self.chosen(at_least(right, left), left, right)

    def size(self, term: Linear) -> Linear:
        """The absolute value."""
        return self.larger(term, term.times(Fraction(-1)))

    def function(self, name: str, arguments: tuple[Linear, ...]) -> Linear:
        """A number that depends on the arguments alone: of constants between two fractions, if they can be enclosed."""
        constants = [self.closed(argument) for argument in arguments]
        if None not in constants:
            try:
                return self.constant(Op(name, tuple(e for e in constants if e is not None)))
            except Refused:  # of a function that is not enclosed: some number, the same in both runs
                pass
        return self._once((name, *arguments), False, lambda found: [above(found, ZERO)] if name == "exp" else [])

    def rational(self, name: str, arguments: Sequence[Linear]) -> Fraction | None:
        """The value of the function, if it is one of constants and plainly rational."""
        constants = [self.closed(argument) for argument in arguments]
        return None if None in constants else _rational(Op(name, tuple(e for e in constants if e is not None)))

    def closed(self, term: Linear) -> Expression | None:
        """As an expression of constants, if it is one."""
        if len(term.parts) == 1 and not term.constant and term.parts[0][1] == 1:
            return self._constants.get(term.parts[0][0])
        found: Expression = Number(term.constant)
        for index, factor in term.parts:
            if index not in self._constants:
                return None
            found = Op("+", (found, Op("*", (Number(factor), self._constants[index]))))
        return found

    def total(self, one: Linear) -> Linear:
        """The sum over all rows of a function of a row."""
        return self._once(("total", one), self.is_whole(one), lambda found: [])

    def constant(self, expression: Expression) -> Linear:
        """An expression of constants: a number, or a variable between two fractions."""
        interval = closed_value(expression)
        if interval.low == interval.high:
            return number(interval.low)

        def define(found: Linear) -> list[Formula]:
            return [at_least(found, number(interval.low)), at_least(number(interval.high), found)]

        found = self._once(("constant", expression), False, define)
        self._constants[found.parts[0][0]] = expression
        return found

    def _once(self, key: tuple[object, ...], whole: bool, define: Callable[[Linear], list[Formula]]) -> Linear:
        if key not in self._made:
            found = self._made[key] = self.new(str(key[0]), whole)
            self._from[found.parts[0][0]] = frozenset().union(*map(self.sources, key))
            self.known.extend(define(found))
        return self._made[key]


def is_constant(expression: Expression) -> bool:
    match expression:
        case Op(name, arguments):
            return name not in ("total", "moved") and all(map(is_constant, arguments))
        case Choose(test, yes, no):
            return is_constant(test) and is_constant(yes) and is_constant(no)
        case Read() | Step():
            return False
    return True


class Totals(Protocol):
    """A data set, as `table.py` has it."""

    def total(self, body: Expression, reader: Reader) -> Linear: ...
    def moved(self, body: Expression, reader: Reader) -> Linear: ...


def _has_value(constant: Expression) -> bool:
    try:
        closed_value(constant)
    except Refused:
        return False
    return True


def _rational(e: Expression) -> Fraction | None:
    """The value of a constant, if it is plain that it is rational."""
    try:
        interval = closed_value(e)
    except Refused:
        return None
    return interval.low if interval.low == interval.high else None


@dataclass
class Reader:
    """Evaluates expressions at one place of one run. `read` gives what is numbered, and the step. `is_shown`: which
    expressions what was shown determines. `is_certain`: what was shown determines whether this place is reached;
    there, what is shown or constant has a value in both runs or in none, and no condition asks for one. `table`:
    the data set. `run`: whose totals are read; 0 for a proof, which reads those of run 1 and how they are `moved`."""

    space: Space
    read: Callable[[Read | Step], Value]
    is_shown: Callable[[Expression], bool] = lambda expression: False
    table: Totals | None = None
    run: Literal[0, 1, 2] = 0
    is_certain: bool = True

    def below(self, *tests: Expression) -> Reader:
        """The reader of an expression that is read only if the tests say so."""
        certain = self.is_certain and all(is_constant(test) or self.is_shown(test) for test in tests)
        return replace(self, is_certain=certain)

    def is_same(self, expression: Expression) -> bool:
        """Whether it has a value in both runs or in none."""
        if is_constant(expression):
            return self.is_certain or _has_value(expression)
        return self.is_certain and self.is_shown(expression)

    def number(self, expression: Expression) -> Linear:
        value = self.value(expression)
        if not isinstance(value, Linear):
            raise Refused("a truth value or a word stands where a number is needed")
        return value

    def truth(self, expression: Expression) -> Formula:
        value = self.value(expression)
        if not isinstance(value, Sign | Both | Either):
            raise Refused("a number or a word stands where a truth value is needed")
        return value

    def value(self, expression: Expression) -> Value:
        match expression:
            case Number(value):
                return number(value)
            case Truth(truth):
                return TRUE if truth else FALSE
            case Tag(word):
                return word
            case Read() | Step():
                return self.read(expression)
            case Choose(test, yes, no):
                return self._choice(test, yes, no)
            case Op("total" | "moved" as name, (body,)):
                return self._over_rows(name, body)
            case Op(name, arguments):
                return self._apply(name, arguments, expression)

    def _over_rows(self, name: str, body: Expression) -> Linear:
        if self.table is None or (name == "moved" and self.run != 0):
            raise Refused("a total where there is no data set")
        if name == "moved":
            return self.table.moved(body, self)
        found = self.table.total(body, self)
        return found + self.table.moved(body, self) if self.run == 2 else found

    def _choice(self, test: Expression, yes: Expression, no: Expression) -> Value:
        # each side is needed to have a value only where it is chosen
        sides: list[Value] = []
        holds, inner = self.truth(test), self.below(test)
        for side, condition in ((yes, holds), (no, denied(holds))):
            before = len(self.space.needed)
            sides.append(inner.value(side) if condition != FALSE else ZERO)
            asked = self.space.needed[before:]
            self.space.needed[before:] = [holds_one((denied(condition), need)) for need in asked]
        if holds in (TRUE, FALSE):
            return sides[0] if holds == TRUE else sides[1]
        match sides:
            case [Linear() as first, Linear() as second]:
                return self.space.chosen(holds, first, second)
            case [str(first), str(second)] if first == second:
                return first
            case [Sign() | Both() | Either() as first, Sign() | Both() | Either() as second]:
                return holds_one((holds_all((holds, first)), holds_all((denied(holds), second))))
        raise Refused("a choice between values of different kinds, or between words")

    def _apply(self, name: str, arguments: tuple[Expression, ...], whole: Expression) -> Value:
        if name in ("==", "!=") and len(arguments) == 2:
            found = self._equality(*map(self.value, arguments))
            return found if name == "==" else denied(found)
        if name in ("and", "or"):
            return self._connected(name, arguments)
        if name == "not" and len(arguments) == 1:
            return denied(self.truth(arguments[0]))
        if name == "log" and len(arguments) == 1:
            return self._log(arguments[0])
        numbers = [self.number(a) for a in arguments]
        match name, numbers:
            case "+", [a, b]:
                return a + b
            case "-", [a, b]:
                return a - b
            case "negate", [a]:
                return a.times(Fraction(-1))
            case "*", [a, b] if a.is_constant or b.is_constant:
                return a.times(b.constant) if b.is_constant else b.times(a.constant)
            case "/", [a, b] if b.is_constant and b.constant != 0:
                return a.times(1 / b.constant)
            case ">=", [a, b]:
                return at_least(a, b)
            case ">", [a, b]:
                return above(a, b)
            case "<=", [a, b]:
                return at_least(b, a)
            case "<", [a, b]:
                return above(b, a)
            case (("abs" | "max" | "min" | "clip"), _) if (value := self.space.rational(name, numbers)) is not None:
                return number(value)
            case "abs", [a]:
                return self.space.size(a)
            case "max", [a, *rest]:
                for b in rest:
                    a = self.space.larger(a, b)
                return a
            case "min", [a, *rest]:
                for b in rest:
                    a = self.space.smaller(a, b)
                return a
            case "clip", [a, low, high]:
                self.space.needed.append(at_least(high, low))
                return self.space.smaller(self.space.larger(a, low), high)
        match name, numbers:
            case _ if self.is_same(whole):
                pass
            case "/", [_, b]:
                self.space.needed.append(holds_one((above(b, ZERO), above(ZERO, b))))
            case "sqrt", [a]:
                self.space.needed.append(at_least(a, ZERO))
            case ("*", [_, _]) | (("exp" | "floor" | "ceil"), [_]):
                pass
            case _:
                raise Refused(f"`{name}` of what is not shown is no part of the kernel")
        return self.space.function(name, tuple(numbers))

    def _log(self, e: Expression) -> Value:
        """The logarithm of what is above 0."""
        value = _rational(e)
        if value is not None and value > 0:
            return self.space.constant(Op("log", (Number(value),)))
        match e:
            case Op("exp", (inner,)):
                return self.number(inner)
            case Op("*" | "/" as name, (a, b)):
                first, second = (self.number(Op("log", (part,))) for part in (a, b))
                return first + second if name == "*" else first - second
            case Choose(test, yes, no):
                return self.value(Choose(test, Op("log", (yes,)), Op("log", (no,))))
        found = self.number(e)
        if not self.is_same(Op("log", (e,))):
            self.space.needed.append(above(found, ZERO))
        return self.space.function("log", (found,))

    def _equality(self, left: Value, right: Value) -> Formula:
        match left, right:
            case Linear(), Linear():
                return equal(left, right)
            case str(), str():
                return TRUE if left == right else FALSE
            case ((Sign() | Both() | Either()), (Sign() | Both() | Either())):
                return same_truth(left, right)
        raise Refused("values of different kinds are compared")

    def _connected(self, name: str, arguments: tuple[Expression, ...]) -> Formula:
        """The second side is needed to have a value only where the first does not decide."""
        found = self.truth(arguments[0])
        for place, argument in enumerate(arguments[1:], 1):
            before = len(self.space.needed)
            decided = denied(found) if name == "and" else found
            part = self.below(*arguments[:place]).truth(argument)
            asked = self.space.needed[before:]
            self.space.needed[before:] = [holds_one((decided, need)) for need in asked]
            found = holds_all((found, part)) if name == "and" else holds_one((found, part))
        return found
