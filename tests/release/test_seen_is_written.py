"""Whatever can be seen of a release follows from what its ledger has: an adversary ends the process at any place,
starts it again, copies the ledger and adopts the copy, and looks for an outcome that he saw and that is drawn again.

Seen is all that was decided before something that shows outside of the process: a row is written, a look is told, rows
are waited for, the process ends by itself, or it computes for long. The oracle keeps its own record of what was
decided, apart from the ledger."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from released import HEAD, loaded
from test_interrupted_laws import random_body

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded
from seqlang.model.program import Report, Stop
from seqlang.release import resuming, unwritten
from seqlang.release.exact import run as exact_run
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import ExactRun, Outcome
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.entry import Entry
from seqlang.release.live import Waiting
from seqlang.release.releasing import Agreed, release
from seqlang.release.resuming import outcome_in

LONG_BODIES = (
    "statistic s = x\nreport s1 = s\nreport t when sum(i for i in 1..(1 + 4 * min(3, max(0, s1)))) >= 3\n"
    "report u when s >= 1\nattach geometric(1/2) to s\nstop when step >= 9\n",
    "let b = 2\nstatistic s = sum(x over steps)\nreport up when s >= b\nmemory m = 1\nupdate m = 6 when up\n"
    "report t when sum(i for i in 1..m) >= 3\nstop when s >= b + 2 return high\nattach geometric(1/2) to s\n"
    "attach geometric(1/2) to b once\n",
    "memory m = 0\nreport s = x\nreport t = 1 / m when s >= 2\nreport u = sum(i for i in 1..(1 + abs(s)))\n"
    "attach geometric(1/2) to s\nstop when s >= 3 return sum(i for i in 1..9)\n",
)
"""Where what was decided makes the next computation longer, in the step and in later ones; one that may fail."""


PLAIN_SPEND, PLAIN_SHOWN = ExactRun.spend, resuming._Shown.__call__
MOST = 1_500
"""Random bits that are waited for."""


class Killed(BaseException):
    """By the adversary."""


class Moved:
    """A ledger in memory at a place of that name. Its commits are seen; all rows of a transaction or none."""

    def __init__(self, rows: list[Entry], name: str, tell: Callable[..., None] = lambda *_: None) -> None:
        self.rows, self.name, self.tell = rows, name, tell

    def place(self) -> dict[str, str]:
        return {"name": self.name}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        before = list(self.rows)
        self.tell("before a commit")
        try:
            yield
            self.tell("in a commit")
        except BaseException:
            self.rows[:] = before
            raise
        self.tell("committed")

    def entries(self, first: int = 1) -> tuple[Entry, ...]:
        return tuple(self.rows[first - 1 :])

    def append(self, entry: Entry) -> None:
        self.rows.append(entry)

    def mark(self) -> None:
        return None

    def set_mark(self, mark: object) -> None:
        """It has none."""

    def require_room(self) -> None:
        """There is room."""

    def hold(self, name: str) -> Moved:
        return self

    def close(self) -> None:
        """Nothing is open."""


class Adversary:
    """Kills at the event with that number, and keeps what was decided, and how much of it was seen."""

    def __init__(self, kill_at: int) -> None:
        self.left, self.decided, self.seen = kill_at, list[tuple[int, str, Outcome]](), 0
        self.active = True

    def event(self, what: str, *_: object) -> None:
        if not self.active:
            return
        if what in ("committed", "told", "waited", "long", "ended"):
            self.seen = len(self.decided)
        self.left -= 1
        if self.left < 0:
            self.active = False
            raise Killed

    def told(self, look: object) -> None:
        self.event("told")

    def decide(self, step: int, statement: Report | Stop, compute: Any) -> Outcome:
        outcome: Outcome = compute()
        self.decided.append((step, name_of(statement), outcome))
        self.event("decided")
        return outcome

    @property
    def goes_on(self) -> Any:
        """In the place of `_Shown.__call__`, which decides the rest of a step that was begun."""

        def decide(shown: Any, step: int, statement: Report | Stop, compute: Any) -> Outcome:
            outcome: Outcome = PLAIN_SHOWN(shown, step, statement, compute)
            if shown._part is not None and step > shown.last and shown.run.decided >= shown._part["decided"]:
                self.decided.append((step, name_of(statement), outcome))
                self.event("decided")
            return outcome

        return decide


def name_of(statement: Report | Stop) -> str:
    return statement.name if isinstance(statement, Report) else f"stop {statement.index}"


def known(made: Loaded, book: Book) -> dict[tuple[int, str], Outcome]:
    """What the ledger has: by step and statement."""
    charge, found = book.charges["it"], dict[tuple[int, str], Outcome]()
    statements = [s for s in made.program.body if isinstance(s, Report | Stop)]
    by_step = {look["step"]: look for look in charge.looks}
    for step in range(1, max(by_step, default=0) + 1):
        for statement in statements:
            found[step, name_of(statement)] = outcome_in(by_step.get(step, {}), statement)
    if charge.part is not None:
        for step in range(max(by_step, default=0) + 1, charge.part["step"]):
            found |= {(step, name_of(s)): (False, None) for s in statements}
        for statement in statements[: charge.part["decided"]]:
            found[charge.part["step"], name_of(statement)] = outcome_in(charge.part, statement)
    return found


def attacked(made: Loaded, seed: int, patch: pytest.MonkeyPatch, rounds: int = 8) -> int:
    """How many decisions were seen by an adversary that was killed for; asserts that none was drawn again."""
    coins, count = random.Random(seed), 0
    values = [coins.randrange(2) for _ in range(20)]
    waits = [coins.random() < coins.choice((0, 0.4)) for _ in values]
    store = Moved([], "0")
    book = Book(store)
    book.open_account("mine", "any", amount_of("pure(9)", ""))
    terms = Agreed(made, amount_of("pure(1)", ""), "any", "mine", "it", "digest", {})
    for number in range(rounds):
        if number and coins.random() < 0.15:
            store = Moved(list(store.rows), f"{number}")
            book = Book(store)
            with pytest.raises(SpecError, match="only read"):
                release(terms, book, lambda: iter(()))
            book.adopt()
        adversary = Adversary(coins.choice((coins.randrange(40), coins.randrange(400))))
        before = known(made, book) if "it" in book.charges else {}
        store.tell = adversary.event
        patch.setattr(resuming, "computed", adversary.decide)
        patch.setattr(resuming._Shown, "__call__", adversary.goes_on)
        patch.setattr(ExactRun, "spend", spending(adversary))

        def rows(adversary: Adversary = adversary) -> Iterator[Mapping[str, Any] | Waiting]:
            for value, wait in zip(values, waits, strict=True):
                yield {"x": value}
                adversary.event("row")
                if wait:
                    yield Waiting(from_the_start=False)
                    adversary.event("waited")

        draws = iter(range(MOST))

        def below(n: int, draws: Iterator[int] = draws, adversary: Adversary = adversary) -> int:
            if next(draws, None) is None:
                adversary.active = False
                raise Killed  # what lasts is drawn again for too long
            return coins.randrange(n)

        ends = False
        try:
            release(terms, book, rows, below=below, tell=adversary.told)
            ends = True
        except Killed:
            pass
        except SpecError as why:
            if "cannot be drawn again" in str(why):
                return count
            ends = True
        if ends:
            adversary.seen = len(adversary.decided) if not after_the_stop(adversary) else adversary.seen
        adversary.active = False
        store.tell = lambda *_: None
        book = Book(store)
        after = known(made, book) if "it" in book.charges else {}
        require_known(adversary, before, after, book)
        count += adversary.seen
    return count


def after_the_stop(adversary: Adversary) -> bool:
    return any(name.startswith("stop") and outcome[0] for _, name, outcome in adversary.decided)


def require_known(
    adversary: Adversary, before: Mapping[Any, Outcome], after: Mapping[Any, Outcome], book: Book
) -> None:  # fmt: skip
    stopped = 10**9
    for step, name, outcome in adversary.decided[: adversary.seen]:
        assert (step, name) not in before or step > stopped, "drawn again"
        if step > stopped:
            continue  # computed as if it had not stopped, and dropped
        assert (step, name) in after or failed(book, step), f"seen, and not written: {name} in step {step}"
        assert after.get((step, name), outcome) == outcome, f"written in another way: {name} in step {step}"
        if name.startswith("stop") and outcome[0]:
            stopped = step
        if failed(book, step):
            return


def failed(book: Book, step: int) -> bool:
    looks = book.charges["it"].looks
    return bool(looks and looks[-1].get("by") == 0 and looks[-1]["step"] == step)


def spending(adversary: Adversary) -> Any:
    """In the place of `ExactRun.spend`: what takes long is seen."""

    def spend(run: ExactRun, elements: int) -> None:
        PLAIN_SPEND(run, elements)
        if run.elements >= exact_run.LONG and run.before_long is not None and run.step > 0:
            adversary.event("long")

    return spend


def attack_on(text: str, seed: int, patch: pytest.MonkeyPatch) -> int:
    made = loaded(text)
    if obstacles(made.program):
        return 0
    coins = random.Random(seed)
    patch.setattr(unwritten, "STEPS", coins.choice((3, 7, 100)))
    patch.setattr(exact_run, "LONG", coins.choice((4, 10, 10**6)))
    patch.setattr(unwritten, "LONG", exact_run.LONG)
    return attacked(made, seed, patch)


@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 3000), marks=pytest.mark.long)])
def test_of_random_programs(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(attack_on(random_body(random.Random(seed)), seed, monkeypatch) for seed in seeds) > 20 * len(seeds)


@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 2000), marks=pytest.mark.long)])
@pytest.mark.parametrize("body", LONG_BODIES)
def test_of_what_makes_a_step_long(body: str, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(attack_on(HEAD + body, seed, monkeypatch) for seed in seeds) > 10 * len(seeds)


@pytest.mark.parametrize("fault", ["silences", "long", "told first"])
def test_that_what_is_not_written_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults, each of which an attack must find."""
    if fault == "silences":
        plain = unwritten.Unwritten.write
        monkeypatch.setattr(
            unwritten.Unwritten, "write", lambda self: plain(self) if self._looks or self._failure else None
        )
    elif fault == "long":
        monkeypatch.setattr(unwritten.Unwritten, "before_long", lambda self, run: None)
    else:
        writes = Book.looks

        def late(self: Book, *arguments: Any) -> None:
            self.store.tell("told")  # type: ignore[attr-defined]
            writes(self, *arguments)

        monkeypatch.setattr(Book, "looks", late)
    with pytest.raises(AssertionError, match=r"not written|another way|again"):
        for seed in range(200):
            attack_on(HEAD + LONG_BODIES[seed % 3], seed, monkeypatch)


