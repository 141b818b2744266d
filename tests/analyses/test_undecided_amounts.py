"""Claims of which exact arithmetic does not decide a number: the verdict is unknown, and says which number it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

SPEC = """algorithm undecided
stream x in {0, 1}
model m: x ~ bernoulli(1/2)
draw z ~ laplace(1)
stop when x + z >= 2
"""
UNDECIDED = {
    "strong pure(1/2) within ceil(exp(log(3))) steps": "ceil(exp(log(3)))",
    "strong pure(1/2) within floor(log(8) / log(2)) steps": "floor(log(8) / log(2))",
    "strong pure(floor(exp(log(3))))": "floor(exp(log(3)))",
    "strong dp(1, if exp(log(3)) >= 3 then 0.1 else 0.2)": "exp(log(3)) >= 3",
    "strong rdp(ceil(exp(log(3))), 1)": "ceil(exp(log(3)))",
    "weak pure(floor(exp(log(3)))) under m": "floor(exp(log(3)))",
    "weak dp(floor(exp(log(3))), 0.1) under m": "floor(exp(log(3)))",
}


@pytest.mark.parametrize("claim", UNDECIDED)
def test_unknown(claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "undecided.seq"
    path.write_text(f"{SPEC}claim {claim}\n")
    assert main(["check", str(path)]) == 1, capsys.readouterr().err
    said = " ".join(capsys.readouterr().out.split())
    assert "? unknown" in said and f"does not decide the value of `{UNDECIDED[claim]}" in said.replace("if ", "")


@pytest.mark.parametrize("steps", ["ceil(exp(1))", "ceil(exp(log(3)) + 1/2)"])
def test_decided(steps: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Far from a jump the value is known: ceil(e) is 3. In 3 steps, this spec loses 1 at most: one entry, one noise."""
    path = tmp_path / "decided.seq"
    path.write_text(f"{SPEC}claim strong pure(1) within {steps} steps\n")
    assert main(["check", str(path)]) == 0, capsys.readouterr().out
