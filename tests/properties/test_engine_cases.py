"""What engines once got wrong, as small as it can be: each case in every engine, beside the interpreter."""

from __future__ import annotations

import random
from typing import Any

import pytest
import random_programs.engine_paths as judge
from plain_kernels import interpreted, program_of
from random_programs.engine_tables import ENGINES

from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import lower
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved

STREAM = "stream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"
DATASET = "dataset x in {0, 1} size 3\nmodel m: x ~ bernoulli(0.5)\n"
CASES = {
    "windows of windows, one for each letter": """
        statistic v = [sum(sum(i + x over last 2) over last 2) for i in 1..3]
        statistic s1 = v[1] + 10 * v[3]""",
    "one letter, nested and side by side": """
        statistic s1 = sum(i * sum(i + x for i in 0..i) for i in 1..3) + sum(i for i in 1..2)
        statistic s2 = [sum(i * x over steps) + max(sum(i + x over last i) for i in 1..2) for i in 1..2][2]""",
    "a cell in two `for`": """
        statistic s1 = sum(sum(i * sum(i + j * x over steps) for j in 1..i) for i in 1..2)""",
    "a letter behind two cells": """
        statistic s1 = sum(max(count(x >= i over steps) - i over last 2) for i in 0..2)""",
    "a memory above and below its update": """
        memory w = 1
        statistic s1 = w * x
        statistic s3 = w
        statistic l2 = [w, w + x]
        update w = w + 1
        statistic s2 = s1 - w * x + sum(w * x over steps) + 100 * sum(l2) + 1000 * length([s3]) * s3""",
    "a memory above its update, in a list that grows": """
        memory w = 1
        report r when x == 1
        statistic h = [w * z for z in history(step, r)]
        statistic s1 = sum(w over last 2)
        update w = 2 * w when r
        statistic s2 = sum(h) + s1""",
    "a remembered vector of constants": """
        report r when x == 1
        statistic p = previous([x, 1], [1, 2])
        statistic q = previous([1, 2], [3, 4])
        statistic s1 = p[1] + p[2] + 10 * q[1] + length(history([1, 2], r))""",
    "a position of another library's type": """
        statistic l1 = [x, 2]
        statistic s1 = sum(l1[1 + min(i, 1)] for i in 0..2)""",
    "a position that is not looked at": """
        let table = [1, 3, 2]
        statistic s1 = if step <= 3 and x >= table[step] - 1 then 1 else 0""",
    "a set that changes": """
        statistic s1 = sum(k for k in {1, 1 + x}) + 10 * max(k * x for k in {0, x, 2})""",
    "statistics of statistics, summed": """
        statistic s1 = 1 - x
        statistic s2 = 1 - s1
        statistic s3 = sum(s2 over steps)""",
    "what a look-back remembers has no plain value": """
        statistic s1 = previous(argmax(x over steps), 1)""",
    "a window of nothing": """
        statistic s2 = if x > 0 then mean(x where x > 0 over last 2) else 0
        statistic s1 = max(max(x where x > 0 over last 2), -1) + s2""",
    "names that differ by a dot": """
        statistic sum_1 = 5
        statistic s1 = sum(x over steps) + sum_1""",
}  # fmt: skip


def text_of(lines: str, entry: str = STREAM) -> str:
    body = "\n".join(line.strip() for line in lines.strip().splitlines())
    return f"algorithm case\n{entry}{body}\nstop when s1 >= 10000 return high\nstop when step >= 4 return low\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_every_engine_gives_the_interpreter_s_numbers(name: str, engine: str) -> None:
    text, rng = text_of(CASES[name]), random.Random(name)
    program = program_of(text)
    runs = judge.random_rows(program, rng, 12, 4)
    comparisons: dict[str, Any] = {
        "numpy": lambda: judge.compare_paths(program, runs, 4, judge.by_numpy(program, runs, 4)),
        "compiled": lambda: judge.compare_paths(program, runs, 4, judge.by_kernel(program, runs, 4)),
        "exact law": lambda: judge.compare_law(program, 4)[0],
        "transcript": lambda: judge.compare_transcript(text, runs[0], rng),
    }
    try:
        assert comparisons[engine]() is None
    except judge.Refused as why:
        assert str(why), "an engine may refuse, and says why"


