"""A text of an older edition, written in the newest."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.syntax.editions import table
from seqlang.syntax.editions.edition import as_newest, edition_of, head_of, stated
from seqlang.syntax.editions.table import Tokens
from seqlang.syntax.lex import lex
from seqlang.syntax.token import Token


def upgraded(text: str) -> str:
    """The text with the rewrites made and the newest edition stated; a text of the newest edition as it is. All else,
    comments and spaces included, stays. The text must be well formed."""
    tokens = lex(text)
    if edition_of(tokens) == table.EDITIONS[-1]:
        return text
    return "".join(_written(text, tokens, _stating(as_newest(tokens), table.EDITIONS[-1])))


def _stating(tokens: Tokens, edition: int) -> Tokens:
    number = stated(tokens)
    if number is not None:
        return [number._replace(text=str(edition)) if token is number else token for token in tokens]
    name = head_of(tokens)[1]
    behind = tokens.index(name) + 1
    added = (Token("word", "edition", name.end, name.end), Token("number", str(edition), name.end, name.end))
    return [*tokens[:behind], *added, *tokens[behind:]]


def _written(text: str, before: Tokens, after: Tokens) -> Iterator[str]:
    """The text with other tokens in the places of the first ones; those that have no successor are left out."""
    stay = {token.start for token in after if token.start < token.end}
    gone = [token for token in before if token.start < token.end and token.start not in stay]
    at = 0
    for token in after:
        yield _between(text, at, token.start, gone)
        yield f" {token.text}" if token.start == token.end and token.text else token.text
        at = max(at, token.end)
    yield text[at:]


def _between(text: str, start: int, end: int, gone: list[Token]) -> str:
    kept = ""
    for token in gone:
        if start <= token.start and token.end <= end:
            kept += text[start : token.start]
            start = token.end
    return kept + text[start:end]
