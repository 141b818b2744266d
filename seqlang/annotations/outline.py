"""The parts of a file: what it declares, and what can be folded away."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.annotations.reading import Reading
from seqlang.elaborate.claim_text import claim_text
from seqlang.record import record
from seqlang.source import Span
from seqlang.syntax import tree
from seqlang.syntax.walk import children


@record
class Entry:
    """A statement, or a field of one: its first word, what it is called, and where it and its name stand."""

    kind: str
    name: str
    span: Span
    selection: Span


def outline(reading: Reading) -> tuple[Entry, ...]:
    """All statements that parse, in order; each field of an input is an entry of its own."""
    return tuple(entry for statement in reading.file.statements for entry in _entries(reading, statement))


def _entries(reading: Reading, node: tree.Statement) -> Iterator[Entry]:
    word = reading.source.text[node.span.start : node.span.end].split(None, 1)[0]
    match node:
        case tree.Inputs(fields=fields):
            for field in fields:
                yield Entry(word, field.name.name, field.span, field.name.span)
        case tree.Claim():
            yield Entry(word, claim_text(node).removeprefix("claim "), node.span, node.span)
        case tree.Attach(targets=targets):
            names = ", ".join("return" if t.name is None else t.name.name for t in targets)
            yield Entry(word, f"noise on {names}", node.span, node.span)
        case _:
            name = next((part for part in children(node) if isinstance(part, tree.Name)), None)
            if name is None or isinstance(node, tree.Stop | tree.Update):
                short = " ".join(reading.source.text[node.span.start : node.span.end].split())
                yield Entry(word, short[:60], node.span, node.span)
            else:
                yield Entry(word, name.name, node.span, name.span)


def foldings(reading: Reading) -> tuple[tuple[int, int, str], ...]:
    """(first line, last line, kind) of what takes several lines, from 1: a statement ("region"), or comments one below
    the other ("comment")."""
    source = reading.source

    def line(offset: int) -> int:
        return source.line_column(offset)[0]

    found = [(line(s.span.start), line(s.span.end), "region") for s in reading.file.statements]
    begin = last = 0
    for token in reading.tokens:
        here = line(token.start)
        alone = token.kind == "comment" and not source.line_text(here)[: source.line_column(token.start)[1] - 1].strip()
        if begin and alone and here == last + 1:
            last = here
            continue
        if begin:
            found.append((begin, last, "comment"))
        begin = last = here if alone else 0
    return tuple(sorted(fold for fold in found if fold[0] < fold[1]))
