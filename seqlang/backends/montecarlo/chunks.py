"""Runs come in chunks: what an engine gives for some successive runs, and what it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import UNSTOPPED
from seqlang.backends.montecarlo.counted import Counted
from seqlang.backends.montecarlo.moments import added
from seqlang.record import record

LARGEST_BLOCK = 1 << 16
SMALLEST_BLOCK = 1 << 10
BlockEnd = Callable[[int], int]
"""Where the block that begins at a run ends."""


@record
class Chunk:
    """The runs `first` .. `first + count - 1`, one entry a run, the runs last in every array.

    `steps` (count,) is the stopping step, or the steps that an unstopped run made. `codes` (count,) is the place of the
    returned label in `returned_labels(program)`, NOTHING for a stop without a label (or with a number), UNSTOPPED.
    `values` (.., count) are returned numbers, NaN for none; None where no run returned one. `statistics` have their
    last values (NaN: never computed), `reports` say how often each was made, `released` what reports with a value
    released last (NaN: never); a name may be missing where no run has a value."""

    first: int
    steps: NDArray[np.int64]
    codes: NDArray[np.int64]
    values: NDArray[Any] | None
    statistics: Mapping[str, NDArray[Any]]
    reports: Mapping[str, NDArray[np.int64]]
    released: Mapping[str, NDArray[Any]]

    @property
    def count(self) -> int:
        return len(self.steps)

    @property
    def unstopped(self) -> int:
        return int(np.count_nonzero(self.codes == UNSTOPPED))

    def part(self, begin: int, end: int) -> Chunk:
        """The runs `first + begin` .. `first + end - 1`."""
        if (begin, end) == (0, self.count):
            return self
        some = slice(begin, end)
        return Chunk(
            first=self.first + begin,
            steps=self.steps[some],
            codes=self.codes[some],
            values=None if self.values is None else self.values[..., some],
            statistics={name: v[..., some] for name, v in self.statistics.items()},
            reports={name: v[some] for name, v in self.reports.items()},
            released={name: v[..., some] for name, v in self.released.items()},
        )


Part = Chunk | Counted


class Watch:
    """One part of the work, as who waits for it sees it.

    `done` = [runs finished, steps made] is written by the engine while it works. `flag[0]` is not 0 when it should
    leave as soon as it can. An engine that works in the calling thread calls `look()` after every step or so: it tells
    the progress when it is time. An engine in a thread of its own (`Engine.threads`) never calls it."""

    __slots__ = ("done", "flag", "look")

    def __init__(self, flag: NDArray[np.int64], look: Callable[[], None]) -> None:
        self.flag = flag
        self.look = look
        self.done = np.zeros(2, dtype=np.int64)

    def leave(self) -> None:
        """Ends this part and all others soon."""
        self.flag[0] = 1

    @property
    def leaving(self) -> bool:
        return bool(self.flag[0])


class Engine(ABC):
    """What computes runs. A run's outcome depends on the seed and its number only, not on the parts it is asked for."""

    name: str
    """As `--engine` has it and JSON shows it."""
    why: str | None = None
    """Why a slower engine runs this; None if there is nothing to say."""
    threads: int = 0
    """So many parts may be computed at once, each in a thread; 0: one after the other, in the calling thread."""
    batch: int
    """The most runs of one part."""
    block: int
    """The most runs whose sums are taken together: a power of two, given by the program alone."""

    @abstractmethod
    def run(self, first: int, count: int, cap: int | None, watch: Watch) -> Chunk:
        """These runs, each to its stop or to `cap` steps.

        When `watch.flag[0]` is set, or a KeyboardInterrupt arrives (then it calls `watch.leave()` and does not raise),
        the runs in work are left as UNSTOPPED with the steps they made, and the chunk may end with the last run begun.
        Raises SpecError, EvaluationError, CannotVectorise (the program is not for this engine).
        """

    def counted(self, first: int, count: int, cap: int | None, watch: Watch) -> Part:
        """The same runs; one by one only where counting them is no faster."""
        return self.run(first, count, cap, watch)


