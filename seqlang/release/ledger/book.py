"""What the rows of a ledger mean, and which rows may be added."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from seqlang.record import record, replace
from seqlang.release.ledger.budget import Amount, amount_of
from seqlang.release.ledger.entry import Body, Entry, chained, faults
from seqlang.release.ledger.store import SqliteStore, refused
from seqlang.version import __version__

SCHEMA = 1
"""Of the bodies."""


@record
class Account:
    """A data set and its budget. `adjacency`: which data sets are neighbours, in the words of `check`."""

    name: str
    adjacency: str
    budget: Amount
    spent: Amount

    @property
    def left(self) -> Amount:
        return self.budget.minus(self.spent)


@record
class Charge:
    """What a release costs, and what is known of it. `spec` is the text of the released program with its parameters'
    values. `looks` are what it showed, in order; `begun`: private values may have been read."""

    reference: str
    account: str
    price: Amount
    spec: str
    settings: tuple[tuple[str, str], ...]
    digest: str
    begun: bool = False
    refunded: bool = False
    looks: tuple[Mapping[str, Any], ...] = ()


class Book:
    """A ledger. `key` signs rows, and tells whether others were signed by it."""

    def __init__(self, store: SqliteStore, key: bytes | None = None) -> None:
        self.store, self.key = store, key
        self.accounts: dict[str, Account] = {}
        self.charges: dict[str, Charge] = {}
        self._last: Entry | None = None
        self.digests: list[str] = []
        """Of all rows, in order."""
        self.refresh()

    def refresh(self) -> None:
        """Reads all rows. Raises SpecError E0670 for a chain that is broken."""
        entries = self.store.entries()
        fault = faults(entries, self.key)
        if fault is not None:
            raise refused(f"the ledger is not what was written: {fault}", "`seqlang ledger verify` says more")
        self.accounts, self.charges, self.digests, self._last = {}, {}, [], None
        for entry in entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        body = entry.content
        match entry.kind:
            case "ledger":
                if body["schema"] > SCHEMA:
                    raise refused(f"the ledger was written by a newer seqlang ({body['seqlang']})")
            case "account":
                budget = amount_of(body["budget"], "the budget")
                self.accounts[body["name"]] = Account(body["name"], body["adjacency"], budget, budget.nothing)
            case "charge":
                self._charged(body)
            case "begin":
                self._changed(body["reference"], begun=True)
            case "look":
                known = self.charges[body["reference"]]
                self._changed(body["reference"], looks=(*known.looks, body["look"]))
            case "refund":
                self._refunded(body["reference"])
        self._last = entry
        self.digests.append(entry.digest)

    def _charged(self, body: Mapping[str, Any]) -> None:
        price = amount_of(body["price"], "the price")
        settings = tuple((name, value) for name, value in body["settings"])
        made = Charge(body["reference"], body["account"], price, body["spec"], settings, body["digest"])
        self.charges[made.reference] = made
        self._spend(made.account, price)

    def _refunded(self, reference: str) -> None:
        charge = self.charges[reference]
        self._changed(reference, refunded=True)
        self._spend(charge.account, charge.price.nothing.minus(charge.price))

    def _changed(self, reference: str, **fields: Any) -> None:
        self.charges[reference] = replace(self.charges[reference], **fields)

    def _spend(self, name: str, price: Amount) -> None:
        account = self.accounts[name]
        self.accounts[name] = replace(account, spent=account.spent.plus(price))

    # ---- what may be added

    def add(self, rows: Iterable[tuple[str, Body]]) -> None:
        """Within a transaction, after `refresh`."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        for kind, body in rows:
            entry = chained(self._last, at, kind, body, self.key)
            self.store.append(entry)
            self._take(entry)

    def open_account(self, name: str, adjacency: str, budget: Amount) -> None:
        """Raises SpecError where an account has that name."""
        with self.store.transaction():
            self.refresh()
            if name in self.accounts:
                raise refused(f"the ledger has an account `{name}` already")
            first = [] if self._last is not None else [_opening()]
            body = {"name": name, "adjacency": adjacency, "budget": budget.text}
            self.add([*first, ("account", body)])

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
        with self.store.transaction():
            self.refresh()
            known = self.charges.get(wanted.reference)
            if known is not None:
                return _same(known, wanted)
            account = self.account(wanted.account)
            if adjacency != account.adjacency:
                raise refused(f"the account `{account.name}` is about neighbours `{account.adjacency}`; those of the "
                              f"program are `{adjacency}`", "the price says nothing of other neighbours")  # fmt: skip
            if not account.spent.plus(wanted.price).fits(account.budget):
                raise refused(f"the price is {wanted.price.text}, and of the budget {account.budget.text} of "
                              f"`{account.name}` is left {account.left.text}")  # fmt: skip
            self.add([("charge", _charge_body(wanted))])
            return self.charges[wanted.reference]

    def begin(self, reference: str) -> None:
        """Private values are read from now on: there is no refund."""
        with self.store.transaction():
            self.refresh()
            if not self.charges[reference].begun:
                self.add([("begin", {"reference": reference})])

    def look(self, reference: str, number: int, look: Mapping[str, Any]) -> None:
        """Writes look `number` (from 1). Raises SpecError where that look was written already."""
        with self.store.transaction():
            self.refresh()
            written = len(self.charges[reference].looks)
            if number != written + 1:
                raise refused(f"look {number} of `{reference}` comes after {written} looks: another process wrote some")
            self.add([("look", {"reference": reference, "look": look})])

    def refund(self, reference: str, because: str) -> None:
        """Only where no private value was read."""
        with self.store.transaction():
            self.refresh()
            known = self.charges.get(reference)
            if known is None:
                raise refused(f"nothing was charged with the reference `{reference}`")
            if known.begun or known.refunded:
                why = "it was refunded already" if known.refunded else "its data were read"
                raise refused(f"`{reference}` is not refunded: {why}")
            self.add([("refund", {"reference": reference, "because": because})])

    @property
    def head(self) -> str:
        """The digest of the last row: kept elsewhere, it shows later whether rows were taken off the end."""
        return "" if self._last is None else self._last.digest


def _opening() -> tuple[str, Body]:
    return "ledger", {"schema": SCHEMA, "seqlang": __version__, "name": secrets.token_hex(8)}


def _charge_body(charge: Charge) -> Body:
    return {
        "reference": charge.reference, "account": charge.account, "price": charge.price.text, "spec": charge.spec,
        "settings": charge.settings, "digest": charge.digest, "seqlang": __version__,
    }  # fmt: skip


def _same(known: Charge, wanted: Charge) -> Charge:
    if known.refunded:
        raise refused(f"`{known.reference}` was refunded", "--reference with another name charges anew")
    mine = (known.account, known.digest, known.price)
    if mine != (wanted.account, wanted.digest, wanted.price):
        raise refused(f"`{known.reference}` was charged for something else: another program, price or account",
                      "--reference with another name")  # fmt: skip
    return known
