"""Each step's budget is chosen as the run goes: what public memory has counted bounds the sum (privacy filters).

Shown is a * F + noise, where the public factor a is chosen from the transcript (by the analyst, by memory). That
step's loss is at most |a| s / b, s the sensitivity of F. The program keeps an account: memory M, raised at each such
showing by an amount that is never below 0 and proportional to |a|, and it shows only where M + amount <= B. For every
transcript the amounts then add up to at most B - (start of M), whatever chose them, and so do the losses, times s / b:
the filter of Rogers, Roth, Ullman & Vadhan 2016 for pure privacy. With Gaussian noise and an account of a^2 the same is
true of rho (Feldman & Zrnic 2021: a Renyi filter for each order, all with the same account).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from seqlang.arithmetic.formula import Formula, product
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.expression import (
    Apply,
    Expression,
    Field,
    MemoryValue,
    Number,
    ParameterValue,
    StepNumber,
    walk,
)
from seqlang.model.gate_source import OfStop, report_of
from seqlang.model.junctions import conjuncts
from seqlang.model.program import Gate, Program, PublicGate, ReleaseGate, Stop, Update
from seqlang.operators.groups import NEGATED, ORDERINGS
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.record import record
from seqlang.rules.gates.gate_rule import gate_rule
from seqlang.rules.gates.noise import Added, noises_of
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.rounding import keeps_count
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import linear
from seqlang.rules.sensitivity.facts.numbers import TWO, UNIT
from seqlang.rules.sensitivity.facts.shapes import is_number
from seqlang.rules.sensitivity.ranges.ranges import range_in


@record
class Account:
    """Over a run, the amounts of all showings add up to at most `room`; `amount` is one of them."""

    amount: Expression
    room: Formula


def pure_cost(program: Program, gate: Gate) -> Formula | str:
    """entries * (amounts in all) * |a| / amount * s / b."""
    return _cost(program, gate, 1)


def concentrated_cost(program: Program, gate: Gate) -> Formula | str:
    """entries^2 * (amounts in all) * a^2 / amount * s^2 / (2 sd^2)."""
    return _cost(program, gate, 2)


def _cost(program: Program, gate: Gate, power: int) -> Formula | str:
    if not isinstance(gate, ReleaseGate):
        return NOT_MINE
    entries, single = single_entry(program)
    signs = Signs(parameter_values(single))
    facts = facts_of(single, 1, revealed_choices(single))
    split = _factored(facts, facts.expand(gate.value))
    if split is None:
        return NOT_MINE
    factor, value = split
    accounts = tuple(_accounts(facts, gate))
    added = noises_of(single, gate, gate.terms, signs)
    if not accounts or isinstance(added, str):
        return NOT_MINE if isinstance(added, str) else "no account of what the steps spend was found"
    for account in accounts:
        ratio = _ratio(facts, factor, account.amount, power)
        one = next((c for a in added if (c := _one(facts, value, a, power)) is not None), None)
        if ratio is not None and one is not None:
            return product((*(entries,) * power, ratio, account.room, one))
    return "what a step spends is not proportional to what the account counts"


def _factored(facts: Facts, value: Expression) -> tuple[Expression, Expression] | None:
    """(a, F) of a * F, with a public and changing from step to step."""
    match value:
        case Apply("*", (a, b)) if _public(facts, a) and is_number(facts, a):
            return a, b
        case Apply("*", (b, a)) if _public(facts, a) and is_number(facts, a):
            return a, b
        case Apply("/", (b, a)) if _public(facts, a) and is_number(facts, a):
            return Apply("/", (UNIT, a)), b
    return None


_SETTLED = (Apply, MemoryValue, StepNumber, Number, ParameterValue)


def _public(facts: Facts, expression: Expression) -> bool:
    """It reads memory, public inputs, the step and constants: the same in all of a step but for updates."""
    return all(
        isinstance(e, _SETTLED)
        or (isinstance(e, Field) and e.name in facts.inputs and facts.inputs[e.name].kind == "public")
        for e in walk(expression)
    )


def _one(facts: Facts, value: Expression, added: Added, power: int) -> Formula | None:
    """What a showing with a = 1 costs: s / b, or s^2 / (2 sd^2)."""
    norm = _norm(added.law.family, power)
    scale = formula_of(facts.program, added.law.arguments[0]) if added.law.arguments else None
    if norm is None or scale is None or facts.sign(scale) != 1 or added.once:
        return None
    measured = radius_of(facts.program, value, norm)
    if isinstance(measured, str):
        return None
    ratio = measured[0] / (scale * added.factor)
    return ratio if power == 1 else ratio * ratio / 2


def _norm(family: str, power: int) -> Literal["l1", "l2", "abs"] | None:
    """In which norm of the move a showing is charged, in proportion (power 1) or by the square (power 2)."""
    declared = facts_of_law(family).translation
    if power == 2:
        return "l2" if family == "gaussian" else None
    return declared.norm if declared is not None and declared.kind == "linear" else None


def _ratio(facts: Facts, factor: Expression, amount: Expression, power: int) -> Formula | None:
    """|a|^power / amount, if that is one constant; the amount is known not to be below 0."""
    low = range_in(facts, amount).low
    if low is None or facts.sign(low) not in (0, 1):
        return None
    spent = linear(facts, factor if power == 1 else Apply("^", (factor, TWO)))
    if power == 2 and len(linear(facts, factor).terms) == 1:
        # (c p)^2 = c^2 p^2
        ((part, c),) = linear(facts, factor).terms
        inner = linear(facts, Apply("^", (part, TWO)))
        if facts.sign(linear(facts, factor).constant) == 0 and len(inner.terms) == 1:
            spent = type(inner)(((inner.terms[0][0], c * c * inner.terms[0][1]),), inner.constant)
    counted = linear(facts, amount)
    if facts.sign(spent.constant) != 0 or facts.sign(counted.constant) != 0:
        return None
    if len(spent.terms) != 1 or len(counted.terms) != 1 or spent.terms[0][0] != counted.terms[0][0]:
        return None
    c, d = spent.terms[0][1], counted.terms[0][1]
    if facts.sign(d) not in (1, -1) or facts.sign(c) not in (1, -1):
        return None
    ratio = c / d
    return ratio if facts.sign(ratio) == 1 else -ratio


def _accounts(facts: Facts, gate: ReleaseGate) -> Iterator[Account]:
    """Memory that counts at every showing, and is looked at before it. The update may stand above the showing or below
    it: what reads memory says which of its versions it reads."""
    program, body = facts.program, facts.program.body
    shown = program.place_of(gate.source)
    if shown is None or report_of(gate.source) != gate.name:
        return
    guard = conjuncts(gate.guard)
    signs = Signs(parameter_values(program))
    for at, update in enumerate(body):
        if not isinstance(update, Update) or _updates(body, update.memory) != 1:
            continue
        own = MemoryValue(update.memory)
        amount = _rise(facts, facts.expand(update.value), own)
        start = next(evaluate_number(facts, m.initial) for m in program.memories if m.name == update.memory)
        if amount is None or start is None or any(e == own for e in walk(amount)) or not _public(facts, amount):
            continue
        # all that is read has one value from the start of the step to this update, the value before it
        whens = [facts.expand(part) for part in conjuncts(update.when)]
        if not set(whens) <= {facts.expand(part) for part in guard} or not all(_public(facts, w) for w in whens):
            continue
        read = {e.name for part in (amount, *whens) for e in walk(part) if isinstance(e, MemoryValue)}
        if any(isinstance(s, Update) and s.memory in read for s in body[:at]):
            continue
        for condition in _looks(facts, guard, shown):
            limit = _limit(facts, facts.expand(condition), own, amount)
            if limit is None or not facts.at_most(start, limit):
                continue
            if keeps_count(program, (*_sides(facts.expand(condition)), own), limit - start, signs):
                yield Account(amount, limit - start)


def _sides(condition: Expression) -> tuple[Expression, ...]:
    match condition:
        case Apply("not", (Apply(_, sides),)) | Apply(_, sides):
            return sides
    return ()


def _updates(body: Sequence[object], memory: str) -> int:
    """An account that something else may change too, an amount taken back, bounds nothing."""
    return sum(isinstance(s, Update) and s.memory == memory for s in body)


def _rise(facts: Facts, value: Expression, own: Expression) -> Expression | None:
    match value:
        case Apply("+", (a, b)) if a == own:
            return b
        case Apply("+", (b, a)) if a == own:
            return b
    return None


def _looks(facts: Facts, guard: tuple[Expression, ...], shown: int) -> Iterator[Expression]:
    """Conditions that hold whenever the gate shows something: the guard's, and those of no stop above."""
    yield from guard
    public = {g.source for g in facts.program.gates if isinstance(g, PublicGate)}
    for statement in facts.program.body[:shown]:
        if isinstance(statement, Stop) and OfStop(statement.index) in public and statement.when is not None:
            for part in _disjuncts(statement.when):
                yield Apply("not", (part,))


