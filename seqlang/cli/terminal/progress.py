"""The line on stderr that tells how far a simulation is, while somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from seqlang.process.doing import heard

if TYPE_CHECKING:
    from collections.abc import Callable

    from seqlang.backends.montecarlo.progress import Progress

_ROOM = 120
"""Columns that title, bar and what is told need in one line."""


@contextmanager
def progress_line(title: str) -> Iterator[Callable[[Progress], None] | None]:
    """Nothing is written where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    # Results go to stdout as they are, past the line and without its wrapping.
    console = Console(file=sys.stderr)
    wide = console.width >= _ROOM
    separate = (TextColumn("{task.description}"), BarColumn(bar_width=20), TextColumn("{task.fields[told]}"))
    columns = separate if wide else (TextColumn("{task.description}\n{task.fields[told]}"),)
    with Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(title, total=None, told="")

        def tell(state: Progress) -> None:
            bar.update(task, completed=state.runs_done, total=state.runs, told=told(state))

        with heard(lambda what: bar.update(task, told=f"{what} ..")):  # until the first runs are done
            yield tell


def told(state: Progress) -> str:
    """Runs, steps a second, the estimate with its interval, and the time left."""
    parts = [f"{_count(state.runs_done)} of {_count(state.runs)} runs", f"{_count(state.steps_per_second)} steps/s"]
    if state.estimate is not None:
        e = state.estimate
        parts.append(f"{e.name} = {e.value:.5g} ± {(e.high - e.low) / 2:.2g}")
    if state.seconds_left is not None:
        parts.append(f"{_time(state.seconds_left)} left")
    return "  ".join(parts)


def _count(number: float) -> str:
    """Three digits are enough of what changes all the time."""
    if number < 10_000:
        return f"{number:,.0f}"
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number / 1e3:.3g} k"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    if whole < 6000:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
