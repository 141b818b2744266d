"""What every token of a text is to its reader: a word of the language, a name, a number, .. Whoever colours a text
starts here, so that all colour alike. Words such as `size` or `within` are names where they do not fit as words; which
they are, the parse decides, and in a statement that does not parse they count as names.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from seqlang.operators.groups import LOGIC
from seqlang.source import Source
from seqlang.syntax import tree
from seqlang.syntax.lex import lex
from seqlang.syntax.load_table import load_table
from seqlang.syntax.parse import statements_that_parse
from seqlang.syntax.token import Token
from seqlang.syntax.walk import nodes

Colour = Literal[
    "statement", "word", "logic", "constant", "name", "definition", "call", "number", "text", "comment", "mark",
    "unknown",
]  # fmt: skip
"""`statement`: a word that begins one; `logic`: and, or, not; `definition`: a name where it is declared; `call`: a name
before an opening bracket; `unknown`: characters that begin nothing, and a text that is not closed."""

CONSTANTS = frozenset({"step", "true", "false"})


class Coloured(NamedTuple):
    """Characters `start` (included) to `end` (excluded)."""

    start: int
    end: int
    colour: Colour


def colours(source: Source) -> tuple[Coloured, ...]:
    """The tokens of a text in order, comments included, white space left out. Never fails on any text."""
    file, _ = statements_that_parse(source)
    found = list(nodes(file))
    verdicts = {node.expect for node in found if isinstance(node, tree.Claim)}
    names = {node.span.start for node in found if isinstance(node, tree.Name) and node not in verdicts}
    declared = {name.span.start for node in found if (name := _declared(node)) is not None}
    parsed = [statement.span for statement in file.statements]
    tokens = lex(source.text)[:-1]
    colour = _Colouring(names, declared, {p for span in parsed for p in range(span.start, span.end)})
    following = [*(token.text for token in tokens[1:]), ""][: len(tokens)]
    return tuple(Coloured(t.start, t.end, colour.of(t, after)) for t, after in zip(tokens, following, strict=True))


def _declared(node: object) -> tree.Name | None:
    match node:
        case tree.Algorithm() | tree.Param() | tree.Let() | tree.FieldDeclaration() | tree.ModelDeclaration():
            return node.name
        case tree.MemoryDeclaration() | tree.Statistic() | tree.Draw() | tree.Report():
            return node.name
        case tree.ForIn(variable=variable):
            return variable
        case _:
            return None


class _Colouring:
    """`names` and `declared` are where names begin, `parsed` the places that belong to a statement that parses."""

    def __init__(self, names: set[int], declared: set[int], parsed: set[int]) -> None:
        self.names, self.declared, self.parsed = names, declared, parsed
        table = load_table()
        self.opening, self.words, self.reserved = table.opening_words(), table.words, frozenset(table.reserved)

    def of(self, token: Token, following: str) -> Colour:
        match token.kind:
            case "word":
                return self._word(token, following)
            case "number" | "text" | "comment" | "mark":
                return token.kind
            case _:
                return "unknown"

    def _word(self, token: Token, following: str) -> Colour:
        if token.start not in self.names:
            if token.text in CONSTANTS:
                return "constant"
            if token.text in LOGIC:
                return "logic"
            if token.text in self.opening:
                return "statement"
            if token.text in self.reserved or (token.text in self.words and token.start in self.parsed):
                return "word"
        if token.start in self.declared:
            return "definition"
        return "call" if following == "(" else "name"
