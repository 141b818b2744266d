"""Gates as events, what fires, with their margins, and what is released when they fire."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model.expression import Apply, Expression, Reported
from seqlang.model.gate_source import GateSource, OfCondition, OfEvent, OfResult, OfStop, OfValue, name_of, stop_of
from seqlang.model.junctions import conjuncts
from seqlang.model.program import CompareGate, Gate, Margin, Not, OpaqueGate, Program, PublicGate, ReleaseGate
from seqlang.record import record
from seqlang.rules.alignment.branches import branches_of
from seqlang.rules.reading.guards import required_reports


@record
class Event:
    """One gate that may fire; `branches` are tuples of margin numbers. A public gate has one branch without margins.
    The gate is asked where its public `guard` holds. `whole`: the branches that nothing else decides than their
    margins."""

    source: GateSource
    branches: tuple[tuple[int, ...], ...]
    guard: Expression | None = None
    whole: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        return name_of(self.source)

    @property
    def stops(self) -> bool:
        return isinstance(self.source, OfStop)

    @property
    def made(self) -> str | None:
        """What is counted when it fires: a report, or one of the comparisons that decide its value; None for stops and
        what they return."""
        if isinstance(self.source, OfCondition):
            return self.source.report  # a value that is reported under a private condition has that as a gate
        return None if stop_of(self.source) is not None else self.name


@record
class Release:
    """A noisy number that is shown in (some) steps in which one of the events `with_` fires, never in others."""

    name: str
    margin: int
    with_: frozenset[str]


Shape = tuple[list[Margin], list[Event], list[Release]]


def shape_of(program: Program, gates: tuple[Gate, ...], anywhere: bool, turned: frozenset[str]) -> Shape | str:
    """Margins, events and releases of the gates. `anywhere`: a number may also be shown where nothing of them
    fires. Text: why there are none; "" if a gate is neither."""
    margins: list[Margin] = []
    events: list[Event] = []
    for gate in gates:
        if isinstance(gate, CompareGate):
            if gate.name in turned and not may_turn(program, gate):
                return f"{gate.name}: it may be left out for other reasons than its comparison"
            branches = branches_of(Not(gate.test) if gate.name in turned else gate.test)
            if branches is None:
                return f"{gate.name}: the condition has too many branches"
            numbered = tuple(tuple(_number(margins, margin) for margin in branch.margins) for branch in branches)
            whole = frozenset(number for number, branch in enumerate(branches) if branch.whole)
            events.append(Event(gate.source, numbered, gate.guard, whole))
        elif isinstance(gate, OpaqueGate):
            return ""  # another rule may know what it reads
        elif not isinstance(gate, ReleaseGate):
            return f"{gate.name}: no comparison and no released number"
    releases: list[Release] = []
    for gate in gates:
        if isinstance(gate, ReleaseGate):
            shown = frozenset(shown_with(program, gate)) or frozenset(not_made(gate.guard)) & turned
            if shown & turned and not shown <= frozenset(not_made(gate.guard)):
                return f"{gate.name}: it is shown where {', '.join(sorted(shown & turned))} is made"
            if not shown and anywhere:
                margins.append(Margin(gate.value, gate.terms, False))
                releases.append(Release(gate.name, len(margins) - 1, shown))
                continue
            if not shown:
                return f"{gate.name}: it is shown in every step, not only when something fires"
            public = (g for g in program.gates if isinstance(g, PublicGate) and g.name in shown)
            events.extend(
                Event(g.source, ((),), g.expression) for g in public if g.name not in {o.name for o in events}
            )
            if not shown <= {o.name for o in events}:
                if anywhere:
                    margins.append(Margin(gate.value, gate.terms, False))
                    releases.append(Release(gate.name, len(margins) - 1, frozenset()))
                    continue
                return f"{gate.name}: it is shown with {', '.join(sorted(shown))}, outside of this group"
            margins.append(Margin(gate.value, gate.terms, False))
            releases.append(Release(gate.name, len(margins) - 1, shown))
    # what a stop returns is decided in the step in which it fires: such a comparison goes before its stop
    order = {gate.source: place for place, gate in enumerate(program.gates)}

    def place(event: Event) -> tuple[int, bool, int]:
        own, stop = order[event.source], stop_of(event.source)
        return (own if stop is None else order.get(OfStop(stop), own), event.stops, own)

    events.sort(key=place)
    return margins, events, releases


def may_turn(program: Program, gate: CompareGate) -> bool:
    """A report that is not made only where its comparison is false."""
    return isinstance(gate.source, OfEvent) and gate.guard is None


def not_made(guard: Expression | None) -> tuple[str, ...]:
    """Reports that are not made in steps in which the guard holds."""
    parts = () if guard is None else conjuncts(guard)
    return tuple(name for p in parts if (name := _denied(p)) is not None)


def _denied(part: Expression) -> str | None:
    match part:
        case Apply("not", (Reported(name),)):
            return name
    return None


def _number(margins: list[Margin], margin: Margin) -> int:
    if margin in margins:
        return margins.index(margin)
    margins.append(margin)
    return len(margins) - 1


def shown_with(program: Program, gate: ReleaseGate) -> Iterator[str]:
    """The gates of which at least one fires whenever the value is shown; nothing if there is no such set."""
    if isinstance(gate.source, OfStop):
        return
    if isinstance(gate.source, OfResult):
        yield name_of(OfStop(gate.source.stop))
        return
    if isinstance(gate.source, OfValue):
        condition = OfCondition(gate.source.report)
        if any(other.source == condition for other in program.gates):
            yield name_of(condition)
            return
    yield from required_reports(gate.guard)
