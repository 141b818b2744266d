"""Noisy comparisons that stop or report: the price of the cheapest alignment.

What is proved. Neighbouring inputs x, x' and a transcript o (what fired in which step, up to some step; the numbers
that were released then). Given o, thresholds that depend on the public past, and the steps in which statistics and
noises start anew, are the same for x and x'; so every margin is q + (factors . noises) for x and q' + (the same) for
x', and q' - q is what the shift analysis speaks of. Hidden draws that no margin's own terms contain are held fixed.

1. Translation. Let T add a constant to every noise that takes part. If each constraint of `scenario.py` holds, T maps
   the noises with which x gives o into those with which x' gives o: a margin that is negative where nothing fires
   stays negative, since it changes by (q' - q) + factors . u <= m + factors . u <= 0; in a deciding step fired margins
   only grow, asked ones only shrink, released numbers are equal. Fresh noise of a step in which nothing fires is not
   moved, else it would cost something in every step; that is why the persistent noises alone must cover those steps.
2. Density. f(z) <= e^phi(u) f(z + u) for each noise, so with E the first set P_x(o) = int_E f <= e^cost int_E f(T .) =
   e^cost int_TE f <= e^cost P_x'(o); the same for densities where numbers are released, since T is a translation and
   leaves them alone. It holds for every prefix o, so for every event of the transcript, "never stops" too: events that
   depend on finitely many steps generate all others.
3. All shifts. phi is convex and the constraints are linear in (m, d, u, w). A shift in the convex hull of the given
   moves gets the same mixture of their alignments, and costs no more than the dearest. Where m is smaller than in the
   hull the constraint only gets weaker. Noise on whole numbers needs whole translations: shifts are whole numbers
   there, and the constraint matrix is totally unimodular, so the linear program at a whole shift has a whole optimal
   solution, which costs no more than the mixture. Staircase costs are not convex; each such noise is charged on top,
   in every segment with its dearest translation in segments that lie there and end so, which bounds the mixture.
   A report that is made in most steps (`report below when q < T`) is read the other way round: the event is that it is
   not made, which nothing but its comparison decides.
4. Branches. `A or B` fires by its first true branch: as if each branch were a gate with priority, and whoever sees
   which one it was sees more. `A and B` fires only if both do: in the quiet steps both margins only shrink.
5. Segments. One translation of the kept noises serves the whole run (it may depend on o, x and x'). Noises that are
   refreshed at different reports, or beside other reports, are translated alike in all of their lives, and paid for in
   each. Segments before the changed entry do not move, the one with the entry and the later ones move as the moves
   say. Costs of the segments add up, to the sum of the worst of each kind: at most K segments decide, the entry's own
   among them or not, and those in which nothing fires cost their refreshed noises only. Such a segment costs no more
   than if it decided, since it asks less of the same translations. So where only decisions cut, K segments are all: a
   run either has ended with the K-th, or guards let nothing be asked after it, or fewer than K have decided.
6. Neighbours in k entries are k neighbours in one entry apart: k times the bound.
"""

from __future__ import annotations

from itertools import combinations

from seqlang.arithmetic.formula import INFINITY, Formula, product
from seqlang.model.program import CompareGate, Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.alignment.cost import Plan, are_plans, is_totally_unimodular, largest, scenario_cost, stairs_cost
from seqlang.rules.alignment.events import may_turn
from seqlang.rules.alignment.layout import Layout, layout_of
from seqlang.rules.alignment.scenario import Scenario, scenarios_of
from seqlang.rules.alignment.search import plans_for
from seqlang.rules.computed import Computed, from_the_program, simplified
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers, reads_private
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program
from seqlang.rules.sensitivity.motion.moves import moves

MOST_TURNED = 2

Evidence = tuple[tuple[Plan, ...], ...]


def _least(program: Program, asked: PureBound, step: Derivation) -> Formula | str:
    case, evidence = case_of(program, asked.gates), step.evidence
    if isinstance(case, str):
        return case
    layout, scenarios = case
    if not isinstance(evidence, tuple) or len(evidence) != len(scenarios) or not all(map(are_plans, evidence)):
        return "one tuple of plans a scenario is needed"
    return cost_of(layout, scenarios, evidence)


@remembered_of_program
def case_of(program: Program, gates: tuple[str, ...]) -> tuple[Layout, tuple[Scenario, ...]] | str:
    """What has to be aligned, from the program alone; or why nothing can be."""
    layout = layout_of(program, gates)
    if isinstance(layout, str) or layout.segments.decisions.is_infinite:
        layout = _turned(program, gates) or layout
    if isinstance(layout, str):
        return layout
    found = moves(layout.program, layout.gates.margins, first=layout.gates.first, revealed=revealed_choices(program))
    if isinstance(found, str):
        return found
    whole = any(t.kind == "whole" for t in layout.noises.translations.values())
    if whole and not all(moves_by_whole_numbers(program, margin.value) for margin in layout.gates.margins):
        return "geometric noise, but a compared quantity does not move by whole numbers"
    if whole and not is_totally_unimodular(layout):
        return "geometric noise, and the constraints are no network: whole translations may cost more"
    if whole and any(t.kind == "stairs" for t in layout.noises.translations.values()):
        return "geometric and staircase noise together"
    scenarios = scenarios_of(layout, found)
    return scenarios if isinstance(scenarios, str) else (layout, scenarios)


