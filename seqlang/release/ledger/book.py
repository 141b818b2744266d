"""A ledger: its state, and which rows may be added."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from seqlang.release.ledger.budget import Amount
from seqlang.release.ledger.entry import Body, Entry, chained, faults
from seqlang.release.ledger.state import SCHEMA, Account, Charge, State
from seqlang.release.ledger.store import Store, refused
from seqlang.version import __version__

Rows = list[tuple[str, Body]]
__all__ = ["Account", "Book", "Charge"]


class Book:
    """A ledger. `key` signs rows, and tells whether others were signed by it."""

    def __init__(self, store: Store, key: bytes | None = None) -> None:
        self.store, self.key = store, key
        self._state = State()
        self.refresh()

    @property
    def accounts(self) -> Mapping[str, Account]:
        """By name."""
        return self._state.accounts

    @property
    def charges(self) -> Mapping[str, Charge]:
        """By reference, in the order of the rows."""
        return self._state.charges

    @property
    def digests(self) -> list[str]:
        """Of all rows, in order."""
        return self._state.digests

    @property
    def overdrawn(self) -> list[str]:
        """References whose price the budget did not cover when they were charged."""
        return self._state.overdrawn

    def refresh(self) -> None:
        """Reads the rows that were added since. Raises SpecError E0670 for a chain that is broken, and where rows that
        were read before are not there any more."""
        last = self._state.last
        entries = self.store.entries(1 if last is None else last.number)
        if last is not None and (not entries or entries[0] != last):
            raise _not_as_written(f"row {last.number} was there, and is not now")
        self._take(entries if last is None else entries[1:])

    def _take(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            fault = faults((entry,), self.key, self._state.last) or self._state.take(entry)
            if fault is not None:
                raise _not_as_written(fault)

    # ---- what may be added

    @contextmanager
    def _adding(self) -> Iterator[Rows]:
        """The rows that are put into the list are added, all or none, to a ledger that nobody else writes to."""
        rows: Rows = []
        with self.store.transaction():
            self.refresh()
            yield rows
            if rows and self._state.signed and self.key is None:
                raise refused("the rows of this ledger are signed", "--key FILE signs what is added")
            at, entries, last = datetime.now(UTC).isoformat(timespec="seconds"), [], self._state.last
            for kind, body in rows:
                last = chained(last, at, kind, body, self.key)
                entries.append(last)
                self.store.append(last)
        self._take(entries)  # what was not committed is not known

    def open_account(self, name: str, adjacency: str, budget: Amount) -> None:
        """Raises SpecError where an account has that name."""
        with self._adding() as rows:
            if name in self.accounts:
                raise refused(f"the ledger has an account `{name}` already")
            if self._state.last is None:
                rows.append(("ledger", {"schema": SCHEMA, "seqlang": __version__, "name": secrets.token_hex(8)}))
            rows.append(("account", {"name": name, "adjacency": adjacency, "budget": budget.text}))

    def account(self, name: str | None) -> Account:
        """The one that is named, or the only one. Raises SpecError."""
        if name is None and len(self.accounts) == 1:
            return next(iter(self.accounts.values()))
        if name is None or name not in self.accounts:
            known = ", ".join(self.accounts) or "none"
            said = "which account?" if name is None else f"the ledger has no account `{name}`"
            raise refused(f"{said} It has: {known}", "--account NAME")
        return self.accounts[name]

    def charge(self, wanted: Charge, adjacency: str) -> Charge:
        """Charges the whole price, once: a reference that was charged for the same is found again. Raises SpecError
        where the budget does not cover it, or the reference was charged for something else."""
        with self._adding() as rows:
            known = self.charges.get(wanted.reference)
            if known is not None:
                return _same(known, wanted)
            account = self.account(wanted.account)
            if not account.pays_for(adjacency):
                raise refused(f"the account `{account.name}` is about neighbours `{account.adjacency}`; those of the "
                              f"program are `{adjacency}`", "the price says nothing of other neighbours")  # fmt: skip
            if not account.spent.plus(wanted.price).fits(account.budget):
                raise refused(f"the price is {wanted.price.text}, and of the budget {account.budget.text} of "
                              f"`{account.name}` is left {account.left.text}")  # fmt: skip
            rows.append(("charge", _charge_body(wanted)))
        return self.charges[wanted.reference]

    def begin(self, reference: str) -> None:
        """Private values are read from now on: there is no refund. Raises SpecError where there was one."""
        with self._adding() as rows:
            charge = self.charges[reference]
            if charge.refunded:
                raise _was_refunded(reference)
            if not charge.begun:
                rows.append(("begin", {"reference": reference}))

    def look(self, reference: str, number: int, look: Mapping[str, Any]) -> None:
        """Writes look `number` (from 1). Raises SpecError where that look was written already."""
        with self._adding() as rows:
            charge = self.charges[reference]
            written = len(charge.looks)
            if number != written + 1 or charge.stopped:
                raise refused(f"look {number} of `{reference}` comes after {written} looks: another process wrote some")
            if not charge.begun:
                raise refused(f"`{reference}` has not begun")
            rows.append(("look", {"reference": reference, "look": look}))

    def refund(self, reference: str, because: str) -> None:
        """Only where no private value was read."""
        with self._adding() as rows:
            known = self.charges.get(reference)
            if known is None:
                raise refused(f"nothing was charged with the reference `{reference}`")
            if known.begun or known.refunded:
                why = "it was refunded already" if known.refunded else "its data were read"
                raise refused(f"`{reference}` is not refunded: {why}")
            rows.append(("refund", {"reference": reference, "because": because}))

    @property
    def head(self) -> str:
        """The digest of the last row: kept elsewhere, it shows later whether rows were taken off the end."""
        return "" if self._state.last is None else self._state.last.digest


def _not_as_written(fault: str) -> Exception:
    return refused(f"the ledger is not what was written: {fault}", "`seqlang ledger verify` says more")


def _charge_body(charge: Charge) -> Body:
    return {
        "reference": charge.reference, "account": charge.account, "price": charge.price.text, "spec": charge.spec,
        "settings": charge.settings, "digest": charge.digest, "reading": charge.reading, "seqlang": __version__,
    }  # fmt: skip


def _same(known: Charge, wanted: Charge) -> Charge:
    if known.refunded:
        raise _was_refunded(known.reference)
    mine = (known.account, known.digest, known.price)
    if mine != (wanted.account, wanted.digest, wanted.price):
        raise refused(f"`{known.reference}` was charged for something else: another program, price, account or way to "
                      "read the rows", "--reference with another name")  # fmt: skip
    return known


def _was_refunded(reference: str) -> Exception:
    return refused(f"`{reference}` was refunded", "--reference with another name charges anew")
