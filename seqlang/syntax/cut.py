"""Tokens -> statements: a text is cut at the words that begin a statement, since no expression contains one."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.record import record
from seqlang.syntax.load_table import load_table
from seqlang.syntax.token import Token


@record
class Piece:
    """The tokens of one statement, comments excluded; `following` is the token behind the last (`end` at the end)."""

    tokens: tuple[Token, ...]
    following: Token


def cut(tokens: Sequence[Token]) -> tuple[Piece, ...]:
    """The statements of a text. What stands before the first opening word is a piece of its own."""
    opening = load_table().opening_words()
    pieces: list[Piece] = []
    current: list[Token] = []
    for token in tokens:
        if token.kind == "comment":
            continue
        if current and (token.kind == "end" or (token.kind == "word" and token.text in opening)):
            pieces.append(Piece(tuple(current), token))
            current = []
        current.append(token)
    return tuple(pieces)
