"""Gradients against differences, and minimisers against closed forms, a grid, and another solver's optimum."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import seqlang

module = importlib.import_module("seqlang.backends.interpret.minimising.minimise")

BODIES = {
    "ridge": "mean((dot(v, x[i]) - y[i]) ^ 2 for i in records) + lam / 2 * dot(v, v)",
    "logistic": "mean(log(1 + exp(-y[i] * dot(x[i], v))) for i in records) + lam * norm(v) ^ 2",
    "hinge": "mean(max(0, 1 - y[i] * dot(v, x[i])) for i in records) + lam / 2 * dot(v, v)",
    "huber": "sum(if y[i] * dot(v, x[i]) > 1 then 0 else (1 - y[i] * dot(v, x[i])) ^ 2 for i in records)",
    "parts": "sum(abs(v[1] * y[i] - 0.3) + exp(v[2] / 2) / 3 + sqrt(1 + v[1] ^ 2) for i in records) / 7 - v[1]",
    "distances": "mean(norm(v - x[i]) for i in records) + clip(v[1], -0.1, 0.2) + min(v[2] ^ 2, 4, 2 + v[1] ^ 2)",
    "no slope": "mean((y[i] - v[1]) ^ 2 for i in records) + v[2] ^ 2 + abs(max(v)) / 100",
}


def spec(body: str, domain: str = "real ^ 2") -> str:
    return f"""algorithm erm
param lam > 0 = 0.1
dataset x in ball(1, 2), y in {{-1, 1}} size 40
statistic w = argmin({body} for v in {domain})
stop return w
"""


def data(count: int = 40) -> dict[str, np.ndarray]:
    random = np.random.default_rng(8)
    x = random.uniform(-0.7, 0.7, (count, 2))
    return {"x": x, "y": np.where(x[:, 0] + 0.2 * random.normal(size=count) > 0.1, 1.0, -1.0)}


@pytest.mark.parametrize("name", BODIES)
def test_gradients_are_differences(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver is given, at random places."""
    seen: list[Any] = []

    def spy(function: Any, start: Any, *, jac: Any, **_: Any) -> Any:
        seen.append((function, jac))
        return optimize.OptimizeResult(x=start)

    monkeypatch.setattr(optimize, "minimize", spy)
    seqlang.train(spec(BODIES[name]), data())
    function, jac = seen[0]
    assert (jac == "3-point") == (name == "no slope")
    random = np.random.default_rng(3)
    for v in random.normal(size=(20, 2)):
        if name == "no slope":
            assert np.isfinite(function(v))
            continue
        value, gradient = function(v)
        steps = 1e-6 * np.eye(2)
        central = [(function(v + s)[0] - function(v - s)[0]) / 2e-6 for s in steps]
        assert gradient == pytest.approx(central, abs=1e-5), v
        assert np.isfinite(value)


def found(body: str, domain: str = "real ^ 2") -> np.ndarray:
    return np.asarray(seqlang.train(spec(body, domain), data())[0].run.returned[:, 0])


def test_ridge_in_closed_form() -> None:
    x, y = data()["x"], data()["y"]
    exact = np.linalg.solve(2 * x.T @ x / len(x) + 0.1 * np.eye(2), 2 * x.T @ y / len(x))
    assert found(BODIES["ridge"]) == pytest.approx(exact, abs=1e-6)
    inside = found(BODIES["ridge"], "ball(0.5, 2)")
    assert np.linalg.norm(inside) == pytest.approx(0.5, abs=1e-6)
    angles = np.linspace(0, 2 * np.pi, 200_001)
    circle = 0.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    losses = ((circle @ x.T - y) ** 2).mean(axis=1)
    assert inside == pytest.approx(circle[losses.argmin()], abs=1e-4)


@pytest.mark.parametrize("name", ["hinge", "logistic", "no slope"])
def test_no_point_of_a_fine_grid_is_better(name: str) -> None:
    x, y = data()["x"], data()["y"]
    w = found(BODIES[name])

    def loss(v: np.ndarray) -> np.ndarray:
        margin = y * (v @ x.T)
        if name == "hinge":
            return np.maximum(0, 1 - margin).mean(axis=1) + 0.05 * (v**2).sum(axis=1)
        if name == "logistic":
            return np.log1p(np.exp(-margin)).mean(axis=1) + 0.1 * (v**2).sum(axis=1)
        return ((y - v[:, :1]) ** 2).mean(axis=1) + v[:, 1] ** 2 + np.abs(v.max(axis=1)) / 100

    for width in (3.0, 0.1, 0.001):
        line = np.linspace(-width, width, 201)
        grid = w + np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
        assert loss(w[None])[0] <= loss(grid).min() + 1e-7
