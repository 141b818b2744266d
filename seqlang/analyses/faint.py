"""Chances that floats may not tell from 0: `exp(-1000)`, the other side of a coin of bias 1 - 1e-20, a weight of 1e-200
beside one of 1e200.

A run never sees them. A proof that something is impossible may not rest on them: what is computed as 0 is then small,
and no more is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from seqlang.arithmetic.formula import Formula, enclose
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Expression,
    Field,
    Index,
    Law,
    Number,
    ParameterValue,
    Quantified,
    Records,
    Sequence,
    StepNumber,
    Truth,
    Weights,
    WeightsOf,
    children,
)
from seqlang.model.program import ChooseGate, Draw, FlipLaw, PrivateLaw, Program
from seqlang.operators.groups import CHOSEN, COMPARISONS, LOGIC, OF_ELEMENTS, ROUNDINGS
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.ranges.ranges import range_in

LEAST = 1e-290
"""A float of this size keeps all its digits when it is divided by a total of the size of 1."""
MOST_TRIALS = 1000
"""Of a binomial law with more trials the least chance is taken for too small for a float."""
LEAST_WEIGHT, LARGEST_WEIGHT = 1e-140, 1e140
FEW_DIGITS = Fraction(1, 10**6)
"""Of a number that is computed by a subtraction, and is at least this, floats know ten digits."""

_COMPARED = COMPARISONS | LOGIC
_EXACT = _COMPARED | CHOSEN | ROUNDINGS


def faint_gates(program: Program) -> frozenset[str]:
    """The choices that are shown, or read inside, of which some answer may have a chance that floats take for 0."""
    facts = facts_of(program)
    return frozenset(g.name for g in program.gates if isinstance(g, ChooseGate) and not _gate_is_clear(facts, g))


def draws_are_clear(program: Program) -> bool:
    """Whether no choice of the program has such an answer, shown or not."""
    choices = (s.law for s in program.body if isinstance(s, Draw))
    return not faint_gates(program) and all(law_is_clear(program, law) for law in choices) and coins_are_clear(program)


def coins_are_clear(program: Program) -> bool:
    """The same of the noises and draws with a constant law that lists its values."""
    return all(law_is_clear(program, noise.law) for noise in program.noises if _is_listed(noise.law))


def lists_are_clear(program: Program, model: str) -> bool:
    """The same of all choices, and of the entries under a model whose law lists its values."""
    entries = next(m.laws for m in program.models if m.name == model)
    return draws_are_clear(program) and all(law_is_clear(program, law) for _, law in entries if _is_listed(law))


def model_is_clear(program: Program, model: str) -> bool:
    """The same of the entries under a model."""
    return all(law_is_clear(program, law) for _, law in next(m.laws for m in program.models if m.name == model))


def values_are_clear(program: Program, model: str) -> bool:
    """The same of the values that entries have under a model; of a density no single value has a chance."""
    laws = next(m.laws for m in program.models if m.name == model)
    return all(_has_density(law) or law_is_clear(program, law) for _, law in laws)


def law_is_clear(program: Program, law: Expression) -> bool:
    """Whether floats take a chance of the law for 0 only where it is 0."""
    return _is_clear(facts_of(program), law)


def _is_listed(law: Expression) -> bool:
    if isinstance(law, Choice):
        return _is_listed(law.yes) or _is_listed(law.no)
    return not isinstance(law, Law) or law.family in ("bernoulli", "randomized_response")


def _has_density(law: Expression) -> bool:
    if isinstance(law, Choice):
        return _has_density(law.yes) and _has_density(law.no)
    return isinstance(law, Law) and facts_of_law(law.family).kind == "density"


def _gate_is_clear(facts: Facts, gate: ChooseGate) -> bool:
    match gate.law:
        case FlipLaw(truth=truth):
            return _is_chance(facts, truth)
        case PrivateLaw(law):
            return _is_clear(facts, facts.expand(law))
    return True  # the largest of noisy values: its noises are looked at


def _is_clear(facts: Facts, law: Expression) -> bool:
    match law:
        case Law("bernoulli" | "randomized_response", (chance,)):
            return _is_chance(facts, chance)
        case Law("point" | "uniform"):
            return True
        case Law("binomial", (n, chance)):
            trials, p = _constant(facts, n), _constant(facts, chance)
            if trials is None or p is None or not 0 <= p <= 1 or trials > MOST_TRIALS:
                return False
            return _is_chance(facts, chance) and (p in (0, 1) or float(min(p, 1 - p)) ** int(trials) >= LEAST)
        case Weights(pairs):
            return len(pairs) == 1 or _are_weights(facts, (weight for _, weight in pairs))
        case WeightsOf(weight=weight, domain=domain):
            listed = evaluate(facts, domain)
            alone = isinstance(listed, tuple) and len(listed) == 1  # its share is 1, or the weight is refused
            return alone or _are_weights(facts, (weight,))
        case Law(family):
            return not facts_of_law(family).underflows
        case Choice(_, yes, no):
            return _is_clear(facts, yes) and _is_clear(facts, no)
    return False


def _is_chance(facts: Facts, chance: Expression) -> bool:
    """Whether both sides of a coin are told from 0: it is taken for 0 only if it is 0, and for 1 only if it is 1."""
    match facts.expand(chance):
        case Sequence("list", items):
            return all(_is_chance(facts, item) for item in items)
        case Quantified("list", body):
            return _is_chance(facts, body)
        case Choice(_, yes, no):
            return _is_chance(facts, yes) and _is_chance(facts, no)
        case expression:
            known = ends_of(facts, expression)[0] >= FEW_DIGITS or not _subtracts(facts, expression)
            return known and _keeps_zero(facts, expression) and _keeps_one(facts, expression)


def _subtracts(facts: Facts, e: Expression) -> bool:
    """Whether the digits of numbers with errors may cancel in it. Not in the argument of `exp`, whose error is a part
    of the value."""
    match e:
        case Apply("exp"):
            return False
        case Apply("-") if not all(_is_exact(facts, a) for a in e.arguments):
            return True
        case Apply("+") if not all(_is_exact(facts, a) or ends_of(facts, a)[0] >= 0 for a in e.arguments):
            return True
    return any(_subtracts(facts, part) for part in children(e))


def _are_weights(facts: Facts, weights: Iterable[Expression]) -> bool:
    return all(_is_weight(facts, facts.expand(weight)) for weight in weights)


def _is_weight(facts: Facts, weight: Expression) -> bool:
    """It is 0, or neither it nor its share of the total is too small for floats."""
    if isinstance(weight, Choice):
        return _is_weight(facts, weight.yes) and _is_weight(facts, weight.no)
    low, high = ends_of(facts, weight)
    if high > LARGEST_WEIGHT:
        return False
    return low >= LEAST_WEIGHT or (low <= 0 and _keeps_zero(facts, weight) and _constant(facts, weight) in (None, 0))


def _keeps_zero(facts: Facts, e: Expression) -> bool:
    """Whether floats take the value for 0 only if it is 0. The entries of a stream are floats."""
    value = _constant(facts, e)
    if value is not None:
        return value == 0 or abs(value) >= LEAST
    if ends_of(facts, e)[0] >= LEAST:
        return True
    match e:
        case Field() | Records() | Bound() | StepNumber() | Truth():
            return True
        case Choice(_, a, b) | Apply("*" | "/", (a, b)):
            return _keeps_zero(facts, a) and _keeps_zero(facts, b)
        case Index(base, _):
            return _keeps_zero(facts, base)
        case Sequence(_, items):
            return all(_keeps_zero(facts, item) for item in items)
        case Apply("+" | "-", (a, b)):
            alike = _is_exact(facts, a) and _is_exact(facts, b)
            return alike or (
                e.operator == "+" and all(_keeps_zero(facts, x) and ends_of(facts, x)[0] >= 0 for x in (a, b))
            )
        case Apply("max" | "min" | "clip" | "negate" | "abs" | "sqrt", arguments):
            return all(_keeps_zero(facts, a) for a in arguments)
        case Apply(operator):
            return operator in _COMPARED
        case Quantified("count"):
            return True
        case Quantified("sum" | "mean" | "max" | "min", body):
            return _keeps_zero(facts, body) and ends_of(facts, body)[0] >= 0
        case CellValue(name):
            return _cell_keeps_zero(facts, name)
    return False


def _cell_keeps_zero(facts: Facts, name: str) -> bool:
    cell = facts.cells[name]
    body = facts.expand(cell.body)
    if any(isinstance(node, CellValue) for node in facts.leaves(body)):
        return False
    kept = _keeps_zero(facts, body) and ends_of(facts, body)[0] >= 0
    return cell.operator == "count" or (cell.operator in OF_ELEMENTS and kept)


def _keeps_one(facts: Facts, e: Expression) -> bool:
    """Whether floats take the value for 1 only if it is 1, and know 1 minus the value otherwise."""
    value = _constant(facts, e)
    if value is not None:
        return value == 1 or abs(value - 1) >= FEW_DIGITS
    if ends_of(facts, e)[1] <= 1 - FEW_DIGITS:
        return True
    match e:
        case Field() | Bound() | StepNumber() | Truth():
            return True
        case Choice(_, a, b):
            return _keeps_one(facts, a) and _keeps_one(facts, b)
        case Index(base, _):
            return _keeps_one(facts, base)
        case Sequence(_, items):
            return all(_keeps_one(facts, item) for item in items)
        case Apply("max" | "min" | "clip", arguments):
            return all(_keeps_one(facts, a) for a in arguments)
        case Apply("/", (a, b)):
            return _is_exact(facts, a) and _is_exact(facts, b)
        case Apply(operator):
            return operator in _COMPARED
    return False


def _is_exact(facts: Facts, e: Expression) -> bool:
    """Whether its value is a float, found without rounding."""
    value = _constant(facts, e)
    if value is not None:
        return abs(value) < 2**1000 and Fraction(float(value)) == value
    match e:
        case Field() | Bound() | StepNumber() | Truth():
            return True
        case Choice(_, a, b):
            return _is_exact(facts, a) and _is_exact(facts, b)
        case Apply(operator, arguments) if operator in _EXACT:
            return operator in _COMPARED or all(_is_exact(facts, a) for a in arguments)
    return range_in(facts, e).integer


def _constant(facts: Facts, e: Expression) -> Fraction | None:
    """The value of a constant, near enough to compare it with 0 and 1."""
    match e:
        case Number(value):
            return value
        case ParameterValue(name):
            return next(p.value for p in facts.program.parameters if p.name == name)
    formula = evaluate_number(facts, e)
    if formula is None or formula.is_infinite:
        return None
    near = enclose(formula, facts.values)
    if not abs(near.low) < float("inf") or not abs(near.high) < float("inf"):
        return None
    return Fraction(near.low) if near.low == near.high or near.low > 0 else Fraction(near.high)


def ends_of(facts: Facts, e: Expression) -> tuple[float, float]:
    """Floats between which the value lies for all data; infinite where nothing is known."""
    found = range_in(facts, e)

    def end(formula: Formula | None, missing: float, low: bool) -> float:
        if formula is None or formula.is_infinite:
            return missing
        around = enclose(formula, facts.values)
        return around.low if low else around.high

    return end(found.low, float("-inf"), True), end(found.high, float("inf"), False)
