"""Recursions with few states: how far they move, beside all pairs of neighbouring streams run one by one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import pytest

from seqlang import driver
from seqlang.arithmetic.formula import enclose
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.model.expression import Local
from seqlang.model.program import Program
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.motion import finite_recursions
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.source import Source

Near = Callable[[tuple[int, ...], tuple[int, ...]], bool]
Step = Callable[[Any, int, int], Any]
Shown = Callable[[Any], Sequence[int | Fraction]]


def program(*lines: str) -> Program:
    return driver.load(Source("finite.seq", "\n".join(("algorithm finite", *lines)) + "\n")).program


def radius(given: Program, norm: Any) -> Fraction | str:
    found = radius_of(given, Local("o"), norm)
    if isinstance(found, str):
        return found
    ends = enclose(found[0], facts_of(given).values)
    assert ends.low == ends.high
    return Fraction(ends.low)


def one(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    return sum(a != b for a, b in zip(x, y, strict=True)) == 1


def worst(domain: Sequence[int], n: int, start: Any, step: Step, shown: Shown, near: Near) -> tuple[Fraction, Fraction]:
    """The largest l1 and linf difference in any step of two neighbouring streams."""
    courses = {}
    for stream in product(domain, repeat=n):
        state, rows = start, []
        for t, x in enumerate(stream, 1):
            state = step(state, x, t)
            rows.append(tuple(shown(state)))
        courses[stream] = rows
    l1 = linf = Fraction(0)
    for a, b in product(courses, repeat=2):
        if a != b and near(a, b):
            for u, v in zip(courses[a], courses[b], strict=True):
                moved = [abs(Fraction(p) - q) for p, q in zip(u, v, strict=True)]
                l1, linf = max(l1, sum(moved, start=Fraction(0))), max(linf, *moved)
    return l1, linf


# ---- random machines


@pytest.mark.parametrize("seed", range(8))
def test_random_machines(seed: int) -> None:
    """Transitions and outputs by tables; the bound is the very difference, and less is not found in any stream."""
    rng = random.Random(seed)
    states, entries, n = rng.choice((3, 4)), rng.choice((2, 3)), 4
    table = [rng.randrange(1, states + 1) for _ in range(states * entries)]
    outs = [[rng.randrange(-3, 4) for _ in range(states)] for _ in range(2)]
    adjacency, near = rng.choice([
        ("replace one", one),
        ("one x within 1", lambda a, b: one(a, b) and max(abs(u - v) for u, v in zip(a, b, strict=True)) <= 1),
        ("every x within 1", lambda a, b: max(abs(u - v) for u, v in zip(a, b, strict=True)) <= 1),
    ])  # fmt: skip
    given = program(
        f"stream x in 1..{entries}",
        f"adjacent {adjacency}",
        f"statistic s = {table}[(previous(s, 1) - 1) * {entries} + x]",
        f"statistic o = [{outs[0]}[s], {outs[1]}[s]]",
        f"stop when step >= {n} return o",
        "attach laplace(1) to o",
    )
    l1, linf = worst(
        range(1, entries + 1), n, 1, lambda s, x, _: table[(s - 1) * entries + x - 1],
        lambda s: [outs[0][s - 1], outs[1][s - 1]], near,
    )  # fmt: skip
    assert radius(given, "l1") == l1
    assert radius(given, "linf") == linf


# ---- counters of frequent values (Misra & Gries)


def counted(k: int) -> Step:
    def step(c: tuple[int, ...], x: int, _: int) -> tuple[int, ...]:
        if c[x - 1] > 0 or sum(v > 0 for v in c) < k:
            return tuple(v + (j == x) for j, v in enumerate(c, 1))
        return tuple(max(0, v - 1) for v in c)

    return step


COUNTERS = (
    "statistic before = previous(counters, zeros(3))",
    "statistic counters = if before[x] > 0 or count(before[j] > 0 for j in 1..3) < k then "
    "[if j == x then before[j] + 1 else before[j] for j in 1..3] else [max(0, before[j] - 1) for j in 1..3]",
)
LESS = "[max(0, counters[j] - sum(counters[i] for i in 1..3) / (k + 1)) for j in 1..3]"


@pytest.mark.parametrize(("k", "wanted"), [(1, (2, 2)), (2, (3, 2))])
def test_frequent_values(k: int, wanted: tuple[int, int]) -> None:
    """One replaced entry: k + 1 in l1, 2 in one counter; less the mean of k + 1 counters, 2 in l1 at most."""
    for shown, less in (("counters", False), (LESS, True)):
        given = program(
            "stream x in 1..3", f"param k = {k}", *COUNTERS, f"statistic o = {shown}",
            "stop when step >= 5 return o", "attach laplace(1) to o",
        )  # fmt: skip

        def out(c: tuple[int, ...], less: bool = less) -> list[Fraction]:
            return [max(Fraction(0), v - Fraction(sum(c), k + 1)) if less else Fraction(v) for v in c]

        l1, linf = worst((1, 2, 3), 5, (0, 0, 0), counted(k), out, one)
        assert (radius(given, "l1"), radius(given, "linf")) == (l1, linf)
        assert (l1, linf) == wanted if not less else l1 <= 2


# ---- numbers, steps, closed sets of states


@pytest.mark.parametrize(
    ("body", "start", "step"),
    [
        ("(previous(o, 0) + x) % 3", 0, lambda s, x, t: (s + x) % 3),
        ("if x == 1 then previous(o, 0) + 1 else 0", 0, lambda s, x, t: s + 1 if x == 1 else 0),
        ("(2 * previous(o, 1) + x * step) % 5", 1, lambda s, x, t: (2 * s + x * t) % 5),
        ("max(previous(o, 0) * x, previous(o, 0) / 2 + x)", 0, lambda s, x, t: max(s * x, Fraction(s) / 2 + x)),
    ],
)
def test_numbers(body: str, start: int, step: Step) -> None:
    given = program(
        "stream x in {0, 1}", f"statistic o = {body}", "stop when step >= 5 return o", "attach laplace(1) to o"
    )
    assert radius(given, "abs") == worst((0, 1), 5, start, step, lambda s: [s], one)[1]


def test_states_that_are_closed_need_no_last_step() -> None:
    given = program(
        "stream x in {0, 1}", "statistic o = (previous(o, 0) + x) % 4", "report r = o", "attach laplace(1) to o"
    )
    assert radius(given, "abs") == 3
    open_ended = program("stream x in {0, 1}", "statistic o = if x == 1 then previous(o, 0) + 1 else 0", "report r = o",
                         "attach laplace(1) to o")  # fmt: skip
    assert isinstance(radius(open_ended, "abs"), str)


@pytest.mark.parametrize(
    "lines",
    [
        ("stream x in [0, 1]", "statistic o = (previous(o, 0) + floor(2 * x)) % 3"),
        ("stream x in {0, 1}", "adjacent add or remove one", "statistic o = (previous(o, 0) + x) % 3"),
        ("stream x in {0, 1}", "memory m = 1", "update m = m + 1", "statistic o = (previous(o, 0) + x * m) % 3"),
        ("stream x in 0..99", "statistic o = (previous(o, 0) * 3 + x) % 1000"),
    ],
)
def test_what_is_not_gone_through(lines: tuple[str, ...]) -> None:
    """Many entries, entries put in, public memory, many states: no more than the width of a range is said."""
    given = program(*lines, "stop when step >= 4 return o", "attach laplace(1) to o")
    facts = facts_of(given)
    near = neighbours_of(facts)
    assert not isinstance(near, str)
    entry = Entry(facts, near)
    assert finite_recursions.finite_motion(entry, facts.expand(Local("o"))) is None


def test_a_last_step_that_doubles_miss() -> None:
    """exp(log(10)) is 10.000000000000002 in doubles, and 10 in proofs and runs."""
    assert 10 < exp(log(10)) < 11
    lines = ("stream x in {0, 1}", "statistic o = 3 * previous(o, 0) + x", "attach laplace(1) to o")
    for last in ("10", "exp(log(10))"):
        assert radius(program(*lines, f"stop when step >= {last} return o"), "abs") == 3**9


def test_a_step_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: the pairs of the last step are not gone through."""
    lines = ("stream x in {0, 1}", "statistic o = if x == 1 then 2 * previous(o, 1) else 1",
             "stop when step >= 4 return o", "attach laplace(1) to o")  # fmt: skip
    truth = worst((0, 1), 4, 1, lambda s, x, t: 2 * s if x == 1 else 1, lambda s: [s], one)[1]
    assert radius(program(*lines), "abs") == truth == 15
    monkeypatch.setattr(finite_recursions, "last_step", lambda facts: 3)
    assert radius(program(*lines), "abs") == 7


