"""The diagnostic for a token that does not fit: what was found, what would fit, and the likely remedy."""

from __future__ import annotations

from collections.abc import Set

from seqlang.diagnostics import Diagnostic, Label
from seqlang.operators.groups import ARITHMETIC, COMPARISONS
from seqlang.source import Span
from seqlang.syntax.errors.expected import expected
from seqlang.syntax.errors.forms import FORMS
from seqlang.syntax.errors.repair import Repair
from seqlang.syntax.table import Table
from seqlang.syntax.token import Token


def ends_early(opening: str, last: Token, following: Token, fits: Set[str], table: Table) -> Diagnostic:
    """The statement is over where something must follow. Points behind its last token."""
    place = Span(last.end, last.end)
    secondary = () if following.kind == "end" else (Label(following.span, "the next statement begins here"),)
    return Diagnostic(
        "E0102",
        f"this {_statement(opening)} ends too early",
        Label(place, f"expected {expected(fits, table)}"),
        secondary,
        notes=_form(opening),
        help="a number needs a digit behind its point, as in `1.0`" if last.text == "." else None,
    )


def does_not_fit(
    opening: str, token: Token, previous: Token, fits: Set[str], table: Table, opener: Token | None = None
) -> Diagnostic:
    """`opener`: the opening bracket that a closing one belongs to."""
    return Diagnostic(
        "E0101",
        f"{found(token)} does not fit here",
        Label(token.span, f"expected {expected(fits, table)}"),
        () if opener is None else (Label(opener.span, "the bracket that is open"),),
        notes=_form(opening),
        help=_advice(opening, token, previous, fits),
    )


def repaired(repair: Repair, opening: str, token: Token, previous: Token, fits: Set[str], table: Table) -> Diagnostic:
    """The diagnostic where a small change made the token fit."""
    plain = does_not_fit(opening, token, previous, fits, table)
    match repair.kind:
        case "respelt":
            assert plain.primary is not None
            remedy = plain.help if token.text == "if" and plain.help else f"did you mean `{repair.text}`?"
            return Diagnostic("E0101", plain.message, plain.primary, help=remedy)
        case "joint":
            return _joint(repair.text, token)
        case "missing mark" if repair.text == "*":
            return Diagnostic(
                "E0116",
                f"there is no operator before {found(token)}",
                Label(previous.span.to(token.span), "two values side by side"),
                help=f"a product is written `{previous.text} * {token.text}`",
            )
        case "missing word" | "missing mark":
            return Diagnostic(
                "E0116",
                f"`{repair.text}` is missing before {found(token)}",
                Label(token.span, f"expected `{repair.text}`"),
                notes=_form(opening),
            )
        case "too much":
            return plain


def reserved(token: Token) -> Diagnostic:
    return Diagnostic(
        "E0110",
        f"`{token.text}` is a word of the language and cannot be a name",
        Label(token.span, "a name is expected here"),
        help=f"choose another name, for example `{token.text}_`",
    )


def clause_order(token: Token, earlier: Token) -> Diagnostic:
    return Diagnostic(
        "E0117",
        f"`{token.text}` stands before `{earlier.text}`, not behind it",
        Label(token.span, "move this clause"),
        (Label(earlier.span, "before this"),),
        help=f"write `{FORMS['stop']}`",
    )


def found(token: Token) -> str:
    """A token in words: "the name `x`"."""
    match token.kind:
        case "number":
            return f"the number {token.text if len(token.text) <= 20 else token.text[:12] + '..'}"
        case "text":
            return "this text"
        case "end":
            return "the end of the statement"
        case _:
            return f"`{token.text if len(token.text) <= 40 else token.text[:32] + '..'}`"


def _joint(wanted: str, token: Token) -> Diagnostic:
    advice = {
        "=": "`=` gives a name its value",
        "==": "`==` compares two values; `=` only gives a name its value",
        "~": "`~` says from which law something is drawn",
        ":": "`:` stands between a model's name and its laws, and between a value and its weight",
    }[wanted]
    return Diagnostic(
        "E0111", f"`{token.text}` where `{wanted}` is meant", Label(token.span, f"write `{wanted}`"), help=advice
    )


def _statement(opening: str) -> str:
    return f"`{opening}` statement" if opening in FORMS else "statement"


def _form(opening: str) -> tuple[str, ...]:
    return (f"form: {FORMS[opening]}",) if opening in FORMS else ()


def _advice(opening: str, token: Token, previous: Token, fits: Set[str]) -> str | None:
    """The remedy for mistakes that many make."""
    text, touching = token.text, previous.end == token.start
    value_expected = "LPAR" in fits and "NUMBER" in fits
    if text == "if" and "WHEN" in fits:
        return "the condition of a statement is written `when CONDITION`"
    if text == "/" and previous.text == "/" and touching:
        return "a comment begins with `#`"
    if text == "." and value_expected:
        return "a number needs a digit before its point, as in `0.5`"
    if previous.text == "." and touching and token.kind != "word":
        return "a number needs a digit behind its point, as in `1.0`"
    if text in ("if", "not") and value_expected:
        return f"put the whole `{text} ..` in brackets"
    if text in (")", "]", "}") and previous.text == ",":
        return "remove the comma before it"
    if text in COMPARISONS and previous.text in COMPARISONS and touching:
        return "comparison signs are `>= <= == != > <`"
    if text == "{" and "LPAR" in fits:
        return "arguments stand in round brackets"
    if text == "when" and opening not in ("update", "report", "stop"):
        return "only `update`, `report` and `stop` take a `when`; a value chooses by `if .. then .. else ..`"
    if text == "under" and opening == "claim":
        return (
            "a strong claim speaks of every model; `claim weak` and claims about errors or steps name one with `under`"
        )
    if text in ("once", "each") and opening == "attach":
        return "a life stands at the end of the statement"
    if text in ARITHMETIC and text != "^" and "CIRCUMFLEX" in fits and "PLUS" not in fits:
        return "the end of a range is a number or a name here: name the value with `let` first"
    if token.kind == "text" and opening not in ("algorithm", "claim"):
        return "only `algorithm` and `claim` take texts; outcomes are plain names, as in `return reject`"
    return None
