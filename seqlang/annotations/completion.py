"""What may be written at a place: by the table of the grammar, which says what fits behind what stands before, and by
the scopes, which say what there is to name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from seqlang.annotations.names import FOLDS, Kind
from seqlang.annotations.reading import Reading
from seqlang.annotations.signatures import open_call, parameters_of
from seqlang.elaborate.names.builtins import FUNCTIONS, METHODS, NOTIONS
from seqlang.elaborate.names.symbols import Symbol, collect
from seqlang.elaborate.problems import Problems
from seqlang.laws.facts import names as laws
from seqlang.record import record
from seqlang.source import Span
from seqlang.syntax.errors.forms import FORMS
from seqlang.syntax.load_table import load_table
from seqlang.syntax.machine import Machine, TooDeepError
from seqlang.syntax.token import Token

ItemKind = Literal["statement", "word", "name", "law", "function", "argument", "notion", "label", "spec"]


@record
class Item:
    """`text` goes in place of `span`; `detail` is a few words. The page of the manual on it is found by `label`."""

    label: str
    kind: ItemKind
    detail: str
    text: str
    span: Span


DECLARING = frozenset("algorithm param let stream dataset public model memory statistic draw report for".split())
"""Behind these words stands a new name."""
_ONLY: dict[str, frozenset[Kind]] = {
    "update": frozenset({"memory"}),
    "under": frozenset({"model"}),
    "each": frozenset({"report"}),
    "since": frozenset({"report"}),
}
"""What may be named behind these words."""
_SPECIAL = frozenset({"~", "attach", "strong", "weak", "under", "update"})
_IN_EXPRESSIONS = frozenset({"true", "false", "if", "not", "step"})
"""Words that the grammar allows behind the words above, and that mean nothing there."""
_NO_TARGET = frozenset({"memory", "model", "function"})


def completions(reading: Reading, offset: int) -> tuple[Item, ...]:
    """What may stand at a place, where its first letters may stand already."""
    before, span = _before(reading, offset)
    if before and before[-1].end > offset and before[-1].kind in ("text", "comment", "open text"):
        return ()
    if any(t.kind in ("comment", "open text") and t.start < offset <= t.end for t in reading.tokens):
        return ()
    piece = _piece(before)
    found = list(_items(reading, piece, before, span))
    return tuple({item.label: item for item in found}.values())


def _before(reading: Reading, offset: int) -> tuple[list[Token], Span]:
    """The tokens before a place without comments, less the word whose letters stand there; and where that word is."""
    tokens = [t for t in reading.tokens[:-1] if t.start < offset and t.kind != "comment"]
    if tokens and tokens[-1].kind == "word" and offset <= tokens[-1].end:
        word = tokens.pop()
        return tokens, word.span
    return tokens, Span(offset, offset)


def _piece(tokens: list[Token]) -> list[Token]:
    """The tokens of the statement that the last of them belongs to."""
    opening = load_table().opening_words()
    starts = [i for i, t in enumerate(tokens) if t.kind == "word" and t.text in opening]
    return tokens[starts[-1] :] if starts else []


def _items(reading: Reading, piece: list[Token], before: list[Token], span: Span) -> Iterator[Item]:
    table = load_table()
    if not before:
        yield Item("algorithm", "statement", FORMS["algorithm"], "algorithm ", span)
        yield from _library(span, reading)
        return
    accepted = _accepted(piece)
    last = before[-1]
    fresh = last.kind == "word" and last.text in DECLARING and not (last.text == "public" and len(piece) > 1)
    if "$END" in accepted or not piece:
        for word in sorted(table.opening_words() - {"algorithm"}):
            yield Item(word, "statement", FORMS[word], word + " ", span)
    if fresh:
        return
    plain = last.text in _SPECIAL or _is_target(piece)
    for word, terminal in sorted(table.words.items()):
        if terminal in accepted and word not in table.opening_words() and not (plain and word in _IN_EXPRESSIONS):
            yield Item(word, "word", "", word, span)
    if "NAME" in accepted:
        yield from _names(reading, piece, last, span)


def _accepted(piece: list[Token]) -> set[str]:
    """The terminals that fit behind the tokens of an unfinished statement; none where they do not fit each other."""
    if not piece:
        return set()
    opening = piece[0].text
    machine = Machine(load_table(), "algorithm" if opening == "algorithm" else "statement", opening)
    try:
        fits = all(machine.feed(token) for token in piece)
    except TooDeepError:
        return set()
    return machine.accepts() if fits else set()


def _names(reading: Reading, piece: list[Token], last: Token, span: Span) -> Iterator[Item]:
    symbols = [s for s in collect(reading.file, Problems()).values() if s.span.start != span.start]
    opening = piece[0].text
    if last.text == ".":
        yield from (Item(name, "function", "of a law", name, span) for name in sorted(METHODS))
        return
    if last.text in _ONLY:
        yield from (_symbol(s, span) for s in symbols if s.kind in _ONLY[last.text])
        return
    if _is_target(piece):
        yield from (_symbol(s, span) for s in symbols if s.kind not in _NO_TARGET)
        return
    if opening == "model" and last.text in (":", ",") and open_call(piece) is None:
        yield from (_symbol(s, span) for s in symbols if s.kind in ("stream", "dataset", "public"))
        return
    if last.text in ("strong", "weak"):
        yield from (Item(n, "notion", f"{n}({', '.join(s.names)})", f"{n}(", span) for n, s in NOTIONS.items())
        return
    yield from _in_expression(reading, symbols, piece, last, span)


def _is_target(piece: list[Token]) -> bool:
    """Whether the name of a target comes next."""
    opened = bool(piece) and piece[0].text == "attach" and any(t.text == "to" for t in piece)
    return opened and piece[-1].text in ("to", ",")


def _in_expression(
    reading: Reading, symbols: list[Symbol], piece: list[Token], last: Token, span: Span
) -> Iterator[Item]:
    call = open_call(piece)
    if call is not None and last.text in ("(", ","):
        for name, what in parameters_of(reading, call.name):
            yield Item(f"{name} =", "argument", what, f"{name} = ", span)
    of_law = last.text in ("~", "attach")
    if of_law:
        yield from (Item(law, "law", _called(reading, law), f"{law}(", span) for law in sorted(laws()))
    yield from _bound(piece, span)
    yield from (_symbol(s, span) for s in symbols)
    if of_law:
        return
    if piece[0].text == "claim":
        labels = {o.meaning.name for o in reading.names if o.meaning.kind == "label"}
        yield from (Item(label, "label", "what is returned", label, span) for label in sorted(labels))
        yield from (Item(n, "function", "of a whole run", f"{n}(", span) for n in ("expected", "probability"))
    for name in sorted({*FUNCTIONS, *FOLDS}):
        yield Item(name, "function", _called(reading, name), f"{name}(", span)
    if piece[0].text in ("let", "draw", "model", "attach"):
        yield from (Item(law, "law", _called(reading, law), f"{law}(", span) for law in sorted(laws()))


def _bound(piece: list[Token], span: Span) -> Iterator[Item]:
    """Variables of `for` and parameters of the function that is being written."""
    for first, second in pairwise(piece):
        if first.text == "for" and second.kind == "word":
            yield Item(second.text, "name", "bound by `for`", second.text, span)
    if piece[0].text == "let" and len(piece) > 3 and piece[2].text == "(":
        for token in piece[3:]:
            if token.text == ")":
                return
            if token.kind == "word":
                yield Item(token.text, "name", "a parameter", token.text, span)


def _symbol(symbol: Symbol, span: Span) -> Item:
    text = f"{symbol.name}(" if symbol.kind == "function" else symbol.name
    return Item(symbol.name, "function" if symbol.kind == "function" else "name", symbol.kind, text, span)


def _called(reading: Reading, name: str) -> str:
    return f"{name}({', '.join(n for n, _ in parameters_of(reading, name)) or '..'})"


def _library(span: Span, reading: Reading) -> Iterator[Item]:
    """In an empty file every spec of the library, to begin with."""
    if any(t.kind != "comment" and t.start != span.start for t in reading.tokens[:-1]):
        return
    from seqlang.driver import library

    for name, path in library().items():
        yield Item(f"@{name}", "spec", "from the library", path.read_text("utf-8"), span)
