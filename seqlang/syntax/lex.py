"""Text -> tokens, with their places. Never fails: what begins nothing becomes an `unknown` token."""

from __future__ import annotations

import re
from functools import cache

from seqlang.syntax.load_table import load_table
from seqlang.syntax.token import Kind, Token

# Spellings of other languages for something the language has: lexed as one token, so that the answer can be exact.
FOREIGN = {
    "&&": "and", "||": "or", "**": "^", "!": "not", "&": "and", "|": "or", "<>": "!=", "=<": "<=", "=>": ">=",
    "≤": "<=", "≥": ">=", "≠": "!=", "∧": "and", "∨": "or", "¬": "not", "∈": "in", "−": "-", "–": "-", "×": "*",
    "·": "*", "÷": "/", "…": "..", "...": "..", ":=": "=", "←": "~", "∼": "~", "===": "==",
}  # fmt: skip

_KINDS: dict[str, Kind] = {
    "COMMENT": "comment",
    "NUMBER": "number",
    "WORD": "word",
    "STRING": "text",
    "OPEN": "open text",
    "MARK": "mark",
    "UNKNOWN": "unknown",
}


def lex(text: str) -> list[Token]:
    """All tokens of a text, comments included, and an `end` token behind the last."""
    tokens = []
    # A byte order mark at the very start is how some editors write UTF-8; it says nothing.
    position = 1 if text.startswith("\ufeff") else 0
    for match in _scanner().finditer(text, position):
        group = match.lastgroup
        if group is not None:
            tokens.append(Token(_KINDS[group], match.group(), match.start(), match.end()))
    end = tokens[-1].end if tokens else 0
    tokens.append(Token("end", "", end, end))
    return tokens


@cache
def _scanner() -> re.Pattern[str]:
    table = load_table()
    space, patterns = table.patterns["SPACE"], table.patterns
    marks = "|".join(re.escape(mark) for mark in sorted([*table.marks, *FOREIGN], key=len, reverse=True))
    known = rf"[A-Za-z_0-9\"#\s]|{marks}"
    return re.compile(
        rf"(?:{space})|(?P<COMMENT>{patterns['COMMENT']})|(?P<NUMBER>{patterns['NUMBER']})"
        rf"|(?P<WORD>[A-Za-z_][A-Za-z_0-9]*)|(?P<STRING>{patterns['STRING']})|(?P<OPEN>\"[^\"\r\n]*)"
        rf"|(?P<MARK>{marks})|(?P<UNKNOWN>(?:(?!{known})[\s\S])+|[\s\S])"
    )
