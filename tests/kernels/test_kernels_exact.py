"""Kernels and the interpreter on the same rows, after every number of steps: all that a run shows, and its faults."""

from __future__ import annotations

import random
import re

import kernel_programs
import numpy as np
import pytest
from kernel_programs import FAULTS
from plain_kernels import (
    ByText,
    Maker,
    as_python,
    compare,
    compiled,
    difference,
    interpreted,
    program_of,
    random_rows,
    streams,
)

NAMES = ("NUMBERS", "VECTORS", "LISTS", "CELLS", "WINDOWS", "PUBLIC", "LABELS", "NUMBERED", "RECORDS")
STEPS = 12


def agree(name: str, make: Maker, runs: int, seed: int) -> None:
    program = program_of(getattr(kernel_programs, name))
    rng = random.Random(f"{name} {seed}")
    if program.size is None:
        rows = [random_rows(program, STEPS, rng) for _ in range(runs)]
        compare(ByText(program, *streams(rows), make), STEPS, rows)
        return
    records = random_rows(program, 6, rng)
    orders = [rng.sample(range(6), 6) for _ in range(runs)]
    fields = {key: np.array([r[key] for r in records], dtype=float) for key in records[0]}
    compare(ByText(program, fields, orders, make), STEPS, [[records[i] for i in order] for order in orders])


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_kernel_agrees_with_the_interpreter(name: str) -> None:
    agree(name, as_python, 8, 1)


SLOW = ("WINDOWS", "LISTS", "CELLS", "PUBLIC", "RECORDS")
"""Seconds to compile. By default their text runs as Python, above, and windows and lists are compiled
with `tight/window` and `zhang2021/paprika` in test_kernels_library.py."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long if n in SLOW else ()) for n in NAMES])
def test_compiled_kernels_agree_with_the_interpreter(name: str) -> None:
    pytest.importorskip("numba")
    agree(name, compiled, 60, 2)


@pytest.mark.parametrize("name", FAULTS)
def test_values_that_are_none(name: str) -> None:
    """A fault in the same step as the interpreter's, and none where the place is not reached."""
    statement, at = FAULTS[name]
    end = "" if statement.startswith("stop") else "\nstop when step >= 6"
    program = program_of(f"algorithm faults\nstream x in 0..9\n{statement}{end}")
    rows = [{"x": i} for i in range(1, 7)]
    wanted = list(interpreted(program, rows, 6))
    assert not at or wanted[-1].fault == at
    kernel = ByText(program, *streams([rows]))
    for step in range(1, 7):
        found, expected = kernel.after(step)[0], wanted[min(step, len(wanted)) - 1]
        if "draw" in statement:
            assert found.fault == expected.fault
        else:
            assert difference(found, expected) is None


def test_faults_are_found_by_compiled_kernels() -> None:
    """Many statistics without a value in one program: the runs differ in which of them is met."""
    pytest.importorskip("numba")
    others = re.compile(
        r"statistic s = (\[1,|if )|previous|over|\br\b|== 1|\.p"
    )  # vectors, truths, and what more is needed for
    met = [(s.removeprefix("statistic s = "), at) for s, at in FAULTS.values() if at and not others.search(s)]
    met = [(text, at) for text, at in met if not text.startswith(("stop", "draw", "let", "report"))]
    assert len(met) > 15
    lines = [f"statistic s{i} = if which == {i} then {text} else 0" for i, (text, _) in enumerate(met)]
    header = "algorithm faults\nstream x in 0..9, which in 0..99\n"
    program = program_of(header + "\n".join([*lines, "stop when step >= 6"]))
    rows = [[{"x": x, "which": i} for x in range(1, 7)] for i in range(len(met))]
    fields, orders = streams(rows)
    kernel = ByText(program, fields, orders, compiled)
    for order, (text, at) in zip(orders, met, strict=True):
        kernel.orders = np.ascontiguousarray([order])
        assert kernel.after(6)[0].fault == at, text
        assert at == 1 or not kernel.after(at - 1)[0].fault, text


@pytest.mark.parametrize(
    "statement",
    ["stop when x == 2 return EXPRESSION", "report r = EXPRESSION when x == 2", "update m = EXPRESSION when x == 2"],
)
def test_what_is_done_under_a_condition_has_no_faults_elsewhere(statement: str) -> None:
    for expression in ("1 / (x - 1) - 1 / (x - 1)", "sum(sqrt(x - k) for k in 1..2)", "[1, 2][x] + log(x - 1)"):
        text = f"algorithm a\npublic x in 0..9\nmemory m = 0\n{statement}\nstop when step >= 6"
        program = program_of(text.replace("EXPRESSION", expression))
        for xs in ((1, 2, 3, 4, 5, 6), (1, 0, 1, 0, 1, 1)):
            rows = [{"x": x} for x in xs]
            kernel = ByText(program, *streams([rows]))
            for step, wanted in enumerate(interpreted(program, rows, 6), start=1):
                assert difference(kernel.after(step)[0], wanted) is None
