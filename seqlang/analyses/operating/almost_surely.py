"""Whether an algorithm stops with probability 1, by the law of large numbers. No distribution is computed.

Think of the run that ignores its stops. A sum over steps of independent, identically distributed terms, divided by the
step, tends to their mean; so do functions of such sums that keep multiples (differences, maxima, absolute values). If
what a stop compares grows like d * step with d > 0, the comparison holds from some step on, almost surely. Noise with a
mean, divided by the step, tends to 0 (Borel-Cantelli).
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.arithmetic.formula import Formula, number
from seqlang.laws.facts import facts as law_facts
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Drawn,
    Expression,
    Field,
    Label,
    Law,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    StepNumber,
    Truth,
    walk,
)
from seqlang.model.life import EachStep, Once
from seqlang.model.program import AllSteps, Claim, Program, Stop
from seqlang.operators.groups import TOTALS
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT, ZERO, apply
from seqlang.rules.sensitivity.ranges.arithmetic import hull, plus, times
from seqlang.rules.sensitivity.ranges.range import Range
from seqlang.rules.sensitivity.ranges.ranges import range_in

UNKNOWN = Range()
STILL = Range(ZERO, ZERO)


def surely_stops(program: Program, claim: Claim, model: str) -> str | None:
    """Why the claim, probability(stops) >= a with a <= 1, holds under the model; None: not known, or another claim."""
    match claim.condition:
        case Apply(">=", (Apply("probability", (Label("stops"),)), Number(least))) if least <= 1:
            pass
        case _:
            return None
    law = program.model(model)
    if law.memories or any(isinstance(node, StepNumber) for _, part in law.laws for node in walk(part)):
        return None  # the entries are not independent with one law
    facts = facts_of(program)
    stop = next((s for s in program.body if isinstance(s, Stop) and _always_at_last(facts, s.when)), None)
    if stop is None:
        return None
    return f"stop {stop.index}: what it compares grows with the step, almost surely (law of large numbers)"


def _always_at_last(facts: Facts, condition: Expression | None) -> bool:
    """True if the condition surely holds in every step from some step on."""
    match condition:
        case None | Truth(True):
            return True
        case Apply("and", parts):
            return all(_always_at_last(facts, part) for part in parts)
        case Apply("or", parts):
            return any(_always_at_last(facts, part) for part in parts)
        case Apply(">" | ">=", (a, b)) | Apply("<" | "<=", (b, a)):
            low = drift(facts, facts.expand(apply("-", a, b))).low
            return low is not None and facts.sign(low) == 1
    return False


def drift(facts: Facts, expression: Expression) -> Range:
    """Between which numbers expression / step tends, almost surely; no ends where that is not known."""

    def of(inner: Expression) -> Range:
        return drift(facts, inner)

    if evaluate_number(facts, expression) is not None:
        return STILL
    match expression:
        case StepNumber():
            return Range(ONE, ONE)
        case Apply("+", (a, b)):
            return plus(facts, of(a), of(b))
        case Apply("-", (a, b)):
            return plus(facts, of(a), _scaled(facts, of(b), -ONE))
        case Apply("negate", (a,)):
            return _scaled(facts, of(a), -ONE)
        case Apply("*", (a, b)) if (factor := evaluate_number(facts, a)) is not None:
            return _scaled(facts, of(b), factor)
        case Apply("*", (a, b)) if (factor := evaluate_number(facts, b)) is not None:
            return _scaled(facts, of(a), factor)
        case Apply("/", (a, b)) if (factor := evaluate_number(facts, apply("/", UNIT, b))) is not None:
            return _scaled(facts, of(a), factor)
        case Apply("abs", (a,)):
            return _largest(facts, [of(a), _scaled(facts, of(a), -ONE)])
        case Apply("max", arguments) if len(arguments) > 1:
            return _largest(facts, [of(a) for a in arguments])
        case Apply("min", arguments) if len(arguments) > 1:
            turned = [_scaled(facts, of(a), -ONE) for a in arguments]
            return _scaled(facts, _largest(facts, turned), -ONE)
        case Quantified("max" | "min", body, _, domain, None) if isinstance(evaluate(facts, domain), tuple):
            return of(body)  # whichever element it is
        case CellValue(name):
            return _mean_term(facts, name)
        case Noised(_, base, terms) if all(_fades(facts, t.noise) and _constant(facts, t.factor) for t in terms):
            return of(base)
    return UNKNOWN


def _scaled(facts: Facts, r: Range, factor: Formula) -> Range:
    return UNKNOWN if r == UNKNOWN else times(facts, Range(factor, factor), r)


def _largest(facts: Facts, ranges: list[Range]) -> Range:
    """The range of a maximum: at least the largest low end, at most the largest high end."""
    if any(not r.is_bounded for r in ranges):
        return UNKNOWN
    best = ranges[0]
    for r in ranges[1:]:
        joined = hull(facts, [best, r])
        assert best.low is not None and r.low is not None
        best = Range(best.low if facts.at_most(r.low, best.low) else r.low, joined.high)
    return best


def _constant(facts: Facts, factor: Expression) -> bool:
    value = evaluate_number(facts, factor)
    return value is not None and not value.is_infinite


def _fades(facts: Facts, noise: str) -> bool:
    """Its draws, divided by the step, tend to 0."""
    found = facts.noises.get(noise)
    known = found is not None and isinstance(found.law, Law) and isinstance(found.life, EachStep | Once)
    return known and found is not None and isinstance(found.law, Law) and law_facts(found.law.family).has_mean


def _mean_term(facts: Facts, name: str) -> Range:
    """The mean of what a sum over all steps adds in a step."""
    cell = facts.cells[name]
    if cell.operator not in TOTALS or not isinstance(cell.keep, AllSteps):
        return UNKNOWN
    parts = [facts.expand(part) for part in (cell.body, cell.where) if part is not None]
    if not all(_fresh_each_step(facts, part) for part in parts):
        return UNKNOWN
    body = range_in(facts, parts[0])
    if cell.operator == "count":
        body = Range(ZERO, ONE)
    if not body.is_bounded:
        return UNKNOWN
    centred = cell.operator == "sum" and any(_centred(facts, parts[0], z) for z in _coins(parts[0]))
    if centred and cell.where is None:
        return STILL
    return hull(facts, [body, STILL]) if cell.where is not None else body


def _fresh_each_step(facts: Facts, expression: Expression) -> bool:
    """It reads this step's entry and draws of constant laws that are new in each step, and nothing else."""
    for leaf in facts.leaves(expression):
        match leaf:
            case Field(name):
                if name not in facts.inputs or facts.inputs[name].kind != "stream":
                    return False
            case Drawn(name):
                if name not in facts.noises or not isinstance(facts.noises[name].life, EachStep):
                    return False
            case Bound() | Number() | Truth() | Label() | ParameterValue():
                pass
            case _:
                return False
    return True


def _coins(term: Expression) -> Iterator[str]:
    """Draws that are a factor of the term and occur nowhere else in it."""
    factors = _factors(term)
    for at, factor in enumerate(factors):
        others = factors[:at] + factors[at + 1 :]
        if isinstance(factor, Drawn) and not any(node == factor for other in others for node in walk(other)):
            yield factor.name


def _factors(term: Expression) -> list[Expression]:
    match term:
        case Apply("*", parts):
            return [factor for part in parts for factor in _factors(part)]
    return [term]


def _centred(facts: Facts, term: Expression, coin: str) -> bool:
    """The coin takes finitely many values, equally likely, that add up to 0: so has every product with it mean 0, as it
    is independent of the entry."""
    law = facts.noises[coin].law if coin in facts.noises else None
    if not isinstance(law, Law) or law.family != "uniform" or len(law.arguments) != 1:
        return False
    listed = evaluate(facts, law.arguments[0])
    if not isinstance(listed, tuple) or not listed or not all(isinstance(v, Formula) for v in listed):
        return False
    total = sum((v for v in listed if isinstance(v, Formula)), start=number(0))
    return facts.sign(total) == 0
