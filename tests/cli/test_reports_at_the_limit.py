"""When the limit strikes, also in the middle of work that does not poll, a command reports what it has found before."""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from seqlang.cli.__main__ import main
from seqlang.process import time_limit
from seqlang.process.time_limit import OutOfTime, limited, undisturbed

INVESTING = """algorithm investing
stream x in {0, 1}
model nulls: x ~ bernoulli(0.1)
memory wealth = 0.5
statistic q = x
report reject when q >= 1 - wealth
attach laplace(0.5) to q
update wealth = if reject then wealth * 0.9 + 0.025 else wealth * 0.97
stop when step >= 2 and wealth >= 0.46 return rich
stop when step >= 100 return done
"""
"""The wealth has twice as many values after each step."""


def _endless(*_: object, **__: object) -> Any:
    """Work that does not poll."""
    began = time.monotonic()
    while time.monotonic() - began < 60:
        pass


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(time_limit, "GRACE", 0.7)
    path = tmp_path / "investing.seq"
    path.write_text(INVESTING)
    return path


def test_a_check_with_thousands_of_public_values(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec.write_text(f"{INVESTING}claim strong pure(2)\nclaim probability(wealth >= 0.4) <= 0.97 under nulls\n")
    assert main(["check", str(spec), "--time-limit", "2", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["strong"]["pure"]["upper"] == 2.0
    strong, operating = found["claims"]
    assert strong["verdict"] == "proved"
    assert operating["verdict"] == "unknown" and "for lack of time" in operating["because"]


@pytest.mark.parametrize(
    "part",
    [
        "seqlang.analyses.refute.lower_bound",
        "seqlang.analyses.refute.beyond",
        "seqlang.analyses.trials.trials.pairs_of",
        "seqlang.analyses.operating.claims.decide_operating",
    ],
)
def test_an_interrupted_part(
    part: str, spec: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec.write_text(f"{INVESTING}claim strong pure(2)\nclaim expected(step) <= 99 under nulls\n")
    monkeypatch.setattr(part, _endless)
    code = main(["check", str(spec), "--time-limit", "1", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if all(claim["ok"] for claim in found["claims"]) else 1)  # a fast machine decides the second one
    assert found["cut_short"] and found["strong"]["pure"]["upper"] == 2.0
    assert found["claims"][0]["verdict"] == "proved"


def test_a_law_so_far(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Steps that were solved are reported, and the rest is unresolved. Two rejections leave a wealth of 0.4525; without
    them it is at least 0.46 in step 2, and the run stops."""

    def rejects(wealth: float) -> float:
        beyond = 0.5 * math.exp(-2 * (1 - wealth)), 1 - 0.5 * math.exp(-2 * wealth)  # of 0 and of 1, by Laplace tails
        return 0.9 * beyond[0] + 0.1 * beyond[1]

    stopped = 1 - rejects(0.5) * rejects(0.475)
    assert main(["solve", str(spec), "--time-limit", "1.5", "--json"]) == 1
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert "ended by --time-limit" in said.err
    left = found["mass_unresolved"]
    assert left > 0.001 and stopped < found["returns"]["rich"] + 1e-6 < stopped + 0.2
    assert found["returns"]["rich"] + found["returns"]["done"] + left == pytest.approx(1, abs=1e-6)


def test_what_is_put_together_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "GRACE", 0.1)
    reached = False
    with pytest.raises(OutOfTime), limited(0.05, forced=True):
        with undisturbed():
            until = time.process_time() + 0.4
            while time.process_time() < until:
                time_limit.over()
            reached = True
        _endless()
    assert reached


def test_a_monitor_without_time_for_an_outlook(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the test stands is told; what may come is missing."""
    import seqlang.monitoring  # noqa: F401 # a function of the same name hides the module

    monkeypatch.setattr(time_limit, "GRACE", 0.7)
    monkeypatch.setattr(sys.modules["seqlang.monitoring.watch"], "_outlook", _endless)
    assert main(["monitor", "@tight/blocks", "--counts", "7", "--time-limit", "1.5", "--json"]) == 1
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["stage"] == 1 and found["conditional_power"] == {}
    assert "ended by --time-limit" in said.err
