"""Claims of which exact arithmetic does not decide a number: the verdict is unknown, and says which number it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

SPEC = """algorithm undecided
stream x in {0, 1}
model m: x ~ bernoulli(1/2)
draw z ~ laplace(0.4)
stop when x + z >= 2
"""
THREE = "3 + sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6))"
"""It is 3: the square of the sum of the first two roots is what the third is of. No digits show that."""
UNDECIDED = {
    f"strong pure(1/2) within ceil({THREE}) steps": f"ceil({THREE})",
    f"strong pure(floor({THREE}))": f"floor({THREE})",
    f"strong dp(1, if {THREE} >= 3 then 0.1 else 0.2)": f"{THREE} >= 3",
    f"strong rdp(ceil({THREE}), 1)": f"ceil({THREE})",
    f"weak pure(floor({THREE})) under m": f"floor({THREE})",
    f"weak dp(floor({THREE}), 0.1) under m": f"floor({THREE})",
}


@pytest.mark.parametrize("claim", UNDECIDED)
def test_unknown(claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "undecided.seq"
    path.write_text(f"{SPEC}claim {claim}\n")
    assert main(["check", str(path)]) == 1, capsys.readouterr().err
    said = " ".join(capsys.readouterr().out.split())
    assert "? unknown" in said and f"does not decide the value of `{UNDECIDED[claim]}" in said.replace("if ", "")


KNOWN = ["ceil(exp(1))", "ceil(exp(log(3)))", "floor(log(8) / log(2))", f"ceil({THREE} - 1/2)"]


@pytest.mark.parametrize("steps", KNOWN)
def test_decided(steps: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Far from a jump the value is known: ceil(e) is 3. So is exp(log(3)). In 3 steps, this spec loses 2.5 at most: one
    entry, one noise."""
    path = tmp_path / "decided.seq"
    path.write_text(f"{SPEC}claim strong pure(2.5) within {steps} steps\n")
    assert main(["check", str(path)]) == 0, capsys.readouterr().out
