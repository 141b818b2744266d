"""Two neighbouring streams played against one transcript.

A `Leg` is a stretch of the streams with one intention: hover at a level of a gate's margin (reach: even if a moving
boundary runs ahead for a while), let a gate fire (at a level, or now, wherever the margin is), rise towards a level for
some steps, wait until both streams are in the same state again, or simply run. A `Pattern` is a few legs; `play` turns
it into both streams and the transcript (as phases), choosing entries by `Scene.aim` and completing what the transcript
must contain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from math import ceil, exp, floor, inf
from typing import Any, Literal

from seqlang.analyses.witnesses.scene import Entry, Scene, Target
from seqlang.backends.transcript.facts import Fact
from seqlang.backends.transcript.follow import Phase, told_apart
from seqlang.backends.transcript.integrals.probability import log_probability
from seqlang.backends.transcript.integrals.quadrature import COARSE
from seqlang.backends.transcript.reported_value import UNKNOWN
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.operators.groups import EXTREMES
from seqlang.proof.family import FamilyStep
from seqlang.record import field, mutable_record, record

MOST_ARRIVING = 120
MOST_WAITING = 1500
MOST_TOLD = 4
"""Reports of one step, beside the one that is aimed at."""
FIRST = (1, 0, 2)
"""What is tried for a choice that later statements of the step read, before its value is chosen."""
WINDOW = 0.25
"""Half of the length of a window, in scales of the noise."""
Step = tuple[Any, list[Fact]]
"""Next state (None after a stop) and facts, as `Follower.look` gives them."""


@record
class Leg:
    """`level` is a margin in units of the target's noise scale. `move`: how the second stream's entries differ in this
    leg where every entry may move (-1, 0, 1). `change`: the changed entry is the leg's first (one-entry adjacency).
    To feed is to run with an entry of its own, the scene's of the number `target`."""

    kind: Literal["hover", "reach", "rise", "fire", "now", "merge", "run", "feed"]
    target: int
    level: float
    count: int
    move: int = 0
    change: bool = False


@record
class Pattern:
    """`swap` chooses the pair of entries at the change; `release` what is told of released values ("any", "tail",
    "between", "low", "high", "point", "window"), `depth` how deep in the tail (scales), or how often a window is
    halved; `pick` which value of a choice. `turned`: of several changed entries every second one changes the other way
    round."""

    legs: tuple[Leg, ...]
    swap: int = 0
    release: str = "tail"
    depth: float = 0.0
    pick: int = 0
    data: int = 0
    turned: bool = False


@mutable_record
class Played:
    """`left`: entries that the second stream, being that many entries behind the first, has still to come."""

    first: list[Phase] = field(default_factory=list)
    second: list[Phase] = field(default_factory=list)
    length: int = 0
    left: tuple[Entry, ...] = ()


def play(scene: Scene, pattern: Pattern, horizon: int, data: tuple[Entry, Entry] | None = None) -> Played | None:
    """The streams and transcript of the pattern; None where it cannot be played within the horizon."""
    return _Stage(scene, pattern, horizon, data).play()


def replay(
    scene: Scene, pattern: Pattern, steps: Sequence[tuple[Entry, Entry, str | None]], horizon: int
) -> Played | None:
    """The transcript of given streams: what happens in each step is said, the rest is completed as for a pattern."""
    return _Stage(scene, pattern, horizon, None).replay(steps)


def play_apart(scene: Scene, pattern: Pattern, cuts: Sequence[int], horizon: int) -> list[list[FamilyStep]] | None:
    """The steps of the pattern's legs up to each of the cuts (numbers of legs), one list each, and of those that are
    left; None where it cannot be played to its end."""
    stage = _Stage(scene, pattern, horizon, None)
    names = [i.name for i in scene.program.inputs if i.kind != "dataset"]
    found: list[list[FamilyStep]] = []
    done = 0
    for low, high in pairwise((0, *cuts, len(pattern.legs))):
        for leg in pattern.legs[low:high]:
            if stage.over or not stage.plays(leg):
                return None
        pairs = zip(_unrolled(stage.played.first), _unrolled(stage.played.second), strict=True)
        steps = [
            FamilyStep({n: a.entry[n] for n in names}, {n: b.entry[n] for n in names}, a.observed) for a, b in pairs
        ]
        found.append(steps[done:])
        done = len(steps)
    return found


@cache
def _few_first(count: int) -> tuple[tuple[bool, ...], ...]:
    """All choices of some of so many, those of few first."""
    return tuple(sorted(product((False, True), repeat=count), key=sum))


def _unrolled(phases: Sequence[Phase]) -> list[Phase]:
    return [phase for phase in phases for _ in range(phase.repeat)]


