"""A group of gates as an alignment sees it: margins, branches, the lives of the noises, and how often things happen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from seqlang.arithmetic.formula import ONE, Formula
from seqlang.model.expression import Law
from seqlang.model.gate_source import stop_of
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import (
    Margin,
    Program,
    PublicGate,
)
from seqlang.record import field, record, replace
from seqlang.rules.alignment.events import Event, Release, shape_of
from seqlang.rules.alignment.exclusion import Exclusions, silent
from seqlang.rules.alignment.factors import scaled_margins
from seqlang.rules.alignment.refreshing import draws_read, most_made, unclear_report
from seqlang.rules.reading.budgets import Budget, budgets_of
from seqlang.rules.reading.guards import earliest_step
from seqlang.rules.reading.limits import limit_of
from seqlang.rules.reading.read_sets import noises_read, resets_read, shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.steps import Steps
from seqlang.rules.reading.translation import Translation, translation_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values

MOST_GATES = 256


@record
class Gates:
    """The gates of the group. `factors[i]` are the noises of margin i with their factors. `turned`: events that fire
    where their report is not made. `first`: the earliest step in which any of the gates is asked. `exclusions`: how
    they exclude each other."""

    margins: tuple[Margin, ...]
    factors: tuple[tuple[tuple[str, Fraction], ...], ...]
    events: tuple[Event, ...]
    releases: tuple[Release, ...]
    turned: frozenset[str]
    first: int
    exclusions: Exclusions


@record
class Noises:
    """The noises that may be translated, and what that costs. Those that are kept or refreshed live longer than a step.
    A kept noise is translated alike in all of its lives; `several` are those with more lives than one, and how many."""

    translations: dict[str, Translation]
    kept: frozenset[str] = frozenset()
    refreshed: frozenset[str] = frozenset()
    several: dict[str, Formula] = field(default_factory=dict)

    def lives(self, noise: str) -> Formula:
        """How often a kept noise is drawn in a run."""
        return self.several.get(noise, ONE)

    @property
    def persistent(self) -> frozenset[str]:
        return self.kept | self.refreshed


@record
class Segments:
    """A segment of a run ends when an event fires, when a noise is refreshed, and when a statistic starts anew.

    `decisions`: the most steps in which an event fires; if `ended`, whatever reaches it ends the run, else guards
    limit it, the run goes on, and nothing is asked any more. `most`: the most segments in which something is asked.
    `each_decides`: only what fires ends a segment. `mixed_later`: a segment after the one with the changed entry may
    still belong to the same stretch of a statistic that starts anew at another report. `budgets`: what steps that
    fire may spend together. As it stands, the run is a single step."""

    decisions: Formula = ONE
    most: Formula = ONE
    each_decides: bool = True
    ended: bool = True
    mixed_later: bool = False
    budgets: tuple[Budget, ...] = ()


@record
class Layout:
    """A group of gates as an alignment sees it. `entries`: by how many entries neighbours differ; all else speaks of
    neighbours that differ in one, `program` too."""

    program: Program
    gates: Gates
    noises: Noises
    segments: Segments
    entries: Formula
    signs: Signs
    known_silent: dict[tuple[tuple[str, int], ...], tuple[int, ...] | None] = field(default_factory=dict, compare=False)

    @property
    def idle(self) -> Formula:
        """The most segments beside those that decide; one that does not decide costs no more than if it did."""
        most, decisions = self.segments.most, self.segments.decisions
        if most.is_infinite or not self.signs.at_least(most, decisions):
            return most
        return most - decisions

    @property
    def idle_but_one(self) -> Formula:
        """The most segments beside those that decide and one more."""
        idle = self.idle
        return idle - 1 if idle.is_infinite or self.signs.at_least(idle, ONE) else idle

    @property
    def decides_once(self) -> bool:
        return self.segments.ended and self.signs.equal(self.segments.decisions, ONE)

    def silent(self, fired: Mapping[str, int]) -> tuple[int, ...] | None:
        """The margins that must only shrink in a step in which exactly these events fire, each by this branch (down to
        the first stop), so that no others do; None if there is no such step."""
        key = tuple(fired.items())
        if key not in self.known_silent:
            self.known_silent[key] = self._silent(fired)
        return self.known_silent[key]

    def _silent(self, fired: Mapping[str, int]) -> tuple[int, ...] | None:
        asked = self._asked(fired)
        firing = tuple(event for event in asked if event.name in fired)
        given = frozenset(part for event in firing for part in self.gates.exclusions.guards[event.name])
        contexts = {self.gates.exclusions.facing(asked, event, given): event for event in asked}
        shrinking: dict[int, None] = {}
        for others, event in contexts.items():
            found = silent((*firing, *(o for o in others if o.name not in fired)), fired, self.gates.exclusions.implied)
            if found is not None:
                shrinking.update(dict.fromkeys(found))
            elif event.name in fired:
                return None
        return tuple(shrinking)

    def _asked(self, fired: Mapping[str, int]) -> tuple[Event, ...]:
        """The events that fire and those that may be asked, down to the first stop that fires."""
        found: list[Event] = []
        for event in self.gates.events:
            if event.name in fired or self.asks(event, fired):
                found.append(event)
            if event.stops and event.name in fired:
                break
        return tuple(found)

    def asks(self, event: Event, fired: Iterable[str]) -> bool:
        """False if its guard cannot hold in a step in which exactly these events fire (down to the first stop)."""
        if event.guard is None:
            return True
        if any(self.gates.exclusions.apart(event.name, name) for name in fired):
            return False
        counted = frozenset(o.name for o in self.gates.events if not o.stops)
        steps = Steps(self.program, self.signs, counted, turned=self.gates.turned)
        return steps.truth(event.guard, frozenset(fired)) is not False


def layout_of(program: Program, names: tuple[str, ...], turned: frozenset[str] = frozenset()) -> Layout | str:
    """The layout of the compare and release gates of these names (in file order), or why there is none. Of reports
    that are `turned` (`report below when q < T`) the event is that they are not made."""
    step = _single_step(program, names, None, turned)
    if isinstance(step, str):
        return step
    signs, events = step.signs, step.gates.events
    lives = {name: program.noise(name).life for name in step.noises.translations}
    kept = frozenset(name for name, life in lives.items() if isinstance(life, Once))
    refreshed = frozenset(name for name, life in lives.items() if isinstance(life, EachReport))
    refreshes = frozenset(life.report for life in lives.values() if isinstance(life, EachReport))
    reports = frozenset(o.made for o in events if o.made is not None)
    resets = resets_read(program, (margin.value for margin in step.gates.margins))
    cuts = reports | refreshes | resets
    if turned & (refreshes | resets):
        return f"{', '.join(sorted(turned))}: something starts anew when it is made"
    several: dict[str, Formula] = {}
    if refreshes and len(cuts) > 1:
        several = {z: draws_read(program, z, lives[z].report, signs) for z in refreshed}  # type: ignore[union-attr]
        kept, refreshed, cuts = kept | refreshed, frozenset(), reports | resets
    unclear = unclear_report(program, refreshes | resets)
    if unclear is not None:
        return f"{unclear} may be reported where it does not count, and something starts anew each time"
    if len(resets) > 1:
        return f"statistics start anew at different reports ({', '.join(sorted(resets))})"
    decisions, ended = limit_of(program, reports, signs, turned) if reports else (ONE, True)
    if any(stop_of(event.source) is not None for event in events) and not ended:  # a stop, or what it returns
        decisions = decisions + 1
    segments = Segments(
        decisions=decisions,
        most=decisions if cuts <= reports else most_made(program, cuts, signs) + 1,
        each_decides=cuts <= reports,
        ended=ended,
        mixed_later=bool(resets) and len(cuts) > 1,
        budgets=budgets_of(program, reports, signs, turned),
    )
    return replace(step, noises=Noises(step.noises.translations, kept, refreshed, several), segments=segments)


def single_step_layout(program: Program, names: tuple[str, ...], fresh: frozenset[str]) -> Layout | str:
    """The layout of single steps, in which only the noises `fresh`, drawn in each step, are translated."""
    return _single_step(program, names, fresh, frozenset())


def _single_step(
    program: Program, names: tuple[str, ...], fresh: frozenset[str] | None, turned: frozenset[str]
) -> Layout | str:
    """The layout of a single step, with all noises translated or only those that are `fresh` in it."""
    signs = Signs(parameter_values(program))
    gates = tuple(gate for gate in program.gates if gate.name in names)
    if len(gates) != len(names) or len(gates) > MOST_GATES:
        return f"an alignment covers at most {MOST_GATES} gates" if len(gates) > MOST_GATES else "a gate is missing"
    entries, single = single_entry(program)
    shape = shape_of(program, gates, fresh is not None, turned)
    if isinstance(shape, str):
        return shape
    margins, events, releases = shape
    exclusions = Exclusions(single, events, margins, signs)
    scaled = scaled_margins(program, margins, signs, fresh)
    if isinstance(scaled, str):
        return scaled
    margins = list(scaled.margins)
    noises = {name for factors in scaled.factors for name, _ in factors}
    trouble = _trouble(program, margins, noises, names)
    if trouble is not None:
        return trouble
    asked = [(gate.guard, program.place_of(gate.source)) for gate in gates if not isinstance(gate, PublicGate)]
    first = min(earliest_step(program, guard, place, signs) for guard, place in asked)
    return Layout(
        program=single,
        gates=Gates(tuple(margins), scaled.factors, tuple(events), tuple(releases), turned, first, exclusions),
        noises=Noises(_translations(program, noises, scaled.least, signs)),
        segments=Segments(),
        entries=entries,
        signs=signs,
    )


def _translations(
    program: Program, noises: set[str], least: dict[str, Formula], signs: Signs
) -> dict[str, Translation]:
    found = {name: translation_of(program, program.noise(name), signs) for name in sorted(noises)}
    return {name: t.stretched(least[name]) if name in least else t for name, t in found.items()}


def _trouble(program: Program, margins: list[Margin], noises: set[str], names: tuple[str, ...]) -> str | None:
    """What keeps these noises from being translated at all."""
    for name in sorted(noises):
        law = program.noise(name).law
        if isinstance(law, Law) and law.family in ("randomized_response", "tree"):
            return f"{name}: a comparison with {law.family} noise"
        if not isinstance(program.noise(name).life, Once | EachStep | EachReport):
            return f"{name}: unknown life"
    shared = shared_noise(program, names, frozenset(noises))
    if shared is not None:
        return shared
    inside = noises_read(program, (margin.value for margin in margins)) & noises
    if inside:
        return f"{', '.join(sorted(inside))}: the noise is also part of a statistic, which would move with it"
    return None
