"""Units and executors: each unit once, whoever computes it, and what becomes of one that fails."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sweep_command import SPEC

from seqlang.diagnostics import SpecError
from seqlang.source import Source
from seqlang.sweeps.carry_out import Bug, carry_out
from seqlang.sweeps.cells import combined
from seqlang.sweeps.compute import compute
from seqlang.sweeps.executors.choose import executor
from seqlang.sweeps.executors.executor import Executor, Plain, Tell
from seqlang.sweeps.executors.processes import Processes
from seqlang.sweeps.executors.serial import Serial
from seqlang.sweeps.owner import Owner, myself
from seqlang.sweeps.plan import plan
from seqlang.sweeps.store import Store
from seqlang.sweeps.unit import Unit


def _units(count: int) -> list[Unit]:
    return [Unit("run", "x", SPEC, (), "fair", (("runs", 20), ("seed", i)), "i") for i in range(count)]


def _silent(number: int, state: Plain) -> None:
    pass


class Counting(Executor):
    """Answers with what it was given, and remembers it; `now` is called before each answer."""

    def __init__(self, now: Any = None, seconds: float = 0.0) -> None:
        self.given: list[int] = []
        self.now, self.seconds = now, seconds

    @property
    def title(self) -> str:
        return "nowhere"

    def answers(self, units: Iterator[tuple[int, Plain]], tell: Tell) -> Iterator[tuple[int, Plain]]:
        for number, unit in units:
            self.given.append(unit["options"]["seed"])
            time.sleep(self.seconds)
            if self.now is not None:
                self.now()
            yield number, {"result": unit["options"]}


def test_every_unit_once_and_equal_units_together(tmp_path: Path) -> None:
    units = [*_units(5), *_units(3)]
    for store in (None, Store(tmp_path / "done.sqlite")):
        where = Counting()
        found = dict(carry_out(units, where, store, _silent))
        assert where.given == [0, 1, 2, 3, 4]
        assert {n: a["result"]["seed"] for n, a in found.items()} == dict(enumerate([0, 1, 2, 3, 4, 0, 1, 2]))


def test_nothing_twice_after_an_interrupt(tmp_path: Path) -> None:
    file, given = tmp_path / "done.sqlite", []
    for after in (3, 4, 100):
        where = Counting()
        with Store(file) as store:
            for count, _ in enumerate(carry_out(_units(9), where, store, _silent)):
                if len(where.given) > after or count > 100:
                    break
        given += where.given
    # Only the one that was handed out and not yet kept may be asked for again: here none, an answer is kept first.
    assert sorted(given) == list(range(9))


def test_two_at_one_store_share_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads stand for two processes; their owners are told apart by hand."""
    monkeypatch.setattr(Owner, "lives", lambda self: True)
    tables: dict[str, dict[int, Any]] = {}
    where = {name: Counting(seconds=0.01) for name in ("first", "second")}

    def sweep(name: str) -> None:
        me = myself()
        with Store(tmp_path / "done.sqlite") as store:
            store._owner = Owner(me.host, me.process, name)
            tables[name] = dict(carry_out(_units(30), where[name], store, _silent))

    threads = [threading.Thread(target=sweep, args=(name,)) for name in where]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tables["first"] == tables["second"]
    assert len(tables["first"]) == 30
    assert sorted(where["first"].given + where["second"].given) == list(range(30))
    assert min(len(w.given) for w in where.values()) > 0


def test_serial_and_processes_agree() -> None:
    planned = plan(Source("x", SPEC), {}, combined((), []), (), run={"runs": 500, "seed": 3, "cap": None}, solve={})
    found = []
    for where in (Serial(), Processes(2)):
        with where:
            found.append(dict(carry_out(planned.units, where, None, _silent)))
    for answers in found:
        for answer in answers.values():
            for time_ in ("seconds", "steps_per_second", "seconds_preparing"):
                answer["result"].pop(time_, None)
    assert found[0] == found[1]
    assert len(found[0]) == 4


def test_a_process_that_dies_is_replaced() -> None:
    with Processes(2) as where:
        first = True
        found = {}
        for number, answer in carry_out(_units(12), where, None, _silent):
            found[number] = answer["result"]["seed"]
            if first:
                for worker in list(where._workers.values()):
                    os.kill(worker._process.pid, signal.SIGKILL)
                first = False
    assert found == {i: i for i in range(12)}


def test_a_unit_that_kills_every_process_is_named() -> None:
    """A worker that ends at once, as one that runs out of memory does."""

    def killed(number: int, state: Plain) -> None:
        for worker in list(where._workers.values()):
            os.kill(worker._process.pid, signal.SIGKILL)

    unit = Unit("run", "greedy.seq", SPEC, (), "fair", (("runs", 10**9), ("seed", 1)), "i")
    with Processes(1) as where, pytest.raises(SpecError, match=r"3 processes died over `greedy.seq`.*signal 9"):
        list(carry_out([unit], where, None, killed))


def test_a_unit_that_fails_ends_the_sweep_with_its_place() -> None:
    text = "algorithm a\nparam d = 1\nstream x in [0, 1]\nmodel m: x ~ point(0.5)\nstop when log(x - d) >= 3\n"
    cells = combined((), [("d", [Fraction(1), Fraction(2)])])
    planned = plan(Source("x.seq", text), {}, cells, (), run={"runs": 5, "seed": 1, "cap": None})
    for where in (Serial(), Processes(1)):
        with where, pytest.raises(SpecError) as raised:
            list(carry_out(planned.units, where, None, _silent))
        (found,) = raised.value.diagnostics
        assert "in the cell x.seq with d = 1 under m" in found.notes
        assert raised.value.source.line_column(found.primary.span.start) == (5, 11)


def test_other_releases_and_bugs() -> None:
    unit = Unit("run", "x", SPEC, (), "fair", (("runs", 1),), "i").to_plain()
    assert compute({**unit, "seqlang": "0.0.0"}) == {"version": __import__("seqlang").__version__}
    assert compute({**unit, "options": {"runz": 1}})["bug"].startswith("TypeError")
    with pytest.raises(Bug, match="TypeError"):
        list(carry_out([Unit("run", "x", SPEC, (), "fair", (("runz", 1),), "i")], Serial(), None, _silent))


def test_an_interrupted_simulation_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    class Cut:
        def to_dict(self) -> dict[str, Any]:
            return {"runs": 3, "interrupted": True}

    monkeypatch.setattr("seqlang.driver.run", lambda *a, **k: (Cut(),))
    with pytest.raises(KeyboardInterrupt):
        compute(_units(1)[0].to_plain())


def test_what_cannot_be_solved_says_why() -> None:
    window = Path(__file__).resolve().parents[2] / "specs/tight/window.seq"
    unit = Unit("solve", "window", window.read_text(encoding="utf-8"), (), "quiet", (), "i")
    assert "has no exact law here" in compute(unit.to_plain())["unsolved"]


def test_the_executor_fits_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqlang.sweeps.executors.processes.cores", lambda: 4)
    few, many = _units(8), [Unit("run", "x", "", (), "m", (("runs", 50_000), ("seed", i)), "i") for i in range(8)]
    assert executor(few, None, None).title == "in this process"
    assert executor(many, None, None).title == "in 4 processes"
    assert executor(many[:2], None, None).title == "in 2 processes"
    assert executor(many, 3, None).title == "in 3 processes"
    assert executor(many, 1, None).title == "in this process"
