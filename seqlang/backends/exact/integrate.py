"""The probability that independent noises satisfy a system of linear conditions, step by step.

A `Half` is one condition: constant + sum of factor * noise >= 0 (> 0 if strict). A step (`Alternatives`) is a choice of
disjoint conjunctions of halves; a `System` maps each distinct step to how often it occurs. Noises that several steps
read (persistent) are integrated out by quadrature, at most `MOST_NESTED` of them in one connected part; what is left of
a step then splits into noises that stand alone, where a law's tails give the answer. Equal steps are powered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, inf

from seqlang.backends.exact.laws import NoiseLaw, log_sum, no_bends
from seqlang.backends.exact.quadrature import IMPOSSIBLE, NOT_FOUND, Accuracy, Answer, log_integral

Key = tuple[object, ...]
Terms = tuple[tuple[Key, float], ...]
Half = tuple[float, Terms, bool]
Conjunction = tuple[Half, ...]
Alternatives = tuple[Conjunction, ...]
System = Mapping[Alternatives, int]
Laws = Callable[[Key], NoiseLaw]

MOST_NESTED = 2
MOST_TOGETHER = 200  # tails whose product is taken before the logarithm: each is often at least 1/2, 2^-200 is a float
MOST_POWERED = 50  # a tail raised to a larger power is not put into a product, which has no digits beyond 1e-16


class Unsupported(Exception):
    """The event's probability is not computed by this module; the text says why."""


class Work:
    """How many conditional probabilities were computed. Beyond `most` the event is given up as unsupported."""

    def __init__(self, most: float) -> None:
        self.most = most
        self.done = 0.0

    def add(self, values: float) -> None:
        self.done += values
        if self.done > self.most:
            raise Unsupported("too many values would be needed")


def log_probability(system: System, laws: Laws, accuracy: Accuracy, work: Work | None = None) -> Answer:
    """The log probability of the system. Raises `Unsupported`."""
    work = work or Work(inf)
    total, error, certain = 0.0, 0.0, False
    for part in _parts(system):
        answer = _connected(part, laws, accuracy, 0, work)
        total += answer.log
        error += answer.error
        certain |= answer == IMPOSSIBLE
    return IMPOSSIBLE if certain else Answer(total, error)


# ---- connected parts


def _variables(step: Alternatives) -> set[Key]:
    return {key for conjunction in step for _, terms, _ in conjunction for key, _ in terms}


def _is_shared(key: Key) -> bool:
    """Keys of fresh noises end in `...`: they live in one step only (see `transcript`)."""
    return key[-1] is not ...


def _parts(system: System) -> list[dict[Alternatives, int]]:
    """The system cut where no persistent noise connects. A step that is one conjunction falls apart by itself."""
    pieces: dict[Alternatives, int] = {}
    for step, times in system.items():
        for piece in _split(step):
            pieces[piece] = pieces.get(piece, 0) + times
    groups: list[tuple[set[Key], dict[Alternatives, int]]] = []
    for piece, times in pieces.items():
        keys = {key for key in _variables(piece) if _is_shared(key)}
        joined: dict[Alternatives, int] = {piece: times}
        rest = []
        for other_keys, other in groups:
            if keys & other_keys:
                keys |= other_keys
                joined |= other
            else:
                rest.append((other_keys, other))
        groups = [*rest, (keys, joined)]
    return [part for _, part in groups]


def _split(step: Alternatives) -> list[Alternatives]:
    if len(step) != 1 or len(step[0]) == 1:
        return [step]
    return [(tuple(part),) for part in _components(step[0])]


def _components(conjunction: Sequence[Half]) -> list[list[Half]]:
    """Conditions that share no noise, apart."""
    groups: list[tuple[set[Key], list[Half]]] = []
    for half in conjunction:
        keys = {key for key, _ in half[1]}
        joined = [half]
        rest = []
        for other_keys, other in groups:
            if keys & other_keys:
                keys |= other_keys
                joined = other + joined
            else:
                rest.append((other_keys, other))
        groups = [*rest, (keys, joined)]
    return [part for _, part in groups]


