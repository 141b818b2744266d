"""Enclosures of witnesses' probabilities, against mpmath's integrals of the same events written out by hand."""

from __future__ import annotations

import itertools
from math import exp, log

import mpmath
import pytest

from seqlang.analyses.refute import lower_bound
from seqlang.analyses.witnesses.enclosure.bundle import Bundle, bundled
from seqlang.analyses.witnesses.enclosure.factors import Almost, Part, Piece, Range
from seqlang.analyses.witnesses.enclosure.panels import Integral
from seqlang.analyses.witnesses.enclosure.simplified import simplified
from seqlang.analyses.witnesses.enclosure.tails import Tail, tail_of
from seqlang.analyses.witnesses.recompute import NotEnclosed, enclosed, enclosure
from seqlang.backends.transcript.follow import Follower
from seqlang.driver import load, read
from seqlang.model.program import Program
from seqlang.proof.witness import Event
from seqlang.source import Source

mpmath.mp.dps = 60


def program(text: str) -> Program:
    return load(Source("a.seq", "algorithm a\n" + text)).program


def above(tail: Tail, e: mpmath.mpf) -> mpmath.mpf:
    if tail.family == "gaussian":
        return mpmath.erfc(e / tail.unit / mpmath.sqrt(2)) / 2
    x = e / mpmath.mpf(tail.unit)
    return mpmath.exp(-x) / 2 if x >= 0 else 1 - mpmath.exp(x) / 2


def density(tail: Tail, z: mpmath.mpf) -> mpmath.mpf:
    x = z / mpmath.mpf(tail.unit)
    if tail.family == "laplace":
        return mpmath.exp(-abs(x)) / 2 / tail.unit
    return mpmath.npdf(x) / tail.unit


@pytest.mark.parametrize("low, high", [(-3.0, 4.0), (20.0, 90.0), (-400.0, -380.0), (-90.0, -20.0)])
def test_a_bundle_of_tails_is_what_its_ranges_are(low: float, high: float) -> None:
    """The logarithms of a product of 160 tails, some of them far beyond what a float holds, at 60 digits."""
    tail = Tail("gaussian", 2.5)
    ranges = [Range(tail, ((0.125 * k - 2, -1.0),), (), 1) for k in range(150)]
    ranges += [Range(tail, ((0.25 * k - 2, -1.0),), (), 2 + k % 3) for k in range(9)]
    ranges += [Range(tail, (), ((7.5, 1.0),), 1)]
    (bundle,) = bundled(ranges)
    assert isinstance(bundle, Bundle)
    assert bundle.log_most(low, high) == pytest.approx(sum(one.log_most(low, high) for one in ranges), rel=1e-13)
    pieces = [one.between((low + high) / 2) for one in ranges]
    alone: list[Part | Bundle] = simplified([one for one in pieces if one is not None], low, high)
    together = simplified([bundle], low, high)
    missed = [sum(p.error for p in found if isinstance(p, Almost)) for found in (alone, together)]
    assert missed[1] == pytest.approx(missed[0], rel=1e-12)
    rest = [p for p in alone if isinstance(p, Piece)]
    kept = [p for p in together if isinstance(p, Bundle)]
    assert [len(p) for p in kept] == ([len(rest)] if rest else [])
    for one in kept:
        bound = sum(piece.log_bound(low, high, 3.0) for piece in rest)
        assert one.log_bound(low, high, 3.0) == pytest.approx(bound, rel=1e-13)
        places = [low + (high - low) * k / 15 for k in range(16)]
        values, error = one.logs(places)
        with mpmath.workdps(60):
            for z, value in zip(places, values, strict=True):
                exact = sum(
                    p.times * mpmath.log(above(tail, p.lines[0][0] + p.lines[0][1] * mpmath.mpf(z))) for p in rest
                )
                assert abs(value - exact) <= error
                assert error < 1e-8 * (1 + abs(exact))  # 2e-11 for each tail beyond 25 deviations


OUTER = (Tail("laplace", 1.0), Tail("gaussian", 2.0), Tail("laplace", 0.125))
INNER = (Tail("laplace", 1.0), Tail("gaussian", 1.5), Tail("laplace", 4.0))
SOME_INTEGRALS = {
    *((outer, inner, -3.0) for outer, inner in zip(OUTER, INNER, strict=True)),
    *((outer, inner, 12.0) for outer, inner in zip(OUTER, (*INNER[1:], INNER[0]), strict=True)),
}
"""Each law of the noise that stays, and each of the fresh one, at either end; with `--long` all together."""


