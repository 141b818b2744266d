"""Objective perturbation: the bound by hand, each condition of the rule, and exact densities in one dimension."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, log

import numpy as np
import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of
from seqlang.model.program import Program
from seqlang.proof.derivation import PureBound
from seqlang.proof.replay import replay
from seqlang.record import replace
from seqlang.rules.mechanism import objective_perturbation

LOSS = "log(1 + exp(-(y[i] * dot(v, x[i]))))"
HUBER = """(if y[i] * dot(v, x[i]) > 1 + h then 0 else if y[i] * dot(v, x[i]) < 1 - h then 1 - y[i] * dot(v, x[i])
 else (1 + h - y[i] * dot(v, x[i])) ^ 2 / (4 * h))""".replace("\n", "")
DATA = "dataset x in ball(1, d), y in {-1, 1} size n"
NOISE = "draw z ~ l2_laplace(b, dim = d)"
STOP = "stop return w"


def program(
    objective: str, data: str = DATA, noise: str = NOISE, more: str = "", stop: str = STOP, domain: str = "real ^ d"
) -> Program:
    text = "\n".join((
        "algorithm t", "param d in 1.. = 2", "param n in 1.. = 4", "param m > 0 = 0.5", "param b > 0 = 2",
        "param h in (0, 1] = 0.5", data, noise, more, f"statistic w = argmin({objective} for v in {domain})", stop,
    ))  # fmt: skip
    return elaborated(text)


def pure(made: Program) -> float:
    found = prove(made).pure
    return inf if found is None else size_of(made, found)


def objective(
    loss: str = LOSS, fold: str = "mean", ridge: str = "m / 2 * dot(v, v)", tilt: str = "dot(z, v) / n"
) -> str:
    return f"{fold}({loss} for i in records) + {ridge} + {tilt}"


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        # 2 / b for the noise, log(1 + 1 / (4 n m)) for the volume: n m = 2
        (objective(), 2 / 2 + log(1 + 1 / 8)),
        (objective(fold="sum", ridge="n * m / 2 * dot(v, v)", tilt="dot(v, z)"), 2 / 2 + log(1 + 1 / 8)),
        (objective(tilt="-3 * dot(z, v) / n"), 2 / 6 + log(1 + 1 / 8)),
        # Huber's hinge bends by 1 / (2 h) = 1 at most
        (objective(HUBER), 1 + log(1 + 1 / 2)),
        # a linear loss bends nowhere
        (objective("dot(v, x[i])"), 1.0),
        # two margins of a record: rank 2, each bent by at most 1/4
        (objective(f"({LOSS} + log(1 + exp(dot(v, [1, 0]) * y[i]))) / 2"), 1 + 2 * log(1 + 1 / 8)),
        # something public and convex changes nothing
        (objective() + " + log(1 + exp(v[1]))", 1 + log(1 + 1 / 8)),
    ],
)
def test_by_hand(what: str, expected: float) -> None:
    assert pure(program(what)) == pytest.approx(expected, rel=1e-6)


def test_a_public_function_of_it() -> None:
    assert pure(program(objective(), stop="stop return project(w, ball(1, d))")) == pytest.approx(
        1 + log(9 / 8), rel=1e-6
    )


@pytest.mark.parametrize(
    "made",
    [
        program(objective("max(0, 1 - y[i] * dot(v, x[i]))")),                     # kinks
        program(objective("abs(dot(v, x[i]))")),
        program(objective(), domain="ball(1, d)"),                                  # not one to one on the edge
        program(objective(ridge="norm(v)")),                                        # not strongly convex
        program(objective(ridge="m / 2 * dot(v, v) + norm(v)")),                    # a kink in the public part
        program(objective(ridge="m / 2 * dot(v, v) - dot(v, v)")),                  # concave
        program(objective(f"-{LOSS}")),
        program(objective("(dot(v, x[i]) - y[i]) ^ 2")),                            # steepness without bound
        program(objective(tilt="dot(z, v) * dot(z, v) / n")),
        program(objective(tilt="(dot(z, v) + norm(z)) * y[1] / n")),
        program(objective(tilt="dot(z, v) / n + log(1 + exp(dot(z, v)))")),          # twice
        program(objective(), data=DATA + "\nadjacent add or remove one"),
        program(objective(), data=DATA.replace("ball(1, d)", "real ^ d")),
        program(objective() + " + dot(x[1], v)"),                                   # a record beside the sum
        program(objective(), more="report r = norm(z)"),                            # the noise is shown
        program(objective(f"dot(x[1], x[i]) * {LOSS}")),                            # losses of two records
    ],
)  # fmt: skip
def test_refused(made: Program) -> None:
    assert pure(made) == inf


def test_showing_it_again_costs_again() -> None:
    one = 1 + log(9 / 8)
    assert pure(program(objective(), stop="report r = w\nstop when step >= 3")) == pytest.approx(3 * one, rel=1e-6)
    kept = program(objective(), noise=NOISE + " once", stop="report r = w + step * zeros(d)\nstop when step >= 3")
    assert pure(kept) == inf
    assert pure(program(objective(), data=DATA + "\nadjacent replace 2")) == pytest.approx(2 * one, rel=1e-6)


def test_holds_computes_the_bound_itself() -> None:
    made = program(objective())
    gate = next(g for g in made.gates if g.name == "return 1")
    (found,) = objective_perturbation.SEARCH.suggest(made, gate)
    assert not replay(made, found)
    assert isinstance(found.conclusion, PureBound)
    less = replace(found, conclusion=replace(found.conclusion, epsilon=found.conclusion.epsilon * Fraction(99, 100)))
    assert replay(made, less)


def largest_loss(second: bool, ridge: float, scale: float, n: int) -> float:
    """max over v and neighbouring datasets of |log density ratio| of the minimiser for d = 1, on a grid of records.

    z(v) = -(sum of loss'(x y v) x y + n ridge v); density exp(-|z|/scale) * (n ridge + sum of loss'' (x y)^2).
    """
    v = np.linspace(-12, 12, 4801)

    def part(xy: float) -> tuple[np.ndarray, np.ndarray]:
        if second:
            p = 1 / (1 + np.exp(xy * v))
            return -p * xy, p * (1 - p) * xy * xy
        t, h = xy * v, 0.5
        slope = np.where(t > 1 + h, 0, np.where(t < 1 - h, -1, -(1 + h - t) / (2 * h)))
        return slope * xy, np.where(abs(t - 1) < h, 1 / (2 * h), 0.0) * xy * xy

    values = np.linspace(-1, 1, 9)
    parts = [part(float(x)) for x in values]
    worst = 0.0
    for others in product(range(len(values)), repeat=n - 1):
        densities = []
        for changed in range(len(values)):
            chosen = [parts[i] for i in (*others, changed)]
            z = sum((g for g, _ in chosen), n * ridge * v)
            densities.append(-abs(z) / scale + np.log(n * ridge + sum(h for _, h in chosen)))
        table = np.array(densities)
        worst = max(worst, float((table.max(axis=0) - table.min(axis=0)).max()))
    return worst


@pytest.mark.parametrize(("second", "loss"), [(True, LOSS), (False, HUBER)])
@pytest.mark.parametrize(("ridge", "scale"), [("0.5", "2"), ("0.05", "2"), ("0.05", "20")])
def test_never_below_the_exact_loss(second: bool, loss: str, ridge: str, scale: str) -> None:
    made = program(
        objective(loss, ridge=f"{ridge} / 2 * dot(v, v)", tilt="dot(z, v) / 2"),
        data="let k = 2\ndataset x in ball(1, 1), y in {-1, 1} size k",
        noise=f"draw z ~ l2_laplace({scale}, dim = 1)",
        domain="real ^ 1",
    )
    exact = largest_loss(second, float(ridge), float(scale), 2)
    bound = pure(made)
    assert exact <= bound
    assert exact >= 0.4 * bound  # in one dimension two logistic gradients differ by 1 at most, not by 2
