"""Claims that are false for a simple reason are refuted: each pair of inputs, or event, is of a kind of its own."""

from __future__ import annotations

from math import exp, inf, log

import pytest
from elaborated import elaborated
from scipy.integrate import quad

from seqlang.analyses.refute import lower_bound, refute
from seqlang.analyses.witnesses.confirm import recomputed
from seqlang.analyses.witnesses.recompute import enclosed
from seqlang.backends.transcript.follow import Follower
from seqlang.model.program import Program
from seqlang.proof.witness import Event, Witness

WALK = "stream x in {-1, 1}\nstatistic s = sum(x over steps)\nstop when s >= 5"
RECORDS = "dataset x in {0, 1} size 10\n"
TOTAL = "statistic s = sum(x[i] for i in records)\n"
COUNTER = "statistic s = sum(x over steps)\nreport r = s when step == 6\nstop when step >= 6\nattach laplace(1) to s"
QUERIES = "dataset q in 0..100 size 5\nadjacent every q within 1\nstatistic v = [q[i] for i in records]\n"
TWO = "stream x in {0, 1}, y in {0, 1}\nstatistic a = x\nstatistic b = y\nreport r = a\nreport t = b\n"
PREFIX = "adjacent every x within 1\nstatistic s = sum(x over steps)\nreport r = s\nattach laplace(1) to s\n"


def program(body: str) -> Program:
    return elaborated(f"algorithm t\n{body}\n")


LEAKS = {
    "a result that is public": WALK + " return step",
    "a comparison of a dataset": RECORDS + TOTAL + "stop when s >= 5 return yes\nstop return no",
    "a comparison of a mean": "dataset x in [0, 1] size 10\nstop when mean(x[i] for i in records) >= 0.37",
    "a report of what is removed": RECORDS + "adjacent add or remove one\n" + TOTAL + "report big when s > 4",
    "one of two reports comes": RECORDS + TOTAL + "report big when s > 4\nreport small when s <= 4",
    "records that move": "dataset x in [0, 9] size 5\nadjacent one x within 0.5\n" + TOTAL + "stop when s >= 31.3",
    "noise that is drawn once": "stream x in {0, 1}\nreport r = sum(x over steps)\nattach laplace(1) to r once",
    "noise of two releases": TWO + "draw z ~ laplace(1)\nattach z to a, b",
    "whole noise of two releases": TWO + "draw z ~ geometric(0.5)\nattach z to a\nattach -z to b",
    "noise of two sums": RECORDS + TOTAL + "statistic b = 10 - s\nreport r = s\nreport t = b\nstop when step >= 1\n"
    "draw z ~ gaussian(3) once\nattach z to s, b",
}  # fmt: skip


@pytest.mark.parametrize("body", LEAKS.values(), ids=LEAKS)
def test_what_one_neighbour_shows_and_the_other_cannot(body: str) -> None:
    made = program(body)
    witness = lower_bound(made)
    assert witness is not None and witness.loss == inf and witness.q == 0
    assert refute(made, "pure", 50.0) is not None


def _noisy_least(first: float, others: float) -> float:
    """The chance that the first of five numbers, the others being alike, is the least; Laplace noise of scale 2."""

    def above(x: float) -> float:
        return 1 - exp(x / 2) / 2 if x < 0 else exp(-x / 2) / 2

    def integrand(z: float) -> float:
        return exp(-abs(z) / 2) / 4 * above(first + z - others) ** 4

    return sum(quad(integrand, a, b, epsabs=1e-15, epsrel=1e-10)[0] for a, b in ((-120, -38), (-38, 0), (0, 40)))


LOSSES = {
    "two entries": ("stream x in {0, 1}\nadjacent replace 2\n" + COUNTER, 2.0),
    "two entries that cancel": ("stream x in {0, 1}\nadjacent replace 2\n" + COUNTER.replace(
        "sum(x over", "sum((if step % 2 == 0 then x else -x) over"), 2.0),
    "two records less": (RECORDS + "adjacent add or remove 2\n" + TOTAL + "report r = s\nstop when step >= 1\n"
                         "attach laplace(1) to s", 2.0),
    "an entry put in": ("stream x in {0, 1}\nadjacent add or remove one\n" + COUNTER, 1.0),
    "prefix sums": ("stream x in [0, 1]\n" + PREFIX + "stop when step >= 10", 55.0),
    "prefix sums of vectors": ("stream x in real ^ 3\n" + PREFIX + "stop when step >= 4", 30.0),
    "the ends of a domain": ("stream x in [0, 1]\nreport r = x\nattach laplace(0.5) to x", 2.0),
}  # fmt: skip


