"""Neighbouring statements of one kind, aligned at the mark that they share."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.syntax.layout.spacing import Placed
from seqlang.syntax.layout.wrap import WIDTH, joined

# Where the statements of a kind are aligned: before the first of these, outside brackets.
_ANCHORS: dict[str, tuple[str, ...]] = {
    "param": ("in", ">=", "<=", "==", "!=", ">", "<", "="),
    "let": ("=",),
    "memory": ("=",),
    "statistic": ("=",),
    "draw": ("~",),
    "report": ("=", "when"),
    "stop": ("return",),
    "attach": ("to",),
    "model": (":",),
}
# Beyond this many columns of padding the eye loses the line.
_MOST = 10


def align(statements: Sequence[Sequence[Placed]]) -> list[str]:
    """The lines of neighbouring statements of one kind, each of which fits on a line. Those without the mark stay as
    they are; if one would need too much padding, all do."""
    plain = [joined(tokens) for tokens in statements]
    cuts = [_anchor(tokens) for tokens in statements]
    heads = [joined(tokens[:cut]) if cut else "" for tokens, cut in zip(statements, cuts, strict=True)]
    lengths = [len(head) for head in heads if head]
    if len(lengths) < 2 or max(lengths) - min(lengths) > _MOST:
        return plain
    column = max(lengths)
    aligned = [
        f"{head:<{column}} {joined(tokens[cut:])}" if cut else line
        for tokens, cut, head, line in zip(statements, cuts, heads, plain, strict=True)
    ]
    return plain if max(map(len, aligned)) > WIDTH else aligned


def _anchor(tokens: Sequence[Placed]) -> int | None:
    """The index of the first token behind the padding."""
    anchors = _ANCHORS.get(tokens[0].token.text, ())
    for index, item in enumerate(tokens):
        if item.depth == 0 and item.token.text in anchors and item.terminal != "NAME":
            return index + 1 if item.token.text == ":" else index
    return None
