"""The exact law of a `discrete_instances.Program`, by enumeration of every draw; shares nothing with seqlang.

Persistent noises are the axes of an array that carries the weight of "nothing has ended the run yet"; the fresh noises
of a step are summed out, one connected set of gates at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from discrete_instances import Atom, Condition, Noise, Program
from numpy.typing import NDArray

Array = NDArray[np.float64]
Transcript = tuple[tuple[tuple[str, int], ...], ...]
"""Step by step what was seen: (report, 1), (value's name, its number) and (stop's label, 0)."""

LOWEST, HIGHEST = -1, 3
"""Released numbers beyond are lumped together: that can only hide loss, never add it."""
ERROR = 1e-13
"""By how much a probability may be off: the noise is cut off where less than 1e-15 is left."""


@cache
def support(ratio: float) -> tuple[Array, Array]:
    """Whole numbers and their probabilities."""
    top = math.ceil(math.log(1e-15) / math.log(ratio))
    k = np.arange(-top, top + 1, dtype=float)
    return k, (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)


class Oracle:
    """The law of one program on any stream; what one step can do is remembered by levels."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.persistent = [n for n in program.noises if n.life != "step"]
        self.steps: dict[tuple[object, ...], list[tuple[dict[int, int], Array]]] = {}
        weight = np.ones(())
        for noise in self.persistent:
            weight = np.multiply.outer(weight, support(noise.ratio)[1])
        self.start: Array = weight
        self.pieces = list(self._pieces())

    # ---- one step

    def _pieces(self) -> Iterator[tuple[list[int], list[Noise]]]:
        """Gates that share fresh noise, with that noise."""
        fresh = [n for n in self.program.noises if n.life == "step"]
        reads = [{i for i, n in enumerate(fresh) if self._names(j) & {p for p, _ in n.places}}
                 for j in range(len(self.program.gates))]  # fmt: skip
        left = set(range(len(reads)))
        while left:
            gates = {min(left)}
            while more := {j for j in left - gates if any(reads[j] & reads[i] for i in gates)}:
                gates |= more
            left -= gates
            yield sorted(gates), [fresh[i] for i in sorted(set().union(*(reads[j] for j in gates)))]

    def _names(self, gate: int) -> set[str]:
        it = self.program.gates[gate]
        if it.condition is None:
            return {it.name, f"s{it.statistic}"}
        return {name for atom in _atoms(it.condition) for name in (f"s{atom.statistic}", f"T{atom.bar}")}

    def step(self, levels: tuple[float, ...], memory: int) -> list[tuple[dict[int, int], Array]]:
        """What the gates say (gate -> truth or released number), with its chance for each value of the kept noises."""
        key = (levels, memory)
        if key not in self.steps:
            found: list[tuple[dict[int, int], Array]] = [({}, np.ones((1,) * len(self.persistent)))]
            for gates, fresh in self.pieces:
                piece = self._piece(gates, fresh, levels, memory)
                found = [(a | b, p * q) for a, p in found for b, q in piece]
            self.steps[key] = found
        return self.steps[key]

    def _piece(
        self, gates: list[int], fresh: list[Noise], levels: tuple[float, ...], memory: int
    ) -> list[tuple[dict[int, int], Array]]:
        noises = [*self.persistent, *fresh]
        values = [_along(support(n.ratio)[0], i, len(noises)) for i, n in enumerate(noises)]
        weight = np.ones((1,) * len(noises))
        for i in range(len(self.persistent), len(noises)):
            weight = weight * _along(support(noises[i].ratio)[1], i, len(noises))
        noise: dict[str, Array] = {}
        for n, value in zip(noises, values, strict=True):
            for name, factor in n.places:
                noise[name] = noise.get(name, np.zeros(())) + factor * value
        answers: list[Array] = []
        for j in gates:
            gate = self.program.gates[j]
            if gate.condition is not None:
                answers.append(np.asarray(self._holds(gate.condition, levels, memory, noise)).astype(int))
            else:
                shown = levels[gate.statistic] + noise.get(f"s{gate.statistic}", 0.0) + noise.get("v", 0.0)
                answers.append(np.clip(np.floor(shown), LOWEST, HIGHEST).astype(int))
        axes = tuple(range(len(self.persistent), len(noises)))
        out: list[tuple[dict[int, int], Array]] = []
        for said in itertools.product(*(np.unique(a).tolist() for a in answers)):
            here: Array = weight
            for answer, wanted in zip(answers, said, strict=True):
                here = here * (answer == wanted)
            chance = here.sum(axis=axes) if axes else here
            if chance.any():
                out.append((dict(zip(gates, said, strict=True)), chance))
        return out

    def _holds(self, condition: Condition, levels: tuple[float, ...], memory: int, noise: dict[str, Array]) -> Array:
        if condition.atom is not None:
            a = condition.atom
            left = levels[a.statistic] + a.offset + noise.get(f"s{a.statistic}", np.zeros(()))
            right = self.program.bars[a.bar] + (memory if a.memory else 0) + noise.get(f"T{a.bar}", np.zeros(()))
            return {">=": left >= right, "<=": left <= right, ">": left > right, "<": left < right}[a.comparison]
        parts = [self._holds(part, levels, memory, noise) for part in condition.parts]
        if condition.operator == "not":
            return ~parts[0]
        return parts[0] & parts[1] if condition.operator == "and" else parts[0] | parts[1]

    # ---- one run

    def law(self, stream: Sequence[float]) -> dict[Transcript, float]:
        """The probability of every transcript up to the length of the stream."""
        out: dict[Transcript, float] = {}
        live: dict[Transcript, dict[tuple[float, ...], Array]] = {(): {(): self.start}}
        for step, x in enumerate(stream, 1):
            following: dict[Transcript, dict[tuple[float, ...], Array]] = {}
            for seen, states in live.items():
                memory = self._memory(seen)
                for entries, alive in states.items():
                    for y, p in self._read(x):
                        levels = self._levels((*entries, y), seen)
                        for said, chance in self.step(levels, memory):
                            weight = alive * chance * p
                            event, ended = self._event(step, seen, said)
                            if ended:
                                self._end(out, seen, event, float(weight.sum()))
                                continue
                            bucket = following.setdefault((*seen, event), {})
                            kept = self._redrawn(weight) if ("R0", 1) in event else weight
                            now = (*entries, y)
                            bucket[now] = bucket[now] + kept if now in bucket else kept
            live = following
        for seen, states in live.items():
            out[seen] = out.get(seen, 0.0) + sum(float(a.sum()) for a in states.values())
        return out

    def _read(self, x: float) -> list[tuple[float, float]]:
        """The entry as it is read, with its local noise."""
        program = self.program
        value = float(x >= 1) if program.bit else x * program.unit
        match program.local:
            case None:
                return [(value, 1.0)]
            case ("flip", truth):
                among = (0.0, 1.0) if program.bit else program.alphabet
                return [(v, truth if v == value else (1 - truth) / (len(among) - 1)) for v in among]
            case (_, ratio):
                k, weight = support(ratio)
                return [(value + float(a), float(b)) for a, b in zip(k, weight, strict=True)]

    def _memory(self, seen: Transcript) -> int:
        if self.program.memory == "count":
            return sum(("R0", 1) in event for event in seen)
        m = 0
        if self.program.memory == "copy":
            for event in seen:
                if ("R0", 1) in event:
                    m = int(dict(event)["v"] >= 1)
        return m

    def _redrawn(self, alive: Array) -> Array:
        for axis, noise in enumerate(self.persistent):
            if noise.life == "R0":
                anew = _along(support(noise.ratio)[1], axis, len(self.persistent))
                alive = alive.sum(axis=axis, keepdims=True) * anew
        return alive

    def _levels(self, entries: tuple[float, ...], seen: Transcript) -> tuple[float, ...]:
        last = max((n for n, event in enumerate(seen, 1) if ("R0", 1) in event), default=0)
        return tuple(level(kind, entries, last) for kind in self.program.statistics)

    def _event(self, step: int, seen: Transcript, said: dict[int, int]) -> tuple[tuple[tuple[str, int], ...], bool]:
        """What a step shows, top to bottom, and whether it ends the run."""
        program = self.program
        event: list[tuple[str, int]] = []
        reported = False
        for j, gate in enumerate(program.gates):
            if gate.kind == "value":
                if gate.guard == "none" or reported:
                    event.append((gate.name, said[j]))
                continue
            if _guarded(gate.guard, bool(said[j]), step, reported):
                if gate.kind == "stop":
                    return (*event, (gate.name, 0)), True
                event.append((gate.name, 1))
                reported = reported or gate.name == "R0"
        count = sum(("R0", 1) in e for e in seen) + reported
        if program.most_reports is not None and count >= program.most_reports:
            return (*event, ("", 0)), True
        if program.most_steps is not None and step >= program.most_steps:
            return (*event, ("", 0)), True
        return tuple(event), False

    def _end(
        self, out: dict[Transcript, float], seen: Transcript, event: tuple[tuple[str, int], ...], p: float
    ) -> None:
        truth = self.program.flipped_return
        labels = sorted({g.name for g in self.program.gates if g.kind == "stop"})
        label = event[-1][0]
        returned = {label: 1.0}
        if truth is not None and label:
            returned = {one: truth if one == label else (1 - truth) / (len(labels) - 1) for one in labels}
        for one, q in returned.items():
            key = (*seen, (*event[:-1], (one, 0)))
            out[key] = out.get(key, 0.0) + p * q


