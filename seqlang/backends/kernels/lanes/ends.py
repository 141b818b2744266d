"""The text that ends runs: who leaves, what is written down, and what is told to those who wait."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seqlang.backends.kernels.lanes.columns import (
    BORN,
    ERROR,
    LEFT,
    RUN,
    Columns,
    leaves_of,
    past,
    read_at_the_end,
)
from seqlang.backends.kernels.lanes.draws import for_each
from seqlang.backends.kernels.lanes.nursery import fault_of
from seqlang.backends.kernels.operations import Kernel, Leave, indented
from seqlang.backends.kernels.sums import close_sums, row, tell_end

NEVER = "np.int64(9223372036854775807)"


def look_around(columns: Columns) -> Iterator[str]:
    """Every 1024 steps: tells how far it is, and whether it should break off."""
    yield f"if _t & 1023 == {1024 - columns.stride}:"
    yield "    _made = _steps"
    yield "    for _l in range(_alive):"
    yield f"        _made += _t - {columns.at(BORN)}"
    yield "    done[0] += _done - _done_told"
    yield "    done[1] += _made - _made_told"
    yield "    _done_told, _made_told = _done, _made"
    yield "    if look(flag) != 0:"
    yield "        _stop = True"
    yield "        _counted = 0"
    yield "        _ready = _taken"
    yield "        _given = count"


def mark_leavers(kernel: Kernel, columns: Columns) -> Iterator[str]:
    """Makes the mask `_gone` of the lanes that leave, are at the cap, or are broken off."""
    if ERROR in columns.kinds:
        yield from for_each("_wrong", _note_fault(columns))
    yield f"_gone = {' | '.join(f'_gone_{j}' for j in range(len(leaves_of(kernel)))) or 'np.uint64(0)'}"
    yield f"if _t >= _due or _stop or _fault != {NEVER}:"
    yield f"    _due = _t + cap if cap > 0 else {NEVER}"
    yield "    for _l in range(_alive):"
    yield f"        _born = {columns.at(BORN)}"
    yield f"        if _stop or {columns.at(RUN)} >= _fault or (cap > 0 and _t - _born >= cap):"
    yield "            _gone |= np.uint64(1) << np.uint64(_l)"
    yield "        elif cap > 0:"
    yield "            _due = min(_due, _born + cap)"


def _note_fault(columns: Columns) -> Iterator[str]:
    """Of the runs that meet an error the lowest one counts: those above it are given up, those below it go on."""
    yield f"if {columns.at(RUN)} < _fault:"
    yield from indented(fault_of(columns, "_l", steps_made(columns, "_l")))
    yield "_ready = _taken"
    yield "_given = count"


def write_down(kernel: Kernel, columns: Columns) -> Iterator[str]:
    """The run in the lane `_left_one`."""
    leaves, read = leaves_of(kernel), read_at_the_end(kernel)
    yield f"_place = {columns.at(RUN, LEFT)} - first"
    yield f"step = {steps_made(columns, LEFT)}"
    yield from (columns.load(name, LEFT) for name in columns.kinds if name in read)
    yield "_steps += step"
    yield "_done += 1"
    yield from _write_code(leaves)
    recorded = kernel.recorded
    yield from (f"out_statistics[{i}, _place] = {output.text}" for i, output in enumerate(recorded.statistics))
    yield from (f"out_released[{i}, _place] = {output.text}" for i, output in enumerate(recorded.released))
    there = "" if all(_is_number(leave) for leave in leaves) else f" and {row('_code')} < out_ends.shape[0]"
    yield from tell_end("_place", "_code", f"step < _counted{there}", recorded.reports)


def steps_made(columns: Columns, lane: str) -> str:
    """Up to the last one in which the run was not over."""
    over = (f" - np.int64(({past(i)} >> np.uint64({lane})) & np.uint64(1))" for i in range(1, columns.stride))
    return f"_t - {columns.at(BORN, lane)}{''.join(over)}"


def _write_code(leaves: tuple[Leave, ...]) -> Iterator[str]:
    """A run leaves by one of its leaves, or by none. By which one no processor foresees, so there is no branch where
    the codes are numbers and nothing else is written."""
    if all(_is_number(leave) and not leave.values for leave in leaves):
        chosen = (f" + {int(leave.code) + 2} * np.int64({_by(j)})" for j, leave in enumerate(leaves))
        yield f"_code = -2{''.join(chosen)}"
        return
    for j, leave in enumerate(leaves):
        yield f"{'el' if j else ''}if {_by(j)} != 0:"
        yield f"    _code = {leave.code}"
        yield from (f"    out_values[{i}, _place] = {value}" for i, value in enumerate(leave.values))
    yield from ["else:", "    _code = -2"]


def _is_number(leave: Leave) -> bool:
    """Whether its code is written as a number: that of a label which the file returns."""
    return re.fullmatch(r"-?\d+", leave.code) is not None


def _by(leave: int) -> str:
    """1 if the run in the lane `_left_one` leaves by it, else 0."""
    return f"((_gone_{leave} >> np.uint64({LEFT})) & np.uint64(1))"


def close() -> Iterator[str]:
    """The end of the kernel: what is told when no lane has a run any more."""
    yield "done[0] += _done - _done_told"
    yield "done[1] += _steps - _made_told"
    yield from close_sums()
    yield f"if _fault != {NEVER}:"
    yield "    fault[0], fault[1], fault[2] = _site, _fault, _fault_step"
