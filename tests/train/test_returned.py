"""Scores of what a run returns, its twin without noise, and the intervals of the scores."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import seqlang
from seqlang.cli.__main__ import main
from seqlang.results.train import spread

ERM = ("batch_erm_output", "batch_erm_objective")


def rows(count: int, d: int, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, d))
    x /= np.linalg.norm(x, axis=1)[:, None] * (1 + random.random(count)[:, None])
    return {"x": x, "y": np.where(x[:, 0] - x[:, 1] + 0.1 * random.normal(size=count) > 0, 1.0, -1.0)}


@pytest.mark.parametrize("svm", [0, 1])
@pytest.mark.parametrize("name", ERM)
def test_batch_erm_is_scored_beside_its_twin(name: str, svm: int) -> None:
    data, test = rows(300, 3, 1), rows(200, 3, 2)
    spec = seqlang.load(f"@bittner2020/{name}", d=3, n=300, eps=2, svm=svm)
    private, plain = seqlang.train(spec, data, test=test, permutations=6, twin=True)
    assert private.predict == "dot(return, x) > 0"
    for result in (private, plain):
        assert result.run.returned.shape == (3, 6)
        for i in range(6):
            said = test["x"] @ result.run.returned[:, i] > 0
            assert result.run.scores.accuracy[-1, i] == pytest.approx(((test["y"] > 0) == said).mean())
    assert plain.run.returned == pytest.approx(np.repeat(plain.run.returned[:, :1], 6, axis=1), abs=2e-3)
    apart = private.run.returned - plain.run.returned
    assert (np.abs(apart).max(axis=0) > 1e-3).all()  # noise of its own in every run
    assert len({tuple(v) for v in apart.T}) == 6
    assert plain.metrics["accuracy"]["mean"] > 0.9
    strong = seqlang.train(seqlang.load(f"@bittner2020/{name}", d=3, n=300, eps=1e7, svm=svm), data, test=test)[0]
    assert strong.metrics["accuracy"]["mean"] == pytest.approx(plain.metrics["accuracy"]["mean"], abs=0.011)


def test_the_twin_of_a_drawn_noise_has_none() -> None:
    """v minimises |v|^2 / 2 - v.m + z.v, so v = m - z."""
    text = """algorithm drawn
