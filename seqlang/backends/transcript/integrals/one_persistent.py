"""The integral over one persistent noise, where every other noise is alone in its conditions once that one is fixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, inf

from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Key,
    LinearCondition,
    System,
    components_given,
)
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, log_sum
from seqlang.backends.transcript.integrals.one_noise import Laws, at_least, at_most, interval
from seqlang.backends.transcript.integrals.quadrature import Accuracy, Answer, log_integral
from seqlang.backends.transcript.unsupported import Work
from seqlang.record import record

EVERYWHERE = (-inf, inf)
MOST_TOGETHER = 200
"""Tails whose product is taken before the logarithm. Each is often at least 1/2, and 2^-200 is still a float."""
MOST_POWERED = 50
"""A tail raised to a larger power than this is kept out of such products: the power would multiply their relative
rounding error of 1e-16."""


class Line:
    """log of the conditional probability of a part, as a function of one persistent noise."""

    def __init__(self, key: Key, part: System, laws: Laws, work: Work) -> None:
        self.work = work
        self.simple = True
        self.peaks = any(len(step) > 1 for step in part)
        self.low, self.high = -inf, inf
        self.factors: list[tuple[Callable[[float], float], int]] = []
        self.ends: list[tuple[float, float, NoiseLaw]] = []
        self.crossings: list[float] = []
        self.scales: list[float] = []
        # single tails P(noise >= start + slope x) or <=, by (law, side, slope): the bulk of a long stream
        self.tails: dict[tuple[int, bool, float], list[tuple[float, int, NoiseLaw]]] = {}
        law = laws(key)
        for step, times in part.items():
            if len(step) == 1:
                for component in components_given(step[0], key):
                    self._add(component, key, laws, times, law)
            else:
                self._add_alternatives(step, key, laws, times)
            if not self.simple:
                return
        self._build()

    def _build(self) -> None:
        self.built = list(self.factors)
        self.tail_count, self.rounding = 0, 0.0
        for (_, upper, slope), group in self.tails.items():
            inner = group[0][2]
            often: dict[float, int] = {}  # equal tails, as of equal candidates, are one tail to a power
            for start, times, _ in group:
                often[start] = often.get(start, 0) + times
            together: dict[int, list[float]] = {}
            for start, times in often.items():
                together.setdefault(times, []).append(start)
            self.tail_count += len(group)
            for times, starts in together.items():
                size = MOST_TOGETHER if times <= MOST_POWERED else 1
                for i in range(0, len(starts), size):
                    part = starts[i : i + size]
                    self.built.append((inner.log_tails(upper, part, slope), times))
                    if len(part) > 1:
                        self.rounding += 4e-16 * times * len(part) * (1 + max(map(abs, part)) / inner.scale)

    def condense(self) -> None:
        """For a search: tails far milder than the worst are left out, near ones are put together."""
        for (_, upper, _), group in self.tails.items():
            if len(group) < 4:
                continue
            sign = 1 if upper else -1
            group.sort(key=lambda one: -sign * one[0])
            scale = group[0][2].scale
            kept: list[tuple[float, int, NoiseLaw]] = []
            for start, times, inner in group:
                if sign * (group[0][0] - start) > 6 * scale:
                    break
                if kept and sign * (kept[-1][0] - start) < 0.5 * scale:
                    last, before, _ = kept[-1]
                    kept[-1] = ((last * before + start * times) / (before + times), before + times, inner)
                else:
                    kept.append((start, times, inner))
            group[:] = kept
        self._build()

    def _add(self, component: Sequence[LinearCondition], key: Key, laws: Laws, times: int, law: NoiseLaw) -> None:
        if len(component) == 1 and self._is_tail(component[0], key, laws, times):
            return
        others = {k for _, terms, _ in component for k, _ in terms if k != key}
        if not others:
            for condition in component:
                low, high = interval(condition, law)
                self.low, self.high = max(self.low, low), min(self.high, high)
            return
        if len(others) > 1:
            self.simple = False
            return
        inner = laws(next(iter(others)))
        ends = [_end_of(condition, key) for condition in component]
        if len(ends) > 1 or inner.support != EVERYWHERE:
            for i, one in enumerate(ends):  # where two ends of the inner noise's range coincide
                self.crossings += [
                    (two.start - one.start) / (one.slope - two.slope) for two in ends[i + 1 :] if two.slope != one.slope
                ]
            self._tighten(ends, inner)
        if len(ends) == 1 and inner.kind == "density":
            self._add_tail(ends[0].low, ends[0].start, ends[0].slope, inner, times)
            return
        self.scales.append(inner.scale)
        self.ends += [(end.start, end.slope, inner) for end in ends]
        self.peaks |= len(ends) > 1 and _has_gaps(ends, inner, law)
        self.factors.append((_factor(ends, inner), times))

    def _is_tail(self, condition: LinearCondition, key: Key, laws: Laws, times: int) -> bool:
        """Whether this is a condition on `key` and one noise with a density everywhere: what `_add` does then, shortly,
        as most of the thousands of conditions of a long stream are of this kind."""
        constant, terms, _ = condition
        if len(terms) != 2:
            return False
        (mine, slope), (other, factor) = terms if terms[0][0] == key else terms[::-1]
        if mine != key:
            return False
        inner = laws(other)
        if inner.kind != "density" or inner.support != EVERYWHERE:
            return False
        self._add_tail(factor > 0, -constant / factor, -slope / factor, inner, times)
        return True

    def _add_tail(self, low: bool, start: float, slope: float, inner: NoiseLaw, times: int) -> None:
        self.scales.append(inner.scale)
        self.ends.append((start, slope, inner))
        self.tails.setdefault((id(inner), low, slope), []).append((start, times, inner))

    def _tighten(self, ends: Sequence[End], inner: NoiseLaw) -> None:
        """Narrows the range to where the component has positive probability: linear conditions on the noise x."""
        if inner.kind != "density":
            return
        lows = [(inner.support[0], 0.0), *((end.start, end.slope) for end in ends if end.low)]
        highs = [(inner.support[1], 0.0), *((end.start, end.slope) for end in ends if not end.low)]
        for a, s in lows:
            for b, r in highs:  # a + s x < b + r x
                if a == -inf or b == inf:
                    continue
                if s > r:
                    self.high = min(self.high, (b - a) / (s - r))
                elif s < r:
                    self.low = max(self.low, (a - b) / (r - s))
                elif a >= b:
                    self.low, self.high = inf, -inf

    def _add_alternatives(self, step: Alternatives, key: Key, laws: Laws, times: int) -> None:
        branches: list[Line] = []
        for conjunction in step:
            branch = Line(key, {(conjunction,): 1}, laws, self.work)
            if not branch.simple:
                self.simple = False
                return
            branches.append(branch)
            self.ends += branch.ends
            self.crossings += branch.crossings
            self.scales += branch.scales
            law = laws(key)
            self.ends += [(e, 0.0, law) for e in (branch.low, branch.high) if e not in (inf, -inf)]
        self.factors.append((lambda x: log_sum([b.log_value(x) for b in branches]), times))

    def count(self, values: int) -> None:
        """Adds the work of computing that many values. Raises `Unsupported` where it is more than is allowed."""
        self.work.add(values * (1 + len(self.built) + 3 * len(self.factors) + self.tail_count / 8))

    def log_value(self, x: float) -> float:
        if x < self.low or x > self.high:
            return -inf
        total = 0.0
        for factor, times in self.built:
            total += times * factor(x)
            if total == -inf:
                break
        return total

    def kinks(self, low: float, high: float) -> list[float]:
        """Where the value is not smooth between `low` and `high`: at the ends of the allowed range, and where an end of
        an inner noise's range lies at a kink, or a point, of its law."""
        points = [p for p in (self.low, self.high) if low < p < high]
        smooth: dict[int, bool] = {}  # laws whose tails have no kink: those of most ends of a long stream
        for start, slope, law in self.ends:
            if slope == 0:
                if law.kind == "density":
                    points.append(start)
                continue
            if id(law) not in smooth:
                smooth[id(law)] = law.kind == "density" and not law.tail_kinks(-inf, inf)
            if smooth[id(law)]:
                continue
            ends = sorted((start + slope * low, start + slope * high))
            if law.kind == "density":
                points += [(b - start) / slope for b in law.tail_kinks(*ends)]
            elif law.kind == "lattice":
                first, last = ceil(ends[0]), floor(ends[1])
                points += [(k - start) / slope for k in range(first, min(last, first + 400) + 1)]
            else:
                points += [(p - start) / slope for p in law.points]
        points += self.crossings
        return [p for p in points if low < p < high]

    def integral(self, law: NoiseLaw, accuracy: Accuracy) -> Answer:
        """log of the probability of the part, the noise being of this law."""
        inside, scale = (self.low, self.high), min([law.scale, *self.scales])
        found = log_integral(self.log_value, law, self.kinks, scale, inside, accuracy, self.count, self.peaks)
        return found if found.log == -inf else Answer(found.log, found.error + self.rounding)