# ---- one connected part


def _connected(part: System, laws: Laws, accuracy: Accuracy, depth: int, work: Work) -> Answer:
    uses: dict[Key, int] = {}
    for step in part:
        for key in _variables(step):
            if _is_shared(key):
                uses[key] = uses.get(key, 0) + 1
    if not uses:
        return _independent(part, laws, accuracy, depth, work)
    if depth >= MOST_NESTED:
        raise Unsupported("more than two noises would have to be integrated together")
    key = max(uses, key=lambda k: (uses[k], str(k)))
    law = laws(key)
    if len(uses) == 1:
        line = _Line(key, part, laws, work)
        if not accuracy.cut:
            line.condense()
        if line.simple and not line.built:
            return Answer(law.log_between(line.low, line.high), 0.0)
        if line.simple:
            return line.integral(law, accuracy)

    def log_value(x: float) -> float:
        fixed: dict[Alternatives, int] = {}
        for step, times in part.items():
            new = _fix(step, key, x)
            if not new:
                return -inf
            fixed[new] = fixed.get(new, 0) + times
        total = 0.0
        for piece in _parts(fixed):
            total += _connected(piece, laws, accuracy, depth + 1, work).log
            if total == -inf:
                break
        return total

    return log_integral(log_value, law, no_bends, law.scale, (-inf, inf), accuracy, lambda n: None)


def _fix(step: Alternatives, key: Key, x: float) -> Alternatives:
    """The step with the noise `key` at x; conditions that are decided are dropped, with their conjunctions."""
    kept = []
    for conjunction in step:
        halves = []
        for constant, terms, strict in conjunction:
            moved = constant + sum(f * x for k, f in terms if k == key)
            rest = tuple((k, f) for k, f in terms if k != key)
            if rest:
                halves.append((moved, rest, strict))
            elif moved < 0 or (strict and moved == 0):
                break
        else:
            kept.append(tuple(halves))
    return tuple(kept)


def _independent(part: System, laws: Laws, accuracy: Accuracy, depth: int, work: Work) -> Answer:
    """Steps that share nothing: the product of their probabilities."""
    total, error = 0.0, 0.0
    for step, times in part.items():
        answers = [_conjunction(c, laws, accuracy, depth, work) for c in step]
        value = log_sum([a.log for a in answers])
        if value == -inf:
            return IMPOSSIBLE if all(a == IMPOSSIBLE for a in answers) else NOT_FOUND
        total += times * value
        error += times * max(a.error for a in answers)
    return Answer(total, error)


def _conjunction(conjunction: Conjunction, laws: Laws, accuracy: Accuracy, depth: int, work: Work) -> Answer:
    total, error = 0.0, 0.0
    for part in _components(conjunction):
        keys: dict[Key, int] = {}
        for _, terms, _ in part:
            for key, _ in terms:
                keys[key] = keys.get(key, 0) + 1
        if len(keys) <= 1:
            value = _one_variable((tuple(part),), laws)
            answer = Answer(-inf if value is None else value, 0.0)
        else:
            if depth >= MOST_NESTED:
                raise Unsupported("more than two noises would have to be integrated together")
            key = max(keys, key=lambda k: (keys[k], str(k)))
            law = laws(key)
            # with `key` in the role of the persistent noise the part is one step of one conjunction
            inner = _Line(key, {(tuple(part),): 1}, laws, work)
            if inner.simple:
                answer = inner.integral(law, accuracy)
            else:

                def log_value(x: float, part: list[Half] = part, key: Key = key) -> float:
                    fixed = _fix((tuple(part),), key, x)
                    return _conjunction(fixed[0], laws, accuracy, depth + 1, work).log if fixed else -inf

                answer = log_integral(log_value, law, no_bends, law.scale, (-inf, inf), accuracy, lambda n: None)
        if answer == IMPOSSIBLE:
            return IMPOSSIBLE
        total += answer.log
        error += answer.error
    return Answer(total, error)