def _disjuncts(condition: Expression) -> Iterator[Expression]:
    match condition:
        case Apply("or", parts):
            for part in parts:
                yield from _disjuncts(part)
        case _:
            yield condition


def _limit(facts: Facts, condition: Expression, own: MemoryValue, amount: Expression) -> Formula | None:
    """B where the condition says own + amount <= B (or < B)."""
    match condition:
        case Apply("not", (Apply(sense, sides),)) if sense in ORDERINGS:
            return _limit(facts, Apply(NEGATED[sense], sides), own, amount)
        case Apply("<=" | "<", (low, high)) | Apply(">=" | ">", (high, low)):
            gap = linear(facts, Apply("-", (low, high)))
            wanted = linear(facts, Apply("+", (own, amount)))
            if dict(gap.terms) != dict(wanted.terms):
                return None
            return wanted.constant - gap.constant
    return None


STATEMENT = """
    shown: a F + noise of scale b, where M + A <= B;  then M becomes M + A;  A >= 0, |a| = c A;  nothing else changes M
    F moves by at most s;  a, A and the test are public: memory, public inputs, the step
    -------------------------------------------------------------------------------------------
              the gate is (c (B - start of M) s / b)-DP

Gaussian noise of standard deviation b and a^2 = c A: (c (B - start of M) s^2 / (2 b^2))-zCDP. The account is looked at
before the step is taken, with that step in it; its constants are not so large that doubles would lose the amounts
beside them. Epsilon in nats.
"""

RULE, _of_gate = gate_rule(
    "mechanism/filter",
    "Privacy filter",
    STATEMENT,
    "Rogers, Roth, Ullman & Vadhan 2016, Theorem 3.1; with Gaussian noise: Feldman & Zrnic 2021",
    "public memory keeps an account of what each step spends, and nothing is shown beyond its limit",
    {PureBound: pure_cost, ConcentratedBound: concentrated_cost},
)


def suggest(program: Program, gate: Gate) -> tuple[Derivation, ...] | str:
    """The bounds of all showings of the gate together; most gates have no account, which is no reason to tell."""
    found = _of_gate.suggest(program, gate)
    return found if isinstance(found, tuple) else NOT_MINE


SEARCH = Search(RULE.name, ("gate",), suggest)
