"""Looks that nobody has seen yet: they are written together, and told once they are.

Whoever ends a process that was silent so far, and starts it again, must not have steps drawn again of which he saw that
they were silent. So nothing that can be seen depends on what was drawn and is not written: looks and silences are
written at the same points, whatever was drawn. These are after public numbers of steps, and wherever rows are waited
for. A release that stops goes on to the next of these points, as if it had not, and drops what it computes there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from seqlang.release.exact.run import LONG, ExactRun, Look
from seqlang.release.ledger.book import Book
from seqlang.release.resuming import Differs
from seqlang.release.transcript import value_out, written

STEPS = 2000
"""Of a stream between two writes, unless rows are waited for."""
EARLY = 7
"""Bits of the number of steps up to which each step on a data set is written by itself."""
Told = Callable[[Mapping[str, Any]], None]


class Unwritten:
    """Of one release that goes on after its looks in the ledger. `streams`: rows come one by one."""

    def __init__(self, book: Book, reference: str, streams: bool, tell: Told | None) -> None:
        charge = book.charges[reference]
        self._book, self._reference, self._streams, self._tell = book, reference, streams, tell
        self._looks: list[Look] = []
        self._done, self._step, self._work = len(charge.looks), 0, 0
        self._shown_to = charge.looks[-1]["step"] if charge.looks else 0
        self._part = (0, 0)
        if charge.part is not None:
            self._part, self._shown_to = (charge.part["step"], charge.part["decided"]), charge.part["step"] - 1
        self._failure: Exception | None = None
        self._has_stopped = self.is_over = False
        book.store.require_room()

    def make(self, run: ExactRun, entry: Mapping[str, Any]) -> None:
        """Makes a step. Where it has no value, depends on what it has shown: that ends the release. Otherwise noise
        would be drawn again for each failure, which tells of the noise before it, at one price."""
        if self._has_stopped:
            run.stopped = False
            with suppress(Exception):
                run.advance(entry)
        else:
            self._add(run, entry)
        self._step, self._work = run.step, self._work + run.elements
        if self._is_public(run.step) or self._work >= LONG:
            self.write()

    def _add(self, run: ExactRun, entry: Mapping[str, Any]) -> None:
        try:
            look = run.advance(entry)
        except Differs:
            raise
        except Exception as why:
            self._failure, look = why, run.failed()
        if look.reports or look.stopped or self._part[0] == look.step:
            self._looks.append(look)
        self._has_stopped = look.stopped

    def _is_public(self, step: int) -> bool:
        return step % (STEPS if self._streams else 1 << max(0, step.bit_length() - EARLY)) == 0

    def before_long(self, run: ExactRun) -> None:
        """Writes what was shown up to here, within a step: what is computed next may take long because of it."""
        known = self._part[1] if self._part[0] == run.step else 0
        if self._has_stopped or run.step <= self._shown_to:
            return
        if run.decided > known or self._shown_to < run.step - 1:
            reports = {name: value_out(value) for name, value in run.shown}
            self._write({"step": run.step, "decided": run.decided, "reports": reports})
            self._part, self._shown_to = (run.step, run.decided), run.step - 1

    def write(self) -> None:
        """All that was shown up to now, and that nothing more was. Raises what ended the last step, once that is
        written."""
        last = self._looks[-1].step if self._looks else self._shown_to
        if not self._has_stopped and last < self._step:
            self._looks.append(Look(self._step, (), False, None))
        if self._looks:
            self._shown_to = self._looks[-1].step
            self._write(None)
        if self._failure is not None:
            try:
                raise self._failure
            finally:
                self._failure = None  # its frames hold this object, and what reads the rows
        self.is_over = self._has_stopped
        if not self.is_over:
            self._book.store.require_room()

    def _write(self, part: Mapping[str, Any] | None) -> None:
        said = [written(look) for look in self._looks]
        self._book.looks(self._reference, self._done + 1, said, part)
        self._done, self._looks, self._work = self._done + len(said), [], 0
        if self._tell is not None:
            for look in said:
                self._tell(look)
