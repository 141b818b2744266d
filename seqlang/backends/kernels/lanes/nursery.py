"""The text that starts runs, 64 at once, and puts them into lanes that were left."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.backends.kernels.lanes import draws as lane_draws
from seqlang.backends.kernels.lanes.columns import BORN, ERROR, LANES, LEFT, NURSERY, RUN, Columns, state, variate
from seqlang.backends.kernels.lanes.segments import samples_of, streams_of
from seqlang.backends.kernels.operations import Code, Kernel, Kind, Sample, indented

_TYPE: dict[Kind, str] = {"number": "float", "truth": "bool", "label": "np.int64"}


def fill_lane(kernel: Kernel, columns: Columns) -> Iterator[str]:
    """Puts a new run into the lane `_left_one`; where there is none the lane is a gap."""
    yield "if _taken == _ready and _given < count:"
    yield from indented(_start_runs(kernel, columns))
    yield "if _taken < _ready:"
    for column in _copied(kernel, columns):
        yield f"    {columns.bits(column, LEFT)} = {columns.bits(column, '_taken', nursery=True)}"
    for v in kernel.variables:
        if v.name not in made_at_the_start(kernel):
            yield f"    {columns.at(v.name, LEFT)} = {v.start}"
    yield f"    {columns.at(RUN, LEFT)} = first + _given - _ready + _taken"
    yield f"    {columns.at(BORN, LEFT)} = _t"
    yield "    _taken += 1"
    if ERROR in made_at_the_start(kernel):
        yield f"    if {columns.at(ERROR, LEFT)} != 0 and {columns.at(RUN, LEFT)} < _fault:"
        yield from indented(indented(fault_of(columns, LEFT, "0")))
        yield "        _ready = _taken"
        yield "        _given = count"
    yield "else:"
    yield f"    _gap[_gaps] = {LEFT}"
    yield "    _gaps += 1"


def close_gaps(kernel: Kernel, columns: Columns) -> Iterator[str]:
    """Gaps are filled by the last lanes; the highest gap first, so that the last lane is no gap itself."""
    yield "while _gaps > 0:"
    yield "    _gaps -= 1"
    yield "    _alive -= 1"
    yield f"    {LEFT} = _gap[_gaps] & {LANES - 1}"
    others = (v.name for v in kernel.variables if v.name not in made_at_the_start(kernel))
    for column in (RUN, BORN, *_copied(kernel, columns), *others):
        yield f"    {columns.bits(column, LEFT)} = {columns.bits(column, '_alive')}"
    yield "if _alive == 0:"
    yield "    break"


def _copied(kernel: Kernel, columns: Columns) -> list[str]:
    """The columns that a run brings from the nursery."""
    states = [state(stream, j) for stream in streams_of(samples_of(kernel.step)) for j in range(4)]
    return [*states, *(name for name in columns.kinds if name in made_at_the_start(kernel))]


def fault_of(columns: Columns, lane: str, step: str) -> Iterator[str]:
    """Notes the fault of the run in a lane: its number, the site, and the step."""
    yield f"_fault = {columns.at(RUN, lane)}"
    yield f"_site = {columns.at(ERROR, lane)}"
    yield f"_fault_step = {step}"


def made_at_the_start(kernel: Kernel) -> frozenset[str]:
    """The names that last, and that operations of the start write."""
    written = {s.target for s in samples_of(kernel.start)}
    written |= {name for op in kernel.start if isinstance(op, Code) for name, _ in op.writes}
    return frozenset(name for name in written if name == ERROR or any(v.name == name for v in kernel.variables))


def _start_runs(kernel: Kernel, columns: Columns) -> Iterator[str]:
    draws = dict(enumerate(samples_of(kernel.start)))
    streams = streams_of((*samples_of(kernel.start), *samples_of(kernel.step)))
    yield f"_ready = min(count - _given, {NURSERY})"
    yield "_taken = 0"
    yield from lane_draws.open_masks(draws)
    yield "for _l in range(_ready):"
    yield f"    {lane_draws.BIT}"
    yield from indented(lane_draws.seed_streams(streams))
    yield from indented(lane_draws.draw(draws, columns, start=True))
    yield from indented(lane_draws.store_streams(streams, columns, nursery=True))
    yield from lane_draws.draw_again(draws, columns, start=True)
    made = made_at_the_start(kernel)
    if made:
        yield "for _l in range(_ready):"
        yield from indented(_start_run(kernel, columns))
        yield from (f"    {columns.at(n, nursery=True)} = {n}" for n in columns.kinds if n in made)
    yield "_given += _ready"


def _start_run(kernel: Kernel, columns: Columns) -> Iterator[str]:
    yield f"{ERROR} = np.int64(0)"
    yield from (f"{v.name} = {_TYPE[v.kind]}({v.start})" for v in kernel.variables)
    drawn = 0
    for op in kernel.start:
        match op:
            case Sample(target=target):
                yield f"{target} = {columns.at(variate(True, drawn), nursery=True)}"
                drawn += 1
            case Code(lines=lines):
                yield from lines
            case _:
                pass
