"""Schedules of public conditions, beside the same conditions written as Python and run step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from seqlang import driver
from seqlang.model.program import Program, Report
from seqlang.rules.reading.clock import schedule_of
from seqlang.rules.reading.schedule import ALWAYS, Schedule
from seqlang.source import Source

STEPS = 200


def schedule(body: str) -> Schedule:
    """Of the condition of the report r."""
    program: Program = driver.load(Source("<test>", f"algorithm example\nstream x in [0, 1]\n{body}\n")).program
    place = next(i for i, s in enumerate(program.body) if isinstance(s, Report) and s.name == "r")
    report = program.body[place]
    assert isinstance(report, Report)
    return schedule_of(program, report.when, place)


def rises_to(limit: int) -> Iterator[int]:
    """0, 1, .., limit, 0, 1, .."""
    while True:
        yield from range(limit + 1)


def counted(period: int) -> Callable[[int], bool]:
    values = [v for _, v in zip(range(STEPS + 1), rises_to(period), strict=False)]
    return lambda n: values[n - 1] == period


CASES: list[tuple[str, Callable[[int], bool]]] = [
    ("report r when step % 10 == 0", lambda n: n % 10 == 0),
    ("report r when (2 * step + 1) % 7 == 3", lambda n: (2 * n + 1) % 7 == 3),
    ("report r when step % 4 == 0 or step % 6 == 1", lambda n: n % 4 == 0 or n % 6 == 1),
    ("report r when step == 7 or step == 30 or 90 == step", lambda n: n in (7, 30, 90)),
    ("report r when step > 20 and step % 3 != 0", lambda n: n > 20 and n % 3 != 0),
    ("report r when not (step >= 25)", lambda n: n < 25),
    ("let early = step <= 12\nreport r when early", lambda n: n <= 12),
    ("report tick when step % 5 == 2\nreport r when tick and step != 7", lambda n: n % 5 == 2 and n != 7),
    ("memory m = 0\nreport r when m == 9\nupdate m = if m >= 9 then 0 else m + 1", counted(9)),
    ("memory m = 0\nupdate m = if m >= 3 then 0 else m + 1\nreport r when m == 0", lambda n: n % 4 == 0),
    ("memory on = true\nreport r when on\nupdate on = not on when step % 3 == 0", lambda n: (n - 1) // 3 % 2 == 0),
    ("report tick when step % 6 == 0\nreport r when count(step > 0 since tick) == 2", lambda n: n % 6 == 2),
    ("report r when previous(step % 4 == 0, true)", lambda n: n == 1 or n % 4 == 1),
    ("report r when count(step % 2 == 0 over steps) == 3\nstop when step >= 50", lambda n: n in (6, 7)),
    ("memory m = 0\nupdate m = m + step\nreport r when m % 4 == 0\nstop when step >= 90",
     lambda n: n <= 90 and n * (n + 1) // 2 % 4 == 0),
    ("stop when step >= 20\nreport r when step % 5 == 0", lambda n: n < 20 and n % 5 == 0),
    ("memory m = 0\nreport r when step % 2 == 1\nupdate m = m + 1 when step % 2 == 1\nstop when m >= 4",
     lambda n: n % 2 == 1 and n <= 7),
]  # fmt: skip


@pytest.mark.parametrize(("body", "holds"), CASES)
def test_the_steps_and_the_windows_are_those_of_a_run(body: str, holds: Callable[[int], bool]) -> None:
    found = schedule(body)
    truth = [n for n in range(1, STEPS + 1) if holds(n)]
    assert [n for n in range(1, STEPS + 1) if found.up_to(n) > found.up_to(n - 1)] == truth
    before = [sum(1 for n in truth if n <= m) for m in range(STEPS + 1)]
    for length in (1, 2, 5, 10, 37):
        assert found.within(length) == max(b - a for a, b in zip(before, before[length:], strict=False))
    assert found.first() == (truth[0] if truth else None)


@pytest.mark.parametrize(
    "body",
    [
        "public u in {0, 1}\nreport r when u == 1",
        "public u in {0, 1}\nmemory m = 0\nreport r when m == 1\nupdate m = u",
        "memory m = 0\nreport y = x\nreport r when m == 1\nupdate m = if y > 0 then 1 else 0\nattach laplace(1) to y",
        "report seen when x > 0.5\nreport r when seen\nattach laplace(1) to x",
        "report seen when x > 0.5\nreport r when count(step > 0 since seen) == 2\nattach laplace(1) to x",
        "memory m = 0\nupdate m = m + 0.1\nreport r when m >= 1",  # ten tenths are less than one in doubles
        "report r when 0.1 * step >= 1",
    ],
)
def test_what_the_clock_does_not_decide_may_always_hold(body: str) -> None:
    found = schedule(body)
    assert found.up_to(STEPS) >= STEPS - 1 and found.within(10) == 10


def test_an_unknown_stop_is_not_taken() -> None:
    assert schedule("report r when step % 2 == 0\nstop when x > 0.5\nattach laplace(1) to x").up_to(STEPS) == STEPS // 2
    assert (
        schedule("report r when step % 2 == 0\nstop when x > 0.5 or step >= 9\nattach laplace(1) to x").up_to(99) == 4
    )


def test_always_has_every_step() -> None:
    assert (ALWAYS.up_to(7), ALWAYS.within(7), ALWAYS.first(), ALWAYS.ends) == (7, 7, 1, False)
