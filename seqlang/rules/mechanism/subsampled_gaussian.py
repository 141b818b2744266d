"""A sum over a Poisson sample, released with Gaussian noise: Renyi privacy amplified by the sample.

Given what was shown before, one showing is the sum over the sampled records of their parts, plus noise. With parts of
norm at most s the pairs of `seqlang.accounting.subsampled_gaussian` dominate it, whatever the other records are, if
nobody but this showing learns anything of the sample: it is drawn anew for every showing, and nothing else reads it.
Scaling the sum by a constant scales the parts; what is added to it without reading private data moves nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction

from seqlang.accounting import curves
from seqlang.accounting.numeric.parts import Subsampled
from seqlang.arithmetic.formula import INFINITY, ONE, Formula, absolute, enclose, function
from seqlang.model.expression import (
    Apply,
    Bound,
    Choice,
    Drawn,
    Expression,
    Field,
    Law,
    Local,
    Noised,
    Quantified,
    Records,
    walk,
)
from seqlang.model.program import AddRemove, Gate, Program, ReleaseGate, Replace, nodes_in
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.record import record, replace
from seqlang.rules.computed import Computed, from_the_program
from seqlang.rules.gates.exposure import showings
from seqlang.rules.gates.gate_rule import gate_of
from seqlang.rules.gates.noise import is_fresh, noises_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.reading.read_sets import shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.numbers import NOUGHT, UNIT
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program
from seqlang.rules.sensitivity.facts.shapes import is_number, is_vector
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.records import element
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in


@record
class Sampled:
    """`part`: the releases, the chance of a record rounded up, the deviation down; `curve`: the RDP of all of them over
    ORDER; `steps` for how many steps, where the file does not limit them."""

    part: Subsampled
    curve: Formula
    steps: int | None


@remembered_of_program
def sampled(program: Program, gate: Gate, horizon: int | None) -> Sampled | str:
    """What the gate shows, as Gaussian releases of a sum over a fresh Poisson sample. Text: why it is not that."""
    if not isinstance(gate, ReleaseGate) or not isinstance(program.adjacency, (AddRemove, Replace)):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    if single_entry(program)[0] != ONE:
        return "a Poisson sample hides one entry, and neighbours differ in several"
    found = sum_over_a_sample(program, gate, signs)
    if isinstance(found, str):
        return found
    deviation = _deviation(program, gate, signs)
    if isinstance(deviation, str):
        return deviation
    times = _times(program, gate, signs, horizon)
    if isinstance(times, str):
        return times
    values = parameter_values(program)
    relative = deviation / (function("abs", found.factor) * found.part)
    least = enclose(relative, values).low
    if not 0 < least < math.inf:
        return "the noise is not known to be positive and finite"
    count, steps = times
    replaced = isinstance(program.adjacency, Replace)
    curve = count * curves.subsampled(found.rate, relative, replaced)
    return Sampled(Subsampled(enclose(found.rate, values).high, least, replaced, count), curve, steps)


@record
class Sum:
    """factor * (the sum over a Poisson sample of one part a record) + what is public. `rate`: the chance of a record.
    `part`: the most that one part's l2 norm is; `ends`: between which a part that is a number lies, if that is known;
    `is_whole`: the whole is a sum of whole numbers and of what is public."""

    factor: Formula
    rate: Formula
    part: Formula
    ends: tuple[Formula | None, Formula | None]
    is_number: bool
    is_whole: bool


def sum_over_a_sample(program: Program, gate: ReleaseGate, signs: Signs) -> Sum | str:
    """What the gate releases, before noise, for neighbours in one entry; the sample is new at every showing, and
    nothing else reads it. Text: why it is not that."""
    facts, near = facts_of(program), neighbours_of(facts_of(program))
    value = _one_sum(facts, facts.expand(gate.value))
    if value is None or isinstance(near, str):
        return NOT_MINE
    factor, total = value
    if not (is_number(facts, facts.expand(gate.value)) or is_vector(facts, total)):
        return "a number is added to every coordinate of a list"
    if not near.single:
        return "a Poisson sample hides one entry, and neighbours differ in several"
    rate = _rate(program, gate, total, signs)
    if isinstance(rate, str):
        return rate
    part = _norm(facts, Entry(facts, near), total)
    if isinstance(part, str):
        return part
    if not is_number(facts, total):
        return Sum(factor, rate, part, (None, None), False, False)
    ends = range_in(facts, _part(facts, total))
    return Sum(factor, rate, part, (ends.low, ends.high), True, ends.integer and absolute(factor) == ONE)


def _one_sum(facts: Facts, value: Expression) -> tuple[Formula, Quantified] | None:
    """(factor, sum over a draw) of factor * sum + what is public; None for everything else."""
    match value:
        case Quantified("sum", domain=Drawn()):
            return ONE, value
        case Quantified("count", domain=Drawn()):
            return ONE, replace(value, operator="sum", body=Choice(value.body, UNIT, NOUGHT))
        case Apply("negate", (inner,)):
            return _times_constant(facts, inner, -ONE)
        case Apply("*", (a, b)):
            for constant, inner in ((a, b), (b, a)):
                by = formula_of(facts.program, constant)
                if by is not None:
                    return _times_constant(facts, inner, by)
        case Apply("/", (inner, constant)):
            by = formula_of(facts.program, constant)
            if by is not None and facts.sign(by) in (1, -1):
                return _times_constant(facts, inner, ONE / by)
        case Apply("+" | "-", (a, b)):
            if _is_public(facts, b):
                return _one_sum(facts, a)
            if _is_public(facts, a):
                return _times_constant(facts, b, ONE if value.operator == "+" else -ONE)
    return None


def _times_constant(facts: Facts, inner: Expression, by: Formula) -> tuple[Formula, Quantified] | None:
    found = _one_sum(facts, inner)
    return None if found is None or facts.sign(by) not in (1, -1) else (by * found[0], found[1])


def _is_public(facts: Facts, expression: Expression) -> bool:
    """It is the same for neighbours, and no randomness is in it."""
    return not facts.is_private(expression) and not any(
        isinstance(leaf, (Drawn, Noised, Local)) for leaf in facts.leaves(expression)
    )


def _rate(program: Program, gate: ReleaseGate, total: Quantified, signs: Signs) -> Formula | str:
    """The chance of a record in the sample, which must be new at every showing and read by nothing else."""
    assert isinstance(total.domain, Drawn)
    name = total.domain.name
    noise = next((n for n in program.noises if n.name == name), None)
    law = None if noise is None else noise.law
    if noise is None or not isinstance(law, Law) or law.family != "sample" or law.arguments[0] != Records():
        return NOT_MINE
    rate = formula_of(program, law.arguments[1])
    if rate is None or signs.of(rate) != 1 or not signs.at_least(ONE, rate):
        return f"{name}: the chance of a record must be a constant above 0, and at most 1"
    if not is_fresh(program, gate, noise.life, signs):
        return f"{name}: one sample serves several showings"
    readings = [n for n in nodes_in(program.body) if n == total.domain]
    if len(readings) != 1 or shared_noise(program, (gate.name,), frozenset((name,))) is not None:
        return f"{name}: the sample is read elsewhere too"
    return rate


def _norm(facts: Facts, entry: Entry, total: Quantified) -> Formula | str:
    """How much one record's part is at most, in the l2 norm."""
    part = _part(facts, total)
    for node in (*walk(part), *facts.leaves(part)):
        match node:
            case Drawn() | Noised():
                return "a record's part depends on randomness"
            case Bound(variable) if variable == total.variable:
                return "a record's part depends on its number, which is another one where a record is missing"
            case Field(name) if not name.endswith(RECORD) and facts.is_private(node):
                return "every record's part depends on other private values"
            case _:
                pass
    if not entry.is_local(part):
        return "every record's part depends on the other records"
    bound = norm_bound(facts, element(facts, total.body, total.variable))
    if bound is None or bound.is_infinite or facts.sign(bound) != 1:
        return "one record's part has no known bound: clip it"
    return bound


