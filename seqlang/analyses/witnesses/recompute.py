"""Every witness once more, by other means: an enclosure of the event's probability.

From the conditions on the noises that the event demands of a stream, with closed forms where no noise stays, sums over
a persistent noise of whole numbers, and enclosed integrals over a persistent Laplace or Gaussian noise. Nothing of the
search's integrator or laws is used. What needs more (two persistent noises together with fresh ones, other families) is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil, exp, inf, log, log1p, nextafter
from typing import Any

from seqlang.analyses.witnesses.confirm import LEAST_LOG, by_rounding, inside, phases_of
from seqlang.analyses.witnesses.enclosure.factors import Choice, Line, Range, log_add
from seqlang.analyses.witnesses.enclosure.in_order import bounds_in_order
from seqlang.analyses.witnesses.enclosure.panels import Integral, TooMuch
from seqlang.analyses.witnesses.enclosure.tails import ROUNDING, tail_of
from seqlang.analyses.witnesses.neighbours import are_neighbours
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.linear_conditions import is_shared, variables
from seqlang.backends.transcript.integrals.orderings import Ordering, ordering
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.connected import connected
from seqlang.model.program import ChooseGate
from seqlang.proof.entry import Entry
from seqlang.proof.witness import Event, Witness
from seqlang.record import replace

Enclosure = tuple[float, float]
"""Logs of a lower and an upper bound."""

CERTAIN: Enclosure = (0.0, 0.0)
NEVER: Enclosure = (-inf, -inf)
QUICK = 1_000_000.0  # values of a tail, about two tenths of a second
THOROUGH = 20_000_000.0
MOST_TERMS = 4000
APART = 0.02  # bounds on a logarithm, that are of no use


class NotEnclosed(Exception):
    """The event's probability has no enclosure here; the text says why."""


def enclosed(follower: Follower, witness: Witness, most: float = QUICK) -> Witness | None:
    """The witness with enclosed probabilities and a loss from their worst ends; None if that proves no loss, if the
    streams are no neighbours, or if the rounding of floats decides a comparison. Raises `NotEnclosed`."""
    program = follower.program
    if not (all(inside(program, s) for s in witness.streams) and are_neighbours(program, *witness.streams)):
        return None
    if by_rounding(follower, witness):
        return None
    found = [(enclosure(follower, s, witness.event, most), s) for s in witness.streams]
    found.sort(key=lambda one: -one[0][0])
    ((p_low, p_high), first), ((q_low, q_high), second) = found
    off = follower.stepper.rounding * max(1, *map(len, witness.streams))
    p_low, p_high, q_low, q_high = p_low - off, min(0.0, p_high + off), q_low - off, min(0.0, q_high + off)
    if p_low < LEAST_LOG or (LEAST_LOG > q_high > -inf) or p_low <= q_high:
        return None
    loss = inf if q_high == -inf else nextafter(p_low - q_high, -inf)
    (p, p_error), (q, q_error) = _middle(p_low, p_high), _middle(q_low, q_high)
    return replace(
        witness, streams=(first, second), p=p, q=q, loss=loss, p_error=p_error, q_error=q_error, checked="enclosed"
    )


