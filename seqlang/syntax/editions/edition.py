"""Which edition a text is written in: `algorithm NAME edition 2026`, and the first one where nothing is said."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic, Label
from seqlang.syntax.editions import table
from seqlang.syntax.editions.table import Tokens
from seqlang.syntax.token import Token
from seqlang.version import __version__


def head_of(tokens: Tokens) -> Tokens:
    """The tokens in which a text may state its edition: `algorithm`, the name, `edition`, the number."""
    found: list[Token] = []
    for token in tokens:
        if token.kind != "comment":
            found.append(token)
        if len(found) == 4:
            break
    return found


def stated(tokens: Tokens) -> Token | None:
    """The number behind `edition`; None where the text states no edition."""
    head = head_of(tokens)
    says = len(head) == 4 and head[0].text == "algorithm" and head[2].text == "edition" and head[3].kind == "number"
    return head[3] if says else None


def edition_of(tokens: Tokens) -> int:
    """The edition in which a text is read: the first where it states none, or one that is not known."""
    number = stated(tokens)
    return next((e for e in table.EDITIONS if number is not None and number.text == str(e)), table.EDITIONS[0])


def edition_problem(tokens: Tokens) -> Diagnostic | None:
    """What is wrong with the edition that a text states."""
    number = stated(tokens)
    if number is None or number.text in map(str, table.EDITIONS):
        return None
    newest = table.EDITIONS[-1]
    newer = number.text.isdecimal() and int(number.text[:9]) > newest
    remedy = "install a newer seqlang" if newer else f"write `edition {newest}`, or nothing"
    message = (
        f"edition {number.text[:9]} is not known: seqlang {__version__} reads {', '.join(map(str, table.EDITIONS))}"
    )
    return Diagnostic("E0118", message, Label(number.span, "unknown edition"), help=remedy)


def as_newest(tokens: Tokens) -> Tokens:
    """The tokens as the newest edition has them, apart from the statement of the edition itself."""
    edition = edition_of(tokens)
    for rewrite in table.REWRITES:
        if edition <= rewrite.from_edition:
            tokens = rewrite.change(tokens)
    return tokens
