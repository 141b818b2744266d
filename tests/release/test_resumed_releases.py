"""A release that goes on after a crash, or with more rows, has the law of one that was never interrupted."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from released import AGAIN, BLOCK, HEAD, THRESHOLD, entries, ledger, program, released
from scipy.stats import chi2

from seqlang.diagnostics import SpecError
from seqlang.model.program import Program
from seqlang.release import resuming
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.run import ExactRun, Look
from seqlang.release.resuming import begins_after, resumed
from seqlang.release.transcript import written

RUNS = 400


def shown(run: ExactRun, rows: Iterator[Mapping[str, Any]]) -> list[Look]:
    found = []
    for row in rows:
        found.append(run.advance(row))
        if run.stopped:
            break
    return found


def stopping_step(made: Program, values: str, cut: int, coins: random.Random) -> int:
    """Of a run that dies after `cut` rows and goes on; 0 where it does not stop."""
    first = ExactRun(made, below=coins.randrange, ahead=0)
    looks = [written(look) for look in shown(first, entries(values[:cut])())]
    if not first.stopped:
        rows = entries(values)()
        first = resumed(made, looks[-1:], rows, below=coins.randrange)
        shown(first, rows)
    return first.step if first.stopped else 0


def law_of_stopping(values: str, threshold: int, rate: float) -> list[float]:
    """Of `total + noise >= threshold + kept noise`, both discrete Laplace of that rate: entry t the chance to stop at
    t, entry 0 the rest. By sums over the kept noise."""
    base = math.exp(-rate)

    def at_least(k: int) -> float:
        return base**k / (1 + base) if k > 0 else 1 - base ** (1 - k) / (1 + base)

    found = [0.0] * (len(values) + 1)
    for z in range(-80, 81):
        left, total = (1 - base) / (1 + base) * base ** abs(z), 0
        for t, v in enumerate(values, 1):
            total += int(v)
            fires = at_least(threshold + z - total)
            found[t] += left * fires
            left *= 1 - fires
        found[0] += left
    return found


def p_value(counts: list[int], law: list[float]) -> float:
    expected = [p * sum(counts) for p in law]
    return float(chi2.sf(sum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True)), len(law) - 1))


@pytest.mark.parametrize("runs", [RUNS, pytest.param(50_000, marks=pytest.mark.long)])
def test_a_threshold_goes_on_with_the_law_that_was_proved(runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, values = program(THRESHOLD), "101101"
    law = law_of_stopping(values, 3, 0.5)
    assert abs(sum(law) - 1) < 1e-9

    def counts() -> list[int]:
        found, coins = [0] * len(law), random.Random(3)
        for _ in range(runs):
            found[stopping_step(made, values, 4, coins)] += 1
        return found

    assert p_value(counts(), law) > 1e-3
    monkeypatch.setattr(resuming, "lasts", lambda program: False)  # the kept noise is drawn anew, without waiting
    assert p_value(counts(), law) < 1e-4


def test_noise_that_died_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a report the threshold has a new noise: what was shown before says nothing of it."""
    made, coins = program(AGAIN), random.Random(4)
    run = ExactRun(made, below=coins.randrange)
    looks = [written(look) for look in shown(run, entries("01" * 20)()) if look.reports]
    assert len(looks) > 3 and begins_after(made, looks) == looks[-1]["step"]
    computed = []

    def counted(look: Mapping[str, Any], statement: Any) -> Any:
        computed.append(statement)
        return resuming_outcome(look, statement)

    resuming_outcome = resuming.outcome_in
    monkeypatch.setattr(resuming, "outcome_in", counted)
    resumed(made, looks, entries("01" * 20)(), below=coins.randrange)
    assert len(computed) == 2 * looks[-1]["step"]  # one attempt


