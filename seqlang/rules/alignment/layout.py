"""A group of gates as an alignment sees it: margins, branches, the lives of the noises, and how often things happen."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import INFINITY, ONE, Formula
from seqlang.model.expression import Apply, Expression, Law, Number, Reported, Term
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import AddRemove, CompareGate, Margin, Program, PublicGate, ReleaseGate, Replace, Report
from seqlang.record import record, replace
from seqlang.rules.alignment.branches import branches_of
from seqlang.rules.alignment.limits import decisions_of, first_step
from seqlang.rules.alignment.reach import reached_draws, reached_resets, shared_noise
from seqlang.rules.alignment.signs import Signs
from seqlang.rules.alignment.translation import Translation, translation_of
from seqlang.rules.sensitivity.formulas import formula_of, parameter_values

MOST_GATES = 8


@record
class Outlet:
    """One gate that may fire; `branches` are tuples of margin numbers. A public gate has one branch without margins."""

    name: str
    stops: bool
    branches: tuple[tuple[int, ...], ...]


@record
class Release:
    """A noisy number that is shown in (some) steps in which one of the outlets `with_` fires, never in others."""

    name: str
    margin: int
    with_: frozenset[str]


@record
class Layout:
    """`factors[i]` are the noises of margin i with their factors; persistent noises live longer than a step.

    A segment of a run ends when an outlet fires, when a noise is refreshed, and when a statistic starts anew.
    `decisions`: the most steps in which an outlet fires; whatever reaches it ends the run. `segments`: the most
    segments. `each_decides`: only what fires ends a segment. `mixed_later`: a segment after the one with the changed
    entry may still belong to the same stretch of a statistic that starts anew at another report. `first`: the earliest
    step in which any of the gates is asked. `entries`: by how many entries neighbours differ; everything else speaks of
    one.
    """

    program: Program
    margins: tuple[Margin, ...]
    factors: tuple[tuple[tuple[str, Fraction], ...], ...]
    outlets: tuple[Outlet, ...]
    releases: tuple[Release, ...]
    translations: dict[str, Translation]
    kept: frozenset[str]
    refreshed: frozenset[str]
    decisions: Formula
    segments: Formula
    each_decides: bool
    mixed_later: bool
    first: int
    entries: Formula
    signs: Signs

    @property
    def decides_once(self) -> bool:
        return self.signs.equal(self.decisions, ONE)

    @property
    def persistent(self) -> frozenset[str]:
        return self.kept | self.refreshed


def layout_of(program: Program, names: tuple[str, ...]) -> Layout | str:
    """The layout of the compare and release gates of these names (in file order), or why there is none."""
    signs = Signs(parameter_values(program))
    gates = tuple(gate for gate in program.gates if gate.name in names)
    if len(gates) != len(names) or len(gates) > MOST_GATES:
        return f"an alignment covers at most {MOST_GATES} gates" if len(gates) > MOST_GATES else "a gate is missing"
    entries, single = single_entry(program)
    margins: list[Margin] = []
    outlets: list[Outlet] = []
    for gate in gates:
        if isinstance(gate, CompareGate):
            branches = branches_of(gate.test)
            if branches is None:
                return f"{gate.name}: the condition has too many branches"
            numbered = tuple(tuple(_number(margins, margin) for margin in branch) for branch in branches)
            outlets.append(Outlet(gate.name, gate.name.startswith("stop "), numbered))
        elif not isinstance(gate, ReleaseGate):
            return f"{gate.name}: no comparison and no released number"
    releases: list[Release] = []
    for gate in gates:
        if isinstance(gate, ReleaseGate):
            shown = frozenset(shown_with(program, gate))
            if not shown:
                return f"{gate.name}: it is shown in every step, not only when something fires"
            public = (g for g in program.gates if isinstance(g, PublicGate) and g.name in shown)
            outlets.extend(
                Outlet(g.name, g.name.startswith("stop "), ((),))
                for g in public
                if g.name not in {o.name for o in outlets}
            )
            if not shown <= {o.name for o in outlets}:
                return f"{gate.name}: it is shown with {', '.join(sorted(shown))}, outside of this group"
            margins.append(Margin(gate.value, gate.terms, False))
            releases.append(Release(gate.name, len(margins) - 1, shown))
    # what a stop returns is decided in the step in which it fires: such a comparison goes before its stop
    order = {gate.name: place for place, gate in enumerate(program.gates)}
    places = {gate.name: order.get(gate.statement, order[gate.name]) for gate in program.gates}
    outlets.sort(key=lambda outlet: (places[outlet.name], outlet.stops, order[outlet.name]))
    factors = tuple(_factors(program, margin.terms) for margin in margins)
    if any(f is None for f in factors):
        return "a noise has a factor that is no constant rational number"
    known = tuple(f for f in factors if f is not None)
    noises = {name for f in known for name, _ in f}
    trouble = _trouble(program, margins, noises, names)
    if trouble is not None:
        return trouble
    lives = {name: program.noise(name).life for name in noises}
    kept = frozenset(name for name, life in lives.items() if isinstance(life, Once))
    refreshed = frozenset(name for name, life in lives.items() if isinstance(life, EachReport))
    refreshes = frozenset(life.report for life in lives.values() if isinstance(life, EachReport))
    # a value that is reported under a private condition has that condition as a gate of its own
    reports = frozenset(o.name.removesuffix(" when") for o in outlets if not o.stops and not _is_result(program, o))
    resets = reached_resets(program, (margin.value for margin in margins))
    cuts = reports | refreshes | resets
    if refreshes and len(cuts) > 1:
        return f"a noise is refreshed at one report, but {', '.join(sorted(cuts))} all start something anew"
    unclear = next((r for r in sorted(refreshes | resets) if not _is_made_when_it_fires(program, r)), None)
    if unclear is not None:
        return f"{unclear} is reported whether it is true or false, and something starts anew each time"
    if len(resets) > 1:
        return f"statistics start anew at different reports ({', '.join(sorted(resets))})"
    decisions = decisions_of(program, reports, signs) if reports else ONE
    return Layout(
        program=single,
        margins=tuple(margins),
        factors=known,
        outlets=tuple(outlets),
        releases=tuple(releases),
        translations={name: translation_of(program, program.noise(name), signs) for name in sorted(noises)},
        kept=kept,
        refreshed=refreshed,
        decisions=decisions,
        segments=decisions if cuts <= reports else decisions_of(program, cuts, signs) + 1,
        each_decides=cuts <= reports,
        mixed_later=bool(resets) and len(cuts) > 1,
        first=min(first_step(program, gate.guard, signs) for gate in gates if not isinstance(gate, PublicGate)),
        entries=entries,
        signs=signs,
    )


def _is_result(program: Program, outlet: Outlet) -> bool:
    """A comparison that decides what a stop returns."""
    gate = next(g for g in program.gates if g.name == outlet.name)
    return gate.statement.startswith("stop ") and gate.name != gate.statement


def _is_made_when_it_fires(program: Program, report: str) -> bool:
    """Not so for the value of a comparison: false is reported too, and `since` and `each` count that."""
    compared = any(isinstance(gate, CompareGate) and gate.name == report for gate in program.gates)
    made = (s for s in program.body if isinstance(s, Report) and s.name == report and s.value is not None)
    return all(statement.when is not None and not compared for statement in made)


def single_entry(program: Program) -> tuple[Formula, Program]:
    """Group privacy: neighbours in k entries are k neighbours in one entry apart, so bounds for one are taken k
    times."""
    match program.adjacency:
        case Replace(count) | AddRemove(count) as adjacency if count != Number(ONE.value):
            k = formula_of(program, count)
            return (INFINITY if k is None else k), replace(
                program, adjacency=replace(adjacency, count=Number(ONE.value))
            )
        case _:
            return ONE, program


def _number(margins: list[Margin], margin: Margin) -> int:
    if margin in margins:
        return margins.index(margin)
    margins.append(margin)
    return len(margins) - 1


def shown_with(program: Program, gate: ReleaseGate) -> Iterator[str]:
    """The gates of which at least one fires whenever the value is shown; nothing if there is no such set."""
    if gate.statement.startswith("stop "):
        if gate.name != gate.statement:
            yield gate.statement
        return
    if any(other.name == f"{gate.name} when" for other in program.gates):
        yield f"{gate.name} when"
        return
    yield from required_reports(gate.guard)


def required_reports(guard: Expression | None) -> tuple[str, ...]:
    """Reports of which at least one is made in every step in which the guard holds; empty if there is no such set."""
    match guard:
        case Reported(name):
            return (name,)
        case Apply("and", parts):
            return next((found for part in parts if (found := required_reports(part))), ())
        case Apply("or", parts):
            each = tuple(required_reports(part) for part in parts)
            return tuple(name for found in each for name in found) if all(each) else ()
        case _:
            return ()


def _factors(program: Program, terms: tuple[Term, ...]) -> tuple[tuple[str, Fraction], ...] | None:
    collected: dict[str, Fraction] = {}
    for term in terms:
        factor = _rational(program, term.factor)
        if factor is None:
            return None
        collected[term.noise] = collected.get(term.noise, Fraction(0)) + factor
    return tuple((name, factor) for name, factor in sorted(collected.items()) if factor)


def _rational(program: Program, expression: Expression) -> Fraction | None:
    formula = formula_of(program, expression)
    return None if formula is None else exact_value(formula, parameter_values(program))


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
    inside = reached_draws(program, (margin.value for margin in margins)) & noises
    if inside:
        return f"{', '.join(sorted(inside))}: the noise is also part of a statistic, which would move with it"
    return None
