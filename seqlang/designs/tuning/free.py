"""Free parameters, and the coordinates in which they are searched: without bounds, and of about one scale.

A number above an end is searched by its logarithm, a number between two ends by its log-odds, any other by its ratio to
where the search begins. Whole and listed numbers are searched by their place among the possible ones.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, floor, inf, log, log10

from seqlang.arithmetic.enclosure import exact_value
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.model.domain import Finite, Integers, Interval
from seqlang.model.program import Parameter, Program
from seqlang.record import record
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_bounds, parameter_values

MOST = 6
"""Free parameters: the final rounding tries both directions of each, together."""
FAR = 30.0
"""Coordinates beyond are not tried: a factor of 10^13."""
AT_END = 7.0
"""Where a coordinate begins whose value is at an end: a thousandth of the way."""
PRECISION = 12
"""Significant digits of the values that are tried."""


@record
class Free:
    """`start` is where the search begins. `places`: the values of a listed parameter, in order; `whole` numbers are
    their own places. The ends are infinite where there is none."""

    name: str
    start: Fraction
    low: float = -inf
    high: float = inf
    closed: tuple[bool, bool] = (False, False)
    whole: bool = False
    places: tuple[Fraction, ...] = ()

    @property
    def discrete(self) -> bool:
        """Whether it moves from place to place."""
        return self.whole or bool(self.places)

    @property
    def first(self) -> int:
        """The place where the search begins."""
        return self.places.index(self.start) if self.places else int(self.start)

    def inside(self, place: int) -> int:
        """The nearest possible place."""
        if self.places:
            return min(max(place, 0), len(self.places) - 1)
        return int(min(max(place, self.low), self.high))

    def at(self, place: int) -> Fraction:
        """The value at a place."""
        return self.places[place] if self.places else Fraction(place)

    def coordinate(self, value: Fraction) -> float:
        """Of a value of a parameter that is not discrete."""
        v = float(value)
        below, above = v - self.low, self.high - v
        if self.low == -inf and self.high == inf:
            return v / (abs(float(self.start)) or 1.0)
        if below <= 0 or above <= 0:
            return -AT_END if below <= 0 else AT_END
        rise = log(below) if below < inf else 0.0
        return min(max(rise - (log(above) if above < inf else 0.0), -FAR), FAR)

    def value(self, coordinate: float) -> Fraction:
        """The value at a coordinate, with PRECISION digits."""
        x = min(max(coordinate, -FAR), FAR)
        if self.low == -inf and self.high == inf:
            found = coordinate * (abs(float(self.start)) or 1.0)
        elif self.high == inf:
            found = self.low + exp(x)
        elif self.low == -inf:
            found = self.high - exp(-x)
        else:
            found = self.low + (self.high - self.low) / (1 + exp(-x))
        return Fraction(f"{found:.{PRECISION}g}")

    def rounded(self, value: Fraction, digits: int) -> tuple[Fraction, ...]:
        """The decimals of so many significant digits below and above, and an end that is allowed and near."""
        unit = Fraction(10) ** (floor(log10(abs(value))) + 1 - digits) if value else Fraction(1)
        found = [floor(value / unit) * unit, ceil(value / unit) * unit]
        for end, allowed, near in zip((self.low, self.high), self.closed, (-1, 1), strict=True):
            if allowed and abs(end) < inf and near * self.coordinate(value) > AT_END / 2:
                found.append(Fraction(f"{end:.{PRECISION}g}"))
        return tuple(dict.fromkeys(found))


def free_parameters(program: Program, names: tuple[str, ...]) -> tuple[Free, ...]:
    """The named parameters. Raises SpecError E0601, E0602 where one cannot be free."""
    known = {p.name: p for p in program.parameters}
    if not known:
        message = f"--free: `{program.name}` has no parameters, and so nothing to be chosen"
        raise SpecError.of("E0602", message, help="make a number of it one: `param bar > 0 = 3` where it says 3")
    for name in names:
        if name not in known:
            near = hint(name, list(known)) or f"the parameters are {', '.join(known)}"
            raise SpecError.of("E0602", f"--free {name}: `{program.name}` has no parameter {name}", help=near)
    if len(set(names)) < len(names):
        raise SpecError.of("E0601", "--free names a parameter twice")
    if not 1 <= len(names) <= MOST:
        raise SpecError.of("E0601", f"--free names {len(names)} parameters: from 1 to {MOST} can be searched together")
    return tuple(_free(program, known[name]) for name in names)


def _free(program: Program, parameter: Parameter) -> Free:
    name, start, domain = parameter.name, parameter.value, parameter.domain
    if isinstance(domain, Finite):
        values = parameter_values(program)
        formulas = [formula_of(program, e) for e in domain.values]
        found = {None if f is None else exact_value(f, values) for f in formulas} | {start}
        return Free(name, start, places=tuple(sorted(v for v in found if v is not None)))
    bounds = parameter_bounds(program)[name]
    ends = (-inf if bounds.low is None else float(bounds.low), inf if bounds.high is None else float(bounds.high))
    if isinstance(domain, Integers):
        return Free(name, start, *ends, whole=True)
    if not isinstance(domain, Interval):
        raise SpecError.of("E0602", f"--free {name}: only numbers can be searched")
    return Free(name, start, *ends, closed=(not domain.low_open, not domain.high_open))
