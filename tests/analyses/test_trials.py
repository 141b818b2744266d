"""Sensitivities are tried: wrong claims are found, right ones are not, and every pair that is tried is one of
neighbours."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest

from seqlang import driver
from seqlang.analyses.trials import failures, trials
from seqlang.analyses.trials.claimed import Claimed, claimed
from seqlang.analyses.trials.confirm import is_pair
from seqlang.analyses.trials.fits import Seen, misfit
from seqlang.analyses.trials.pairs import pairs_of
from seqlang.model.expression import Local
from seqlang.model.program import Program
from seqlang.source import Source

FEW = 20_000


def program(body: str) -> Program:
    return driver.load(Source("tried.seq", f'algorithm tried "tried"\n{body}\n')).program


def series(*differences: Any, changed: int = 2, report: int | None = None) -> list[Seen]:
    """Differences from 0 in steps 1, 2, ..; the entry of step `changed` differs; R is made in step `report`."""
    made = [report is not None and changed <= report < n for n in range(1, len(differences) + 1)]
    zero = tuple(0.0 for _ in differences[0]) if isinstance(differences[0], tuple) else 0.0
    return [
        Seen(n, zero, d, n - changed, frozenset({"R"}) if after else frozenset())
        for n, (d, after) in enumerate(zip(differences, made, strict=True), 1)
    ]


def claim(kind: Any, radius: float = 1.0, **more: Any) -> Claimed:
    return Claimed(kind, (("abs", radius),), more.get("onset", 0), more.get("report"), more.get("sign"))


@pytest.mark.parametrize(
    ("said", "fitting", "unfitting"),
    [
        (claim("none"), series(0, 0, 0), series(0, 0.1, 0)),
        (claim("uniform"), series(0, 1, 1, 1), series(0, 1, 1, 0.5)),
        (claim("uniform"), series(0, -1, -1), series(0, -1.1, -1.1)),
        (claim("uniform"), series(0, 1, 1), series(1, 1, 1)),
        (claim("uniform", onset=1), series(0, 0, 1, 1), series(0, 1, 1, 1)),
        (claim("uniform", onset=-1), series(1, 1, 1, changed=0), series(1, 0, 1, changed=0)),
        (claim("single step"), series(0, 1, 0), series(0, 1, 1)),
        (claim("window"), series(0, 1, 1, 0), series(0, 1, 0, 1)),
        (claim("window", report="R"), series(0, 1, 1, 0, report=3), series(0, 1, 1, 1, report=3)),
        (claim("same sign, not growing"), series(0, 1, 0.5, 0), series(0, 0.5, 1, 1)),
        (claim("same sign, not growing"), series(0, 1, 0.5), series(0, 1, -0.5)),
        (claim("same sign, not shrinking"), series(0, 0.5, 1), series(0, 1, 0.5)),
        (claim("same direction"), series(0, 1, 0.2, 1), series(0, 1, -0.2)),
        (claim("arbitrary"), series(0, 1, -1), series(0, 1.01, 0)),
        (Claimed("arbitrary", (("l1", 1.5), ("linf", 1.0)), 0, None, None), series((0, 0), (1, 0.5)),
         series((0, 0), (1, 1))),
        (Claimed("arbitrary", (("l2", 1.0),), 0, None, None), series((0, 0), (0.6, 0.8)), series((0, 0), (0.7, 0.8))),
        (Claimed("arbitrary", (("apart", 1.0),), 0, None, None), series((0, 0), (3, 2)), series((0, 0), (1, -1))),
        (Claimed("same direction", (("linf", 1.0),), 0, None, ("key", 1)), series((0, 0), (1, 1)),
         series((0, 0), (1, -1))),
        (claim("arbitrary", 3.0), series(0, 1), series(0, (1, 1))),
        (claim("arbitrary", 3.0), series(0, 1), series((0, 0), (1, 1))),
    ],
)  # fmt: skip
def test_differences_fit_or_do_not(said: Claimed, fitting: list[Seen], unfitting: list[Seen]) -> None:
    assert misfit(said, fitting, single=True) is None
    assert misfit(said, unfitting, single=True) is not None


ONCE_DERIVED = [
    pytest.param("dataset x in [0, 1] size 10\nstatistic m = max(x[i] for i in records)\n"
                 "statistic c = count(x[i] >= m for i in records)\nstop return c", "c", -1, 9, id="largest"),
    pytest.param("dataset x in [0, 1] size 10\nstatistic m = mean(x[i] for i in records)\n"
                 "statistic c = count(abs(x[i] - m) > 0.2 for i in records)\nstop return c", "c", -1, 2, id="outliers"),
    pytest.param("stream x in 1..3\nstatistic h = [count(x == k over steps) for k in 1..3]\n"
                 "statistic l = [sum(j - h[k] for k in 1..1) for j in 1..100]\n"
                 "statistic c = l[1 + h[2]]\nstop when step >= 5", "c", 0, 1, id="element of a list"),
    pytest.param("stream x in [0, 1]\nmemory w = 0\nstatistic a = w * x\nupdate w = 1 - w\n"
                 "statistic c = 100 * (a - w * x)\nstop when step >= 5", "c", 0, 50, id="memory, below and above"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "name", "onset", "at_least"), ONCE_DERIVED)
def test_shifts_that_were_derived_wrongly_are_found(
    body: str, name: str, onset: int, at_least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the few pairs that a `check` tries: the claims are those of the version that proved nine false specs."""
    given = program(body)
    before = Claimed("arbitrary", (("abs", 1.0 if onset else 0.0),), onset, None, None)

    def then(p: Program, expression: object, revealed: frozenset[str]) -> Claimed | None:
        return before if expression == Local(name) else claimed(p, expression, revealed)

    monkeypatch.setattr(trials, "claimed", then)
    (found,) = (f for f in failures(given) if f.quantity == f"statistic {name}")
    assert abs(found.second - found.first) >= at_least
    assert is_pair(given, found.pair)


