"""Comparisons, winners and functions of numbers with Gaussian noise: together they tell no more than these numbers."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, total
from seqlang.model.expression import Drawn, Expression, Local, Noised, Term
from seqlang.model.gate_source import GateSource, OfNoise, OfSeveral
from seqlang.model.life import EachStep
from seqlang.model.margins import margins
from seqlang.model.program import ChooseGate, CompareGate, NoisyMaxLaw, Program, ReleaseGate
from seqlang.proof.derivation import ConcentratedBound, Derivation
from seqlang.record import record
from seqlang.rules.gates.exposure import is_returned
from seqlang.rules.gates.gate_rule import group_rule
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.mechanism import gaussian
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.read_sets import gate_noises, shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import linear
from seqlang.rules.sensitivity.facts.numbers import apply

Asked = ReleaseGate | ChooseGate | CompareGate


@record
class Number:
    """A noisy value that gates read. Two with one `key` are multiples of each other, up to what is public."""

    value: Expression
    terms: tuple[Term, ...]
    key: object


def cost_of(program: Program, names: tuple[str, ...]) -> Formula | str:
    """rho of all showings of the gates together: what releasing the numbers that they read would cost."""
    gates = tuple(gate for gate in program.gates if gate.name in names)
    if len(gates) != len(names) or not all(isinstance(gate, Asked) for gate in gates):
        return NOT_MINE
    asked = tuple(gate for gate in gates if isinstance(gate, Asked))
    if len(asked) == 1 and not isinstance(asked[0], CompareGate):
        return NOT_MINE  # mechanism/gaussian
    found = [_cost(program, asked, names, kept) for kept in _choices(program, asked)]
    costs = [cost for cost in found if not isinstance(cost, str)]
    return least(costs, Signs(parameter_values(program))) if costs else found[0]


def _choices(program: Program, gates: tuple[Asked, ...]) -> tuple[frozenset[str], ...]:
    """The noises that are counted on: all; those drawn in each step; those that last. Others may as well be public."""
    noises = frozenset(name for gate in gates for name in gate_noises(gate))
    fresh = frozenset(name for name in noises if isinstance(program.noise(name).life, EachStep))
    return tuple(dict.fromkeys((noises, *(kept for kept in (fresh, noises - fresh) if kept))))


def _cost(program: Program, asked: tuple[Asked, ...], names: tuple[str, ...], kept: frozenset[str]) -> Formula | str:
    """rho where only these noises hide anything."""
    published = frozenset(name for gate in asked for name in gate_noises(gate)) - kept
    elsewhere = shared_noise(program, names, published)
    if elsewhere is not None:
        return elsewhere
    facts = facts_of(program)
    read = [_numbers(facts, gate, kept) for gate in asked]
    if any(found is None for found in read):
        return NOT_MINE
    distinct = tuple({number.key: number for found in read if found is not None for number in found}.values())
    numbers = tuple(number for number in distinct if not _is_made_of(facts, number, distinct))
    shared = _shared(facts, numbers)
    if shared is not None:
        return shared
    guards = {gate.guard for gate in asked}
    guard = guards.pop() if len(guards) == 1 else None  # else all count as shown wherever one of them may be
    costs: list[Formula] = []
    for number in numbers:
        gate = ReleaseGate(_source(asked, number, len(numbers)), guard, number.value, number.terms, None)
        cost = gaussian.cost_together(program, gate, names)
        if isinstance(cost, str):
            return cost
        costs.append(cost)
    return total(costs)


def _numbers(facts: Facts, gate: Asked, kept: frozenset[str]) -> tuple[Number, ...] | None:
    """The noisy values of which, with what is public and noises that are not kept, the gate shows a function. None: it
    reads something else."""
    match gate:
        case ReleaseGate(value=value, terms=terms) | ChooseGate(law=NoisyMaxLaw(of=value, terms=terms), visible=True):
            found = [(value, terms)]
        case CompareGate(test=test):
            found = [(m.value, m.terms) for m in margins(test) if m.terms or not _is_public(facts, m.value)]
        case _:
            return None
    found = [(value, tuple(term for term in terms if term.noise in kept)) for value, terms in found]
    if not all(terms for _, terms in found):
        return None
    return tuple(Number(value, terms, _key(facts, value, terms)) for value, terms in found)


def _key(facts: Facts, value: Expression, terms: tuple[Term, ...]) -> object:
    """The value without its public summands and its noises, all divided by the factor of the first noise: exactly equal
    where one noisy number is a known multiple of the other plus something public."""
    first, *rest = sorted(terms, key=lambda term: term.noise)
    by = formula_of(facts.program, first.factor)
    others = [(term.noise, formula_of(facts.program, term.factor)) for term in rest]
    if by is None or facts.sign(by) not in (1, -1) or any(factor is None for _, factor in others):
        return value, terms
    private = [(part, c / by) for part, c in linear(facts, facts.expand(value)).terms if not _is_public(facts, part)]
    scaled = [(noise, factor / by) for noise, factor in others if factor is not None]
    return frozenset(private), first.noise, frozenset(scaled)


def _is_made_of(facts: Facts, number: Number, others: tuple[Number, ...]) -> bool:
    """Whether it is a sum of constant multiples of numbers with one noise each, and of what is public."""
    alone = {other.terms[0].noise: other for other in others if len(other.terms) == 1}
    if len(number.terms) < 2 or any(term.noise not in alone for term in number.terms):
        return False
    rest: Expression = facts.expand(number.value)
    for term in number.terms:
        other = alone[term.noise]
        by, own = formula_of(facts.program, term.factor), formula_of(facts.program, other.terms[0].factor)
        if by is None or own is None or facts.sign(own) not in (1, -1):
            return False
        share = apply("/", apply("*", term.factor, facts.expand(other.value)), other.terms[0].factor)
        rest = apply("-", rest, share)
    return all(_is_public(facts, part) for part, _ in linear(facts, rest).terms)


def _is_public(facts: Facts, expression: Expression) -> bool:
    """It is the same for neighbours with the same transcript, and no randomness is in it."""
    return not facts.is_private(expression) and not any(
        isinstance(leaf, Drawn | Noised | Local) for leaf in facts.leaves(expression)
    )


def _shared(facts: Facts, numbers: tuple[Number, ...]) -> str | None:
    """What keeps the numbers from being released one beside the other: a noise of one is in another."""
    used: set[str] = set()
    for number in numbers:
        own = {term.noise for term in number.terms}
        if own & used:
            return f"{min(own & used)}: one noise on several numbers"
        used |= own
    inside = {noise for number in numbers for noise in facts.noises_inside(number.value)}
    return f"{min(inside & used)}: the noise is also part of a value" if inside & used else None


def _source(gates: tuple[Asked, ...], number: Number, numbers: int) -> GateSource:
    """What stands for the gates that read the number: theirs if that is one gate, or if stops return all of them (a run
    returns once). Each number has a name of its own."""
    if len(gates) == 1 == numbers or all(is_returned(gate) for gate in gates):
        return gates[0].source
    return OfSeveral(tuple(OfNoise(term.noise) for term in number.terms))


STATEMENT = """
    gates G read v_i + noise_i, for several numbers or vectors v_i: G shows comparisons of these, the place of the
    largest, or functions of one, and what is public;   to release all v_i + noise_i is rho-zCDP by mechanism/gaussian
    ------------------------------------------------------------------------------------------------------------------
              all gates of G together are rho-zCDP

Numbers that are multiples of one another, up to public summands, count once; sums of others, noises included, do not
count. Each has noises of its own, which stand in no other value and are read by no gate outside G. All noises are
counted on, or those alone that are drawn in each step, or that last: the others, of which no gate outside G knows more,
may as well be published, as no data is in them. The numbers count as released in every step in which one of the gates
is asked, whatever their conditions if these differ. A comparison that is asked in each step costs in each step: with
noise on the threshold that stays, the rules on tests are far better.
"""

RULE, _of_gates = group_rule(
    "joint/gaussian_values",
    "Functions of numbers with Gaussian noise",
    STATEMENT,
    "Dwork & Roth 2014, Proposition 2.1; see mechanism/gaussian",
    "whoever sees the noisy numbers can compute what all of these gates show",
    {ConcentratedBound: cost_of},
)


def suggest(program: Program, gates: tuple[str, ...]) -> tuple[Derivation, ...] | str:
    """The zCDP bound of all showings of the gates together; where there is none, the rules on tests say why."""
    found = _of_gates.suggest(program, gates)
    return found if isinstance(found, tuple) else NOT_MINE


SEARCH = Search(RULE.name, ("gates",), suggest)
