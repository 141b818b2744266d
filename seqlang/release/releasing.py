"""One release: the price is charged, then the program runs, and every look is written before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import repeat
from typing import Any

from seqlang.driver import Loaded
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.release.checking import require_size
from seqlang.release.exact.functions import NoValue
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.reading import Irrational
from seqlang.release.exact.real import require_enclosures
from seqlang.release.exact.samplers import SYSTEM, Below
from seqlang.release.form import Form
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import Amount
from seqlang.release.ledger.refusal import refused
from seqlang.release.live import Waiting
from seqlang.release.pricing import adjacency, not_released, price, proved
from seqlang.release.resuming import Begun, resumed
from seqlang.release.unwritten import Told, Unwritten
from seqlang.release.verification import digest_of, disagreement

LONGEST = 1_000_000
"""Steps of a program that reads a data set, and no stream."""
PLAIN = Form()
Entries = Iterator[Mapping[str, Any] | Waiting]


@record
class Agreed:
    """A program that may be released, and what it costs: everything that is known before private values are read."""

    loaded: Loaded
    price: Amount
    adjacency: str
    account: str
    reference: str
    digest: str
    reading: Mapping[str, Any]

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Every parameter with its value."""
        return tuple((p.name, str(p.value)) for p in self.loaded.program.parameters)


@record
class Released:
    """What was shown, and whether the program has stopped."""

    reference: str
    program: str
    looks: tuple[Mapping[str, Any], ...]
    stopped: bool
    price: Amount

    def to_dict(self) -> dict[str, Any]:
        """The transcript alone, so that a resumed release prints the same."""
        return {
            "schema": 1, "program": self.program, "reference": self.reference, "price": self.price.text,
            "looks": [dict(look) for look in self.looks if look["reports"] or look.get("stopped")],
            "stopped": self.stopped, "result": self.looks[-1].get("result") if self.stopped else None,
        }  # fmt: skip


def require_released(program: Program) -> None:
    """Raises SpecError E0671 for a program that is not computed exactly, or that private values could make fail."""
    against = obstacles(program)
    if against:
        raise not_released(" ".join(against)[:600])


def agreed(loaded: Loaded, book: Book, account: str | None, reference: str | None, form: Form = PLAIN) -> Agreed:
    """`form` is how rows are read: who goes on with a release reads them as before. Raises SpecError: E0671 for a
    program that is not released, E0670 for an account that is not there."""
    require_released(loaded.program)
    if Irrational(loaded.program).is_somewhere():
        require_enclosures()  # before the charge: a look that cannot be computed ends the release
    chosen, who = book.account(account), adjacency(loaded.program, form.said)
    result = proved(loaded, chosen.budget)
    digest, cost = digest_of(loaded, chosen.name, form.said), price(result, chosen.budget)
    return Agreed(loaded, cost, who, chosen.name, reference or digest[:16], digest, form.said)


def require_payer(terms: Agreed, book: Book) -> None:
    """Raises SpecError E0670, with the remedy, where the account is about other neighbours than the program."""
    account = book.account(terms.account)
    if not account.pays_for(terms.adjacency):
        raise refused(f"the account `{account.name}` is about neighbours `{account.adjacency}`; those of the program "
                      f"are `{terms.adjacency}`",
                      f'an account of these: seqlang ledger open .. --adjacency "{terms.adjacency}"')  # fmt: skip


def release(
    terms: Agreed, book: Book, entries: Callable[[], Entries], *, below: Below = SYSTEM, tell: Told | None = None
) -> Released:  # fmt: skip
    """Charges, runs, and writes. `entries` opens the private rows, and is called after the charge, and after a row that
    says that they are read. `tell` gets each look once it is written. After public numbers of steps, and wherever no
    more rows are there for now, that nothing more was shown is written, too: whoever sees nothing then knows it. Raises
    SpecError E0670 where the budget does not cover the price, or another process is at it."""
    spec = terms.loaded.source.text
    wanted = Charge(terms.reference, terms.account, terms.price, spec, terms.settings, terms.digest, terms.reading)
    charge = book.charge(wanted, terms.adjacency)
    held = book.store.hold(charge.reference)
    if held is None:
        raise refused(f"another process releases `{charge.reference}` now", "wait for its end")
    try:
        book.refresh()
        charge = book.charges[charge.reference]
        _tell_again(terms.loaded.program, charge, tell)
        if not charge.stopped:
            book.begin(charge.reference)
            _run(terms.loaded.program, book, charge, entries(), below, tell)
    finally:
        held.close()
    return so_far(terms, book)


def so_far(terms: Agreed, book: Book) -> Released:
    """What the ledger has of a release that was charged."""
    charge = book.charges[terms.reference]
    return Released(charge.reference, terms.loaded.program.name, tuple(charge.looks), charge.stopped, charge.price)


def _tell_again(program: Program, charge: Charge, tell: Told | None) -> None:
    wrong = disagreement(program, charge.looks)
    if wrong is not None:
        raise refused(f"`{charge.reference}` does not go on: {wrong}", "`seqlang ledger verify`")
    if tell is not None:
        for look in charge.looks:
            tell(look)


def _run(program: Program, book: Book, charge: Charge, entries: Entries, below: Below, tell: Told | None) -> None:
    """To the stop, or to the end of the rows."""
    records = partial(_records, program, entries) if program.data_set else None
    rows: Entries = entries if records is None else repeat({}, LONGEST)
    try:
        unwritten = Unwritten(book, charge.reference, records is None, tell)
        begun = None if charge.part is None else Begun(charge.part, unwritten.make)
        run = resumed(program, tuple(charge.looks), rows, below=below, records=records, begun=begun,
                      before_long=unwritten.before_long)  # fmt: skip
        run.prepare()
        coming = _to_the_end(rows, unwritten.write)
        while not unwritten.is_over and (entry := next(coming, None)) is not None:
            if isinstance(entry, Waiting):
                unwritten.write()
            else:
                unwritten.make(run, entry)
            run.prepare()
    except (NoValue, NotExact) as why:
        raise not_released(f"in what it computes from released values, {why}") from None


def _to_the_end(rows: Entries, write: Callable[[], None]) -> Entries:
    """With a wait at their end. Where they cannot be read any more, what was made of them is written first: that the
    process ends there says that it did not stop before."""
    while True:
        try:
            entry = next(rows, None)
        except Exception:
            write()
            raise
        yield Waiting(from_the_start=True) if entry is None else entry
        if entry is None:
            return


def _records(program: Program, entries: Entries) -> dict[str, tuple[Any, ...]]:
    """The fields of a data set, all rows at once. Raises SpecError E0618 where it has another size than the program
    says, unless neighbours differ in it."""
    rows = [row for row in entries if not isinstance(row, Waiting)]
    require_size(program, len(rows))
    return {name: tuple(row[name] for row in rows) for name in program.data_set}
