"""Rows are looked at before they are paid for, and after the charge nothing that is shown depends on a bad cell."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from released import program

from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.release.checking import Checked, checked
from seqlang.release.form import Form, columns_in
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.live import Waiting
from seqlang.release.releasing import release
from seqlang.release.rows import Rows
from seqlang.source import Source

STREAM = """algorithm a
stream x in {0, 1}
report block when sum(1 since block) >= 3
report ones = sum(x since block) when block
stop when step >= 6
attach geometric(1 / 2) to ones
claim strong pure(log(2))
"""
WIDE = STREAM.replace("{0, 1}", "0..9").replace("log(2)", "9 * log(2)")
SET = """algorithm a
param n in 1.. = 3
dataset x in {0, 1} size n
report s = sum(x)
stop when step >= 1
attach geometric(1 / 2) to s
claim strong pure(log(2))
"""
GUESTS = SET.replace("report s", "adjacent add or remove one\nreport s")
ARMS = """algorithm a
public arm in {0, 1}
stream y in {0, 1}
model null: arm ~ point(1 - step % 2), y ~ bernoulli(1 / 2)
model apart: arm ~ point(1 - step % 2), y ~ bernoulli(if arm == 0 then 1 / 4 else 3 / 4)
report block when sum(1 since block) >= 2
report control = sum(y where arm == 0 since block) when block
report treated = sum(y where arm == 1 since block) when block
stop when block and treated >= control + 1000 return reject
stop when step >= 4 return accept
attach geometric(1 / 2) to control, treated
claim strong pure(log(2))
claim probability(reject) <= 0.9 under null
"""


class Desk:
    """A folder with a program, rows and a ledger, and what the command says there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.rows = folder / "rows.csv"

    def open(self, text: str, adjacency: str = "replace one") -> None:
        (self.folder / "a.seq").write_text(text)
        Book(SqliteStore(self.folder / "l", make=True)).open_account("mine", adjacency, amount_of("pure(20)", ""))

    def release(self, *words: str, rows: str | None = None) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        if rows is not None:
            self.rows.write_text(rows, newline="")
        files = ["--data", str(self.rows), "--ledger", str(self.folder / "l")]
        code = main(["release", str(self.folder / "a.seq"), *files, *words])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    @property
    def ledger(self) -> list[tuple[str, Any]]:
        """Kind and body of every row after those that opened the account."""
        store = SqliteStore(self.folder / "l")
        found = [(entry.kind, entry.content) for entry in store.entries()][2:]
        store.close()
        return found


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each release draws the same noise."""

    class Same:
        def __call__(self, n: int) -> int:
            return self.coins.randrange(n)

        def __init__(self) -> None:
            self.coins = random.Random(7)

    same = Same()
    monkeypatch.setitem(release.__kwdefaults__ or {}, "below", same)
    real = SqliteStore.hold

    def hold(self: SqliteStore, name: str) -> Any:
        same.coins = random.Random(7)
        return real(self, name)

    monkeypatch.setattr(SqliteStore, "hold", hold)


@pytest.mark.parametrize(("spec", "rows", "code", "said"), [
    (STREAM, "x\n1\ncontrol\n", "E0613", "line 3, column `x`: `control` is not a number"),
    (STREAM, "x\n1\nTRUE\n", "E0613", "`TRUE` is not a number"),
    (STREAM, "x\n1\nyes\n", "E0613", "x=x{yes=NUMBER"),
    (STREAM, "x\n1_0\n", "E0613", "`1_0` is not a number"),
    (STREAM, "x\n1\nNA\n", "E0613", "--missing VALUE"),
    (STREAM, "x\n1\n\n0\n", "E0613", "the value is missing"),
    (STREAM, "x\n1\n2\n", "E0614", "x = 2 is not in the values"),
    (STREAM, 'x,c\n1,"a\n0,b\n', "E0610", "a quote is not closed"),
    (STREAM, "x,c\n1\n0,b\n", "E0610", "1 cells, and the heading has 2"),
    (SET, "x\n1\nabc\n0\n", "E0613", "`abc` is not a number"),
])  # fmt: skip
def test_bad_cells_are_told_to_the_owner_and_cost_nothing(
    desk: Desk, spec: str, rows: str, code: str, said: str
) -> None:
    desk.open(spec)
    exit_code, out, err = desk.release(rows=rows)
    assert exit_code == 2 and out == "" and desk.ledger == []
    assert code in err and said in err
    assert "for the owner of the rows only" in err and "nothing was charged" in err


def test_only_the_first_findings_are_listed(desk: Desk) -> None:
    desk.open(STREAM)
    code, _, err = desk.release(rows="x\n" + "yes\n" * 1000)
    assert code == 2 and err.count("E0613") == 5 and "and 995 more like these" in err


def test_cells_outside_an_interval_are_moved_and_the_owner_is_told(desk: Desk) -> None:
    desk.open(WIDE)
    code, out, err = desk.release(rows="x\n1\n99\n-4\n3\n9\n0\n")
    assert code == 0 and "step 3: block" in out
    assert "2 cells of `x` lie outside its domain" in err and "for the owner of the rows only" in err


def test_a_missing_cell_is_what_was_declared(desk: Desk) -> None:
    desk.open(STREAM)
    code, out, err = desk.release("--missing", "1", rows="x\n1\n\nNA\n0\n.\n1\n")
    assert code == 0 and "stopped at step 6" in out and "owner" not in err
    assert desk.release("--missing", "1", "--reference", "b", rows="x\n1\nTRUE\n")[0] == 2


@pytest.mark.parametrize(("rows", "code", "said"), [
    ("arm,y\n0,1\n1,1\n1,0\n0,1\n", "E0629", "line 4: `arm` is 1 in row 3, where the program's models have 0"),
    ("arm,y\n1,1\n0,1\n", "E0629", "`arm ~ point(1 - step % 2)`"),
    ("arm,y\n0,1\n2,1\n", "E0614", "arm = 2 is not in the values"),
    ("arm,y\ncontrol,1\ntreatment,1\n", "E0613", "column `arm`: `control` is not a number"),
])  # fmt: skip
def test_arms_that_are_not_as_designed(desk: Desk, rows: str, code: str, said: str) -> None:
    """What is wrong with a public column is no secret, and is said without what is wrong with private cells."""
    desk.open(ARMS, "replace one; public arm")
    exit_code, out, err = desk.release(rows=rows.replace(",1\n", ",oops\n", 1))
    assert exit_code == 2 and out == "" and desk.ledger == []
    assert code in err and said in err and "nothing was charged" in err
    assert "owner" not in err and "oops" not in err


def test_words_are_mapped(desk: Desk) -> None:
    desk.open(ARMS, "replace one; public group")
    rows = "group,y\n control ,1\ntreatment,yes\ncontrol,no\ntreatment,no\n"
    assert desk.release(rows=rows)[0] == 2
    words = "arm=group{control=0|treatment=1}, y={yes=1|*=0}".replace("={", "=y{")
    code, out, _ = desk.release("--columns", words)
    assert code == 0 and "step 2: block, control = " in out
    (_, charged), *_ = desk.ledger
    assert charged["reading"] == {
        "columns": [["arm", "group"], ["y", "y"]],
        "words": [["arm", [["control", "0"], ["treatment", "1"]], None], ["y", [["yes", "1"]], "0"]],
    }
    assert main(["ledger", "verify", str(desk.folder / "l")]) == 0
    swapped = words.replace("control=0|treatment=1", "control=1|treatment=0")
    code, _, err = desk.release("--columns", swapped, "--reference", charged["reference"])
    assert code == 2 and "E0670" in err  # another way to read the rows is another release


@pytest.mark.parametrize(("text", "said"), [
    ("arm", "FIELD=COLUMN"), ("=arm", "FIELD=COLUMN"), ("x=", "FIELD=COLUMN"), ("x=a,x=b", "FIELD=COLUMN"),
    ("x=a{1|2}", "WORD=NUMBER"), ("x=a{b=c}", "WORD=NUMBER"), ("x=a{b=1|b=2}", "twice"),
])  # fmt: skip
def test_columns_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(SpecError) as why:
        columns_in(text)
    assert said in str(why.value) and why.value.diagnostics[0].code in ("E0601", "E0617")


def test_what_words_are_read_as() -> None:
    columns, words = columns_in("x=h{ small =0|large, or so=1}")
    form = Form(columns, words=words)
    rows = Rows(program(STREAM), ["h\n", "small\n", '"large, or so"\n', "1\n"], "f", form)
    assert [row["x"] for row in rows if not isinstance(row, Waiting)] == [0, 1, 0]
    assert rows.counts["x not read"] == 1
    with pytest.raises(SpecError, match="cannot have that value"):
        columns, words = columns_in("x=h{small=1|large=2}")
        Rows(program(STREAM), ["h\n"], "f", Form(columns, words=words))
    assert Form((("x", "h"),)).said == {"columns": [["x", "h"]]}  # as ledgers had it before there were words


def test_words_that_are_measured_are_part_of_the_account(tmp_path: Path) -> None:
    """Neighbours within 1 of each other as they are written may be read as 5 apart: another account pays for those."""
    text = STREAM.replace("{0, 1}", "0..9\nadjacent one x within 1")
    (tmp_path / "a.seq").write_text(text)
    (tmp_path / "rows").write_text("age\n1\n2\n1\n1\n1\n2\n")
    files = [str(tmp_path / "a.seq"), "--data", str(tmp_path / "rows"), "--ledger", str(tmp_path / "l")]
    book = Book(SqliteStore(tmp_path / "l", make=True))
    book.open_account("numbers", "one age within 1", amount_of("pure(9)", ""))
    book.open_account("words", "one age{1=0|2=5} within 1", amount_of("pure(9)", ""))
    words = ["--columns", "x=age{1=0|2=5}"]
    assert main(["release", *files, "--account", "numbers", *words]) == 2
    assert main(["release", *files, "--account", "words", "--columns", "x=age"]) == 2
    assert main(["release", *files, "--account", "words", *words]) == 0
    assert main(["release", *files, "--account", "numbers", "--columns", "x=age"]) == 0
    assert main(["ledger", "verify", str(tmp_path / "l")]) == 0


def test_a_data_set_that_comes_through_a_pipe(desk: Desk) -> None:
    """In parts: it is read to its end and looked at before it is paid for."""
    desk.open(SET)
    words = ["release", str(desk.folder / "a.seq"), "--data", "-", "--ledger", str(desk.folder / "l")]
    for rows, code in (("x\n1\n0\n", 2), ("x\n1\n0\nyes\n", 2), ("x\n1\n0\n1\n", 0)):
        text = f"import time\nfor line in {rows.splitlines()}:\n print(line, flush=True); time.sleep(0.05)"
        with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as writer:
            done = subprocess.run([sys.executable, "-m", "seqlang", *words], stdin=writer.stdout, capture_output=True)
        assert done.returncode == code and bool(desk.ledger) == (code == 0)


def test_a_data_set_of_another_size_costs_nothing(desk: Desk) -> None:
    desk.open(SET)
    code, _, err = desk.release(rows="x\n1\n1\n")
    assert code == 2 and "E0618" in err and "2 rows" in err and "size 3" in err and desk.ledger == []
    code, out, _ = desk.release(rows='x,said\n1,"a\nb"\n0,c\n1,"d, e"\n')
    assert code == 0 and "stopped at step 1" in out


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_size_that_is_private_is_not_looked_at(count: int) -> None:
    """If a release took place with the declared size only, that it took place would tell the size. Rows of a person who
    had one are left out, and the owner is told; a cell that cannot be read is told, too."""
    made = program(GUESTS)
    lines = ["who,x\n", *(f"p{i},1\n" for i in range(count))]
    assert checked(made, Rows(made, lines, "f", Form())) == Checked(count, (), 0)
    again = checked(made, Rows(made, [*lines, "p0,1\n", ",0\n"], "f", Form(identifiers="who")))
    assert again == Checked(count, (), 2) and "2 rows are of a person who has one before" in next(again.notes)
    with pytest.raises(SpecError, match="`abc` is not a number"):
        checked(made, Rows(made, [*lines, "p9,abc\n"], "f", Form()))


BAD = ("abc", "", "NA", "TRUE", "2", '"7\n8"', '"a, b"', '""""', "1e999999", '"x"y', "1_0")