KINDS = {
    "replace one": "stream x in [0, 1]",
    "replace two of three fields": "stream x in {0, 1}, y in -3..3, z in [0, 1] ^ 2\nadjacent replace 2",
    "one field within": "stream x in real\nadjacent one x within 0.3",
    "every field within": "stream x in [0, 2]\nadjacent every x within 1 / 3",
    "one way": "stream x in [0, 2] ^ 3\nadjacent every x within 0.7 same direction",
    "a function within": "stream x in [0.1, 1]\nadjacent every log(x) within 0.2",
    "records": "dataset x in [0, 1], y in {0, 1} size 5",
    "records of a ball": "dataset x in ball(2, 3) size 4\nadjacent replace 2",
    "records come and go": "dataset x in 0..4 size 5\nadjacent add or remove 2",
    "public inputs": "stream x in [0, 1]\npublic u in [0, 5]\nadjacent replace one",
    "public inputs beside records": "dataset x in [0, 1] size 4\npublic u in 0..3",
}


@pytest.mark.parametrize("inputs", KINDS.values(), ids=KINDS.keys())
def test_pairs_are_neighbours_and_differ(inputs: str) -> None:
    given = program(inputs + "\nstop when step >= 40")
    pairs = list(islice(pairs_of(given, random.Random(1)), 300))
    assert len(pairs) == 300
    assert all(is_pair(given, pair) for pair in pairs)
    assert all(pair.records[0] != pair.records[1] or pair.entries[0] != pair.entries[1] for pair in pairs)
    assert len({str(pair) for pair in pairs}) > 100


ROUNDED = [
    "floor(sum(x / min(step, 1) over steps) / 0.1)",
    "ceil(sum(x / min(step, 1) over steps) / 0.7)",
    "ceil(10 * sum(x / min(step, 1) over steps))",
    "floor(sum(x / min(step, 1) over steps) * 10 + 0.1 - 0.1)",
]


