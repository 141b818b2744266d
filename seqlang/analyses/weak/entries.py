"""The values that one entry of the stream can have: what weak privacy compares."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from seqlang.arithmetic.formula import enclose
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.alphabet import letters_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.domain import Integers, Interval, Power
from seqlang.model.program import Input, Program
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.finite import domain_values
from seqlang.rules.sensitivity.ranges.supports import domain_range

MOST = 64
"""More values than this are not compared one with another."""
FAR = 8.0
"""How far from the middle values are taken in a domain without ends."""

Entry = Mapping[str, float]
"""field -> value"""


def entries_of(program: Program) -> tuple[tuple[Entry, ...], bool]:
    """Values of the private fields of one entry, in the order of the domains, and whether these are all: of a domain
    with infinitely many values the ends and the middle are taken. Raises Unsolved if they are too many or no numbers.
    """
    facts, compiler = facts_of(program), Compiler(program)
    columns: list[list[float]] = []
    size, complete = 1, True
    fields = [field for field in program.inputs if field.kind != "public"]
    for field in fields:
        if field.kind != "stream":
            raise Unsolved(f"weak privacy is about one entry of a stream, and `{field.name}` is a {field.kind} field")
        if isinstance(field.domain, Power):
            raise Unsolved(f"the values of `{field.name}` are not numbers")
        values = None if domain_values(facts, field.domain) is None else letters_of(compiler, field.domain)
        numbers: list[float] = []
        if values is None:
            complete = False
            numbers = _some(facts, field)
        for value in values or ():  # as a run reads them, so that a comparison with the same constant holds
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise Unsolved(f"the values of `{field.name}` are not numbers")
            numbers.append(float(value))
        size *= len(numbers)
        if size > MOST:
            raise Unsolved(f"an entry has more than {MOST} values")
        columns.append(numbers)
    names = [field.name for field in fields]
    return tuple(dict(zip(names, row, strict=True)) for row in product(*columns)), complete


def _some(facts: Facts, field: Input) -> list[float]:
    """Three values of a domain with infinitely many: both ends, or what is FAR from the other or from 0, and the middle
    between them; ends that are left out are moved inwards."""
    if not isinstance(field.domain, Interval | Integers):
        raise Unsolved(f"the domain of `{field.name}` has infinitely many values: no exact maximum over pairs")
    found = domain_range(facts, field.domain)
    low, high = (None if end is None else enclose(end, facts.values) for end in (found.low, found.high))
    first = low.high if low is not None else (high.low - 2 * FAR if high is not None else -FAR)
    last = high.low if high is not None else first + 2 * FAR
    inwards = (last - first) / 1000
    if isinstance(field.domain, Interval):
        first += inwards * field.domain.low_open
        last -= inwards * field.domain.high_open
        return [first, (first + last) / 2, last]
    return [first, float((first + last) // 2), last]
