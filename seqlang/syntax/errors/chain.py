"""Chained comparisons, `0 < x < 1`: how they are written here."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic, Label
from seqlang.operators.groups import COMPARISONS
from seqlang.syntax.token import Token

_OPENERS, _CLOSERS = ("(", "[", "{"), (")", "]", "}")
# What cannot be part of a compared value at the same bracket depth.
_BOUNDS = (
    "and", "or", "not", "if", "then", "else", "when", "return", "where", "for", "in", "over", "since", "to", "under",
    "claim", "strong", "weak", "=", ",", ":", "~",
)  # fmt: skip


def previous_comparison(tokens: list[Token], at: int) -> int | None:
    """The comparison sign to the left of `at` that belongs to the same chain."""
    depth = 0
    for index in range(at - 1, -1, -1):
        text = tokens[index].text if tokens[index].kind in ("mark", "word") else ""
        depth += (text in _CLOSERS) - (text in _OPENERS)
        if depth < 0 or (depth == 0 and text in _BOUNDS):
            return None
        if depth == 0 and text in COMPARISONS:
            return index
    return None


def chained(text: str, tokens: list[Token], first: int, second: int) -> Diagnostic:
    """`tokens[first]` and `tokens[second]` are the two signs of a chain in `text`."""
    left, right = _edge(tokens, first, -1), _edge(tokens, second, 1)
    middle = text[tokens[first].end : tokens[second].start].strip()
    before = text[tokens[left].start : tokens[first].start].strip()
    after = text[tokens[second].end : tokens[right].end].strip()
    advice = f"`{before} {tokens[first].text} {middle} and {middle} {tokens[second].text} {after}`"
    long = len(advice) > 100 or "\n" in advice
    return Diagnostic(
        "E0112",
        "comparisons are not chained",
        Label(tokens[second].span, "a second comparison"),
        (Label(tokens[first].span, "the first"),),
        help="join two comparisons with `and`" if long else f"write {advice}",
    )


def _edge(tokens: list[Token], sign: int, direction: int) -> int:
    """The outermost token of the value on one side of a comparison sign; the sign itself if there is none."""
    opening, closing = (_OPENERS, _CLOSERS) if direction > 0 else (_CLOSERS, _OPENERS)
    depth, edge, index = 0, sign, sign + direction
    while 0 <= index < len(tokens):
        token = tokens[index]
        text = token.text if token.kind in ("mark", "word", "end") else ""
        depth += (text in opening) - (text in closing)
        if depth < 0 or token.kind == "end" or (depth == 0 and (text in _BOUNDS or text in COMPARISONS)):
            break
        edge, index = index, index + direction
    return edge
