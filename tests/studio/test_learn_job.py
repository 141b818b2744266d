"""Learning as the page asks for it, without a browser: the rows, the scores, and what may be shown of them."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seqlang.backends.train import Rows
from seqlang.backends.train.split import Split, split
from seqlang.diagnostics import SpecError
from seqlang.driver import load, read
from seqlang.studio.jobs import columns, learn
from seqlang.studio.learning import synthetic
from seqlang.studio.learning.learner import learner_of
from seqlang.studio.learning.lines import python_of


def asked(spec: str = "@bittner2020/flmb", **more: Any) -> dict[str, Any]:
    return {
        "text": read(spec).text, "settings": {"L": "20"}, "kind": "synthetic", "training": 400, "validation": 100,
        "test": "4001:6000", "way": "random", "x": synthetic.COLUMNS["x"], "y": synthetic.COLUMNS["y"], "orders": 1,
        "checkpoints": 4, "seed": 1, **more,
    }  # fmt: skip


def learnt(**more: Any) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
    told: list[Mapping[str, Any]] = []
    return learn.job(asked(**more), told.append), told


def by_hand(row: list[str]) -> list[float]:
    """The attributes of a row, as the columns say; the ball only changes their length."""
    seconds, size, protocol, logins, host, rate, _ = row
    words = [1.0 if protocol == word else 0.0 for word in ("tcp", "udp", "icmp")]
    return [math.log1p(float(seconds)) / 11, math.log1p(float(size)) / 21, *words, int(logins) / 5, int(host) / 511,
            float(rate)]  # fmt: skip


def test_scores_are_those_of_the_released_weights() -> None:
    answer, _ = learnt()
    rows = list(csv.reader(StringIO(synthetic.text())))[4001:6001]  # the first line is the header
    weights = [value for _, value in answer["released"]["weights"]]
    said = [sum(w * v for w, v in zip(weights, by_hand(row), strict=True)) > 0 for row in rows]
    true = [row[-1] == "attack" for row in rows]
    tp = sum(a and b for a, b in zip(said, true, strict=True))
    right = sum(a == b for a, b in zip(said, true, strict=True))
    found = answer["numbers"]["variants"]["as written"]
    assert found["metrics"]["accuracy"]["mean"] == pytest.approx(right / 2000)
    assert found["metrics"]["precision"]["mean"] == pytest.approx(tp / sum(said))
    assert found["metrics"]["recall"]["mean"] == pytest.approx(tp / sum(true))
    assert found["predicted"] == [sum(said), 2000 - sum(said)]
    assert found["truth"] == [sum(true), 2000 - sum(true)]
    assert answer["numbers"]["marks"] == [100, 200, 300, 400]
    assert answer["released"]["reports"]["batch"] == answer["released"]["numbers"]["m"] - 1


def test_the_lines_of_python_learn_the_same(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(synthetic.text())
    answer, _ = learnt(kind="file", path=str(file), way="balanced", orders=2, seed=5)
    lines = python_of("@bittner2020/flmb", {**answer["about"], "file": str(file)}, "5")
    found: dict[str, Any] = {}
    exec(lines, found)
    for one in found["both"]:
        shown = answer["numbers"]["variants"][one.variant]
        assert one.metrics == shown["metrics"]
        assert [point["metrics"]["accuracy"] for point in one.curve] == shown["curves"]["test"]


def test_both_are_told_as_they_go_on_and_labels_are_bought_once_a_row() -> None:
    answer, told = learnt(orders=2)
    parts = [part["part"]["numbers"]["variants"] for part in told if "part" in part]
    seen = [[sum(p["n"] > 0 for p in one["curves"]["test"]) for one in part.values()] for part in parts]
    assert seen[-1] == [4, 4] and len(seen) > 1  # either may be a checkpoint ahead: they run side by side
    assert all(list(column) == sorted(column) for column in zip(*seen, strict=True))
    for one in answer["numbers"]["variants"].values():
        means = [point["mean"] for point in one["bought"]]
        assert means == sorted(means) and means[0] > 0 and means[-1] <= 400
        assert one["curves"]["next rows"][-1]["n"] == 0  # nothing comes after the last row
        assert [step for step, _, _ in one["labels"]] == list(range(281, 401))  # the latest 120
    batches = answer["released"]["reports"]["batch"]
    bought = answer["numbers"]["variants"]["as written"]["bought"][-1]
    assert bought["n"] == 2 and abs(bought["mean"] / 20 - batches) < 6  # 20 labels a batch, by two orders


def test_rows_that_come_next_are_those_of_the_order() -> None:
    answer, _ = learnt(way="first")
    kinds = [line.endswith(",attack") for line in synthetic.text().splitlines()[1:401]]
    order = np.random.default_rng([1, 0]).permutation(400)  # the first order of seed 1
    for one in answer["numbers"]["variants"].values():
        assert [truth for _, _, truth in one["labels"]] == [kinds[order[step - 1]] for step, _, _ in one["labels"]]


def test_long_work_is_told_at_each_checkpoint_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("seqlang.backends.train.train"), "WORTH", 0.0)  # a kernel would tell at the end
    answer, told = learnt()
    assert answer["about"]["engine"] == "numpy" and sum("part" in part for part in told) == 4


@pytest.mark.parametrize(
    ("name", "width", "count", "bought", "streamed"),
    [
        ("bittner2020/flmb", "d", "n", "count((selected) over steps)", True),
        ("bittner2020/flsw", "d", "n", "count((selected) over steps)", True),
        ("bittner2020/flmb_exponential", "d", "n", "count((selected == 1) over steps)", True),
        ("bittner2020/private_sgd", "d", "n", "step", True),
        ("bittner2020/batch_erm_output", "d", "n", None, False),
        ("bittner2020/batch_erm_objective", "d", "n", None, False),
        ("abadi2016/dp_sgd", "d", "N", None, False),
    ],
)
def test_what_a_spec_learns_from(name: str, width: str, count: str, bought: str | None, streamed: bool) -> None:
    found = learner_of(load(read(f"@{name}")).program)
    assert (found.attributes, found.label) == ("x", "y")
    assert (found.width, found.count, found.bought, found.streamed) == (width, count, bought, streamed)


@pytest.mark.parametrize(("name", "settings"), [("flsw", {"N": "20"}), ("flmb_exponential", {"L": "20"})])
def test_other_ways_to_buy_labels(name: str, settings: Mapping[str, str]) -> None:
    answer, _ = learnt(text=read(f"@bittner2020/{name}").text, settings=settings, training=100, checkpoints=2)
    for one in answer["numbers"]["variants"].values():
        assert 0 < one["bought"][0]["mean"] <= one["bought"][1]["mean"] <= 100


def test_what_learns_no_separator_is_refused() -> None:
    with pytest.raises(SpecError, match="E0627"):
        learner_of(load(read("@tight/one_sided")).program)


def test_what_is_returned_is_scored_at_the_end() -> None:
    answer, _ = learnt(text=read("@bittner2020/batch_erm_output").text, settings={"eps": "50"}, training=60)
    found = answer["numbers"]["variants"]
    assert answer["numbers"]["marks"] == [1] and answer["about"]["parameters"]["n"] == 60
    assert all(len(one["bought"]) == 1 and one["bought"][0]["n"] == 0 for one in found.values())
    assert found["without noise"]["metrics"]["accuracy"]["mean"] > 0.8 and found["without noise"]["labels"] == []


def test_released_only_shows_nothing_else(tmp_path: Path) -> None:
    told: list[Any] = []
    first, second = (learn.job(asked(released_only=True), told.append) for _ in range(2))
    assert set(first) == {"released", "about"} and not any("part" in part for part in told)
    assert first["released"]["weights"] != second["released"]["weights"]  # nobody knows the seed
    with pytest.raises(SpecError, match="looks at the labels"):
        learn.job(asked(released_only=True, way="balanced"), told.append)
    file = tmp_path / "rows.csv"
    for cell in ("secretword", "inf"):
        file.write_text("a,b\n" + "0.1,1\n" * 19 + f"{cell},-1\n")
        given = {"kind": "file", "path": str(file), "training": 10, "validation": 5, "test": "16:20"}
        given |= {"x": "a", "y": "b"}
        with pytest.raises(SpecError, match=cell):
            learn.job(asked(**given), told.append)
        with pytest.raises(SpecError) as refused:
            learn.job(asked(**given, released_only=True), told.append)
        assert cell not in str(refused.value) and "20" not in str(refused.value)


def test_columns_and_no_rows_are_listed(tmp_path: Path) -> None:
    assert columns.job({"kind": "synthetic"}, print) == list(synthetic.HEADER)
    file = tmp_path / "rows.csv"
    file.write_text("first,second\nprivate,1\n")
    assert columns.job({"kind": "file", "path": str(file)}, print) == ["first", "second"]


def test_a_scale_that_is_taken_from_the_rows_is_refused() -> None:
    with pytest.raises(SpecError, match="taken from the data"):
        learnt(x="same_host/max")


ROWS = Rows("rows", {"y": np.repeat([-1.0, 1.0], [70, 30]), "at": np.arange(100.0)}, 100)


@pytest.mark.parametrize("way", ["balanced", "random", "first"])
def test_no_row_is_in_two_parts(way: Any) -> None:
    parts = split(ROWS, Split(20, 9, (91, 100), way))
    assert [part.count for part in parts] == [20, 9, 10]
    places = [set(part.fields["at"].tolist()) for part in parts]
    assert sum(map(len, places)) == len(set.union(*places)) and places[2] == set(range(90, 100))
    positive = [int((part.fields["y"] > 0).sum()) for part in parts]
    if way == "balanced":
        assert positive[:2] == [10, 5]
    if way == "first":
        assert places[0] == set(range(20)) and positive[:2] == [0, 0]


@pytest.mark.parametrize(("sizes", "test"), [((50, 9), (91, 100)), ((80, 11), (91, 100)), ((1, 1), (0, 5)),
                                             ((1, 1), (5, 101)), ((0, 1), (1, 2))])  # fmt: skip
def test_rows_that_are_not_there(sizes: tuple[int, int], test: tuple[int, int]) -> None:
    with pytest.raises(SpecError, match="E0603"):
        split(ROWS, Split(*sizes, test, "balanced" if sizes[0] == 50 else "random"))
