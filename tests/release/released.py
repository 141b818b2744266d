"""Programs, rows and ledgers of the tests of releases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from seqlang.driver import Loaded, load
from seqlang.model.program import Program
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.releasing import Agreed, Released, agreed, release
from seqlang.source import Source

HEAD = "algorithm a\nstream x in {0, 1}\n"
BLOCK = (
    HEAD
    + """report block when sum(1 since block) >= 3
report ones = sum(x since block) when block
memory score = 0
update score = score + 2 * ones - 3 when block
stop when score >= 4 return high
stop when score <= -4 return low
attach geometric(1 / 2) to ones
claim strong pure(log(2))
"""
)
"""Blocks of three entries, a noisy count each, a public walk."""
THRESHOLD = (
    "algorithm a\nlet b = 3\nstream x in {0, 1}\n"
    + """statistic total = sum(x over steps)
stop when total >= b return above
attach geometric(exp(-1 / 2)) to b once
attach geometric(exp(-1 / 2)) to total
claim strong pure(1)
"""
)
"""A noisy total against a threshold whose noise lasts."""
AGAIN = (
    "algorithm a\nlet b = 2\nstream x in {0, 1}\n"
    + """statistic recent = x
report above when recent >= b
stop when step >= 40
attach geometric(exp(-1)) to b each above
attach geometric(exp(-1)) to recent
"""
)
"""A threshold whose noise is new after each report (nothing is claimed of it)."""


def loaded(text: str) -> Loaded:
    return load(Source("a.seq", text))


def program(text: str) -> Program:
    return loaded(text).program


def ledger(path: Path, budget: str = "pure(1)") -> Book:
    """With one account, open; the file is made if it is not there."""
    if path.exists():
        return Book(SqliteStore(path))
    made = Book(SqliteStore(path, make=True))
    made.open_account("mine", "replace one", amount_of(budget, "budget"))
    return made


def entries(values: str) -> Callable[[], Iterator[Mapping[str, Any]]]:
    """Rows of one field x, a digit each."""
    return lambda: iter([{"x": int(v)} for v in values])


def released(book: Book, text: str, values: str, **options: Any) -> Released:
    terms = terms_of(text, book, options.pop("reference", None))
    return release(terms, book, entries(values), **options)


_KNOWN: dict[tuple[str, str, str | None], Agreed] = {}


def terms_of(text: str, book: Book, reference: str | None = None) -> Agreed:
    """Proved once for all tests."""
    key = text, book.account(None).budget.notion, reference
    if key not in _KNOWN:
        _KNOWN[key] = agreed(loaded(text), book, None, reference)
    return _KNOWN[key]
