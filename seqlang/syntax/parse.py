"""Text -> tree. Never raises on any text: every syntax error is a diagnostic, all of them at once."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic
from seqlang.source import Source, Span
from seqlang.syntax import tree
from seqlang.syntax.cut import Piece, cut
from seqlang.syntax.editions.edition import as_newest, edition_problem
from seqlang.syntax.lex import lex
from seqlang.syntax.load_table import load_table
from seqlang.syntax.machine import Machine, TooDeepError
from seqlang.syntax.number import number_problem
from seqlang.syntax.token import Token


def parse(source: Source) -> tuple[tree.File | None, tuple[Diagnostic, ...]]:
    """The tree of a text, or None and what is wrong with it (E01xx, in order of place)."""
    tokens = lex(source.text)
    problem = edition_problem(tokens)
    if problem is not None:
        return None, (problem,)
    pieces = cut(as_newest(tokens))
    statements = [_statement(piece) for piece in pieces]
    whole = [statement for statement in statements if statement is not None]
    heads = [index for index, piece in enumerate(pieces) if piece.tokens[0].text == "algorithm"]
    if len(whole) < len(pieces) or heads != [0]:
        from seqlang.syntax.errors.diagnose import diagnose

        diagnostics = diagnose(source, pieces, statements)
        if diagnostics:
            return None, diagnostics
    return tree.File(tuple(whole), Span(0, len(source.text))), ()


def statements_that_parse(source: Source) -> tuple[tree.File, bool]:
    """The statements of a text that parse, whatever stands between them, and whether that is all of the text. For what
    is shown beside a text while it is being written; only `parse` says whether a text is well formed."""
    pieces = cut(lex(source.text))
    found = [_statement(piece) for piece in pieces]
    whole = tuple(statement for statement in found if statement is not None)
    return tree.File(whole, Span(0, len(source.text))), len(whole) == len(pieces)


def _statement(piece: Piece) -> tree.Statement | None:
    opening = piece.tokens[0].text
    machine = Machine(load_table(), "algorithm" if opening == "algorithm" else "statement", opening)
    last = piece.tokens[-1]
    try:
        for token in (*piece.tokens, Token("end", "", last.end, last.end)):
            if token.kind == "number" and number_problem(token.text) is not None:
                return None
            if not machine.feed(token):
                return None
    except TooDeepError:
        return None
    statement: tree.Statement = machine.result()
    return statement
