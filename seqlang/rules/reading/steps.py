"""What public expressions say in a step, of which it is known what is reported in it."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.arithmetic.formula import ONE, ZERO, Formula
from seqlang.model.expression import Apply, Choice, Expression, Local, MemoryValue, Reported, Truth
from seqlang.model.gate_source import OfValue, name_of, report_of
from seqlang.model.junctions import joined_by
from seqlang.model.program import CompareGate, Define, Program, Report
from seqlang.operators.groups import AT_LEAST, AT_MOST, NEGATED, TURNED
from seqlang.operators.operator import Connective
from seqlang.record import record
from seqlang.rules.reading.rounding import decided, margin
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of
from seqlang.rules.sensitivity.ranges.ranges import range_of

Fired = frozenset[str]


@record
class Steps:
    """What is known of a step: of the events `counted` exactly `fired` fire, and `known` conditions hold all through
    it; of (memory, condition) in `unmoved` the condition holds where the memory's update is decided. An event fires
    where its report is made (its comparison is true); if it is `turned`, where it is not."""

    program: Program
    signs: Signs
    counted: Fired
    known: frozenset[Expression] = frozenset()
    unmoved: frozenset[tuple[str, Expression]] = frozenset()
    turned: Fired = frozenset()

    def define(self, name: str) -> Expression | None:
        """The definition of a statistic or a changing let."""
        return next((s.expression for s in self.program.body if isinstance(s, Define) and s.name == name), None)

    def truth(self, test: Expression, fired: Fired) -> bool | None:
        """Whether a public test holds in such a step; None if that is open."""
        if test in self.known:
            return True
        match test:
            case Truth(value):
                return value
            case Reported(name) if name in self.counted:
                return (name in fired) != (name in self.turned)
            case Local(name) if (inner := self.define(name)) is not None:
                return self.truth(inner, fired)
            case Apply("not", (part,)):
                inside = self.truth(part, fired)
                return None if inside is None else not inside
            case Apply("and" | "or" as operator, parts):
                found = [self.truth(part, fired) for part in parts]
                if (operator == "or") in found:
                    return operator == "or"
                return None if None in found else operator == "and"
            case Apply(">=" | ">" | "<" | "<=" | "==" | "!=" as operator, (left, right)):
                return self._compared(operator, left, right, fired)
            case _:
                return None

    def _compared(self, operator: str, left: Expression, right: Expression, fired: Fired) -> bool | None:
        """By a lower bound of left - right, and one of right - left."""
        low, high = (self._sum((left, sign), (right, -sign), fired) for sign in (1, -1))
        exact = decided(self.program, left, right)
        above, below = (
            None if end is None or not (exact or margin(end, self.signs)) else self.signs.of(end) for end in (low, high)
        )
        equal = above in (0, 1) and below in (0, 1)
        apart = above == 1 or below == 1
        match operator:
            case ">=" | "<":
                holds = True if above in (0, 1) else False if below == 1 else None
            case ">" | "<=":
                holds = True if above == 1 else False if below in (0, 1) else None
            case _:
                holds = True if equal else False if apart else None
        return holds if operator in AT_LEAST or holds is None else not holds

    def lowest(self, expression: Expression, fired: Fired, sign: int = 1) -> Formula | None:
        """A lower bound of sign * a public number in such a step."""
        constant = formula_of(self.program, expression)
        if constant is not None:
            return None if constant.is_infinite else constant * sign
        match expression:
            case Local(name) if (inner := self.define(name)) is not None:
                return self.lowest(inner, fired, sign)
            case Reported(name) if (shown := self._decided(name, fired)) is not None:
                return shown * sign
            case Choice(test, yes, no):
                holds = self.truth(test, fired)
                if holds is not None:
                    return self.lowest(yes if holds else no, fired, sign)
                return self.smaller(self.lowest(yes, fired, sign), self.lowest(no, fired, sign))
            case Apply("negate", (a,)):
                return self.lowest(a, fired, -sign)
            case Apply("+" | "-" as operator, (a, b)):
                return self._sum((a, sign), (b, sign if operator == "+" else -sign), fired)
            case Apply("*", (a, b)):
                factor, rest = (a, b) if formula_of(self.program, a) is not None else (b, a)
                by = formula_of(self.program, factor)
                turn = None if by is None or by.is_infinite else self.signs.of(by)
                if by is None or not turn:
                    return None
                low = self.lowest(rest, fired, sign * turn)
                return None if low is None else low * by * turn
            case _:
                r = range_of(self.program, expression)
                end = r.low if sign == 1 else r.high
                return None if end is None or end.is_infinite else end * sign

    def _sum(self, a: tuple[Expression, int], b: tuple[Expression, int], fired: Fired) -> Formula | None:
        low, more = self.lowest(a[0], fired, a[1]), self.lowest(b[0], fired, b[1])
        return None if low is None or more is None else low + more

    def smaller(self, a: Formula | None, b: Formula | None) -> Formula | None:
        """The smaller of two bounds, where that is certain."""
        if a is None or b is None:
            return None
        return a if self.signs.at_least(b, a) else b if self.signs.at_least(a, b) else None

    def _decided(self, name: str, fired: Fired) -> Formula | None:
        """The constant that `report R = if TEST then A else B` shows, where tests are events: R, R.2, R.3, .."""
        value = next((s.value for s in self.program.body if isinstance(s, Report) and s.name == name), None)
        tests = list(dict.fromkeys(_tests(value)))
        sources = [OfValue(name, part) for part in range(1, len(tests) + 1)]
        events = [name_of(source) for source in sources]
        gates = {g.source for g in self.program.gates if isinstance(g, CompareGate) and report_of(g.source) == name}
        if not tests or gates != set(sources) or not set(events) <= self.counted:
            return None
        while isinstance(value, Choice):
            event = events[tests.index(value.test)]
            value = value.yes if (event in fired) != (event in self.turned) else value.no
        constant = None if value is None else formula_of(self.program, value)
        return None if constant is None or constant.is_infinite else constant


def _tests(value: Expression | None) -> Iterator[Expression]:
    """The tests of nested `if`s, in the order in which they become gates."""
    if isinstance(value, Choice):
        yield value.test
        yield from _tests(value.yes)
        yield from _tests(value.no)


def gained(steps: Steps, value: Expression, name: str, fired: Fired, sign: int) -> Formula | None:
    """A lower bound of sign * (the new value of a memory - its old one)."""
    own, leaves = MemoryValue(name), facts_of(steps.program).leaves
    match value:
        case MemoryValue() if value == own:
            return ZERO
        case Local(local) if (inner := steps.define(local)) is not None:
            return gained(steps, inner, name, fired, sign)
        case Choice(test, yes, no):
            holds = steps.truth(test, fired)
            if holds is not None:
                return gained(steps, yes if holds else no, name, fired, sign)
            return steps.smaller(gained(steps, yes, name, fired, sign), gained(steps, no, name, fired, sign))
        case Apply("max", parts) if own in parts and sign == 1:
            return ZERO
        case Apply("min", parts) if own in parts and sign == -1:
            return ZERO
        case Apply("+" | "-" as operator, (a, b)) if own not in leaves(b):
            extra = steps.lowest(b, fired, sign if operator == "+" else -sign)
            base = gained(steps, a, name, fired, sign)
            return None if base is None or extra is None else base + extra
        case Apply("+", (a, b)) if own not in leaves(a):
            return gained(steps, Apply("+", (b, a)), name, fired, sign)
        case _ if own not in leaves(value):
            new, old = steps.lowest(value, fired, sign), _known_bound(steps, own, -sign)
            return None if new is None or old is None else new + old
        case _:
            return None


def _known_bound(steps: Steps, own: MemoryValue, sign: int) -> Formula | None:
    """A lower bound of sign * memory, by the conditions that are known to hold."""
    wanted = AT_LEAST if sign == 1 else AT_MOST
    for condition in steps.known:
        for left, operator, right in comparisons(condition, "and"):
            value = formula_of(steps.program, right)
            if left == own and value is not None and not value.is_infinite:
                if (operator, value, sign) == ("<", ONE, -1) and _is_truth(steps.program, own):
                    return ZERO
                if operator in wanted:
                    return value * sign
    return None


def _is_truth(program: Program, own: MemoryValue) -> bool:
    return any(m.name == own.name and isinstance(m.initial, Truth) for m in program.memories)


def comparisons(expression: Expression, joined: Connective) -> Iterator[tuple[Expression, str, Expression]]:
    """The comparisons among the parts of an `and` (`or`), each written both ways round; a truth value m counts as
    m >= 1, `not m` as m < 1."""
    for part in joined_by(joined, expression):
        turned = isinstance(part, Apply) and part.operator == "not"
        inner = part.arguments[0] if isinstance(part, Apply) and turned else part
        if isinstance(inner, Apply) and inner.operator in AT_LEAST | AT_MOST:
            left, right = inner.arguments
            operator = inner.operator
            if turned and operator == "==":
                continue
            operator = NEGATED[operator] if turned else operator
            yield left, operator, right
            yield right, TURNED[operator], left
        elif isinstance(inner, MemoryValue | Local):
            yield inner, "<" if turned else ">=", UNIT_TRUTH


UNIT_TRUTH = Truth(True)
