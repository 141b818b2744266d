"""Scores of estimates against exact values, by hand."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import pytest

from seqlang.results.z_scores import return_scores, steps_score

RUN: dict[str, Any] = {
    "runs": 400,
    "unstopped": 0,
    "steps": {"mean": 10.5, "se": 0.2},
    "returns": {"up": {"probability": 0.55}, "down": {"probability": 0.45}},
}
EXACT: dict[str, Any] = {
    "expected_steps": 10.0,
    "expected_steps_error": 1e-9,
    "sd_steps": 5.0,
    "returns": {"up": 0.5, "down": 0.5},
    "returns_error": 1e-12,
    "mass_unresolved": 0.0,
}


def test_by_hand() -> None:
    assert steps_score(RUN, EXACT) == pytest.approx(0.5 / (5 / 20))
    assert return_scores(RUN, EXACT) == {"up": pytest.approx(0.05 / 0.025), "down": pytest.approx(-0.05 / 0.025)}


def test_without_a_finite_variance_the_runs_tell_it() -> None:
    assert steps_score(RUN, {**EXACT, "sd_steps": "inf"}) == pytest.approx(0.5 / 0.2)
    assert steps_score(RUN, {**EXACT, "sd_steps": None}) == pytest.approx(0.5 / 0.2)


def test_where_there_is_no_score() -> None:
    for mean in (None, "inf"):
        assert steps_score(RUN, {**EXACT, "expected_steps": mean}) is None
    cut = {**RUN, "unstopped": 1}
    assert steps_score(cut, EXACT) is None
    assert return_scores(cut, EXACT) == {"up": None, "down": None}


def test_certain_values() -> None:
    """Without variance an estimate is right or infinitely wrong."""
    sure = {**EXACT, "sd_steps": 0.0, "returns": {"up": 1.0}}
    assert steps_score({**RUN, "steps": {"mean": 10.0, "se": 0.0}}, sure) == 0.0
    assert steps_score(RUN, sure) == math.inf
    assert return_scores(RUN, sure) == {"up": -math.inf, "down": math.inf}
    one = {**RUN, "returns": {"up": {"probability": 1.0}, "down": {"probability": 0.0}}}
    assert return_scores(one, sure) == {"up": 0.0, "down": 0.0}


def test_weighted_runs_bring_their_own_error() -> None:
    run = {**RUN, "returns": {"up": {"probability": 3e-15, "se": 1e-17}}}
    exact = {**EXACT, "returns": {"up": 2.98e-15}, "returns_error": 0.0}
    assert return_scores(run, exact) == {"up": pytest.approx(2.0)}


def test_of_few_events_the_score_is_that_of_their_binomial_number() -> None:
    """One event where .066 are expected is no surprise: P(at least one) is .064, half of P(1) counts."""
    run = {"runs": 1_000_000, "unstopped": 0, "returns": {"a": {"probability": 1e-6}, "b": {"probability": 0.999999}}}
    exact = {"returns": {"a": 6.6e-8, "b": 1 - 6.6e-8}, "returns_error": 0.0, "mass_unresolved": 0.0}
    scores = return_scores(run, exact)
    zero = math.exp(-0.066)
    above = 1 - zero - zero * 0.066 / 2
    assert scores["a"] == pytest.approx(NormalDist().inv_cdf(1 - above), abs=1e-3)
    assert scores["b"] == pytest.approx(-scores["a"], abs=1e-3)
