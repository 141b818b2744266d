"""The smallest change that makes the tokens at a failure fit, so that the rest of the statement can be read too."""

from __future__ import annotations

from collections.abc import Set
from typing import Literal

from seqlang.diagnostics.suggest import did_you_mean
from seqlang.record import record
from seqlang.syntax.machine import Machine, TooDeepError
from seqlang.syntax.table import Table
from seqlang.syntax.token import Kind, Token

# Marks that join a name to what is said of it, often taken for one another.
JOINTS = ("=", "==", "~", ":")
# The words whose absence can be told from what surrounds the gap.
_LINKS = ("to", "then", "else", "in", "size", "within", "when", "under", "for", "over", "last", "steps", "step")
_GAPS = ("=", "~", ":", ",", "*")
# How far a change must carry to be believed, in tokens.
_LOOK_AHEAD = 6
_ENOUGH = 2


@record
class Repair:
    """`tokens` take the place of the failing token (which is among them if something was inserted before it)."""

    kind: Literal["respelt", "joint", "missing word", "missing mark", "too much"]
    tokens: tuple[Token, ...]
    text: str


def find_repair(machine: Machine, rest: list[Token], table: Table, heads: Set[int]) -> Repair | None:
    """A repair for `rest[0]`, which does not fit where `machine` stands; None if none carries far enough. The one that
    carries furthest wins; among equals the first of: respelling, joint, missing word, missing mark, too much. `heads`
    are the places of words that seem to begin a statement: a repair that carries up to there carries far enough."""
    best, best_reach = None, 0
    for candidate in _candidates(machine, rest, table):
        tokens = [*candidate.tokens, *rest[1 : 1 + _LOOK_AHEAD]]
        reach = min(_reach(machine, tokens, heads) - len(candidate.tokens), _LOOK_AHEAD)
        if reach > best_reach and reach >= _ENOUGH:
            best, best_reach = candidate, reach
    return best


def _candidates(machine: Machine, rest: list[Token], table: Table) -> list[Repair]:
    failing = rest[0]
    fits = machine.accepts()
    words = [word for word, terminal in table.words.items() if terminal in fits]
    marks = [mark for mark, terminal in table.marks.items() if terminal in fits]
    found: list[Repair] = []
    if failing.kind == "word":
        near = [word for word in words if did_you_mean(failing.text, [word]) is not None]
        near.sort(key=len, reverse=True)  # a letter is left out more often than added
        if failing.text == "if" and "when" in words:
            near.append("when")  # `stop if ..` is how other languages say it
        found += [Repair("respelt", (failing._replace(text=word),), word) for word in near]
    if failing.text in JOINTS:
        found += [Repair("joint", (failing._replace(text=joint),), joint) for joint in JOINTS if joint in marks]
    before = failing.start
    if "NUMBER" not in fits:
        found += [
            Repair("missing word", (_made("word", word, before), failing), word) for word in _LINKS if word in words
        ]
    if failing.kind != "end":
        found += [
            Repair("missing mark", (_made("mark", mark, before), failing), mark) for mark in _GAPS if mark in marks
        ]
        found.append(Repair("too much", (), failing.text))
    return found


def _reach(machine: Machine, tokens: list[Token], heads: Set[int]) -> int:
    """How many tokens fit; at the end of the statement, as many as anybody asks for."""
    trial = machine.copy()
    for count, token in enumerate(tokens):
        try:
            if token.start in heads and trial.fits("$END"):
                return 2 * _LOOK_AHEAD
            if not trial.feed(token):
                return count
        except TooDeepError:
            return count
    return 2 * _LOOK_AHEAD if tokens[-1].kind == "end" else len(tokens)


def _made(kind: Kind, text: str, at: int) -> Token:
    return Token(kind, text, at, at)
