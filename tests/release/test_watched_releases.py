"""A release is followed from its ledger, or from its transcript, as from the sums typed by hand."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from released import HEAD, ledger, loaded, released

import seqlang
from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.release.ledger.book import Book
from seqlang.release.watching import from_ledger, from_transcript

TRIAL = (
    HEAD
    + """model null: x ~ bernoulli(0.1)
model alternative: x ~ bernoulli(0.9)
memory score = 0
memory plan = 0
draw coin ~ {2: 1/2, 3: 1/2}
report chosen = coin when plan == 0
update plan = chosen when plan == 0
report block when sum(1 since block) >= plan
report ones = sum(x since block) when block
update score = score + 2 * clip(ones, 0, plan) - plan when block
stop when score >= 4 return reject
stop when score <= -4 return accept
attach geometric(1 / 2) to ones
claim strong pure(log(2))
"""
)
"""A public coin chooses blocks of two or three entries."""
ROWS = "111011101110111011101110"
Looks = list[Mapping[str, Any]]


def run(folder: Path, seed: int, reference: str | None = None, budget: str = "pure(5)") -> tuple[Book, Looks]:
    book, looks = ledger(folder / "l", budget), []
    released(book, TRIAL, ROWS, below=random.Random(seed).randrange, tell=looks.append, reference=reference)
    return book, looks


def test_by_hand_from_the_ledger_and_from_the_transcript(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.seq").write_text(TRIAL)
    plans = set()
    for seed in (0, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        book, looks = run(folder, seed)
        plan = looks[0]["reports"]["chosen"]
        ones = [look["reports"]["ones"] for look in looks if "ones" in look["reports"]]
        plans.add(plan)
        file = str(tmp_path / "t.seq")
        said = []
        (folder / "said").write_text(json.dumps({"program": "a", "looks": looks}))
        for words in (
            [file, f"--counts={','.join(map(str, ones))}", "--plan", str(plan)],
            ["--ledger", str(folder / "l")],
            [file, "--data", str(folder / "said")],
        ):
            assert main(["monitor", *words, "--json"]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1] == said[2]
        assert json.loads(said[0])["stage"] == len(ones) > 0
        same = seqlang.monitor(TRIAL, {"program": "a", "looks": looks})
        assert same.to_dict() == json.loads(said[0])
        book.store.close()
    assert plans == {2, 3}


def test_a_report_has_the_budget_and_all_that_was_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, looks = run(tmp_path, 1, budget="pure(3)")
    for name in ("r.md", "r.html"):
        assert main(["monitor", "--ledger", str(tmp_path / "l"), "--report", str(tmp_path / name)]) == 0
        said = (tmp_path / name).read_text()
        assert book.head in said and "The private budget" in said and "replace one" in said
        spent = book.account(None).spent.text
        assert f"Of the budget pure(3), {spent} is spent" in said
    rows = [line.split("|")[1:-1] for line in (tmp_path / "r.md").read_text().splitlines() if line.startswith("| ")]
    steps = [int(row[0]) for row in rows if len(row) == 5 and row[0].strip().isdigit()]
    assert steps == [look["step"] for look in looks if look["reports"] or "result" in look]
    capsys.readouterr()
    assert main(["monitor", "--ledger", str(tmp_path / "l"), "--report", str(tmp_path / "r.doc")]) == 2


def test_which_release(tmp_path: Path) -> None:
    book, first = run(tmp_path, 1, "first")
    _, second = run(tmp_path, 2, "second")
    book.refresh()
    assert first != second
    with pytest.raises(SpecError, match="which release"):
        from_ledger(book, None)
    with pytest.raises(SpecError, match="no release `third`"):
        from_ledger(book, "third")
    for name, looks in (("first", first), ("second", second)):
        assert list(from_ledger(book, name).looks) == looks


def test_what_is_not_of_the_program(tmp_path: Path) -> None:
    _, looks = run(tmp_path, 1)
    made, good = loaded(TRIAL), {"program": "a", "looks": looks}
    assert from_transcript(made, good, "t").counts
    early = [{**looks[0], "stopped": True, "result": "reject", "by": 1}, *looks[1:]]
    block = next(i for i, look in enumerate(looks) if "ones" in look["reports"])
    text = [
        *looks[:block],
        {**looks[block], "reports": {**looks[block]["reports"], "ones": "many"}},
        *looks[block + 1 :],
    ]
    for wrong in (
        {**good, "program": "b"}, {**good, "looks": early}, {**good, "looks": text}, {**good, "looks": looks[::-1]},
        {**good, "looks": 3}, {}, [], None,
    ):  # fmt: skip
        with pytest.raises(SpecError, match="E0603"):
            from_transcript(made, wrong, "t")
    with pytest.raises(SpecError, match="its discrete twin may be"):
        from_transcript(loaded(TRIAL.replace("geometric(1 / 2)", "laplace(2)")), good, "t")


@pytest.mark.parametrize(
    "words", [[], ["t.seq", "--ledger", "l"], ["--ledger", "l", "--plan", "2"], ["t.seq", "--reference", "a"]]
)
def test_what_is_asked_for_twice_or_not_at_all(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", *words]) == 2
    assert "E0601" in capsys.readouterr().err