def test_entries_without_neighbours_move_nothing() -> None:
    """0 and 3 are further apart than neighbours are: no two streams are compared."""
    given = program(
        "stream x in {0, 3}", "adjacent one x within 1", "statistic o = if previous(o, 0) == 3 then 1 else x",
        "stop when step >= 3 return o", "attach laplace(1) to o",
    )  # fmt: skip
    assert radius(given, "abs") == 0


@pytest.mark.parametrize(
    ("value", "test"),
    [
        ("if x == 1 then exp(log(3)) else previous(v, 0)", "previous(v, 0) > 3"),  # 3.0000000000000004
        ("previous(v, 0) + 0.1 * x", "previous(v, 0) > 0.3 and previous(v, 0) < 0.35"),  # 0.30000000000000004
        ("previous(v, 0) + x / 49 * 49", "previous(v, 0) > 0 and previous(v, 0) < 1"),  # 0.9999999999999999
    ],
)
def test_numbers_that_doubles_round(value: str, test: str) -> None:
    """The test never holds, in proofs and runs, and o does not move; in doubles it would hold."""
    given = program(
        "stream x in {0, 1}", f"statistic v = {value}", f"statistic o = if {test} then 100 else 0",
        "stop when step >= 6 return o", "attach laplace(1) to o",
    )  # fmt: skip
    assert radius(given, "abs") == 0
    for row in product((0, 1), repeat=6):
        machine = Machine(given, NoNoise())
        for x in row:
            machine.step({"x": x})
        assert machine.result == 0


def test_numbers_that_runs_hold_exactly_do() -> None:
    """Quarters: the test never holds, in runs neither."""
    given = program(
        "stream x in {0, 1}", "statistic v = previous(v, 0) + x / 4",
        "statistic o = if previous(v, 0) > 1/2 and previous(v, 0) < 3/4 then 100 else 0",
        "stop when step >= 6 return o", "attach laplace(1) to o",
    )  # fmt: skip
    assert radius(given, "abs") == 0
