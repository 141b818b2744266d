"""The numpy engine and the interpreter on programs whose statement has no value in some step: the same step."""

from __future__ import annotations

import pytest
from kernel_programs import FAULTS
from plain_kernels import program_of

from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.model.program import Program


def last_step(program: Program, engine: str) -> str:
    """What the error says about the step in which there is no value; empty without one."""
    try:
        simulate(program, program.models[-1], runs=9, seed=1, engine=engine)
    except EvaluationError as error:
        return " ".join(error.diagnostics[0].notes).partition(" of ")[0].partition(" in run")[0]
    return ""


@pytest.mark.parametrize("name", [name for name in FAULTS if not name.startswith("chosen ")])
def test_both_end_in_the_same_step(name: str) -> None:
    """A branch that is not chosen, and a part that is not read, are without a value and without an error."""
    statement, _ = FAULTS[name]
    end = "" if statement.startswith("stop") else "\nstop when step >= 6"
    program = program_of(f"algorithm faults\nstream x in 0..9\n{statement}{end}\nmodel steps: x ~ {{min(step, 9): 1}}")
    assert last_step(program, "auto") == last_step(program, "interpreter")


NOT_READ = [
    "if x > 2 then (if sqrt(4 - x) > 1 then 1 else 2) else 7",
    "sum(if sqrt(x - k) > 1 then 1 else 2 for k in 1..3 where k <= x)",
    "count(sqrt(3 - x) > 1 where x != 4 over steps)",
    "sum(if sqrt(3 - x) > 1 then 1 else 2 where x != 4 over steps)",
    "if x != 3 and 0 / (x - 3) >= 1 then 1 else 2",
]


@pytest.mark.parametrize("text", NOT_READ)
@pytest.mark.parametrize("engine", ["numpy", "interpreter"])
def test_what_is_not_read_is_no_error(text: str, engine: str) -> None:
    """What has no value there stands in a branch, or in an entry that does not count."""
    program = program_of(
        f"algorithm a\nstream x in 0..9\nstatistic s = {text}\nstop when step >= 4\nmodel m1: x ~ {{min(step, 9): 1}}"
    )
    assert last_step(program, engine) == ""
