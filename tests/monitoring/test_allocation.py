"""How many entries each arm has: told and compared, read by the release, or taken for granted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import seqlang
from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.monitoring import watch
from seqlang.release.foreseen import one_order_only
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.watching import from_transcript
from seqlang.source import Source

ARMS = """algorithm arms
public arm in {0, 1}
stream y in {0, 1}
model null: arm ~ point(1 - step % 2), y ~ bernoulli(0.4)
model alternative: arm ~ point(1 - step % 2), y ~ bernoulli(if arm == 0 then 0.4 else 0.9)
memory score = 0
report block when sum(1 since block) >= 6
report control = sum(y where arm == 0 since block) when block
report treated = sum(y where arm == 1 since block) when block
update score = score + clip(treated, 0, 3) - clip(control, 0, 3) when block
stop when score >= 5 return reject
stop when score <= -5 return accept
attach geometric(exp(-1)) to control, treated
claim probability(reject) <= 0.9 under null
"""
BY_STEPS = ARMS.replace("arm == 0 since", "step % 2 == 1 since").replace("arm == 1 since", "step % 2 == 0 since")
THROWN = ARMS.replace("point(1 - step % 2)", "bernoulli(1 / 2)")


def watched(text: str, arms: Sequence[Sequence[int]] | None, checked: bool = False) -> seqlang.MonitorResult:
    counts = [(Fraction(1), Fraction(2)), (Fraction(2), Fraction(1))]
    return watch(load(Source("arms", text)), counts, arms=arms, rows_checked=checked)


@pytest.mark.parametrize("text", [ARMS, BY_STEPS])
def test_numbers_of_entries_as_designed(text: str) -> None:
    found = watched(text, [(3, 3), (3, 3)])
    assert found.in_turn == "told" and [block.counted for block in found.blocks] == [(3, 3), (3, 3)]
    assert "as many entries as the test is designed for" in str(found)
    assert found.to_dict()["in_turn"] == "told"


@pytest.mark.parametrize("text", [ARMS, BY_STEPS])
def test_what_nobody_said_is_taken_for_granted(text: str) -> None:
    found = watched(text, None)
    assert found.in_turn == "assumed" and "it is taken for granted" in " ".join(str(found).split())
    assert watched(text, None, checked=True).in_turn == "released"


REFUSED = [
    ([(3, 3), (4, 2)], "block 2 has 4 entries in control and 2 entries in treated", "one of each arm in turn"),
    ([(3, 3)], "given for 1 blocks, and 2 blocks", "designed for 3:3,3:3"),
    ([(3, 3), (6,)], "for block 2 1 numbers of entries are given, and there are 2 arms", "designed for 3:3,3:3"),
]


@pytest.mark.parametrize(("arms", "said", "remedy"), REFUSED)
def test_other_numbers_are_refused(arms: list[tuple[int, ...]], said: str, remedy: str) -> None:
    with pytest.raises(SpecError) as refused:
        watched(ARMS, arms)
    (told,) = refused.value.diagnostics
    assert told.code == "E0603" and said in told.message and remedy in (told.help or "")


def test_a_program_whose_arms_are_thrown_is_not_followed() -> None:
    with pytest.raises(SpecError, match="E0623"):
        watched(THROWN, None)


def test_a_test_of_one_sum_has_no_arms() -> None:
    text = ARMS.replace("report control = sum(y where arm == 0 since block) when block\n", "")
    text = text.replace(" - clip(control, 0, 3)", " - 2").replace("to control, treated", "to treated")
    made, counts = load(Source("one", text)), [(Fraction(1),)]
    assert watch(made, counts, rows_checked=True).in_turn == ""
    with pytest.raises(SpecError, match="no arms whose entries the program counts"):
        watch(made, counts, arms=[(6,)])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arms.seq").write_text(ARMS)
    words = ["monitor", str(tmp_path / "arms.seq"), "--counts", "1:2,2:1"]
    assert main([*words, "--arms", "3:3,3:3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["in_turn"] == "told"
    for arms, said in (("3:3,4:2", "leave out what is left over"), ("3:3,3:2.5", "is not 0, 1, 2"), ("", "0 blocks")):
        assert main([*words, f"--arms={arms}"]) == 2
        assert said in capsys.readouterr().err
    assert seqlang.monitor(ARMS, [(1, 2)], arms=[(3, 3)]).in_turn == "told"


def test_a_release_has_read_the_arm_of_each_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arms.seq").write_text(ARMS + "claim strong pure(1)\n")
    (tmp_path / "rows.csv").write_text("arm,y\n" + "0,0\n1,1\n" * 60)
    words = ["release", str(tmp_path / "arms.seq"), "--data", str(tmp_path / "rows.csv"), "--json"]
    book = Book(SqliteStore(tmp_path / "l", make=True))
    book.open_account("mine", "replace one; public arm", amount_of("pure(1)", "budget"))
    book.store.close()
    assert main([*words, "--ledger", str(tmp_path / "l")]) == 0, capsys.readouterr().err
    said = json.loads(capsys.readouterr().out)
    assert from_transcript(load(Source("arms", ARMS)), said, "said").rows_checked
    assert main(["monitor", "--ledger", str(tmp_path / "l"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["in_turn"] == "released"


@pytest.mark.parametrize(("text", "checked"), [(ARMS, True), (BY_STEPS, True), (THROWN, False)])
def test_which_releases_know_the_arms(text: str, checked: bool) -> None:
    """Only where the models give the public column one value in each step does a release refuse all others."""
    assert one_order_only(load(Source("arms", text)).program) is checked
    unread = text.replace("public arm in {0, 1}\n", "").replace("arm ~ point(1 - step % 2), ", "")
    if text == BY_STEPS:
        assert not one_order_only(load(Source("arms", unread.replace("arm == 0", "step % 2 == 1"))).program)
