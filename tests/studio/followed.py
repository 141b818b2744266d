"""A ledger whose looks are written by hand, so that what a page has to say of it is known."""

from __future__ import annotations

from pathlib import Path

from seqlang.driver import load
from seqlang.record import replace
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.verification import digest_of
from seqlang.source import Source

BLOCKS = """algorithm walk
stream x in {0, 1}
model null: x ~ bernoulli(0.1)
model alternative: x ~ bernoulli(0.9)
memory score = 0
report block when sum(1 since block) >= 3
report ones = sum(x since block) when block
update score = score + 2 * ones - 3 when block
stop when score >= 4 return high
stop when score <= -4 return low
attach geometric(1 / 2) to ones
claim strong pure(log(2))
"""
ALARMS = """algorithm alarms
stream x in {0, 1}
model null: x ~ bernoulli(0.1)
model alternative: x ~ bernoulli(0.9)
statistic recent = x
report above when recent >= 2
stop when step >= 40
attach geometric(exp(-1)) to recent
claim strong pure(40)
"""
"""It does not look at its data in blocks."""
FIRST = "<b>first"
LOOKS = (
    {"step": 3, "reports": {"block": True, "ones": 3}},
    {"step": 6, "reports": {"block": True, "ones": 2}, "stopped": True, "result": "high", "by": 1},
)
"""The score goes from 0 to 2 * 3 - 3 = 3, and from there to 3 + 2 * 2 - 3 = 4, where it stops."""


def charge(book: Book, reference: str, text: str, price: str) -> None:
    charged = Charge(reference, "trial", amount_of(price, "price"), text, (), "")
    if text:
        charged = replace(charged, digest=digest_of(load(Source(reference, text)), "trial", {}))
    book.charge(charged, "replace one")


def made(path: Path) -> Book:
    """Of a budget of 5: 1 for the first release, which stopped; 1/2 for the second, which goes on in the third block,
    2 for one of another kind, and 1/4 by hand; one of 1 was refunded. The ledger is open."""
    book = Book(SqliteStore(path, make=True))
    book.open_account("trial", "replace one", amount_of("pure(5)", "budget"))
    charge(book, FIRST, BLOCKS, "pure(1)")
    charge(book, "second", BLOCKS, "pure(1/2)")
    charge(book, "alarms", ALARMS, "pure(2)")
    charge(book, "table 2", "", "pure(1/4)")
    charge(book, "never", BLOCKS, "pure(1)")
    book.refund("never", "no data came")
    for reference in (FIRST, "second", "alarms"):
        book.begin(reference)
    book.looks(FIRST, 1, LOOKS)
    book.looks("second", 1, [{"step": 3, "reports": {"block": True, "ones": 1}}])
    book.looks("second", 2, [{"step": 6, "reports": {"block": True, "ones": 2}}])
    book.looks("alarms", 1, [{"step": 7, "reports": {"above": True}}])
    return book
