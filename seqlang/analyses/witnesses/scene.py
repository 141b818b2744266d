"""What a search for witnesses may do with one program: which entries there are, who is a neighbour, how to aim.

A stream is built entry by entry. `aim` chooses the entry that brings a gate's margin nearest to a target; `moved` and
`swaps` give the neighbouring entries that the adjacency allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import ceil, inf, isinf, log2
from typing import Any

from seqlang.analyses.faint import coins_are_clear, faint_gates
from seqlang.analyses.witnesses.domains import MOST_ENTRIES, Domains, tidy
from seqlang.analyses.witnesses.margins import margins
from seqlang.analyses.witnesses.moving import Vector, measured_move, moved_vector, moved_within
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.transcript.facts import Fact
from seqlang.backends.transcript.follow import NOTHING, Follower
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.domain import Integers, Interval
from seqlang.model.expression import Apply, Expression, Label, Number, ParameterValue, walk
from seqlang.model.gate_source import OfEvent, OfResult, OfStop, OfValue, name_of
from seqlang.model.life import EachStep
from seqlang.model.program import (
    AddRemove,
    AllSteps,
    Cell,
    ChooseGate,
    CompareGate,
    Define,
    Input,
    LastSteps,
    Program,
    PublicGate,
    ReleaseGate,
    Replace,
    Report,
    Stop,
    Within,
)
from seqlang.record import record

Entry = Mapping[str, Any]
FAR = (16, 2)  # noise scales that an entry without bounds may be changed by
MOST_CLOSED = 3000
MOST_UNSEEN = 200
SHORT = 40
MOST_HELD = 100_000  # records of a dataset, entries of a vector
FEW_RECORDS = 1000  # of a dataset: what a look at more of them costs is charged


@record
class Target:
    """A margin of a gate: its place among the gate's margins, whether noise is added to it, whether some of that noise
    is drawn anew in each step, and whether the gate is a stop's condition."""

    gate: str
    index: int
    noisy: bool
    scale: float
    fresh: bool = True
    stops: bool = False


