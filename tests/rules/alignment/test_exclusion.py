"""Gates that exclude each other: the facts by trying numbers, and programs on both sides of each condition."""

from __future__ import annotations

import random
from itertools import product

import pytest
from m_range import m_range

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.model.gate_source import OfEvent, OfStop
from seqlang.rules.alignment import exclusion
from seqlang.rules.alignment.events import Event
from seqlang.source import Source

HEAD = """algorithm fences
param eps > 0 = 1
param u = 0
param v = 1
param v2 = 1
param w = 2
stream f in real
adjacent every f within 1
memory phase = 1
"""
NOISE = """update phase = 2 when up
attach laplace(4 / eps) to u, v, v2, w once
attach laplace(4 / eps) to f
"""
UP = "report up when phase == 1 and f >= u and f > v and f < w"
TOP, BOTTOM = "stop when f >= w return top", "stop when phase == 1 and f < u return bottom"
LATER = "stop when phase == 2 and f < v2 return bottom"


def proved(*statements: str) -> str | None:
    text = HEAD + "".join(f"{s}\n" for s in statements) + NOISE
    found = prove(driver.load(Source("<fences>", text)).program).pure
    return None if found is None else str(getattr(found.conclusion, "epsilon", ""))


@pytest.mark.parametrize(
    "statements",
    [
        (TOP, BOTTOM, LATER, "report up when phase == 1 and f > v"),
        (TOP, BOTTOM, LATER, UP),
        (UP, TOP, BOTTOM, LATER),
        (TOP, UP, BOTTOM, LATER),
        ("report up when phase == 1 and f > v and f < w", TOP, BOTTOM.replace("and", "and not up and", 1), LATER),
    ],
)
def test_the_order_of_statements_decides_nothing(statements: tuple[str, ...]) -> None:
    """DiPAut's weight of two_range_2 is 2."""
    assert proved(*statements) == "2*eps"


@pytest.mark.parametrize(
    "statements",
    [
        # v < f < u: up and then bottom in one step
        ("report up when phase == 1 and f > v and f < w", TOP, BOTTOM, LATER),
        # nobody asks for f >= w where the run ends first
        (UP, "stop when step % 7 == 0 and phase == 1", TOP, BOTTOM, LATER),
        # nor where the guard of the stop does not hold
        (UP, TOP.replace("when", "when step % 2 == 0 and"), BOTTOM, LATER),
        # the test of the step may be what fails
        (UP, TOP.replace("f >= w", "(step > 9 and f >= w) or (f >= w and f >= v2)"), BOTTOM, LATER),
        # other sides of two draws, not of one
        (UP, TOP.replace("f >= w", "f >= v2"), BOTTOM, LATER),
        # between w and w + 1 neither happens
        (UP, "stop when f > w + 1 return top", BOTTOM, LATER),
    ],
)
def test_just_outside_of_the_conditions(statements: tuple[str, ...]) -> None:
    assert proved(*statements) is None


def test_a_planted_fault_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """If stops between are overlooked."""
    monkeypatch.setattr(exclusion.Exclusions, "_reached", lambda *_: True)
    assert proved(UP, "stop when step % 7 == 0 and phase == 1", TOP, BOTTOM, LATER) is not None


@pytest.mark.parametrize(("strict", "other"), [*product((False, True), repeat=2)])
@pytest.mark.parametrize("c", [-1, 0, 1])
def test_what_margins_say_of_each_other(c: int, strict: bool, other: bool) -> None:
    """p >= 0 (> 0) against c - p and c + p, tried at halves: exactly what is always so is said."""

    def holds(p: float, is_strict: bool) -> bool:
        return p > 0 if is_strict else p >= 0

    places = [n / 2 for n in range(-6, 7)]
    for said, second in ((exclusion._opposite, lambda p: c - p), (exclusion._same, lambda p: c + p)):
        seen = {(holds(p, strict), holds(second(p), other)) for p in places}
        true = {(a, b) for a, b in product((True, False), repeat=2) if (a, not b) not in seen and (a, b) in seen}
        assert set(said(c, strict, other)) == true


def test_silent_margins_keep_what_happens() -> None:
    """Random gates over numbers p, 1 - p, p + 1, ..: where the silent margins only shrink and those that fire only
    grow, the same gates fire."""
    rng = random.Random(7)
    tried = fewer = 0
    for _ in range(300):
        lines = [(rng.choice((1, -1)), rng.randrange(-1, 2), rng.randrange(2), rng.random() < 0.5) for _ in range(5)]
        implied: dict[exclusion.Sign, list[exclusion.Sign]] = {}
        for (i, a), (j, b) in product(enumerate(lines), repeat=2):
            if i != j and a[2] == b[2]:  # the same number, perhaps turned round
                said = exclusion._same if a[0] == b[0] else exclusion._opposite
                c = b[1] - a[1] if a[0] == b[0] else a[1] + b[1]
                for known, then in said((c > 0) - (c < 0), a[3], b[3]):
                    implied.setdefault((i, known), []).append((j, then))
        events = [
            Event(
                OfEvent(f"r{n}") if n < 2 else OfStop(n),
                tuple(tuple(rng.sample(range(5), rng.choice((1, 2, 2)))) for _ in range(rng.choice((1, 1, 2)))),
                whole=frozenset((0, 1)),
            )
            for n in range(3)
        ]
        facts = {known: tuple(then) for known, then in implied.items()}
        outcomes: dict[tuple[tuple[str, int], ...], list[list[float]]] = {}
        for numbers in product([n / 2 for n in range(-4, 5)], repeat=2):
            margins = [sign * numbers[which] + c for sign, c, which, _ in lines]
            truth = [m > 0 if line[3] else m >= 0 for m, line in zip(margins, lines, strict=True)]
            fired = {}
            for event in events:
                branch = next((n for n, b in enumerate(event.branches) if all(truth[i] for i in b)), None)
                if branch is not None:
                    fired[event.name] = branch
            outcomes.setdefault(tuple(fired.items()), []).append(margins)
        for fired, here in outcomes.items():
            still = exclusion.silent(events, dict(fired), facts)
            assert still is not None, "it does happen"
            every = {i for e in events for b in e.branches[: dict(fired).get(e.name)] for i in b}
            assert set(still) <= every
            fewer += set(still) < every
            up = {i for name, n in fired for e in events if e.name == name for i in e.branches[n]}
            for other, there in outcomes.items():
                for x, y in product(here, there) if other != fired else ():
                    tried += 1
                    assert not (all(y[i] <= x[i] for i in still) and all(y[i] >= x[i] for i in up))
    assert tried > 10_000
    assert fewer > 100


@pytest.mark.parametrize("n", [1, 5, 20, pytest.param(80, marks=pytest.mark.long)])
def test_m_range(n: int) -> None:
    """DiPAut proves weight 1 for every n."""
    found = prove(driver.load(Source("<m range>", m_range(n))).program).pure
    assert found is not None
    assert str(getattr(found.conclusion, "epsilon", "")) == "eps"
