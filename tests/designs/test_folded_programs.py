"""Universal programs of hypotheses that are mirror images: half of the variables, and the same least cost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from seqlang.designs.bounds import universal
from seqlang.designs.bounds.folded import folded
from seqlang.designs.bounds.universal import Program, universal_bound
from seqlang.designs.find import find
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request import problem_of

FIVE = Fraction(1, 20)


def asked(null: str, alternative: str, privacy: str) -> Problem:
    return problem_of(f"x ~ bernoulli({null})", f"x ~ bernoulli({alternative})", FIVE, FIVE, privacy, "average", True)


def least(program: Program) -> float:
    """By the simplex method."""
    ends = [(0.0, None) if most else (0.0, 0.0) for most in program.most]
    found = linprog(program.costs, program.limits, program.right, program.flow, program.ones, ends, method="highs-ds")
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize("privacy", ["pure(1)", "dp(1, 1e-2)", "zcdp(0.5)"])
@pytest.mark.parametrize("horizon", [1, 2, 5, 8])
def test_the_half_has_the_least_cost_of_the_whole(privacy: str, horizon: int, monkeypatch: pytest.MonkeyPatch) -> None:
    halves: list[tuple[Program, Program]] = []
    fold = Program.folded

    def noted(program: Program, places: np.ndarray) -> Program:
        half = fold(program, places)
        halves.append((program, half))
        return half

    monkeypatch.setattr(Program, "folded", noted)
    bound = universal_bound(asked("0.3", "0.7", privacy), horizon)
    ((whole, half),) = halves
    assert len(half.costs) <= 0.67 * len(whole.costs) and half.limits.shape[0] <= 0.51 * whole.limits.shape[0]
    assert least(half) == pytest.approx(least(whole), abs=1e-8)
    assert bound is not None and bound - 1 <= least(whole) + 1e-12
    assert bound - 1 == pytest.approx(least(whole), abs=1e-6)
    halves.clear()
    universal_bound(asked("0.3", "0.71", privacy), horizon)
    ((whole, half),) = halves
    assert half is whole  # no mirror image


def test_rows_that_are_no_mirror_image_or_cancel_are_left_as_they_are() -> None:
    swap = np.array([1, 0])
    rows, right = csr_matrix(np.array([[1.0, 2.0], [2.0, 1.0]])), np.array([3.0, 3.0])
    found = folded((rows, right), swap, limits=True)
    assert found is not None and found[0].toarray().tolist() == [[3.0]] and found[1].tolist() == [3.0]
    assert folded((rows, np.array([3.0, 4.0])), swap, limits=True) is None
    cancels = csr_matrix(np.array([[3.0, -1.0], [-1.0, 3.0]]))
    assert folded((cancels, right), swap, limits=True) is None
    idle = folded((csr_matrix(np.array([[1.0, -3.0], [-3.0, 1.0]])), np.zeros(2)), swap, limits=True)
    assert idle is not None and idle[0].shape[0] == 0


def test_the_bound_that_is_printed_and_what_it_is_on() -> None:
    """0.3 against 0.7, pure(1): the program of 60 entries is published with 13.16; one of 30 gives 12.86."""
    found = find(asked("0.3", "0.7", "pure(1)"), verify=False)
    by = {bound.by: bound.value for bound in found.lower_bounds}
    assert by["universal program of 60 entries"] == pytest.approx(13.16, rel=1e-3)
    assert max(by.values()) == by["universal program of 60 entries"]
    text = " ".join(str(found).split())
    assert "lower bounds on the mean of the expected entries under both hypotheses" in text
    assert "whose output is pure(1) where one entry is replaced" in text
    assert universal.why_none(asked("0.3", "0.7", "none"))
