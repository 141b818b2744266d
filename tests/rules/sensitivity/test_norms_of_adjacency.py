"""`within r in l2`: the norm of a radius, in the derivation of sensitivities, among neighbours, and in reports.

The oracle is the dual norm: over all moves d with |d|_p <= r, <v, d> is at most r |v|_q, 1/p + 1/q = 1; numpy draws
moves from each ball, and none of them may exceed what is derived.
"""

from __future__ import annotations

import math
from itertools import islice
from random import Random

import numpy as np
import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.refute import lower_bound
from seqlang.analyses.trials.pairs import pairs_of
from seqlang.analyses.witnesses.neighbours import are_neighbours
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.driver.contradicted import Contradicted
from seqlang.model.program import Program, Within
from seqlang.report.words import adjacency_words
from seqlang.rules.gates.radius import apart, radius_of
from seqlang.rules.sensitivity.motion import spreads
from seqlang.rules.sensitivity.motion.entry import Norms
from seqlang.source import Source

D, R = 4, 0.5
ORDERS = {"l1": 1.0, "l2": 2.0, "linf": math.inf}


def program(text: str) -> Program:
    return driver.load(Source("norms.seq", f'algorithm norms "norms"\n{text}\n')).program


def with_statistic(norm: str, statistic: str) -> Program:
    return program(
        f"stream x in [-1, 1] ^ {D}\nadjacent every x within {R} in {norm}\nstatistic s = {statistic}\n"
        "report r = s\nattach laplace(1) to s\nstop when step >= 1"
    )


def value(given: Program) -> object:
    return next(gate.value for gate in given.gates if gate.name == "r")


def number_of(formula: Formula) -> float:
    return enclose(formula, {}).high


def moves(norm: str, count: int = 4000) -> np.ndarray:
    """Moves on the sphere of radius R: corners, axes and random directions."""
    draws = np.random.default_rng(7).normal(size=(count, D))
    draws = np.vstack([draws, np.sign(draws), np.eye(D), -np.eye(D)])
    return draws * (R / np.linalg.norm(draws, ORDERS[norm], axis=1, keepdims=True))


SUPREMA = {
    "sum(x)": {"l1": R, "l2": 2 * R, "linf": 4 * R},
    "dot(x, [3, 4, 0, 0])": {"l1": 5 * R, "l2": 5 * R, "linf": 10 * R},
    "norm(x)": {"l1": R, "l2": R, "linf": 2 * R},
    "max(x)": {"l1": R, "l2": R, "linf": R},
    "x[2] * 3": {"l1": 3 * R, "l2": 3 * R, "linf": 3 * R},
    "mean(x)": {"l1": R / 4, "l2": R / 2, "linf": R},
}
FUNCTIONS = {
    "sum(x)": lambda d: abs(d.sum(axis=1)).max(),
    "dot(x, [3, 4, 0, 0])": lambda d: abs(3 * d[:, 0] + 4 * d[:, 1]).max(),
    "norm(x)": lambda d: np.linalg.norm(d, axis=1).max(),
    "max(x)": lambda d: abs(d).max(),
    "x[2] * 3": lambda d: 3 * abs(d[:, 1]).max(),
    "mean(x)": lambda d: abs(d.mean(axis=1)).max(),
}


@pytest.mark.parametrize("norm", ORDERS)
@pytest.mark.parametrize("statistic", SUPREMA)
def test_numbers_of_a_vector(statistic: str, norm: str) -> None:
    given = with_statistic(norm, statistic)
    found = radius_of(given, value(given), "abs")
    assert not isinstance(found, str), found
    derived = number_of(found[0])
    assert derived == pytest.approx(SUPREMA[statistic][norm], rel=1e-12)
    observed = FUNCTIONS[statistic](moves(norm))
    assert observed <= derived * (1 + 1e-12)
    assert observed >= derived * 0.69  # Cauchy and Schwarz allow 5 R for 4 R in l1, 10 R for 7 R in linf


@pytest.mark.parametrize("norm", ORDERS)
def test_norms_of_the_vector_itself(norm: str) -> None:
    given, drawn = with_statistic(norm, "2 * x"), 2 * moves(norm)
    for wanted, order in ORDERS.items():
        found = radius_of(given, value(given), wanted)
        assert not isinstance(found, str), found
        derived, observed = number_of(found[0]), np.linalg.norm(drawn, order, axis=1).max()
        assert observed <= derived * (1 + 1e-12)
        assert observed == pytest.approx(derived, rel=1e-9)
    far = apart(given, value(given))
    assert not isinstance(far, str), far
    bound, most = number_of(far[0]), (drawn.max(axis=1) - drawn.min(axis=1)).max()
    assert most <= bound * (1 + 1e-12)
    assert bound == pytest.approx({"l1": 2 * R, "l2": 2 * R * math.sqrt(2), "linf": 4 * R}[norm], rel=1e-12)