def _one_variable(step: Alternatives, laws: Laws) -> float | None:
    """log probability of a step that reads one noise (or none); None if it reads more."""
    keys = _variables(step)
    if len(keys) > 1:
        return None
    law = laws(next(iter(keys))) if keys else None
    return log_sum([_between(conjunction, law) for conjunction in step])


def _between(conjunction: Conjunction, law: NoiseLaw | None) -> float:
    low, high = -inf, inf
    for constant, terms, strict in conjunction:
        factor = sum(f for _, f in terms)
        if law is None or factor == 0:
            if constant < 0 or (strict and constant == 0):
                return -inf
        elif factor > 0:
            low = max(low, _at_least(-constant / factor, strict, law))
        else:
            high = min(high, -_at_least(constant / factor, strict, law))
    return 0.0 if law is None else law.log_between(low, high)


def _at_least(bound: float, strict: bool, law: NoiseLaw) -> float:
    """The least point of the law's lattice that is >= bound (> bound if strict); for a density the bound itself.

    A bound within 1e-9 of a lattice point is that point: lattice values are exact up to rounding.
    """
    if law.kind == "density" or bound in (inf, -inf):
        return bound
    if law.kind == "finite":
        near = [p for p in law.points if abs(p - bound) <= 1e-9 * max(1.0, abs(p))]
        if near:
            later = [p for p in law.points if p > near[0]]
            return (later[0] if later else inf) if strict else near[0]
        return bound
    nearest = round(bound)
    if abs(nearest - bound) <= 1e-9 * max(1.0, abs(bound)):
        return float(nearest + 1 if strict else nearest)
    return float(ceil(bound))


# ---- a line: one noise to integrate, all others alone once it is fixed