param d in 1.. = 2
dataset x in ball(1, d) size 4
draw z ~ l2_laplace(0.1, dim = d)
draw u ~ laplace(5) once
draw sign ~ uniform({-1, 1})
statistic w = argmin(dot(v, v) / 2 - mean(dot(v, x[i]) for i in records) + dot(z, v) for v in real ^ d)
stop return w + u * zeros(d) + sign * zeros(d)
"""
    data = {"x": np.array([[1.0, 0], [0, 1], [0.5, 0.5], [-0.5, 0]])}
    private, plain = seqlang.train(text, data, twin=True, permutations=50)
    assert plain.run.returned == pytest.approx(np.repeat([[0.25], [0.375]], 50, axis=1), abs=1e-6)
    noise = np.linalg.norm(private.run.returned - np.array([[0.25], [0.375]]), axis=0)
    assert noise.mean() == pytest.approx(0.2, abs=5 * noise.std() / math.sqrt(50))  # Gamma(2, 0.1)
    lone = text.replace("draw z ~ l2_laplace(0.1, dim = d)\n", "let z = zeros(d)\n").replace(
        "draw u ~ laplace(5) once\n", "let u = 0\n"
    )
    assert len(seqlang.train(lone, data, twin=True)) == 1  # signs are not noise


def test_a_number_that_is_returned() -> None:
    """SERM returns a threshold classifier."""
    random = np.random.default_rng(4)
    u = random.random(400)
    data = {"u": u, "y": ((u > 0.5) ^ (random.random(400) < 0.05)).astype(float)}
    result = seqlang.train("@wang2020/serm", data, test=data, predict="u >= return", permutations=4)[0]
    for i in range(4):
        expected = ((data["u"] >= result.run.returned[i]) == (data["y"] > 0)).mean()
        assert result.run.scores.accuracy[0, i] == pytest.approx(expected)
    spec = seqlang.load("@bittner2020/flmb", d=5, n=200, L=10)
    given = {"test": rows(50, 5, 6), "permutations": 3}
    memory = seqlang.train(spec, rows(200, 5, 5), **given)[0]
    returned = seqlang.train(spec, rows(200, 5, 5), **given, predict="dot(return, x) > 0")[0]
    assert memory.predict == "dot(w, x) > 0"
    assert (returned.run.returned == memory.run.memories["w"][-1]).all()
    assert returned.metrics == memory.metrics


def test_what_has_not_been_returned_is_not_scored() -> None:
    data = rows(30, 3, 1)
    spec = seqlang.load("@bittner2020/flmb", d=3, n=100)  # the rows end first
    result = seqlang.train(spec, data, test=data, predict="dot(return, x) > 0", permutations=2)[0]
    assert result.metrics["accuracy"] == {"mean": None, "sd": None, "se": None, "ci95": None, "n": 0}
    assert "nothing is scored" in " ".join(str(result).split())
    json.dumps(result.to_dict(), allow_nan=False)


REFUSED = {
    "checkpoints": ("@bittner2020/flmb", ("--predict", "dot(return, x) > 0", "--checkpoints", "5"), "E0601"),
    "a label": ("@wald1945/sprt", ("--predict", "x > return", "--truth", "x > 0"), "E0628"),
    "truth": ("@bittner2020/flmb", ("--truth", "dot(return, x) > 0"), "E0628"),
    "another record": ("@bittner2020/batch_erm_output", ("--truth", "y[2] > 0"), "E0301"),
    "all records": (
        "@bittner2020/batch_erm_output", ("--predict", "sum(dot(return, x[i]) for i in records) > 0"), "E0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, options, code = REFUSED[case]
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y,x\n" + "0.1,0.2,1,1\n" * 5)
    given = ["--column", "x=x"] if "sprt" in name else ["--column", "x=a,b", "--set", "d=2", "--set", "n=5"]
    assert main(["run", name, *given, "--data", str(path), "--test", str(path), *options]) == 2
    seen = capsys.readouterr()
    assert f"error[{code}" in seen.err
    assert "Traceback" not in seen.err


def test_intervals_are_students_and_stay_in_range() -> None:
    """t(0.975; 2) = 4.302653, t(0.975; 9) = 2.262157 (Student's table)."""
    three = spread([0.9, 1.0, 0.95], (0, 1))
    assert (three["n"], three["mean"], three["sd"]) == (3, pytest.approx(0.95), pytest.approx(0.05))
    half = 4.302653 * 0.05 / math.sqrt(3)
    assert three["ci95"] == pytest.approx([0.95 - half, 1.0])  # 1.074 is cut
    assert spread([0.9, 1.0, 0.95])["ci95"] == pytest.approx([0.95 - half, 0.95 + half])
    assert spread([-0.9, -1.0], (-1, 1))["ci95"][0] == -1
    ten = spread([i / 100 for i in range(45, 55)], (0, 1))
    assert ten["ci95"] == pytest.approx([0.495 - 2.262157 * 0.0302765 / math.sqrt(10), 0.5166586], abs=1e-6)
    assert spread([math.nan, 0.5], (0, 1)) == {"mean": 0.5, "sd": None, "se": None, "ci95": None, "n": 1}


def test_the_report_says_what_the_intervals_are() -> None:
    result = seqlang.train(
        seqlang.load("@bittner2020/batch_erm_output", d=3, n=60, eps=1),
        rows(60, 3, 1),
        test=rows(9, 3, 2),
        permutations=3,
    )[0]
    for value in result.metrics.values():
        assert -1 <= value["ci95"][0] <= value["mean"] <= value["ci95"][1] <= 1
    assert "Student's t for the mean of 3 orders, 2 degrees of freedom" in " ".join(str(result).split())
