"""The law of one entry as the language has it, and the ratio of two such laws."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.diagnostics import SpecError
from seqlang.driver.loading import load
from seqlang.model.expression import Expression
from seqlang.record import record
from seqlang.source import Source

Array = NDArray[np.float64]
RARE = 1e-17
"""A probability. Values of a law without an end are listed until what is left is below this."""
MOST = 20_000
"""Values that are listed."""
ANY_NUMBER = "real"
"""The domain of a stream whose values are not known to be whole."""
NODES = 20_001
"""Places at which laws with densities are compared."""


@record
class DataLaw:
    """`text` as the language writes it, `written` the expression that it is. `values` in increasing order, of a law on
    points, those apart that are too rare to matter; None where it has a density."""

    text: str
    made: LawValue
    values: tuple[Fraction, ...] | None
    written: Expression | None = None

    def chance(self, value: Fraction) -> float:
        """P(X = value)."""
        return float(self.made.pmf(value))

    def below(self, x: float) -> float:
        """P(X <= x)."""
        return float(self.made.cdf(x))

    def quantile(self, level: float) -> float:
        """About the least x with P(X <= x) >= level."""
        centre, width = float(self.made.centre()), 1.0
        while self.below(centre - width) > level or self.below(centre + width) < level:
            width *= 2
        low, high = centre - width, centre + width
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if self.below(middle) >= level else (middle, high)
        return high


def read_law(text: str, option: str) -> DataLaw:
    """Any law of one number. Raises SpecError E0602 for what is none."""
    written = re.sub(r"\s*([,:])\s*", r"\1 ", " ".join(text.split()))
    try:
        program = load(Source(option, f"algorithm a\nstream x in real\nmodel m: x ~ {written}\nstop")).program
        expression = program.models[0].laws[0][1]
        made = Compiler(program).constant(expression)
        if made.joint or not isinstance(made.centre(), int | float | Fraction):
            raise SpecError.of("E0602", "a design is about laws of one number")
        values = _values(made) if made.discrete else None
    except SpecError as error:
        found = error.diagnostics[0]
        raise SpecError.of("E0602", f"{option}: `{written[:60]}`: {found.message}", help=found.help) from None
    return DataLaw(written, made, values, expression)


def domain_of(laws: Iterable[DataLaw], listed: str) -> str:
    """The domain of a stream of these laws: "" if the domain `listed` holds all their values, and else the smallest of
    the whole numbers from 0 and the real numbers that does. The language itself decides, as it will once more when it
    reads the written program."""
    models = "".join(f"model m{i}: x ~ {law.text}\n" for i, law in enumerate(laws))
    for domain in (listed, "0.."):
        try:
            load(Source("a domain", f"algorithm a\nstream x in {domain}\n{models}stop"))
        except SpecError:
            continue
        return "" if domain == listed else domain
    return ANY_NUMBER


def _values(made: LawValue) -> tuple[Fraction, ...]:
    listed = made.support()
    if listed is not None:
        return tuple(sorted(Fraction(str(v)) for v in dict.fromkeys(listed) if made.pmf(v) > 0))
    found: list[Fraction] = []
    at = int(made.centre())
    for direction in (1, -1):
        place, fading = at if direction == 1 else at - 1, 0
        while fading < 5 and len(found) < MOST:
            chance = float(made.pmf(place))
            fading = fading + 1 if chance < RARE else 0
            if chance > 0:
                found.append(Fraction(place))
            place += direction
    return tuple(sorted(found))


def compared(null: DataLaw, alternative: DataLaw) -> tuple[Array, Array, Array]:
    """Places, and the chances of both laws there: all values, or the midpoints of many narrow intervals with density
    times width. Raises SpecError E0603 where a likelihood ratio is infinite."""
    if null.values is not None and alternative.values is not None:
        values = sorted({*null.values, *alternative.values})
        places = np.array([float(v) for v in values])
        both = [np.array([law.chance(v) for v in values]) for law in (null, alternative)]
    elif null.values is None and alternative.values is None:
        laws = (null, alternative)
        ends = min(law.quantile(1e-12) for law in laws), max(law.quantile(1 - 1e-12) for law in laws)
        edges = np.linspace(*ends, NODES)
        places = (edges[1:] + edges[:-1]) / 2
        both = [np.array([float(law.made.pdf(x)) for x in places]) * (edges[1] - edges[0]) for law in laws]
    else:
        raise SpecError.of("E0603", "one hypothesis is on points, the other has a density: one entry tells them apart")
    only = (both[0] > 0) != (both[1] > 0)
    if only.any():
        place = float(places[only][0])
        message = f"the value {place:g} has no chance under one hypothesis, at least none that a float can hold"
        raise SpecError.of(
            "E0603", message, help="give both hypotheses the same values, with chances that are not too small"
        )
    some = both[0] > 0
    return places[some], both[0][some] / both[0][some].sum(), both[1][some] / both[1][some].sum()


def line_through(places: Array, null: Array, alternative: Array) -> tuple[float, float] | None:
    """(slope, where it is 0) of the log-likelihood ratio, where it is a line; else None."""
    ratio, weight = np.log(alternative / null), null + alternative
    weight = np.where(np.minimum(null, alternative) > 1e-250, weight, 0.0)
    slope, at_zero = np.polyfit(places, ratio, 1, w=np.sqrt(weight))
    some = weight > 1e-9 * weight.max()
    off = np.abs(ratio - slope * places - at_zero)[some].max(initial=0.0)
    spread = float(np.ptp(ratio[some]))
    if slope == 0 or off > 1e-6 * spread:
        return None
    return float(slope), float(-at_zero / slope)


def whole_values(laws: tuple[DataLaw, DataLaw]) -> Iterator[int]:
    """All values of both, where they are whole numbers; nothing else."""
    listed = [v for law in laws for v in law.values or ()]
    if all(v.denominator == 1 for v in listed):
        yield from sorted({int(v) for v in listed})
