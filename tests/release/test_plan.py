"""`release --plan` says of every program whether it is released."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqlang.cli.__main__ import main

TEXT = """\
algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(0.3)
statistic s = sum(x over steps)
stop when step >= 5 return s
attach geometric(1/2) to s
"""


@pytest.mark.parametrize(("claim", "verdict"), [("pure(1)", "proved"), ("pure(0.5)", "refuted")])
def test_a_program_that_runs_as_it_is_written(
    claim: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One entry moves the sum by 1, at a loss of log 2."""
    file = tmp_path / "a.seq"
    file.write_text(f"{TEXT}claim strong {claim}\n", encoding="utf-8")
    assert main(["release", str(file), "--plan"]) == (verdict != "proved")
    printed = capsys.readouterr().out
    assert f"{verdict}: claim strong {claim}" in printed
    assert ("It is not released" in printed) == (verdict != "proved")
