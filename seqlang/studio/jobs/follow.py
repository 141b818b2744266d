"""A ledger as it stands: its accounts and charges, what one release has shown, and what follows from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.monitoring import watch
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.places import book_at
from seqlang.release.verification import loaded_of
from seqlang.release.watching import from_ledger, report, shown_rows

Rows = list[dict[str, str]]


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """Of the ledger at `path` and the release `reference`, or else the latest one: `accounts` and `charges`, a row
    each, `releases`, `head`, and of the release, if there is one, `looks` and `state`; then `report`, the text of
    `monitor`, and `files`, the same as a file each, or `why_not`. Nothing is written."""
    tell({"doing": "reading the ledger"})
    book = book_at(str(argument["path"]))
    releases = [charge.reference for charge in book.charges.values() if charge.spec]
    reference = str(argument["reference"]) or (releases[-1] if releases else "")
    charge = book.charges.get(reference)
    found = {
        "accounts": _accounts(book), "charges": [_row(c) for c in book.charges.values()], "releases": releases,
        "head": book.head, "reference": reference, "state": "" if charge is None else _state(charge),
        "looks": [] if charge is None else shown_rows(charge.looks, _names(charge)),
    }  # fmt: skip
    tell({"part": found})
    return found | _followed(book, reference)


def _followed(book: Book, reference: str) -> dict[str, Any]:
    if not reference:
        return {"why_not": "No release was charged to this ledger yet."}
    try:
        watched = from_ledger(book, reference)
        result = watch(watched.loaded, watched.counts, plan=watched.plan, rows_checked=watched.rows_checked)
        files = {"html": report(result, watched, book, "html"), "md": report(result, watched, book, "md")}
    except SpecError as error:
        return {"why_not": "\n".join(f"{d.code}: {d.message}" for d in error.diagnostics)}
    return {"report": str(result), "files": files}


def _accounts(book: Book) -> Rows:
    return [
        {"account": a.name, "neighbours": a.adjacency, "budget": a.budget.text, "spent": a.spent.text,
         "left": a.left.text}
        for a in book.accounts.values()
    ]  # fmt: skip


def _row(charge: Charge) -> dict[str, str]:
    return {"reference": charge.reference, "account": charge.account, "price": charge.price.text,
            "state": _state(charge)}  # fmt: skip


def _state(charge: Charge) -> str:
    """As far as the ledger knows: of the rows that were read since the last look, it knows nothing."""
    if charge.refunded:
        return "refunded"
    if not charge.spec:
        return "no release: charged by hand"
    if not charge.begun:
        return "not begun"
    if charge.ended:
        return "ended when a copy of the ledger was adopted"
    if charge.stopped:
        return f"stopped at entry {charge.looks[-1]['step']}"
    return f"going on, looks so far: {charge.shown}"


def _names(charge: Charge) -> Sequence[str]:
    """Of its reports, as its program has them, or in the order of the looks where that is refused."""
    try:
        return loaded_of(charge).program.report_names if charge.spec else ()
    except SpecError:
        return tuple(dict.fromkeys(name for look in charge.looks for name in look["reports"]))
