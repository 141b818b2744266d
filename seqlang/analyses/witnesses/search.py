"""The search itself: seeds, then changes of one thing at a time as long as the score grows.

The work is counted, not timed, so that the same spec gives the same witness on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from math import inf, isinf, log
from typing import Any

from seqlang.analyses.witnesses.chances import MOST_COARSE, Chances
from seqlang.analyses.witnesses.confirm import LEAST_LOG, MOST_FINE, confirmed, recomputed
from seqlang.analyses.witnesses.neighbours import entry_of, fields_of
from seqlang.analyses.witnesses.play import Leg, Pattern, Played
from seqlang.analyses.witnesses.recompute import QUICK, THOROUGH, NotEnclosed, enclosed
from seqlang.analyses.witnesses.scene import Scene
from seqlang.analyses.witnesses.seeds import seeds
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.backends.transcript.unsupported import Unsupported, Work
from seqlang.process.time_limit import poll
from seqlang.proof.entry import Entry
from seqlang.proof.witness import Event, Witness
from seqlang.record import replace

TO_COMPARE = replace(FINE, relative=1e-5, drop=20.0)
AS_CLOSE = 1e-4  # of the larger: probabilities from the search's integrator and from enclosures that agree
COARSELY = 0.25  # how far a coarse logarithm may be from an enclosed one
SHAPES = 8  # of which the best pattern is made better
MOST_LEGS = 40
TINY = 1e-300  # no probability of a witness is as small

Score = Callable[[float, float], float]
"""How good an event is from log p and log q (either order)."""


def loss(first: float, second: float) -> float:
    """|log p/q|; an impossible event counts 1e6, more if the other stream makes it likely."""
    if max(first, second) < LEAST_LOG or LEAST_LOG > min(first, second) > -inf:
        return -inf
    if isinf(first) or isinf(second):
        return 1e6 + max(first, second)
    return abs(first - second)


class Search:
    """One search over one program. `work` is what may be spent: about 1 for a short pattern (0.5 ms)."""

    def __init__(
        self, chances: Chances, score: Score, horizon: int, work: float, far: bool, enough: float = inf
    ) -> None:
        self.chances, self.scene, self.score, self.horizon = chances, chances.scene, score, horizon
        self.work, self.far, self.enough = work, far, enough
        self.seen: dict[Pattern, tuple[float, Played | None]] = {}
        self.deadline = inf
        self.highest = -inf  # score of a pattern, before what long ones are charged
        self.contented = inf  # a score from which on patterns are no longer changed to make it better

    def best(self) -> list[tuple[float, Pattern]]:
        """The best patterns found, best first."""
        self._sow()
        self.enough = min(self.enough, self.contented)
        return self._climbed()

    def improved(self, patterns: Iterable[Pattern]) -> list[tuple[float, Pattern]]:
        """The same from these patterns instead of the seeds."""
        for pattern in patterns:
            self._evaluate(pattern)
        return self._climbed()

    def varied(self, work: float) -> list[tuple[float, Pattern]]:
        """Goes on with that much work: the seeds that are left, then the best pattern of every shape made better, since
        the best seed's shape need not lead to the best pattern."""
        shapes: dict[object, tuple[float, Pattern]] = {}
        self.work = work / 4
        self._sow()
        for score, pattern in self.ranked():
            shape = tuple((leg.kind, leg.target, leg.move) for leg in pattern.legs)
            shapes.setdefault((shape, pattern.release, pattern.data), (score, pattern))
        for score, pattern in list(shapes.values())[:SHAPES]:
            self.work = work / (2 * SHAPES)
            if not self.reached:
                self._climb(score, pattern)
        self.work = work / 4
        return self._climbed()

    def _sow(self) -> None:
        for pattern in seeds(self.scene, self.far):
            if self._spent():
                break
            self._evaluate(pattern)

    def _climbed(self) -> list[tuple[float, Pattern]]:
        while not self._spent():
            before = self.ranked()[:3]
            if not before:
                break
            for score, pattern in before[: 2 if self.far else 1]:
                self._climb(score, pattern)
            if self.ranked()[:1] == before[:1]:
                break
        return self.ranked()

    def ranked(self) -> list[tuple[float, Pattern]]:
        """What scored, best first."""
        found = [(s, p) for p, (s, _) in self.seen.items() if s > 0]
        return sorted(found, key=lambda sp: -sp[0])

    def _spent(self) -> bool:
        poll()
        return self.work <= 0 or time.monotonic() > self.deadline or self.reached

    @property
    def reached(self) -> bool:
        """Whether a pattern scores more than `enough`."""
        return self.highest > self.enough

    def _climb(self, score: float, pattern: Pattern) -> None:
        for change in changes(pattern, self.scene):
            if self._spent():
                return
            while not self._spent():
                new = change(pattern)
                if new is None or new in self.seen:
                    break
                value = self._evaluate(new)
                if value <= score * (1 + 1e-3):
                    break
                score, pattern = value, new

    def _evaluate(self, pattern: Pattern) -> float:
        if pattern in self.seen:
            return self.seen[pattern][0]
        score = -inf
        if self.scene.one_way and len({leg.move for leg in pattern.legs} - {0}) > 1:
            return score
        found = self.chances.of(pattern, self.horizon)
        self.work -= found.work
        if found.played is not None and found.logs is not None:
            score = self.score(*found.logs)
            self.highest = max(self.highest, score)
            if score > 0:  # of equals the shorter and likelier
                score *= 1 - 1e-5 * found.played.length + 1e-5 * max(max(found.logs), -1e4)
        self.seen[pattern] = (score, found.played)
        return score

    def evolved(self, patterns: int, deadline: float) -> Iterator[Witness]:
        """Witnesses of streams that came from the best patterns by changes at random, better and better ones."""
        if not self.scene.streams or self.scene.inserting:
            return
        from seqlang.analyses.witnesses.evolve import evolved

        ranked = self.ranked()[:patterns]
        for place, (_, pattern) in enumerate(ranked):
            played = self.seen[pattern][1]
            if played is None or not played.length:
                continue
            until = time.monotonic() + (deadline - time.monotonic()) / (len(ranked) - place)
            found = list(evolved(self.scene, played, pattern, self._value, self.horizon, until, self.enough))
            for better in found[:-4:-1]:
                witness = self.witness_of(better, f"{reason(self.scene, pattern)}, with streams improved at random")
                if witness is not None:
                    yield witness
                    break

    def _value(self, played: Played) -> float:
        return self.score(*self.chances.logs(played, Work(MOST_COARSE)))

    def witness(self, pattern: Pattern, because: str = "") -> Witness | None:
        """Computed again from the streams and the event alone."""
        played = self.seen[pattern][1]
        return None if played is None else self.witness_of(played, because or reason(self.scene, pattern))

    def witness_of(self, played: Played, because: str) -> Witness | None:
        """The witness that the streams and their transcript make, if it stands up to recomputation."""
        left = [entry_of(entry, fields_of(self.scene.program)) for entry in played.left]
        draft = Witness(
            (stream_of(self.scene, played.first), (*stream_of(self.scene, played.second), *left)), event_of(played),
            p=0.0, q=0.0, loss=0.0, because=because,
        )  # fmt: skip
        try:
            found = enclosed(self.scene.follower, draft, THOROUGH if self.far else QUICK)
            if found is None or self._agrees(played, found) or self._agrees_finely(found):
                return found
        except (NotEnclosed, Unsupported):
            pass
        return recomputed(self.scene.follower, draft)

    def _agrees(self, played: Played, witness: Witness) -> bool:
        """Whether the search's own, coarse estimates say about the same."""
        logs = sorted(self.chances.logs(played))
        found = sorted(((witness.p, witness.p_error), (witness.q, witness.q_error)))
        return all(
            (x == -inf and y == 0) or (y > 0 and log(max(y - e, TINY)) - COARSELY < x < log(y + e) + COARSELY)
            for x, (y, e) in zip(logs, found, strict=True)
        )

    def _agrees_finely(self, witness: Witness) -> bool:
        """The same for the search's fine quadrature: for long streams the coarse one may be far off."""
        fine = confirmed(self.scene.follower, witness.streams, witness.event, "", TO_COMPARE, Work(MOST_FINE))
        if fine is None or fine.streams != witness.streams:
            return False
        pairs = ((fine.p, witness.p), (fine.q, witness.q))
        return all(abs(x - y) <= AS_CLOSE * max(x, y) for x, y in pairs)


