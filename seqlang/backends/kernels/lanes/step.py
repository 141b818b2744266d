"""The text of one step of all lanes, or of some steps in one go."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.backends.kernels.lanes import draws as lane_draws
from seqlang.backends.kernels.lanes.columns import BORN, ERROR, Columns, past, read_at_the_end, variate
from seqlang.backends.kernels.lanes.draws import Numbered
from seqlang.backends.kernels.lanes.nursery import made_at_the_start
from seqlang.backends.kernels.lanes.segments import Segment, samples_of, segments_of, streams_of
from seqlang.backends.kernels.operations import Code, Kernel, Leave, Op, Sample, indented


def step_of_all(kernel: Kernel, columns: Columns) -> Iterator[str]:
    """Masks `_gone_0, _gone_1, ..` of the lanes that leave, and `_wrong` of those that met an error."""
    yield "_wrong = np.uint64(0)"
    printer = _Step(kernel, columns)
    *others, last = segments_of(kernel.step)
    for segment in others:
        yield from printer.segment(segment, last=False)
    yield from printer.segment(last, last=True)


class _Step:
    """`drawn` are the draws and `left` is the number of leaves that were printed; `assigned` are the names that have a
    value by now; `may_be_over` says whether runs may be over here, which are those where `_left` holds."""

    def __init__(self, kernel: Kernel, columns: Columns) -> None:
        self.kernel = kernel
        self.columns = columns
        self.frozen = frozenset((*read_at_the_end(kernel), ERROR))
        self.drawn: dict[int, Sample] = {}
        self.left = 0
        self.may_be_over = False
        self.assigned = {ERROR, *(v.name for v in kernel.variables)}

    def segment(self, segment: Segment, *, last: bool) -> Iterator[str]:
        columns, first = self.columns, not self.drawn and not self.left
        before = dict(self.drawn)
        draws = self._numbered(samples_of(segment.ops * columns.stride))
        then = self._numbered(segment.then)
        apart = lane_draws.refusable(draws)
        used_up = last and not apart
        drawing = [
            *lane_draws.load_streams(draws, columns),
            *lane_draws.draw(draws, columns, used_up=used_up),
            *lane_draws.store_streams(streams_of(tuple(draws.values())), columns),
        ]
        if apart:
            yield from lane_draws.open_masks(draws)
            yield "for _l in range(_alive):"
            yield from indented([lane_draws.BIT, *drawing])
            yield from lane_draws.draw_again(draws, columns)
            drawing = []
        leaves = sum(isinstance(op, Leave) for op in segment.ops)
        yield from (f"_gone_{self.left + j} = np.uint64(0)" for j in range(leaves))
        yield from (f"{past(i)} = np.uint64(0)" for i in range(1, columns.stride))
        yield from (f"_now_{i} = np.uint64(0)" for i in then)
        yield "for _l in range(_alive):"
        yield from indented([lane_draws.BIT, *drawing, *self._loads(before, first)])
        variates = [lane_draws.passing(i) if used_up else columns.at(variate(False, i)) for i in draws]
        stores = self._stores(segment, begins=first and not last)
        yield from indented([*self._steps(segment.ops, variates), *self._masks(then, last), *stores])
        yield from lane_draws.draw_apart(then, columns)

    def _numbered(self, samples: tuple[Sample, ...]) -> dict[int, Sample]:
        found = dict(enumerate(samples, len(self.drawn)))
        self.drawn |= found
        return found

    def _loads(self, drawn: Numbered, first: bool) -> Iterator[str]:
        columns = self.columns
        yield f"step = _t - {columns.at(BORN)} - {columns.stride - 1}"
        from_the_start = made_at_the_start(self.kernel)
        for name in columns.kinds:
            if name == ERROR and first and ERROR not in from_the_start:
                yield f"{ERROR} = np.int64(0)"
            elif name in self.assigned:
                yield columns.load(name)
        variables = {v.name for v in self.kernel.variables}
        yield from (
            f"{s.target} = {columns.at(variate(False, i))}" for i, s in drawn.items() if s.target not in variables
        )
        if self.left:
            gone = " | ".join(f"_gone_{j}" for j in range(self.left))
            yield f"_left = (({gone}) >> np.uint64(_l)) & np.uint64(1) != 0"
            self.may_be_over = True

    def _steps(self, ops: tuple[Op, ...], variates: list[str]) -> Iterator[str]:
        """The code as often as there are steps in one go. After a run's last step the others are idle: it is over if it
        has left, is at the cap, or has met an error."""
        before, each = self.left, len(variates) // self.columns.stride
        for i in range(self.columns.stride):
            if i > 0:
                self.left = before
                over = ["step >= _most", *(["_left"] if self.may_be_over else [])]
                yield f"_left = {' or '.join([*over, *([f'{ERROR} != 0'] if ERROR in self.columns.kinds else [])])}"
                yield f"{past(i)} |= _bit if _left else np.uint64(0)"
                yield "step += 1"
                self.may_be_over = True
            yield from self._code(ops, variates[each * i : each * (i + 1)])

    def _code(self, ops: tuple[Op, ...], variates: list[str]) -> Iterator[str]:
        """`variates` are what the draws among `ops` gave. What is read when a run is written down stays as it is once
        the run has left."""
        given = iter(variates)
        for op in ops:
            match op:
                case Sample(target=target):
                    yield self._assigned(target, next(given))
                case Code(lines=lines):
                    for line in lines:
                        target, _, value = line.partition(" = ")
                        yield self._assigned(target, value)
                case Leave(when=when):
                    yield from self._leave("True" if when is None else when)
                case _:
                    pass

    def _assigned(self, target: str, value: str) -> str:
        frozen = self.may_be_over and target in self.frozen and target in self.assigned
        self.assigned.add(target)
        return f"{target} = {target} if _left else ({value})" if frozen else f"{target} = {value}"

    def _leave(self, when: str) -> Iterator[str]:
        yield f"_leaves = {when} and not _left" if self.may_be_over else f"_leaves = {when}"
        yield f"_gone_{self.left} |= _bit if _leaves else np.uint64(0)"
        yield "_left = _left or _leaves" if self.may_be_over else "_left = _leaves"
        self.left += 1
        self.may_be_over = True

    def _masks(self, then: Numbered, last: bool) -> Iterator[str]:
        for i, sample in then.items():
            yield f"_now_{i} |= _bit if {sample.when}{' and not _left' if self.may_be_over else ''} else np.uint64(0)"
        if last and ERROR in self.columns.kinds:
            yield f"_wrong |= _bit if {ERROR} != 0 else np.uint64(0)"

    def _stores(self, segment: Segment, *, begins: bool) -> Iterator[str]:
        """What the segment writes; the first of several also tells the others that no error was met so far."""
        written = {s.target for s in samples_of(segment.ops)} | ({ERROR} if begins else set())
        written |= {name for op in segment.ops if isinstance(op, Code) for name, _ in op.writes}
        yield from (f"{self.columns.at(name)} = {name}" for name in self.columns.kinds if name in written)
