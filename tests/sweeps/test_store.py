"""The file of finished units: who may take a unit on, and files that are something else."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from seqlang.diagnostics import SpecError
from seqlang.sweeps.owner import Owner, myself
from seqlang.sweeps.store import Store
from seqlang.sweeps.unit import Unit

UNIT = Unit("run", "x", "text", (), "m", (("seed", 1),), "identity")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "done.sqlite"


def test_finished_stays(file: Path) -> None:
    with Store(file) as store:
        assert store.answers([UNIT.key]) == {}
        assert store.claim(UNIT.key) == "mine"
        store.finish(UNIT, {"result": {"mean": 0.1, "labels": ["ä"]}})
        assert store.claim(UNIT.key) == "finished"
    with Store(file) as store:
        assert store.answers([UNIT.key, "other"]) == {UNIT.key: {"result": {"mean": 0.1, "labels": ["ä"]}}}
        assert store.answers([str(i) for i in range(1500)]) == {}


@pytest.mark.parametrize("column", ["answer", "digest", "key"])
def test_a_damaged_row_is_computed_again(file: Path, column: str) -> None:
    with Store(file) as store:
        store.finish(UNIT, {"result": {"mean": 0.125}})
    with closing(sqlite3.connect(file)) as database:
        (text,) = database.execute(f"select {column} from finished").fetchone()
        changed = text.replace("0.125", "0.625") if column == "answer" else text[:-1] + chr(ord(text[-1]) ^ 1)
        assert changed != text
        database.execute(f"update finished set {column} = ?", (changed,))
        database.commit()
    with Store(file) as store:
        assert store.answers([UNIT.key]) == {}
        assert store.claim(UNIT.key) == "mine"
        store.finish(UNIT, {"result": {"mean": 0.125}})
        assert store.answers([UNIT.key]) == {UNIT.key: {"result": {"mean": 0.125}}}


@pytest.mark.parametrize("value", [b"\xff", 7, "{", None])
def test_a_value_of_another_type_is_damage_too(file: Path, value: object) -> None:
    with Store(file) as store:
        store.finish(UNIT, {"result": {"mean": 0.125}})
        store.claim("other")
        with closing(sqlite3.connect(file)) as database:
            if value is not None:
                database.execute("update finished set answer = ?", (value,))
                database.execute("update underway set process = ?, born = ?", (value, b"x"))
            else:
                database.execute("update underway set process = -1")
            database.commit()
        assert (store.answers([UNIT.key]) == {}) == (value is not None)
        assert store.claim("other") == "mine"


def test_a_store_of_another_release(file: Path) -> None:
    Store(file).close()
    with closing(sqlite3.connect(file)) as database:
        database.execute("pragma user_version = 0")
    before = file.read_bytes()
    with pytest.raises(SpecError, match=r"E0641.*another release"):
        Store(file)
    assert file.read_bytes() == before


def test_what_is_under_way_elsewhere_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(file) as first, Store(file) as second:
        other = myself()
        monkeypatch.setattr(second, "_owner", Owner(other.host, other.process, other.born + "0"))
        monkeypatch.setattr(Owner, "lives", lambda self: True)
        assert first.claim("a") == "mine"
        assert first.claim("a") == "mine"  # still
        assert second.claim("a") == "elsewhere"
        assert second.claim("b") == "mine"
        monkeypatch.setattr(Owner, "lives", lambda self: False)
        assert second.claim("a") == "mine"  # the first died


def test_closing_lets_go(file: Path) -> None:
    with Store(file) as store:
        store.claim("a")
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("select count(*) from underway").fetchone() == (0,)


def test_who_lives() -> None:
    me = myself()
    assert me.lives()
    assert not Owner("another host", me.process, me.born).lives()
    assert not Owner(me.host, me.process, me.born + "1").lives()  # an earlier process of this number
    with subprocess.Popen([sys.executable, "-c", "pass"]) as child:
        child.wait()
    assert not Owner(me.host, child.pid, "").lives()


def test_files_of_something_else_are_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "photos.sqlite"
    with closing(sqlite3.connect(foreign)) as database:
        database.execute("create table photos (name text)")
    before = foreign.read_bytes()
    with pytest.raises(SpecError, match=r"E0641.*a database of something else"):
        Store(foreign)
    assert foreign.read_bytes() == before
    text = tmp_path / "notes.txt"
    text.write_text("dear diary\n" * 100)
    with pytest.raises(SpecError, match=r"E0641.*not a database"):
        Store(text)
    assert text.read_text().startswith("dear")
    with pytest.raises(SpecError, match="E0641"):
        Store(tmp_path / "no" / "folder.sqlite")
    with pytest.raises(SpecError, match="E0641"):
        Store(tmp_path)


def test_two_that_begin_together(file: Path) -> None:
    code = f"from seqlang.sweeps.store import Store\nfor _ in range(20):\n    Store({str(file)!r}).close()"
    children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [child.wait(timeout=60) for child in children] == [0, 0, 0]
