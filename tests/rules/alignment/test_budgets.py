"""How often a report can be made, by budgets, guards and stops: against runs of the public part, one by one."""

from __future__ import annotations

from math import inf

import pytest

from seqlang import driver
from seqlang.arithmetic.formula import enclose
from seqlang.model.program import ReleaseGate
from seqlang.rules.gates.exposure import showings
from seqlang.rules.reading.limits import limit_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

TWO = "stream q in real\nadjacent every q within 1\n"


def shown(body: str) -> float:
    """In how many steps the report v can be shown, by its guard and the stops."""
    program = driver.load(Source("<test>", "algorithm example\n" + TWO + body)).program
    signs = Signs(parameter_values(program))
    gate = next(gate for gate in program.gates if gate.name == "v")
    assert isinstance(gate, ReleaseGate)
    times = showings(program, gate, signs)
    return inf if times.is_infinite else enclose(times, signs.values).high


@pytest.mark.parametrize(
    ("other", "stop", "times"),
    [
        ("m + 1", "m == 4", 4),
        ("m + 2", "m == 4", inf),  # 2, 3, 5, ..: it steps over 4
        ("m + 2", "m >= 4", 4),
        ("m - 1", "m >= 4", inf),
        ("m", "m >= 4", 4),
    ],
)
def test_memory_that_rises_where_a_guard_holds_and_moves_elsewhere(other: str, stop: str, times: float) -> None:
    update = f"update m = if go == 1 then m + 1 else {other}"
    body = "public go in {0, 1}\nmemory m = 0\ndraw w ~ laplace(1)\nreport v = q + w when go == 1\n"
    assert shown(f"{body}{update}\nstop when {stop}\n") == times


def limit(body: str, *reports: str) -> tuple[float, bool]:
    program = driver.load(Source("<test>", "algorithm example\n" + TWO + body)).program
    signs = Signs(parameter_values(program))
    times, ended = limit_of(program, frozenset(reports or ("r",)), signs)
    return (inf if times.is_infinite else enclose(times, signs.values).high), ended


@pytest.mark.parametrize(
    ("body", "times", "ended"),
    [
        ("memory m = 0\nreport r when q >= 1\nupdate m = m + 1 when r\nstop when m >= 3\n", 3, True),
        ("memory m = 0\nreport r when q >= 1\nupdate m = m + 1 when r\nstop when m > 3\n", 4, True),
        ("memory m = 0\nreport r when q >= 1\nstop when m >= 3\nupdate m = m + 1 when r\n", 4, True),
        # the third is made in one step, the stop is asked in the next one
        ("memory m = 0\nstop when m >= 3\nreport r when q >= 1\nupdate m = m + 1 when r\n", 3, False),
        ("memory m = 0\nreport r when q >= 1\nupdate m = m + 0.7 when r\nstop when m >= 3\n", 5, True),
        ("memory m = 3\nreport r when q >= 1\nupdate m = m - 1 when r\nstop when m <= 0\n", 3, True),
        ("memory m = 0\nreport r when q >= 1\nupdate m = if r then m + 1 else m\nstop when m == 3\n", 3, True),
        ("memory m = 0\nreport r when q >= 1\nupdate m = m + 2 when r\nstop when m == 3\n", inf, True),
        ("memory m = 0\nreport r when q >= 1\nupdate m = m + step when r\nstop when m >= 3\n", 3, True),
        ("memory m = 0\nreport r when q >= 1\nupdate m = max(m, 1) when r\nstop when m >= 3\n", inf, True),
        ("memory m = 0\nreport r when q >= 1\nupdate m = if r then m + 1 else m - 1\nstop when m >= 3\n", inf, True),
        ("memory m = 0\nreport r when m < 3 and q >= 1\nupdate m = m + 1 when r\n", 3, False),
        ("memory m = 0\nreport r when not (m >= 3) and q >= 1\nupdate m = m + 1 when r\n", 3, False),
        ("memory m = 0\nreport r when m == 0 and q >= 1\nupdate m = m + 1 when r\n", 1, False),
        ("memory m = false\nreport r when not m and q >= 1\nupdate m = true when r\n", 1, False),
        ("memory m = false\nreport r when q >= 1\nupdate m = true when r\nstop when m\n", 1, True),
        (
            "memory m = 5\nreport r when q >= 1\nupdate m = if m < 3 then m + 1 else m - 10 when r\nstop when m >= 3\n",
            inf,
            True,
        ),
        ("report r when length(history(step, r)) < 3 and q >= 1\n", 3, False),
        ("report r when previous(count(r over steps), 0) < 3 and q >= 1\n", 3, False),
        ("report r when q >= 1\nstop when length(history(step, r)) + (if r then 1 else 0) >= 3\n", 3, True),
        ("report r when q >= 1\nstop when length(history(step, r)) + (if r then 0 else 1) >= 3\n", inf, True),
        ("report r when q >= 1\nstop when 3 - count(r over steps) <= 0\n", 3, True),
        ("report r when q >= 1\nstop when count(r over steps) / 2 >= 1.5\n", 3, True),
        ("report r = if q >= 1 then 2 else 0\nstop when sum(r over steps) >= 6\n", 3, True),
        ("report r = if q >= 1 then 2 else 0\nstop when count(r == 2 over steps) >= 3\n", 3, True),
        ("report r = if q >= 1 then 2 else 0\nstop when count(r == 0 over steps) >= 3\n", inf, True),
        ("report r when q >= 1\nstop when count(r over last 9) >= 3\n", inf, True),
    ],
)
def test_one_report(body: str, times: float, ended: bool) -> None:
    assert limit(body) == (times, ended)


@pytest.mark.parametrize(
    ("stop", "times"),
    [
        ("count(r over steps) + count(s over steps) >= 3", 3),
        ("2 * count(r over steps) + count(s over steps) >= 3", 3),
        ("count(r or s over steps) >= 3", 3),
        ("count(r and s over steps) >= 3", inf),
        ("count(r over steps) >= 3", inf),
        ("count(r over steps) - count(s over steps) >= 3", inf),
    ],
)
def test_two_reports(stop: str, times: float) -> None:
    body = f"report r when q >= 1\nreport s when q <= -1\nstop when {stop}\n"
    assert limit(body, "r", "s") == (times, True)


def test_one_guarded_and_one_stopped() -> None:
    body = (
        "report r when length(history(step, r)) < 3 and q >= 1\nreport s when q <= -1\n"
        "stop when count(s over steps) >= 2\n"
    )
    assert limit(body, "r", "s") == (5, False)
