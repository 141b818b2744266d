"""Where a lane kernel keeps what it knows of each lane: columns of one array."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seqlang.backends.kernels.lanes.segments import Segment, samples_of, segments_of, streams_of
from seqlang.backends.kernels.lanes.stride import stride_of
from seqlang.backends.kernels.operations import Code, Kernel, Kind, Leave, Purpose
from seqlang.record import record

LANES = 64
"""One for each bit of a mask. Fewer are slower, more are no faster."""

NURSERY = 16
"""Runs that are started at once: two vectors, as the cache is better filled with lanes."""

RUN, BORN = "_run", "_born"
"""The columns of a lane's run, and of the step after which the run was put there."""

LEFT = "_left_one"
"""The lane that a run has just left, where lanes are looked at one by one."""

ERROR = "bad"
"""The label that code sets to the number of an error site; 0 at the start of a run."""

_NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*")


@record
class Columns:
    """`place` numbers the columns; `kinds` are those that hold values of the kernel's names; `stride` is the number of
    steps in one go."""

    place: dict[str, int]
    kinds: dict[str, Kind]
    stride: int

    @property
    def room(self) -> int:
        """Elements of the array."""
        return LANES * len(self.place)

    def at(self, column: str, lane: str = "_l", *, nursery: bool = False) -> str:
        """The element: a word, a float or an integer."""
        is_word = column.startswith(("state ", "word "))
        is_number = column.startswith("variate ") or self.kinds.get(column) == "number"
        return self._element("u" if is_word else "f" if is_number else "i", column, lane, nursery)

    def bits(self, column: str, lane: str, *, nursery: bool = False) -> str:
        """The element whatever it is, to be copied."""
        return self._element("i", column, lane, nursery)

    def _element(self, view: str, column: str, lane: str, nursery: bool) -> str:
        return f"_{'n' if nursery else ''}{view}[{LANES * self.place[column]} + {lane}]"

    def load(self, name: str, lane: str = "_l", *, nursery: bool = False) -> str:
        """The line that reads the element of a name of the kernel into a variable of that name."""
        truth = " != 0" if self.kinds[name] == "truth" else ""
        return f"{name} = {self.at(name, lane, nursery=nursery)}{truth}"


def columns_of(kernel: Kernel) -> Columns:
    """For each lane: its run, the states of the streams that steps draw from, the variables, whatever else has to last
    from one segment of a step to another or until the run is written down, and for each draw of the steps in one go the
    variate and the word that it was made of."""
    kinds: dict[str, Kind] = {v.name: v.kind for v in kernel.variables}
    of_a_step = kinds_of_a_step(kernel)
    drawn = {s.target for s in samples_of(kernel.step)}  # these have a column as variates
    lasting = (*read_at_the_end(kernel), *(name for name in _read_later(kernel) if name not in drawn))
    kinds |= {name: of_a_step[name] for name in lasting if name in of_a_step and name not in kinds}
    if any(
        ERROR in names_in(line) for op in (*kernel.start, *kernel.step) if isinstance(op, Code) for line in op.lines
    ):
        kinds[ERROR] = "label"
    stride = stride_of(kernel)
    names = [RUN, BORN]
    names += (state(stream, j) for stream in streams_of(samples_of(kernel.step)) for j in range(4))
    names += kinds
    for start, ops in ((True, kernel.start), (False, kernel.step * stride)):
        for i, _ in enumerate(samples_of(ops)):
            names += [variate(start, i), word(start, i)]
    return Columns({name: i for i, name in enumerate(names)}, kinds, stride)


def state(stream: Purpose, j: int) -> str:
    """The column of word j (0 to 3) of the state of the stream."""
    return f"state {stream} {j}"


def variate(start: bool, draw: int) -> str:
    """The column of the variate that draw number `draw` of the start, or of a step, gave."""
    return f"variate {'start' if start else 'step'} {draw}"


def word(start: bool, draw: int) -> str:
    """The column of the random word that this variate was made of."""
    return f"word {'start' if start else 'step'} {draw}"


def past(step: int) -> str:
    """The mask of lanes whose run was over before step `step`, from 1, of those in one go."""
    return f"_past_{step}"


def leaves_of(kernel: Kernel) -> tuple[Leave, ...]:
    """The places of a step where runs may leave, in order."""
    return tuple(op for op in kernel.step if isinstance(op, Leave))


def kinds_of_a_step(kernel: Kernel) -> dict[str, Kind]:
    """The names that a step writes."""
    found: dict[str, Kind] = {s.target: "number" for s in samples_of(kernel.step)}
    for op in kernel.step:
        if isinstance(op, Code):
            found |= dict(op.writes)
    return found


def read_at_the_end(kernel: Kernel) -> tuple[str, ...]:
    """The names that are read when a run is written down."""
    return tuple(dict.fromkeys(name for text in _texts_at_the_end(kernel) for name in names_in(text)))


def _texts_at_the_end(kernel: Kernel) -> Iterator[str]:
    yield from (output.text for output in (*kernel.recorded.statistics, *kernel.recorded.released))
    yield from kernel.recorded.reports
    for leave in leaves_of(kernel):
        yield leave.code
        yield from leave.values


def _read_later(kernel: Kernel) -> tuple[str, ...]:
    """The names that a segment reads and an earlier one writes."""
    found: dict[str, None] = {}
    written: set[str] = set()
    for segment in segments_of(kernel.step):
        found |= {name: None for name in _reads(segment) if name in written}
        written |= {name for op in segment.ops if isinstance(op, Code) for name, _ in op.writes}
    return tuple(found)


def _reads(segment: Segment) -> Iterator[str]:
    for op in segment.ops:
        match op:
            case Code(reads=reads):
                yield from reads
            case Leave(when=str(when)):
                yield when
            case _:
                pass
    yield from (s.when for s in segment.then if s.when is not None)


def names_in(expression: str) -> tuple[str, ...]:
    """The names that occur in an expression of the kernel, each once."""
    return tuple(dict.fromkeys(_NAME.findall(expression)))
