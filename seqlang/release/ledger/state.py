"""What the rows of a ledger mean: the accounts and the charges after each of them, and which rows cannot follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.record import field, record, replace
from seqlang.release.ledger.budget import Amount, amount_of
from seqlang.release.ledger.entry import Entry

SCHEMA = 2
"""Of the bodies. Since 2 a ledger says which copy of it may be written to, and `begin` is there for each process."""
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
    values, `reading` how its rows are read. `looks` are what it showed since it was charged last, in order, a list that
    grows with the ledger; `earlier` are those of before. `attempts`: so many processes have read private values since
    then. `ended`: it does not go on."""

    reference: str
    account: str
    price: Amount
    spec: str
    settings: tuple[tuple[str, str], ...]
    digest: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    refunded: bool = False
    looks: Sequence[Look] = ()
    times: int = 1
    """How often its price was charged: again by whoever adopts a copy of the ledger."""
    attempts: int = 0
    ended: bool = False
    part: Mapping[str, Any] | None = None
    """Of a step that was not made to its end: its number `step`, and its `reports` so far, after `decided` of its
    reports and stops."""
    earlier: tuple[Sequence[Look], ...] = ()

    @property
    def begun(self) -> bool:
        """Whether private values may have been read."""
        return self.attempts > 0 or self.times > 1

    @property
    def shown(self) -> int:
        """How many looks showed something: silences are written, too."""
        return sum(1 for look in self.looks if look.get("reports") or look.get("stopped"))

    @property
    def stopped(self) -> bool:
        """Whether it has shown its last look."""
        return bool(self.looks and self.looks[-1].get("stopped"))

    @property
    def is_open(self) -> bool:
        """Whether more may be drawn for it, here or from a copy of the ledger. A charge without a program is no
        release."""
        return not (self.refunded or self.stopped or self.ended) and bool(self.spec or self.attempts)


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
        self.place: Mapping[str, str] | None = None
        """Which copy of the ledger may be written to; None where no row says it (schema 1)."""

    def after_adoption(self) -> tuple[list[str], list[str]]:
        """Which open releases are charged again when a copy is adopted, and which are ended, since the budget does not
        cover their price a second time; in the order in which they were charged."""
        again, ended, spent = list[str](), list[str](), {name: account.spent for name, account in self.accounts.items()}
        for charge in self.charges.values():
            if charge.is_open:
                more = spent[charge.account].plus(charge.price)
                fits = more.fits(self.accounts[charge.account].budget)
                spent[charge.account] = more if fits else spent[charge.account]
                (again if fits else ended).append(charge.reference)
        return again, ended

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
            case "place":
                return None if self.place is None else "a row before it says already which copy this is"
            case "adopt":
                right = (body["again"], body["ended"]) == self.after_adoption()
                return None if right else "it does not charge all open releases again"
        known = self.charges[body["reference"]]
        if known.refunded or known.ended:
            return "it comes after the refund" if known.refunded else "it was ended"
        match kind:
            case "begin":
                if body.get("attempt", 1) != known.attempts + 1:
                    return "it had begun, or an attempt is missing"
                return "it had stopped" if known.stopped else None
            case "look" | "part":
                if not known.attempts or known.stopped:
                    return "it had not begun" if not known.attempts else "it had stopped"
                return _contradiction(known, body[kind])
            case "refund":
                return "its data were read" if known.begun else None
        return "nobody knows rows of this kind"

    def _take(self, kind: str, body: Mapping[str, Any]) -> None:
        match kind:
            case "ledger":
                if not 1 <= body["schema"] <= SCHEMA:
                    raise ValueError
                if "place" in body:
                    self._placed(body["place"])
            case "place":
                self._placed(body["place"])
            case "adopt":
                self._placed(body["place"])
                for reference in body["again"]:
                    self._charged_again(self.charges[reference])
                for reference in body["ended"]:
                    self._changed(reference, ended=True)
            case "account":
                budget = amount_of(body["budget"], "the budget")
                self.accounts[body["name"]] = Account(body["name"], body["adjacency"], budget, budget.nothing)
            case "charge":
                self._charged(body)
            case "begin":
                self._changed(body["reference"], attempts=self.charges[body["reference"]].attempts + 1)
            case "look":
                known = self.charges[body["reference"]]
                assert isinstance(known.looks, list)
                known.looks.append(body["look"])
                if known.part is not None:
                    self._changed(known.reference, part=None)
            case "part":
                self._changed(body["reference"], part=body["part"])
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

    def _charged_again(self, charge: Charge) -> None:
        """A release of a copy begins anew. It does not go on from its looks: two continuations of one run may cost more
        than two prices (given the looks that both begin with, each may cost up to two), and two runs do not."""
        self._spend(charge.account, charge.price)
        earlier = (*charge.earlier, charge.looks) if charge.looks else charge.earlier
        self._changed(charge.reference, times=charge.times + 1, attempts=0, looks=[], part=None, earlier=earlier)

    def _placed(self, place: Mapping[str, str]) -> None:
        if not all(isinstance(part, str) for pair in place.items() for part in pair):
            raise TypeError
        self.place = dict(place)

    def _changed(self, reference: str, **fields: Any) -> None:
        self.charges[reference] = replace(self.charges[reference], **fields)

    def _spend(self, name: str, price: Amount) -> None:
        account = self.accounts[name]
        self.accounts[name] = replace(account, spent=account.spent.plus(price))


def _contradiction(known: Charge, look: Mapping[str, Any]) -> str | None:
    """Why a look, or a part of one, cannot follow the part that was written of the same step; None if it can."""
    part = known.part
    if part is None:
        return None
    if look["step"] != part["step"] or look.get("decided", part["decided"]) < part["decided"]:
        return "a part of another step was written before it"
    same = all(name in look["reports"] and look["reports"][name] == value for name, value in part["reports"].items())
    return None if same else "it is not what a part of its step was"