def _seen_by_one(mine: Fact, theirs: Fact) -> tuple[Any, ...]:
    """Of a list that shows elements above thresholds: those that only the first dataset can show are shown."""
    _, _, _, _, (_, mine_hold, thresholds, _), _ = mine
    their_hold = theirs[4][1]
    return tuple(
        (limit, inf) if here and not there else True
        for here, there, limit in zip(mine_hold, their_hold, thresholds, strict=True)
    )


def pick_extreme(post: Any, value: Any) -> Any:
    """The number that is released where it is the largest or the smallest of a vector."""
    return {"max": max, "min": min}[post](value) if post in EXTREMES else value


class _Stage:
    def __init__(self, scene: Scene, pattern: Pattern, horizon: int, data: tuple[Entry, Entry] | None) -> None:
        self.scene, self.pattern, self.horizon = scene, pattern, horizon
        self.data = data or ({}, {})
        self.states = [scene.start, scene.start]
        self.played = Played()
        self.over = False
        self.changed = 0
        self.used: set[Any] = set()
        self._tellings: dict[str | None, list[dict[str, Any]]] = {}

    def play(self) -> Played | None:
        for leg in self.pattern.legs:
            if self.over:
                break
            if not self.plays(leg):
                # hovering up to the horizon is as good an end as any
                cut_short = leg is self.pattern.legs[-1] and leg.kind in ("hover", "run")
                if not cut_short or self.played.length < self.horizon:
                    return None
        return self.played if self.played.length else None

    def plays(self, leg: Leg) -> bool:
        return bool(getattr(self, f"_{leg.kind}")(leg))

    def replay(self, steps: Sequence[tuple[Entry, Entry, str | None]]) -> Played | None:
        for first, second, fire in steps:
            if self.over or not self._advance(first, second, fire):
                return None
        return self.played if self.played.length else None

    # ---- legs

    def _run(self, leg: Leg, fed: Entry | None = None) -> bool:
        for i in range(leg.count):
            change = i < self.scene.changes
            pair = self._entries(leg, change, None, inf) if fed is None or (change and leg.change) else (fed, fed)
            if not self._advance(*pair, None):
                return False
            if self.over:
                break
        return True

    def _feed(self, leg: Leg) -> bool:
        return self._run(leg, self.scene.entries[leg.target % len(self.scene.entries)])

    def _hover(self, leg: Leg) -> bool:
        target = self._target(leg)
        level = leg.level * target.scale
        changed = leg.change
        if changed and not self._change(leg, target, level):
            return False
        if not self._arrive(leg, target, level, changed):
            return False
        return all(self.over or self._step(leg, target, level, False) for _ in range(leg.count))

    def _fire(self, leg: Leg) -> bool:
        target = self._target(leg)
        level = leg.level * target.scale
        change = leg.change
        for _ in range(leg.count):
            if not self._until_fired(leg, target, level, change):
                return False
            change = False
            if self.over:
                return True
        return True

    def _rise(self, leg: Leg) -> bool:
        target = self._target(leg)
        return all(self.over or self._step(leg, target, leg.level * target.scale, False) for _ in range(leg.count))

    def _reach(self, leg: Leg) -> bool:
        """Walks on even where the margin moves away for a while: the steps' boundary may run ahead at first."""
        target = self._target(leg)
        level = leg.level * target.scale
        if leg.change and not self._change(leg, target, level):
            return False
        for _ in range(MOST_WAITING):
            entry = self.scene.aim(self.states[0], target, level)
            margin = self.scene.margin(self.states[0], entry, target)
            if margin is None or self.over:
                return False
            if self._close(margin, level):
                break
            if not self._advance(*self._both(leg, target, level, entry), None):
                return False
        return all(self.over or self._step(leg, target, level, False) for _ in range(leg.count))

    def _now(self, leg: Leg) -> bool:
        target = self._target(leg)
        return self._advance(*self._entries(leg, leg.change, target, leg.level * target.scale), target.gate)

    def _until_fired(self, leg: Leg, target: Target, level: float, change: bool) -> bool:
        before = None
        for waited in range(MOST_WAITING):
            first, second = self._entries(leg, change, target, level)
            margin = self.scene.margin(self.states[0], first, target)
            active = self.scene.active(self.states[0], first, target.gate)
            if active and (not target.noisy or self._near(margin, before, level)):
                if self._advance(first, second, target.gate):
                    return True
                if target.noisy:
                    return False
            if active and waited > MOST_ARRIVING:
                return False
            if not self._advance(first, second, None) or self.over:
                return False
            before = margin if not change else None
            change = change and waited + 1 < self.scene.changes
        return False

    def _near(self, margin: float | None, before: float | None, level: float) -> bool:
        """At the level as near as the entries get: there, or no longer nearing it."""
        if margin is None:
            return False
        if abs(level) == inf:
            return before is not None and margin == before
        if abs(margin - level) < 1e-9 or self._close(margin, level):
            return True
        return before is not None and abs(margin - level) >= abs(before - level) - 1e-9

    def _close(self, margin: float, level: float) -> bool:
        return abs(margin - level) <= 0.26 * max(t.scale for t in self.scene.targets)

    def _merge(self, leg: Leg) -> bool:
        target = self._target(leg)
        for _ in range(MOST_ARRIVING):
            if self.states[0] == self.states[1]:
                return True
            if self.over or not self._step(leg, target, leg.level * target.scale, False):
                return False
        return False

    def _arrive(self, leg: Leg, target: Target, level: float, moving: bool) -> bool:
        """Walks until the next entry would be at the level, or no entry gets nearer."""
        before: float | None = None
        for waited in range(MOST_WAITING):
            if self.over:
                return False
            entry = self.scene.aim(self.states[0], target, level)
            margin = self.scene.margin(self.states[0], entry, target)
            if margin is None or self._near(margin, before, level):
                return True
            if waited > MOST_ARRIVING and self.scene.active(self.states[0], entry, target.gate):
                return False
            before = margin
            if not self._advance(*self._both(leg, target, level, entry), None):
                return False
        return False

    def _change(self, leg: Leg, target: Target, level: float) -> bool:
        """As many changed entries one after the other as neighbours may differ in."""
        return all(self.over or self._step(leg, target, level, True) for _ in range(self.scene.changes))

    def _step(self, leg: Leg, target: Target, level: float, change: bool) -> bool:
        return self._advance(*self._entries(leg, change, target, level), None)

    def _target(self, leg: Leg) -> Target:
        return self.scene.targets[leg.target % len(self.scene.targets)]

    def _entries(self, leg: Leg, change: bool, target: Target | None, level: float) -> tuple[Entry, Entry]:
        if change and leg.change and not self.data[0]:
            pairs = self.scene.swaps(self.states[0], target, level)
            if self.pattern.swap >= len(pairs):
                raise Unsupported("no further pair of entries")
            first, second = pairs[self.pattern.swap]
            return (second, first) if self.pattern.turned and self.changed % 2 else (first, second)
        entry = self.scene.aim(self.states[0], target, level) if target else self.scene.entries[0]
        return self._both(leg, target, level, entry)

    def _both(self, leg: Leg, target: Target | None, level: float, entry: Entry) -> tuple[Entry, Entry]:
        """The entries of both streams where the first one's is this."""
        if self.data[0]:
            return {**self.scene.entries[0], **self.data[0]}, {**self.scene.entries[0], **self.data[1]}
        if target and not target.noisy and leg.move and level == 0 and self.scene.everywhere:
            entry = self.scene.moved(entry, -leg.move, 0.5)  # the streams stand on the two sides of the condition
        if not (self.scene.everywhere and leg.move):
            return entry, entry
        moved = self.scene.moved(entry, leg.move)
        if moved == entry:  # at an end of the domain: the second stream is there instead
            entry = self.scene.moved(entry, -leg.move)
            moved = self.scene.moved(entry, leg.move)
        return entry, moved

    # ---- one step

    def _advance(self, first: Entry, second: Entry, fire: str | None) -> bool:
        """Adds a step in which `fire` (a report, `stop 2`, or nothing) happens; False if the first stream cannot."""
        if self.played.length >= self.horizon:
            return False
        inserted = self.scene.inserting and first != second
        if self.played.left and not inserted:
            second = self.played.left[0]
        found = self._told(first, fire)
        if found is None:
            return False
        told, mine = found
        other = mine if self._alike(first, second) else self._look(1, second, told)
        chosen = self._chosen(first, second, told, mine[1], other[1])
        if chosen is not told:
            told, mine = chosen, self._look(0, first, chosen)
            other = mine if self._alike(first, second) else self._look(1, second, chosen)
        possible = self.scene.follower.possible
        first_can = possible(mine[1])
        second_can = first_can if other is mine else possible(other[1])
        if not first_can:
            return False
        self._add(self.played.first, first, told)
        self._add(self.played.second, second, told)
        self.played.length += 1
        self.changed += first != second
        if inserted or self.played.left:
            self.played.left = (*self.played.left[not inserted :], first)
        # after a stop, or once the second stream cannot follow, nothing that comes later matters
        self.over = mine[0] is None or not second_can or other[0] is None
        self.states = [mine[0], other[0]]
        return True

    def _look(self, stream: int, entry: Entry, told: Mapping[str, Any]) -> Step:
        return self.scene.follower.step_from(self.states[stream], entry, told)

    def _alike(self, first: Entry, second: Entry) -> bool:
        """Whether this step is the same one for both streams."""
        return second is first and self.states[1] is self.states[0]

    def _add(self, phases: list[Phase], entry: Entry, told: Mapping[str, Any]) -> None:
        if phases and phases[-1].entry == entry and told_apart(phases[-1].observed) == told_apart(told):
            phases[-1] = Phase(entry, told, phases[-1].repeat + 1)
        else:
            phases.append(Phase(entry, told, 1))

    def _told(self, entry: Entry, fire: str | None) -> tuple[dict[str, Any], Step] | None:
        """What the transcript must say in this step: the fired gate, and what the past makes certain. With the step
        that the first stream takes then."""
        possible = self.scene.follower.possible
        if fire not in self._tellings:
            self._tellings[fire] = self._ways_to_tell(fire)
        for told in self._tellings[fire]:
            step = self._look(0, entry, told)
            if possible(step[1]):
                return told, step
        return None

    def _ways_to_tell(self, fire: str | None) -> list[dict[str, Any]]:
        """What the transcript may say where `fire` happens, the shortest first. Nobody changes these."""
        fixed: dict[str, Any] = {"stop": None}
        if fire is not None and (index := self.scene.stop_by_gate.get(fire)) is not None:
            fixed["stop"] = (index, None if self.pattern.release == "any" else self.scene.labels.get(index))
        elif fire is not None:
            fixed[fire] = True
        names = [name for name in (*self.scene.optional, *self.scene.plain_events) if name != fire]
        stops: list[Any] = [fixed["stop"]]
        if fixed["stop"] is None:
            stops += [(i, self.scene.labels.get(i)) for i in (*self.scene.public_stops, *self.scene.plain_stops)]
        found = []
        for flags in _few_first(min(len(names), MOST_TOLD)):
            told = [name for name, flag in zip(names, flags, strict=False) if flag]
            for values in product(*map(self._any, told)):
                chosen = dict(zip(told, values, strict=True))
                found += [{**fixed, **chosen, "stop": stop} for stop in stops]
        return found

    def _any(self, name: str) -> tuple[Any, ...]:
        """Told of a report before its value is chosen: any value; a number where later steps must read one."""
        if self.pattern.release != "point" or name not in self.scene.value_reports:
            return (True,)
        first = self.pattern.pick % len(FIRST)
        return FIRST[first:] + FIRST[:first] if name in self.scene.chosen_reports else (0,)

    def _chosen(
        self, first: Entry, second: Entry, told: dict[str, Any], mine: Sequence[Fact], other: Sequence[Fact]
    ) -> dict[str, Any]:
        """What is told of released values and choices in this step. `mine`, `other`: the facts of both streams before
        anything is told of these; `told` itself is returned where there are none."""
        if told["stop"] is None and not [f for f in mine if f[0] in ("release", "open")]:
            return told
        told = dict(told)
        asked, returned = self.pattern.release != "any", self.scene.result_gates.values()
        if asked and told["stop"] is not None and told["stop"][1] is None and told["stop"][0] in returned:
            told["stop"] = (told["stop"][0], True)
            _, mine = self._look(0, first, told)
            _, other = self._look(1, second, told)
        theirs = {f[-1]: f for f in other if f[0] in ("release", "open")}
        for fact in mine:
            if fact[0] == "release":
                self._tell(told, fact[-1], self._range(fact, theirs.get(fact[-1]), mine))
            elif fact[0] == "open" and fact[1]:  # weights may differ so much that no choice has a chance above 0
                self._tell(told, fact[-1], self._pick(fact, first, second, told))
        return told

    def _tell(self, told: dict[str, Any], name: str, value: Any) -> None:
        if name in self.scene.result_gates:
            told["stop"] = (told["stop"][0], value)
        else:
            told[name] = value

    def _range(self, mine: Fact, theirs: Fact | None, facts: Sequence[Fact]) -> Any:
        _, _, value, terms, post, _ = mine
        if not terms:
            return True if value is UNKNOWN else value
        if theirs is None or self.pattern.release == "any" or post == "other":
            return True
        if self.pattern.release == "window":
            return self._window(pick_extreme(post, value), terms)
        keys = self.scene.follower.noises(facts, terms)
        if keys & self.used:
            return True  # a noise that another range reads already: the law would not factorise
        other = theirs[2]
        value, other = pick_extreme(post, value), pick_extreme(post, other)
        if isinstance(value, (tuple, range)) and len(value) != len(other):
            return True  # one dataset has a record more: there is no coordinate against coordinate
        if isinstance(post, tuple) and post[0] == "above":
            told = _seen_by_one(mine, theirs)
            different = any(t is not True for t in told)
        elif isinstance(value, (tuple, range)):
            told = tuple(self._one_range(a, b, terms) for a, b in zip(value, other, strict=True))
            different = any(t is not True for t in told)
        else:
            told = self._one_range(value, other, terms)
            different = told is not True
        if different and not any(k[-1] is ... for k in keys):
            self.used |= keys
        return told if different else True

    def _window(self, value: Any, terms: Any) -> Any:
        """What noises near 0 make of the value: several such ranges of one noise are together unlikely, or impossible,
        in a stream of which the values lie elsewhere beside each other."""
        half = self.scene.follower.law((terms[0][0],)).scale * WINDOW * 2.0**-self.pattern.depth
        if isinstance(value, (tuple, range)):
            return tuple((v - half, v + half) for v in value)
        return (value - half, value + half)

    def _one_range(self, mine: float | None, theirs: float | None, terms: Any) -> Any:
        if mine is None or theirs is None:  # the largest of no entry: the step has no value in one of the streams
            return True
        law = self.scene.follower.law((terms[0][0],))
        mode, lattice = self.pattern.release, law.kind == "lattice"
        deep = self.pattern.depth * law.scale
        if mode == "point":
            return mine + round(self.pattern.depth) if lattice else True
        if mode == "low":
            return (-inf, floor(mine + deep) if lattice else mine + deep)
        if mode == "high":
            return (ceil(mine - deep) if lattice else mine - deep, inf)
        if mine == theirs:
            return True
        cut = (mine + theirs) / 2 if mode == "between" else mine + deep * (1 if mine > theirs else -1)
        if mine > theirs:
            return (ceil(cut) if lattice else cut, inf)
        return (-inf, floor(cut) if lattice else cut)

    def _winners(self, fact: Fact, first: Entry, second: Entry, told: dict[str, Any]) -> list[Any] | None:
        """Of a noisy maximum the positions, first those that move against the likely winner (or, if there is none,
        against most others) and win seldom."""
        trial = dict(told)
        self._tell(trial, fact[-1], fact[1][0])
        values = []
        for state, entry in zip(self.states, (first, second), strict=True):
            _, facts = self.scene.follower.step_from(state, entry, trial)
            values += [(f[2], f[4]) for f in facts if f[0] == "argmax" and f[5] == fact[-1]]
        if len(values) != 2 or len(values[0][0]) != len(values[1][0]):
            return None  # one dataset has a record more: there is no position against position
        (mine, sign), (other, _) = values
        moves = [b - a for a, b in zip(mine, other, strict=True)]
        top = max(sign * v for v in mine)
        likely = {m for m, v in zip(moves, mine, strict=True) if sign * v == top}
        rest = likely.pop() if len(likely) == 1 else sorted(moves)[len(moves) // 2]
        return [k + 1 for k in sorted(range(len(moves)), key=lambda k: (-abs(moves[k] - rest), sign * mine[k], k))]

    def _pick(self, fact: Fact, first: Entry, second: Entry, told: dict[str, Any]) -> Any:
        """The value of a choice whose chances differ most (`pick` 0), next most, .."""
        values = list(fact[1])
        apart = self._winners(fact, first, second, told)
        if apart is not None:
            return apart[self.pattern.pick % len(apart)]
        ranked = []
        for place, value in enumerate(values[:64]):
            trial = dict(told)
            self._tell(trial, fact[-1], value)
            chances = []
            for state, entry in zip(self.states, (first, second), strict=True):
                _, facts = self.scene.follower.step_from(state, entry, trial)
                found = [f[1] for f in facts if f[0] == "chance" and f[2] == fact[-1]]
                chances.append(found[0] if found else self._chance(facts))
            low, high = sorted(chances)
            ratio = high / low if low > 0 else (inf if high > 0 else 1.0)
            ranked.append((-ratio, place, value))
        ranked.sort()
        return ranked[self.pattern.pick % len(ranked)][2]

    def _chance(self, facts: list[Fact]) -> float:
        """About the chance of a step, whatever is known of noise that lasts; 0.5 where that is not known."""
        try:
            pieces, factor = self.scene.follower.pieces(facts)
            answer = log_probability(dict.fromkeys(pieces, 1), self.scene.follower.law, COARSE)
        except Unsupported:
            return 0.5
        return exp(factor + answer.log)
