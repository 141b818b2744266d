"""Tokens of one statement -> lines of at most WIDTH columns."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.syntax.layout.spacing import Placed

WIDTH = 120
INDENT = "    "

# The looser an operator binds, the rather a line breaks before it; the words of clauses come first.
_CLAUSES = {"when", "return", "to", "under", "within", "expect", "size", "once", "each"}
_RANKS = {
    "then": 1, "else": 1, "or": 2, "and": 3, "for": 2, "where": 2, "over": 2, "since": 2,
    ">=": 4, "<=": 4, "==": 4, "!=": 4, ">": 4, "<": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}  # fmt: skip
_DEEPER = 10


def joined(tokens: Sequence[Placed]) -> str:
    """The tokens on one line."""
    return "".join((" " if item.space and index else "") + item.token.text for index, item in enumerate(tokens))


def wrapped(tokens: Sequence[Placed], indent: str) -> list[str]:
    """The tokens on as many lines as needed: the first begins with `indent`, the others with INDENT. A line breaks
    where the least deep and least binding parts meet; a part that cannot be broken may stand out."""
    lines: list[str] = []
    rest = list(tokens)
    while len(indent) + len(joined(rest)) > WIDTH:
        at = _break(rest, WIDTH - len(indent))
        if at is None:
            break
        lines.append(indent + joined(rest[:at]))
        rest, indent = rest[at:], INDENT
    return [*lines, indent + joined(rest)]


def _break(tokens: list[Placed], width: int) -> int | None:
    """Where the next line begins: the best place among those that fit, the last of equals; else the first place."""
    best, best_rank = None, 10**6
    taken = 0
    for index, item in enumerate(tokens):
        rank = _rank(tokens, index)
        if rank is not None:
            if taken > width:
                return best if best is not None else index
            if rank <= best_rank:
                best, best_rank = index, rank
        taken += len(item.token.text) + item.space
    return best


def _rank(tokens: list[Placed], index: int) -> int | None:
    """How ill a line break before a token is; None: not at all."""
    if index < 2:
        return None
    item, before = tokens[index], tokens[index - 1]
    if before.token.text == "," and before.token.kind == "mark":
        return item.depth * _DEEPER
    if item.terminal == "STRING":
        return 0
    if item.token.text in _CLAUSES and item.terminal != "NAME" and item.depth == 0:
        return 0
    rank = _RANKS.get(item.token.text)
    if rank is None or item.terminal == "NAME" or (item.token.kind == "mark" and not item.binary):
        return None
    return item.depth * _DEEPER + rank
