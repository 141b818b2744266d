"""Witnessed losses lie below the proved bounds and near them; false claims are refuted, true ones are not."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import pytest
from elaborated import elaborated
from leaking import leaks

from seqlang.analyses.refute import lower_bound, refute
from seqlang.analyses.witnesses.confirm import confirmed, excess, renyi
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.quadrature import FINEST
from seqlang.model.program import Program
from seqlang.proof.witness import Event, Witness

SUM = "stream x in [0, 1]\nstatistic total = sum(x over steps)\n"
HALF = "stream x in [-0.5, 0.5]\nstatistic total = sum(x over steps)\n"
QUERY = "stream q in real\nadjacent every q within 1\n"
NOISY = "attach laplace(lz) to b once\nattach laplace(lw) to "
ONE_SIDED = SUM + "stop when total >= b\n" + NOISY + "total"
CUSUM = "stream x in [0, 1]\nstatistic g = max(0, previous(g, 0) + x - 0.6)\nstop when g >= b\n" + NOISY + "g"
WINDOW = "stream x in [0, 1]\nstatistic r = sum(x over last 20)\nstop when r >= b\n" + NOISY + "r"
TWO_SIDED = HALF + "stop when total >= b return high\nstop when total <= a return low\n" \
    "attach laplace(lz) to a, b once\nattach laplace(lw) to a, b"  # fmt: skip
PARALLEL = TWO_SIDED.replace("attach laplace(lz) to a, b once", "draw z ~ laplace(lz) once\nattach z to a, b")
OUTSIDE = QUERY + "draw z ~ laplace(lz) once\nstop when q >= b return high\nstop when q <= a return low\n" \
    "attach z to b\nattach -z to a\nattach laplace(lw) to q"  # fmt: skip
ABOVE = QUERY + "stop when q >= b\n" + NOISY + "q"


def program(body: str, lz: float = 1, lw: float = 1) -> Program:
    head = f"algorithm t\nparam lz > 0 = {lz}\nparam lw > 0 = {lw}\nparam a = -10\nparam b = 10\n"
    return elaborated(head + body + "\n")


def repeated(since: str, life: str, c: int) -> str:
    return (
        f"stream x in [0, 1]\nstatistic total = sum(x {since})\nreport high when total >= b\n"
        f"stop when count(high over steps) >= {c}\nattach laplace(lz) to b {life}\nattach laplace(lw) to total"
    )


CASES = [
    # body, bound by hand (z = 1/lz, w = 1/lw), fraction to reach
    (ONE_SIDED, lambda z, w: max(z, w), 0.99),
    (TWO_SIDED, lambda z, w: z + w, 0.9),
    (CUSUM, lambda z, w: z + w, 0.9),
    (WINDOW, lambda z, w: z + w, 0.9),
    (OUTSIDE, lambda z, w: z + 2 * w, 0.9),
    (ABOVE, lambda z, w: z + 2 * w, 0.9),
    (repeated("over steps", "once", 3), lambda z, w: max(z + 2 * w, 3 * w), 0.9),
    (repeated("over steps", "each high", 3), lambda z, w: max(3 * z, w + 2 * min(z, w)), 0.8),
    (repeated("since high", "each high", 3), lambda z, w: max(z, w), 0.8),
]


@pytest.mark.parametrize("body, bound, fraction", CASES)
@pytest.mark.parametrize("lz, lw", [pytest.param(1, 1, marks=pytest.mark.long), (2, 1)])
def test_witnesses_come_near_the_bound_and_never_pass_it(
    body: str, bound: object, fraction: float, lz: float, lw: float
) -> None:
    known = bound(1 / lz, 1 / lw)
    made = program(body, lz, lw)
    witness = lower_bound(made)
    assert witness is not None
    assert fraction * known <= witness.loss <= known * (1 + 1e-9)
    assert witness.loss <= log(witness.p / witness.q)
    assert refute(made, "pure", known, start=witness) is None


@pytest.mark.parametrize(
    "lz, lw", [(1, 4), *(pytest.param(*s, marks=pytest.mark.long) for s in ((3.7, 0.9), (0.3, 5)))]
)
@pytest.mark.parametrize("body, bound", [case[:2] for case in CASES])
def test_no_witness_passes_the_bound_at_other_scales(body: str, bound: object, lz: float, lw: float) -> None:
    witness = lower_bound(program(body, lz, lw))
    assert witness is None or witness.loss <= bound(1 / lz, 1 / lw) * (1 + 1e-9)


def test_horizon_thirteen_suffices_for_one_sided() -> None:
    witness = lower_bound(program(ONE_SIDED), horizon=13)
    assert witness is not None
    assert witness.loss >= 0.99
    assert len(witness.streams[0]) <= 13


@pytest.mark.parametrize("body, bound, fraction", CASES)
def test_a_search_that_stops_at_the_bound_comes_as_near(body: str, bound: object, fraction: float) -> None:
    known = bound(1, 1)
    witness = lower_bound(program(body), enough=known)
    assert witness is not None
    assert fraction * known <= witness.loss <= known * (1 + 1e-9)


def test_a_bound_that_is_too_small_does_not_make_the_witness_worse_than_it() -> None:
    witness = lower_bound(program(ONE_SIDED), enough=0.5)
    assert witness is not None
    assert witness.loss >= 0.499


@pytest.mark.parametrize("body", [ONE_SIDED, TWO_SIDED, CUSUM, WINDOW])
def test_replace_one_changes_one_entry_within_the_domain(body: str) -> None:
    witness = lower_bound(program(body))
    assert witness is not None
    low, high = (-0.5, 0.5) if body is TWO_SIDED else (0, 1)
    first, second = witness.streams
    assert len(first) == len(second)
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1
    assert all(low <= x <= high for x in (*first, *second))


@pytest.mark.parametrize("body", [OUTSIDE, ABOVE])
def test_within_moves_by_at_most_the_radius(body: str) -> None:
    witness = lower_bound(program(body))
    assert witness is not None
    assert all(abs(Fraction(a) - Fraction(b)) <= 1 for a, b in zip(*witness.streams, strict=True))


def test_same_direction_moves_have_one_sign() -> None:
    body = ABOVE.replace("within 1", "within 1 same direction")
    witness = lower_bound(program(body))
    assert witness is not None
    signs = {(a > b) - (a < b) for a, b in zip(*witness.streams, strict=True)} - {0}
    assert len(signs) == 1
    assert 1.8 <= witness.loss <= 2 * (1 + 1e-9)  # monotone sparse vector: 1/lz + 1/lw


def test_a_plain_threshold_leaks_everything() -> None:
    made = program(SUM + "stop when total >= 3 return high")
    for witness in (leaks(made), refute(made, "dp", 10, delta=0.5)):
        assert witness is not None
        assert (witness.p, witness.q, witness.loss) == (1.0, 0.0, inf)


@pytest.mark.parametrize("body, notion, epsilon, delta", [
    (SUM + "stop when total >= 3\nattach laplace(lz) to total", "pure", 10.0, None),  # query noise only
    (SUM + "stop when total >= b\nattach laplace(lz) to b once", "pure", 10.0, None),  # threshold noise only
    (PARALLEL, "pure", 4.0, None),
    (QUERY + "report above when q >= b\nattach laplace(lz) to b once", "pure", 50.0, None),  # no query noise: infinite
    (QUERY + "report above when q >= b\n" + NOISY + "q", "pure", 8.0, None),  # no cut-off
    (QUERY + "report above when q >= b\nreport answer = q when above\nstop when count(above over steps) >= 1\n"
     + NOISY + "q", "pure", 8.0, None),  # the answer shows the noise of the comparison
    (ONE_SIDED, "pure", 0.9, None),
    (ONE_SIDED, "dp", 0.1, 0.01),
])  # fmt: skip
def test_false_claims_are_refuted(body: str, notion: str, epsilon: float, delta: float | None) -> None:
    witness = refute(program(body), notion, epsilon, delta=delta)
    assert witness is not None
    if notion == "pure":
        assert witness.loss > epsilon
    else:
        assert witness.p - exp(epsilon) * witness.q > delta


@pytest.mark.parametrize("body, notion, epsilon, delta, order", [
    (ONE_SIDED, "pure", 1.0, None, None),
    (ONE_SIDED, "dp", 1.0, 1e-9, None),
    (TWO_SIDED, "pure", 2.0, None, None),
    (ONE_SIDED, "rdp", 1.0, None, 8.0),  # pure 1 implies it
    (ONE_SIDED, "zcdp", 0.5, None, None),
])  # fmt: skip
def test_true_claims_are_not_refuted(
    body: str, notion: str, epsilon: float, delta: float | None, order: float | None
) -> None:
    assert refute(program(body), notion, epsilon, delta=delta, order=order) is None


def test_renyi_of_a_gaussian_release_is_below_its_own() -> None:
    made = program("dataset x in [0, 1] size 1\nstatistic t = sum(x)\nstop return t\nattach gaussian(2) to t")
    assert refute(made, "rdp", 2 / (2 * 4), order=2.0) is None  # order / (2 sd^2)
    found = refute(made, "rdp", 0.1 * 2 / (2 * 4), order=2.0)
    assert found is not None
    assert renyi(found, 2.0) > 0.025


def test_a_witness_is_recomputed_from_what_it_says() -> None:
    made = program(ONE_SIDED)
    streams = ((0.0,) + (1.0,) * 12, (1.0,) * 13)
    witness = confirmed(Follower(made), streams, Event(not_by=13), "", FINEST)
    assert witness is not None
    assert witness.loss == pytest.approx(0.994935, abs=1e-6)  # theory: .99 is reached at horizon 13


def test_excess_rounds_down() -> None:
    witness = Witness(streams=((), ()), event=Event(), p=0.5, q=0.1, loss=1.6, p_error=0.01, q_error=0.01)
    assert excess(witness, 1.0) <= 0.49 - exp(1) * 0.11
    assert excess(Witness(streams=((), ()), event=Event(), p=0.5, q=0.0, loss=inf), 800.0) == 0.5


@pytest.mark.parametrize("body, loss", [
    ("stream x in {0, 1}\nstop return x\nattach randomized_response(0.75) to x", log(3)),
    ("dataset q in real size 5\nadjacent every q within 1\nstop return max(q)\nattach laplace(2) to q", 2.5),
    ("dataset q in real size 5\nadjacent every q within 1\nstop return argmax(q)\nattach laplace(2) to q", 1.0),
    ("dataset h in real size 5\nadjacent one h within 1\nstop return h\nattach laplace(1) to h", 1.0),
    ("dataset q in real size 5\nadjacent every q within 1\ndraw r ~ {i: exp(q[i] / 2) for i in records}\nstop return r",
     1.0),
    ("dataset x in [0, 1] size 1\nadjacent one x within 1\nreport y = x[1]\nstop when step >= 20\n"
     "attach laplace(1) to y", 20.0),
])  # fmt: skip
def test_releases_and_choices(body: str, loss: float) -> None:
    witness = lower_bound(program(body))
    assert witness is not None
    assert 0.9 * loss <= witness.loss <= loss * (1 + 1e-9)