def test_cells_for_each_record() -> None:
    program = program_of(text_of("statistic s1 = sum(sum(x[i] * step over last i) for i in records)", DATASET))
    runs = judge.random_rows(program, random.Random(1), 6, 4)
    for engine in (judge.by_numpy, judge.by_kernel):
        assert judge.compare_paths(program, runs, 4, engine(program, runs, 4)) is None


CHANGING = "statistic s1 = sum(x over last 1 + min(step, 3))"


def test_the_length_of_a_window_is_that_of_the_step() -> None:
    """Lengths 2, 3, 4, 4: a longer window reaches back to entries that a shorter one no longer showed."""
    program = program_of(text_of(CHANGING))
    rows = [{"x": x} for x in (1, 1, 0, 1)]
    assert [after.statistics["s1"] for after in interpreted(program, rows, 4)] == [1, 2, 2, 3]
    back = program_of(text_of("statistic s1 = sum(x over last (if step == 4 then 9 else 1))"))
    assert [after.statistics["s1"] for after in interpreted(back, rows, 4)] == [1, 1, 0, 3]
    none = program_of(text_of("statistic s1 = sum(x over last 2 - step) + 10 * count(x > 0 over last 1 + step / 4)"))
    assert [after.statistics["s1"] for after in interpreted(none, rows, 4)] == [11, 10, 0, 10]
    private = program_of(text_of("statistic s1 = sum(x over last 1 + x)"))
    assert [after.statistics["s1"] for after in interpreted(private, rows, 4)] == [1, 2, 0, 1]


def test_engines_say_that_they_have_no_such_window() -> None:
    program = program_of(text_of(CHANGING))
    assert judge.compare_transcript(text_of(CHANGING), [{"x": x} for x in (1, 1, 0, 1)], random.Random(0)) is None
    found = simulate(program, None, runs=40, seed=1)
    assert found.engine == "interpreter"
    assert "a window whose length changes" in str(found.why_interpreted)
    with pytest.raises(Unsolved, match="a window whose length changes"):
        solve(program, "m", watch=())
    for runs in ([[{"x": 1}] * 4],):
        for engine in (judge.by_numpy, judge.by_kernel):
            with pytest.raises(judge.Refused, match="a window whose length changes"):
                engine(program, runs, 4)


@pytest.mark.parametrize("stop", ["step >= 3", "3 <= step", "step > 2.5", "x > 7 or step == 3", "step >= n"])
def test_a_step_in_which_all_have_stopped_bounds_the_expected_one(stop: str) -> None:
    """Noise that persists against narrow fresh noise: without that step the expectation may be infinite."""
    text = f"""algorithm case
param n in 1.. = 3
{STREAM}statistic s = sum(x over steps)
stop when s >= 5 return high
stop when {stop} return low
draw z ~ geometric(0.9) once
draw y ~ geometric(0.1) each step
attach z to s
attach y to s
"""
    found = solve(program_of(text), "m")
    assert found.steps_error < 1e-9
    assert not any("infinite" in note for note in found.notes)
    assert float(found.table.sum()) == pytest.approx(1.0, abs=1e-12)


def test_no_bound_is_read_off_a_step_that_never_comes() -> None:
    text = text_of("statistic s1 = x").replace("stop when step >= 4", "stop when step == 2.5")
    from seqlang.backends.montecarlo.stopping import latest_end

    assert latest_end(program_of(text)) is None
    assert latest_end(program_of(text.replace("== 2.5", "> 2.5"))) == 3
    assert latest_end(program_of(text.replace("== 2.5", "== step"))) is None  # turned round, it is the same again


def test_a_statistic_that_is_a_memory_is_copied_in_the_kernel() -> None:
    """The text of the kernel itself: the variable of the memory is not what the statistic is called by."""
    program = program_of(text_of(CASES["a memory above and below its update"]))
    lowered = lower(program, ModelInputs(program.models[0]))
    assert all(output.text != "memory_w" for output in lowered.kernel.recorded.statistics)
