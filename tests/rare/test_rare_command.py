"""`run --rare` and `seqlang.rare` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from thorough import several

import seqlang
from seqlang import driver
from seqlang.cli.__main__ import main

NULL = ["run", "@wald1945/sprt", "--model", "null"]


def test_the_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*NULL, "--rare", "reject", "--rare", "accept", "--runs", "4000", "--json"]) == 0
    (text,) = capsys.readouterr().out.splitlines()
    found = json.loads(text)
    assert (found["schema"], found["algorithm"], found["model"]) == (1, "sprt", "null")
    assert list(found["rare"]) == ["reject", "accept"]
    reject = found["rare"]["reject"]
    assert {"probability", "se", "relative_error", "ci95", "ess", "largest_share", "method", "runs", "trusted"} <= set(
        reject
    )
    assert reject["ci95"][0] < reject["probability"] < reject["ci95"][1]
    assert reject["probability"] == pytest.approx(0.0326350, rel=0.03)  # solved exactly
    assert reject["trusted"] is True
    assert reject["warnings"] == []


def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*NULL, "--rare", "reject", "--runs", "4000"]) == 0
    said = capsys.readouterr().out
    assert "4,000 weighted runs" in said
    assert "0.032" in said


def test_a_doubt_is_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*NULL, "--rare", "reject", "--runs", "20"]) == 0
    assert "not to be trusted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rare", "rejct"], "did you mean `reject`"),
        (["--rare", "reject", "--sweep", "p0=0.2,0.3"], "--set"),
        (["--rare", "reject", "--data", "x.csv"], "--data"),
        (["--rare", "reject", "--runs", "0"], "--runs"),
        (["--rare", "reject", "--engine", "numpy"], "--engine does not go with --rare"),
        (["--rare", "reject", "--threads", "2"], "--threads does not go with --rare"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*NULL, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_from_python() -> None:
    (found,) = seqlang.rare("@wald1945/sprt", "reject", model="null", runs=2000, seed=2)
    (estimate,) = found.rare
    assert estimate.trusted == found.trusted
    assert estimate.interval[0] < 0.0326350 < estimate.interval[1]
    assert "reject" in str(found)


def test_no_chance_above_one_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The mean of the weights may come out above one; the test ends surely."""
    for seed in range(1, several(4, 9)):
        assert main([*NULL, "--rare", "stops", "--runs", "400", "--seed", str(seed)]) == 0
        (row,) = (line.split() for line in capsys.readouterr().out.splitlines() if line.split()[0] == "stops")
        assert float(row[1]) <= 1.0


def test_an_interrupt_says_what_is_known(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three returns one is estimated, one is half done, one not begun."""
    real = driver.rare

    def interrupted(loaded: driver.Loaded, labels: tuple[str, ...], **options: Any) -> Any:
        if labels == ("accept",):
            options["progress"](200, 0.9671)
            raise KeyboardInterrupt
        return real(loaded, labels, **options)

    monkeypatch.setattr(driver, "rare", interrupted)
    asked = [*NULL, "--rare", "reject", "--rare", "accept", "--rare", "stops", "--runs", "400"]
    assert main([*asked, "--json"]) == 130
    said = capsys.readouterr()
    assert list(json.loads(said.out)["rare"]) == ["reject"]
    assert "P(accept) under null is about 0.97 after 200 of 400 weighted runs" in said.err
    assert "P(stops) under null is not known: no weighted run was finished" in said.err
    assert "P(reject)" not in said.err


PRESSED = """
import os, signal, sys, threading
from seqlang import driver
from seqlang.cli.__main__ import main
real = driver.rare
def pressed(*arguments, **options):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    return real(*arguments, **options)
driver.rare = pressed
sys.exit(main({}))
"""
"""Ctrl-C half a second after the estimation has begun, which takes minutes, however long the start took."""


def test_an_interrupt_before_anything_is_known() -> None:
    options = ["--model", "null", "--set", "a=100", "--set", "b=100", "--rare", "reject", "--runs", "10000000"]
    words = ["run", "@zhang2022/privsprt_bernoulli", *options]
    done = subprocess.run([sys.executable, "-c", PRESSED.format(words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 130
    assert not done.stdout
    assert "interrupted\nP(reject) under null is not known" in done.stderr


def test_what_is_not_rare_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """P(reject) is 0.0326350: 4000 plain runs see it about 130 times, 1000 plain runs 33 times."""
    assert main([*NULL, "--rare", "reject", "--runs", "4000"]) == 0
    said = capsys.readouterr().out
    assert "P(reject) is not rare: 4,000 plain runs" in said
    assert "about 8." in said  # sqrt((1 - p) / (4000 p)) = 0.0861
    assert main([*NULL, "--rare", "reject", "--runs", "1000"]) == 0
    assert "not rare" not in capsys.readouterr().out
