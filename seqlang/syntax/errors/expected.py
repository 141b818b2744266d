"""What would fit at a place, in few human words."""

from __future__ import annotations

from collections.abc import Set

from seqlang.operators.groups import COMPARISONS, INFIX
from seqlang.syntax.table import Table

# What may follow nearly every value: naming it would bury the word that is missing.
_POSTFIX = ("(", "[", ".", "..")
_MOST = 5


def expected(accepts: Set[str], table: Table) -> str:
    """The terminals that fit, as a phrase: "`to` or an operator"."""
    spelling = {terminal: text for text, terminal in (*table.words.items(), *table.marks.items())}
    fixed = [spelling[terminal] for terminal in accepts if terminal in spelling]
    phrases: list[str] = []
    if "NUMBER" in accepts or {"LPAR", "NAME"} <= accepts:
        return _either([_value(accepts), *(_quoted(sorted({")", "]", "}"} & set(fixed))))])
    if "NAME" in accepts:
        phrases.append("a name")
    if "STRING" in accepts:
        phrases.append("a text in double quotes")
    after_value = "+" in fixed
    named = [text for text in fixed if text not in INFIX and text not in _POSTFIX]
    if not named and not after_value and "$END" not in accepts:
        named = [text for text in fixed if text in _POSTFIX]
    # A closing bracket or a comma first, then words.
    phrases += _quoted(sorted(named, key=lambda text: (text.isalpha(), text)))
    if after_value:
        phrases.append("an operator")
    elif COMPARISONS & set(fixed):
        phrases.append("a comparison sign")
    elif "^" in fixed:
        phrases.append("`^`")
    if "$END" in accepts:
        phrases.append("the end of the statement")
    return _either(phrases)


def _value(accepts: Set[str]) -> str:
    if "TRUE" in accepts:
        return "an expression" if "IF" in accepts else "a value"
    if "LBRACE" in accepts:
        return "a domain such as `[0, 1]`, `{0, 1}`, `1..` or `real`"
    return "a number or a name"


def _quoted(texts: list[str]) -> list[str]:
    return [f"`{text}`" for text in texts]


def _either(phrases: list[str]) -> str:
    if not phrases:
        return "nothing more"
    if len(phrases) > _MOST:
        phrases = [*phrases[:_MOST], "something else"]
    return phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " or " + phrases[-1]