@pytest.mark.parametrize("statistic", ROUNDED)
def test_rounding_is_no_failure(statistic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In floating point each of these moves by more than was proved; in exact numbers none does."""
    given = program(f"stream x in [0, 0.7]\nstatistic s = {statistic}\nstop when step >= 9")
    assert failures(given, work=300_000) == ()
    monkeypatch.setattr(
        "seqlang.analyses.trials.confirm.confirmed", lambda *_: (Seen(1, 0, 1, 0, frozenset()), "not looked at again")
    )
    assert failures(given, work=300_000) != ()


LONELY = [
    "stream x in {0, 1}\nadjacent every x within 0.5",
    "stream x in {2}",
    "dataset x in {0, 3} size 4\nadjacent one x within 1",
    "stream x in [0, 1]\nadjacent add or remove one",
    "public u in 1..3",
]


@pytest.mark.parametrize("inputs", LONELY)
def test_programs_without_neighbours_are_left_alone(inputs: str) -> None:
    assert list(pairs_of(program(inputs + "\nstop when step >= 3"), random.Random(1))) == []


def test_weights_that_floats_cannot_hold_are_no_contradiction() -> None:
    """For one entry more all weights are exp(-1e12): 0 in floats, and still a law."""
    text = "algorithm a\nstream x in {0, 1}\ndraw c ~ {k: exp(-1e12 * sum(x over steps)) for k in 1..2}\n"
    text += "stop when step >= 2 return c\n"
    assert failures(driver.load(Source("a.seq", text)).program) == ()


def test_the_same_pairs_are_tried_each_time() -> None:
    given = program("stream x in [0, 1] ^ 2\nstatistic s = sum(x over steps)\nreport r = s\nstop when step >= 9")
    first, second = (list(islice(pairs_of(given, random.Random("a seed")), 50)) for _ in range(2))
    assert first == second


HALVED = [
    "stream x in [0, 1]\nstatistic s = sum(x over last 3)\nstop when step >= 9",
    "stream x in [-1, 1]\nstatistic s = abs(sum(x over steps))\nstop when step >= 9",
    "stream x in {0, 1} ^ 3\nstatistic s = sum(x over steps)\nstop when step >= 9",
    "stream q in real\nadjacent every q within 2\nstatistic s = [q, 2 * q, previous(q, 0)]\nstop when step >= 9",
    "dataset x in [0, 1] size 50\nstatistic s = mean(x)\nstop return s",
    "dataset x in ball(1, 2) size 20\nadjacent add or remove one\nstatistic s = sum(x[i] for i in records)\n"
    "stop return 1",
    "dataset x in 0..2 size 8\nstatistic s = [count(x[i] == k for i in records) for k in 0..2]\nstop return 1",
    "stream x in [0, 1]\nstatistic s = max(0, previous(s, 0) + x - 0.5)\nstop when step >= 9",
]


@pytest.mark.parametrize("body", HALVED)
def test_half_of_a_tight_radius_is_found(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = program(body)
    assert failures(given, work=FEW) == ()

    def half(p: Program, expression: Any, revealed: frozenset[str]) -> Claimed | None:
        found = claimed(p, expression, revealed)
        assert found is not None
        radii = tuple((norm, radius / 2 * 1.01) for norm, radius in found.radii)
        return Claimed(found.kind, radii, found.onset, found.report, found.sign)

    monkeypatch.setattr(trials, "claimed", half)
    assert failures(given, work=FEW) != ()


LEARNING = (
    "dataset x in ball(1, 2), y in {-1, 1} size 12\n"
    "let loss(m) = log(1 + exp(-m))\n"
    "statistic w = argmin(mean(loss(y[i] * dot(x[i], v)) for i in records) + dot(v, v) / 2 for v in real ^ 2)\n"
    "stop return w"
)


def test_minimisers_are_tried_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """2 / (n lambda) = 1/6 bounds how far the minimiser moves (Chaudhuri, Monteleoni & Sarwate 2011, Corollary 8)."""
    given = program(LEARNING)
    right = claimed(given, Local("w"), frozenset())
    assert right is not None
    assert dict(right.radii)["l2"] == pytest.approx(1 / 6)
    assert failures(given, work=100_000, minimisers=True) == ()
    wrong = Claimed(right.kind, (("l2", 1 / 30),), right.onset, None, None)
    monkeypatch.setattr(trials, "claimed", lambda *_: wrong)
    assert failures(given, work=100_000) == ()
    assert [f.quantity for f in failures(given, work=100_000, minimisers=True)] == ["statistic w"]
