"""What the process that verifies imports, and what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from written_certificates import SPECS, certificate

from seqlang.cli.__main__ import main

ROOT = SPECS.parent
MAY = {
    "proof",
    "rules",
    "accounting",
    "operators",
    "laws",
    "arithmetic",
    "lowering",
    "model",
    "record",
    "source",
    "certificate",
    "version",
    "process",
}
THIN = {"cli.__main__", "cli.verify", "cli.options", "cli.terminal", "cli.terminal.errors", "cli.terminal.output",
        "diagnostics.diagnostic", "diagnostics.display", "diagnostics.suggest"}  # fmt: skip
HEAVY = {"scipy", "sympy", "numba", "lark", "rich", "matplotlib", "threadpoolctl"}


def _modules_after(*arguments: str) -> set[str]:
    """The modules of a process that ran `seqlang ARGUMENTS`."""
    code = (
        "import sys; from seqlang.cli.__main__ import main; code = main(sys.argv[1:]); "
        "print('\\n' + ' '.join(sys.modules)); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    return set(done.stdout.splitlines()[-1].split())


@pytest.fixture(params=["tight/one_sided", "bittner2020/flsw", "abadi2016/dp_sgd"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_is_imported(name: str, tmp_path: Path) -> None:
    """Proofs, rules and what they read; a thin command; no search, no parser, no backend, no report."""
    file = tmp_path / "a.cert"
    file.write_text(certificate(name))
    modules = _modules_after("verify", str(file))
    ours = {m.removeprefix("seqlang.") for m in modules if m.startswith("seqlang.")}
    assert ours
    rest = {m for m in ours if m.partition(".")[0] not in MAY}
    assert {m for m in rest if m not in ("cli", "diagnostics")} <= THIN
    assert not {m.partition(".")[0] for m in modules} & HEAVY
    assert ("numpy" in modules) == (name == "abadi2016/dp_sgd")  # transforms of privacy losses


def test_the_spec_brings_the_parser_along(tmp_path: Path) -> None:
    file = tmp_path / "a.cert"
    file.write_text(certificate("tight/one_sided"))
    modules = _modules_after("verify", str(file), "--spec", "@tight/one_sided")
    rooms = {m.split(".")[1] for m in modules if m.startswith("seqlang.")}
    assert {"elaborate", "syntax"} <= rooms
    assert not {"analyses", "backends", "report", "sweeps"} & rooms


def test_the_lines_that_it_rests_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a process of its own: what this one has imported is more."""
    file = tmp_path / "a.cert"
    file.write_text(certificate("tight/one_sided"))
    done = subprocess.run([sys.executable, "-m", "seqlang", "verify", str(file), "--lines", "--json"],
                          capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
                          check=True)  # fmt: skip
    lines = json.loads(done.stdout)["lines"]
    assert set(lines) <= MAY | {"seqlang", "cli", "diagnostics", "all"}
    assert lines["all"] == sum(n for room, n in lines.items() if room != "all")
    assert lines["record"] == len((ROOT / "seqlang/record.py").read_text().splitlines())
    assert 10_000 < lines["all"] < 25_000


def test_check_writes_and_verify_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.cert"
    assert main(["check", "@tight/one_sided", "--set", "lz=1/3", "--certificate", str(file)]) == 0
    assert capsys.readouterr().err == f"wrote {file}\n"
    assert main(["check", "@tight/one_sided", "--set", "lz=1/3", "--certificate", str(tmp_path / "b.cert")]) == 0
    assert file.read_bytes() == (tmp_path / "b.cert").read_bytes()
    capsys.readouterr()
    assert main(["verify", str(file), "--spec", "@tight/one_sided", "--json", "--every-claim"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert told["parameters"]["lz"] == "1/3"
    assert told["claims"] == [
        {"claim": "strong pure(max(D / lz, D / lw))", "established": True, "why": "by alignment/stopping"}
    ]
    assert told["bounds"][0] == {"bound": "pure(max(D/lz, D/lw)), at most 3.0", "by": "alignment/stopping"}


def test_options_that_do_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "a.cert")
    for more in (["--suite"], ["--instances", "3"], ["@tight/two_sided"], ["--solve-for", "lz", "--target", "pure(1)"]):
        assert main(["check", "@tight/one_sided", *more, "--certificate", file]) == 2, more
    assert main(["check", "@tight/one_sided", "--certificate", str(tmp_path / "none" / "a.cert")]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert not Path(file).exists()
