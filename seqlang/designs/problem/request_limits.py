"""The texts of `--minimise` and of the constraints."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from seqlang.designs.bounds.lower_bounds import binary_divergence
from seqlang.designs.problem.criterion import Criterion, Limits
from seqlang.designs.problem.entry import Entry
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.driver.given import number, whole
from seqlang.record import replace

CRITERIA = ("average", "null", "alternative", "minimax", "at p=0.5", "quantile 0.95 under null")
_WEIGHTS = {"average": (0.5, 0.5), "null": (1.0, 0.0), "alternative": (0.0, 1.0), "minimax": (0.5, 0.5)}
_AT = re.compile(r"at\s+(?:p\s*=\s*)?(\S+)")
_QUANTILE = re.compile(r"quantile\s+(\S+)\s+under\s+(null|alternative)")


def criterion_of(text: str, null: Entry, alternative: Entry, errors: tuple[float, float]) -> Criterion:
    """What to minimise. Raises SpecError E0602 for what cannot be read, E0603 for values that it cannot have."""
    words = " ".join(text.split())
    if words in _WEIGHTS and words != "minimax":
        return Criterion(words, _WEIGHTS[words])
    quantile, at = _QUANTILE.fullmatch(words), _AT.fullmatch(words)
    if quantile is not None:
        level = number(quantile[1], "--minimise")
        if not 0 < level < 1:
            message = f"--minimise: the level of the quantile is {quantile[1]}: it must lie strictly between 0 and 1"
            raise SpecError.of("E0603", message)
        return Criterion(words, _WEIGHTS[quantile[2]], level=float(level))
    if at is None and words != "minimax":
        raise SpecError.of("E0602", f"--minimise {text[:60]}: there is no such criterion",
                           help=hint(words, CRITERIA) or f"criteria are {', '.join(CRITERIA)}")  # fmt: skip
    if null.law is not None or null.second is not None:
        raise SpecError.of("E0603", f"--minimise {words}: laws between the hypotheses are known for one bernoulli only",
                           help="minimise the average, null, or alternative")  # fmt: skip
    ends = null.chances[1], alternative.chances[1]
    if at is None:
        first = middle_between(float(ends[0]), float(ends[1]), errors)
        return Criterion(words, _WEIGHTS[words], places=(first,), worst=True)
    place = number(at[1], "--minimise")
    if not 0 < place < 1:
        raise SpecError.of("E0603", f"--minimise: the chance is {at[1]}: it must lie strictly between 0 and 1")
    if place in ends:
        return Criterion(words, (1.0, 0.0) if place == ends[0] else (0.0, 1.0))
    return Criterion(words, (0.0, 0.0), places=(place,))


def middle_between(p0: float, p1: float, errors: tuple[float, float]) -> Fraction:
    """The chance from which the log-likelihoods against both hypotheses rise in proportion to log(1/alpha) and
    log(1/beta): there the test takes longest, for small errors (Lorden 1976). To four digits."""
    wanted = [math.log(1 / e) for e in errors]
    low, high = p0, p1
    for _ in range(60):
        p = (low + high) / 2
        if binary_divergence(p, p0) / wanted[0] < binary_divergence(p, p1) / wanted[1]:
            low = p
        else:
            high = p
    return Fraction(f"{low:.4g}")


def limits_of(
    most: str | int | None, looks: str | Sequence[int] | None, every: str | int | None, smallest: str | int | None,
    unit: str | int | None,
) -> Limits:  # fmt: skip
    """The constraints. Raises SpecError E0602 for what cannot be read, E0603 for constraints at odds."""
    listed = looks.split(",") if isinstance(looks, str) else list(looks or ())
    times = tuple(whole(n, "--looks") for n in listed)
    found = Limits(whole(most, "--max"), times, whole(every, "--every"), whole(smallest, "--smallest") or 1,
                   whole(unit, "--unit") or 1)  # fmt: skip
    for wrong, message in _wrong(found):
        if wrong:
            raise SpecError.of("E0603", message)
    return found


def _wrong(limits: Limits) -> list[tuple[bool, str]]:
    """What may be wrong with them, and how it is said."""
    times, most, every = limits.looks, limits.most, limits.every
    blocks = [b - a for a, b in zip((0, *times), times, strict=False)] + [every] * (every is not None)
    least = min((b for b in blocks if b is not None), default=limits.smallest)
    odd = next((b for b in blocks if b is not None and b % limits.unit), None)
    return [
        (least <= 0, "--looks: the numbers of entries must rise"),
        (bool(times) and every is not None, "--looks and --every both say when to look: leave one out"),
        (bool(times) and most is not None, "--looks and --max both say where the test ends: leave --max out"),
        (least < limits.smallest, f"--smallest is {limits.smallest}, but the looks ask for a block of {least} entries"),
        (odd is not None, f"--unit is {limits.unit}, but the looks ask for a block of {odd} entries"),
        (most is not None and most < max(limits.smallest, limits.unit, every or 1),
         f"--max is {most}: no block fits into it"),
    ]  # fmt: skip


def in_turns(limits: Limits) -> Limits:
    """The constraints where two arms take turns: a block has as many entries in each. Raises SpecError E0603."""
    found = replace(limits, unit=math.lcm(limits.unit, 2))
    for wrong, message in _wrong(found):
        if wrong:
            raise SpecError.of("E0603", message, help="a block of two arms has an even number of entries")
    return found
