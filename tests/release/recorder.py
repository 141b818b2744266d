"""Records all that a release does in the order in which it does it, so that it can be done again on other rows with the
same random bits: rows that are read, laws that are drawn from with their parameters, random bits, lines of the package
that are executed, decisions, and what is written."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, takewhile
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import pytest

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded
from seqlang.model.expression import Expression
from seqlang.model.program import Program, Report, Stop, expressions_in
from seqlang.record import record
from seqlang.release import exact, resuming
from seqlang.release.exact import laws, samplers
from seqlang.release.exact.code import Code
from seqlang.release.exact.plan import is_private
from seqlang.release.exact.run import ExactRun, Outcome
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.entry import Entry
from seqlang.release.ledger.inode import Mark
from seqlang.release.live import Waiting
from seqlang.release.releasing import Agreed, Entries, release
from seqlang.release.rows import Form, Rows

PACKAGE = str(Path(exact.__file__).parents[1])
LAWS = ("bernoulli", "discrete_gaussian", "geometric", "geometric_exp", "listed")
PLANTED = "planted"
"""Functions of the tests with a name that begins so are part of what is recorded."""
Shown = TypeVar("Shown")
Event = tuple[Any, ...]
"""("row", number), ("law", name, parameters), ("bits", n), ("line", file, number), ("decided", where, outcome),
("public", where, outcome), ("written", kind, body) or ("refused", message)."""


@record
class Recording:
    """`events` in order, and the private decisions as they were computed: what is shown, unless it was forced."""

    events: tuple[Event, ...]
    decisions: tuple[Event, ...]


@record
class Kept:
    """A ledger in memory that tells what is added to it, and that one process has."""

    rows: list[Entry]
    tell: Callable[..., None]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield

    def entries(self, first: int = 1) -> tuple[Entry, ...]:
        return tuple(self.rows[first - 1 :])

    def append(self, entry: Entry) -> None:
        self.rows.append(entry)
        self.tell("written", entry.kind, entry.body)

    def place(self) -> dict[str, str]:
        return {}

    def mark(self) -> None:
        return None

    def set_mark(self, mark: Mark) -> None:
        """It has none."""

    def require_room(self) -> None:
        """There is room."""

    def hold(self, name: str) -> Kept:
        return self

    def close(self) -> None:
        """Nothing is open."""


class Recorder:
    """Of one release. `forced`: the private decisions that are shown, whatever is computed."""

    def __init__(self, program: Program, forced: Sequence[Event] | None) -> None:
        self._program = program
        self.events: list[Event] = []
        self.decisions: list[Event] = []
        self._forced, self._deep, self._pauses = forced, 0, False

    def tell(self, *event: Any) -> None:
        self.events.append(event)

    def trace(self, frame: FrameType, what: str, argument: object) -> Any:
        """For `sys.settrace`. How the text of a cell is parsed is left out."""
        code = frame.f_code
        if self._pauses or not (code.co_filename.startswith(PACKAGE) or code.co_name.startswith(PLANTED)):
            return None
        if what in ("call", "line"):
            self.events.append(("line", code.co_filename.removeprefix(PACKAGE), frame.f_lineno))
        return self.trace

    def rows(self, found: Entries) -> Entries:
        number = 0
        while True:
            number += 1
            self.tell("row", number)
            self._pauses = True
            entry = next(found, None)
            self._pauses = False
            if entry is None:
                return
            yield entry

    def decided(self, where: Event, outcome: Shown) -> Shown:
        """What is shown of a private decision."""
        place = len(self.decisions)
        self.decisions.append((where, outcome))
        if self._forced is not None and place < len(self._forced) and self._forced[place][0] == where:
            outcome = self._forced[place][1]
        self.tell("decided", where, outcome)
        return outcome

    def decide(self, step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
        """In the place of `computed`."""
        name = statement.name if isinstance(statement, Report) else f"stop {statement.index}"
        outcome = compute()
        if any(is_private(self._program, e) for e in expressions_in(statement)):
            return self.decided((step, name), outcome)
        self.tell("public", (step, name), outcome)
        return outcome

    def test(self, original: Callable[[ExactRun, Expression | None], Code | None]) -> Callable[..., Code | None]:
        """In the place of `ExactRun._test`."""

        def made(run: ExactRun, when: Expression | None) -> Code | None:
            code = original(run, when)
            if code is None or when is None or not is_private(run.program, when):
                return code
            return lambda m: self.decided((m.step, "when"), bool(code(m)))

        return made

    def law(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """In the place of a sampler: draws of other samplers within it are its own."""

        def drawn(*arguments: Any) -> Any:
            if not self._deep:
                self.tell("law", name, arguments[:-1])
            self._deep += 1
            try:
                return original(*arguments)
            finally:
                self._deep -= 1

        return drawn


def recorded(
    made: Loaded, form: Form, lines: Sequence[str], seed: int, forced: Sequence[Event] | None = None
) -> Recording:
    """Releases the program on the lines of a file, the heading first, with the random bits of the seed. The price is
    not asked for: 1 of 1. With even seeds the lines come one by one, and silences are written."""
    recorder = Recorder(made.program, forced)
    book = Book(Kept([], recorder.tell))
    book.open_account("mine", "any", amount_of("pure(1)", ""))
    terms = Agreed(made, amount_of("pure(1)", ""), "any", "mine", "it", "digest", form.said)
    tape, recorder.events = random.Random(seed), []
    pause = (Waiting(from_the_start=True),) if seed % 2 == 0 else ()
    entries = iter(Rows(made.program, chain.from_iterable((line, *pause) for line in lines), "rows", form))

    def below(n: int) -> int:
        recorder.tell("bits", n)
        return tape.randrange(n)

    with pytest.MonkeyPatch.context() as patch:
        for name in LAWS:
            patch.setattr(samplers, name, recorder.law(name, getattr(samplers, name)))
        patch.setattr(resuming, "computed", recorder.decide)
        patch.setattr(ExactRun, "_test", recorder.test(ExactRun._test))
        laws._power.cache_clear()
        before = sys.gettrace()
        gc.collect()  # a generator that another test left behind would be closed in the middle, which is a call of it
        gc.disable()
        sys.settrace(recorder.trace)
        try:
            release(terms, book, lambda: recorder.rows(entries), below=below)
        except SpecError as why:
            recorder.tell("refused", str(why))
        finally:
            sys.settrace(before)
            gc.enable()
    return Recording(tuple(recorder.events), tuple(recorder.decisions))


def difference(first: Sequence[Event], second: Sequence[Event]) -> str:
    """Where two recordings part, and which kinds of events differ; empty if they are the same."""
    if first == second:
        return ""
    same = _alike(first, second)
    then = [str(events[same]) if same < len(events) else "the end" for events in (first, second)]
    kinds = sorted({event[0] for event in (*first, *second)})
    apart = [k for k in kinds if [e for e in first if e[0] == k] != [e for e in second if e[0] == k]]
    return f"{', '.join(apart)} differ; after {same} events: {then[0]}, but on the neighbour {then[1]}"


def _alike(first: Sequence[Event], second: Sequence[Event]) -> int:
    """How many events both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def before_it_shows(mine: Recording, other: Recording) -> tuple[Sequence[Event], Sequence[Event]]:
    """What both did up to the last private decision before the first that differs; all, if none does."""
    alike = _alike(mine.decisions, other.decisions)
    if alike == len(mine.decisions) == len(other.decisions):
        return mine.events, other.events
    return _up_to(mine.events, alike), _up_to(other.events, alike)


def _up_to(events: Sequence[Event], decisions: int) -> Sequence[Event]:
    places = [i for i, event in enumerate(events) if event[0] == "decided"]
    return events[: places[decisions - 1] + 1] if decisions else events[:0]


def drawn_late(events: Sequence[Event]) -> bool:
    """Whether random bits are asked for after a row is there, and before something is decided or written of it."""
    waits = False
    for kind, *_ in events:
        if kind in ("row", "decided", "public", "written"):
            waits = kind == "row"
        elif kind == "bits" and waits:
            return True
    return False


def unsized(events: Sequence[Event]) -> list[Event]:
    """Without what depends on the number of rows: where neighbours differ in it."""
    return [event for event in events if event[0] not in ("row", "line")]
