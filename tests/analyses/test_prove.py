"""The bounds that `prove` finds for published and tight tests, from text to number and formula."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
from thorough import several

from seqlang.analyses.prove import prove, size_of
from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.proof.replay import replay
from seqlang.source import Source
from seqlang.syntax import parse

SUM = """algorithm t
param D > 0 = 1
param lz > 0 = 1
param lw > 0 = 1
param b = 10
param c in 1.. = 3
stream x in [0, D]
"""
QUERIES = """algorithm t
param D > 0 = 1
param lz > 0 = 1
param lw > 0 = 1
param la > 0 = 1
param b = 10
param c in 1.. = 3
stream q in real
adjacent every q within D
"""
THRESHOLD = "attach laplace(lz) to b once\nattach laplace(lw) to s\n"
REPORTS = "report high when s >= b\nstop when count(high over steps) >= c\n"


def program(text: str, **values: object) -> Program:
    tree, found = parse(Source("<test>", text))
    assert tree is not None, found
    made, found = elaborate(tree, {name: Fraction(str(value)) for name, value in values.items()})
    assert made is not None, found
    return made


def pure(text: str, **values: object) -> float:
    made = program(text, **values)
    found = prove(made).pure
    return inf if found is None else size_of(made, found)


ONE_SIDED = SUM + "statistic s = sum(x over steps)\nstop when s >= b\n" + THRESHOLD
TWO_SIDED = (
    SUM.replace("[0, D]", "[-D / 2, D / 2]").replace("param b = 10", "param b = 10\nparam a = -10")
    + "statistic s = sum(x over steps)\nstop when s >= b return high\nstop when s <= a return low\n"
    + "attach laplace(lz) to a, b once\nattach laplace(lw) to a, b\n"
)
OUTSIDE = (
    QUERIES.replace("param b = 10", "param b = 10\nparam a = -10")
    + "stop when q >= b return high\nstop when q <= a return low\ndraw z ~ laplace(lz) once\n"
    + "attach z to b\nattach -z to a\nattach laplace(lw) to q\n"
)
PARALLEL = OUTSIDE.replace("attach -z to a", "attach z to a")
CUSUM = SUM + "statistic s = max(0, previous(s, 0) + x - 3 / 5)\nstop when s >= b\n" + THRESHOLD
WINDOW = SUM + "statistic s = sum(x over last 20)\nstop when s >= b\n" + THRESHOLD
KEPT = SUM + "statistic s = sum(x over steps)\n" + REPORTS + THRESHOLD
REFRESHED = KEPT.replace("once", "each high")
RESTARTED = REFRESHED.replace("over steps)\nreport", "since high)\nreport")
SPARSE = QUERIES + "statistic s = q\n" + REPORTS + THRESHOLD
SPARSE_REFRESHED = SPARSE.replace("once", "each high")
MONOTONE = SPARSE.replace("within D", "within D same direction")
NUMERIC = SPARSE.replace("stop", "report answer = q when high\nstop") + "attach laplace(la) to answer\n"
NUMERIC_MONOTONE = NUMERIC.replace("within D", "within D same direction")

TABLE = {
    "one-sided": (ONE_SIDED, lambda z, w, c: max(z, w)),
    "two-sided": (TWO_SIDED, lambda z, w, c: z + w),
    "outside interval": (OUTSIDE, lambda z, w, c: z + 2 * w),
    "parallel": (PARALLEL, lambda z, w, c: inf),
    "cusum": (CUSUM, lambda z, w, c: z + w),
    "window": (WINDOW, lambda z, w, c: z + w),
    "kept": (KEPT, lambda z, w, c: max(z + (c - 1) * w, c * w)),
    "refreshed": (REFRESHED, lambda z, w, c: max(c * z, w + (c - 1) * min(z, w))),
    "restarted": (RESTARTED, lambda z, w, c: max(z, w)),
    "sparse vector": (SPARSE, lambda z, w, c: z + 2 * c * w),
    "sparse vector, refreshed": (SPARSE_REFRESHED, lambda z, w, c: c * (z + 2 * w)),
    "monotone": (MONOTONE, lambda z, w, c: z + c * w),
    "numeric (la = 1)": (NUMERIC, lambda z, w, c: z + 2 * c * w + c),
    # queries that rise cost the threshold and a look or an answer, queries that fall a look and an answer
    "numeric, monotone (la = 1)": (NUMERIC_MONOTONE, lambda z, w, c: max(z + c * max(w, 1), c * (w + 1))),
    "no query noise": (ONE_SIDED.replace("attach laplace(lw) to s\n", ""), lambda z, w, c: inf),
    "no threshold noise": (ONE_SIDED.replace("attach laplace(lz) to b once\n", ""), lambda z, w, c: inf),
    "no cut-off": (SPARSE.replace("stop when count(high over steps) >= c\n", ""), lambda z, w, c: inf),
    "no noise": (ONE_SIDED.replace(THRESHOLD, ""), lambda z, w, c: inf),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    text, expected = TABLE[name]
    for lz, lw, c in ((2, 1, 4), (3.7, 0.9, 1), (1, 4, 4), (1, 1, 1))[: several(2, 4)]:
        wanted = expected(1 / lz, 1 / lw, c)
        assert pure(text, D=1, lz=lz, lw=lw, c=c) == pytest.approx(wanted, rel=1e-9), (lz, lw, c)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (ONE_SIDED, "max(D/lz, D/lw)"),
        (TWO_SIDED, "D/lz + D/lw"),
        (OUTSIDE, "D/lz + 2*D/lw"),
        (KEPT, "max(D/lz + (c - 1)*D/lw, c*D/lw)"),
    ],
)
def test_formulas(text: str, formula: str) -> None:
    found = prove(program(text)).pure
    assert found is not None
    assert str(found.conclusion.epsilon) == formula


def test_the_number_is_rounded_up() -> None:
    made = program(ONE_SIDED, lz="3.7", lw="0.9")
    found = prove(made).pure
    assert found is not None
    assert Fraction(size_of(made, found)) >= Fraction(10, 9)


@pytest.mark.parametrize("limit", ["step >= 5", "step > 4", "step == 5", "5 <= step", "s >= 99 or step >= 5"])
def test_a_horizon_limits_reports(limit: str) -> None:
    """Five looks, each of one query: D/lw each is less than D/lz + 2 * 5 D/lw."""
    text = SPARSE.replace("count(high over steps) >= c", limit.replace("s >= 99 or ", ""))
    assert pure(text) == pytest.approx(5)


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ("count(high over steps) >= 4", 4),
        ("count(high over steps) > 4", 5),
        ("4 <= count(high over steps)", 4),
        ("sum(1 where high over steps) >= 4", 4),
        ("high", 1),
        ("count(high over steps) >= 4 or step >= 3", 3),
        ("count(high over steps) >= 4 and step >= 3", inf),
        ("count(not high over steps) >= 4", 4),  # that nothing is reported is then the event
    ],
)
def test_how_often_a_report_is_made(limit: str, most: float) -> None:
    looks = 3 if "or step >= 3" in limit else inf
    assert pure(SPARSE.replace("count(high over steps) >= c", limit)) == pytest.approx(min(1 + 2 * most, looks))


def test_independent_tests_are_cheaper_together_or_apart() -> None:
    """Two limits of their own: together every decision would be charged at the dearer rate."""
    text = QUERIES + (
        "param d = 10\nstream p in real\n".replace("stream p in real\n", "")
        + "statistic s = q\nstatistic r = q\nreport high when s >= b\nreport low when r <= d\n"
        "stop when count(high over steps) >= c\nstop when count(low over steps) >= 1\n"
        "attach laplace(lz) to b, d once\nattach laplace(lw) to s\nattach laplace(8 * lw) to r\n"
    )
    # one look of `high` costs 2, of `low` 1/4; three and one of them
    assert pure(text) <= 2 + 3 * 2 + 1 / 4 + 1e-9


def test_everything_returned_replays() -> None:
    made = program(NUMERIC)
    found = prove(made)
    everything = [d for d in (found.pure, found.zcdp, found.dp, *found.rdp, *found.alternatives) if d is not None]
    assert len(everything) > 5
    assert all(replay(made, derivation) == () for derivation in everything)


def test_other_notions_follow() -> None:
    made = program(ONE_SIDED)
    found = prove(made, delta=Fraction(1, 1000), orders=(Fraction(2), Fraction(3)))
    assert found.zcdp is not None
    assert size_of(made, found.zcdp) == pytest.approx(1 / 2)
    assert [d.conclusion.order for d in found.rdp] == [2.0, 3.0]
    assert found.dp is not None
    assert size_of(made, found.dp) <= 1


def test_open_goals_name_the_gates() -> None:
    found = prove(program(PARALLEL))
    assert found.pure is None
    (goal,) = found.open_goals
    assert goal.startswith("stop 1, stop 2: ")