@pytest.mark.parametrize("body, loss", LOSSES.values(), ids=LOSSES)
def test_losses_known_by_hand(body: str, loss: float) -> None:
    """Sums of Laplace noises' |move| / scale."""
    witness = lower_bound(program(body), enough=loss)
    assert witness is not None
    assert 0.998 * loss <= witness.loss <= loss


@pytest.mark.parametrize("which", ["argmin", "argmax"])
def test_noisy_winners_among_whole_numbers(which: str) -> None:
    made = program(QUERIES + f"stop return {which}(v)\nattach laplace(2) to v")
    witness = lower_bound(made, enough=1.0)
    assert witness is not None and 0.999 <= witness.loss <= 1.0
    assert refute(made, "pure", 0.99) is not None
    assert refute(made, "pure", 1.0) is None
    if which == "argmin":
        for stream, said in zip(witness.streams, (witness.p, witness.q), strict=True):
            assert stream[1:] == (stream[1],) * 4
            assert said == pytest.approx(_noisy_least(stream[0], stream[1]), rel=1e-6)


def test_entries_that_come_later_all_change() -> None:
    witness = lower_bound(
        program("stream x in {0, 1}\nadjacent add or remove one\nreport r = x\nattach laplace(1) to x")
    )
    assert witness is not None and witness.loss > 4
    longer, shorter = sorted(witness.streams, key=len, reverse=True)
    assert len(longer) == len(shorter) + 1
    assert any(longer[:k] + longer[k + 1 :] == shorter for k in range(len(longer)))


TRUE = [
    ("stream x in {-1, 1}\nreport r = abs(x)\nstop when step >= 3\nattach geometric(0.25) to r once", 0.0),
    (
        "stream x in {-1, 1}\nreport r = x when step == 2\nstop when step >= 3\nattach geometric(0.25) to r once",
        2 * log(4),
    ),
    (TWO + "draw z ~ laplace(1)\ndraw v ~ laplace(1)\nattach z to a\nattach v to b", 2.0),
    ("stream x in [0, 1]\nadjacent replace 2\nreport r = x\nattach laplace(1) to x", 2.0),
]


@pytest.mark.parametrize("body, epsilon", TRUE)
def test_true_claims_stay(body: str, epsilon: float) -> None:
    """In the first, 1 is told in one step and anything in the next: these are not the same telling."""
    assert refute(program(body), "pure", epsilon) is None


def test_a_range_that_only_rounding_leaves_empty_is_no_witness() -> None:
    """Beside 0.1 and 0.1 the noise must be at most 0.3 - 0.1 and at least the next float's: nothing is known. Where the
    gap is wider, no value is left."""
    made = program(TWO.replace("{0, 1}", "[0, 1]") + "draw z ~ laplace(1)\nattach z to a, b")
    follower = Follower(made)

    def seen(cut: float) -> Witness | None:
        event = Event(not_by=1, reports=((1, "r", (-inf, 0.3)), (1, "t", (cut, inf))))
        streams = (({"x": 0.1, "y": 0.3},), ({"x": 0.1, "y": 0.1},))
        draft = Witness(streams, event, p=0.0, q=0.0, loss=0.0, because="")
        found = enclosed(follower, draft)
        assert (found is None) == (recomputed(follower, draft) is None)
        return found

    assert seen(0.1 + 0.2) is None
    apart = seen(0.4)
    assert apart is not None and apart.q == 0 and apart.p == pytest.approx((exp(-0.1) - exp(-0.2)) / 2, rel=1e-9)


FAILING = [
    "report r = x\nstatistic s = sqrt(0 - step)",
    "report r = x when step >= 4\nstatistic s = sqrt(2 - step)",
    "statistic s = sum(sqrt(3 - step) over steps)\nreport r = x when step >= 5",
]


@pytest.mark.parametrize("body", FAILING)
def test_what_no_run_reaches_is_no_witness(body: str) -> None:
    """The root of a negative number ends every run in the step in which something is shown first, or before it."""
    assert lower_bound(program("stream x in {0, 1}\n" + body)) is None


def test_what_a_run_shows_before_it_fails_is_one() -> None:
    body = "stream x in {0, 1}\nreport r = x\nstatistic s = sqrt(2 - step)"
    witness = lower_bound(program(body))
    assert witness is not None and witness.loss == inf and witness.event.not_by is not None
    assert witness.event.not_by <= 2
