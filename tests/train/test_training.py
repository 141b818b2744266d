"""Training on rows: against a loop written by hand, against the interpreter, and where it must say no."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import seqlang
from seqlang.backends.train import Passes, Training, rows_from_arrays, train
from seqlang.backends.train.scores import Scores, counted
from seqlang.cli.__main__ import main

FLMB = "@bittner2020/flmb"


def rows(count: int, d: int, seed: int = 3) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, d))
    x /= np.linalg.norm(x, axis=1)[:, None] * (1 + random.random(count)[:, None])
    return {"x": x, "y": np.where(x @ random.normal(size=d) > 0, 1.0, -1.0)}


def flmb_by_hand(x, y, tau: float, size: int, eta: float, lam: float) -> tuple[np.ndarray, list[int]]:
    """Algorithm 4 without noise, row by row."""
    w, batch, updates = np.zeros(x.shape[1]), [], []
    for t in range(len(x)):
        norm = np.linalg.norm(w)
        far = abs(w @ x[t]) / norm if norm > 0 else 0.0
        if math.exp(-far) < tau:
            continue
        batch.append(t)
        if len(batch) < size:
            continue
        g = sum((-y[i] * x[i] for i in batch if y[i] * (w @ x[i]) < 1), np.zeros(x.shape[1]))
        updates.append(t + 1)
        w = w - eta / len(updates) * (lam * w + g / size)
        w = w / max(1.0, np.linalg.norm(w))
        batch = []
    return w, updates


def test_the_twin_is_the_algorithm_written_by_hand() -> None:
    data = rows(300, 4)
    spec = seqlang.load(FLMB, d=4, n=300, L=7, eta=2)
    private, plain = seqlang.train(spec, data, twin=True, checkpoints=300)
    w, updates = flmb_by_hand(data["x"], data["y"], 0.8, 7, 2, 0.01)
    assert plain.run.engine == "numpy"
    assert plain.run.memories["w"][-1, :, 0] == pytest.approx(w, abs=1e-12)
    assert plain.run.reports["batch"].tolist() == [len(updates)]
    moved = np.flatnonzero(np.abs(np.diff(plain.run.memories["w"][:, :, 0], axis=0)).sum(axis=1)) + 2
    assert moved.tolist() == [u for u in updates if u > 1]
    assert private.run.memories["w"][-1, :, 0] != pytest.approx(w, abs=1e-3)


@pytest.mark.parametrize(("name", "more"), [("flmb", {"L": 3}), ("flsw", {"N": 4}), ("private_sgd", {})])
def test_noise_of_no_size_leaves_the_twin(name: str, more: dict[str, int]) -> None:
    """At epsilon 60 no coin turns and the noise is small; what is left is the algorithm."""
    given = {"eps_g": 1e9, **({} if name == "private_sgd" else {"eps_s": 60}), **more}
    spec = seqlang.load(f"@bittner2020/{name}", d=3, n=80, **given)
    private, plain = seqlang.train(spec, rows(80, 3), twin=True, permutations=5, checkpoints=4)
    assert private.run.memories["w"] == pytest.approx(plain.run.memories["w"], abs=1e-5)


TWINS = {
    "flsw": {"n": 50, "N": 4},
    "flmb": {"n": 50, "L": 3, "logistic": 1},
    "private_sgd": {"n": 50},
}


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        # a kernel takes seconds to compile, and there is one with noise and one without
        pytest.param(name, engine, marks=pytest.mark.long if engine == "compiled" else ())
        for name in TWINS for engine in ("compiled", "numpy")
    ],
)  # fmt: skip
def test_the_engines_agree_without_noise(name: str, engine: str) -> None:
    spec = seqlang.load(f"@bittner2020/{name}", d=3, **TWINS[name])
    track = {"far": "sum(norm(x) over steps)"}
    given = {"permutations": 3, "checkpoints": 5, "twin": True, "track": track, "test": rows(40, 3, 9)}
    slow = seqlang.train(spec, rows(60, 3), engine="interpreter", **given)[1]
    fast = seqlang.train(spec, rows(60, 3), engine=engine, **given)[1]
    assert (slow.run.engine, fast.run.engine) == ("interpreter", engine)
    assert fast.run.memories["w"] == pytest.approx(slow.run.memories["w"], abs=1e-12)
    assert fast.run.tracked["far"] == pytest.approx(slow.run.tracked["far"], abs=1e-12)
    assert fast.metrics == slow.metrics
    assert {r: v.tolist() for r, v in fast.run.reports.items()} == {r: v.tolist() for r, v in slow.run.reports.items()}
    assert fast.run.steps.tolist() == slow.run.steps.tolist()
    assert fast.run.returned == pytest.approx(slow.run.returned, abs=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "interpreter"])
def test_the_compiled_engine_draws_the_same_laws(engine: str) -> None:
    """Mean weights and numbers of labels of noisy runs, within five standard errors."""
    spec = seqlang.load(FLMB, d=3, n=60, L=3, eps_g=20)
    track = {"labels": "count(selected over steps)"}
    data, runs = rows(80, 3), 60 if engine == "interpreter" else 400
    many = seqlang.train(spec, data, permutations=400, seed=8, track=track, engine="compiled")[0].run
    few = seqlang.train(spec, data, permutations=runs, seed=9, track=track, engine=engine)[0].run
    for a, b in ((many.memories["w"][-1], few.memories["w"][-1]), (many.tracked["labels"], few.tracked["labels"])):
        error = np.sqrt(a.var(axis=-1) / a.shape[-1] + b.var(axis=-1) / b.shape[-1])
        assert (np.abs(a.mean(axis=-1) - b.mean(axis=-1)) < 5 * error).all()


def test_an_order_does_not_depend_on_the_others() -> None:
    spec = seqlang.load(FLMB, d=3, n=60)
    many, few = (seqlang.train(spec, rows(100, 3), permutations=k, seed=4)[0].run.memories["w"] for k in (20, 9))
    assert few[..., :9] == pytest.approx(many[..., :9], abs=1e-12)
    again = seqlang.train(spec, rows(100, 3), permutations=20, seed=4)[0].run.memories["w"]
    assert (again == many).all()
    other = seqlang.train(spec, rows(100, 3), permutations=20, seed=5)[0].run.memories["w"]
    assert not (other == many).any()


@pytest.mark.parametrize(("engine", "known"), [("numpy", [(2, 0), (2, 2)]), ("interpreter", [(1, 1), (2, 2)])])
def test_checkpoints_are_heard_as_they_are_written(engine: str, known: list[tuple[int, int]]) -> None:
    """Of two orders: side by side both have come to each checkpoint; one after the other has come to all of them."""
    loaded = seqlang.load("@bittner2020/private_sgd", d=2, n=6).loaded
    heard = []

    def hear(name: str, part: Any) -> None:
        assert name == "as written" and part.record.first == 0
        heard.append(tuple(np.isfinite(part.memories["w"]).all(axis=1).sum(axis=1).tolist()))

    some = rows_from_arrays(loaded.program, rows(6, 2))
    train([Training("as written", loaded.program)], some, None, Passes(2, 1, 2, None, engine), heard=hear)
    assert heard == known


def test_scores_by_hand() -> None:
    scores = Scores(*(np.array([float(v)]) for v in (6, 2, 9, 3)))
    values = {name: v[0] for name, v in scores.all().items()}
    assert values == pytest.approx(
        {
            "accuracy": 15 / 20,
            "precision": 6 / 8,
            "recall": 6 / 9,
            "specificity": 9 / 11,
            "f1": 12 / 17,
            "mcc": (54 - 6) / math.sqrt(8 * 9 * 11 * 12),
        }
    )
    nothing = Scores(*(np.array([float(v)]) for v in (0, 0, 4, 6)))  # nobody was called positive
    assert [nothing.all()[k][0] for k in ("precision", "recall", "f1", "mcc")] == [0, 0, 0, 0]
    assert nothing.accuracy[0] == 0.4
    predicted, truth = np.array([True, True, False]), np.array([True, False, False])
    assert counted(predicted, truth, np.array([2, 3, 5])) == (2, 3, 5, 0)


def test_scores_of_the_returned_model() -> None:
    data, test = rows(200, 3), rows(501, 3, 8)
    test = {k: np.concatenate([v, v[:100]]) for k, v in test.items()}  # copies count as often as they occur
    result = seqlang.train(seqlang.load(FLMB, d=3, n=200), data, test=test, permutations=2, checkpoints=3)[0]
    for c in range(3):
        for i in range(2):
            said = test["x"] @ result.run.memories["w"][c, :, i] > 0
            assert result.run.scores.accuracy[c, i] == pytest.approx(((test["y"] > 0) == said).mean())
    other = seqlang.train(
        seqlang.load(FLMB, d=3, n=200), data, test=test, permutations=2, predict="dot(w, x) <= 0", truth="y == -1"
    )[0]
    assert other.metrics["accuracy"]["mean"] == pytest.approx(result.metrics["accuracy"]["mean"])


def test_rows_that_end_first_leave_the_run_unstopped() -> None:
    """A batch that was begun has no effect."""
    data = rows(10, 3)
    spec = seqlang.load(FLMB, d=3, n=1000, L=4, tau=0.01)  # without noise every row is bought
    plain = seqlang.train(spec, data, twin=True)[1]
    assert (plain.run.stopped.tolist(), plain.run.steps.tolist()) == ([False], [10])
    assert plain.run.reports["batch"].tolist() == [2]
    first = seqlang.train(seqlang.load(FLMB, d=3, n=8, L=4, tau=0.01), data, twin=True)[1]
    assert (plain.run.memories["w"][-1] == first.run.memories["w"][-1]).all()
    assert "had not stopped when the rows ended" in str(plain)


def test_datasets() -> None:
    text = """algorithm mean_of_records
