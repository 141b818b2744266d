"""A lexer for Pygments: whatever colours texts with it (rich, Sphinx, MkDocs, notebooks) colours `.seq`. It is found by
its entry point under the name `seq`; nothing else imports Pygments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String, Whitespace, _TokenType

from seqlang.source import Source
from seqlang.syntax.colours import Colour, colours

TYPES: dict[Colour, _TokenType] = {
    "statement": Keyword.Declaration,
    "word": Keyword,
    "logic": Operator.Word,
    "constant": Keyword.Constant,
    "name": Name,
    "definition": Name.Variable,
    "call": Name.Function,
    "number": Number,
    "text": String,
    "comment": Comment,
    "mark": Operator,
    "unknown": Error,
}


class SeqLexer(Lexer):
    """The language of `.seq` files, by its own grammar."""

    name = "seqlang"
    url = ""
    aliases: ClassVar[list[str]] = ["seq", "seqlang"]
    filenames: ClassVar[list[str]] = ["*.seq"]
    mimetypes: ClassVar[list[str]] = ["text/x-seqlang"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """(place, type, characters) of all of the text, white space too."""
        position = 0
        for start, end, colour in colours(Source("<text>", text)):
            if position < start:
                yield position, Whitespace, text[position:start]
            yield start, TYPES[colour], text[start:end]
            position = end
        if position < len(text):
            yield position, Whitespace, text[position:]
