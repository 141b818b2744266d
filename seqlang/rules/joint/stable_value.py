"""A value that is shown plainly where a noisy test says that no neighbour has another one (propose, test, release).

Statement. One step shows whether g + nu >= 0, with nu ~ Laplace(b), and, if so, where the largest element of a list L
stands, without noise; g = a (largest element of L - second largest) - T with a > 0. Neighbours move g by at most s, and
two elements of L by at most r apart. Then both together are (s / b, delta)-DP for delta >= exp(-(T - a r) / b) / 2, if
T >= a r.

Proof. Let x, x' be neighbours. If the largest element stands at one place for both, what is shown is a function of the
test's answer, which costs s / b. Else the two largest elements of L are at most r apart on x and on x': an element that
leads by more than r on one of them leads on the other. So g <= a r - T on both, the test is passed with probability
P(nu >= T - a r) = exp(-(T - a r) / b) / 2 at most, and that it is not passed is at most e^(s / b) times as likely on
one as on the other. An event is thus at most delta + e^(s / b) times as likely.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import Formula, enclose, exponential, number
from seqlang.model.expression import Apply, Expression, Index, Law, Reported
from seqlang.model.junctions import conjuncts
from seqlang.model.program import CompareGate, Gate, Margin, Program, PublicGate, ReleaseGate
from seqlang.record import record
from seqlang.rules.gates.gate_rule import rule_at_delta
from seqlang.rules.gates.radius import apart, radius_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.reading.limits import horizon_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import linear
from seqlang.rules.sensitivity.facts.shapes import dimension


@record
class _Test:
    """a (largest of `of` - second largest) - threshold + noise of scale b >= 0, reported as `gate` says."""

    gate: CompareGate
    value: Expression
    of: Expression
    a: Formula
    threshold: Formula
    b: Formula


def _test(program: Program, gate: Gate) -> _Test | None:
    """The gate as such a test, asked in every step."""
    if not isinstance(gate, CompareGate) or gate.guard is not None or not isinstance(gate.test, Margin):
        return None
    margin, facts = gate.test, facts_of(program)
    if len(margin.terms) != 1 or facts.noises_inside(margin.value):
        return None
    law, factor = program.noise(margin.terms[0].noise).law, formula_of(program, margin.terms[0].factor)
    if not isinstance(law, Law) or law.family != "laplace" or len(law.arguments) != 1 or factor is None:
        return None
    scale, sign = formula_of(program, law.arguments[0]), facts.sign(factor)
    split = linear(facts, facts.expand(margin.value))
    found = _gap(program, split.terms)
    if scale is None or facts.sign(scale) != 1 or sign not in (1, -1) or found is None:
        return None
    return _Test(gate, margin.value, found[0], found[1], -split.constant, scale * factor * sign)


def _gap(program: Program, terms: tuple[tuple[Expression, Formula], ...]) -> tuple[Expression, Formula] | None:
    """The list and the factor of factor * sort(list)[m] - factor * sort(list)[m - 1], for m elements."""
    facts = facts_of(program)
    found: dict[Expression, list[tuple[Formula, Formula]]] = {}
    for part, weight in terms:
        match part:
            case Index(Apply("sort", (listed,)), at) if (place := evaluate_number(facts, at)) is not None:
                found.setdefault(listed, []).append((place, weight))
            case _:
                return None
    if len(found) != 1 or len(terms) != 2:
        return None
    ((listed, ((p, a), (q, c))),) = found.items()
    if facts.sign(a) != 1:
        p, a, q, c = q, c, p, a
    size = dimension(facts, listed)
    if size is None or facts.sign(a) != 1 or facts.sign(a + c) != 0:
        return None
    return (listed, a) if facts.sign(p - size) == 0 and facts.sign(q - size + 1) == 0 else None


def _shown(program: Program, gate: Gate, test: _Test) -> Expression | None:
    """The list of which the gate shows the place of the largest element, where the test was passed."""
    if not isinstance(gate, ReleaseGate) or gate.terms or gate.guard is None:
        return None
    if Reported(test.gate.name) not in conjuncts(gate.guard):
        return None
    match facts_of(program).expand(gate.value):
        case Apply("argmax", (listed,)) if listed == test.of:
            return listed
    return None


def epsilon_of(program: Program, names: tuple[str, ...], delta: Fraction) -> Formula | str:
    """The epsilon over the parameters; text: why there is none at this delta."""
    gates = [gate for gate in program.gates if gate.name in names]
    others = [gate for gate in program.gates if gate.name not in names]
    if len(gates) != 2 or len(names) != 2 or not all(isinstance(gate, PublicGate) for gate in others):
        return NOT_MINE
    test = _test(program, gates[0])
    listed = None if test is None else _shown(program, gates[1], test)
    values = parameter_values(program)
    if test is None or listed is None or not enclose(horizon_of(program, Signs(values)), values).high <= 1:
        return NOT_MINE
    moved, spread = radius_of(program, test.value, "abs"), apart(program, listed)
    if isinstance(moved, str) or isinstance(spread, str):
        return "how far the gap, or the elements of the list, move is not known"
    room = test.threshold - test.a * spread[0]
    if spread[0].is_infinite or not enclose(room, values).low >= 0:
        return "the threshold is not above what the gap may be where a neighbour has another value"
    if not at_most(exponential(-room / test.b) / 2, number(delta), values):
        return "the test is passed too often where a neighbour has another value, for this delta"
    return moved[0] / test.b


STATEMENT = """
    one step shows whether g + nu >= 0, nu ~ Laplace(b), and if so, plainly, where the largest element of L stands
    g = a (largest element of L - second largest) - T, a > 0;   neighbours move g by at most s
    neighbours move two elements of L by at most r apart;   T >= a r;   exp(-(T - a r)/b)/2 <= delta
    ------------------------------------------------------------------------------------------------------------
                                        both together are (s/b, delta)-DP

Where a neighbour has another largest element, the test is passed with probability delta at most. Epsilon in nats.
"""

RULE, SEARCH = rule_at_delta(
    "joint/stable_value",
    "A value that a noisy test found stable",
    STATEMENT,
    "after Dwork & Lei 2009 and Smith & Thakurta 2013; proof in seqlang/rules/joint/stable_value.py",
    "the test is rarely passed where a neighbour has another value; else only its answer tells of the data",
    epsilon_of,
)
