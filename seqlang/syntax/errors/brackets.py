"""Brackets that are not closed or not opened, within one statement."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic, Label
from seqlang.record import record
from seqlang.syntax.token import Token

# Each bracket is a level of the tree at least, so more than this are too many in any case.
DEPTH = 150

# `(0, 1]` is an interval, so round and square ones close each other as far as this check goes.
_CLOSES = {")": "([", "]": "([", "}": "{"}
_CLOSER = {"(": ")", "[": "]", "{": "}"}


@record
class Brackets:
    """`unclosed` and `unopened` are indices of tokens, `pairs` maps a closing one's index to its opening one's."""

    unclosed: tuple[int, ...]
    unopened: tuple[int, ...]
    pairs: dict[int, int]
    too_deep: int | None


def match_brackets(tokens: list[Token]) -> Brackets:
    """The brackets of a statement. One that cannot be closed by what follows is taken as unclosed.
    Nothing is reported beyond the place where too many are open."""
    stack: list[int] = []
    unclosed: list[int] = []
    unopened: list[int] = []
    pairs: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _CLOSER:
            stack.append(index)
            if len(stack) > DEPTH:
                return Brackets((), (), pairs, index)
        elif token.text in _CLOSES:
            fitting = _CLOSES[token.text]
            position = next((i for i in range(len(stack) - 1, -1, -1) if tokens[stack[i]].text in fitting), None)
            if position is None:
                unopened.append(index)
                continue
            unclosed += stack[position + 1 :]
            pairs[index] = stack[position]
            del stack[position:]
    return Brackets(tuple(sorted(unclosed + stack)), tuple(unopened), pairs, None)


def unclosed_bracket(opener: Token, failing: Token, ends: bool) -> Diagnostic:
    """`failing` is where the closing one is missing at the latest: a token that does not fit, or, if `ends`, the word
    that begins the next statement (or the end of the text)."""
    closer = _CLOSER[opener.text]
    if failing.kind == "end":
        where: tuple[Label, ...] = ()
    else:
        text = "the next statement begins here" if ends else f"`{closer}` is missing before this"
        where = (Label(failing.span, text),)
    return Diagnostic(
        "E0105",
        f"`{opener.text}` is not closed",
        Label(opener.span, "opened here"),
        where,
        help=f"add `{closer}` where the bracket ends",
    )


def unopened_bracket(closer: Token) -> Diagnostic:
    return Diagnostic(
        "E0106",
        f"`{closer.text}` closes nothing",
        Label(closer.span, "no bracket of this kind is open here"),
        help="remove it, or open the bracket where it begins",
    )


def too_many_brackets(token: Token) -> Diagnostic:
    return Diagnostic(
        "E0115",
        f"more than {DEPTH} brackets are open at once",
        Label(token.span, "here"),
        help="give a part its own name with `let` or `statistic`",
    )
