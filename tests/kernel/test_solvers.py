"""Solvers that know nothing of the kernel judge its conditions: those of accepted certificates hold, and of claims that
are too small one does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from seqlang.analyses.automata.find import find
from seqlang.analyses.automata.lower import expression_of, lowered
from seqlang.driver.loading import load, read
from seqlang.kernel import reading
from seqlang.kernel.__main__ import main
from seqlang.kernel.check import conditions
from seqlang.kernel.core import Number, Op
from seqlang.kernel.proof import Certificate
from seqlang.kernel.smt import script

SOLVERS = ("z3", "cvc5")
SPECS = (
    "tight/one_sided", "tight/two_sided", "tight/cusum", "dwork2014/sparse_vector", "dwork2014/numeric_sparse_vector",
    "suite/prefixsum", "suite/gapsparsevector", "michel2025/outside_interval",
)  # fmt: skip


def by_z3(text: str) -> str:
    z3 = pytest.importorskip("z3")
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


def by_cvc5(text: str) -> str:
    cvc5 = pytest.importorskip("cvc5")
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "condition")
    symbols, found = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        found += command.invoke(solver, symbols)
    return found.strip()


ANSWERS: dict[str, Callable[[str], str]] = {"z3": by_z3, "cvc5": by_cvc5}


def certificate(name: str) -> Certificate:
    program = load(read(f"@{name}")).program
    claim = next(c for c in program.claims if c.kind == "strong" and c.privacy is not None and c.expect is None)
    assert claim.privacy is not None
    found = find(lowered(program), expression_of(program, claim.privacy.arguments[0]))
    assert found is not None
    return found


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_agrees_with_the_judge(solver: str, name: str) -> None:
    pytest.importorskip(solver)
    proof = certificate(name)
    answers = [ANSWERS[solver](script(condition)) for condition, _ in conditions(proof)]
    assert set(answers) == {"unsat"}
    smaller = replace(proof, epsilon=Op("*", (Number(Fraction(99, 100)), proof.epsilon)))
    assert "sat" in [ANSWERS[solver](script(condition)) for condition, _ in conditions(smaller)]


def test_the_command_writes_one_script_for_each_condition(tmp_path: Path) -> None:
    proof = certificate("tight/one_sided")
    path, folder = tmp_path / "c.json", tmp_path / "smt"
    path.write_text(json.dumps(reading.written(proof)))
    assert main([str(path), "--smt", str(folder)]) == 0
    texts = [file.read_text() for file in sorted(folder.iterdir())]
    assert texts == [script(condition) for condition, _ in conditions(proof)]
    assert all(text.endswith("(check-sat)\n") for text in texts)
