"""What every token means to its reader: its colour, and of a name what it stands for and who may know its value."""

from __future__ import annotations

from seqlang.annotations.levels import level_of
from seqlang.annotations.names import Kind
from seqlang.annotations.reading import Reading
from seqlang.record import record
from seqlang.source import Span
from seqlang.syntax.colours import Colour, colours

TYPES = (
    "keyword", "comment", "string", "number", "operator", "namespace", "variable", "parameter", "property", "function",
    "type", "enumMember",
)  # fmt: skip
"""What a token may be, in the words of the language server protocol."""
MODIFIERS = ("declaration", "readonly", "defaultLibrary", "private", "hidden", "public", "noised")

_OF_COLOUR: dict[Colour, str] = {
    "statement": "keyword", "word": "keyword", "logic": "keyword", "constant": "keyword", "number": "number",
    "text": "string", "comment": "comment", "mark": "operator",
}  # fmt: skip
_OF_NAME: dict[Kind, str] = {
    "algorithm": "namespace", "param": "parameter", "let": "variable", "function": "function", "stream": "property",
    "dataset": "property", "public": "property", "model": "type", "memory": "variable", "statistic": "variable",
    "draw": "variable", "report": "variable", "label": "enumMember", "variable": "variable", "parameter": "parameter",
    "law": "type", "builtin": "function", "argument": "parameter",
}  # fmt: skip
_CONSTANT = frozenset({"param", "variable", "parameter", "label"})


@record
class Shown:
    """`type` is one of TYPES, `modifiers` some of MODIFIERS."""

    span: Span
    type: str
    modifiers: tuple[str, ...] = ()


def tokens(reading: Reading) -> tuple[Shown, ...]:
    """Every token that has a type, in order."""
    names = {o.span.start: o for o in reading.names}
    found = []
    for start, end, colour in colours(reading.source):
        occurrence = names.get(start)
        if occurrence is not None:
            kind = _OF_NAME.get(occurrence.meaning.kind)
            if kind is not None:
                ours = occurrence.meaning.declared is None
                modifiers = ["declaration"] * occurrence.declares + ["defaultLibrary"] * ours
                modifiers += ["readonly"] * (occurrence.meaning.kind in _CONSTANT)
                level = level_of(reading, occurrence.meaning)
                modifiers += [] if level is None else [level.level, *["noised"] * level.noised]
                found.append(Shown(Span(start, end), kind, tuple(modifiers)))
        elif colour in _OF_COLOUR:
            found.append(Shown(Span(start, end), _OF_COLOUR[colour]))
    return tuple(found)