@record
class End:
    """An end of the inner noise's range: it is at least (`low`) or at most start + slope * the outer noise."""

    low: bool
    start: float
    slope: float
    strict: bool


def _end_of(condition: LinearCondition, key: Key) -> End:
    """What a condition on the outer noise `key` and one inner noise says of the inner one."""
    constant, terms, strict = condition
    slope = sum(f for k, f in terms if k == key)
    factor = sum(f for k, f in terms if k != key)
    return End(factor > 0, -constant / factor, -slope / factor, strict)


def _has_gaps(ends: Sequence[End], inner: NoiseLaw, law: NoiseLaw) -> bool:
    """Whether, for some values of the outer noise between others, the range of the inner noise may hold none of its
    points, so that the integrand is 0 there."""
    if inner.kind == "density":
        return False
    return inner.kind == "finite" or law.kind != "lattice" or any(end.slope != round(end.slope) for end in ends)


def _factor(ends: Sequence[End], inner: NoiseLaw) -> Callable[[float], float]:
    """log P(component | x): the inner noise lies between the largest lower and the least upper end."""
    lows = [(end.start, end.slope, end.strict) for end in ends if end.low]
    highs = [(end.start, end.slope, end.strict) for end in ends if not end.low]
    between = inner.log_between
    if inner.kind != "density":
        return lambda x: between(
            max([at_least(a + s * x, strict, inner) for a, s, strict in lows], default=-inf),
            min([at_most(a + s * x, strict, inner) for a, s, strict in highs], default=inf),
        )
    if len(lows) == len(highs) == 1:
        (a, s, _), (b, r, _) = lows[0], highs[0]
        return lambda x: between(a + s * x, b + r * x)
    return lambda x: between(
        max([a + s * x for a, s, _ in lows], default=-inf), min([a + s * x for a, s, _ in highs], default=inf)
    )
