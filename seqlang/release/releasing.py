"""One release: the price is charged, then the program runs, and every look is written before it is shown."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import Any

from seqlang.driver import Loaded
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import Look
from seqlang.release.exact.samplers import SYSTEM, Below
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import Amount
from seqlang.release.ledger.entry import canonical
from seqlang.release.ledger.store import refused
from seqlang.release.pricing import adjacency, not_released, price, proved
from seqlang.release.resuming import resumed
from seqlang.release.transcript import written

LONGEST = 1_000_000
"""Steps of a program that reads a data set, and no stream."""
Entries = Iterator[Mapping[str, Any]]
Told = Callable[[Mapping[str, Any]], None]


@record
class Agreed:
    """A program that may be released, and what it costs: everything that is known before private values are read."""

    loaded: Loaded
    price: Amount
    adjacency: str
    account: str
    reference: str
    digest: str

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


def agreed(loaded: Loaded, book: Book, account: str | None, reference: str | None) -> Agreed:
    """Raises SpecError: E0671 for a program that is not released, E0670 for an account that is not there."""
    against = obstacles(loaded.program)
    if against:
        raise not_released(" ".join(against)[:600])
    chosen = book.account(account)
    result = proved(loaded, chosen.budget)
    digest = digest_of(loaded, chosen.name)
    return Agreed(
        loaded, price(result, chosen.budget), adjacency(result), chosen.name, reference or digest[:16], digest
    )


def digest_of(loaded: Loaded, account: str) -> str:
    """Of the program's text, its parameters' values and the account: never of rows."""
    settings = [(p.name, str(p.value)) for p in loaded.program.parameters]
    said = canonical({"spec": loaded.source.text, "settings": settings, "account": account})
    return hashlib.sha256(said.encode()).hexdigest()


def release(
    terms: Agreed, book: Book, entries: Callable[[], Entries], *, below: Below = SYSTEM, tell: Told | None = None,
    ticks: bool = False,
) -> Released:  # fmt: skip
    """Charges, runs, and writes. `entries` opens the private rows, and is called after the charge. `tell` gets each
    look once it is written. `ticks`: rows come one by one, and whoever sees nothing knows that nothing happened.
    Raises SpecError E0670 where the budget does not cover the price, or another process is at it."""
    wanted = Charge(terms.reference, terms.account, terms.price, terms.loaded.source.text, terms.settings, terms.digest)
    charge = book.charge(wanted, terms.adjacency)
    held = book.store.hold(charge.reference)
    if held is None:
        raise refused(f"another process releases `{charge.reference}` now", "wait for its end")
    book.refresh()
    charge = book.charges[charge.reference]
    if not (charge.looks and charge.looks[-1].get("stopped")):
        book.begin(charge.reference)
        _run(terms.loaded.program, book, charge, entries(), below, tell, ticks)
    looks = book.charges[charge.reference].looks
    return Released(
        charge.reference, terms.loaded.program.name, looks, bool(looks and looks[-1].get("stopped")), charge.price
    )


def _run(
    program: Program, book: Book, charge: Charge, entries: Entries, below: Below, tell: Told | None, ticks: bool
) -> None:
    """To the stop, or to the end of the rows; that nothing more was shown up to there is written, too."""
    records = _records(program, entries)
    rows: Entries = entries if records is None else repeat({}, LONGEST)
    run = resumed(program, charge.looks, rows, below=below, records=records)
    done, shown_to = len(charge.looks), run.step
    for entry in rows:
        look = run.advance(entry)
        if look.reports or look.stopped or ticks:
            done, shown_to = done + 1, look.step
            _write(book, charge, done, look, tell)
        if look.stopped:
            return
    if run.step > shown_to:
        _write(book, charge, done + 1, Look(run.step, (), False, None), tell)


def _records(program: Program, entries: Entries) -> dict[str, tuple[Any, ...]] | None:
    """The fields of a dataset, all rows at once; None for a program that reads a stream."""
    names = [field.name for field in program.inputs if field.kind == "dataset"]
    if not names:
        return None
    if len(names) < len(program.inputs):
        raise not_released("it reads a data set and a stream")
    rows = list(entries)
    return {name: tuple(row[name] for row in rows) for name in names}


def _write(book: Book, charge: Charge, number: int, look: Look, tell: Told | None) -> None:
    said = written(look)
    book.look(charge.reference, number, said)
    if tell is not None:
        tell(said)
