"""Noisy winners, and how far apart the largest are, of one noisy vector (Ding, Wang, Xiao, Zhang & Kifer 2019)."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, number, product
from seqlang.laws.facts import TranslationCost
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.expression import Expression, Law
from seqlang.model.life import EachStep, Once
from seqlang.model.program import ChooseGate, Gate, Program, ReleaseGate
from seqlang.proof.derivation import PureBound
from seqlang.record import replace
from seqlang.rules.gates.exposure import showings
from seqlang.rules.gates.gate_rule import group_rule
from seqlang.rules.gates.showings import Showings, in_all
from seqlang.rules.joint.levels import ranking_of
from seqlang.rules.joint.noisy_value import NoisyValue, as_one, noisy_value_of, shown_largest
from seqlang.rules.mechanism import noisy_max
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.shapes import dimension


def cost_of(program: Program, names: tuple[str, ...]) -> Formula | str:
    """The pure bound of all showings of the gates together."""
    return in_all(_showings(program, names))


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """What one showing of a single gate costs."""
    return _showings(program, (gate.name,))


def _showings(program: Program, names: tuple[str, ...]) -> Showings | str:
    """One showing costs as many times what one noisy maximum costs as there are winners."""
    shared = noisy_value_of(program, names)
    if shared is None or (len(names) == 1 and isinstance(shared.gates[0], ChooseGate)):
        return ""  # one noisy maximum is mechanism/noisy_max
    ranking = ranking_of(shared, lambda e: _is_size(program, shared, e))
    if isinstance(ranking, str):
        return ranking if len(names) > 1 else ""
    if ranking.distances and not all(_is_linear(program, term.noise) for term in shared.terms):
        return "with distances shown noises move either way, by no whole numbers: Laplace or logistic noise only"
    gate = shown_largest(shared, ranking.sign)
    found = noisy_max.showings_of(as_one(program, shared, gate), gate)
    if isinstance(found, str):
        return found
    if ranking.partial and any(isinstance(program.noise(t.noise).life, Once) for t in shared.terms):
        # what the candidates are may change from step to step: each showing has winners of its own
        signs = Signs(parameter_values(program))
        found = replace(found, times=showings(program, gate, signs))
    return replace(found, one=product((number(ranking.winners), found.one)))


def single_winner(program: Program, gate: Gate) -> tuple[Program, ChooseGate] | None:
    """A gate that shows one winner among public candidates, with new noise each time, as a noisy maximum; None: it does
    not. What candidates there are makes no difference to how far two numbers move apart."""
    shared = noisy_value_of(program, (gate.name,)) if isinstance(gate, ReleaseGate) else None
    if shared is None or not all(isinstance(program.noise(t.noise).life, EachStep) for t in shared.terms):
        return None
    ranking = ranking_of(shared, lambda e: _is_size(program, shared, e))
    if isinstance(ranking, str) or ranking.winners != 1 or ranking.distances:
        return None
    shown = shown_largest(shared, ranking.sign)
    return as_one(program, shared, shown), shown


def _is_linear(program: Program, noise: str) -> bool:
    """Whether it may be translated either way at a cost in proportion."""
    law = program.noise(noise).law
    return isinstance(law, Law) and facts_of_law(law.family).translation == TranslationCost("linear")


def _is_size(program: Program, shared: NoisyValue, expression: Expression) -> bool:
    facts = facts_of(program)
    last, size = formula_of(program, expression), dimension(facts, facts.expand(shared.value))
    return last is not None and size is not None and facts.compare(last, size) == "equal"


STATEMENT = """
    neighbours move any two numbers apart by at most r;   independent Laplace or logistic noise of scale b on each,
    new each time
    shown: k winners, each among numbers that what is shown before decides;   and, if every winner is chosen among all
    numbers but earlier winners, distances between winners, or to the largest of the numbers that are left
    ---------------------------------------------------------------------------------------------------------------------
          all of it together is (T k r/b)-DP, T = the showings that a changed entry touches

Fix the noises of the numbers that never win. On the neighbour let each winner's noise move such that its noisy number
rises by one c: then the order among winners stays, and with c = the rise of the largest of the others so do their order
to these and all distances. A winner's own number rises by some d, so its noise moves by c - d, at most r either way.
Without distances c = the largest rise of any number does, and the noises move upwards only: exponential, Gumbel and
geometric noise serve as well, and candidates may be any. Epsilon in nats.
"""

RULE, _of_gates = group_rule(
    "joint/ranking",
    "Noisy ranking",
    STATEMENT,
    "Ding et al. 2019 (free gap); Durfee & Rogers 2019 (one-shot top k); Dwork & Roth 2014, Claim 3.9",
    "moving the winners' noises together keeps the order and the distances",
    {PureBound: cost_of},
)

SEARCH = replace(_of_gates, showings=showings_of)