class Scene:
    """Raises `Unsupported` where the program's steps cannot be followed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        if not coins_are_clear(program):
            raise Unsupported("a hidden choice with a chance that floats do not tell from 0")
        self.follower = Follower(program, faint_gates(program), keeping=True)
        self.domains = Domains(self.value)
        if max([self.size(), *(self.domains.dimension(i.domain) for i in program.inputs)]) > MOST_HELD:
            raise Unsupported("too many records or dimensions for streams that people read")
        self.start = self.follower.stepper.start
        self.streams = [i for i in program.inputs if i.kind == "stream"]
        self.datasets = [i for i in program.inputs if i.kind == "dataset"]
        self.continuous = next((i for i in self.streams if isinstance(i.domain, Interval)), None)
        self.aimed = self.continuous or next((i for i in self.streams if isinstance(i.domain, Integers)), None)
        self.ranges = {i.name: self.domains.range(i.domain) for i in program.inputs}
        publics = {i.name: self.domains.public(i) for i in program.inputs if i.kind == "public"}
        self.entries = self._entries(publics)
        self.ranked = sorted(self.entries, key=lambda entry: tuple(entry[i.name] for i in self.streams))
        self.radius = self._radius()
        stops = [s for s in program.body if isinstance(s, Stop)]
        self.labels = {s.index: s.result.name for s in stops if isinstance(s.result, Label)}
        # (index, the label that it surely returns) of every stop
        self.stops = [(s.index, self.labels.get(s.index)) for s in stops]
        self.optional = self._obligations()
        self.value_reports = {s.name for s in program.body if isinstance(s, Report) and s.value is not None}
        chosen = [g.source for g in program.gates if isinstance(g, ChooseGate | CompareGate)]
        self.chosen_reports = {source.report for source in chosen if isinstance(source, OfValue)}
        public_gates = {g.source for g in program.gates if not isinstance(g, CompareGate)}
        self.public_stops = [s.index for s in stops if OfStop(s.index) in public_gates]
        self.stop_by_gate = {name_of(OfStop(s.index)): s.index for s in stops}
        # a public result is known from the rest of the transcript: nothing is told of it
        self.result_gates = {
            g.name: g.source.stop
            for g in program.gates
            if isinstance(g.source, OfResult) and not isinstance(g, PublicGate)
        }
        self.known_pairs: list[tuple[Entry, Entry]] | None = None
        held = sum(self._size_of(c) for c in program.body if isinstance(c, Cell))
        records = self.size() if self.datasets else 0
        self.weight = 1 + (held + max(0, records - FEW_RECORDS)) / 300
        if held + 300 > MOST_HELD or self._longest() > MOST_HELD:
            raise Unsupported("too many accumulators for streams that people read")
        self._aims: dict[object, Entry] = {}
        self._moves: dict[object, Entry] = {}
        self.targets = self._targets()
        noisy = {t.gate for t in self.targets if t.noisy}
        plain = list(dict.fromkeys(t.gate for t in self.targets if t.gate not in noisy))
        # what the data alone decide: a transcript must tell of it where it happens
        decided = {*self.stop_by_gate, *self.optional}
        self.plain_events = [gate for gate in plain if gate not in decided]
        self.plain_stops = [self.stop_by_gate[gate] for gate in plain if gate in self.stop_by_gate]
        self.closed = self._closed()
        self.shown_after = self._shown_after()
        self.length = self._length()

    def value(self, expression: Any) -> float:
        return float(self.follower.stepper.value(expression))

    def _entries(self, publics: dict[str, Any]) -> list[Entry]:
        entries: list[dict[str, Any]] = [dict(publics)]
        far = []
        if isinstance(self.program.adjacency, Replace):  # an entry of an unbounded domain may be changed to anything
            far = [s * 2.0 ** ceil(log2(by * self.noise_scale(1.0))) for by in FAR for s in (-1, 1)]
        for source in self.streams:
            low, high = self.ranges[source.name]
            unbounded = isinstance(source.domain, Interval) and isinf(high - low)
            more = [tidy(x) for x in far if unbounded and low <= x <= high]
            entries = [{**e, source.name: v} for e in entries for v in (*self.domains.values(source), *more)]
        return list(entries[: 4 * MOST_ENTRIES]) if self.streams else [publics]

    # ---- gates

    def _obligations(self) -> list[str]:
        """Reports that the transcript so far decides: value reports and public events."""
        compares = {g.name for g in self.program.gates if isinstance(g, CompareGate) and isinstance(g.source, OfEvent)}
        return [s.name for s in self.program.body if isinstance(s, Report) and s.name not in compares]

    def _targets(self) -> list[Target]:
        """The margins to aim at, found by looking at one step."""
        _, facts = self.follower.step_from(self.start, self.base(), NOTHING)
        found: list[Target] = []
        for gate, test in tests(facts):
            for index, (_, terms, _) in enumerate(margins(test)):
                scale = self._scale(terms)
                if scale is not None:
                    fresh = any(isinstance(self.follower.stepper.lives[name], EachStep) for name, _ in terms)
                    found.append(Target(gate, index, bool(terms), scale, fresh, gate in self.stop_by_gate))
        return found

    def _closed(self) -> int:
        """For how many steps no comparison is looked at."""
        state, entry = self.start, self.base()
        for step in range(int(MOST_CLOSED / self.weight) if self.targets else 0):
            state, facts = self.follower.step_from(state, entry, NOTHING)
            if any(f[0] == "compare" for f in facts):
                return step
            if state is None or not self.follower.possible(facts):
                break
        return 0

    def _shown_after(self) -> int:
        """How many steps pass before anything is released or reported for public reasons; 0 where that is not soon."""
        stops = [None, *((index, self.labels.get(index)) for index in self.public_stops)]
        told = [{"stop": stop, name: True} for name in self.optional for stop in stops]
        state, entry = self.start, self.base()
        for step in range(int(MOST_UNSEEN / self.weight) if self.streams else 0):
            with suppress(Unsupported):
                if any(self.follower.possible(self.follower.step_from(state, entry, one)[1]) for one in told):
                    return step
            state, facts = self.follower.step_from(state, entry, NOTHING)
            if state is None or not self.follower.possible(facts):
                break
        return 0

    def _length(self) -> int:
        """After how many steps a run surely ends; 0 where that is not soon."""
        state, entry = self.start, self.base()
        for step in range(1, SHORT + 1 if self.follower.stepper.reads_step and self.weight < 2 else 1):
            state, facts = self.follower.step_from(state, entry, NOTHING)
            if state is None:
                return 0
            if any(f[0] == "certain" and not f[1] for f in facts):
                return step
        return 0

    def _scale(self, terms: Sequence[tuple[str, Any]]) -> float | None:
        """The largest scale of the fresh noises, else of all; 1 without noise."""
        scales: list[tuple[bool, float]] = []
        for name, factor in terms:
            raw = self.follower.stepper.laws.get(name)
            if raw is None or isinstance(factor, tuple):
                return None
            fresh = isinstance(self.follower.stepper.lives[name], EachStep)
            scales.append((fresh, abs(factor) * self.follower.law((name,)).scale))
        return max(scales)[1] if scales else 1.0

    def base(self) -> Entry:
        data = {i.name: (self.domains.values(i)[0],) * self.size() for i in self.datasets}
        return {**self.entries[0], **data}

    def size(self) -> int:
        return int(self.value(self.program.size)) if self.program.size is not None else 1

    def margin(self, state: Any, entry: Entry, target: Target) -> float | None:
        """The plain margin in this step; None where the gate's margin has no value."""
        _, facts = self.follower.step_from(state, entry, NOTHING)
        for fact in facts:
            if fact[-1] == target.gate and fact[0] in ("compare", "idle"):
                found = margins(fact[-2])
                if target.index < len(found):
                    value = found[target.index][0]
                    return None if isinstance(value, tuple) else float(value)
        return None

    def active(self, state: Any, entry: Entry, gate: str) -> bool:
        _, facts = self.follower.step_from(state, entry, NOTHING)
        return any(f[0] == "compare" and f[3] == gate for f in facts)

    # ---- aiming

    def aim(self, state: Any, target: Target, level: float) -> Entry:
        """The entry whose margin is nearest to `level` (which may be infinite: the extreme entry)."""
        memo = (state, id(target), level)  # a target lives as long as the scene
        found = self._aims.get(memo)
        if found is None:
            found = self._aims[memo] = self._aim(state, target, level)
        return found

    def _aim(self, state: Any, target: Target, level: float) -> Entry:
        reached = [(self.margin(state, entry, target), entry) for entry in self.entries]
        known = [(m, e) for m, e in reached if m is not None and m == m]
        if not known:
            return self.entries[0]
        if isinf(level):
            return (max if level > 0 else min)(known, key=lambda me: me[0])[1]
        best = min(known, key=lambda me: abs(me[0] - level))
        if self.aimed is None or best[0] == level:
            return best[1]
        return self._solve(state, target, level, known, best)

    def _solve(
        self, state: Any, target: Target, level: float, known: list[tuple[float, Entry]], best: tuple[float, Entry]
    ) -> Entry:
        """The numeric field so that the margin is the level, or near it: a secant kept inside its bracket."""
        assert self.aimed is not None
        name, whole = self.aimed.name, self.continuous is None
        low, high = self.ranges[name]
        same = [(m, e) for m, e in known if all(e[k] == best[1][k] for k in e if k != name)]
        unit = 1.0 if whole else 2.0 ** (int(log2(max(target.scale, 1e-12))) - 10)
        near = 0.02 * (min(target.scale, self.radius) if target.noisy and not target.fresh else target.scale)
        for turn in range(24):
            if abs(best[0] - level) <= near:
                break
            below = max((me for me in same if me[0] <= level), key=lambda me: me[0], default=None)
            above = min((me for me in same if me[0] >= level), key=lambda me: me[0], default=None)
            farthest = max(same, key=lambda me: abs(me[0] - best[0]))
            first, second = (below, above) if below and above else (best, farthest)
            assert first is not None and second is not None
            slope = second[0] - first[0]
            if slope == 0 or isinf(slope):
                break
            x = first[1][name] + (level - first[0]) * (second[1][name] - first[1][name]) / slope
            if below and above and turn > 3 and turn % 2:
                x = _middle(first[1][name], second[1][name])
            # as round a number as keeps the margin: finer where it changes fast, as a logarithm does near 0
            steep = abs(slope / (second[1][name] - first[1][name])) if second[1][name] != first[1][name] else 0.0
            while steep * unit > 0.05 * target.scale and unit > 1e-300 and not whole:
                unit /= 16
            x = min(max(round(x / unit) * unit if whole or abs(x) < 1e9 * unit else x, low), high)
            entry = {**best[1], name: tidy(x)}
            margin = self.margin(state, entry, target)
            if margin is None or any(e[name] == entry[name] for _, e in same):
                break
            same.append((margin, entry))
            best = min(same, key=lambda me: abs(me[0] - level))
        return best[1]

    # ---- neighbours

    def _radius(self) -> float:
        match self.program.adjacency:
            case Within(radius=radius):
                return self.value(radius)
            case _:
                return inf

    @property
    def chooses(self) -> bool:
        """Whether one of several values is told of, by a choice or by comparisons that decide a value."""
        made = (g for g in self.program.gates if isinstance(g, ChooseGate | CompareGate))
        return any(isinstance(g, ChooseGate) or isinstance(g.source, OfValue | OfResult) for g in made)

    @property
    def ends_by_itself(self) -> bool:
        """Whether a run ends where no noise plays a part, and shows then what is noised or chosen."""
        shown = any(
            isinstance(g.source, OfResult) for g in self.program.gates if isinstance(g, ChooseGate | ReleaseGate)
        )
        return bool(self.public_stops) and shown

    @property
    def releases(self) -> bool:
        return any(isinstance(g, ReleaseGate) for g in self.program.gates)

    @property
    def repeats_a_noise(self) -> bool:
        """Whether one draw of a noise may be read by two releases: a noise that lasts, or that two gates read."""
        terms = [term for g in self.program.gates if isinstance(g, ReleaseGate) for term in g.terms]
        names = [term.noise for term in terms]
        lasting = any(not isinstance(self.follower.stepper.lives[name], EachStep) for name in names)
        return lasting or len(set(names)) < len(names)

    @property
    def merging(self) -> bool:
        """Whether a change may be forgotten: some cell does not run over all steps."""
        return any(isinstance(s, Cell) and not isinstance(s.keep, AllSteps) for s in self.program.body)

    def _size_of(self, cell: Cell) -> float:
        """About how many numbers a cell touches in a step."""
        combinations = 1
        for _, domain in cell.binders:
            combinations *= len(self.follower.stepper.value(domain))
        window = 1.0
        if isinstance(cell.keep, LastSteps) and cell.name not in self.follower.stepper.shared:
            window = combinations if cell.binders else self.value(cell.keep.count)
        return combinations * window

    def _longest(self) -> float:
        """The length of the longest constant range that a step goes through."""
        found = 0.0
        for statement in self.program.body:
            if isinstance(statement, Cell | Define):
                for node in walk(statement.body if isinstance(statement, Cell) else statement.expression):
                    if isinstance(node, Apply) and node.operator == ".." and _is_constant(node):
                        low, high = (self.value(end) for end in node.arguments)
                        found = max(found, high - low)
        return found

    def noise_scale(self, least: float) -> float:
        """The largest noise scale, or `least`."""
        scales = [least]
        for name in self.follower.stepper.laws:
            with suppress(Unsupported):
                scales.append(self.follower.law((name,)).scale)
        return max(scales)

    def clip(self, name: str, x: float) -> float:
        low, high = self.ranges[name]
        return min(max(x, low), high)

    def is_whole(self, name: str) -> bool:
        """Whether the field holds whole numbers only."""
        return any(i.name == name and isinstance(i.domain, Integers) for i in self.program.inputs)

    @property
    def everywhere(self) -> bool:
        return isinstance(self.program.adjacency, Within) and self.program.adjacency.extent == "every"

    @property
    def one_way(self) -> bool:
        return isinstance(self.program.adjacency, Within) and self.program.adjacency.same_direction

    @property
    def changes(self) -> int:
        """How many entries may be replaced."""
        match self.program.adjacency:
            case Replace(count) | AddRemove(count):
                return int(self.value(count))
            case _:
                return 1

    @property
    def inserting(self) -> bool:
        """Whether neighbouring streams come about by entries put in: later ones then come later."""
        return bool(self.streams) and isinstance(self.program.adjacency, AddRemove)

    def moved(self, entry: Entry, direction: int, part: float = 1.0) -> Entry:
        """The entry after its `of` moved by the radius, or a part of it (or as far as the domain allows)."""
        if direction == 0:
            return entry
        memo = (tuple(entry.items()), direction, part)
        if memo not in self._moves:
            self._moves[memo] = self._moved(entry, direction, part)
        return self._moves[memo]

    def _moved(self, entry: Entry, direction: int, part: float) -> Entry:
        measure = self.follower.stepper.measure
        if measure is None or len(self.streams) != 1:
            raise Unsupported("how an entry may move is not one field")
        name = self.streams[0].name
        old = entry[name]
        low, high = self.ranges[name]
        radius = part * self.radius
        start = measure(entry)
        if isinstance(old, tuple):
            return {**entry, name: self.moved_vector(self.streams[0], old, direction, radius, start == old)}
        adjacency = self.program.adjacency
        assert isinstance(adjacency, Within)

        def change(x: float) -> float:
            return measured_move(start, measure({**entry, name: x}), adjacency)

        aimed = moved_within(old, direction, low, high, radius, change)
        return {**entry, name: tidy(aimed)}

    def moved_vector(self, source: Input, old: Vector, direction: int, radius: float, each: bool) -> Vector:
        """A vector of that input after a move by the radius, in the norm of the adjacency."""
        assert isinstance(self.program.adjacency, Within)
        nearest = CheckedDomain(Compiler(self.program), source.domain).nearest
        return moved_vector(old, direction, self.program.adjacency.norm, radius, each, nearest)

    def swaps(self, state: Any, target: Target | None, level: float) -> list[tuple[Entry, Entry]]:
        """Pairs of entries for the changed place, for one-entry adjacency: the extremes of the margin first."""
        if isinstance(self.program.adjacency, Within):
            entry = self.aim(state, target, level) if target else self.entries[0]
            return [(entry, self.moved(entry, s)) for s in (1, -1)]
        ranked = self.entries
        if target is not None:
            known = [(m, i) for i, e in enumerate(ranked) if (m := self.margin(state, e, target)) is not None]
            ranked = [self.entries[i] for _, i in sorted(known)] or self.entries
        low, high = ranked[0], ranked[-1]
        pairs = [(low, high), (high, low)]
        if target is None and len(ranked) > 1:
            farthest = (self.ranked[0], self.ranked[-1])
            pairs[1:1] = [farthest, (ranked[-2], high), farthest[::-1]]
        aimed = self.aim(state, target, level) if target else self.entries[0]
        pairs += [(aimed, e) for e in ranked] + [(e, aimed) for e in ranked]
        unique: list[tuple[Entry, Entry]] = []
        for a, b in pairs:
            if a != b and (a, b) not in unique:
                unique.append((a, b))
        return unique


def _middle(low: float, high: float) -> float:
    """Between them, in orders of magnitude where they lie far apart."""
    small, large = sorted((low, high), key=abs)
    if small * large < 0 or abs(large) < 16 * abs(small):
        return (low + high) / 2
    return large / 64 if small == 0 else (small * large) ** 0.5 * (1 if large > 0 else -1)


def tests(facts: Sequence[Fact]) -> list[tuple[str, Any]]:
    """(gate, test) of the comparisons among the facts, also of those whose guard does not hold."""
    return [(f[-1], f[-2]) for f in facts if f[0] in ("compare", "idle")]


def _is_constant(expression: Expression) -> bool:
    return all(isinstance(node, Apply | Number | ParameterValue) for node in walk(expression))