dataset x in [0, 1] size 4
memory w = 0
report m = sum(x[i] for i in records) / 4
update w = m
stop return w
attach laplace(1 / 4) to m
"""
    private, plain = seqlang.train(seqlang.load(text), {"x": [0, 1, 0.5, 0.25]}, twin=True, permutations=3)
    assert plain.run.memories["w"].tolist() == [[0.4375] * 3]
    assert len(set(private.run.memories["w"][0])) == 3
    assert plain.run.engine == "interpreter"
    compiled = seqlang.train(seqlang.load(text), {"x": [0, 1, 0.5, 0.25]}, twin=True, engine="compiled")[1]
    assert compiled.run.memories["w"].tolist() == [[0.4375]]
    with pytest.raises(seqlang.SpecError, match="E0618"):
        seqlang.train(seqlang.load(text), {"x": [0, 1]})


CASES = {
    "outside the ball": ({"x": [[0.5, 0.9]], "y": [1]}, "E0614"),
    "label": ({"x": [[0.5, 0.1]], "y": [0]}, "E0614"),
    "NaN": ({"x": [[0.5, math.nan]], "y": [1]}, "E0614"),
    "infinite": ({"x": [[0.5, math.inf]], "y": [1]}, "E0614"),
    "no label": ({"x": [[0.5, 0.1]]}, "E0612"),
    "unknown field": ({"x": [[0.5, 0.1]], "y": [1], "z": [1]}, "E0612"),
    "empty": ({"x": np.zeros((0, 2)), "y": []}, "E0611"),
    "too wide": ({"x": [[0.5, 0.1, 0.1]], "y": [1]}, "E0617"),
    "different lengths": ({"x": [[0.5, 0.1]], "y": [1, 1]}, "E0617"),
    "words": ({"x": [["a", "b"]], "y": [1]}, "E0613"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_rows(case: str) -> None:
    data, code = CASES[case]
    with pytest.raises(seqlang.SpecError, match=code):
        seqlang.train(seqlang.load(FLMB, d=2), data)


def test_clip_moves_rows_into_the_ball_one_by_one() -> None:
    spec = seqlang.load(FLMB, d=2)
    clipped = seqlang.train(spec, {"x": [[3.0, 4.0], [0.1, 0.2]], "y": [1, -1]}, clip=True)
    moved = seqlang.train(spec, {"x": [[0.6, 0.8], [0.1, 0.2]], "y": [1, -1]})
    assert clipped[0].run.memories["w"] == pytest.approx(moved[0].run.memories["w"])
    with pytest.raises(seqlang.SpecError, match="E0614"):
        seqlang.train(spec, {"x": [[math.inf, 4.0]], "y": [1]}, clip=True)


# ---- the command


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    data = rows(120, 2)
    lines = [f"{a},{b},{'yes' if t > 0 else 'no'}" for (a, b), t in zip(data["x"], data["y"], strict=True)]
    path.write_text("\n".join(["u,v,said", *lines]) + "\n")
    return path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(["run", FLMB, "--set", "d=2", "--set", "n=50", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


COLUMNS = ("--column", "x=project(u,v)", "--column", "y=said{yes=1|no=-1}")


def test_command(capsys, file, tmp_path) -> None:
    picture = tmp_path / "curve.png"
    code, out, err = run(
        capsys, "--data", str(file), *COLUMNS, "--test-rows", "81:120", "--permutations", "10", "--checkpoints", "5",
        "--twin", "--track", "labels=count(selected over steps)", "--json", "--plot", str(picture),
    )  # fmt: skip
    assert code == 0, err
    private, plain = (json.loads(line) for line in out.splitlines())
    assert (private["variant"], plain["variant"]) == ("as written", "without noise")
    assert (private["rows"], private["test_rows"], private["runs"], private["permutations"]) == (80, 40, 10, 10)
    assert (private["predict"], private["truth"]) == ("dot(w, x) > 0", "y > 0")
    assert [point["step"] for point in private["curve"]] == [10, 20, 30, 40, 50]
    assert set(private["metrics"]) == {"accuracy", "precision", "recall", "specificity", "f1", "mcc"}
    for value in private["metrics"].values():
        assert value["ci95"][0] <= value["mean"] <= value["ci95"][1]
    assert private["metrics"] == private["curve"][-1]["metrics"]
    assert 0 < plain["curve"][-1]["tracked"]["labels"]["mean"] <= 50
    assert picture.stat().st_size > 5000
    code, out, _ = run(capsys, "--data", str(file), *COLUMNS, "--test", str(file), "--twin", "--checkpoints", "2")
    assert code == 0
    for word in ("held out", "accuracy", "MCC", "without noise", "not private for the rows held out", "after step"):
        assert word in " ".join(out.split())


REFUSED = {
    "test twice": (("--test", "{file}", "--test-rows", "1:5"), "E0601"),
    "nothing held out": (("--predict", "dot(w, x) > 0"), "E0601"),
    "rows": (("--rows", "1:500"), "E0603"),
    "rows backwards": (("--rows", "9:5"), "E0603"),
    "rows both": (("--rows", "1:50", "--test-rows", "50:60"), "E0603"),
    "all held out": (("--test-rows", "1:120"), "E0603"),
    "no span": (("--test-rows", "7"), "E0602"),
    "track": (("--track", "labels"), "E0602"),
    "permutations": (("--permutations", "0"), "E0603"),
    "private prediction": (("--test-rows", "1:9", "--predict", "selected"), "E0628"),
    "a sum": (("--test-rows", "1:9", "--predict", "sum(dot(w, x) over steps) > 0"), "E0628"),
    "truth of memory": (("--test-rows", "1:9", "--truth", "norm(w) > y"), "E0628"),
    "unknown name": (("--test-rows", "1:9", "--predict", "nothing > 0"), "E02"),
    "no expression": (("--test-rows", "1:9", "--predict", "> 0"), "E01"),
    "model": (("--model", "two", "--permutations", "3"), "E0601"),
    "data scale": (("--column", "x=u/max,v", "--permutations", "3"), "E0625"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_command_refuses(capsys, file, case: str) -> None:
    options, code = REFUSED[case]
    given = [o.format(file=file) for o in options]
    done, out, err = run(capsys, "--data", str(file), *COLUMNS, *given)
    assert (done, out) == (2, "")
    assert code in err
    assert "Traceback" not in err


BAD_FILES = {
    "empty": ("", "E0611"),
    "header only": ("u,v,said\n", "E0611"),
    "missing column": ("u,w,said\n0,0,yes\n", "E0612"),
    "missing value": ("u,v,said\n0,NaN,yes\n", "E0613"),
    "unknown word": ("u,v,said\n0,0,maybe\n", "E0613"),
    "short row": ("u,v,said\n0,0,yes\n1,2\n", "E0610"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(capsys, tmp_path, case: str) -> None:
    text, code = BAD_FILES[case]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    done, out, err = run(capsys, "--data", str(path), *COLUMNS, "--permutations", "2")
    assert (done, out) == (2, "")
    assert code in err


def test_rows_outside_the_ball_name_their_line(capsys, tmp_path) -> None:
    path = tmp_path / "far.csv"
    path.write_text("u,v,said\n0,0,yes\n3,4,no\n")
    columns = ("--column", "x=u,v", "--column", "y=said{yes=1|no=-1}")
    done, _, err = run(capsys, "--data", str(path), *columns, "--twin")
    assert done == 2
    assert "line 3" in err
    assert "ball(1, 2)" in err
    assert run(capsys, "--data", str(path), *columns, "--twin", "--clip")[0] == 0
    path.write_text("u,v,said\n0,0,yes\n0,0,0\n")
    done, _, err = run(capsys, "--data", str(path), "--column", "x=u,v", "--column", "y=said{yes=1|*=0}", "--twin")
    assert (done, "E0614" in err, "line 3" in err) == (2, True, True)


def test_a_spec_without_a_clear_question(capsys, tmp_path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("x1,x2\n0,0.5\n0.5,0\n")
    code = main(["run", "@smith2013/ftal", "--data", str(path), "--test", str(path)])
    assert code == 2
    assert "E0627" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("predict", "truth"),
    [
        ("dot(w, x)", "y > 0"),
        ("1", "y > 0"),
        ("dot(w, x) > 0", "y"),
        ("w", "y > 0"),
        ("if y > 0 then x else w", "y > 0"),
    ],
)
def test_what_is_no_condition_is_refused(predict: str, truth: str) -> None:
    spec = seqlang.load(FLMB, d=3, n=40)
    with pytest.raises(seqlang.SpecError, match="E0628"):
        seqlang.train(spec, rows(40, 3), test=rows(10, 3, 5), predict=predict, truth=truth)


def test_the_engine_has_a_name() -> None:
    with pytest.raises(seqlang.SpecError, match="no engine `numpi`"):
        seqlang.run(FLMB, runs=10, engine="numpi")
    with pytest.raises(seqlang.SpecError, match="none is named"):
        seqlang.rare("@wald1945/sprt")
    assert {"run", "sweep", "rare", "train"} <= set(dir(seqlang))
