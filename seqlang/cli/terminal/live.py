"""A sweep while it runs: a table on stderr whose rows fill, if somebody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seqlang.report.numbers import shown, shown_chance

if TYPE_CHECKING:
    from rich.console import RenderableType

    from seqlang.results.sweep_row import SweepRow
    from seqlang.sweeps.gather import Gathered

_ROOM = 6  # lines of a terminal that are left free


class Watched:
    """What is known of a sweep under way: `told` hears of its units, `finished` of its rows."""

    def __init__(self, gathered: Gathered, where: str) -> None:
        self._plan = gathered.plan
        self._gathered = gathered
        self._where = where
        self._began = time.monotonic()
        self._states: dict[int, dict[str, Any]] = {}
        self._runs = 0  # of finished units that were computed here and now
        self._steps = 0.0
        self._done: list[int] = []
        self._left = {i: self._asked(row.run) for i, row in enumerate(self._plan.rows) if row.run is not None}

    def _asked(self, number: int) -> int:
        options = dict(self._plan.units[number].options)
        return 0 if "until_ci" in options else int(options["runs"])  # nobody knows when an interval is narrow enough

    def told(self, number: int, state: dict[str, Any]) -> None:
        self._states[number] = {**self._states.get(number, {}), **state}

    def answered(self, number: int, answer: dict[str, Any], row: int | None) -> None:
        if self._states.pop(number, None) is not None and "result" in answer:
            found = answer["result"]
            self._runs += found.get("runs", 0)
            self._steps += found["steps"]["mean"] * found["runs"] if "steps" in found else 0.0
        if row is not None:
            self._done.append(row)
            self._left.pop(row, None)

    def headline(self) -> str:
        """How far it is, how fast, and how long it will take if the rest goes as it went."""
        rows = len(self._plan.rows)
        seconds = time.monotonic() - self._began
        under_way = [s for s in self._states.values() if s]
        done = self._runs + sum(s["runs_done"] for s in under_way)
        steps = self._steps + sum(s["steps_done"] for s in under_way)
        parts = [f"{len(self._done):,} of {rows:,} rows {self._where}"]
        if steps and seconds > 0:
            parts.append(f"{steps / seconds:,.0f} steps/s")
        left = sum(self._left.values()) - (done - self._runs)
        if done and left > 0:
            parts.append(f"{_clock(left * seconds / done)} left")
        return "   ".join([*parts, _clock(seconds)])

    def table(self, height: int) -> RenderableType:
        """The last rows that were finished, and those under way with their estimates so far."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        names = self._plan.names
        working = dict.fromkeys(self._gathered.row_of(number) for number in list(self._states))
        last = self._done[-max(1, height - _ROOM - len(working)) :]
        finished = [row for row in map(self._gathered.row, sorted(last)) if row is not None]
        plain = [r.run or r.exact or {"returns": {}} for r in finished]
        labels = list(dict.fromkeys(label for p in plain for label in p["returns"]))
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        for name in (*names, "model", "mean steps", *(f"P({label})" for label in labels), ""):
            table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
        for row in finished:
            table.add_row(*_texts(row, names, labels))
        for place in list(working)[: max(1, height - _ROOM)]:
            table.add_row(*self._so_far(place, len(labels)), style="dim")
        return Group(Text(self.headline(), style="bold"), table)

    def _so_far(self, place: int, labels: int) -> list[str]:
        row = self._plan.rows[place]
        state = self._states.get(row.run, {}) if row.run is not None else {}
        mean = "" if state.get("mean_steps") is None else shown(state["mean_steps"], 5)
        share = f"{state['runs_done'] / max(1, state['runs']):.0%}" if state else "…"
        return [*(shown(row.parameters[n]) for n in self._plan.names), row.model, mean, *[""] * labels, share]


def _texts(row: SweepRow, names: tuple[str, ...], labels: list[str]) -> list[str]:
    plain = row.run or row.exact
    values = [*(shown(row.parameters[n]) for n in names), row.model]
    if plain is None:
        return [*values, *["-"] * (1 + len(labels)), ""]
    mean = plain["steps"]["mean"] if row.run is not None else plain["expected_steps"]
    chances = [plain["returns"].get(label, 0.0) for label in labels]
    chances = [c["probability"] if isinstance(c, dict) else c for c in chances]
    return [*values, "-" if not isinstance(mean, float) else shown(mean, 5), *(shown_chance(c, 4) for c in chances), ""]


def _clock(seconds: float) -> str:
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


@contextmanager
def live(watched: Watched, quiet: bool) -> Iterator[Callable[[], None]]:
    """Draws while somebody looks at stderr; nothing with `quiet`, or into a pipe. The table is gone at the end: its
    final form belongs on stdout."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stderr)
    with Live(console=console, transient=True, refresh_per_second=4,
              get_renderable=lambda: watched.table(console.height)) as drawn:  # fmt: skip
        yield drawn.refresh
