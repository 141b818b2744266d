"""A ledger: its state, and which rows may be added."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.budget import LONGEST, Amount
from seqlang.release.ledger.entry import Body, Entry, chained, faults
from seqlang.release.ledger.inode import Mark
from seqlang.release.ledger.refusal import refused
from seqlang.release.ledger.state import SCHEMA, Account, Charge, State
from seqlang.release.ledger.store import Store
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

    @property
    def copied(self) -> str | None:
        """Why this is not the ledger that was written to last, but a copy of it, which is only read; None if it is.
        Of a ledger that does not say which one it is (schema 1), nobody knows."""
        if self._state.place is None:
            return None
        if self._state.place != self.store.place():
            return "it is a copy of another ledger, or was moved to another disk"
        mark, digests = self.store.mark(), self.digests
        if mark is not None and mark.number and digests[mark.number - 1 : mark.number] != [mark.digest]:
            return f"it was set back to an older copy: row {mark.number} was written to it"
        return None

    # ---- what may be added

    @contextmanager
    def _adding(self, adopting: bool = False) -> Iterator[Rows]:
        """The rows that are put into the list are added, all or none, to a ledger that nobody else writes to. What
        cannot be read again is not written: rows are taken before they are committed."""
        rows: Rows = []
        taken = False
        try:
            with self.store.transaction():
                self.refresh()
                copied = self.copied
                if copied is not None and not adopting:
                    raise refused(
                        f"the ledger is only read: {copied}",
                        "`seqlang ledger adopt` goes on with it, and charges every open release again",
                    )
                yield rows
                if rows and self._state.signed and self.key is None:
                    raise refused("the rows of this ledger are signed", "--key FILE signs what is added")
                if rows and self._state.last is not None and self._state.place is None and not adopting:
                    rows.insert(0, ("place", {"place": self._marked_place()}))
                at, taken = datetime.now(UTC).isoformat(timespec="seconds"), bool(rows)
                for kind, body in rows:
                    self.store.append(self._next(at, kind, body))
        except BaseException:
            if taken:  # what was not committed is not known
                self._state = State()
                with suppress(SpecError):
                    self.refresh()
            raise
        if taken and self._state.last is not None:
            self.store.set_mark(Mark(self._state.last.number, self._state.last.digest))

    def _next(self, at: str, kind: str, body: Body) -> Entry:
        try:
            entry = chained(self._state.last, at, kind, body, self.key)
        except UnicodeEncodeError:
            raise refused("the row is not written: it holds what is no text (UTF-8)") from None
        fault = self._state.take(entry)
        if fault is not None:
            raise refused(f"the row is not written, since it could not be read again: {fault}")
        return entry

    def _marked_place(self) -> Mapping[str, str]:
        """Of a store that had no mark, or that of other rows: from now on it has one, where that is possible."""
        self.store.set_mark(Mark(0, ""))
        return self.store.place()

    def adopt(self) -> tuple[list[str], list[str]]:
        """Goes on with a copy of a ledger. Every open release is charged again, and begins anew: whoever has the other
        copy may draw what this one would draw. Returns the references that were charged again, and those that were
        ended since the budget does not cover their price. Raises SpecError where this is no copy."""
        with self._adding(adopting=True) as rows:
            if self._state.last is None:
                raise refused("the ledger is empty")
            if self._state.place is not None and self.copied is None:
                raise refused("this is the ledger itself, and no copy: there is nothing to adopt")
            again, ended = self._state.after_adoption()
            rows.append(("adopt", {"place": self._marked_place(), "again": again, "ended": ended}))
        return again, ended

    def open_account(self, name: str, adjacency: str, budget: Amount) -> None:
        """Raises SpecError where an account has that name."""
        with self._adding() as rows:
            if name in self.accounts:
                raise refused(f"the ledger has an account `{name}` already")
            if self._state.last is None:
                rows.append(("ledger", {"schema": SCHEMA, "seqlang": __version__, "name": secrets.token_hex(8),
                                        "place": self._marked_place()}))  # fmt: skip
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
            spent = account.spent.plus(wanted.price)
            if not (wanted.price.has_at_most(LONGEST) and spent.has_at_most(2 * LONGEST)):
                raise refused(f"the price, or what is spent with it, has more digits than are written ({LONGEST:,})",
                              "a price with a shorter denominator that is no less")  # fmt: skip
            if not spent.fits(account.budget):
                raise refused(f"the price is {wanted.price.text}, and of the budget {account.budget.text} of "
                              f"`{account.name}` is left {account.left.text}")  # fmt: skip
            rows.append(("charge", _charge_body(wanted)))
        return self.charges[wanted.reference]

    def begin(self, reference: str) -> None:
        """This process reads private values from now on: there is no refund. Each process writes that, so that whoever
        ends it and starts it again leaves a trace. Raises SpecError where there was a refund."""
        with self._adding() as rows:
            charge = self.charges[reference]
            if charge.refunded:
                raise _was_refunded(reference)
            rows.append(("begin", {"reference": reference, "attempt": charge.attempts + 1}))

    def looks(
        self, reference: str, first: int, looks: Sequence[Mapping[str, Any]], part: Mapping[str, Any] | None = None
    ) -> None:  # fmt: skip
        """Writes looks, all or none, the first of which has that number (from 1), and the part of the step after them
        that is known. Raises SpecError where a look was written already."""
        with self._adding() as rows:
            charge = self.charges[reference]
            written = len(charge.looks)
            if first != written + 1 or charge.stopped:
                raise refused(f"look {first} of `{reference}` comes after {written} looks: another process wrote some")
            if not charge.attempts:
                raise refused(f"`{reference}` has not begun")
            rows.extend(("look", {"reference": reference, "look": look}) for look in looks)
            if part is not None:
                rows.append(("part", {"reference": reference, "part": part}))

    def refund(self, reference: str, because: str) -> None:
        """Only where no private value was read."""
        with self._adding() as rows:
            known = self.charges.get(reference)
            if known is None:
                raise refused(f"nothing was charged with the reference `{reference}`")
            if known.begun or known.refunded:
                why = "it was refunded already" if known.refunded else "its data were read"
                why = "it was charged again" if known.times > 1 else why
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
    if known.ended:
        raise refused(f"`{known.reference}` was ended when a copy of the ledger was adopted: the budget did not cover "
                      "its price again", "--reference with another name charges anew")  # fmt: skip
    mine = (known.account, known.digest, known.price)
    if mine != (wanted.account, wanted.digest, wanted.price):
        raise refused(f"`{known.reference}` was charged for something else: another program, price, account or way to "
                      "read the rows", "--reference with another name")  # fmt: skip
    return known


def _was_refunded(reference: str) -> Exception:
    return refused(f"`{reference}` was refunded", "--reference with another name charges anew")