class _Line:
    """log of the conditional probability of a part, as a function of one persistent noise."""

    def __init__(self, key: Key, part: System, laws: Laws, work: Work) -> None:
        self.work = work
        self.simple = True
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
                for component in _components_given(step[0], key):
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
            together: dict[int, list[float]] = {}
            for start, times, _ in group:
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

    def _add(self, component: Sequence[Half], key: Key, laws: Laws, times: int, law: NoiseLaw) -> None:
        others = {k for _, terms, _ in component for k, _ in terms if k != key}
        if not others:
            for half in component:
                low, high = _interval(half, law)
                self.low, self.high = max(self.low, low), min(self.high, high)
            return
        if len(others) > 1:
            self.simple = False
            return
        inner = laws(next(iter(others)))
        self.scales.append(inner.scale)
        if len(component) > 1 or inner.support != (-inf, inf):
            self._crossings(component, key)
            self._tighten(component, key, inner)
        if len(component) == 1 and inner.kind == "density":
            constant, terms, _ = component[0]
            slope = sum(f for k, f in terms if k == key)
            factor = sum(f for k, f in terms if k != key)
            start = -constant / factor
            self.ends.append((start, -slope / factor, inner))
            shape = (id(inner), factor > 0, -slope / factor)
            self.tails.setdefault(shape, []).append((start, times, inner))
            return
        self.factors.append((self._factor(component, key, inner), times))

    def _tighten(self, component: Sequence[Half], key: Key, inner: NoiseLaw) -> None:
        """Narrows the range to where the component has positive probability: linear conditions on the noise x."""
        if inner.kind != "density":
            return
        lows, highs = [(inner.support[0], 0.0)], [(inner.support[1], 0.0)]
        for constant, terms, _ in component:
            factor = sum(f for k, f in terms if k != key)
            end = (-constant / factor, -sum(f for k, f in terms if k == key) / factor)
            (lows if factor > 0 else highs).append(end)
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

    def _crossings(self, component: Sequence[Half], key: Key) -> None:
        """Where two ends of one noise's range meet."""
        lines = []
        for constant, terms, _ in component:
            factor = sum(f for k, f in terms if k != key)
            lines.append((-constant / factor, -sum(f for k, f in terms if k == key) / factor))
        for i, (a, s) in enumerate(lines):
            self.crossings += [(b - a) / (s - r) for b, r in lines[i + 1 :] if r != s]

    def _factor(self, component: Sequence[Half], key: Key, inner: NoiseLaw) -> Callable[[float], float]:
        """log P(component | x): the inner noise lies between the largest lower and the least upper end."""
        lows: list[tuple[float, float, bool]] = []
        highs: list[tuple[float, float, bool]] = []
        for constant, terms, strict in component:
            slope = sum(f for k, f in terms if k == key)
            factor = sum(f for k, f in terms if k != key)
            (lows if factor > 0 else highs).append((-constant / factor, -slope / factor, strict))
            self.ends.append((-constant / factor, -slope / factor, inner))
        above, below, between = inner.log_above, inner.log_below, inner.log_between
        if inner.kind == "density":
            if len(lows) == 1 and not highs:
                a, s, _ = lows[0]
                return lambda x: above(a + s * x)
            if len(highs) == 1 and not lows:
                a, s, _ = highs[0]
                return lambda x: below(a + s * x)
            if len(lows) == len(highs) == 1:
                (a, s, _), (b, r, _) = lows[0], highs[0]
                return lambda x: between(a + s * x, b + r * x)
            return lambda x: between(
                max([a + s * x for a, s, _ in lows], default=-inf), min([a + s * x for a, s, _ in highs], default=inf)
            )
        return lambda x: between(
            max([_at_least(a + s * x, strict, inner) for a, s, strict in lows], default=-inf),
            min([-_at_least(-a - s * x, strict, inner) for a, s, strict in highs], default=inf),
        )

    def _add_alternatives(self, step: Alternatives, key: Key, laws: Laws, times: int) -> None:
        branches: list[_Line] = []
        for conjunction in step:
            branch = _Line(key, {(conjunction,): 1}, laws, self.work)
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

    def bends(self, low: float, high: float) -> list[float]:
        """Where the value is not smooth: ends of the range, and where an inner end meets a bend of its law."""
        points = [p for p in (self.low, self.high) if low < p < high]
        for start, slope, law in self.ends:
            if slope == 0:
                if law.kind == "density":
                    points.append(start)
                continue
            ends = sorted((start + slope * low, start + slope * high))
            if law.kind == "density":
                points += [(b - start) / slope for b in law.tail_bends(*ends)]
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
        found = log_integral(self.log_value, law, self.bends, scale, inside, accuracy, self.count)
        return found if found.log == -inf else Answer(found.log, found.error + self.rounding)


def _components_given(conjunction: Conjunction, key: Key) -> list[list[Half]]:
    """Components once the noise `key` is fixed: conditions that share another noise stay together."""
    if len(conjunction) == 1:
        return [list(conjunction)]
    alone = [half for half in conjunction if all(k == key for k, _ in half[1])]
    stripped = {half: tuple(t for t in half[1] if t[0] != key) for half in conjunction if half not in alone}
    groups: list[tuple[set[Key], list[Half]]] = []
    for half, terms in stripped.items():
        keys = {k for k, _ in terms}
        joined = [half]
        rest = []
        for other_keys, other in groups:
            if keys & other_keys:
                keys |= other_keys
                joined = other + joined
            else:
                rest.append((other_keys, other))
        groups = [*rest, (keys, joined)]
    return [[half] for half in alone] + [part for _, part in groups]


def _interval(half: Half, law: NoiseLaw) -> tuple[float, float]:
    """The values of its single noise for which the condition holds."""
    constant, terms, strict = half
    factor = sum(f for _, f in terms)
    if factor == 0:
        return (-inf, inf) if constant > 0 or (constant == 0 and not strict) else (inf, -inf)
    if factor > 0:
        return _at_least(-constant / factor, strict, law), inf
    return -inf, -_at_least(constant / factor, strict, law)