def _atoms(condition: Condition) -> list[Atom]:
    if condition.atom is not None:
        return [condition.atom]
    return [a for part in condition.parts for a in _atoms(part)]


def _along(values: Array, axis: int, axes: int) -> Array:
    shape = [1] * axes
    shape[axis] = len(values)
    return values.reshape(shape)


def _guarded(guard: str, test: bool, step: int, reported: bool) -> bool:
    match guard:
        case "even":
            return step % 2 == 0 and test
        case "late":
            return step >= 2 and test
        case "last":
            return step == 3 or test
        case "after R0":
            return reported and test
        case "without R0":
            return not reported and test
    return test


def level(kind: str, y: tuple[float, ...], last: int) -> float:
    """The statistic after the entries `y`; R0 was last reported in step `last` (0: never)."""
    n = len(y)
    match kind:
        case "sum":
            return sum(y)
        case "double":
            return 2 * sum(y)
        case "fall":
            return sum(1 - v for v in y)
        case "window":
            return sum(y[-2:])
        case "single":
            return y[-1]
        case "running max":
            return max(y)
        case "running min":
            return min(y)
        case "since":
            return sum(y[last:])
        case "max since":
            return max(y[last:])
        case "count":
            return sum(v >= 1 for v in y)
        case "alternating":
            return sum(v if i % 2 else -v for i, v in enumerate(y, 1))
        case "clipped":
            return min(2, max(0, sum(y)))
        case "distance":
            return abs(sum(y) - 1)
        case "weighted":
            return (2 if n % 2 else 1) * y[-1]
        case "gap":
            return y[-1] - (y[-2] if n > 1 else 0)
        case "even steps":
            return sum(y[1::2])
        case "jump":
            return 2 if y[-1] >= 1 else 0
        case "recent max":
            return max(y[-2:])
        case "halved":
            return math.floor(sum(y) / 2)
        case "square":
            return y[-1] ** 2
        case "parity":
            return sum(y) % 2
        case "late":
            return y[-1] if n >= 2 else 0
        case "cusum" | "decaying":
            s = 0.0
            for v in y:
                s = max(0, s + v - 1) if kind == "cusum" else math.floor(s / 2) + v
            return s
    raise AssertionError(kind)


