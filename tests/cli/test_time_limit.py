"""`--time-limit`: what is open when it is over is unknown, never wrong, and every command ends soon after it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from seqlang import driver
from seqlang.cli.__main__ import main
from seqlang.cli.options import PROOF_LIMIT
from seqlang.process import time_limit
from seqlang.process.time_limit import OutOfTime, limited, over, poll
from seqlang.proof.derivation import Derivation
from seqlang.proof.replay import Replay

SLOW = """algorithm slow
param eps > 0 = 1
stream x in {0, 1}
model m: x ~ bernoulli(0.3)
statistic s = sum(x over steps)
stop when s >= 40 return high
stop when step >= 2000000 return late
attach laplace(1 / eps) to s
attach laplace(2 / eps) to s once
claim strong pure(100)
claim strong pure(1000)
claim weak dp(0.1, 1e-9) under m
claim probability(high) >= 1 / 2 under m
"""


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_limit_is_over_when_its_clock_says_so() -> None:
    clock = Clock()
    poll()
    with limited(5, clock):
        clock.now += 4.9
        poll()
        assert not over()
        clock.now += 0.2
        with pytest.raises(OutOfTime, match="after 5 s"):
            poll()
        with limited(None):  # leaves the outer limit as it is
            assert over()
    poll()


def test_what_never_polls_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "GRACE", 0.1)
    for clock in (time.process_time, time.monotonic):
        began = time.monotonic()
        with pytest.raises(OutOfTime, match=r"after 0\.1 s"), limited(0.1, clock, forced=True):
            while time.monotonic() - began < 60:
                pass
        assert time.monotonic() - began < 50


def test_what_polls_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anybody after the limit's end."""
    monkeypatch.setattr(time_limit, "GRACE", 0.1)
    with limited(0.01, forced=True):
        until = time.process_time() + 0.5
        while time.process_time() < until:
            over()
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass


def test_a_limit_is_for_all_files(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"@tight/{name}" for name in ("one_sided", "two_sided", "blocks", "window")]
    assert main(["check", *names, "--time-limit", "0.01"]) == 1
    said = capsys.readouterr()
    assert "one_sided" in said.out and "two_sided" not in said.out
    assert "ended by --time-limit" in said.err


def test_a_limit_ends_a_verification(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "one_sided.cert")
    assert main(["check", "@tight/one_sided", "--certificate", file]) == 0
    assert main(["verify", file, "--time-limit", "60"]) == 0
    assert main(["verify", file, "--time-limit", "0"]) == 2


def test_what_was_verified_before_the_limit_stays(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step replays; the others never end, and do not ask for the time."""
    file = str(tmp_path / "one_sided.cert")
    assert main(["check", "@tight/one_sided", "--certificate", file]) == 0
    monkeypatch.setattr(time_limit, "GRACE", 0.1)
    problems = Replay.problems

    def endless(self: Replay, step: Derivation) -> Iterator[str]:
        until = time.monotonic() + (60 if step.premises else 0)
        while time.monotonic() < until:
            pass
        return problems(self, step)

    monkeypatch.setattr(Replay, "problems", endless)
    capsys.readouterr()
    assert main(["verify", file, "--time-limit", "0.2", "--json"]) == 1
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert told["cut_short"] and not told["ok"]
    assert [claim["established"] for claim in told["claims"]] == [True]
    assert [bound["by"] for bound in told["bounds"]] == ["alignment/stopping"]
    assert told["problems"] == ["not all of it was replayed for lack of time, after 0.2 s"]
    assert "ended by --time-limit: what is missing is unknown, for lack of time, after 0.2 s" in said.err


def test_without_time_every_claim_is_unknown_and_nothing_is_wrong() -> None:
    for name in ("@tight/one_sided", "@refuted/no_noise", "@zhang2022/privsprt_weak", "@michel2025/dp_sprt"):
        loaded = driver.load(driver.read(name), {})
        result = driver.check(loaded, time_limit=1e-9)
        assert result.cut_short
        assert result.witness is None and result.bounds.pure is None
        assert {v.verdict for v in result.verdicts} <= {"unknown"}
        assert all("for lack of time" in v.because for v in result.verdicts)


def test_a_program_that_takes_long_ends_at_the_limit(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What was decided before the end stays; what was not is unknown; the same claims are not decided otherwise."""
    file = tmp_path / "slow.seq"
    file.write_text(SLOW, encoding="utf-8")
    began = time.process_time()
    code = main(["check", str(file), "--time-limit", "2", "--json"])
    assert time.process_time() - began < 60
    found = json.loads(capsys.readouterr().out)
    assert code == 1 and found["cut_short"]
    verdicts = [claim["verdict"] for claim in found["claims"]]
    assert set(verdicts[:2]) <= {"proved", "unknown"}
    assert "unknown" in verdicts
    assert any("for lack of time" in claim["because"] for claim in found["claims"])


@pytest.mark.parametrize(
    "command",
    [
        ["solve", "@zhang2022/privsprt_bernoulli"],
        ["solve", "@zhang2022/privsprt_bernoulli", "--sweep", "a=1000,2000", "--workers", "1"],
        ["run", "@zhang2022/privsprt_bernoulli", "--runs", "100000000", "--engine", "numpy"],
        ["run", "@zhang2022/privsprt_bernoulli", "--rare", "reject", "--model", "null"],
        ["check", "@abadi2016/dp_sgd", "--solve-for", "sigma", "--target", "dp(1, 1e-6)"],
    ],
    ids=["solve", "sweep", "run", "rare", "calibrate"],
)
def test_every_command_ends(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    began = time.process_time()
    assert main([*command, "--time-limit", "0.01"]) == 1
    assert time.process_time() - began < 60
    said = capsys.readouterr()
    assert "time-limit" in said.err or "interrupted" in said.out


def test_a_limit_that_is_no_time_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("0", "-1", "soon"):
        assert main(["check", "@tight/one_sided", "--time-limit", text]) == 2
    assert "--time-limit" in capsys.readouterr().err


def test_the_default_limit_is_told_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert f"{PROOF_LIMIT:g}" in capsys.readouterr().out
