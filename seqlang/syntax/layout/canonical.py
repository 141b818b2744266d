"""The canonical layout of a text: one statement a line, comments and single blank lines kept."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic
from seqlang.record import field, mutable_record
from seqlang.source import Source
from seqlang.syntax.cut import cut
from seqlang.syntax.editions.edition import as_newest
from seqlang.syntax.layout.align import align
from seqlang.syntax.layout.spacing import Placed, place
from seqlang.syntax.layout.wrap import INDENT, WIDTH, joined, wrapped
from seqlang.syntax.lex import lex
from seqlang.syntax.parse import parse
from seqlang.syntax.token import Token

# The column of comments behind statements, from 0; behind longer lines they stand two columns off.
COMMENT_COLUMN = 51


@mutable_record
class _Block:
    """A statement, or a comment on lines of its own (`tokens` empty). `comments[i]` stand behind token i of the
    statement, True for those on a line of their own."""

    blank_before: bool
    tokens: list[Placed] = field(default_factory=list)
    comments: dict[int, list[tuple[bool, str]]] = field(default_factory=dict)
    comment: str = ""

    def is_simple(self) -> bool:
        """One line, apart from a comment at its end."""
        last = len(self.tokens) - 1
        inner = any(i != last or any(own for own, _ in found) for i, found in self.comments.items())
        return bool(self.tokens) and not inner and len(joined(self.tokens)) <= WIDTH


def format_text(source: Source) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The text in its canonical layout, which parses to the same tree; None and the syntax errors if it has some. A
    text that the newest edition writes otherwise stays as it is."""
    tree, diagnostics = parse(source)
    if tree is None:
        return None, diagnostics
    tokens = lex(source.text)
    if as_newest(tokens) != tokens:
        return source.text, ()
    lines: list[str] = []
    for run in _runs(_blocks(source.text)):
        if run[0].blank_before and lines:
            lines.append("")
        lines += _lines(run)
    return "\n".join(lines) + "\n", ()


def _blocks(text: str) -> list[_Block]:
    tokens = lex(text)
    placed = {piece.tokens[0].start: place(piece) for piece in cut(tokens)}
    blocks: list[_Block] = []
    open_statement: _Block | None = None
    last = 0  # how many tokens of the open statement have been passed
    for index, token in enumerate(tokens[:-1]):
        between = text[tokens[index - 1].end : token.start].count("\n") if index else 0
        if token.start in placed:
            open_statement, last = _Block(between > 1, placed[token.start]), 1
            blocks.append(open_statement)
        elif token.kind != "comment":
            last += 1
        elif open_statement is not None and (between == 0 or last < len(open_statement.tokens)):
            open_statement.comments.setdefault(last - 1, []).append((between > 0, _comment(token)))
        else:
            blocks.append(_Block(between > 1, comment=_comment(token)))
    return blocks


def _comment(token: Token) -> str:
    return token.text.rstrip()


def _runs(blocks: list[_Block]) -> list[list[_Block]]:
    """Neighbouring simple statements of one kind stay together."""
    runs: list[list[_Block]] = []
    for block in blocks:
        before = runs[-1][-1] if runs else None
        if (
            before is not None
            and not block.blank_before
            and before.is_simple()
            and block.is_simple()
            and before.tokens[0].token.text == block.tokens[0].token.text
        ):
            runs[-1].append(block)
        else:
            runs.append([block])
    return runs


def _lines(run: list[_Block]) -> list[str]:
    if not run[0].tokens:
        return [run[0].comment]
    if not run[0].is_simple():
        return _broken(run[0])
    lines = align([block.tokens for block in run])
    return [_with_comments(line, block) for line, block in zip(lines, run, strict=True)]


def _with_comments(line: str, block: _Block) -> str:
    for found in block.comments.values():
        for _, comment in found:
            line = _beside(line, comment)
    return line


def _beside(line: str, comment: str) -> str:
    return f"{line:<{COMMENT_COLUMN}}{comment}" if len(line) <= COMMENT_COLUMN - 2 else f"{line}  {comment}"


def _broken(block: _Block) -> list[str]:
    """A statement on several lines: it is broken behind every comment, and where it is too long."""
    lines: list[str] = []
    begin = 0
    for index in [*sorted(block.comments), len(block.tokens) - 1]:
        if begin <= index:
            lines += wrapped(block.tokens[begin : index + 1], INDENT if begin else "")
        for own_line, comment in block.comments.get(index, []) if begin <= index else []:
            if own_line:
                lines.append(INDENT + comment)
            else:
                lines[-1] = _beside(lines[-1], comment)
        begin = index + 1
    return lines