@pytest.mark.parametrize("bad", BAD)
def test_after_the_charge_a_bad_cell_changes_nothing_that_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seeded: None, bad: str
) -> None:
    """Some rows were released; more come, with a bad cell or with what it is read as."""
    seen = []
    for number, cell in enumerate((bad, "0" if bad != "2" else "1")):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        desk = Desk(folder, capsys)
        desk.open(STREAM)
        assert desk.release(rows="x\n1\n")[0] == 0
        log = folder / "log"
        shown = desk.release("--log", str(log), rows=f"x\n1\n0\n1\n{cell}\n1\n0\n")
        seen.append((shown, desk.ledger, len(log.read_bytes()), log.stat().st_mode & 0o777))
        odd = [int(line.split()[0]) for line in log.read_text().splitlines()[1:]]
        assert odd[0] == 6 and (sum(odd[1:]) > 0) == (number == 0)
    assert seen[0] == seen[1]
    assert seen[0][0][0] == 0 and "stopped at step 6" in seen[0][0][1]


@pytest.mark.parametrize("bad", BAD)
def test_nothing_that_is_timed_depends_on_a_bad_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seeded: None, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    """With --live: the waits, the silences in the ledger, and when the owner's log is written are the same."""
    seen = []
    for number, cell in enumerate((bad, "0" if bad != "2" else "1")):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        desk = Desk(folder, capsys)
        desk.open(STREAM)
        desk.rows.write_text("x\n1\n")
        come = iter(["0\n", f"{cell}\n", "1\n", "", "1\n0\n1\n"])
        waits: list[tuple[float, int]] = []

        def sleep(
            seconds: float, desk: Desk = desk, come: Any = come, waits: Any = waits, folder: Path = folder
        ) -> None:
            waits.append((seconds, len((folder / "rows.csv.owner.log").read_bytes())))
            with desk.rows.open("a", newline="") as out:
                out.write(next(come))

        monkeypatch.setattr(time, "sleep", sleep)
        monkeypatch.setattr(time, "time", lambda: 1_000_007.25)
        seen.append((desk.release("--live", "--every", "5"), desk.ledger, waits))
    assert seen[0] == seen[1] and len(seen[0][2]) == 5
    silences = [body["look"]["step"] for kind, body in seen[0][1] if kind == "look" and not body["look"]["reports"]]
    assert seen[0][0][0] == 0 and silences