@pytest.mark.parametrize(
    ("outer", "inner", "start"),
    [
        pytest.param(*case, marks=() if case in SOME_INTEGRALS else pytest.mark.long)
        for case in itertools.product(OUTER, INNER, (-3.0, 0.0, 2.5, 12.0))
    ],
)
def test_integrals_lie_in_their_enclosures(outer: Tail, inner: Tail, start: float) -> None:
    """P(w1, .., w5 < start + z, then w >= start + 1 + z, and 0 <= w' + z <= 3 twice)."""
    factors = [
        Range(inner, (), ((start, 1.0),), 5),
        Range(inner, ((start + 1, 1.0),), (), 1),
        Range(inner, ((0.0, -1.0),), ((3.0, -1.0),), 2),
    ]
    low, high = Integral(outer, factors, (-float("inf"), float("inf")), 1e7).found()

    def value(z: mpmath.mpf) -> mpmath.mpf:
        both = above(inner, -z) - above(inner, 3 - z)
        return density(outer, z) * (1 - above(inner, start + z)) ** 5 * above(inner, start + 1 + z) * both**2

    u = max(outer.unit, inner.unit)
    cuts = sorted({-60 * u, -20 * u, -5 * u, -start, -start - 1, 0.0, 3.0, 5 * u, 20 * u, 60 * u})
    truth = mpmath.quad(value, cuts, maxdegree=10)
    assert high - low < 1e-8
    assert mpmath.exp(low) * (1 - mpmath.mpf("1e-14")) <= truth <= mpmath.exp(high) * (1 + mpmath.mpf("1e-14"))


ONE_SIDED = """param lz = 1
stream x in [0, 1]
statistic total = sum(x over steps)
stop when total >= 2
attach laplace(lz) to 2 once
attach laplace(3) to total
"""


def test_a_test_with_a_kept_threshold() -> None:
    made = program(ONE_SIDED.replace("to 2 once", "to bar once").replace("param lz = 1", "param lz = 1\nlet bar = 2")
                   .replace(">= 2", ">= bar"))  # fmt: skip
    stream = (1.0, 1.0, 0.5, 0.0)
    low, high = enclosure(Follower(made), stream, Event(stopped_at=4))
    outer, inner = Tail("laplace", 1.0), Tail("laplace", 3.0)

    def value(z: mpmath.mpf) -> mpmath.mpf:
        found = density(outer, z) * above(inner, 2 + z - mpmath.mpf("2.5"))
        for total in ("1", "2", "2.5"):
            found *= 1 - above(inner, 2 + z - mpmath.mpf(total))
        return found

    truth = mpmath.log(mpmath.quad(value, [-80, -20, -1, 0, 0.5, 1, 20, 80], maxdegree=10))
    assert low <= truth + 1e-13
    assert truth <= high + 1e-13
    assert high - low < 1e-9


def test_whole_numbers_are_summed() -> None:
    """A threshold with geometric noise: P(no stop, then stop) over the values of both noises, by direct summation."""
    made = program("""let bar = 2
stream x in {0, 1}
statistic total = sum(x over steps)
stop when total >= bar
attach geometric(0.5) to bar once
attach geometric(0.25) to total
""")
    low, high = enclosure(Follower(made), (1, 1, 0), Event(stopped_at=3))
    span = range(-120, 121)

    def mass(ratio: float, k: int) -> mpmath.mpf:
        r = mpmath.mpf(ratio)
        return (1 - r) / (1 + r) * r ** abs(k)

    def reach(e: int) -> mpmath.mpf:
        return mpmath.fsum(mass(0.25, k) for k in span if k >= e)

    truth = mpmath.fsum(
        mass(0.5, z) * (1 - reach(2 + z - 1)) * (1 - reach(2 + z - 2)) * reach(2 + z - 2) for z in range(-60, 61)
    )
    assert low - 1e-12 <= mpmath.log(truth) <= high + 1e-12
    assert high - low < 1e-9


def test_two_noises_together_are_refused() -> None:
    made = program("""let a = -3
let b = 3
stream x in [-1, 1]
statistic total = sum(x over steps)
stop when total >= b return up
stop when total <= a return down
attach laplace(1) to a, b once
attach laplace(1) to total
""")
    with pytest.raises(NotEnclosed):
        enclosure(Follower(made), (1.0, 1.0), Event(not_by=2))


@pytest.mark.parametrize("raw", [("uniform", 0.0, 1.0), ("laplace", -1.0), None, ("normal", 1.0, 2.0)])
def test_other_laws_are_refused(raw: object) -> None:
    assert tail_of(raw) is None


LIBRARY = ["tight/one_sided", "tight/two_sided", "zhang2022/gen_above_threshold", "tight/blocks"]


@pytest.mark.parametrize("name", LIBRARY)
def test_library_witnesses_are_enclosed(name: str) -> None:
    made = load(read("@" + name)).program
    witness = lower_bound(made)
    assert witness is not None
    assert witness.checked == "enclosed"
    again = enclosed(Follower(made), witness, 1e8)
    assert again is not None
    assert again.loss == pytest.approx(witness.loss, abs=1e-8)
    assert witness.loss <= log((witness.p + witness.p_error) / (witness.q - witness.q_error))
    assert exp(witness.loss) * (witness.q + witness.q_error) <= (witness.p - witness.p_error) * (1 + 1e-11)