def _part(facts: Facts, total: Quantified) -> Expression:
    """What one record adds to the sum, if it is in the sample."""
    part = element(facts, total.body, total.variable)
    if total.where is None:
        return part
    return Choice(element(facts, total.where, total.variable), part, NOUGHT)


def _deviation(program: Program, gate: ReleaseGate, signs: Signs) -> Formula | str:
    """The deviation of the largest Gaussian noise that is new at every showing."""
    added = noises_of(program, gate, gate.terms, signs)
    if isinstance(added, str):
        return added
    best: Formula | None = None
    for one in added:
        deviation = formula_of(program, one.law.arguments[0]) if one.law.family == "gaussian" else None
        if deviation is None or one.once or signs.of(deviation) != 1:
            continue
        if best is None or signs.at_least(deviation * one.factor, best):
            best = deviation * one.factor
    return "no Gaussian noise that is new at every showing" if best is None else best


def _times(program: Program, gate: ReleaseGate, signs: Signs, horizon: int | None) -> tuple[int, int | None] | str:
    """(showings, the number of steps that this holds for: None if the file limits them)."""
    limit = showings(program, gate, signs)
    if not limit.is_infinite:
        most = enclose(limit, signs.values).high
        if most < 2**53:
            return max(1, math.ceil(most)), None
    return ("nothing limits how often a record is seen") if horizon is None else (max(1, horizon), horizon)


STATEMENT = """
    shown: c * sum(part(x[i]) for i in batch) + Gaussian noise of deviation sd,  |part| <= s (l2)
    batch: every record with chance q, independently;  batch and noise new at every showing, read by nothing else
    --------------------------------------------------------------------------------------------------------------
    the gate is (a, T D_a)-RDP, T showings, D_a the larger Renyi divergence of order a of, with r = sd/(c s),
      add or remove one:   (1-q) N(0, r^2) + q N(1, r^2)   and   N(0, r^2)
      replace one:         (1-q) N(0, r^2) + q N(1, r^2)   and   (1-q) N(0, r^2) + q N(-1, r^2)

The divisor must not depend on the sample: a mean over it, or a division by its length, is another mechanism.
Epsilon in nats.
"""


def _least(program: Program, asked: RenyiBound, _: Derivation) -> Formula | str:
    gate = gate_of(program, asked.gates)
    found = gate if isinstance(gate, str) else sampled(program, gate, asked.horizon)
    return found if isinstance(found, str) else found.curve


_COMPUTED = Computed(
    "mechanism/subsampled_gaussian",
    "Subsampled Gaussian release",
    STATEMENT,
    "Mironov, Talwar & Zhang 2019, Theorems 4 and 5; replace: Koskela, Jalko & Honkela 2020",
    RenyiBound,
    from_the_program,
    _least,
)


def suggest(
    program: Program, gate: Gate, orders: tuple[Fraction, ...], horizon: int | None
) -> tuple[Derivation, ...] | str:
    """An RDP bound an order of all showings of the gate together, or why there is none."""
    found = sampled(program, gate, horizon)
    if isinstance(found, str):
        return found
    because = f"each of {found.part.count} showings sees a record with chance {found.part.rate:.6g} only"
    asked = (RenyiBound((gate.name,), order, INFINITY, found.steps) for order in orders)
    offers = (_COMPUTED.offer(program, one, because) for one in asked)
    return tuple(offer for offer in offers if isinstance(offer, Derivation))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("gate", "orders", "horizon"), suggest)
