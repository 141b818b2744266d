"""Datasets of scikit-learn by name."""

from __future__ import annotations

import builtins
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest

import seqlang
from seqlang.cli.__main__ import main

VECTOR = "algorithm a\nstream x in ball(1, {d}), y in {{0, 1}}\nstop when step >= 3\n"


def test_breast_cancer_is_wdbc(capsys: pytest.CaptureFixture[str]) -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not here")
    theirs = datasets.load_breast_cancer()
    rows = seqlang.rows(
        VECTOR.format(d=30), "sklearn:breast_cancer",
        columns={"x": "project(mean_radius..worst_fractal_dimension/5000)", "y": "target"},
    )  # fmt: skip
    assert (rows.count, rows.name, int(rows.fields["y"].sum())) == (569, "sklearn:breast_cancer", 357)
    norms = np.linalg.norm(theirs.data / 5000, axis=1)
    assert rows.fields["x"] == pytest.approx(theirs.data / 5000 / np.maximum(1, norms)[:, None])
    code = main(
        ["run", "@bittner2020/flmb", "--set", "d=2", "--set", "n=400", "--data", "sklearn:breast_cancer", "--where",
         "mean_radius>5", "--column", "x=project(mean_radius/30,mean_texture/40)", "--column",
         "y=target{1=1|0=-1}", "--test-rows", "401:569", "--twin"]
    )  # fmt: skip
    assert code == 0
    assert "on sklearn:breast_cancer" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "first", "last", "count"),
    [
        ("iris", "sepal_length_cm", "petal_width_cm", 150),
        ("wine", "alcohol", "proline", 178),
        ("digits", "pixel_0_0", "pixel_7_7", 1797),
        ("diabetes", "age", "s6", 442),
    ],
)
def test_what_comes_with_it(name: str, first: str, last: str, count: int) -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not here")
    theirs = getattr(datasets, f"load_{name}")()
    spec = f"algorithm a\nstream x in real ^ {theirs.data.shape[1]}, y in real\nstop when step >= 3\n"
    rows = seqlang.rows(spec, f"sklearn:{name}", columns={"x": f"{first}..{last}", "y": "target"})
    assert rows.count == count
    assert (rows.fields["x"] == theirs.data).all()
    assert (rows.fields["y"] == theirs.target).all()


def test_errors_name_the_row(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn.datasets", reason="scikit-learn is not here")
    spec = VECTOR.format(d=1).replace("ball(1, 1)", "[0, 20]")
    with pytest.raises(seqlang.SpecError, match="E0614") as found:
        seqlang.rows(spec, "sklearn:breast_cancer", columns={"x": "mean_radius", "y": "target"})
    assert "`sklearn:breast_cancer`, row 2: x = 20.57" in str(found.value)
    with pytest.raises(seqlang.SpecError, match="E0612") as found:
        seqlang.rows(spec, "sklearn:breast_cancer", columns={"x": "mean radius", "y": "target"})
    assert found.value.diagnostics[0].help == "did you mean `mean_radius`?"
    with pytest.raises(seqlang.SpecError, match="E0601"):
        seqlang.rows(spec, "sklearn:iris", names=())


class Bunch:
    """What `fetch_kddcup99` gives: objects, words as bytes."""

    feature_names = ("duration", "protocol_type", "src_bytes")
    data = np.array([[0, b"tcp", 181], [2, b"udp", 239]], dtype=object)
    target = np.array([b"normal.", b"smurf."], dtype=object)


def test_what_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not here")
    monkeypatch.setattr(datasets, "fetch_kddcup99", Bunch)
    columns = {"x": "duration/2,protocol_type{tcp|udp},log1p(src_bytes)/6", "y": "target{normal.=0|*=1}"}
    rows = seqlang.rows(VECTOR.format(d=4).replace("ball(1, 4)", "real ^ 4"), "sklearn:kddcup99", columns=columns)
    assert rows.fields["x"] == pytest.approx(np.array([[0, 1, 0, np.log(182) / 6], [1, 0, 1, np.log(240) / 6]]))
    assert rows.fields["y"].tolist() == [0, 1]

    def away() -> Any:
        raise URLError("no route to host")

    monkeypatch.setattr(datasets, "fetch_kddcup99", away)
    with pytest.raises(seqlang.SpecError, match="E0610") as found:
        seqlang.rows(VECTOR.format(d=4), "sklearn:kddcup99", columns=columns)
    assert "cannot be fetched" in str(found.value)
    assert "no route to host" in str(found.value)


@pytest.mark.parametrize("name", ["sklearn:", "sklearn:breastcancer", "sklearn:nothing"])
def test_unknown_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "@tight/one_sided", "--data", name]) == 2
    seen = capsys.readouterr()
    assert "error[E0610]" in seen.err
    assert "breast_cancer" in seen.err


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return plain(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(seqlang.SpecError) as missing:
        seqlang.rows(VECTOR.format(d=2), "sklearn:iris")
    assert "pip install 'seqlang[data]'" in str(missing.value)
