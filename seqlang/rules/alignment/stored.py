"""Comparisons with noisy values that are kept: thresholds learned from the stream itself.

What is proved. A stored value x is made of noisy readings g_t = v_t + n_t, t in a public schedule S of N steps: the
latest, their largest, smallest, mean or sum. In the program in which x is a threshold z with a noise of its own, take
an alignment as in `stopping.py`: it moves z by some c, in a run on x -> x' that gives the transcript o. In the first
program move instead, given o and beside all other noises of that alignment, each n_t, t in S, by c_t - (v'_t - v_t), so
that g_t moves by c_t exactly, with

    latest, mean, largest, smallest     c_t = c for all t, so that x moves by c
    sum                                 c_t = c for the first t, and 0 elsewhere
    largest, alone                      c_t = c >= 0 where g_t is the largest, and 0 elsewhere
    smallest, alone                     c_t = c <= 0 where g_t is the smallest, and 0 elsewhere

Then x moves by c wherever a comparison reads it, and everything else that is read is what the alignment says of it: no
gate reads the noises n_t but through stored values, which is checked. Ties of noisy entries have probability 0, and
both `alone` leave the order of the entries as it is, also together for one N >= 2: so on each set of noises with one
place of the extremes the map is a translation into the same set, and these sets are disjoint. Where an extreme is moved
alone, x must not change any more when it is first read. Nothing is read before something is stored.

It costs sum over t of |c_t - (v'_t - v_t)| / b <= sum |c_t| / b + sum |v'_t - v_t| / b. The second part is what
releasing the stored entries costs. The first is N |c| / b, |c| / b for sums and for what is moved alone: as if z had
Laplace noise of scale b / N or b, or exponential noise of mean b where only one direction is allowed. Both parts are
convex, so mixtures of alignments cost no more. Neighbours in k entries: k times the bound.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.alignment.cost import Plan, are_plans
from seqlang.rules.alignment.layout import Layout
from seqlang.rules.alignment.scenario import Scenario
from seqlang.rules.alignment.search import plans_for
from seqlang.rules.alignment.stopping import case_of, cost_of
from seqlang.rules.alignment.thresholds import hiding, kept_of, ways_of, with_thresholds
from seqlang.rules.computed import Computed, from_the_program, simplified
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

Evidence = tuple[tuple[bool, ...], tuple[tuple[Plan, ...], ...]]
Case = tuple[Layout, tuple[Scenario, ...], Formula]
"""What has to be aligned, and what storing costs by itself."""


@remembered_of_program
def _case(program: Program, gates: tuple[str, ...], by_one: tuple[bool, ...]) -> Case | str:
    kept = kept_of(program, gates)
    if isinstance(kept, str):
        return kept
    made = with_thresholds(program, kept, by_one)
    if isinstance(made, str):
        return made
    case = case_of(made, tuple(gate.name for gate in kept.others))
    if isinstance(case, str):
        return case
    charge = hiding(made, kept)
    return charge if isinstance(charge, str) else (*case, charge)


def _least(program: Program, asked: PureBound, step: Derivation) -> Formula | str:
    match step.evidence:
        case tuple((tuple() as by_one, tuple() as evidence)) if all(isinstance(alone, bool) for alone in by_one):
            case = _case(program, asked.gates, by_one)
        case _:
            return "how each stored value moves, and one tuple of plans a scenario, are needed"
    if isinstance(case, str):
        return case
    layout, scenarios, charge = case
    if len(evidence) != len(scenarios) or not all(map(are_plans, evidence)):
        return "one tuple of plans a scenario is needed"
    cost = cost_of(layout, scenarios, evidence)
    return cost if isinstance(cost, str) else cost + charge


STATEMENT = """
    comparisons with thresholds z of their own noise, moved as the stored values move: eps-DP by alignment
    the noisy entries in the steps in which they are stored, if they were shown: eta-DP
    --------------------------------------------------------------------------------------------------
                    comparisons with the stored noisy values: (eps + eta)-DP, in nats

A stored value is a noisy entry of one step (`if step == 1 then g else previous(x, 0)`), or the largest, smallest, mean
or sum of those of N steps of a public schedule. Moving it by c costs N |c| / b (a sum: |c| / b); a largest entry that
no longer changes moves up, a smallest one down, for |c| / b. Conditions: Laplace or logistic noise of scale b, drawn in
each step, read by nothing but stored values; nothing is compared before it is stored; one noisy value is stored once,
or its largest and smallest of the same steps; otherwise as for alignment/stopping.
"""

_COMPUTED = Computed(
    "alignment/stored",
    "Alignment with thresholds that are kept noisy values",
    STATEMENT,
    "proof in seqlang/rules/alignment/stored.py; after Chadha, Sistla, Viswanathan & Bhusal 2023, whose weights these "
    "bounds do not exceed",
    PureBound,
    from_the_program,
    _least,
    Evidence,
)


def suggest(program: Program, gates: tuple[str, ...]) -> tuple[Derivation, ...] | str:
    """The bound for each way of moving what is stored, or a sentence on why there is none."""
    kept = kept_of(program, gates)
    if isinstance(kept, str):
        return kept
    found: list[Derivation] = []
    problem = ""
    for by_one in ways_of(kept):
        offer = _offer(program, gates, by_one)
        if isinstance(offer, str):
            problem = problem or offer
        else:
            found.append(offer)
    return tuple(found) or problem


def _offer(program: Program, gates: tuple[str, ...], by_one: tuple[bool, ...]) -> Derivation | str:
    case = _case(program, gates, by_one)
    if isinstance(case, str):
        return case
    layout, scenarios, charge = case
    evidence = (by_one, tuple(plans_for(layout, scenario) for scenario in scenarios))
    because = f"storing noisy entries costs {charge}, and thresholds of their own noise move as what is stored moves"
    offer = _COMPUTED.offer(program, PureBound(gates, INFINITY), because, evidence=evidence)
    if isinstance(offer, str):
        return offer
    assert isinstance(offer.conclusion, PureBound)
    if offer.conclusion.epsilon.is_infinite:
        return "every alignment costs something in each of an unbounded number of segments"
    return simplified(program, offer)


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("gates",), suggest)
