"""Privacy filters: budgets chosen as the run goes, each condition of the rule, and the largest total of any run."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
from elaborated import elaborated

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.model.expression import Number
from seqlang.model.program import Program, Update
from seqlang.proof.replay import replay
from seqlang.record import replace

HEAD = """algorithm t
param B > 0 = 1
param n in 1.. = 10
dataset x in [0, 1] size n
public e in [0, 1]
public q in [0, 1]
"""
VALUE = "statistic level = e * sum(x)"
CHECK = "stop when spent + e > B"
MEMORY = "memory spent = 0"
SHOW = "report answer = level"
PAY = "update spent = spent + e"
NOISE = "attach laplace(1) to level"


def bounds(*lines: str) -> tuple[Program, Bounds]:
    program = elaborated(HEAD + "\n".join(lines))
    return program, prove(program)


def pure(*lines: str) -> float:
    program, found = bounds(*lines)
    return inf if found.pure is None else size_of(program, found.pure)


def zcdp(*lines: str) -> float:
    program, found = bounds(*lines)
    return inf if found.zcdp is None else size_of(program, found.zcdp)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((MEMORY, VALUE, CHECK, SHOW, PAY, NOISE), 1),
        ((MEMORY, VALUE, CHECK, PAY, SHOW, NOISE), 1),
        # what is spent is in units of its own: 2 e counted for e spent; noise of scale 4; another start
        ((MEMORY, VALUE, "stop when spent + 2 * e > B", SHOW, "update spent = 2 * e + spent", NOISE), 0.5),
        ((MEMORY, VALUE, CHECK, SHOW, PAY, "attach laplace(4) to level"), 0.25),
        (("memory spent = 0.25", VALUE, CHECK, SHOW, PAY, NOISE), 0.75),
        # divided by what is chosen
        ((MEMORY, "public r in [1, 9]", "statistic level = sum(x) / r", "stop when spent + 1 / r > B", SHOW,
          "update spent = spent + 1 / r", NOISE), 1),
        # a guard instead of a stop; the run goes on and may show smaller things
        ((MEMORY, VALUE, "report answer = level when spent + e <= B", PAY + " when spent + e <= B", NOISE), 1),
        ((MEMORY, VALUE, "report answer = level when spent + e < B and q > 0", PAY + " when spent + e < B", NOISE), 1),
        # paid for also where nothing is shown
        ((MEMORY, VALUE, CHECK, "report answer = level when q > 0.5", PAY, NOISE), 1),
        # one of several stops
        ((MEMORY, VALUE, "stop when q > 0.9 or spent + e >= B return 1", SHOW, PAY, NOISE), 1),
        # memory chooses
        ((MEMORY, "memory p = 0.125", "statistic level = p * sum(x)", "stop when spent + p > B", SHOW,
          "update spent = spent + p", "update p = if answer > 5 * p then 0.25 else 0.0625", NOISE), 1),
        (("adjacent replace 2", MEMORY, VALUE, CHECK, SHOW, PAY, NOISE), 2),
    ],
)  # fmt: skip
def test_by_hand(lines: tuple[str, ...], expected: float) -> None:
    assert pure(*lines) == pytest.approx(expected, rel=1e-6)


def test_gaussian_noise_keeps_an_account_of_squares() -> None:
    check, pay, noise = "stop when spent + e ^ 2 > B", "update spent = spent + e ^ 2", "attach gaussian(2) to level"
    lines = (MEMORY, VALUE, check, SHOW, pay, noise)
    assert zcdp(*lines) == pytest.approx(1 / 8, rel=1e-6)
    assert zcdp("adjacent replace 2", *lines) == pytest.approx(4 / 8, rel=1e-6)
    assert zcdp(MEMORY, VALUE, CHECK, SHOW, PAY, noise) == inf  # an account of e is none of e^2


@pytest.mark.parametrize(
    "lines",
    [
        (MEMORY, VALUE, "stop when spent > B", SHOW, PAY, NOISE),                    # this step is not in the account
        (MEMORY, VALUE, SHOW, PAY, CHECK, NOISE),                                     # looked at afterwards
        (MEMORY, VALUE, "stop when spent + e < B", SHOW, PAY, NOISE),                 # the wrong way round
        (MEMORY, VALUE, "stop when q > 0.9 and spent + e > B", SHOW, PAY, NOISE),     # only sometimes
        (MEMORY, VALUE, CHECK, SHOW, PAY + " when q > 0.5", NOISE),                   # not always paid
        (MEMORY, VALUE, CHECK, "report answer = level when q > 0.5", PAY + " when q > 0.6", NOISE),
        (MEMORY, VALUE, CHECK, SHOW, "update spent = spent + e / 2 + q", NOISE),      # not proportional
        (MEMORY, VALUE, CHECK, SHOW, "update spent = e", NOISE),                      # forgets
        (MEMORY, VALUE, CHECK, SHOW, "update spent = max(0, spent - e)", NOISE),
        (MEMORY, VALUE, CHECK, SHOW, "update spent = 0.5 * spent + e", NOISE),
        (MEMORY, "statistic level = q * sum(x)", CHECK, SHOW, PAY, NOISE),            # another factor
        (MEMORY, "statistic level = (e + 1) * sum(x)", CHECK, SHOW, PAY, NOISE),
        (MEMORY, "public r in [-1, 1]", "statistic level = r * sum(x)", "stop when spent + r > B", SHOW,
         "update spent = spent + r", NOISE),                                          # amounts below 0
        (MEMORY, VALUE, CHECK, SHOW, PAY, NOISE + " once"),                           # one draw for all
        # the factor is read before it is changed, the amount after
        (MEMORY, "memory p = 1", "statistic level = p * sum(x)", "update p = 0.001", "stop when spent + p > B", SHOW,
         "update spent = spent + p", NOISE),
        (MEMORY, "memory p = 1", "statistic level = p * sum(x)", "stop when spent + p > B", SHOW, "update p = 0.001",
         "update spent = spent + p", NOISE),
        # the condition of the payment is changed in between
        (MEMORY, "memory f = 1", VALUE, CHECK, "report answer = level when f == 1", "update f = 1 - f",
         PAY + " when f == 1", NOISE),
        # nothing private may choose
        (MEMORY, "statistic level = x[1] * sum(x)", CHECK, SHOW, PAY, NOISE),
    ],
)  # fmt: skip
def test_refused(lines: tuple[str, ...]) -> None:
    assert pure(*lines) == inf


def test_no_transcript_spends_more() -> None:
    """All sequences of 1/8 first, then 1/4 or 1/16 as the answer has it, while the account allows the next."""
    most, waiting = 0.0, {(0.0, 0.125)}
    while waiting:
        spent, p = waiting.pop()
        most = max(most, spent)
        if spent + p <= 1:
            waiting |= {(spent + p, 0.25), (spent + p, 0.0625)}
    assert most == 1
    lines = (MEMORY, "memory p = 0.125", "statistic level = p * sum(x)", "stop when spent + p > B", SHOW,
             "update spent = spent + p", "update p = if answer > 5 * p then 0.25 else 0.0625", NOISE)  # fmt: skip
    assert most <= pure(*lines) + 1e-12


def test_an_account_that_something_else_changes_bounds_nothing() -> None:
    """Elaboration allows one update of a memory; a program that has another one is refused by the rule itself."""
    program, found = bounds(MEMORY, VALUE, CHECK, SHOW, PAY, NOISE)
    assert found.pure is not None
    (pay,) = (s for s in program.body if isinstance(s, Update))
    refund = Update(pay.memory, Number(Fraction(0)), None, pay.span)
    for body in ((*program.body, refund), (refund, *program.body), (*program.body, pay)):
        twice = replace(program, body=body)
        assert replay(program, found.pure) == ()
        (problem,) = replay(twice, found.pure)
        assert "account" in problem


@pytest.mark.parametrize(("start", "proved"), [("0", 1.0), ("100", 1.0), ("1e17", inf)])
def test_an_account_that_doubles_do_not_fill_bounds_nothing(start: str, proved: float) -> None:
    """1e17 + e is 1e17 in doubles for every e up to 1: a run shows the sum in each of its steps."""
    check, memory = f"stop when spent + e > {start} + B", f"memory spent = {start}"
    program, found = bounds(memory, VALUE, check, SHOW, PAY, NOISE)
    assert (inf if found.pure is None else size_of(program, found.pure)) == pytest.approx(proved)