def test_a_public_cell_that_is_wrong_ends_a_live_release(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known to everybody; once the file is corrected the same command goes on."""
    desk.open(ARMS.replace("step >= 4", "step >= 400"), "replace one; public arm")
    desk.rows.write_text("arm,y\n0,1\n1,1\n")
    more = iter(["0,1\n0,1\n"])

    def sleep(_: float) -> None:
        added = next(more, None)
        if added is None:
            raise KeyboardInterrupt
        with desk.rows.open("a") as out:
            out.write(added)

    monkeypatch.setattr(time, "sleep", sleep)
    code, _, err = desk.release("--live")
    assert code == 2 and "E0629" in err and "line 5" in err
    desk.rows.write_text("arm,y\n0,1\n1,1\n0,1\n1,1\n")
    code, out, _ = desk.release("--live")
    assert code == 0 and out.count("block") == 2


def test_a_record_that_comes_in_two_parts(desk: Desk, monkeypatch: pytest.MonkeyPatch, seeded: None) -> None:
    """It is one row once its quote is closed, and the release goes on behind it when it is resumed."""
    desk.open(STREAM)
    desk.rows.write_text("said,x\nfine,1\n")
    more = iter(['"a\n0,1\n', 'b",1\n', "c,0\n"])

    def sleep(_: float) -> None:
        added = next(more, None)
        if added is None:
            raise KeyboardInterrupt
        with desk.rows.open("a") as out:
            out.write(added)

    monkeypatch.setattr(time, "sleep", sleep)
    code, out, _ = desk.release("--live")
    assert code == 0 and out.startswith("step 3: block")
    assert [body["look"]["step"] for kind, body in desk.ledger if kind == "look"] == [1, 2, 3]
    with desk.rows.open("a") as file:
        file.write('d,1\n"e\nf\n""g""",0\nh,1\n')
    code, out, _ = desk.release()
    assert code == 0 and "stopped at step 6" in out


def test_rows_are_checked_without_a_ledger(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    (desk.folder / "a.seq").write_text(SET)
    words = ["release", str(desk.folder / "a.seq"), "--check-rows", str(desk.rows)]
    desk.rows.write_text("x\n1\n0\n1\n")
    assert main(words) == 0 and "3 rows: every cell can be read" in capsys.readouterr().out
    (desk.folder / "b.seq").write_text(
        "algorithm b\nstream x in {0, 1}\nstop when max(step where x > 0 over steps) >= 3\n"
    )
    assert main(["release", str(desk.folder / "b.seq"), *words[2:]]) == 2 and "E0671" in capsys.readouterr().err
    desk.rows.write_text("x\n1\n0\nx\n")
    assert main(words) == 2 and "for the owner of the rows only" in capsys.readouterr().err
    assert main([*words, "--set", "n=4"]) == 2 and "E0618" in capsys.readouterr().err


@pytest.mark.parametrize(("laws", "rows", "wrong"), [
    (("point(1 - step % 2)",), "0101", None),
    (("point(1 - step % 2)",), "0110", 3),
    (("point(0)", "point(1)"), "1111", None),
    (("point(0)", "point(1)"), "0010", 3),
    (("bernoulli(1/2)",), "0010", None),
    (("bernoulli(0)",), "0010", 3),
    (("uniform({0, 1})",), "1100", None),
    (("{0: 1, 1: if step >= 3 then 1 else 0}",), "0010", None),
    (("{0: 1, 1: if step >= 3 then 1 else 0}",), "0110", 2),
])  # fmt: skip
def test_what_models_foresee(laws: Sequence[str], rows: str, wrong: int | None) -> None:
    """By the support of the law of a public field under some model, as one enumerates it by hand."""
    models = "".join(f"model m{i}: arm ~ {law}, x ~ bernoulli(1/2)\n" for i, law in enumerate(laws))
    text = f"algorithm a\npublic arm in {{0, 1}}\nstream x in {{0, 1}}\n{models}stop when step >= 9\n"
    claimed = text + "".join(f"claim expected(step) <= 9 under m{i}\n" for i in range(len(laws)))
    lines = ["arm,x\n", *(f"{arm},1\n" for arm in rows)]

    def read(spec: str) -> int | None:
        found = iter(Rows(load(Source("a.seq", spec)).program, lines, "f", Form()))
        for number in range(1, len(rows) + 1):
            try:
                next(found)
            except SpecError as why:
                assert why.diagnostics[0].code == "E0629"
                return number
        return None

    assert read(claimed) == wrong
    assert read(text) is None  # nothing is claimed of errors or steps
