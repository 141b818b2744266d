"""The compiled engine: parts of the runs by a kernel."""

from __future__ import annotations

import os
import sys
import threading
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import UNSTOPPED, returned_labels
from seqlang.backends.arrays.streams import stream_start
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import FOR_OTHERS, EvaluationError, not_a_number
from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.lanes.kernel import lane_text
from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import Lowered, lower
from seqlang.backends.kernels.lowering.values import CannotCompile
from seqlang.backends.kernels.one_by_one import scalar_text
from seqlang.backends.kernels.operations import Output
from seqlang.backends.kernels.sums import COUNTED, LOW, TOTALS
from seqlang.backends.montecarlo.chunks import Chunk, Engine, Watch
from seqlang.backends.montecarlo.counted import Counted
from seqlang.backends.montecarlo.moments import Whole
from seqlang.model.program import Model, Program
from seqlang.source import NOWHERE

MOST_NUMBERS = 1 << 22
"""Numbers that are written down in one part, about."""
_NOTHING = np.zeros(0, np.int64)
Array = NDArray[np.int64]


class ByKernel(Engine):
    """Runs by compiled code. Raises CannotVectorise for a program that kernels cannot run."""

    name = "compiled"

    def __init__(
        self, program: Program, model: Model, seed: int, threads: int | None = None, batch: int | None = None
    ) -> None:
        self.program, self.model = program, model
        try:
            self.lowered = lower(program, ModelInputs(model))
        except CannotCompile as reason:
            raise CannotVectorise(str(reason)) from None
        self.threads = threads or processors()
        self.function = build.compiled(_text(self.lowered))
        self.starts = tuple(np.uint64(stream_start(seed, purpose)) for purpose in ("noise", "inputs"))
        recorded = self.lowered.kernel.recorded
        self._numbers = (recorded.values, rows_of(recorded.statistics), rows_of(recorded.released))
        self._reports = program.report_names
        self._codes = 2 + len(returned_labels(program))
        kept = sum(self._numbers)
        self.block = block_of(kept)
        self.batch = batch or int(min(self.block, max(64, MOST_NUMBERS // (kept + 2 + len(self._reports)))))
        self._rooms = _Rooms(self.threads + 3)

    def run(self, first: int, count: int, cap: int | None, watch: Watch) -> Chunk:
        """See `chunks.Engine`."""
        whole = 2 + len(self._reports)
        # The kernel writes all entries of a run that it has begun; the others are cut off below.
        room = self._rooms.take(whole + sum(self._numbers), count)
        single, numbers = room[:whole].view(np.int64), room[whole:]
        begun = self._call(first, count, cap, watch, single, numbers, _NOTHING.reshape(3, 0), _NOTHING, _NOTHING)
        reports = dict(zip(self._reports, single[2:], strict=True))
        self._require_ended(cap, np.arange(first, first + begun), single[0, :begun], single[1, :begun])
        chunk = Chunk(first=first, steps=single[0], codes=single[1], reports=reports, **self._tables(numbers))
        return chunk if begun == count else chunk.part(0, begun)

    def counted(self, first: int, count: int, cap: int | None, watch: Watch) -> Counted:
        """See `chunks.Engine`."""
        room = self._rooms.take(3 + sum(self._numbers), count)
        apart, numbers = room[:3].view(np.int64), room[3:]
        ends, totals = np.zeros(self._codes * COUNTED, np.int64), np.zeros(1 + TOTALS * len(self._reports), np.int64)
        single = np.empty((2 + len(self._reports), 0), np.int64)
        begun = self._call(first, count, cap, watch, single, numbers, apart, ends, totals)
        counted = np.flatnonzero(ends[:COUNTED])  # steps of runs that did not stop
        self._require_ended(cap, np.full(len(counted), first), counted, np.full(len(counted), UNSTOPPED))
        self._require_ended(cap, *apart[:, : totals[0]])
        sums = totals[1:].reshape(-1, TOTALS).tolist()
        return Counted(
            first=first,
            count=begun,
            ends=ends.reshape(-1, COUNTED),
            apart=apart[:, : totals[0]],
            reports={
                name: Whole(begun, a, b + (c << LOW), d) for name, (a, b, c, d) in zip(self._reports, sums, strict=True)
            },
            **self._tables(numbers[:, :begun]),
        )

    def _call(
        self,
        first: int,
        count: int,
        cap: int | None,
        watch: Watch,
        single: NDArray[np.int64],
        numbers: NDArray[np.float64],
        apart: NDArray[np.int64],
        ends: NDArray[np.int64],
        totals: NDArray[np.int64],
    ) -> int:
        """How many runs were begun: those that were broken off are told of too."""
        values, statistics, released = self._parted(numbers)
        values[:] = np.nan
        fault = np.zeros(3, np.int64)
        self.function(
            self.lowered.constants, *self.starts, first, count, self._cap(cap), single[0], single[1],
            values, statistics, released, single[2:], ends, apart, totals, watch.flag, watch.done, fault,
        )  # fmt: skip
        if fault[0]:
            raise self._fault(*fault.tolist())
        return int(watch.done[0])

    def _cap(self, cap: int | None) -> int:
        """The cap of the kernel, which goes no further than doubles tell the numbers; 0 without one."""
        last = self.lowered.last
        return cap or 0 if last is None else min(cap or last.step, last.step)

    def _require_ended(self, cap: int | None, runs: Array, steps: Array, codes: Array) -> None:
        """Raises an error for a run that would go on beyond the last step of the kernel."""
        last = self.lowered.last
        if last is None or (cap and cap <= last.step):
            return
        left = runs[(codes == UNSTOPPED) & (steps >= last.step)]
        if len(left) and last.what == FOR_OTHERS:
            raise CannotVectorise(FOR_OTHERS)
        if len(left):
            raise not_a_number(last.what, NOWHERE, last.step, int(left[0]))

    def _parted(self, numbers: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """The rows of returned numbers, statistics and released values."""
        ends = [sum(self._numbers[:i]) for i in range(4)]
        return tuple(numbers[a:b] for a, b in pairwise(ends))

    def _tables(self, numbers: NDArray[np.float64]) -> dict[str, Any]:
        """`values`, `statistics` and `released` of a chunk."""
        recorded = self.lowered.kernel.recorded
        values, statistics, released = self._parted(numbers)
        return {
            "values": self._returned(values),
            "statistics": _tables(recorded.statistics, statistics),
            "released": _tables(recorded.released, released),
        }

    def _returned(self, values: NDArray[Any]) -> NDArray[Any] | None:
        """None where no run returned a number."""
        if not len(values) or np.isnan(values[0]).all():
            return None
        return values[0] if self.lowered.returns_number else values

    def _fault(self, site: int, run: int, step: int) -> EvaluationError:
        """Raises CannotVectorise where another engine has to go on."""
        place = self.lowered.sites[site - 1]
        if place.what == FOR_OTHERS:
            raise CannotVectorise(FOR_OTHERS)
        if site not in self.lowered.outside:
            return not_a_number(place.what, place.span, step, run)
        message = f"model `{self.model.name}` drew a value of {place.what} that is not in its domain"
        notes = ("clip or condition the law, or widen the domain", f"in step {step} of run {run}")
        return EvaluationError(message, self.model.span, notes, "E0621")


def block_of(numbers: int) -> int:
    """The most runs of a block, if so many numbers of each are kept until their moments are known: a power of two. Each
    block has its price; it takes at most 8 MiB, or holds 64 runs."""
    if numbers == 0:
        return 1 << 20
    most = max((1 << 18) // numbers, min(1 << 17, (1 << 20) // numbers), 64)
    return 1 << (most.bit_length() - 1)


class _Rooms:
    """Arrays for the parts, used again when nobody holds a piece of them: new pages cost as much as short runs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[NDArray[np.float64]] = []
        self._lock = threading.Lock()

    def take(self, rows: int, count: int) -> NDArray[np.float64]:
        """An array (rows, count), with anything in it."""
        size = rows * count
        with self._lock:
            # Two references: the list's, and the one that the question itself makes.
            free = [i for i in range(len(self._kept)) if sys.getrefcount(self._kept[i]) <= 2]
            fitting = next((i for i in free if self._kept[i].size >= size), None)
            if fitting is None:
                for i in reversed(free):
                    del self._kept[i]
                self._kept.append(np.empty(size))
                del self._kept[: -self._most]
                fitting = len(self._kept) - 1
            return self._kept[fitting][:size].reshape(rows, count)


def _text(lowered: Lowered) -> str:
    """Several runs abreast, where there is nothing in the kernel but numbers and draws."""
    return lane_text(lowered.kernel) or scalar_text(lowered.kernel)


def processors() -> int:
    """Those that this process may use; no more than SEQLANG_THREADS or OMP_NUM_THREADS, if they are set."""
    limits = (os.environ.get(name, "") for name in ("SEQLANG_THREADS", "OMP_NUM_THREADS"))
    return min([_allowed(), *(int(limit) for limit in limits if limit.isdigit() and int(limit) > 0)])


def _allowed() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rows_of(outputs: tuple[Output, ...]) -> int:
    """How many rows of an array they take."""
    return sum(o.length or 1 for o in outputs)


def _tables(outputs: tuple[Output, ...], rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    found, at = {}, 0
    for output in outputs:
        size = output.length or 1
        found[output.name] = rows[at] if output.length is None else rows[at : at + size]
        at += size
    return found
