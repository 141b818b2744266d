"""A noisy value held in every step against two noisy thresholds, until it lies between them (BetweenThresholds).

Statement. In every step the run shows whether q + g nu < lower + f z and whether q + g nu > upper - f z, with z ~
Laplace drawn once and nu ~ Laplace drawn anew, and it ends in the first step in which neither holds. Neighbours move q
by at most r in any step. Let b1, b2 be the scales of f z and g nu, T = upper - lower, 0 < delta <= 1/2, and
W = T + 2 b1 log(2 delta) > 2 r. Then the answers are (epsilon, delta)-DP, adaptively, with
    epsilon = r / b1 + log(1 + (e^(2 r / b2) - 1) / (1 - e^(-(W - 2 r) / b2))).

Proof. The interval between the noisy thresholds is w = T - 2 f z wide. It is narrower than W with probability
P(f z > (T - W) / 2) = e^(-(T - W) / (2 b1)) / 2 = delta. Elsewhere move f z up by r: the density of z falls by a factor
of at most e^(r / b1), and the interval, now w - 2 r > 0 wide, moves in by r at both ends. Whatever is below (above) the
interval stays so when q moves by at most r, and both never hold. Only the last answer may be "neither": nu then lies in
I = [a, a + w], and on the other side in [a + s, a + s + w - 2 r], called J, with 0 <= s <= 2 r. For a density that is
log-concave, P([a, a + s]) / P(J) rises with a and P([a + w - 2 r + s, a + w]) / P(J) falls; their limits in the
exponential tails are (e^(s / b2) - 1) / D and (e^((2 r - s) / b2) - 1) / D with D = 1 - e^(-(w - 2 r) / b2). The sum of
both is convex in s, so at most (e^(2 r / b2) - 1) / D, and D >= 1 - e^(-(W - 2 r) / b2).
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import DELTA, Formula, enclose, exponential, logarithm
from seqlang.model.expression import Apply, Expression, Law, Reported
from seqlang.model.gate_source import report_of
from seqlang.model.junctions import conjuncts
from seqlang.model.life import EachStep, Once
from seqlang.model.program import CompareGate, Margin, Program, PublicGate, Stop
from seqlang.record import record
from seqlang.rules.gates.gate_rule import rule_at_delta
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.reading.read_sets import noises_read, shared_noise
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import linear


@record
class _Side:
    """value + f z + g nu >= 0, with the scales |f| and |g| times those of the laws."""

    value: Expression
    kept: tuple[str, Formula]
    fresh: tuple[str, Formula]


def _side(program: Program, gate: CompareGate) -> _Side | None:
    """A report in every step of one comparison with a Laplace noise of each kind; `kept` and `fresh` hold their names
    and factors."""
    test, facts = gate.test, facts_of(program)
    if not isinstance(test, Margin) or gate.guard is not None or len(test.terms) != 2 or not report_of(gate.source):
        return None
    if facts.noises_inside(test.value):
        return None
    found: dict[type, tuple[str, Formula]] = {}
    for term in test.terms:
        noise, factor = program.noise(term.noise), formula_of(program, term.factor)
        if isinstance(noise.law, Law) and _is_laplace(noise.law) and factor is not None:
            found[type(noise.life)] = term.noise, factor
    return _Side(test.value, found[Once], found[EachStep]) if found.keys() == {Once, EachStep} else None


def _is_laplace(law: Law) -> bool:
    return law.family == "laplace" and len(law.arguments) == 1


def _sides(program: Program, names: tuple[str, ...]) -> tuple[_Side, _Side] | str:
    """The two comparisons, if they are all that is not public, and the run ends where neither holds."""
    gates = [gate for gate in program.gates if gate.name in names]
    others = [gate for gate in program.gates if gate.name not in names]
    if len(gates) != 2 or len(names) != 2 or not all(isinstance(gate, PublicGate) for gate in others):
        return NOT_MINE
    sides = [side for gate in gates if isinstance(gate, CompareGate) and (side := _side(program, gate)) is not None]
    if len(sides) != 2:
        return NOT_MINE
    first, second = sides
    factors = (first.kept[1] - second.kept[1], first.fresh[1] + second.fresh[1])
    signs = facts_of(program)
    if first.kept[0] != second.kept[0] or first.fresh[0] != second.fresh[0]:
        return "the two comparisons do not share their noises"
    if any(signs.sign(factor) != 0 for factor in factors):
        return "the noises do not move the thresholds apart or together, and the value alike for both"
    if not _ends_between(program, tuple(gate.name for gate in gates)):
        return "the run need not end where the value lies between"
    read = noises_read(program, [first.value, second.value]) | {first.kept[0], first.fresh[0]}
    return shared_noise(program, names, read) or (first, second)


def _ends_between(program: Program, names: tuple[str, ...]) -> bool:
    """Whether a stop below both reports ends every run in which neither was made; no stop stands between them."""
    places = sorted(i for i, s in enumerate(program.body) if getattr(s, "name", None) in names and not _is_cell(s))
    if len(places) != 2 or any(isinstance(s, Stop) for s in program.body[places[0] : places[1]]):
        return False
    neither = {Apply("not", (Reported(name),)) for name in names}
    stops = [s.when for s in program.body[places[1] :] if isinstance(s, Stop)]
    return any(when is None or set(conjuncts(when)) <= neither for when in stops)


def _is_cell(statement: object) -> bool:
    return hasattr(statement, "keep")


def epsilon_of(program: Program, names: tuple[str, ...], delta: Fraction) -> Formula | str:
    """The epsilon over the parameters and DELTA; text: why there is none at this delta."""
    found = _sides(program, names)
    if isinstance(found, str):
        return found
    first, second = found
    width = _width(program, first.value, second.value)
    moved = radius_of(program, first.value, "abs")
    if width is None or isinstance(moved, str):
        return "the distance of the thresholds, or how far the value moves, is not known"
    radius = moved[0]
    b1, b2 = (_scale(program, *noise) for noise in (first.kept, first.fresh))
    if b1 is None or b2 is None:
        return "a scale is not known to lie above 0"
    room = width + 2 * b1 * logarithm(2 * DELTA) - 2 * radius
    values = {**parameter_values(program), DELTA.name: delta}
    if not 0 < delta <= Fraction(1, 2) or not enclose(room, values).low > 0:
        return "the thresholds are too near to each other for this delta"
    jump = (exponential(2 * radius / b2) - 1) / (1 - exponential(-room / b2))
    return radius / b1 + logarithm(1 + jump)


def _width(program: Program, first: Expression, second: Expression) -> Formula | None:
    """upper - lower: minus the sum of (lower - q) and (q - upper), where the q cancel."""
    facts = facts_of(program)
    total = linear(facts, Apply("+", (facts.expand(first), facts.expand(second))))
    return -total.constant if total.is_constant else None


def _scale(program: Program, name: str, factor: Formula) -> Formula | None:
    law, facts = program.noise(name).law, facts_of(program)
    scale, sign = formula_of(program, law.arguments[0]) if isinstance(law, Law) else None, facts.sign(factor)
    known = scale is not None and facts.sign(scale) == 1 and sign in (1, -1)
    return scale * factor * sign if known and scale is not None and sign is not None else None


STATEMENT = """
    every step shows whether q + g nu < lower + f z, and whether q + g nu > upper - f z;   z drawn once, nu anew
    the run ends where neither holds;   neighbours move q by at most r;   f z, g nu ~ Laplace(b1), Laplace(b2)
    T = upper - lower;   0 < delta <= 1/2;   W = T + 2 b1 log(2 delta) > 2 r
    ------------------------------------------------------------------------------------------------------------
    the answers are (r/b1 + log(1 + (e^(2r/b2) - 1) / (1 - e^(-(W - 2r)/b2))), delta)-DP

The interval between the noisy thresholds is narrower than W with probability delta; else all answers but the last are
kept by moving both thresholds in by r, and the last one costs what a smaller interval does. Epsilon in nats.
"""

RULE, SEARCH = rule_at_delta(
    "joint/between",
    "Between two noisy thresholds",
    STATEMENT,
    "after Bun, Steinke & Ullman 2017, BetweenThresholds; proof in seqlang/rules/joint/between.py",
    "outside of a rare narrow interval, both thresholds move in by what the value may move",
    epsilon_of,
)