def changes(pattern: Pattern, scene: Scene) -> Iterator[Callable[[Pattern], Pattern | None]]:
    """Ways to change one thing of a pattern; each may be applied again while it helps."""
    if sum(leg.kind == "fire" for leg in pattern.legs) > 1:
        yield _again
    for place, leg in enumerate(pattern.legs if scene.streams else ()):
        if leg.kind in ("hover", "reach", "rise", "run", "feed"):
            yield _changed(place, lambda x: replace(x, count=2 * x.count + 1))
        if leg.kind in ("hover", "reach", "fire") and abs(leg.level) != inf:
            yield _changed(place, lambda x: replace(x, level=x.level - 1))
            yield _changed(place, lambda x: replace(x, level=x.level + 1))
        if leg.kind == "fire":
            yield _changed(place, lambda x: replace(x, level=x.level - 3))
            yield _changed(place, lambda x: replace(x, count=x.count + 1))
        if leg.count > 1:
            yield _changed(place, lambda x: replace(x, count=x.count // 2) if x.count > 1 else None)
        if scene.everywhere:
            for move in (-1, 0, 1):
                yield _changed(place, lambda x, move=move: replace(x, move=move))  # type: ignore[misc]
    yield lambda p: replace(p, depth=p.depth + 1)
    yield lambda p: replace(p, depth=p.depth - 1)
    if any(leg.change for leg in pattern.legs) and not scene.everywhere:
        yield lambda p: replace(p, swap=p.swap + 1)
    if scene.chooses:
        yield lambda p: replace(p, pick=p.pick + 1)


def _changed(place: int, change: Callable[[Leg], Leg | None]) -> Callable[[Pattern], Pattern | None]:
    def apply(pattern: Pattern) -> Pattern | None:
        leg = change(pattern.legs[place])
        if leg is None or leg.count > 4000:
            return None
        return replace(pattern, legs=(*pattern.legs[:place], leg, *pattern.legs[place + 1 :]))

    return apply


def _again(pattern: Pattern) -> Pattern | None:
    """The last two legs once more: another report, and what led to it."""
    return replace(pattern, legs=pattern.legs + pattern.legs[-2:]) if len(pattern.legs) < MOST_LEGS else None


def stream_of(scene: Scene, phases: list[Any]) -> tuple[Entry, ...]:
    """Entry by entry; for datasets the records."""
    streams = [i.name for i in scene.program.inputs if i.kind != "dataset"]
    if not streams:
        names = [i.name for i in scene.datasets]
        table = phases[0].entry
        return tuple(entry_of({n: table[n][k] for n in names}, names) for k in range(len(table[names[0]])))
    return tuple(entry_of(phase.entry, streams) for phase in phases for _ in range(phase.repeat))


def event_of(played: Played) -> Event:
    reports: list[tuple[int, str, object]] = []
    step, stopped, result = 0, None, None
    for phase in played.first:
        for _ in range(phase.repeat):
            step += 1
            reports += [(step, name, value) for name, value in phase.observed.items() if name != "stop"]
            if phase.observed["stop"] is not None:
                stopped = step
                result = None if phase.observed["stop"][1] is True else phase.observed["stop"][1]
    if stopped is None:
        return Event(not_by=step, reports=tuple(reports))
    return Event(stopped_at=stopped, result=result, reports=tuple(reports))


def reason(scene: Scene, pattern: Pattern) -> str:
    """One sentence on what the pattern does."""
    words: list[str] = []
    for leg in pattern.legs:
        target = scene.targets[leg.target % len(scene.targets)].gate if scene.targets else ""
        match leg.kind:
            case "hover":
                words.append(f"hover near the boundary of {target}")
            case "reach":
                words.append(f"go to the boundary of {target}")
            case "rise":
                words.append("leave the floor")
            case "fire" | "now":
                words.append(f"then let {target} happen" if words else f"let {target} happen")
            case "merge":
                words.append("wait until the streams agree again")
            case "feed":
                words.append("go on with another one" if words else "begin with one entry")
            case "run":
                words.append("compare what is shown")
        if len(words) > 4 and words[-2:] == words[-4:-2]:
            return ", ".join([*words[:-2], "and so on"])
    return ", ".join(words)
