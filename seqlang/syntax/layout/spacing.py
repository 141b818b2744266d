"""Where spaces stand between the tokens of a statement."""

from __future__ import annotations

from typing import NamedTuple

from seqlang.syntax.cut import Piece
from seqlang.syntax.load_table import load_table
from seqlang.syntax.machine import Machine
from seqlang.syntax.token import Token


class Placed(NamedTuple):
    """A token with the terminal that the parse took it for, its bracket depth, and whether a space stands before it.
    `binary` tells an operator between two values from a sign."""

    token: Token
    terminal: str
    depth: int
    space: bool
    binary: bool


# What a value ends with.
_ENDS = {"NAME", "NUMBER", "STRING", "STEP", "TRUE", "FALSE", "RPAR", "RSQB", "RBRACE"}
_OPENERS, _CLOSERS = ("(", "[", "{"), (")", "]", "}")


def place(piece: Piece) -> list[Placed]:
    """The tokens of a well-formed statement with their spacing."""
    opening = piece.tokens[0].text
    machine = Machine(load_table(), "algorithm" if opening == "algorithm" else "statement", opening)
    placed: list[Placed] = []
    depth = 0
    for token in piece.tokens:
        terminal = machine.terminal(token)
        machine.feed(token)
        before = placed[-1] if placed else None
        mark = token.text if token.kind == "mark" else ""
        depth -= mark in _CLOSERS
        binary = before is not None and before.terminal in _ENDS
        placed.append(Placed(token, terminal, depth, _space(before, token, terminal), binary))
        depth += mark in _OPENERS
    return placed


def _space(before: Placed | None, token: Token, terminal: str) -> bool:
    if before is None:
        return False
    left = before.token.text if before.token.kind == "mark" else ""
    right = token.text if token.kind == "mark" else ""
    if left in (*_OPENERS, ".") or right in (*_CLOSERS, ",", ":", ".", ".."):
        return False
    if left == "..":
        # An end of the range follows, or what stands behind an open range: `1..k`, `1.. = 3`, `0.. size n`.
        return not (right in (*_OPENERS, "-") or terminal in _ENDS or terminal == "IF")
    if left == "-" and not before.binary:
        return False
    return not (right in ("(", "[") and before.terminal in _ENDS)