def writes(made: Loaded, seed: int, waits: list[bool]) -> list[int]:
    """After how many rows a commit was made."""
    taken, found = 0, list[int]()

    def event(what: str, *_: object) -> None:
        if what == "committed":
            found.append(taken)

    def rows() -> Iterator[Mapping[str, Any] | Waiting]:
        nonlocal taken
        for wait in waits:
            taken += 1
            yield {"x": 1}
            if wait:
                yield Waiting(from_the_start=False)

    store = Moved([], "0", event)
    book = Book(store)
    book.open_account("mine", "any", amount_of("pure(9)", ""))
    terms = Agreed(made, amount_of("pure(1)", ""), "any", "mine", "it", "digest", {})
    with suppress(SpecError):
        release(terms, book, rows, below=random.Random(seed).randrange)
    return found


@pytest.mark.parametrize("programs", [40, pytest.param(1000, marks=pytest.mark.long)])
def test_when_something_is_written_says_nothing_of_what(programs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other noise the same numbers of rows are taken before each write, up to the one that tells the stop."""
    monkeypatch.setattr(unwritten, "STEPS", 5)
    shorter = 0
    for seed in range(programs):
        made = loaded(random_body(random.Random(seed)))
        if obstacles(made.program):
            continue
        coins = random.Random(seed)
        waits = [coins.random() < 0.2 for _ in range(23)]
        first, second = sorted((writes(made, 2 * seed + i, waits) for i in (0, 1)), key=len)
        assert first == second[: len(first)]
        shorter += len(first) < len(second)
    assert shorter > programs / 10
