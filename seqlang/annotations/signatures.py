"""Which call a place is in, and what it takes."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.annotations.reading import Reading
from seqlang.elaborate.names.builtins import AGGREGATES, FUNCTIONS, NOTIONS
from seqlang.laws.facts import facts, names
from seqlang.record import record
from seqlang.syntax import tree
from seqlang.syntax.load_table import load_table
from seqlang.syntax.token import Token

_OPENING, _CLOSING = "([{", ")]}"
_MARKS = frozenset("([{)]},")
_MUST: dict[str, str] = {
    "scale": "a number above 0",
    "ratio": "a number strictly between 0 and 1",
    "probability": "a number from 0 to 1",
    "natural": "a whole number from 0",
    "count": "a whole number from 1",
}


@record
class OpenCall:
    """A call whose bracket is not closed yet: what is called, and how many of its arguments are complete."""

    name: str
    argument: int


@record
class Signature:
    """`parameters` are names with what each must be; `active` is the one that is being written, from 0. `label` is the
    call, in which each name stands."""

    name: str
    label: str
    parameters: tuple[tuple[str, str], ...]
    active: int


def open_call(tokens: Sequence[Token]) -> OpenCall | None:
    """The innermost call that the tokens of an unfinished statement leave open."""
    open_brackets: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if token.kind != "mark" or token.text not in _MARKS:
            continue
        if token.text in _OPENING:
            open_brackets.append((index, 0))
        elif open_brackets and token.text in _CLOSING:
            open_brackets.pop()
        elif open_brackets:
            index, commas = open_brackets.pop()
            open_brackets.append((index, commas + 1))
    for index, commas in reversed(open_brackets):
        if tokens[index].text == "(" and index and tokens[index - 1].kind == "word":
            name = tokens[index - 1].text
            if name not in load_table().reserved:
                return OpenCall(name, commas)
    return None


def parameters_of(reading: Reading, name: str) -> tuple[tuple[str, str], ...]:
    """The parameters of a function of the file or of the language, of a law or a notion of privacy: each with what it
    must be. None for what takes any number of arguments, or is unknown."""
    for statement in reading.file.statements:
        if isinstance(statement, tree.Let) and statement.parameters is not None and statement.name.name == name:
            return tuple((p.name, "") for p in statement.parameters)
    if name in names():
        return tuple((p.name, _MUST.get(p.kind, f"a {p.kind}")) for p in facts(name).parameters)
    known = FUNCTIONS.get(name) or NOTIONS.get(name)
    if known is not None:
        return tuple((n, f"a {kind}") for n, kind in zip(known.names, known.kinds, strict=True))
    if name in AGGREGATES:
        return (("values", "a vector, `E over steps`, `E over last m`, `E since R` or `E for k in S`"),)
    return _LOOKBACKS.get(name, ())


_LOOKBACKS = {
    "previous": (("value", "any"), ("initial", "its value in step 1")),
    "history": (("value", "any"), ("report", "a report")),
}


def signature(reading: Reading, offset: int) -> Signature | None:
    """The call that a place is in."""
    tokens = [t for t in reading.tokens[:-1] if t.end <= offset and t.kind != "comment"]
    opening = load_table().opening_words()
    starts = [i for i, t in enumerate(tokens) if t.kind == "word" and t.text in opening]
    call = open_call(tokens[starts[-1] :]) if starts else None
    if call is None:
        return None
    parameters = parameters_of(reading, call.name)
    if not parameters:
        return None
    label = f"{call.name}({', '.join(name for name, _ in parameters)})"
    return Signature(call.name, label, parameters, min(call.argument, len(parameters) - 1))