def broken_off(part: Part, cap: int | None) -> dict[int, int]:
    """The runs that an interrupt found at work, and the steps that they had made."""
    if isinstance(part, Counted):
        numbers, steps, codes = part.apart
    else:
        numbers, steps, codes = np.arange(part.first, part.first + part.count), part.steps, part.codes
    there = codes == UNSTOPPED if cap is None else (codes == UNSTOPPED) & (steps < cap)
    return dict(zip(numbers[there].tolist(), steps[there].tolist(), strict=True))


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Successive chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    return Chunk(
        first=chunks[0].first,
        steps=np.concatenate([c.steps for c in chunks]),
        codes=np.concatenate([c.codes for c in chunks]),
        reports={name: np.concatenate([c.reports[name] for c in chunks]) for name in chunks[0].reports},
        **_numbers(chunks),
    )


def counted_together(parts: Sequence[Counted]) -> Counted:
    """Successive ones as one."""
    if len(parts) == 1:
        return parts[0]
    return Counted(
        first=parts[0].first,
        count=sum(p.count for p in parts),
        ends=np.sum([p.ends for p in parts], axis=0),
        apart=np.concatenate([p.apart for p in parts], axis=1),
        reports={name: reduce(added, [p.reports[name] for p in parts]) for name in parts[0].reports},
        **_numbers(parts),
    )


def blocks(parts: Iterator[Part], block_end: BlockEnd) -> Iterator[Part]:
    """The same runs, cut where `block_end` says, however the engine cut them: sums that are taken block by block then
    have the same last digit for any batch and any number of threads. Runs that are only counted cannot be cut: parts of
    them must end where blocks do."""
    held: list[Part] = []
    for given in parts:
        part = given
        while part.count:
            begin = held[0].first if held else part.first
            room = block_end(begin) - part.first
            some = part.part(0, room) if isinstance(part, Chunk) and part.count > room else part
            held.append(some)
            if part.count < room:
                break
            yield _one(held)
            held = []
            if isinstance(part, Counted):
                break
            part = part.part(room, part.count)
    if held:
        yield _one(held)


def _one(held: Sequence[Part]) -> Part:
    counted, single = [p for p in held if isinstance(p, Counted)], [p for p in held if isinstance(p, Chunk)]
    assert not (counted and single), "where single runs are no longer asked for a block begins"
    return counted_together(counted) if counted else joined(single)


def block_end(first: int, largest: int = LARGEST_BLOCK, smallest: int = SMALLEST_BLOCK) -> int:
    """Where the block that begins at run `first` ends: blocks grow with the number of runs before them, each about a
    quarter of it, from `smallest` to `largest` (powers of two)."""
    size = min(largest, max(smallest, 1 << max(0, first.bit_length() - 3)))
    return (first // size + 1) * size


def _numbers(parts: Sequence[Part]) -> dict[str, Any]:
    """`values`, `statistics` and `released` of all of them."""
    counts, values = [p.count for p in parts], [p.values for p in parts]
    return {
        "values": None if all(v is None for v in values) else _side_by_side(values, counts),
        "statistics": _tables([p.statistics for p in parts], counts),
        "released": _tables([p.released for p in parts], counts),
    }


def _tables(parts: Sequence[Mapping[str, NDArray[Any]]], counts: Sequence[int]) -> dict[str, NDArray[Any]]:
    names = dict.fromkeys(n for part in parts for n in part)
    return {name: _side_by_side([part.get(name) for part in parts], counts) for name in names}


def _side_by_side(parts: Sequence[NDArray[Any] | None], counts: Sequence[int]) -> NDArray[Any]:
    shape = next(p.shape[:-1] for p in parts if p is not None)
    filled = [np.full((*shape, n), np.nan) if p is None else p for p, n in zip(parts, counts, strict=True)]
    whole: NDArray[Any] = np.concatenate(filled, axis=-1)
    return whole
