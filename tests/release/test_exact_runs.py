"""Exact runs: the same as the interpreter's where both have the same noise, and numbers that are exact all the way."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from random_specs import random_spec

from seqlang.backends.interpret.machine import Machine
from seqlang.driver import load
from seqlang.model.program import Program, Report, Stop
from seqlang.release.cell import reader_of
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.plan import lasts, obstacles
from seqlang.release.exact.run import ExactRun, Outcome
from seqlang.release.form import Form
from seqlang.source import Source

HEAD = "algorithm a\n"
SPECS = {
    "block": HEAD + "stream x in {0, 1}\nreport block when sum(1 since block) >= 3\n"
    "report ones = sum(x since block) when block\nmemory score = 0\n"
    "update score = score + 2 * ones - 3 when block\nstop when score >= 4 return high\n"
    "stop when score <= -4 return low\n"
    "attach geometric(1 / 2) to ones\nclaim strong pure(log(2))\n",
    "threshold": HEAD
    + "let b = 9\nstream x in 0..4\nstatistic total = sum(x over steps)\nstop when total >= b return above\n"
    "attach geometric(exp(-1 / 4)) to b once\nattach geometric(exp(-1 / 4)) to total\n"
    "claim strong pure(1)\n",
    "window": HEAD + "stream x in {0, 1, 2}\nstatistic recent = sum(x over last 3)\nreport shown = recent\n"
    "attach discrete_gaussian(4) to shown\nstop when step >= 6\nclaim strong zcdp(1)\n",
    "event": HEAD + "stream x in {0, 1}\nreport even when step % 2 == 0\nstop when even and x >= 1 return x\n"
    "attach geometric(1 / 2) to x\nattach geometric(1 / 3) to return\n",
    "guards": HEAD
    + "stream x in {0, 1}\nstatistic s = sum(if step == 3 or x < 1 then 2 else (step - 3) / (step - 3) over steps)\n"
    "statistic t = sum((4 - step) / (4 - step) where step != 4 and x > 0 over last 3)\n"
    "statistic u = sum(i / i for i in 0..2 where i > 0 and not (i < 2 or x < 1))\n"
    "statistic c = count(not (step == 2 or (step - 2) / (step - 2) > x) where x < 1 over steps)\n"
    "report shown = s + t + u + c\nattach geometric(1 / 2) to shown\n",
    "vectors": HEAD + "stream x in {0, 1}\nstatistic a = sum([x, 1] where x > 0 over steps)\n"
    "statistic b = sum([x, i] for i in 1..3 where i > 2 * x)\nreport r = a + b\nattach geometric(1 / 2) to r\n",
    "follows": HEAD + "stream x in {0, 1}\nmemory s = 1\nlet before = s + 1\nreport r = x\n"
    "update s = before * s when step == 2 or step == 5\nreport shown = before * s\nattach geometric(1 / 2) to r\n",
    "flips": HEAD + "stream x in {0, 1}\nreport shown = x\nattach randomized_response(3/4) to x\nstop when step >= 5\n"
    "claim strong pure(log(3))\n",
}


def program(text: str) -> Program:
    return load(Source("a.seq", text)).program


def both(made: Program, entries: list[dict[str, int]], seed: int) -> tuple[list[Any], list[Any]]:
    """What the exact run shows, and what the interpreter shows with the same noise."""
    coins, drawn = random.Random(seed), {}
    first = ExactRun(made, below=coins.randrange)

    class Same:
        def noise(self, noise: Any, life: int, law: Any, shape: tuple[int, ...]) -> Any:
            return drawn[noise.name, life]

        def draw(self, draw: Any, life: int, law: Any) -> Any:
            return drawn[draw.name, life]

    second = Machine(made, Same())  # type: ignore[arg-type]
    mine, theirs = [], []
    for entry in entries:
        look = first.advance(entry)
        drawn.update({(name, life): _floats(value) for name, (life, value) in first._lives.items()})
        outcome = second.step(entry)
        mine.append((dict(look.reports), look.stopped, look.result))
        theirs.append((dict(outcome.reports), outcome.stopped, outcome.result))
        if look.stopped:
            break
    return mine, theirs


def _floats(value: Any) -> Any:
    return (
        tuple(map(_floats, value))
        if isinstance(value, tuple)
        else float(value)
        if isinstance(value, Fraction)
        else value
    )


@pytest.mark.parametrize("name", SPECS)
def test_the_interpreter_agrees(name: str) -> None:
    made = program(SPECS[name])
    assert obstacles(made) == []
    coins = random.Random(1)
    for seed in range(60):
        entries = [{"x": coins.randrange(2)} for _ in range(12)]
        mine, theirs = both(made, entries, seed)
        assert mine == theirs


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 4000), marks=pytest.mark.long)])
def test_the_interpreter_agrees_on_random_specs(seeds: range) -> None:
    """The same reports, stops and returns, with the same noise."""
    tried = 0
    for seed in seeds:
        made, coins = program(random_spec(seed)), random.Random(seed)
        if obstacles(made):
            continue
        entries = [{"x": coins.randrange(-2, 4), "z": coins.randrange(3)} for _ in range(10)]
        mine, theirs = both(made, entries, seed)
        assert mine == theirs, random_spec(seed)
        tried += 1
    assert tried > len(seeds) / 2


class Traced(Fraction):
    """A private number that no floating-point number may meet."""

    def __float__(self) -> float:
        raise AssertionError("a private value became a float")


@pytest.mark.parametrize("name", ["block", "threshold", "window"])
def test_no_float_between_an_entry_and_its_release(name: str) -> None:
    made = program(SPECS[name])
    kinds: set[type] = set()

    def decide(step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
        fired, value = compute()
        kinds.add(type(value))
        return fired, value

    for seed in range(20):
        run = ExactRun(made, below=random.Random(seed).randrange, decide=decide)
        for _ in range(12):
            if run.stopped:
                break
            run.advance({"x": Traced(1)})
            for number in [*run.locals.values(), *run.memory.values()]:
                assert not isinstance(number, float)
    assert float not in kinds


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("stream x in [0, 1]\nstop when sum(x over steps) >= 3 return 1\nattach laplace(1) to return\n", "laplace"),
        ("stream x in (0, 1)\nstop when sum(x over steps) >= 3\n", "domain"),
        ("stream x in [1, 2]\nstop when sum(log(x) over steps) >= 3\n", "log"),
        ("stream x in [0, 1]\nstop when 1 / (1 + sum(x over steps)) >= 3\n", "`/`"),
        ("stream x in 1..3\nlet v = [1, 2, 3]\nstop when v[x] >= 3\n", "position"),
        ("stream x in {0, 1}\nstop when mean(x where x > 0 over steps) >= 1\n", "mean"),
        ("stream x in [0, 1]\npublic z in [0, 1]\nstop when clip(x, z, 1) >= 1\n", "clip"),
        ("stream x in {0, 1}\nlet P = bernoulli(1/2)\nstop when P.pmf(x) >= 1\n", "density"),
        (
            "stream x in [0, 1]\nstop when sum(x over steps) >= 3 return 1\nattach gaussian(3) to return\n",
            "gaussian",
        ),
        (
            "stream x in 0..3\nstop when x > 2\nlet b = 1\nattach geometric(sqrt(1/2)) to b\nstop when b > 1\n",
            "rational",
        ),
        ("stream x in {0, 10}\nadjacent one x within 1\nstop when x > 2\n", "further apart"),
        (
            "stream x in 0..3\npublic z in 0..1\nstatistic a = sum([x, 1] where z > 0 and x < 2 over steps)\n"
            "stop when a[1] > 2\n",
            "a sum of lists",
        ),
        ("stream x in 0..3\nstatistic a = sum([x, i] for i in 1..0)\nstop when length(a) > 2\n", "a sum of lists"),
        (
            "stream x in {0, 1}\nstatistic a = sum([x, 1] over steps)\nstatistic b = sum([x, 1, 1] over steps)\n"
            "stop when length(if x > 0 then a else b) > 2\n",
            "private choice between lists",
        ),
        ("stream x in {0, 2, 3, 4}\nadjacent every x within 1\nstop when x > 2\n", "further apart"),
        ("stream x in 0..10\nadjacent one x within 1/2\nstop when x > 2\n", "further apart"),
        ("stream x in 0..10\nadjacent one x / 10 within 1\nstop when x > 2\n", "something else than one field"),
    ],
)
def test_what_is_not_released(text: str, why: str) -> None:
    found = obstacles(program(HEAD + text))
    assert any(why in sentence for sentence in found), found


@pytest.mark.parametrize(("domain", "apart"), [
    ("{0, 10}", "1"), ("{0, 10}", "10"), ("{0, 2, 3, 4}", "1"), ("{0, 2, 3, 4}", "2"), ("{0, 1, 2, 5}", "3"),
    ("{0, 1/2, 1}", "1/2"), ("{0, 1, 5, 6}", "4"), ("0..10", "3"), ("0..10", "3/2"), ("[0, 3]", "1/3"),
])  # fmt: skip
def test_neighbours_stay_neighbours_when_they_are_read(domain: str, apart: str) -> None:
    """Every pair of entries on a fine grid is read: released is just what moves none of them further apart."""
    made = program(HEAD + f"stream x in {domain}\nadjacent one x within {apart}\nstop when x > 2\n")
    read = reader_of(made.input("x"), Compiler(made), Form())
    moved = [Fraction(read(str(Fraction(k, 24)))[0]) for k in range(-48, 300)]
    steps = int(Fraction(apart) * 24)
    kept = all(abs(a - b) <= Fraction(apart) for n in range(steps + 1) for a, b in zip(moved, moved[n:], strict=False))
    assert (obstacles(made) == []) == kept


def test_which_noise_lasts() -> None:
    assert {name: lasts(program(SPECS[name])) for name in ("block", "threshold", "window", "flips")} == {
        "block": False, "threshold": True, "window": False, "flips": False,
    }  # fmt: skip


def test_what_is_added_up_has_no_history() -> None:
    """A score over thousands of looks neither grows deep nor slow, and is the number that it was."""
    from mpmath import mp, mpf

    made = program(
        HEAD + "stream x in {0, 1}\nmemory score = 0\nreport ones = x\nupdate score = score + log(1 + abs(ones))\n"
        "stop when score >= 1000\nattach geometric(1 / 2) to ones\n"
    )
    coins, mp.prec, expected = random.Random(3), 200, mpf(0)
    run = ExactRun(made, below=coins.randrange)
    while not run.stopped:
        ((_, ones),) = run.advance({"x": 1}).reports
        expected += mp.log(1 + abs(int(ones)))
        assert run.stopped == (expected >= 1000)
    assert run.step > 1000


def test_one_draw_hides_as_many_numbers_as_it_was_drawn_for() -> None:
    """Such a program is refused before; this is the net below."""
    made = program(
        HEAD + "stream x in {0, 1}\npublic z in {0, 1}\nstatistic a = sum([x, 1] where z > 0 over steps)\n"
        "report shown = a\nattach geometric(1 / 2) to shown once\n"
    )
    run = ExactRun(made, below=random.Random(1).randrange)
    run.advance({"x": 1, "z": 0})
    with pytest.raises(NotExact, match="another number of coordinates"):
        run.advance({"x": 1, "z": 1})