def test_a_coin_that_was_shown_stays() -> None:
    made = program(HEAD + "draw z ~ {1: 1/3, 2: 1/3, 3: 1/3} once\nreport r = z\nstop when step >= 6\n")
    for seed in range(12):
        coins = random.Random(seed)
        run, rows = ExactRun(made, below=coins.randrange), entries("000000")()
        looks = [written(run.advance(next(rows))) for _ in range(3)]
        again = entries("000000")()
        rest = shown(resumed(made, looks, again, below=coins.randrange), again)
        assert {value for look in rest for _, value in look.reports} == {looks[0]["reports"]["r"]}


def test_noisy_numbers_with_noise_that_lasts_end_with_a_crash(tmp_path: Path) -> None:
    """That is decided before a row is read, and by what is public."""
    made = program(HEAD + "let b = 1\nreport r = x + b\nattach geometric(1/2) to b once\n")
    run = ExactRun(made)
    looks = [written(run.advance({"x": 1}))]

    def unread() -> Iterator[Mapping[str, Any]]:
        raise AssertionError("a row was read")
        yield {}

    with pytest.raises(SpecError, match="cannot be drawn again"):
        resumed(made, looks, unread())


TREE = HEAD + "report s = sum(x over steps)\nreport high when s >= 6 and step > 2\nattach tree(geometric(1/2)) to s\n"
LEVELS = HEAD + "report pair = [sum(x over steps), sum(1 - x over steps)]\nattach tree(discrete_gaussian(3)) to pair\n"


def after_a_crash(text: str, cut: int) -> tuple[list[Look], list[Look]]:
    """What a run shows after `cut` steps, and what one shows that begins there, if all nodes from there on are 0."""
    made, coins, values = program(text), random.Random(cut), "101101110110"
    run, rows, again = ExactRun(made, below=coins.randrange), entries(values)(), entries(values)()
    looks = [written(run.advance(next(rows))) for _ in range(cut)]
    other = resumed(made, looks, again, below=coins.randrange)
    for one in (run, other):
        for spares in one._spares.values():
            spares.take = lambda: 0  # type: ignore[method-assign]
    return shown(run, rows), shown(other, again)


@pytest.mark.parametrize("text", [TREE, LEVELS])
@pytest.mark.parametrize("cut", [1, 4, 6, 7, 11])
def test_nodes_of_a_tree_are_known_from_what_was_shown(text: str, cut: int) -> None:
    went_on, resumed_at = after_a_crash(text, cut)
    assert len(went_on) == 12 - cut and went_on == resumed_at


def test_nodes_are_of_one_shape() -> None:
    """A node for one number would be added to each of two, which it would not hide from each other."""
    run = ExactRun(program(TREE))
    run.step = 2
    run.noise("s.step", ())
    run.step = 3
    with pytest.raises(NotExact, match="coordinates"):
        run.noise("s.step", (2,))


def test_that_a_tree_drawn_anew_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExactRun, "keep", lambda self, name, value: None)
    assert any(a != b for a, b in (after_a_crash(LEVELS, cut) for cut in (4, 6, 7)))


def test_a_tree_that_is_shown_now_and_then_ends_with_a_crash() -> None:
    made = program(HEAD + "report s = sum(x over steps) when step % 2 == 0\nattach tree(geometric(1/2)) to s\n")
    run, rows = ExactRun(made), entries("1111")()
    looks = [written(run.advance(next(rows))) for _ in range(4)]
    with pytest.raises(SpecError, match="cannot be drawn again"):
        resumed(made, [look for look in looks if look.get("reports")], entries("1111")())


def test_more_rows_go_on(tmp_path: Path) -> None:
    for seed in range(6):
        coins, book = random.Random(seed), ledger(tmp_path / f"{seed}")
        first = released(book, BLOCK, "1110", below=coins.randrange)
        told: list[Mapping[str, Any]] = []
        second = released(book, BLOCK, "111011101110", below=coins.randrange, tell=told.append)
        assert second.looks[: len(first.looks)] == first.looks and tuple(told) == second.looks
        assert second.to_dict() == released(book, BLOCK, "111011101110", below=coins.randrange).to_dict()
        assert len(book.charges) == 1
        if not second.stopped:
            with pytest.raises(SpecError, match="rows end before"):
                released(book, BLOCK, "1", below=coins.randrange)
