"""How an entry is read as a whole number from 0 to a largest one, the level that a block adds up.

Levels are what limits how far one entry can move a sum, and so how much noise hides it. Where the log-likelihood ratio
of an entry is a line, levels are evenly spaced places of a window around its zero; elsewhere they are its values,
rounded."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from seqlang.designs.data.data_law import ANY_NUMBER, DataLaw
from seqlang.designs.problem.decimal import decimal
from seqlang.record import record


class Reading(Protocol):
    """`range`: the largest level. `domain` of the stream. `lines` of the program that define what the others read.
    `about`: how a person reads an entry; empty where an entry is its level."""

    @property
    def range(self) -> int: ...

    @property
    def domain(self) -> str: ...

    @property
    def lines(self) -> tuple[str, ...]: ...

    @property
    def about(self) -> str: ...

    def term(self, stream: str) -> str:
        """What a block adds up."""
        ...

    def levels(self, model: str) -> str:
        """The law of a level under that model, in the language."""
        ...

    def chances(self, law: DataLaw) -> tuple[Fraction, ...]:
        """The chances of the levels 0 .. range."""
        ...


@record
class Window:
    """Whole numbers from `first` to `last`, those below `low` and above `high` read as these. `within`: the domain of
    the stream, where there are more values than these, however rare."""

    first: int
    last: int
    low: int
    high: int
    within: str = ""

    @property
    def range(self) -> int:
        return self.high - self.low

    @property
    def domain(self) -> str:
        return self.within or f"{self.first}..{self.last}"

    @property
    def lines(self) -> tuple[str, ...]:
        if self._plain:
            return ()
        less = f" - {self.low}" if self.low > 0 else f" + {-self.low}" if self.low else ""
        entry = "floor(z)" if self.within == ANY_NUMBER else "z"
        return f"# {self.about}", f"let level(z) = clip({entry}, {self.low}, {self.high}){less}"

    @property
    def about(self) -> str:
        if self._plain:
            return ""
        return f"the level of an entry is how far it is above {self.low}: 0 below, {self.range} from {self.high} on"

    @property
    def _plain(self) -> bool:
        return self.low == 0 == self.first and self.high == self.last and not self.within

    def term(self, stream: str) -> str:
        return stream if self._plain else f"level({stream})"

    def levels(self, model: str) -> str:
        return f"{{{self.term('k')}: {model}.pmf(k) for k in {self.first}..{self.last}}}"

    def chances(self, law: DataLaw) -> tuple[Fraction, ...]:
        found = [0.0] * (self.range + 1)
        for value in range(self.first, self.last + 1):
            found[min(max(value, self.low), self.high) - self.low] += law.chance(Fraction(value))
        return _exact(found)


@record
class Listed:
    """Values by name, each with its level; other values have the level of the most values. `within`: the domain of the
    stream, where there are other values, however rare."""

    table: tuple[tuple[Fraction, int], ...]
    within: str = ""

    @property
    def range(self) -> int:
        return max(level for _, level in self.table)

    @property
    def domain(self) -> str:
        return self.within or self._values

    @property
    def lines(self) -> tuple[str, ...]:
        *some, (last, _) = self._by_level()
        tests = [f"    if {' or '.join(f'z == {v}' for v in values)} then {level} else" for level, values in some]
        return ("# the level of an entry is its log-likelihood ratio in steps", "let level(z) =", *tests, f"    {last}")

    @property
    def about(self) -> str:
        return f"the level of an entry is {', '.join(f'{n} for {_and(values)}' for n, values in self._by_level())}"

    @property
    def _values(self) -> str:
        return f"{{{', '.join(decimal(v) for v, _ in self.table)}}}"

    def _by_level(self) -> list[tuple[int, list[str]]]:
        """The values by level; the level of the most values last."""
        found: dict[int, list[str]] = {}
        for value, level in self.table:
            found.setdefault(level, []).append(decimal(value))
        return sorted(found.items(), key=lambda item: (len(item[1]), item[0]))

    def term(self, stream: str) -> str:
        return f"level({stream})"

    def levels(self, model: str) -> str:
        return f"{{level(v): {model}.pmf(v) for v in {self._values}}}"

    def chances(self, law: DataLaw) -> tuple[Fraction, ...]:
        found = [0.0] * (self.range + 1)
        for value, level in self.table:
            found[level] += law.chance(value)
        return _exact(found)


@record
class Binned:
    """Numbers within `reach` of `centre`, rounded to `range` + 1 evenly spaced ones; others are read as the nearest."""

    domain: str
    centre: Fraction
    reach: Fraction
    range: int

    @property
    def lines(self) -> tuple[str, ...]:
        return (
            f"# {self.about}; level k begins at edge(k)",
            f"let low      = {decimal(self.centre - self.reach)}",
            f"let width    = {decimal(2 * self.reach)}",
            f"let levels   = {self.range}",
            "let level(z) = floor(levels * clip((z - low) / width, 0, 1) + 1 / 2)",
            "let edge(k)  = low + width * (2 * k - 1) / (2 * levels)",
            "let below(P, k) = if k <= 0 then 0 else if k > levels then 1 else P.cdf(edge(k))",
        )

    @property
    def about(self) -> str:
        ends = f"from {decimal(self.centre - self.reach)} to {decimal(self.centre + self.reach)}"
        return f"an entry is rounded to {self.range + 1} evenly spaced levels {ends}, 0 to {self.range}"

    def term(self, stream: str) -> str:
        return f"level({stream})"

    def levels(self, model: str) -> str:
        return f"{{k: below({model}, k + 1) - below({model}, k) for k in 0..levels}}"

    @property
    def edges(self) -> tuple[Fraction, ...]:
        """Where the levels 1 .. range begin."""
        low, width = self.centre - self.reach, 2 * self.reach
        return tuple(low + width * (2 * k - 1) / (2 * self.range) for k in range(1, self.range + 1))

    def chances(self, law: DataLaw) -> tuple[Fraction, ...]:
        upto = [0.0, *(law.below(float(e)) for e in self.edges), 1.0]
        return _exact([b - a for a, b in pairwise(upto)])


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _exact(chances: list[float]) -> tuple[Fraction, ...]:
    return tuple(Fraction(c) for c in chances)
