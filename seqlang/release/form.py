"""How the rows of a file are read: which columns, which words stand for which numbers, what stands where nothing is."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from seqlang.backends.interpret.data.terms import assigned, listed, with_words
from seqlang.diagnostics import SpecError
from seqlang.record import record

LONGEST = 400
"""Characters of a number."""
EXPONENT = 400
"""The largest exponent of a number."""


@record
class Words:
    """The numbers that the words of a field stand for. `other`: that of any other cell; None: no other cell can be
    read."""

    field: str
    numbers: tuple[tuple[str, Fraction], ...]
    other: Fraction | None = None


@record
class Form:
    """How a file is read: `columns` of fields that have another name there, the column of `identifiers`, and the public
    value `missing` of what cannot be read (None: the value of the domain that is nearest to 0)."""

    columns: tuple[tuple[str, str], ...] = ()
    identifiers: str | None = None
    missing: Fraction | None = None
    scales: tuple[tuple[str, int], ...] = ()
    """Fields that the program counts in units of 1/scale."""
    words: tuple[Words, ...] = ()

    @property
    def said(self) -> dict[str, Any]:
        """As a ledger has it; nothing where rows are read plainly."""
        found = {
            "columns": [list(pair) for pair in sorted(self.columns)], "identifiers": self.identifiers,
            "missing": None if self.missing is None else str(self.missing),
            "units": [list(pair) for pair in sorted(self.scales) if pair[1] > 1],
            "words": [
                [w.field, [[word, str(n)] for word, n in sorted(w.numbers)], None if w.other is None else str(w.other)]
                for w in sorted(self.words, key=lambda w: w.field)
            ],
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}

    def words_of(self, field: str) -> Words | None:
        """Of one field; None where its cells are numbers."""
        return next((words for words in self.words if words.field == field), None)


def columns_in(text: str) -> tuple[tuple[tuple[str, str], ...], tuple[Words, ...]]:
    """The columns and the words in `FIELD=COLUMN,FIELD=COLUMN{WORD=NUMBER|..},..`. Raises SpecError E0601 where it is
    nothing of the kind, E0617 for words without a number."""
    columns, words = list[tuple[str, str]](), list[Words]()
    for part in listed(text):
        name, middle, source = (piece.strip() for piece in part.partition("="))
        column, inside = with_words(source)
        if not middle or not name or not column or name in dict(columns):
            raise SpecError.of("E0601", f"--columns {text}: it is FIELD=COLUMN,.. with each field once",
                               help="words are mapped by FIELD=COLUMN{WORD=NUMBER|WORD=NUMBER}")  # fmt: skip
        columns.append((name, column))
        if inside is not None:
            numbers, other = assigned(source, inside, exact)
            words.append(Words(name, tuple(numbers.items()), other))
    return tuple(columns), tuple(words)


def mapping(numbers: Iterable[tuple[str, object]], other: object | None) -> str:
    """Words and their numbers as they are written behind a column: `{no=0|yes=1|*=2}`."""
    listed = [*numbers, *([] if other is None else [("*", other)])]
    return "{" + "|".join(f"{word}={number}" for word, number in listed) + "}"


def exact(text: str) -> Fraction | None:
    """A decimal or a fraction; None for all else, and for what would take too much memory. `1_000` is no number, as in
    `run --data`."""
    text = text.strip()
    mantissa, _, exponent = text.lower().partition("e")
    if not text or "_" in text or len(mantissa) > LONGEST or len(exponent) > 6:
        return None
    try:
        if exponent and abs(int(exponent)) > EXPONENT:
            return None
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