def _turned(program: Program, gates: tuple[str, ...]) -> Layout | None:
    """The layout with some reports seen as what is usual, and their absence as the event, if that is limited."""
    compared = (g for g in program.gates if g.name in gates and isinstance(g, CompareGate))
    names = [g.name for g in compared if may_turn(program, g)]
    for size in range(1, min(len(names), MOST_TURNED) + 1):
        for turned in combinations(names, size):
            layout = layout_of(program, gates, frozenset(turned))
            if isinstance(layout, Layout) and not layout.segments.decisions.is_infinite:
                return layout
    return None


def cost_of(layout: Layout, scenarios: tuple[Scenario, ...], evidence: Evidence) -> Formula | str:
    """What these plans prove, with each scenario's cheapest; text: why they are no alignments."""
    costs: dict[Formula, None] = {}
    for scenario, plans in zip(scenarios, evidence, strict=True):
        cost = scenario_cost(layout, scenario, plans)
        if isinstance(cost, str):
            return cost
        costs[cost] = None
    worst = largest(list(costs))
    return product((layout.entries, worst + stairs_cost(layout, scenarios, evidence)))


def _because(layout: Layout, cases: int) -> str:
    moved = sorted(z for z, t in layout.noises.translations.items() if t.movable)
    return (
        f"in {_every(cases)} (how the data move, what fires) translating "
        f"{', '.join(moved) or 'nothing'} turns every run on one input into the same transcript on the other"
    )


def _every(cases: int) -> str:
    return "the only case" if cases == 1 else f"each of {cases} cases"


def _why(layout: Layout, problem: str) -> str:
    fixed = sorted(z for z, t in layout.noises.translations.items() if not t.movable)
    persistent = [z for z in layout.noises.persistent if layout.noises.translations[z].movable]
    bare = _without_noise(layout)
    if bare:
        problem += f"; {', '.join(bare)} is tested without noise"
    if fixed:
        problem += f"; the law of {', '.join(fixed)} has no bounded density ratio under translation"
    elif not persistent:
        problem += "; no noise lasts over the steps in which nothing fires"
    if layout.segments.decisions.is_infinite:
        problem += (
            "; nothing limits how often "
            + " or ".join(o.name for o in layout.gates.events if not o.stops)
            + " is reported"
        )
    return problem


def _without_noise(layout: Layout) -> tuple[str, ...]:
    """The private quantities of the group that no noise protects."""
    from seqlang.model.print import show_expression

    return tuple(
        f"`{show_expression(margin.value, layout.program)}`"
        for margin, factors in zip(layout.gates.margins, layout.gates.factors, strict=True)
        if not factors and reads_private(layout.program, margin.value)
    )


STATEMENT = """
    every scenario (how the data move, what fires)  has an alignment u, w with cost <= eps
    -------------------------------------------------------------------------------------
                         the gates together are eps-DP (eps in nats)

An alignment translates the noises: u the lasting ones, w those of a deciding step.
    where nothing fires       every margin only shrinks:   factors . u <= -m
    where a gate fires        its margins only grow:       factors . (u, w) >= -d
    asked, but does not fire  its margins only shrink:     factors . (u, w) <= -d
    a number is released      it stays the same:           factors . (u, w)  = -d
m is the largest difference of the margin before, d the one at the deciding step. A translation by u costs |u|/b
(Laplace, logistic), u/mean for u >= 0 (exponential), |u| log(1/ratio) for whole u (geometric), eps ceil(|u|/D)
(staircase); any other noise must stay where it is. Reports limited to K steps are aligned segment by segment.
Conditions: constant rational factors of the noises, after a division by a public factor > 0; a changing factor of a
fresh noise counts as its lower bound. No statistic contains a noise that is translated; geometric noise needs
quantities that move by whole numbers. Horizon-free: "never stops" is covered.
"""

_COMPUTED = Computed(
    "alignment/stopping",
    "Alignment of noisy comparisons",
    STATEMENT,
    "alignment linear program, proof in seqlang/rules/alignment/stopping.py; special cases: Dwork & Roth 2014, Theorem "
    "3.23; Lyu, Su & Li 2017",
    PureBound,
    from_the_program,
    _least,
    Evidence,
)


def suggest(program: Program, gates: tuple[str, ...]) -> Derivation | str:
    """The bound of the best alignments of these gates together, or a sentence on why there is none."""
    case = case_of(program, gates)
    if isinstance(case, str):
        return case
    layout, scenarios = case
    evidence = tuple(plans_for(layout, scenario) for scenario in scenarios)
    because = _because(layout, len(scenarios))
    offer = _COMPUTED.offer(program, PureBound(gates, INFINITY), because, evidence=evidence)
    if isinstance(offer, str):
        return _why(layout, offer)
    assert isinstance(offer.conclusion, PureBound)
    if offer.conclusion.epsilon.is_infinite:
        return _why(layout, "every alignment costs something in each of an unbounded number of segments")
    return simplified(program, offer)


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("gates",), suggest)
