"""A kernel as a numba function that takes 64 runs a step further at a time.

The runs abreast are the lanes. All that a lane has stands in one array, 64 places for each name, so that every loop
over lanes is straight-line code on columns at fixed distances, which LLVM turns into vector code. In each step, or
in two steps in one go (`lane_stride.py`):

    the words and variates of all lanes, then those that were refused (`runtime/refused_words.py`) one by one;
    the step's code for all lanes, with a mask of bits for those that leave;
    each leaver is written down; the lane takes the next run from the nursery, or else the last lane takes its place.

Where a draw is made by some runs only the step is cut there, and they draw one by one. The nursery is a second array
like that of the lanes, in which some runs are started at once. A run's numbers depend on its own streams only, so
neither the number of lanes nor which runs share them shows in a result.

Names of a kernel must not begin with an underscore: those are used here.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.backends.kernels.lanes.columns import LANES, LEFT, Columns, columns_of, leaves_of, past
from seqlang.backends.kernels.lanes.draws import bounds_of_words, for_each
from seqlang.backends.kernels.lanes.ends import NEVER, close, look_around, mark_leavers, write_down
from seqlang.backends.kernels.lanes.nursery import close_gaps, fill_lane
from seqlang.backends.kernels.lanes.segments import samples_of
from seqlang.backends.kernels.lanes.step import step_of_all
from seqlang.backends.kernels.one_by_one import ARGUMENTS
from seqlang.backends.kernels.operations import Block, Kernel, Leave, Sample, indented
from seqlang.backends.kernels.sums import COUNTED, open_sums


def lane_text(kernel: Kernel) -> str | None:
    """The text of the function `kernel(k, start_noise, .., fault)`, without decorator; None unless `can_go_abreast`.

    It does what the function of `scalar_text` does, and looks at `flag` every 1024 steps. What is written down of a run
    that meets an error, or comes after one, means nothing.
    """
    if not can_go_abreast(kernel):
        return None
    columns = columns_of(kernel)
    # Before the first step nobody was in the lanes.
    one_that_left = ["if _t > 0:", *indented(write_down(kernel, columns)), *fill_lane(kernel, columns)]
    body = [
        *kernel.header,
        *bounds_of_words(samples_of((*kernel.start, *kernel.step))),
        *open_sums(),
        *_opening(kernel, columns),
        "while True:",
        *indented(for_each("_gone", one_that_left, LEFT)),
        *indented(close_gaps(kernel, columns)),
        *indented(look_around(columns)),
        f"    _t += {columns.stride}",
        *indented(step_of_all(kernel, columns)),
        *indented(mark_leavers(kernel, columns)),
        *close(),
    ]
    return "\n".join([f"def kernel({ARGUMENTS}):", *indented(body), ""])


def can_go_abreast(kernel: Kernel) -> bool:
    """Whether there is nothing but straight-line code, draws and leaves; at the start all runs make all draws, and
    none leaves; and only numbers are written down."""
    recorded = (*kernel.recorded.statistics, *kernel.recorded.released)
    return (
        not any(isinstance(op, Block) for op in (*kernel.start, *kernel.step))
        and not any(isinstance(op, Leave) or (isinstance(op, Sample) and op.when is not None) for op in kernel.start)
        and not any("[q]" in value for op in leaves_of(kernel) for value in op.values)
        and all(output.length is None for output in recorded)
    )


def _opening(kernel: Kernel, columns: Columns) -> Iterator[str]:
    for room in ("", "n"):
        # 64 bytes are a line of the cache: no load or store of eight elements goes across two lines
        yield f"_{room}room = np.empty({columns.room + 8}, np.int64)"
        yield f"_pad = (64 - _{room}room.ctypes.data % 64) % 64 // 8"
        yield f"_{room}i = _{room}room[_pad : _pad + {columns.room}]"
        yield f"_{room}f = _{room}i.view(np.float64)"
        yield f"_{room}u = _{room}i.view(np.uint64)"
    yield f"_gap = np.empty({LANES}, np.int64)"
    yield f"_alive = min(count, {LANES})"
    yield "_gone = np.uint64(0)"
    yield "for _q in range(_alive):"
    yield "    _gone |= np.uint64(1) << np.uint64(_q)"
    yield from (f"_gone_{j} = np.uint64(0)" for j in range(len(leaves_of(kernel))))
    yield "_given = _ready = _taken = _gaps = _t = _steps = _done = _made_told = _done_told = 0"
    yield f"_due = cap if cap > 0 else {NEVER}"
    yield f"_fault = {NEVER}"
    yield "_site = _fault_step = 0"
    yield "_stop = False"
    yield f"_counted = {COUNTED}"
    yield f"_most = cap if cap > 0 else {NEVER}"
    yield from (f"{past(i)} = np.uint64(0)" for i in range(1, columns.stride))
