"""What is wrong with single tokens, and the tokens that were meant, so that the rest can still be read."""

from __future__ import annotations

from unicodedata import category, name

from seqlang.diagnostics import Diagnostic, Label
from seqlang.syntax.lex import FOREIGN
from seqlang.syntax.load_table import load_table
from seqlang.syntax.number import number_problem
from seqlang.syntax.token import Token

_ADVICE = {
    ";": "statements need no separator: each begins with its own word",
    "'": 'a text is written in double quotes: "like this"',
    "`": 'a text is written in double quotes: "like this"',
    "“": 'a text is written in plain double quotes: "like this"',
    "”": 'a text is written in plain double quotes: "like this"',
    "?": "a choice is written `if CONDITION then VALUE else VALUE`",
    "@": "names of library specs are given on the command line only",
    "\\": "a statement may go on over several lines without any mark",
    "∞": "there is no infinite number; a domain without an upper end is written `0..` or `real`",
}


def clean(tokens: tuple[Token, ...]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens as they were probably meant, with their old places, and a diagnostic for each that was wrong."""
    cleaned: list[Token] = []
    found: list[Diagnostic] = []
    complained: set[str] = set()
    for token in _glued(tokens):
        kind, text = token.kind, token.text
        if kind == "unknown":
            if text not in complained:
                found.append(_unknown(token))
                complained.add(text)
            if not _has_letter(token):
                continue
            token = token._replace(kind="word", text="x")
        elif kind == "open text":
            found.append(_open_text(token))
            token = token._replace(kind="text", text=text + '"')
        elif kind == "mark" and text in FOREIGN and text not in load_table().marks:
            found.append(_foreign(token))
            meant = FOREIGN[text]
            token = token._replace(kind="word" if meant.isalpha() else "mark", text=meant)
        elif kind == "number" and (problem := number_problem(text)) is not None:
            found.append(_number(token, problem))
            token = token._replace(text="1")
        cleaned.append(token)
    return cleaned, found


def _glued(tokens: tuple[Token, ...]) -> list[Token]:
    """`naïve` is lexed as a word, an unknown letter and a word; it was meant as one name, and is one `unknown` here."""
    glued: list[Token] = []
    for token in tokens:
        last = glued[-1] if glued else None
        if (
            last is not None
            and last.end == token.start
            and (
                (_has_letter(token) and last.kind == "word") or (_has_letter(last) and token.kind in ("word", "number"))
            )
        ):
            glued[-1] = Token("unknown", last.text + token.text, last.start, token.end)
        else:
            glued.append(token)
    return glued


def _has_letter(token: Token) -> bool:
    return token.kind == "unknown" and any(category(character)[0] == "L" for character in token.text)


def _unknown(token: Token) -> Diagnostic:
    strange = next((c for c in token.text if not (c.isascii() and (c.isalnum() or c == "_"))), token.text[0])
    advice = _ADVICE.get(strange)
    if _has_letter(token):
        advice = "names are made of the letters a-z, A-Z, digits and `_`; other letters may stand in texts and comments"
    return Diagnostic(
        "E0103",
        f"the character {_shown(strange)} is not part of the language",
        Label(token.span, "not allowed here"),
        help=advice,
    )


def _shown(character: str) -> str:
    if character.isprintable() and not character.isspace():
        return f"`{character}`" if character != "`" else "'`'"
    return f"U+{ord(character):04X} ({name(character, 'a control character').lower()})"


def _open_text(token: Token) -> Diagnostic:
    return Diagnostic(
        "E0104",
        "this text is not closed",
        Label(token.span, "from here to the end of the line"),
        help='end it with `"` on the same line',
    )


def _foreign(token: Token) -> Diagnostic:
    meant = FOREIGN[token.text]
    advice = f"write `{meant}`"
    if token.text == "|":
        advice = "`or` joins two conditions; an absolute value is `abs(x)`; what a model assumes needs no bar"
    return Diagnostic(
        "E0113", f"`{token.text}` is not how this is written here", Label(token.span, advice), help=advice
    )


def _number(token: Token, problem: str) -> Diagnostic:
    shown = token.text if len(token.text) <= 20 else token.text[:12] + ".."
    return Diagnostic("E0114", f"the number {shown} {problem}", Label(token.span, "this number"))
