"""Random programs with reports, guards and budgets, and their exact laws by enumeration; shares nothing with seqlang.

A program has one or two reports R0, R1. Each compares a quantity of whole numbers with a threshold; noises are
two-sided geometric, so every law is a sum. Kept noises are the axes of an array, the fresh noises of a step are summed
out.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LENGTH = 3
ERROR = 1e-12
SHOWN = (-1, 2)
"""Released numbers beyond are lumped together, which only hides loss."""

QUANTITIES = {
    "now": "q",
    "recent": "sum(q over last 2)",
    "before": "previous(q, 0)",
    "total": "sum(q over steps)",
    "fresh": "sum(q since R0)",
    "tick": "sum(q since tick)",
    "again": "(if previous(R0, false) then 0 else previous({own}, 0)) + q",
    "alarms": "max(0, (if previous(R0, false) then 0 else previous({own}, 0)) + q - 1)",
    "ever": "max(0, previous({own}, 0) + q - 1)",
}
GUARDS = {
    "": "",
    "even": "step % 2 == 0 and ",
    "late": "step >= 2 and ",
    "first": "length(history(step, {own})) < 1 and ",
    "twice": "previous(count({own} over steps), 0) < 2 and ",
    "budget": "spent < 2 and ",
    "quiet": "not R0 and ",
    "with": "R0 and ",
    "tick": "tick and ",
    "left": "left_{own} > 0 and ",
    "done": "not done_{own} and ",
    "phase": "phase_{own} == 0 and ",
}
MEMORY = {
    "left": ("memory left_{own} = 2", "update left_{own} = left_{own} - 1 when {own}"),
    "done": ("memory done_{own} = false", "update done_{own} = true when {own}"),
    "phase": ("memory phase_{own} = 0", "update phase_{own} = 1 when {own}"),
}
STOPS = {
    "": "",
    "once": "stop when R0",
    "two": "stop when count(R0 over steps) >= 2",
    "either": "stop when count(R0 or R1 over steps) >= 2",
    "both": "stop when count(R0 over steps) + 2 * count(R1 over steps) >= 3",
    "budget": "stop when spent >= 2",
    "above budget": "stop when spent > 1.5",
    "steps": "stop when step >= 2",
    "not": "stop when not R0",
    "nots": "stop when count(not R0 over steps) >= 2",
    "apart": "stop when 2 - length(history(step, R0)) - (if R0 then 1 else 0) <= 0",
}
WEIGHTS = ("1", "0.5", "2")


@dataclass(frozen=True)
class Report:
    """R fires if quantity - bar + its noises >= 0 (sign 1), or <= 0 (sign -1). `kept` and `fresh` name noises; `shown`:
    "", "gap" (the compared sum) or "answer" (the quantity with noise of its own)."""

    quantity: str
    guard: str
    bar: int
    sign: int
    kept: str | None
    fresh: str | None
    shown: str = ""


@dataclass(frozen=True)
class Instance:
    """`lives`: of the kept noises, once or a report; `weights`: what R0 and R1 spend."""

    adjacency: str
    reports: tuple[Report, ...]
    lives: tuple[tuple[str, str], ...]
    stops: tuple[str, ...]
    weights: tuple[str, str]
    ratio: float

    @property
    def text(self) -> str:
        lines = ["algorithm instance", "stream q in 0..", f"adjacent {self.adjacency} q within 1"]
        uses = [*(r.guard for r in self.reports), *self.stops]
        if any("budget" in use for use in uses):
            lines.append("memory spent = 0")
        memory = {f"R{j}": MEMORY[r.guard] for j, r in enumerate(self.reports) if r.guard in MEMORY}
        lines += [made.format(own=own) for own, (made, _) in memory.items()]
        if any(r.quantity == "tick" or r.guard == "tick" for r in self.reports):
            lines.append("report tick when step % 2 == 0")
        for z, life in self.lives:
            lines.append(f"draw {z} ~ geometric({self.ratio}) {'once' if life == 'once' else 'each ' + life}")
        fresh = sorted({r.fresh for r in self.reports if r.fresh})
        lines += [f"draw {w} ~ geometric({self.ratio}) each step" for w in fresh]
        for j, r in enumerate(self.reports):
            value = " + ".join(x for x in (f"s{j}", r.kept, r.fresh) if x)
            lines.append(f"statistic s{j} = {QUANTITIES[r.quantity].format(own=f's{j}')}")
            guard = GUARDS[r.guard].format(own=f"R{j}")
            lines.append(f"report R{j} when {guard}{value} {'>=' if r.sign > 0 else '<='} {r.bar}")
            if r.shown == "gap":
                lines.append(f"report v{j} = {value} when R{j}")
            elif r.shown == "answer":
                lines += [f"report v{j} = s{j} when R{j}", f"attach geometric({self.ratio}) to v{j}"]
        if "memory spent = 0" in lines:
            gains = [f"(if R{j} then {w} else 0)" for j, w in enumerate(self.weights[: len(self.reports)])]
            lines.append("update spent = spent + " + " + ".join(gains))
        lines += [update.format(own=own) for own, (_, update) in memory.items()]
        lines += [STOPS[s] for s in self.stops if s]
        return "\n".join(lines) + "\n"


def random_instance(rng: random.Random) -> Instance:
    """One instance with at most three noise axes in a step."""
    adjacency = rng.choice(["every", "one", "every"])
    two = rng.random() < 0.6
    names = ["z"] if rng.random() < 0.7 else ["z", "y"]
    lives = tuple((z, rng.choice(["once", "once", "R0"] + (["R1"] if two else []))) for z in names)
    reports: list[Report] = []
    for j in range(2 if two else 1):
        sums = ["tick", "fresh", "total"] if adjacency == "one" else []  # where all entries move they have no shift
        quantity = rng.choice(["now", "now", "recent", "before", *sums])
        quantity = rng.choice(["fresh", "again", "alarms"]) if quantity == "fresh" else quantity
        guards = ["", "", "", "even", "late", "first", "twice", "budget", "tick", *MEMORY] + (
            ["quiet", "with"] if j else []
        )
        shown = rng.choice(["", "", "gap", "answer"])
        fresh = None if rng.random() < 0.1 else rng.choice(["w", f"w{j}"])
        kept = None if rng.random() < 0.25 else rng.choice(names)
        reports.append(
            Report(quantity, rng.choice(guards), rng.randint(0, 2), rng.choice([1, 1, -1]), kept, fresh, shown)
        )
    used = {r.kept for r in reports}
    lives = tuple((z, life) for z, life in lives if z in used)
    stops = [s for s in STOPS if two or s not in ("either", "both")]
    chosen = tuple(dict.fromkeys(rng.choice(stops) for _ in range(2)))
    instance = Instance(adjacency, tuple(reports), lives, chosen, (rng.choice(WEIGHTS), rng.choice(WEIGHTS)), 0.25)
    axes = len(lives) + len({r.fresh for r in reports if r.fresh}) + sum(r.shown == "answer" for r in reports)
    return instance if axes <= 3 else random_instance(rng)


# ---- the exact law


@cache
def _support(ratio: float) -> tuple[Array, Array]:
    top = math.ceil(math.log(1e-14) / math.log(ratio))
    k = np.arange(-top, top + 1, dtype=float)
    return k, (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)


Seen = tuple[tuple[tuple[str, int], ...], ...]


class Oracle:
    """Laws of one instance; what a step can do is remembered by the levels and by which guards hold."""

    def __init__(self, instance: Instance) -> None:
        self.it = instance
        self.kept = [z for z, _ in instance.lives]
        self.steps: dict[object, list[tuple[tuple[tuple[str, int], ...], Array]]] = {}

    def law(self, stream: tuple[int, ...]) -> dict[Seen, float]:
        weight: Array = np.ones(())
        for _ in self.kept:
            weight = np.multiply.outer(weight, _support(self.it.ratio)[1])
        out: dict[Seen, float] = {}
        live: dict[Seen, Array] = {(): weight}
        for step in range(1, len(stream) + 1):
            following: dict[Seen, Array] = {}
            for seen, alive in live.items():
                for event, chance in self._step(stream[:step], seen):
                    mass = alive * chance
                    now = (*seen, event)
                    if self._ends(now):
                        out[(*now, (("end", 0),))] = float(mass.sum())
                    else:
                        following[now] = self._redrawn(mass, event)
            live = following
        for seen, alive in live.items():
            out[seen] = float(alive.sum())
        return out

    def _redrawn(self, mass: Array, event: tuple[tuple[str, int], ...]) -> Array:
        for axis, (_, life) in enumerate(self.it.lives):
            if life in dict(event):
                anew = _support(self.it.ratio)[1]
                shape = [1] * len(self.kept)
                shape[axis] = len(anew)
                mass = mass.sum(axis=axis, keepdims=True) * anew.reshape(shape)
        return mass

    def _step(self, entries: tuple[int, ...], seen: Seen) -> list[tuple[tuple[tuple[str, int], ...], Array]]:
        levels = tuple(self._level(r.quantity, entries, seen) for r in self.it.reports)
        # R1's guards may ask for R0 in this step: both answers are kept apart
        allowed = tuple(
            tuple(self._guard(j, len(entries), seen, r0) for r0 in (False, True)) for j in range(len(levels))
        )
        key = (levels, allowed)
        if key not in self.steps:
            self.steps[key] = self._outcomes(levels, allowed)
        return self.steps[key]

    def _outcomes(
        self, levels: tuple[int, ...], allowed: tuple[tuple[bool, bool], ...]
    ) -> list[tuple[tuple[tuple[str, int], ...], Array]]:
        fresh = sorted({r.fresh for r in self.it.reports if r.fresh})
        own = [f"v{j}" for j, r in enumerate(self.it.reports) if r.shown == "answer"]
        names = [*self.kept, *fresh, *own]
        k, p = _support(self.it.ratio)
        shape = lambda i: [len(k) if i == a else 1 for a in range(len(names))]  # noqa: E731
        noise = {name: k.reshape(shape(i)) for i, name in enumerate(names)}
        weight: Array = np.ones([1] * len(names))
        for i in range(len(self.kept), len(names)):
            weight = weight * p.reshape(shape(i))
        made: list[tuple[tuple[tuple[str, int], ...], Array]] = [((), np.ones([1] * len(names), dtype=bool))]
        for j, r in enumerate(self.it.reports):
            sums = levels[j] + sum((noise[x] for x in (r.kept, r.fresh) if x), start=np.zeros([1] * len(names)))
            test = sums >= r.bar if r.sign > 0 else sums <= r.bar
            shown = sums if r.shown == "gap" else levels[j] + noise[f"v{j}"] if r.shown == "answer" else None
            following: list[tuple[tuple[tuple[str, int], ...], Array]] = []
            for event, where in made:
                if not allowed[j][("R0", 1) in event]:
                    following.append((event, where))
                    continue
                following.append((event, where & ~test))
                fired = where & test
                if shown is None:
                    following.append(((*event, (f"R{j}", 1)), fired))
                else:
                    value = np.clip(shown, *SHOWN)
                    following += [
                        ((*event, (f"R{j}", 1), (f"v{j}", v)), fired & (value == v))
                        for v in range(SHOWN[0], SHOWN[1] + 1)
                    ]
            made = following
        axes = tuple(range(len(self.kept), len(names)))
        return [(event, (weight * where).sum(axis=axes)) for event, where in made]

    def _level(self, quantity: str, entries: tuple[int, ...], seen: Seen) -> int:
        n = len(entries)
        match quantity:
            case "now":
                return entries[-1]
            case "recent":
                return sum(entries[-2:])
            case "before":
                return entries[-2] if n > 1 else 0
            case "total":
                return sum(entries)
            case "tick":
                return sum(entries[(n - 1) // 2 * 2 :])
        last = max((i for i, event in enumerate(seen, 1) if "R0" in dict(event)), default=0)
        if quantity in ("alarms", "ever"):
            level = 0
            for entry in entries[last if quantity == "alarms" else 0 :]:
                level = max(0, level + entry - 1)
            return level
        return sum(entries[last:])

    def _guard(self, j: int, step: int, seen: Seen, r0: bool) -> bool:
        made = sum(f"R{j}" in dict(event) for event in seen)
        match self.it.reports[j].guard:
            case "even" | "tick":
                return step % 2 == 0
            case "late":
                return step >= 2
            case "first" | "done" | "phase":
                return made < 1
            case "twice" | "left":
                return made < 2
            case "budget":
                return self._spent(seen) < 2
            case "quiet":
                return not r0
            case "with":
                return r0
        return True

    def _spent(self, seen: Seen) -> float:
        return sum(float(w) for event in seen for j, w in enumerate(self.it.weights) if f"R{j}" in dict(event))

    def _ends(self, seen: Seen) -> bool:
        r0 = [("R0" in dict(event)) for event in seen]
        r1 = [("R1" in dict(event)) for event in seen]
        for stop in self.it.stops:
            done = {
                "": False,
                "once": r0[-1],
                "two": sum(r0) >= 2,
                "either": sum(a or b for a, b in zip(r0, r1, strict=True)) >= 2,
                "both": sum(r0) + 2 * sum(r1) >= 3,
                "budget": self._spent(seen) >= 2,
                "above budget": self._spent(seen) > 1.5,
                "steps": len(seen) >= 2,
                "not": not r0[-1],
                "nots": r0.count(False) >= 2,
                "apart": sum(r0) >= 2,
            }[stop]
            if done:
                return True
        return False


def neighbours(instance: Instance) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for first in itertools.product((0, 1), repeat=LENGTH):
        for moves in itertools.product((-1, 0, 1), repeat=LENGTH):
            second = tuple(a + m for a, m in zip(first, moves, strict=True))
            if any(moves) and min(second) >= 0 and (instance.adjacency == "every" or sum(map(abs, moves)) == 1):
                yield first, second


def exact_loss(instance: Instance) -> tuple[float, object]:
    """The largest |log ratio|, rounded down for the oracle's error, and where."""
    oracle = Oracle(instance)
    law = cache(oracle.law)
    worst, where = 0.0, None
    for first, second in neighbours(instance):
        p, q = law(first), law(second)
        for seen in p.keys() | q.keys():
            a, b = p.get(seen, 0.0), q.get(seen, 0.0)
            if max(a, b) > 1e-7:
                loss = math.log((max(a, b) - ERROR) / (min(a, b) + ERROR))
                if loss > worst:
                    worst, where = loss, (first, second, seen, a, b)
    return worst, where
