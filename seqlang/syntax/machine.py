"""The LR machine: walks the parse table over the tokens of one statement."""

from __future__ import annotations

from typing import Any

from seqlang.source import Span
from seqlang.syntax.build import ACTIONS
from seqlang.syntax.table import Table
from seqlang.syntax.token import Token

# How deep a tree may get. Everybody who walks the tree may use a few Python frames a level.
DEPTH = 150
"""Levels of nesting of an expression: the tree is walked by recursion, and Python allows a thousand calls."""


class TooDeepError(Exception):
    """An expression that is nested deeper than DEPTH; never leaves this folder."""

    def __init__(self, span: Span) -> None:
        self.span = span
        super().__init__("nested too deeply")


class Machine:
    """A parse under way. `feed` takes token after token and answers whether it fitted."""

    __slots__ = ("_end", "_states", "_table", "_values", "opening")

    def __init__(self, table: Table, start: str, opening: str) -> None:
        self._table = table
        self._end = table.ends[start]
        self._states = [table.starts[start]]
        self._values: list[tuple[Any, int, int, int]] = []
        self.opening = opening

    def copy(self) -> Machine:
        other: Machine = object.__new__(Machine)
        other._table, other._end, other.opening = self._table, self._end, self.opening
        other._states, other._values = self._states.copy(), self._values.copy()
        return other

    def feed(self, token: Token) -> bool:
        """Take one more token. False: it does not fit here (reductions may have happened, nothing else).
        Raises TooDeepError."""
        return self._advance(self.terminal(token), token)

    def result(self) -> Any:
        """The node of the whole statement, after the `end` token was fed."""
        return self._values[-1][0]

    def accepts(self) -> set[str]:
        """The terminals that would fit here."""
        state = self._table.states[self._states[-1]]
        return {name for name in state if (name.isupper() or name[0] in "_$") and self._would_shift(name)}

    def takes(self, token: Token) -> bool:
        """Whether `feed` would accept the token; changes nothing."""
        return self._would_shift(self.terminal(token))

    def fits(self, terminal: str) -> bool:
        return self._would_shift(terminal)

    def terminal(self, token: Token) -> str:
        """What a token is in this state: a word that is not reserved is a name where the language has no use for it."""
        kind, text = token.kind, token.text
        if kind == "word":
            terminal = self._table.words.get(text)
            if terminal is None:
                return "NAME"
            if text in self._table.reserved:
                return terminal
            # `size` ends a domain of a dataset only; in `param k in 1..size` it is a name. The table alone cannot tell,
            # as both share their states.
            if terminal == "SIZE" and self.opening != "dataset":
                return "NAME"
            return terminal if self._would_shift(terminal) else "NAME"
        if kind == "mark":
            return self._table.marks.get(text, text)
        return {"number": "NUMBER", "text": "STRING", "end": "$END"}.get(kind, kind)

    def _advance(self, terminal: str, token: Token) -> bool:
        table_states, productions = self._table.states, self._table.productions
        states, values = self._states, self._values
        while True:
            move = table_states[states[-1]].get(terminal)
            if move is None:
                return False
            if move >= 0:
                states.append(move)
                values.append((token, token.start, token.end, 0))
                return True
            production = productions[~move]
            size = production.size
            taken = values[-size:]
            del states[-size:], values[-size:]
            values.append(_reduce(production.action, taken))
            states.append(table_states[states[-1]][production.symbol])
            if terminal == "$END" and states[-1] == self._end:
                return True

    def _would_shift(self, terminal: str) -> bool:
        """The moves of `_advance` on the states alone, kept apart from the stack: only what is popped is looked at."""
        table_states, productions = self._table.states, self._table.productions
        base = len(self._states)
        extra: list[int] = []
        while True:
            top = extra[-1] if extra else self._states[base - 1]
            move = table_states[top].get(terminal)
            if move is None:
                return False
            if move >= 0:
                return True
            production = productions[~move]
            from_extra = min(production.size, len(extra))
            del extra[len(extra) - from_extra :]
            base -= production.size - from_extra
            top = extra[-1] if extra else self._states[base - 1]
            extra.append(table_states[top][production.symbol])
            if terminal == "$END" and extra[-1] == self._end:
                return True


def _reduce(action: str, taken: list[tuple[Any, int, int, int]]) -> tuple[Any, int, int, int]:
    start, end = taken[0][1], taken[-1][2]
    depth = max(value[3] for value in taken)
    build = ACTIONS.get(action)
    if build is not None:
        depth += 1
        if depth > DEPTH:
            raise TooDeepError(Span(start, end))
        return build([value[0] for value in taken], Span(start, end)), start, end, depth
    if len(taken) == 1:
        return taken[0]
    # Repetitions (`("," field)*`): one flat list.
    items: list[Any] = []
    for value in taken:
        if isinstance(value[0], list):
            items.extend(value[0])
        else:
            items.append(value[0])
    return items, start, end, depth