@pytest.mark.parametrize(
    ("declared", "norm"),
    [
        ("stream x in ball(1, 2)\nadjacent one x within 1", "l2"),
        ("stream x in ball(1, 2)\nadjacent one x within 1 in linf", "linf"),
        ("dataset x in ball(1, 2) size 3\nadjacent every x within 1 in l1", "l1"),
        ("stream x in [0, 1] ^ 2\nadjacent one x within 1", "linf"),
        ("stream x in [0, 1]\nadjacent one x within 1 in l1", "linf"),  # a number: every norm is the same
    ],
)
def test_which_norm_is_meant(declared: str, norm: str) -> None:
    adjacency = program(f"{declared}\nstop when step >= 1").adjacency
    assert isinstance(adjacency, Within)
    assert adjacency.norm == norm


BALL = "stream x in ball(1, 2)\nadjacent {} x within 0.5 {}\nstop when step >= 2"


@pytest.mark.parametrize(
    ("extent", "norm", "second", "wanted"),
    [
        ("one", "", ((0.3, 0.4), (0, 0)), True),
        ("one", "", ((0.5, 0.1), (0, 0)), False),
        ("one", "in linf", ((0.5, 0.5), (0, 0)), True),
        ("one", "in l1", ((0.3, 0.4), (0, 0)), False),
        ("one", "in l1", ((0.3, -0.2), (0, 0)), True),
        ("one", "", ((0.3, 0.4), (0.1, 0)), False),
        ("every", "", ((0.3, 0.4), (-0.4, 0.3)), True),  # each entry has a radius of its own
        ("every", "in l2 same direction", ((0.3, 0.4), (-0.4, 0.3)), False),
        ("every", "in l2 same direction", ((0.3, 0.4), (0.4, 0.3)), True),
    ],
)
def test_who_is_a_neighbour(extent: str, norm: str, second: tuple[object, ...], wanted: bool) -> None:
    given = program(BALL.format(extent, norm))
    assert are_neighbours(given, ((0, 0), (0, 0)), second) is wanted


@pytest.mark.parametrize("norm", ["", "in l1", "in l2 same direction", "in linf"])
def test_tried_pairs_are_neighbours(norm: str) -> None:
    """What the trials of sensitivities draw lies in the ball and moves no farther than the adjacency allows."""
    given = program(BALL.format("every", norm))
    for pair in islice(pairs_of(given, Random(3)), 40):
        rows = [tuple(row["x"] for row in side) for side in pair.entries]
        assert all(math.hypot(*x) <= 1 + 1e-9 for side in rows for x in side)
        assert are_neighbours(given, *rows)


def test_a_witness_for_vectors_of_records() -> None:
    """Laplace noise of scale 1 on the sum of d coordinates of a vector that moves by 1 in l2: the loss is sqrt(d)."""
    given = program(
        "dataset x in ball(4, 9) size 3\nadjacent one x within 1\nstatistic s = sum(sum(x[i]) for i in records)\n"
        "attach laplace(1) to s\nstop return s"
    )
    bound, witness = prove(given).pure, lower_bound(given)
    assert bound is not None
    assert size_of(given, bound) == pytest.approx(3, rel=1e-12)
    assert witness is not None
    assert 2.97 < witness.loss <= 3 + 1e-9


def test_what_other_fields_may_do() -> None:
    """A private field that the adjacency does not measure becomes anything: the bound counts its whole range."""
    given = program(
        "stream x in ball(1, 2), y in [0, 7]\nadjacent one x within 0.5\nstatistic s = sum(x[1] + y over steps)\n"
        "report r = s\nattach laplace(1) to s\nstop when step >= 1"
    )
    found = radius_of(given, value(given), "abs")
    assert not isinstance(found, str), found
    assert number_of(found[0]) == pytest.approx(7.5)
    assert "in l2 norm at one entry; y may become anything in that entry" in adjacency_words(given)[1]
    rows = [({"x": (0.0, 0.0), "y": 0},), ({"x": (0.0, 0.5), "y": 7},), ({"x": (0.0, 0.6), "y": 0},)]
    assert are_neighbours(given, rows[0], rows[1])
    assert not are_neighbours(given, rows[0], rows[2])


def test_a_wrong_norm_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """A derivation that takes a radius in l2 for one in l1 is contradicted by what neighbours are seen to do."""
    text = "algorithm wrong\nstream x in ball(1, 3)\nadjacent one x within 1\nstatistic s = sum(sum(x) over steps)\n"
    text += "report r = s when step == 2\nattach laplace(1) to s\nstop when step >= 2\n"
    driver.check(driver.load(Source("right.seq", text)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spreads, "_in_norm", lambda facts, norm, radius, size: Norms(radius, radius, radius))
    with pytest.raises(Contradicted):
        driver.check(driver.load(Source("wrong.seq", text)))
