"""The text that tells of an ended run: in arrays with an entry a run, or in sums where nobody asks for single runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

COUNTED = 1 << 11
"""Ends of runs with fewer steps are counted in a table. A power of two."""
TOTALS = 4
"""Sums of each report: its numbers, the LOW low bits of their squares, the others, and how many are not 0."""
LOW = 32


def open_sums() -> Iterator[str]:
    """The lines before the first run."""
    yield "_single = out_steps.shape[0] > 0"
    yield "_apart = 0"


def tell_end(place: str, code: str, counted: str, reports: Sequence[str]) -> Iterator[str]:
    """Of run number `first + place`, which made `step` steps and ends with this code; the table has it where `counted`
    holds. `reports` are names of counts."""
    yield "if _single:"
    yield f"    out_steps[{place}] = step"
    yield f"    out_codes[{place}] = {code}"
    yield from (f"    out_reports[{i}, {place}] = {name}" for i, name in enumerate(reports))
    yield "else:"
    yield from (f"    {line}" for line in _add(place, code, counted, reports))


def close_sums() -> Iterator[str]:
    """The lines after the last run."""
    yield "if not _single:"
    yield "    out_totals[0] = _apart"


def row(code: str) -> str:
    """Where the row of runs with this code begins in the table."""
    return f"(({code} + 2) << {COUNTED.bit_length() - 1})"


def _add(place: str, code: str, counted: str, reports: Sequence[str]) -> Iterator[str]:
    yield f"if {counted}:"
    yield f"    out_ends[np.uint64({row(code)} + step)] += 1"
    yield "else:"
    for i, what in enumerate((f"first + {place}", "step", code)):
        yield f"    out_apart[{i}, _apart] = {what}"
    yield "    _apart += 1"
    for i, name in enumerate(reports):
        yield f"_number = np.int64({name})"
        yield "_square = _number * _number"
        parts = ("_number", f"_square & {(1 << LOW) - 1}", f"_square >> {LOW}", "np.int64(_number != 0)")
        yield from (f"out_totals[{1 + TOTALS * i + j}] += {part}" for j, part in enumerate(parts))