# ---- neighbours and the loss


def streams(program: Program) -> list[tuple[float, ...]]:
    """The first of two neighbours."""
    return list(itertools.product(program.alphabet, repeat=program.length))


def neighbours(program: Program) -> Iterator[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Neighbouring streams; of a number some values are tried."""
    words = program.adjacency.split()
    radius = 0.5 if "/" in words else 1.0
    for first in streams(program):
        if words[0] == "replace":
            most = 1 if words[1] == "one" else int(words[1])
            for second in streams(program):
                if first < second and sum(a != b for a, b in zip(first, second, strict=True)) <= most:
                    yield first, second
            continue
        moves = (-radius, 0.0, radius)
        if words[0] == "every":
            changes = itertools.product((0.0, radius) if words[-1] == "direction" else moves, repeat=len(first))
        else:
            changes = (tuple(m if i == k else 0.0 for i in range(len(first))) for k in range(len(first)) for m in moves)
        for change in changes:
            second = tuple(a + c for a, c in zip(first, change, strict=True))
            if any(change) and (program.domain != "finite" or set(second) <= set(program.alphabet)):
                yield first, second


def exact_loss(program: Program) -> tuple[float, object]:
    """The largest |log ratio| over neighbours and transcripts (rounded down for the oracle's error), and where."""
    oracle = Oracle(program)
    law = cache(oracle.law)
    worst, where = 0.0, None
    for first, second in neighbours(program):
        p, q = law(first), law(second)
        for seen in p.keys() | q.keys():
            a, b = p.get(seen, 0.0), q.get(seen, 0.0)
            if max(a, b) > 1e-8:
                loss = math.log((max(a, b) - ERROR) / (min(a, b) + ERROR))
                if loss > worst:
                    worst, where = loss, (first, second, seen, a, b)
    return worst, where