def _middle(low: float, high: float) -> tuple[float, float]:
    """A probability between the bounds and how far it may be from the true one."""
    if low == high:
        return (exp(low), 0.0 if low in (0.0, -inf) else exp(low) * ROUNDING * (1 - low))
    ends = exp(low), exp(high)
    return (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2 + ends[1] * ROUNDING * (1 - high)


def enclosure(follower: Follower, stream: Sequence[Entry], event: Event, most: float = QUICK) -> Enclosure:
    """Bounds on log P(event | stream). Raises `NotEnclosed`."""
    found: list[Enclosure] = []
    chosen = any(isinstance(gate, ChooseGate) for gate in follower.program.gates)  # 1 may be 1 - 1e-20
    try:
        for phases in phases_of(follower.program, stream, event):
            for weight, system in follower.systems(phases):
                low, high = _System(follower, most).bounds(system)
                slack = ROUNDING * (abs(weight) + chosen) * (1 + sum(system.values()))
                found.append((weight + low - slack, weight + high + slack))
    except Unsupported as why:
        raise NotEnclosed(str(why)) from None
    except TooMuch:
        raise NotEnclosed("too many values would be needed") from None
    found = [one for one in found if one[1] > -inf]
    if not found:
        return NEVER
    if len(found) == 1:
        return found[0][0], min(0.0, found[0][1])
    low, high = (log_add([one[k] for one in found]) for k in (0, 1))
    if low > -inf:
        low -= ROUNDING * (2 + abs(low))
    return low, min(0.0, high + ROUNDING * (2 + abs(high)))


def bounds_of(follower: Follower, system: Mapping[Any, int], most: float = QUICK) -> Enclosure:
    """Bounds on the log of the chance of conditions, each with the number of steps that demand it. Raises
    `NotEnclosed`."""
    try:
        return _System(follower, most).bounds(system)
    except TooMuch:
        raise NotEnclosed("too many values would be needed") from None


class _System:
    """Steps (disjoint ways, each of conditions constant + sum of factor noise >= 0) and how often they occur."""

    def __init__(self, follower: Follower, most: float) -> None:
        self.follower, self.most = follower, most

    def raw(self, key: Any) -> Any:
        return self.follower.stepper.laws.get(str(key[0]))

    def bounds(self, system: Any) -> Enclosure:
        """The product over what no persistent noise connects."""
        pieces = [(piece, times) for step, times in system.items() for piece in _pieces(step)]
        groups = connected((one, {k for k in variables(one[0]) if is_shared(k)}) for one in reversed(pieces))
        low = high = 0.0
        for steps, keys in groups:
            one = self._of_several(keys, steps) if len(keys) > 1 else self._of_one(next(iter(keys), None), steps)
            if one[1] == -inf:
                return NEVER
            low, high = low + one[0], high + one[1]
        slack = ROUNDING * len(groups) * (1 + abs(high))
        return low - slack, high + slack

    def _of_several(self, keys: set[Any], steps: list[tuple[Any, int]]) -> Enclosure:
        """Steps that read these persistent noises and nothing else are one step: to repeat a condition changes nothing.
        Of two noises the one then has the part of a fresh one."""
        if len(keys) > 2 and (order := ordering(_counted(steps))) is not None:
            return self._in_order(order)
        ways = [way for step, _ in steps for way in step]
        halves = tuple(dict.fromkeys(half for way in ways for half in way))
        if len(ways) > len(steps) or any(k not in keys for _, terms, _ in halves for k, _ in terms):
            raise NotEnclosed("two noises would have to be integrated together with fresh ones")
        if any(_exclude(one, other) for one, other in combinations(halves, 2)):
            return NEVER
        if len(keys) > 2:
            raise NotEnclosed("three noises would have to be integrated together")
        return self._of_one(min(keys, key=str), [((halves,), 1)])

    def _in_order(self, order: Ordering) -> Enclosure:
        """Noisy values that are compared with each other."""
        tails = {}
        for value in order.places:
            tail = tail_of(self.raw(value))
            if tail is None:
                raise NotEnclosed(f"the law of {value[0]}")
            tails[value] = tail
        low, high = bounds_in_order(order, tails)
        if high - low > APART:
            raise NotEnclosed("bounds by cells are far apart")
        return low, high

    def _of_one(self, key: Any, steps: list[tuple[Any, int]]) -> Enclosure:
        """Steps that read this persistent noise (or none), each with fresh noises of its own."""
        if key is None:
            return self._product(steps, {}, 0.0)
        raw = self.raw(key)
        within = (-inf, inf)
        mass: Enclosure = CERTAIN
        if isinstance(raw, tuple) and raw[0] == "conditioned":
            within = (float(raw[2]), float(raw[3]))
            raw = raw[1]
            law = tail_of(raw)
            if law is None:
                raise NotEnclosed(f"the law of {key[0]}")
            value, error = Range(law, ((within[0], 0.0),), ((within[1], 0.0),), 1).between(0.0).log(0.0)  # type: ignore[union-attr]
            mass = (value - error, value + error)
        law = tail_of(raw)
        if law is not None:
            factors, limits = self._factors(key, steps)
            ends = max(within[0], limits[0]), min(within[1], limits[1])
            low, high = Integral(law, factors, ends, self.most).found()
            return low - mass[1], high - mass[0]
        points = _points(raw)
        if points is None or mass != CERTAIN:
            raise NotEnclosed(f"the law of {key[0]}")
        return self._sum(key, steps, points)

    def _factors(self, key: Any, steps: list[tuple[Any, int]]) -> tuple[list[Range | Choice], tuple[float, float]]:
        """The steps as factors of the integrand, those that read nothing fresh as limits of the integral."""
        low, high = -inf, inf
        factors: list[Range | Choice] = []
        for step, times in steps:
            ways = [self._ranges(way, key) for way in step]
            if len(ways) > 1:
                factors.append(Choice(tuple(map(tuple, ways)), times))
                continue
            for one in ways[0]:
                if one.tail is not None:
                    factors.append(replace(one, times=times))
                    continue
                for (a, s), sign in [(line, 1) for line in one.lows] + [(line, -1) for line in one.highs]:
                    if s == 0:
                        raise NotEnclosed("a condition that does not depend on its noise")
                    if s * sign < 0:
                        low = max(low, -a / s)
                    else:
                        high = min(high, -a / s)
        return factors, (low, high)

    def _ranges(self, way: Any, key: Any) -> list[Range]:
        """A way as ranges of its fresh noises, one each."""
        found: dict[Any, tuple[list[Line], list[Line]]] = {}
        for constant, terms, _ in way:
            factors: dict[Any, float] = {}
            for k, f in terms:
                factors[k] = factors.get(k, 0.0) + f
            slope = factors.pop(key, 0.0)
            if len(factors) > 1:
                raise NotEnclosed("two fresh noises in one condition")
            fresh, factor = next(iter(factors.items()), (None, 1.0))
            line = (-constant / factor, -slope / factor)
            found.setdefault(fresh, ([], []))[0 if factor > 0 else 1].append(line)
        ranges = []
        for fresh, (lows, highs) in found.items():
            law = None if fresh is None else tail_of(self.raw(fresh))
            if fresh is not None and law is None:
                raise NotEnclosed(f"the law of {fresh[0]}")
            ranges.append(Range(law, tuple(lows), tuple(highs), 1))
        return ranges

    def _sum(self, key: Any, steps: list[tuple[Any, int]], points: Any) -> Enclosure:
        """Over the values of a persistent noise of whole numbers, nearest first; the rest has at most its mass."""
        lows, highs = [], []
        total = -inf
        for number, (point, weight, beyond) in enumerate(points):
            low, high = self._product(steps, {key: point}, 0.0)
            if high > -inf:
                slack = ROUNDING * (4 + abs(weight) + abs(high))
                lows.append(weight + low - slack)
                total = log_add([total, lows[-1]])
                highs.append(weight + high + slack)
            if beyond == -inf:
                return log_add(lows), log_add(highs)
            if number > 40 and lows and beyond < total - 32:
                return log_add(lows), log_add([*highs, beyond])
            if number > MOST_TERMS:
                break
        raise TooMuch

    def _product(self, steps: list[tuple[Any, int]], values: dict[Any, float], start: float) -> Enclosure:
        """The steps' probabilities multiplied, the persistent noises having these values."""
        low = high = start
        for step, times in steps:
            ways = [self._way(way, values) for way in step]
            found = log_add([w[0] for w in ways]), log_add([w[1] for w in ways])
            if found[1] == -inf:
                return NEVER
            slack = ROUNDING * (2 + abs(found[1]))
            low, high = low + times * (found[0] - slack), high + times * min(0.0, found[1] + slack)
        slack = ROUNDING * len(steps) * (1 + abs(high))
        return low - slack, high + slack

    def _way(self, way: Any, values: dict[Any, float]) -> Enclosure:
        """One conjunction: each fresh noise lies in a range."""
        ranges: dict[Any, list[tuple[float, float, bool]]] = {}
        for constant, terms, strict in way:
            fresh: dict[Any, float] = {}
            size = abs(constant)
            for k, f in terms:
                if k in values:
                    constant += f * values[k]
                    size += abs(f * values[k])
                else:
                    fresh[k] = fresh.get(k, 0.0) + f
            if len(fresh) > 1:
                raise NotEnclosed("two fresh noises in one condition")
            if not fresh:
                if abs(constant) <= 1e-9 * max(1.0, size) and constant != 0:
                    raise NotEnclosed("a tie up to rounding")
                if constant < 0 or (strict and constant == 0):
                    return NEVER
                continue
            ((k, f),) = fresh.items()
            ranges.setdefault(k, []).append((constant, f, strict))
        low = high = 0.0
        for k, halves in ranges.items():
            one = self._in_range(self.raw(k), halves)
            if one[1] == -inf:
                return NEVER
            low, high = low + one[0], high + one[1]
        return low, high

    def _in_range(self, raw: Any, halves: list[tuple[float, float, bool]]) -> Enclosure:
        law = tail_of(raw)
        if law is not None:
            lows = tuple((-c / f, 0.0) for c, f, _ in halves if f > 0)
            highs = tuple((-c / f, 0.0) for c, f, _ in halves if f < 0)
            piece = Range(law, lows, highs, 1).between(0.0)
            if piece is None:
                return NEVER
            value, error = piece.log(0.0)
            if error == inf:
                raise TooMuch
            return value - error, min(0.0, value + error)
        match raw:
            case ("geometric", ratio):
                return _geometric(float(ratio), halves)
            case _:
                raise NotEnclosed(f"the law {raw[0] if isinstance(raw, tuple) else raw}")


def _counted(steps: list[tuple[Any, int]]) -> dict[Any, int]:
    """Equal steps together; each has fresh noises of its own."""
    found: dict[Any, int] = {}
    for step, times in steps:
        found[step] = found.get(step, 0) + times
    return found


def _pieces(step: Any) -> list[Any]:
    """A step of one way falls apart where its conditions share no noise."""
    if len(step) != 1:
        return [step]
    return [(tuple(halves),) for halves, _ in connected((half, {k for k, _ in half[1]}) for half in step[0])]


def _exclude(one: Any, other: Any) -> bool:
    """Whether `a + S >= 0` and `b - c S >= 0`, S being the same sum of noises and c > 0, leave S no value. If one of
    them is strict S may not lie at the end either."""
    (a, first, strict), (b, second, as_strict) = one, other
    mine, theirs = ({k: sum(f for i, f in terms if i == k) for k, _ in terms} for terms in (first, second))
    if mine.keys() != theirs.keys():
        return False
    ratios = {-theirs[k] / f if f else 0.0 for k, f in mine.items()}
    if len(ratios) > 1 or min(ratios, default=0.0) <= 0:
        return False
    (c,) = ratios
    left = b + c * a
    return bool(left < -1e-9 * (1 + abs(b) + abs(c * a)) or (left == 0 and (strict or as_strict)))


def _geometric(ratio: float, halves: list[tuple[float, float, bool]]) -> Enclosure:
    """P(k) proportional to ratio^|k|: the chance of the whole numbers that satisfy all conditions."""
    low, high = -inf, inf
    for constant, factor, strict in halves:
        least = _whole(-constant / factor if factor > 0 else constant / factor, strict)
        if factor > 0:
            low = max(low, least)
        else:
            high = min(high, -least)
    if low > high:
        return NEVER

    def above(k: float) -> float:  # log P(X >= k), k >= 1
        return k * log(ratio) - log1p(ratio)

    if high == inf and low == -inf:
        return CERTAIN
    if low <= 0 <= high:
        outside = (0.0 if high == inf else exp(above(high + 1))) + (0.0 if low == -inf else exp(above(1 - low)))
        value = log1p(-outside)
    else:
        near, far = (low, high) if low > 0 else (-high, -low)
        value = above(near) + (0.0 if far == inf else log1p(-exp(above(far + 1) - above(near))))
    slack = 16 * ROUNDING * (1 + abs(value)) * (1 - log(ratio)) / (1 - ratio)
    return value - slack, min(0.0, value + slack)


def _whole(bound: float, strict: bool) -> float:
    """The least whole number >= bound (> bound if strict). Raises NotEnclosed for a bound next to a whole number."""
    nearest = round(bound)
    if abs(nearest - bound) <= 1e-15 * abs(bound):
        return nearest + 1 if strict else nearest
    if abs(nearest - bound) <= 1e-9 * max(1.0, abs(bound)):
        raise NotEnclosed("a tie up to rounding")
    return ceil(bound)


def _points(raw: Any) -> Any:
    """(value, log of its probability, log of what is left after it), nearest to 0 first; None for other laws."""
    match raw:
        case ("geometric", ratio):
            return _geometric_points(float(ratio))
        case _:
            return None


def _geometric_points(ratio: float) -> Any:
    first = log1p(-ratio) - log1p(ratio)
    yield 0.0, first, log(2 * ratio) - log1p(ratio)
    k = 1
    while True:
        here = first + k * log(ratio)
        tail, next_tail = ((j * log(ratio) - log1p(ratio)) for j in (k, k + 1))
        yield float(k), here, log_add([tail, next_tail])
        yield float(-k), here, next_tail + log(2)
        k += 1
