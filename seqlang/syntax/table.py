"""The parse table as plain data: what the grammar says, in a form that can be stored and walked without Lark."""

from __future__ import annotations

from typing import Any

from seqlang.record import record


@record
class Production:
    """`symbol` is what a reduction of `size` values yields, `action` the name under which the tree is built."""

    symbol: str
    action: str
    size: int


@record
class Table:
    """An LALR(1) automaton and the words it is about.

    `states[s][terminal]` is the next state if it is >= 0, else the complement (~) of the index of the production to
    reduce by; `states[s][symbol]` is the next state after a reduction. `starts` and `ends` give the first and the
    last state by start symbol. `words` and `marks` map fixed spellings to terminals, `reserved` are the words that
    are no names, `patterns` the regular expressions of NAME, NUMBER, STRING, COMMENT and SPACE.
    """

    states: tuple[dict[str, int], ...]
    productions: tuple[Production, ...]
    starts: dict[str, int]
    ends: dict[str, int]
    words: dict[str, str]
    marks: dict[str, str]
    reserved: tuple[str, ...]
    patterns: dict[str, str]

    def opening_words(self) -> frozenset[str]:
        """The words that begin a statement: at them a text can be cut."""
        first = {t for start in ("algorithm", "statement") for t in self.states[self.starts[start]]}
        return frozenset(word for word, terminal in self.words.items() if terminal in first)


def to_json(table: Table) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(table, name) for name in _PLAIN}
    data["productions"] = [[p.symbol, p.action, p.size] for p in table.productions]
    return data


def from_json(data: dict[str, Any]) -> Table:
    """Raises KeyError, TypeError or ValueError on anything that `to_json` did not write."""
    productions = tuple(Production(symbol, action, size) for symbol, action, size in data["productions"])
    plain = {name: data[name] for name in _PLAIN}
    plain["states"] = tuple(plain["states"])
    plain["reserved"] = tuple(plain["reserved"])
    return Table(productions=productions, **plain)


_PLAIN = ("states", "starts", "ends", "words", "marks", "reserved", "patterns")
