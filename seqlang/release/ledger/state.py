"""What the rows of a ledger mean: the accounts and the charges after each of them, and which rows cannot follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.record import field, record, replace
from seqlang.release.ledger.budget import Amount, amount_of
from seqlang.release.ledger.entry import Entry

SCHEMA = 1
"""Of the bodies."""
Look = Mapping[str, Any]
PUBLIC, COMMA = "; public ", ", "
"""Between who is a neighbour and the public columns, and between these."""


@record
class Account:
    """A data set and its budget. `adjacency`: which data sets are neighbours, in the words of `check`, and after `;
    public` the columns that everybody may know."""

    name: str
    adjacency: str
    budget: Amount
    spent: Amount

    @property
    def left(self) -> Amount:
        return self.budget.minus(self.spent)

    def pays_for(self, neighbours: str) -> bool:
        """Whether a program with these neighbours, in the same words, is paid by it: a program may read fewer public
        columns."""
        mine, _, known = self.adjacency.partition(PUBLIC)
        theirs, reads, read = neighbours.partition(PUBLIC)
        return mine == theirs and (not reads or {*read.split(COMMA)} <= {*known.split(COMMA)} - {""})


@record
class Charge:
    """What a release costs, and what is known of it. `spec` is the text of the released program with its parameters'
    values, `reading` how its rows are read. `looks` are what it showed, in order, a list that grows with the ledger;
    `begun`: private values may have been read."""

    reference: str
    account: str
    price: Amount
    spec: str
    settings: tuple[tuple[str, str], ...]
    digest: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    begun: bool = False
    refunded: bool = False
    looks: Sequence[Look] = ()

    @property
    def stopped(self) -> bool:
        """Whether it has shown its last look."""
        return bool(self.looks and self.looks[-1].get("stopped"))


class State:
    """After the rows that were taken, each once and in order."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.charges: dict[str, Charge] = {}
        self.last: Entry | None = None
        self.digests: list[str] = []
        """Of all rows, in order."""
        self.signed = False
        """Whether a row has a signature."""
        self.overdrawn: list[str] = []
        """References whose price the budget did not cover when they were charged."""

    def take(self, entry: Entry) -> str | None:
        """The next row. What is wrong with it, and then it was not taken; None if nothing is."""
        try:
            found = self._fault(entry.kind, entry.content)
            if found is None:
                self._take(entry.kind, entry.content)
        except (KeyError, TypeError, ValueError, AssertionError, AttributeError, RecursionError, SpecError):
            found = "it is not understood"
        if found is not None:
            return f"row {entry.number} ({entry.kind}): {found}"
        self.last, self.signed = entry, self.signed or bool(entry.signature)
        self.digests.append(entry.digest)
        return None

    def _fault(self, kind: str, body: Mapping[str, Any]) -> str | None:
        """Why the row cannot follow the rows before it."""
        if (kind == "ledger") != (self.last is None):
            return "the first row, and no other, says what the ledger is"
        match kind:
            case "ledger":
                return None
            case "account":
                return "an account has that name already" if body["name"] in self.accounts else None
            case "charge":
                if body["reference"] in self.charges:
                    return "its reference was charged already"
                return None if body["account"] in self.accounts else "it charges no account"
        known = self.charges[body["reference"]]
        if known.refunded:
            return "it comes after the refund"
        match kind:
            case "begin":
                return "it had begun" if known.begun else None
            case "look":
                return "it had not begun" if not known.begun else "it had stopped" if known.stopped else None
            case "refund":
                return "its data were read" if known.begun else None
        return "nobody knows rows of this kind"

    def _take(self, kind: str, body: Mapping[str, Any]) -> None:
        match kind:
            case "ledger":
                if not 1 <= body["schema"] <= SCHEMA:
                    raise ValueError
            case "account":
                budget = amount_of(body["budget"], "the budget")
                self.accounts[body["name"]] = Account(body["name"], body["adjacency"], budget, budget.nothing)
            case "charge":
                self._charged(body)
            case "begin":
                self._changed(body["reference"], begun=True)
            case "look":
                looks = self.charges[body["reference"]].looks
                assert isinstance(looks, list)
                looks.append(body["look"])
            case "refund":
                charge = self.charges[body["reference"]]
                self._spend(charge.account, charge.price.nothing.minus(charge.price))
                self._changed(charge.reference, refunded=True)

    def _charged(self, body: Mapping[str, Any]) -> None:
        price = amount_of(body["price"], "the price")
        settings = tuple((name, value) for name, value in body["settings"])
        made = Charge(
            body["reference"], body["account"], price, body["spec"], settings, body["digest"], body["reading"], looks=[]
        )
        self._spend(made.account, price)
        self.charges[made.reference] = made
        account = self.accounts[made.account]
        if not account.spent.fits(account.budget):
            self.overdrawn.append(made.reference)

    def _changed(self, reference: str, **fields: Any) -> None:
        self.charges[reference] = replace(self.charges[reference], **fields)

    def _spend(self, name: str, price: Amount) -> None:
        account = self.accounts[name]
        self.accounts[name] = replace(account, spent=account.spent.plus(price))
