"""Programs with reports as programs without: what was shown so far is kept as one number, and every stop returns it.

The laws of (stopping step, return) of the new program are then those of the whole transcript of the old one. The number
has a digit for each showing of each step: 0 where nothing is shown, 1 and more for the values. So that all transcripts
have different numbers, every run must end after a known number of steps, and what is shown must be whole numbers in a
range. A run that shows anything else returns `ELSE`: whoever uses the law must find that no run does.

A number with geometric noise that nothing else reads is shown clamped to the values low .. high that its plain part
can have. That keeps every divergence: given the plain part b, P(v = y) = c r^|y - b|, so that beyond the largest b all
y have the same ratio of chances under any two b (and below the least likewise): given the clamped number, v tells
nothing further. The noise may then be clamped to -(high - low) .. high - low, which changes no clamped number.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, inf, log2, prod

from seqlang.arithmetic.formula import enclose
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.expression import (
    Apply,
    Choice,
    Drawn,
    Expression,
    Label,
    Law,
    Local,
    MemoryValue,
    Noised,
    Number,
    Reported,
    Weights,
)
from seqlang.model.life import EachStep
from seqlang.model.program import Define, Level, Memory, Noise, Program, Report, Statement, Stop, Update, nodes_in
from seqlang.record import record, replace
from seqlang.rules.claims import longest_run
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.shapes import is_number
from seqlang.rules.sensitivity.ranges.ranges import range_of

ELSE = -1
"""The return of runs that show something that has no digit."""
ROOM = 1e11
"""Returns that twelve digits tell apart."""
WIDEST = 256
"""No digit has more values."""
NAME = "shown so far"
"""No name that a file can have."""


@record
class _Value:
    """Something that is shown: `number`, of which the values low .. low + size - 1 have the digits 1 .. size. No run
    may leave this range with `plain`, the number before noise; with `noise`, which takes the place of the program's,
    `number` is held in it."""

    number: Expression
    plain: Expression
    low: int
    size: int
    noise: Noise | None = None


def transcribed(program: Program, size: int) -> Program:
    """With digits of at most `size` values, see `sizes`. Raises Unsolved where transcripts are not told apart."""
    labels = tuple(dict.fromkeys(s.result for s in program.body if isinstance(s, Stop) and _constant(s.result)))
    values = _numbered_alike(program, [_value_of(program, statement, size) for statement in program.body], size)
    shown: Expression = MemoryValue(NAME)
    body: list[Statement] = []
    for place, (statement, value) in enumerate(zip(program.body, values, strict=True)):
        match statement:
            case Report(name):
                longer = _longer(statement, value, shown)
                shown = Local(f"{NAME}, {name}")
                body += [statement, Define(shown.name, longer, "let", Level.PRIVATE)]
            case Stop(result=result):
                later = zip(program.body[place:], values[place:], strict=True)
                missing = prod(_base(value) for s, value in later if isinstance(s, Report))
                body.append(replace(statement, result=_returned(result, value, labels, shown, missing, size)))
            case _:
                body.append(statement)
    body.append(Update(NAME, shown, None))
    noises = {noise.name: noise for noise in program.noises}
    noises |= {value.noise.name: value.noise for value in values if value is not None and value.noise is not None}
    memories = (*program.memories, Memory(NAME, _whole(0)))
    return replace(program, body=tuple(body), memories=memories, noises=tuple(noises.values()))


def _value_of(program: Program, statement: Statement, size: int) -> _Value | None:
    """What a report or a stop shows, if it is not an event or a label."""
    match statement:
        case Report(name, value=value) if value is not None:
            return _value(program, name, value, Reported(name), size)
        case Stop(result=result) if result is not None and not _constant(result):
            return _value(program, "return", result, result, size)
        case _:
            return None


def _numbered_alike(program: Program, values: list[_Value | None], size: int) -> list[_Value | None]:
    """With the same digit for the same returned number, whichever stop returns it."""
    stops = [v for s, v in zip(program.body, values, strict=True) if isinstance(s, Stop) and v is not None]
    if len(stops) < 2:
        return values
    if any(value.noise is not None for value in stops):
        raise Unsolved("several stops return numbers, and one of them carries noise")
    low, end = min(value.low for value in stops), max(value.low + value.size for value in stops)
    count = min(size, end - low)
    return [replace(v, low=low, size=count) if v is not None and isinstance(s, Stop) else v
            for s, v in zip(program.body, values, strict=True)]  # fmt: skip


def _base(value: _Value | None) -> int:
    """How many digits a report may have; that of an event is 0 or 1."""
    return 2 if value is None else value.size + 1


def sizes(program: Program) -> Iterator[int]:
    """How many values the digit of a shown number may have, from few to the most with which all transcripts have
    numbers below ROOM. Raises Unsolved where there are none."""
    last = longest_run(program)
    if last is None:
        raise Unsolved("the transcript holds reports, and no public stop ends every run after a number of steps")
    reports = [s for s in program.body if isinstance(s, Report)]
    stops = [s for s in program.body if isinstance(s, Stop)]
    values = sum(r.value is not None for r in reports)
    room = log2(ROOM / (1 + len(stops))) - last * (len(reports) - values)
    digits = last * values + any(not _constant(s.result) for s in stops)
    most = min(WIDEST, floor(2.0 ** min(room / digits, log2(2 * WIDEST))) - 1) if digits else 2
    if room < 0 or most < 2:
        raise Unsolved(f"transcripts of {last} steps with these reports are too many to be listed")
    for k in range(1, most.bit_length()):
        yield 2**k
    if digits and most & (most - 1):
        yield most


def _longer(report: Report, value: _Value | None, before: Expression) -> Expression:
    """What was shown, with the digit of this report."""
    longer: Expression
    moved = _apply("*", before, _whole(_base(value)))
    if value is None:
        longer = _apply("+", moved, Choice(Reported(report.name), _whole(1), _whole(0)))
    else:
        longer = _digit(_apply("+", moved, _whole(1)), value)
        if report.when is not None:
            if any(isinstance(node, Noised) for node in nodes_in(report.when)):
                raise Unsolved(f"`{report.name}` is shown where a noisy condition holds")
            longer = Choice(report.when, longer, moved)
    return Choice(_apply("<", before, _whole(0)), _whole(ELSE), longer)


def _returned(
    result: Expression | None,
    value: _Value | None,
    labels: tuple[Expression | None, ...],
    shown: Expression,
    missing: int,
    size: int,
) -> Expression:
    """The number of everything that was shown, with what is returned. `missing`: the digits of reports further down,
    which the stop ends, are 0."""
    before = _apply("*", shown, _whole(missing * (len(labels) + size)))
    number: Expression
    if value is None:
        number = _apply("+", before, _whole(labels.index(result)))
    else:
        number = _digit(_apply("+", before, _whole(len(labels))), value)
    return Choice(_apply("<", shown, _whole(0)), _whole(ELSE), number)


def _value(program: Program, name: str, value: Expression, shown: Expression, size: int) -> _Value:
    facts = facts_of(program)
    if not is_number(facts, facts.expand(value)):
        raise Unsolved(f"`{name}` shows something else than a number")
    noisy = value if isinstance(value, Noised) and not all(program.noise(t.noise).flips for t in value.terms) else None
    if noisy is not None and not _geometric(program, name, noisy):
        raise Unsolved(f"`{name}` carries noise that is not geometric, or that is read elsewhere")
    plain = shown if noisy is None else noisy.base
    found, known = range_of(program, value if noisy is None else plain), parameter_values(program)
    bottom = -inf if found.low is None else enclose(found.low, known).low
    top = inf if found.high is None else enclose(found.high, known).high
    low, high = floor(bottom) if bottom > -inf else None, ceil(top) if top < inf else None
    first = low if low is not None else high - size + 1 if high is not None else -(size // 2)
    count = size if high is None else max(1, min(size, high - first + 1))
    if noisy is None:
        return _Value(shown, plain, first, count)
    held = _apply("clip", shown, _whole(first), _whole(first + count - 1))
    return _Value(held, plain, first, count, _clamped(program.noise(noisy.terms[0].noise), count - 1))


def _clamped(noise: Noise, most: int) -> Noise:
    """Geometric noise with ratio r, clamped to -most .. most: weights (1 - r) r^|k|, and r^most at both ends."""
    assert isinstance(noise.law, Law)
    (ratio,) = noise.law.arguments
    inside = _apply("-", _whole(1), ratio)
    weights = [
        (_whole(k), _apply("*", _power(ratio, abs(k)), inside if abs(k) < most else _whole(1)))
        for k in range(-most, most + 1)
    ]
    return replace(noise, law=Weights(tuple(weights)))


def _power(base: Expression, exponent: int) -> Expression:
    return _apply("^", base, _whole(exponent)) if exponent else _whole(1)


def _geometric(program: Program, name: str, value: Noised) -> bool:
    """Whether the value has one geometric noise, drawn anew for it, and nothing else reads the noise or the report,
    not even the condition under which it is shown or returned."""
    if len(value.terms) != 1 or value.terms[0].factor not in (_whole(1), _whole(-1)):
        return False
    noise = program.noise(value.terms[0].noise)
    if noise.family != "geometric" or not isinstance(noise.life, EachStep):
        return False
    statements = (*program.body, *program.models)
    return sum(_reads(node, name, noise.name) for statement in statements for node in nodes_in(statement)) == 1


def _reads(node: Expression, report: str, noise: str) -> bool:
    match node:
        case Reported(name):
            return name == report
        case Drawn(name):
            return name == noise
        case Noised(terms=terms):
            return any(term.noise == noise for term in terms)
        case _:
            return False


def _constant(result: Expression | None) -> bool:
    return result is None or isinstance(result, Label)


def _digit(start: Expression, value: _Value) -> Expression:
    """start + (number - low); ELSE where the plain part is not whole or out of the range."""
    low, high = _whole(value.low), _whole(value.low + value.size - 1)
    whole = _apply("==", value.plain, _apply("floor", value.plain))
    number: Expression = _apply("+", start, _apply("-", value.number, low))
    for test in (_apply(">=", value.plain, low), _apply("<=", value.plain, high), whole):
        number = Choice(test, number, _whole(ELSE))
    return number


def _whole(value: int) -> Number:
    return Number(Fraction(value))


def _apply(operator: str, *arguments: Expression) -> Apply:
    return Apply(operator, arguments)
