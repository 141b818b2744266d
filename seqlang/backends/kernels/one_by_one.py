"""A kernel as a numba function that makes one run after the other."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.backends.kernels.lowering.writer import sample_lines
from seqlang.backends.kernels.operations import Block, Code, Kernel, Leave, Op, Output, Sample, indented
from seqlang.backends.kernels.sums import COUNTED, close_sums, open_sums, row, tell_end

ARGUMENTS = (
    "k, start_noise, start_inputs, first, count, cap, out_steps, out_codes, out_values, out_statistics, out_released, "
    "out_reports, out_ends, out_apart, out_totals, flag, done, fault"
)
"""See `build.Function`."""
LOOK = 1023
"""After so many steps the kernel looks whether it should leave."""
_IN_TABLE = f"step < {COUNTED} and {row('code')} < out_ends.shape[0] and (code != -2 or step == cap)"


def scalar_text(
    kernel: Kernel,
    further: Sequence[str] = (),
    each_step: Sequence[str] = (),
    at_end: Sequence[str] = (),
    at_start: Sequence[str] = (),
) -> str:
    """The text of the function `kernel(k, start_noise, .., fault)`, without decorator. `further` are names of more
    arguments, and the others lines that stand at the end of a step, and at the end and the start of a run.

    A run that has not stopped after `cap` steps (0: no cap), or that is broken off as `flag` says, has code -2. Runs
    that were not begun have 0 steps. `done` is [runs finished, steps made]; `fault` becomes [site, run, step], and
    nothing is promised of the results.
    """
    steps = _steps(kernel, each_step)
    runs = _runs(kernel, steps, at_start, at_end)
    arguments = ", ".join([ARGUMENTS, *further])
    return "\n".join([f"def kernel({arguments}):", *indented([*_opening(kernel), *runs, *close_sums()]), ""])


def _opening(kernel: Kernel) -> list[str]:
    return [*kernel.header, *open_sums(), "s_noise = np.empty(4, np.uint64)", "s_inputs = np.empty(4, np.uint64)"]


def _runs(kernel: Kernel, steps: Sequence[str], at_start: Sequence[str], at_end: Sequence[str]) -> list[str]:
    words = _words(kernel)
    body = [
        *(f"seed_stream(s_{p}, start_{p}, first + run)" for p in ("noise", "inputs") if f"s_{p}" in words),
        "bad, step, code = 0, np.int64(0), np.int64(-2)",
        *(f"{v.name} = {v.start}" for v in kernel.variables),
        *at_start,
        *_ops(kernel.start),
        "if bad == 0:",
        *indented(steps),
        "if bad != 0:",
        "    fault[0], fault[1], fault[2] = bad, first + run, step",
        "    return",
        *_written(kernel.recorded.statistics, "out_statistics", "step > 0"),
        *_written(kernel.recorded.released, "out_released", "step > 0"),
        *tell_end("run", "code", _IN_TABLE, kernel.recorded.reports),
        *at_end,
        "done[0] += 1",
        "done[1] += step",
        "if done[0] & 63 == 0 and look(flag) != 0:",
        "    break",
    ]
    return ["for run in range(count):", *indented(body)]


def _steps(kernel: Kernel, each_step: Sequence[str]) -> list[str]:
    body = [
        "if cap > 0 and step >= cap:",
        "    break",
        f"if step & {LOOK} == {LOOK} and look(flag) != 0:",
        "    break",
        "step += 1",
        *_ops(kernel.step),
        "if bad != 0:",
        "    break",
        *each_step,
    ]
    return ["while True:", *indented(body)]


def _ops(ops: Sequence[Op]) -> list[str]:
    found: list[str] = []
    for op in ops:
        match op:
            case Code(lines) | Block(lines):
                found.extend(lines)
            case Sample():
                found.extend(sample_lines(op))
            case Leave(when, code, values):
                inner = ["if bad != 0:", "    break", f"code = {code}", *_values(values), "break"]
                found.extend([f"if {when or 'True'}:", *indented(inner)])
    return found


def _values(values: tuple[str, ...]) -> list[str]:
    if not values:
        return []
    if "[q]" in values[0]:
        return ["for q in range(out_values.shape[0]):", f"    out_values[q, run] = {values[0]}"]
    return [f"out_values[0, run] = {values[0]}"]


def _written(outputs: Sequence[Output], array: str, when: str) -> list[str]:
    found, row = [], 0
    for output in outputs:
        if output.length is None:
            found.append(f"{array}[{row}, run] = {output.text}")
            row += 1
        else:
            found.append(f"for q in range({output.length}):")
            found.append(f"    {array}[{row} + q, run] = {output.text}")
            row += output.length
    return [f"if {when}:", *indented(found)] if found else []


def _words(kernel: Kernel) -> str:
    return "\n".join(_ops((*kernel.start, *kernel.step)))
