"""`seqlang fmt --core` prints what the kernel prints of a certificate, with the names of the spec beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqlang.analyses.automata.lower import expression_of, lowered
from seqlang.cli.__main__ import main
from seqlang.driver.loading import load, read
from seqlang.kernel.text import of, shown

SPECS = ("tight/one_sided", "dwork2014/sparse_vector", "suite/smartsum", "lyu2017/svt7", "suite/prefixsum")


@pytest.mark.parametrize("name", SPECS)
def test_the_lines_of_the_kernel(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--core", f"@{name}"]) == 0
    printed = [line.partition("  # ")[0] for line in capsys.readouterr().out.splitlines()]
    program = load(read(f"@{name}")).program
    privacy = program.claims[0].privacy
    assert privacy is not None
    epsilon = expression_of(program, privacy.arguments[0])
    assert [*printed, f"claim: strong pure({of(epsilon)})"] == shown(lowered(program), epsilon).splitlines()


def test_names_stand_beside_their_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.seq"
    file.write_text(
        "algorithm a\nstream harmed in {0, 1}\nmemory kept = 2\nstatistic total = sum(harmed over steps)\n"
        "stop when total >= kept return yes\nattach geometric(exp(-1)) to total\n"
    )
    text = file.read_text()
    assert main(["fmt", "--core", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "input 0: one of 0, 1  # harmed",
        "neighbours: one changed entry",
        "memory 0 = 2  # kept",
        "draw 0 ~ geometric(exp(negate(1))), step  # total.step",
        "cell 0: sum of input 0  # sum.1",
        "let 0 = cell 0  # total",
        "stop 0 when ((let 0 + (1 * draw 0)) >= memory 0), return yes",
    ]
    assert file.read_text() == text


def test_what_the_kernel_does_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--core", "@chan2011/tree_sums"]) == 2
    assert "the kernel of proofs does not read noise of the law tree" in capsys.readouterr().err
