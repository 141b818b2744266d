"""How each noise of a program is integrated out: `integration_plan(program, watch) -> IntegrationPlan`.

A comparison reads plain value + sum of factor * noise >= 0. A persistent noise that meets other noises in a comparison
is fixed at quadrature nodes (`nodes`, see `grid.py`). What is then left of a comparison is one number with a known law,
a `Variable`: one noise, or a fixed combination of several. All variables are independent; where two would share a fresh
noise, that noise has nodes in every step (`inner`). A noise that is read as a value and not compared must be discrete:
its values are listed (`enumerated`). Raises Unsolved where none of this fits a noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.solve.noises.laws import noise_laws, sum_of
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.step.dependencies import Condition, Needed, condition_of, margins_of, needed_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.program import Cell, Define, Margin, Noise, Program, Report, Stop
from seqlang.record import record


@record
class Variable:
    """One random number that comparisons read: the sum of factor * noise over `terms`. A single noise has the factor
    1."""

    name: str
    terms: tuple[tuple[str, float], ...]
    life: Life
    law: ScalarLaw


@record
class NoisyComparison:
    """A margin as the plan reads it: plain value + `known` noises (with nodes, or listed) + `scale` * `variable`."""

    margin: Margin
    known: tuple[ir.Term, ...]
    variable: str | None
    scale: ir.Expression | None


@record
class IntegrationPlan:
    """`nodes`, `inner`, `enumerated` and `mixing` (flips on `return`) are names of noises. `comparisons` has the
    reading of each margin, `conditions` those of reports and stops by index in the body, `laws` and `lives` those of
    all noises. `only_stops`: the statements that matter are stops, cells and definitions. `simple`: moreover every
    persistent noise that is compared has nodes, and is drawn once; `Chances.table` then serves."""

    nodes: tuple[str, ...]
    inner: tuple[str, ...]
    enumerated: tuple[str, ...]
    mixing: tuple[str, ...]
    variables: Mapping[str, Variable]
    comparisons: Mapping[Margin, NoisyComparison]
    conditions: Mapping[int, Condition]
    needed: Needed
    laws: Mapping[str, ScalarLaw]
    lives: Mapping[str, Life]
    only_stops: bool
    simple: bool
    panels: int | None = None
    """Not None: chances are lower bounds. Persistent noises have about so many panels in place of nodes, and what a
    comparison decides holds whatever rounding has done; where it is too close for that, it decides nothing."""
    favoured: frozenset[int] | None = None
    """Stops, by index in the body, that are taken to fire where a comparison decides nothing; the others are then taken
    not to. For programs that only stop: see `enclosed/outcomes.py`."""

    @property
    def smooth(self) -> bool:
        """Whether a noise that matters has a density."""
        laws = [*(v.law for v in self.variables.values()), *(self.laws[n] for n in (*self.nodes, *self.inner))]
        return not all(law.discrete for law in laws)

    @property
    def cases(self) -> float:
        """A bound on the cases into which the comparisons of a step split a state, times the chances in each, times how
        far each may be off relative to a distribution function at 0."""
        sensitivity = max((v.law.sensitivity for v in self.variables.values()), default=1.0)
        margins = [m for condition in self.conditions.values() for m in margins_of(condition)]
        leaves = sum(self.comparisons[m].variable is not None for m in margins)
        return 2.0 ** min(leaves, 60) * len(self.variables) * sensitivity


def integration_plan(
    program: Program, watch: Iterable[ir.Expression] = (), memories: tuple[str, ...] = ()
) -> IntegrationPlan:
    """The plan for the stops of the program and the watched expressions. `memories`: see `needed_of`."""
    needed = needed_of(program, watch, memories)
    conditions = {
        i: condition_of(program, s)
        for i, s in enumerate(program.body)
        if i in needed.statements and isinstance(s, (Report, Stop))
    }
    noises = {n.name: n for n in program.noises}
    laws = noise_laws(program)
    mixing = tuple(n.name for n in program.noises if n.target == "return" and n.flips)  # read at the stop only
    margins = list(dict.fromkeys(m for c in conditions.values() for m in margins_of(c)))
    enumerated = _values_listed(noises, laws, _read_as_values(program, needed, mixing), margins)
    lives = {n.name: n.life for n in program.noises}
    exact = Compiler(program)
    terms = {m: _collected(exact, m) for m in margins}
    groups = [[t.noise for t in terms[m] if t.noise not in enumerated] for m in margins]
    forced: list[str] = []
    enumerated = (*enumerated, *_better_listed(groups, lives, laws))
    groups = [[name for name in group if name not in enumerated] for group in groups]
    while True:
        nodes, inner = _axes(groups, lives, forced)
        known = {*nodes, *inner, *enumerated}
        more = _not_added_up(exact, terms, known)
        if more is None:
            variables, comparisons = _comparisons(exact, terms, known, laws, lives)
            more = _in_two(variables)
        if more is None:
            break
        forced = [*nodes, *inner, more]
    used = {t for v in variables.values() for t, _ in v.terms}
    only_stops = all(isinstance(program.body[i], (Stop, Cell, Define)) for i in needed.statements)
    persistent = any(not isinstance(lives[name], EachStep) for name in used)
    refreshed = any(isinstance(lives[name], EachReport) for name in nodes)
    remembers = any(isinstance(x, ir.MemoryValue) for _, e in needed.readings for x in ir.walk(e))
    simple = only_stops and not (persistent or refreshed or enumerated or remembers)
    return IntegrationPlan(
        tuple(nodes), tuple(inner), tuple(enumerated), mixing, variables, comparisons, conditions, needed, laws, lives,
        only_stops, simple,
    )  # fmt: skip


def _title(noise: Noise) -> str:
    return f"the noise on `{noise.target}`" if noise.target else f"the draw `{noise.name}`"


def _read_as_values(program: Program, needed: Needed, mixing: tuple[str, ...]) -> tuple[str, ...]:
    declared = {n.name for n in program.noises}
    found: dict[str, None] = {}
    for _, expression in needed.readings:
        for node in ir.walk(expression):
            match node:
                case ir.Noised(_, _, terms):
                    found.update(dict.fromkeys(t.noise for t in terms if t.noise not in mixing))
                case ir.Drawn(name) if name in declared:
                    found[name] = None
                case _:
                    pass
    return tuple(found)


def _values_listed(
    noises: Mapping[str, Noise], laws: Mapping[str, ScalarLaw], read: tuple[str, ...], margins: list[Margin]
) -> tuple[str, ...]:
    """The noises that stand in the list of values: those that are read as values, and the flips in margins. Raises
    Unsolved for a noise that has to be listed and has a density, or that has no law of one number."""
    for name in read:
        if not noises[name].flips and not (name in laws and laws[name].discrete):
            raise Unsolved(f"{_title(noises[name])} is read as a value, and has a density")
    found = dict.fromkeys(read)
    for name in (term.noise for margin in margins for term in margin.terms):
        if noises[name].flips:
            found[name] = None
        elif name not in laws and name not in found:
            raise Unsolved(f"{_title(noises[name])} has no law of one number that is treated")
    return tuple(found)


def _axes(
    groups: list[list[str]], lives: Mapping[str, Life], forced: list[str]
) -> tuple[list[str], list[str]]:  # fmt: skip
    """(nodes, inner): the noises to be fixed so that what is left of the comparisons is independent, or
    proportional."""
    chosen: list[str] = list(dict.fromkeys(forced))
    while True:
        left = [frozenset(name for name in group if name not in chosen) for group in groups]
        extra = _meeting(left, lives)
        if extra is None:
            break
        chosen.append(extra)
    nodes = [n for n in chosen if not isinstance(lives[n], EachStep)]
    return nodes, [n for n in chosen if isinstance(lives[n], EachStep)]


def _meeting(left: list[frozenset[str]], lives: Mapping[str, Life]) -> str | None:
    """A noise that must be fixed: a persistent one beside fresh ones, or one that meets different others."""
    for group in left:
        kinds = {lives[name] for name in group}
        if len(kinds) > 1:
            lasting = sorted(group, key=lambda name: (_rank(lives[name]), name))
            return lasting[0]
    count: dict[str, int] = {}
    for group in set(left):
        for name in group:
            count[name] = count.get(name, 0) + 1
    shared = sorted(name for name, times in count.items() if times > 1)
    if not shared:
        return None
    # a comparison of which the last noise is fixed would jump in it: fix the noises that share it instead
    alone = {name for group in left if len(group) == 1 for name in group}
    free = [name for name in shared if name not in alone]
    if free:
        return max(free, key=lambda name: count[name])
    partners = sorted(n for group in set(left) if len(group) > 1 and group & set(shared) for n in group - alone)
    return partners[0] if partners else max(shared, key=lambda name: count[name])


def _better_listed(groups: list[list[str]], lives: Mapping[str, Life], laws: Mapping[str, ScalarLaw]) -> list[str]:
    """Fresh discrete noises that meet persistent ones with a density. With the noise in the list of values, nothing but
    bounds is known of the persistent one; as a node, its chances would jump. On a single axis jumps do no harm."""
    nodes, _ = _axes(groups, lives, [])
    if sum(not laws[name].discrete for name in nodes) < 2:
        return []
    found: dict[str, None] = {}
    for group in groups:
        lasting = [name for name in group if not isinstance(lives[name], EachStep)]
        fresh = [name for name in group if isinstance(lives[name], EachStep)]
        if lasting and not any(laws[name].discrete for name in lasting) and all(laws[n].discrete for n in fresh):
            found.update(dict.fromkeys(fresh))
    left = [[name for name in group if name not in found] for group in groups]
    return list(found) if len(_axes(left, lives, [])[0]) < len(nodes) else []


def _rank(life: Life) -> int:
    match life:
        case Once():
            return 0
        case EachReport():
            return 1
        case EachStep():
            return 2


def _value(exact: Compiler, e: ir.Expression) -> float | None:
    return None if exact.compile(e).reads else float(exact.constant(e))


def _collected(exact: Compiler, margin: Margin) -> tuple[ir.Term, ...]:
    """One term a noise; without those whose factor is 0."""
    factors: dict[str, ir.Expression] = {}
    for t in margin.terms:
        before = factors.get(t.noise)
        factors[t.noise] = t.factor if before is None else ir.Apply("+", (before, t.factor))
    return tuple(ir.Term(name, f) for name, f in sorted(factors.items()) if _value(exact, f) != 0)


def _not_added_up(exact: Compiler, terms: Mapping[Margin, tuple[ir.Term, ...]], known: set[str]) -> str | None:
    """A noise of a sum whose factors are no constants: that sum has no fixed law."""
    for mine in terms.values():
        rest = [t for t in mine if t.noise not in known]
        if len(rest) > 1 and any(_value(exact, t.factor) is None for t in rest):
            return rest[1].noise
    return None


def _in_two(variables: Mapping[str, Variable]) -> str | None:
    """A noise in two different variables."""
    seen: set[str] = set()
    for variable in variables.values():
        for name, _ in variable.terms:
            if name in seen:
                return name
            seen.add(name)
    return None


def _comparisons(
    exact: Compiler,
    terms: Mapping[Margin, tuple[ir.Term, ...]],
    known: set[str],
    laws: Mapping[str, ScalarLaw],
    lives: Mapping[str, Life],
) -> tuple[dict[str, Variable], dict[Margin, NoisyComparison]]:
    variables: dict[str, Variable] = {}
    comparisons: dict[Margin, NoisyComparison] = {}
    for margin, mine in terms.items():
        rest = [t for t in mine if t.noise not in known]
        fixed = tuple(t for t in mine if t.noise in known)
        if not rest:
            comparisons[margin] = NoisyComparison(margin, fixed, None, None)
            continue
        factors = [_value(exact, t.factor) if len(rest) > 1 else 1.0 for t in rest]
        relative = tuple((t.noise, (f or 0.0) / (factors[0] or 1.0)) for t, f in zip(rest, factors, strict=True))
        name = next((v.name for v in variables.values() if _same(v.terms, relative)), None)
        if name is None:
            name = " + ".join(n for n, _ in relative)
            while name in variables:
                name += "'"
            law = sum_of([(laws[n], f) for n, f in relative]) if len(relative) > 1 else laws[relative[0][0]]
            variables[name] = Variable(name, relative, lives[relative[0][0]], law)
        comparisons[margin] = NoisyComparison(margin, fixed, name, rest[0].factor)
    return variables, comparisons


def _same(one: Any, other: Any) -> bool:
    return len(one) == len(other) and all(
        a == b and abs(f - g) <= 1e-12 * abs(f) for (a, f), (b, g) in zip(one, other, strict=True)
    )
