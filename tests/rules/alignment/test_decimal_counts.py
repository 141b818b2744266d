"""Steps, reports and budgets that decimals limit: what the rules count is what the engines do with doubles.

The expected numbers are worked out here in exact rationals, from the meaning of the language.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
from thorough import several

from seqlang import driver
from seqlang.arithmetic.formula import enclose
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.backends.interpret.session import Session
from seqlang.model.jumps import jumps_of
from seqlang.model.program import Program, Stop
from seqlang.rules.claims import longest_run
from seqlang.rules.reading.guards import most_steps_with
from seqlang.rules.reading.limits import limit_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

QUERY = "stream q in real\nadjacent every q within 1\n"
DECIMALS = ("0.1", "0.2", "0.3", "0.7", "0.01", "0.07", "1.1", "0.125", "3", "0.0001")
BUDGETS = {
    "memory at least": (
        "memory m = 0\nreport R when q >= 1\nupdate m = m + {c} when R\nstop when m >= {limit}\n",
        0,
    ),
    "memory above": ("memory m = 0\nreport R when q >= 1\nupdate m = m + {c} when R\nstop when m > {limit}\n", 1),
    "memory equal": ("memory m = 0\nreport R when q >= 1\nupdate m = m + {c} when R\nstop when m == {limit}\n", 0),
    "memory falling": (
        "memory m = {limit}\nreport R when q >= 1\nupdate m = m - {c} when R\nstop when m <= 0\n",
        0,
    ),
    "sum": ("report R when q >= 1\nstop when sum({c} where R over steps) >= {limit}\n", 0),
    "sum of a choice": ("report R when q >= 1\nstop when sum((if R then {c} else 0) over steps) >= {limit}\n", 0),
    "multiple of a count": ("report R when q >= 1\nstop when {c} * count(R over steps) >= {limit}\n", 0),
    "guard": (
        "memory m = 0\nreport R when q >= 1 and m < {limit}\nupdate m = m + {c} when R\nstop when step >= 99\n",
        0,
    ),
}


def loaded(body: str) -> Program:
    return driver.load(Source("<test>", "algorithm example\n" + QUERY + body)).program


def counted(program: Program) -> float:
    signs = Signs(parameter_values(program))
    most = limit_of(program, frozenset({"R"}), signs)[0]
    return inf if most.is_infinite else enclose(most, signs.values).high


def reported(program: Program, steps: int = 60) -> int:
    """How many reports the interpreter makes, with data that make one in every step."""
    machine, made = Machine(program, NoNoise()), 0
    for _ in range(steps):
        if not machine.stopped:
            made += len(machine.step({"q": 2.0, "a": 0.1}).reports)
    return made


@pytest.mark.parametrize("form", BUDGETS)
@pytest.mark.parametrize("decimal", DECIMALS)
def test_a_budget_of_so_many_reports_ends_after_so_many(form: str, decimal: str) -> None:
    text, more = BUDGETS[form]
    for reports in (3, 29, 10)[: several(2, 3)]:
        program = loaded(text.format(c=decimal, limit=f"({decimal} * {reports})"))
        assert counted(program) == reported(program) == reports + more
        literal = loaded(text.format(c=decimal, limit=f"{float(Fraction(decimal) * reports):.10f}"))
        assert counted(literal) == reported(literal) == reports + more


@pytest.mark.parametrize("decimal", DECIMALS)
def test_a_threshold_for_the_step_is_exact(decimal: str) -> None:
    for times in (3, 7, 30):
        constant = loaded(f"param a = {decimal}\nreport R when q >= 1\nstop when step >= {times} * a / {decimal}\n")
        product = loaded(f"param a = {decimal}\nreport R when q >= 1\nstop when step * a >= {times} * {decimal}\n")
        assert longest_run(constant) == reported(constant) == reported(product) == times


def test_a_guard_is_listed_as_the_run_decides_it() -> None:
    program = loaded("report R when step * 0.7 < 2.1 and q >= 1\nstop when step >= 9\n")
    guard = next(g.guard for g in program.gates if g.name == "R")
    most = most_steps_with(program, guard, 0, Signs(parameter_values(program)))
    assert enclose(most, {}).high == reported(program) == 2


@pytest.mark.parametrize("least", ["0.1", "0.7", "0.3"])
def test_amounts_that_are_no_multiples_of_one_number_may_take_a_step_more(least: str) -> None:
    """`a` is some number from an interval: doubles add it up with errors, ten times 0.1 to less than 1."""
    program = loaded(
        f"public a in [{least}, 1]\nmemory m = 0\nreport R when q >= 1\nupdate m = m + a when R\n"
        f"stop when m >= {Fraction(least) * 10}\n"
    )
    machine, made = Machine(program, NoNoise()), 0
    while not machine.stopped:
        made += len(machine.step({"q": 2.0, "a": float(least)}).reports)
    assert made <= counted(program) <= 11


def test_two_sums_whose_errors_cancel() -> None:
    program = loaded(
        "memory m = 0\nmemory n = 0\nreport R when q >= 1\nupdate m = if R then m + 0.2 else m + 0.1\n"
        "update n = n - 0.1\nstop when m + n >= 1\n"
    )
    assert counted(program) == reported(program) == 10


def test_increments_that_doubles_lose() -> None:
    program = loaded(
        "memory m = 1\nreport R when q >= 1\nupdate m = m + 0.00000000000000001 when R\nstop when m >= 2\n"
    )
    assert counted(program) == 1e17
    assert reported(program, 1000) == 1000


def test_sums_of_dyadic_constants_are_compared_as_they_stand() -> None:
    exact, decimal = (loaded(f"memory m = 0\nupdate m = m + {c}\nstop when m >= 1\n") for c in ("0.25", "0.1"))
    for program, same in ((exact, True), (decimal, False)):
        (stop,) = (s.when for s in program.body if isinstance(s, Stop))
        assert (jumps_of(program).run(stop) is stop) == same


def test_the_session_stops_where_the_proof_says() -> None:
    program = loaded(
        "param a = 0.1\nreport A = sum(q over steps)\nstop when step >= a * 3 * 10\nattach laplace(1) to A\n"
    )
    session = Session(program, seed=1)
    steps = 0
    while not session.stopped:
        session.step(q=0.5)
        steps += 1
    assert steps == 3


def test_a_statistic_that_reads_itself_is_no_meter() -> None:
    program = loaded("report R when q >= 0\nlet s = previous(s, 0) + (if R then 1 else 0)\nstop when s >= 3\n")
    assert counted(program) == inf
